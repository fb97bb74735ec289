"""The built-in opponents: names, legality, independence of rows, and hand-worked choices."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env import GAMES
from sixth_env.errors import ConfigError, OpponentError
from sixth_env.opponents import (
    RandomOpponent,
    load_opponent,
    opponent_names,
    row_seeds,
)
from tests.cases_rows_build import position, rules
from tests.opponent_games import (
    BUILT_IN,
    HEURISTICS,
    Rows,
    decisions,
    digest,
    mean_points,
    some_rows,
)
from tests.rows_play import TABLES, Json, engine_of, look, name_of

ROOT = Path(__file__).resolve().parents[1]


# --- Names ---------------------------------------------------------------------------------------


def test_names() -> None:
    for game in ("sixth_card", "six_nimmt"):
        assert opponent_names(game) == ("random", *HEURISTICS, "mc:<playouts>")
        for name in BUILT_IN:
            assert load_opponent(name, game).name == name


@pytest.mark.parametrize(
    "spec", ["mc:0", "mc:x", "mc:", "mc:-1", "mc:1.5", "mc:07", "mc:5 ", "mc:٣"]
)
def test_number_of_playouts_is_strict(spec: str) -> None:
    with pytest.raises(OpponentError, match="a whole number from 1 up"):
        load_opponent(spec)


@pytest.mark.parametrize(
    "spec", ["", "Random", "mc", "sixth_card/strongest", "no/such.onnx", None, ["x"], {}]
)
def test_unknown_opponents_are_named(spec: Any) -> None:
    with pytest.raises(OpponentError) as caught:
        load_opponent(spec)
    assert repr(spec) in str(caught.value)
    assert "random, lowest, highest, closest, cautious, mc:<playouts>" in str(caught.value)


def test_folder_is_sent_to_agents(tmp_path: Path) -> None:
    with pytest.raises(OpponentError, match=r"is a folder: .* agents\.load"):
        load_opponent(str(tmp_path))


def test_unknown_game() -> None:
    with pytest.raises(ConfigError, match="unknown game 'chess'"):
        load_opponent("random", "chess")


def test_too_many_playouts() -> None:
    with pytest.raises(OpponentError, match="1000000, not 1000001"):
        load_opponent("mc:1000001")


# --- Every opponent, everywhere ------------------------------------------------------------------


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_actions_are_legal_in_whole_matches(setup: Json) -> None:
    opponents = [load_opponent(name, setup["game"]) for name in BUILT_IN]
    wait, rng, waited, ended = GAMES[setup["game"]].wait, np.random.default_rng(0), 0, 0
    for observation, mask in decisions(setup, seed=5, steps=60):
        for opponent in opponents:
            actions = opponent.act(observation, mask, rng)
            assert actions.dtype == np.int64
            assert mask[np.arange(len(mask), dtype=np.uint64), actions].all(), opponent.name
        waiting = mask[:, wait] != 0
        assert (actions[waiting] == wait).all()
        waited += waiting.sum()
        ended += waiting.all()
    assert waited > 0
    assert ended > 0 or setup["num_rounds"] is None


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("setup", [TABLES[2], TABLES[4]], ids=name_of)
def test_row_depends_on_itself_alone(setup: Json, name: str) -> None:
    observation, mask = some_rows(setup)
    opponent = load_opponent(name, setup["game"])
    seeds = row_seeds(np.random.default_rng(3), len(mask))
    together = opponent.act(observation, mask, seeds)
    backwards = opponent.act(observation[::-1], mask[::-1], seeds[::-1])
    assert (backwards[::-1] == together).all()
    for i in range(0, len(mask), 7):
        alone = opponent.act(observation[i : i + 1], mask[i : i + 1], seeds[i : i + 1])
        assert alone.tolist() == [together[i]]


@pytest.mark.parametrize("name", BUILT_IN)
def test_seeds_alone_decide(name: str) -> None:
    observation, mask = some_rows(TABLES[1])
    opponent = load_opponent(name)
    seeds = np.random.default_rng(9).integers(0, 2**64, len(mask), np.uint64)
    first = opponent.act(observation, mask, seeds)
    assert (opponent.act(observation, mask, seeds) == first).all()
    assert (opponent.act(observation, mask, np.random.default_rng(9)) == first).all()
    other = opponent.act(observation, mask, seeds + np.uint64(1))
    assert (other == first).all() == (name in HEURISTICS)


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("setup", [TABLES[1], TABLES[5]], ids=name_of)
def test_float_observations_are_integer_ones(setup: Json, name: str) -> None:
    observation, mask = some_rows(setup)
    opponent, table = load_opponent(name, setup["game"]), GAMES[setup["game"]].table
    seeds = np.arange(len(mask), dtype=np.uint64)
    actions = opponent.act(observation, mask, seeds)
    floats = opponent.act(table.to_float(observation), mask, seeds)
    longs = opponent.act(observation.astype(np.int64), mask.astype(np.bool_), seeds)
    assert (floats == actions).all()
    assert (longs == actions).all()


def test_interpreted_opponents_play_the_same() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.opponent_games"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    assert run.stdout.splitlines() == [f"{name} {digest(name)}" for name in BUILT_IN]


# --- Malformed arguments -------------------------------------------------------------------------


def malformed() -> dict[str, tuple[Any, Any, Any, str]]:
    """Arguments by fault, with what the error has to say."""
    observation, mask = some_rows(TABLES[1], steps=1)
    n, size = observation.shape
    seeds = np.arange(n)
    table = GAMES["sixth_card"].table
    far, nan = observation.copy(), table.to_float(observation)
    far[1, table.start("hand") + 3], nan[2, table.start("turn")] = 7, np.nan
    empty = mask.copy()
    empty[1] = 0
    shape = rf"float32 of shape \(N, {size}\)"
    return {
        "one dimension": (observation[0], mask[0], seeds[:1], shape),
        "columns": (observation[:, 1:], mask, seeds, shape),
        "double": (observation.astype(np.float64), mask, seeds, shape),
        "strings": (observation.astype(str), mask, seeds, shape),
        "bounds": (far, mask, seeds, "row 1: 'hand' must be from 0 to 2, not 7"),
        "nan": (nan, mask, seeds, "row 2: 'turn' must be from 1 to 10, not nan"),
        "mask rows": (observation, mask[1:], seeds, r"masks .* of shape \(\d+, 57\)"),
        "mask type": (observation, mask.astype(np.float32), seeds, "masks .* not float32"),
        "mask empty": (observation, empty, seeds, "mask row 1 has no legal action"),
        "no seeds": (observation, mask, None, "seeds must be a Generator or integers"),
        "few seeds": (observation, mask, seeds[1:], r"seeds must be .* of shape \(\d+,\)"),
        "float seeds": (observation, mask, seeds * 0.5, "not float64"),
        "negative seed": (observation, mask, seeds - 1, "from 0 up, not -1"),
    }


@pytest.mark.parametrize("fault", malformed())
def test_malformed_arguments_are_refused(fault: str) -> None:
    observation, mask, seeds, message = malformed()[fault]
    for name in BUILT_IN:
        with pytest.raises(OpponentError, match=message):
            load_opponent(name).act(observation, mask, seeds)


def test_no_rows() -> None:
    observation, mask = some_rows(TABLES[1], steps=1)
    for name in BUILT_IN:
        actions = load_opponent(name).act(observation[:0], mask[:0], np.arange(0, dtype=np.uint64))
        assert actions.shape == (0,) and actions.dtype == np.int64


# --- Random --------------------------------------------------------------------------------------


def test_random_is_uniform() -> None:
    game = GAMES["sixth_card"]
    mask = np.zeros((30_000, game.num_actions), np.int8)
    mask[::2, [0, 17, 51]] = 1
    mask[1::2, 52:56] = 1
    observation = np.tile(some_rows(TABLES[1], steps=1)[0][:1], (len(mask), 1))
    actions = RandomOpponent(game).act(observation, mask, np.arange(len(mask), dtype=np.uint64))
    cards, rows = np.bincount(actions[::2]), np.bincount(actions[1::2])
    assert np.flatnonzero(cards).tolist() == [0, 17, 51]
    assert np.flatnonzero(rows).tolist() == [52, 53, 54, 55]
    assert abs(cards[[0, 17, 51]] - 5000).max() < 4 * 58  # standard deviation sqrt(15000 2/9)
    assert abs(rows[52:] - 3750).max() < 4 * 53  # sqrt(15000 3/16)


def test_random_policy() -> None:
    observation, mask = some_rows(TABLES[1])
    policy = RandomOpponent(GAMES["sixth_card"]).policy(observation, mask)
    np.testing.assert_allclose(policy.sum(axis=1), 1)
    assert ((policy > 0) == (mask != 0)).all()
    assert (policy.max(axis=1) * mask.sum(axis=1) == pytest.approx(1)) is True


# --- Choices worked out by hand ------------------------------------------------------------------


def view_of(place: Json, player: int = 0) -> Rows:
    """One row: what a seat sees of a position."""
    engine = engine_of(place["rules"])
    engine.set_position(place)
    observation, mask = look(engine)
    return observation[:, player], mask[:, player]


def choice(name: str, place: Json, player: int = 0) -> Any:
    """The action's name that an opponent answers in a position."""
    game = GAMES[place["game"]]
    action = load_opponent(name, game.id).act(
        *view_of(place, player), np.arange(1, dtype=np.uint64)
    )[0]
    return game.action_name(int(action))


# Seventh turn of two players. Row 0 is full (11 points); 39 goes to row 1 (one free place, 10
# points, gap 5), 56 to row 2 (four free places, 3 points, gap 6), 79 to row 3 (two, 5, gap 7).
FOUR_CHOICES = position(
    rules("six_nimmt", 2),
    rows=["10 11 12 13 14", "30 31 33 34", "50", "70 71 72"],
    hands=["20 39 56 79", "90 91 92 93"],
    piles=["1 2 3", ""],
)


@pytest.mark.parametrize(
    ("name", "card"), [("lowest", 20), ("highest", 79), ("closest", 39), ("cautious", 56)]
)
def test_four_heuristics_four_cards(name: str, card: int) -> None:
    assert choice(name, FOUR_CHOICES) == f"play {card}"


def test_cautious_costs() -> None:
    game = GAMES["six_nimmt"]
    columns, record = view_of(FOUR_CHOICES)[0][0], game.rules_record(game.rules())

    def cost(card: int) -> float:
        return float(game.heuristics["cautious"](columns, record, card - 1))

    # 84 unseen cards, 4 of them between 34 and 39: λ = 4/84, P(at least 1) = 1 - e^-λ = 0.04650.
    # (0.04650 (0.8 + 0.62 x 10) + 0.014 x 4) x 1.08, for four cards in the hand.
    assert cost(39) == pytest.approx(0.4120, abs=1e-4)
    # 6 between 72 and 79, two places free: P(at least 2) = 1 - e^-λ (1 + λ) = 0.002433.
    # (0.002433 (0.8 + 0.62 x 5) + 0.014 x 6) x 1.08
    assert cost(79) == pytest.approx(0.1010, abs=1e-4)
    # The full row: 4.8 x 11. Too low: 4.8 x 3, the cheapest row.
    assert cost(20) == pytest.approx(52.8)
    assert cost(5) == pytest.approx(14.4)


def test_closest_without_a_fitting_card() -> None:
    # 4, 5 and 6 fit nowhere and cost row 2 (3 points), 20 the full row (11).
    place = position(
        rules("six_nimmt", 2),
        rows=["10 11 12 13 14", "30 31 33 34", "50", "70 71 72"],
        hands=["4 5 6 20", "90 91 92 93"],
        piles=["1 2 3", ""],
    )
    assert choice("closest", place) == "play 4"
    assert choice("highest", place) == "play 20"


def test_twin_is_closest_of_all() -> None:
    hands = ["6C 9S 10H JS KS AC AD AH AS 2C", "", "", "", ""]
    place = position(rules(players=5), rows=["6C", "9H", "JD", "QS"], hands=hands)
    assert choice("closest", place) == "play 6C"  # gap 0; 9S and 10H have 1 and 5


def test_row_decision_takes_the_fewest_points_then_the_lowest_number() -> None:
    place = position(rules("six_nimmt", 2), rows=["20", "31", "42", "55"], hands=["5", "6"])
    engine = engine_of(place["rules"])
    engine.set_position(place)
    engine.step([[4, 5]])  # cards 5 and 6: the 5 is placed first, and fits nowhere
    decision = engine.position()
    assert decision["phase"] == "row"
    for name in HEURISTICS:
        assert choice(name, decision, player=0) == "take row 1"  # 1 point, as row 2; row 0 has 3
        assert choice(name, decision, player=1) == "wait"
    row, mask = view_of(decision)
    many = load_opponent("random", "six_nimmt").act(
        np.repeat(row, 4000, 0), np.repeat(mask, 4000, 0), np.arange(4000, dtype=np.uint64)
    )
    assert abs(np.bincount(many - 104, minlength=4) - 1000).max() < 4 * 28


# --- Strength ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "points"),
    [("random", 12.1), ("highest", 9.6), ("lowest", 14.0), ("closest", 7.9), ("cautious", 7.8)],
)
def test_points_against_three_random(name: str, points: float) -> None:
    """One deal of 6 nimmt!, cheapest row; the values of independent implementations."""
    mean = mean_points("six_nimmt", name, "random", deals=800, row_choice="cheapest")
    assert mean == pytest.approx(points, abs=0.5)  # four standard errors


def test_cautious_beats_closest_on_the_52_card_ladder() -> None:
    assert mean_points("sixth_card", "cautious", "closest", deals=800) < 10.3  # closest: 11.2


def test_messages_are_one_sentence() -> None:
    with pytest.raises(OpponentError) as caught:
        load_opponent("strong")
    assert re.fullmatch(r"[^.\n]+", str(caught.value))
