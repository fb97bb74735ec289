"""Views made from observations and read back, for every game."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import sixth_env
from sixth_env import notation
from sixth_env.games import GAMES
from sixth_env.opponents.views import ViewError, observations_of, views_of

CONFIGS: list[tuple[str, dict[str, Any]]] = [
    ("sixth_card", {"num_players": 4}),
    ("sixth_card", {"num_players": 7, "row_choice": "cheapest"}),
    ("sixth_card", {"num_players": 3, "hand_size": 4, "cards": 20, "rows": 2, "num_rounds": 3}),
    ("six_nimmt", {"num_players": 10}),
    ("six_nimmt", {"num_players": 2, "exact_deck": True}),
    ("sixes_chips", {"num_players": 5}),
    ("sixes_chips", {"num_players": 3, "num_rounds": 2}),
    ("sixes_golf", {"num_players": 2, "max_turns": 200}),
    ("sixes_golf", {"num_players": 5, "practice_round": True}),
]
Rows = tuple[NDArray[np.int16], NDArray[np.int8], list[dict[str, Any]]]


def positions(game: str, games: int, steps: int, **config: Any) -> Rows:
    """What the seats that act see after some random steps, with the positions they are in."""
    batch = sixth_env.Batch(game, num_games=games, seed=8, **config)
    step = batch.reset()
    for n in range(steps):
        step = batch.step(batch.sample_actions(n))
    rows = games * batch.seats_per_step
    seated = [
        {**batch.position(i), "player": int(seat)} for i in range(games) for seat in step.seat[i]
    ]
    observation = step.observation.reshape(rows, -1).copy()
    return observation, step.action_mask.reshape(rows, -1).copy(), seated


@pytest.mark.parametrize(("game", "config"), CONFIGS)
@pytest.mark.parametrize("steps", [7, 60])
def test_views_and_observations_are_the_same(game: str, config: dict[str, Any], steps: int) -> None:
    columns, masks, _ = positions(game, 12, steps, **config)
    views = json.loads(json.dumps(views_of(GAMES[game], columns, masks != 0)))
    read, legal = observations_of(GAMES[game], views)
    assert np.array_equal(read, columns)
    assert np.array_equal(legal, masks)
    for view, row in zip(views[:3], columns[:3], strict=True):
        assert view == notation.describe(game, row)


@pytest.mark.parametrize(("game", "config"), CONFIGS)
@pytest.mark.parametrize("steps", [9, 60])
def test_hidden_facts_make_no_difference(game: str, config: dict[str, Any], steps: int) -> None:
    """Whole positions are taken for views: what the player cannot know is not looked at."""
    columns, masks, seated = positions(game, 10, steps, **config)
    rng = random.Random(1)
    views = [notation.view_of(without(p, "player"), p["player"]) for p in seated]
    for given in (seated, [shuffled(position, rng) for position in seated], views):
        read, legal = observations_of(GAMES[game], given)
        assert np.array_equal(read, columns)
        assert np.array_equal(legal, masks)


def without(position: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in position.items() if name not in names}


def shuffled(position: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The position with other hidden cards, even impossible ones; all that is public stays."""
    changed = copy.deepcopy(position)
    own = changed["player"]
    junk = 7 if position["game"] == "six_nimmt" else "7D"
    if position["game"] == "sixes_golf":
        for hand, ups in zip(changed["hands"], changed["face_up"], strict=True):
            hand[:] = [card if up else junk for card, up in zip(hand, ups, strict=True)]
        if position["drawn"] is not None and position["to_act"] != own:
            changed["drawn"] = junk
        if not position["refilled"]:
            changed["draw_pile"] = [junk] * len(changed["draw_pile"])
        rng.shuffle(changed["draw_pile"])
        return changed
    changed["hands"] = [
        hand if seat == own else [junk] * len(hand) for seat, hand in enumerate(changed["hands"])
    ]
    if "stock" in changed:
        changed["stock"] = [junk] * len(changed["stock"])
        changed["chosen"] = [None if s == own else junk for s in range(len(changed["hands"]))]
        if position["phase"] != "card":
            changed["chosen"] = position["chosen"]
    return changed


def test_a_player_who_has_committed_a_card_waits() -> None:
    _, _, seated = positions("sixth_card", 1, 0, num_players=3)
    committed = {**seated[1], "chosen": [None, seated[1]["hands"][1][0], seated[0]["hands"][2][0]]}
    _, masks = observations_of(GAMES["sixth_card"], [committed, seated[0]])
    assert np.flatnonzero(masks[0]).tolist() == [56]
    assert masks[1].sum() == 10


def test_rules_are_the_default_ones_unless_given() -> None:
    _, _, (first, *_) = positions("sixth_card", 1, 0, num_players=5)
    bare = without(first, "rules")
    partly = {**first, "rules": {"target_score": 44, "row_choice": "cheapest"}}
    columns, _ = observations_of(GAMES["sixth_card"], [first, bare, partly])
    assert np.array_equal(columns[0], columns[1])
    table = GAMES["sixth_card"].table
    assert columns[2, table.start("target_score")] == 44
    assert columns[2, table.start("cheapest")] == 1


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"game": "six_nimmt"}, "game", "must be 'sixth_card'"),
    ({"player": 9}, "hands", "do not agree on the seats"),
    ({"player": "x"}, "player", "valid integer"),
    ({"players": 3}, "players", "but this game's is"),
    ({"players": 40}, "players", "less than or equal to 10"),
    ({"players": 40, "rules": {}}, "rules", "num_players must be"),
    ({"rules": 7}, "rules", "must be an object"),
    ({"rules": {"colour": 1}}, "rules", "no option 'colour'"),
    ({"rules": {"game": "six_nimmt"}}, "rules.game", "must be 'sixth_card'"),
    ({"rules": {"decks": True}}, "rules", "decks must be"),
    ({"hands": [["2C"], 1, 1, 1], "stock": 44}, "hands[0]", "must have 10 cards in turn 1"),
    ({"stock": 9}, "stock", "must be 8, which are left unseen"),
    ({"hands": [["2C"], 40, 40, 1], "stock": 0}, "hands", "hide 81 cards, but 47 are unseen"),
    ({"hands": [5, 10, 10, 10]}, "hands", "cards for player 0"),
    ({"rows": [["2C"], ["3C"], ["4C"], ["99"]]}, "rows[3][0]", "is not a card"),
    ({"turn": 4}, "hands[0]", "must have 7 cards"),
    ({"totals": [0, 0]}, "totals", "must have 4 entries"),
    ({"colour": "red"}, "colour", "Extra inputs"),
    ({"legal": []}, "legal", "must be [{"),
]


@pytest.mark.parametrize(("change", "field", "message"), REFUSED)
def test_impossible_views_are_refused_by_field(
    change: dict[str, Any], field: str, message: str
) -> None:
    _, _, (first, *_) = positions("sixth_card", 1, 0)
    with pytest.raises(ViewError) as caught:
        observations_of(GAMES["sixth_card"], [first, {**first, **change}])
    assert caught.value.row == 1
    assert message in str(caught.value)
    assert caught.value.field == field


@pytest.mark.parametrize("view", [None, 7, "x", [], {}])
def test_what_is_no_view_is_refused(view: Any) -> None:
    with pytest.raises(ViewError, match="view"):
        observations_of(GAMES["sixth_card"], [view])


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_thousands_of_positions_of_every_size(game: str) -> None:
    for players in range(2, GAMES[game].max_players + 1):
        for steps in range(0, 100, 9):
            columns, masks, seated = positions(game, 20, steps, num_players=players)
            views = views_of(GAMES[game], columns, masks != 0)
            for given in (json.loads(json.dumps(views)), seated):
                read, legal = observations_of(GAMES[game], given)
                assert np.array_equal(read, columns)
                assert np.array_equal(legal, masks)
