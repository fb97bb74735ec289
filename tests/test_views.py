"""Views of the rows games in and out, and the published JSON Schemas."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import numpy as np
import pytest

from sixth_env.engine import Engine
from sixth_env.errors import ConfigError, PositionError
from sixth_env.notation import encode, schema, validate_position, validate_view, view_of
from tests.cases_rows import CASES
from tests.rows_play import Change, Json, engine_of, example, look, put


def a_view(phase: str = "row", player: int = 1) -> Json:
    return view_of(example(phase), player)


def test_views_are_read_back_as_what_the_player_sees() -> None:
    for case in CASES[::7]:
        engine = engine_of(case["position"]["rules"])
        engine.set_position(case["position"])
        columns, masks = look(engine)
        for player in range(engine.num_players):
            view = json.loads(json.dumps(engine.view(0, player)))
            assert view == view_of(engine.position(), player)
            validate_view(view)
            observation, mask = encode(view)
            assert np.array_equal(observation, columns[0, player])
            assert np.array_equal(mask, masks[0, player])


def test_the_mask_of_a_committed_player_says_wait() -> None:
    position = example("card")
    position["chosen"] = [hand[0] for hand in position["hands"]]
    _, mask = encode(view_of(position, 2))
    assert np.flatnonzero(mask).tolist() == [56]


VIEWS_REFUSED: list[tuple[Change, str]] = [
    (put("player", 4), "do not agree on the seats"),
    (put("player", 2), "must be numbers, but cards for player 2"),
    (put("player", -1), "view player: "),
    (put("hands", 0, 1), "view stock must be|hands"),
    (put("hands", 0, ["AC"]), "must be numbers"),
    (put("hands", 1, 3), "but cards for player 1"),
    (put("stock", 3), "view stock must be 8"),
    (put("stock", ["AC"]), "view stock: "),
    (put("chosen", 0, 1), r"chosen\[0\] must be null"),
    (put("chosen", 0, 2), r"view chosen\[0\] must be 1 if"),
    (put("chosen", 0, None), r"view chosen\[0\] must be 1 if"),
    (put("legal", []), r"view legal must be \["),
    (put("legal", 3), "view legal: "),
    (put("rules", None), "with its 'rules'"),
    (put("rules", "reward", "gold"), "view rules: reward must be one of"),
    (put("game", "whist"), "unknown game"),
    (put("turn", 3), "position "),
    (lambda v: [v], "view must be an object"),
]


@pytest.mark.parametrize(("change", "message"), VIEWS_REFUSED)
def test_impossible_views_are_refused(change: Change, message: str) -> None:
    view = copy.deepcopy(a_view())
    result = change(view)
    with pytest.raises(PositionError, match=message) as caught:
        validate_view(view if result is None else result)
    assert "\n" not in str(caught.value)


JUNK: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    7,
    10**30,
    1.5,
    "",
    "AC",
    "10♥",
    [],
    ["AC"],
    {},
    float("nan"),
]


def spoil(value: Any, rng: random.Random) -> Any:
    """A copy with one of its parts, at any depth, replaced by something else."""
    if not value or not isinstance(value, (list, dict)) or rng.random() < 0.2:
        return rng.choice(JUNK)
    spoiled = copy.copy(value)
    place = rng.choice(list(spoiled) if isinstance(spoiled, dict) else range(len(spoiled)))
    spoiled[place] = spoil(spoiled[place], rng)
    return spoiled


@pytest.mark.parametrize("phase", ["card", "row", "over"])
def test_whatever_comes_in_is_read_or_refused(phase: str) -> None:
    """Nothing but ``PositionError`` comes out, in one line."""
    rng, position, messages = random.Random(3), example(phase), list[str]()
    view = view_of(position, 1)
    for check, value in ((validate_view, view), (validate_position, position)):
        for _ in range(400):
            try:
                check(spoil(spoil(value, rng), rng))
            except PositionError as error:
                messages.append(str(error))
    assert len(messages) > 700
    assert not any("\n" in message for message in messages)


@pytest.mark.parametrize("player", [-1, 4, True, 1.0, 1.5, "player_1", None, [1]])
def test_views_of_nobody_are_refused(player: Any) -> None:
    with pytest.raises(PositionError, match="player must be from 0 to 3"):
        view_of(example(), player)


def test_any_integer_names_a_player() -> None:
    view = view_of(example(), np.int64(1))  # type: ignore[arg-type]
    assert json.loads(json.dumps(view)) == view == view_of(example(), 1)


# --- Schemas --------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["sixth_card", "six_nimmt"])
@pytest.mark.parametrize("kind", ["position", "view"])
def test_schemas_describe_every_field(game: str, kind: str) -> None:
    described = schema(game, kind)
    json.dumps(described)
    engine = Engine(game, 1, seed=0)
    value = engine.position() if kind == "position" else engine.view(0, 1)
    assert set(described["properties"]) == set(value)
    optional = {"played", "rules"} | ({"legal"} if kind == "view" else set())
    assert set(described["required"]) == set(value) - optional
    assert described["additionalProperties"] is False
    assert described["properties"]["game"] == {"const": game}
    assert ('"pattern"' in json.dumps(described)) == (game == "sixth_card")


def test_unknown_schemas_are_refused() -> None:
    with pytest.raises(ConfigError, match="kind must be one of position, view, replay"):
        schema("sixth_card", "hand")
    with pytest.raises(ConfigError, match="unknown game"):
        schema("whist", "view")
