"""Monte Carlo: exact values where worlds can be counted, obvious moves, bad input, strength."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from sixth_env import GAMES
from sixth_env.engine import Engine
from sixth_env.errors import OpponentError
from sixth_env.opponents import ILLEGAL_VALUE, MonteCarloOpponent
from tests.cases_rows_build import position, rules
from tests.opponent_games import Rows, decisions, mean_points, some_rows
from tests.rows_play import TABLES, Json, engine_of, look, name_of


def monte_carlo(game: str, playouts: int) -> MonteCarloOpponent:
    return MonteCarloOpponent(GAMES[game], playouts)


def values_of(playouts: int, rows: Rows, game: str, seed: int = 0) -> Any:
    seeds = np.arange(seed, seed + len(rows[0]), dtype=np.uint64)
    return monte_carlo(game, playouts).action_values(*rows, seeds)


# --- Values --------------------------------------------------------------------------------------


def finish(engine: Engine, first: list[int], own: tuple[int, ...], other: tuple[int, ...]) -> float:
    """What seat 0 of two gains from actions ``first`` and then these cards, cheapest rows taken."""
    twin = engine.copy()
    gain = float(twin.step([first]).reward[0, 0])
    for actions in zip(own, other, strict=True):
        gain += float(twin.step([list(actions)]).reward[0, 0])
    return gain


def exact_values(engine: Engine) -> dict[int, float]:
    """Seat 0's value of each card if all play at random; the other hand is all that is unseen."""
    own, other = engine.legal_actions(0, 0), engine.legal_actions(0, 1)
    values = {}
    for card in own:
        rest = [c for c in own if c != card]
        results = [
            finish(engine, [card, theirs[0]], mine, theirs[1:])
            for mine in permutations(rest)
            for theirs in permutations(other)
        ]
        values[card] = float(np.mean(results))
    return values


@pytest.mark.parametrize("seed", range(4))
def test_values_where_only_one_world_is_left(seed: int) -> None:
    setup = rules(players=2, exact_deck=True, cards=24, row_choice="cheapest", num_rounds=1)
    engine = engine_of(setup, seed)
    for turn in range(7):
        engine.step(engine.sample_actions(turn))
    observation, mask = look(engine)
    exact = exact_values(engine)
    assert len(exact) == 3
    values = values_of(4000, (observation[:, 0], mask[:, 0]), "sixth_card")[0]
    assert np.flatnonzero(values > ILLEGAL_VALUE).tolist() == sorted(exact)
    for card, value in exact.items():
        assert values[card] == pytest.approx(value, abs=0.5)  # at most 8 points spread / sqrt(4000)


def row_decision() -> Json:
    """Seat 0 of two has to choose among rows of 3, 7, 5 and 1 points; its 90 will cost nothing."""
    place = position(
        rules("six_nimmt", 2, hand_size=2, num_rounds=1),
        rows=["20", "55", "66", "43"],
        hands=["5 90", "6 91"],
    )
    engine = engine_of(place["rules"])
    engine.set_position(place)
    engine.step([[4, 5]])
    return engine.position()


def view_of(place: Json, player: int = 0) -> Rows:
    engine = engine_of(place["rules"])
    engine.set_position(place)
    observation, mask = look(engine)
    return observation[:, player], mask[:, player]


def test_row_decisions_count_the_row() -> None:
    values = values_of(20, view_of(row_decision()), "six_nimmt")[0]
    assert values[104:108].tolist() == [-3, -7, -5, -1]
    assert (np.delete(values, range(104, 108)) == ILLEGAL_VALUE).all()


def test_value_of_a_last_card() -> None:
    """One card each, and one world: an only action has its value too; ``act`` needs none."""
    place = position(
        rules("six_nimmt", 2, hand_size=1, rows=1, cards=3, num_rounds=1),
        rows=["3"],
        hands=["1", "2"],
    )
    rows = view_of(place)
    assert values_of(3, rows, "six_nimmt")[0, 0] == -1  # takes the 3
    assert monte_carlo("six_nimmt", 3).act(*rows, np.arange(1, dtype=np.uint64)).tolist() == [0]


def test_waiting_and_finished_seats_are_worth_nothing() -> None:
    waiting = view_of(row_decision(), player=1)
    assert values_of(3, waiting, "six_nimmt")[0, 108] == 0
    setup = rules("six_nimmt", 3, hand_size=1, num_rounds=1, row_choice="cheapest")
    *_, (observation, mask) = decisions(setup, seed=0, steps=2)
    assert mask[:, 108].all()
    assert (values_of(3, (observation, mask), "six_nimmt")[:, 108] == 0).all()


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_values_are_within_what_can_happen(setup: Json) -> None:
    observation, mask = some_rows(setup, steps=12)
    values = values_of(3, (observation, mask), setup["game"])
    assert (values[mask == 0] == ILLEGAL_VALUE).all()
    assert (values[mask != 0] <= 0).all() and (values[mask != 0] >= -171).all()
    again = values_of(3, (observation[5:6], mask[5:6]), setup["game"], seed=5)
    assert (again[0] == values[5]).all()


def test_totals_and_rounds_left_change_nothing() -> None:
    """A playout ends with the round, whatever the score."""
    hands = ["5 17 28 33 44 58 61 77 89 95", ""]
    rows = ["10", "30", "50", "70"]
    places = [
        position(rules("six_nimmt", 2, **changes), rows=rows, hands=hands, round=2, totals=totals)
        for changes, totals in (({}, [1, 0]), ({}, [65, 60]), ({"num_rounds": 9}, [65, 60]))
    ]
    first, *others = [values_of(20, view_of(place), "six_nimmt") for place in places]
    for other in others:
        assert (other == first).all()


# --- Choices -------------------------------------------------------------------------------------


def test_plays_the_card_that_will_not_wait() -> None:
    """31 is safe now alone, as the fifth of row 0; 103 goes behind the 102 whenever it likes."""
    place = position(
        rules("six_nimmt", 4, hand_size=4),
        rows=["11 22 25 30", "41", "61", "100 101 102"],
        hands=["31 103", "", "", ""],
        piles=["", "", "", "1 2 104"],
    )
    for seed in range(5):
        action = monte_carlo("six_nimmt", 50).act(*view_of(place), np.array([seed], np.uint64))
        assert action.tolist() == [30]


# --- Observations that make no sense -------------------------------------------------------------


def spoil(name: str, value: int, offset: int = 0) -> Rows:
    """The rows of a first turn with one column of the second row changed."""
    observation, mask = next(decisions(TABLES[1], seed=0, steps=1))
    observation = observation.copy()
    observation[1, GAMES["sixth_card"].table.start(name) + offset] = value
    return observation, mask


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_players", 10),  # more cards in hands than there are
        ("hand_size", 3),
        ("turn", 2),
        ("phase", 1),  # a row decision with nothing revealed
        ("phase", 2),
        ("row_sizes", 0),
        ("row_length", 1),
        ("row_cards", 0),
        ("dealer", 9),
        ("cards", 20),
    ],
)
def test_contradictions_are_refused(name: str, value: int) -> None:
    rows = spoil(name, value)
    if name == "row_length":
        rows[0][1, GAMES["sixth_card"].table.start("row_sizes")] = 2
    with pytest.raises(OpponentError, match="row 1: the observation contradicts itself"):
        monte_carlo("sixth_card", 2).act(*rows, np.arange(4, dtype=np.uint64))


def test_mask_of_another_row_is_refused() -> None:
    observation, mask = next(decisions(TABLES[1], seed=0, steps=1))
    with pytest.raises(OpponentError, match="or the action mask does not fit"):
        monte_carlo("sixth_card", 2).act(observation, mask[::-1], np.arange(4, dtype=np.uint64))


# --- Strength ------------------------------------------------------------------------------------


def test_points_against_random() -> None:
    """One deal of 6 nimmt!, cheapest row: mc:50 is known to take 5.8, random itself 12.1."""
    mean = mean_points("six_nimmt", "mc:50", "random", deals=120, row_choice="cheapest")
    assert mean == pytest.approx(5.6, abs=1.0)


def test_beats_cautious_with_free_rows() -> None:
    mean = mean_points("sixth_card", "mc:30", "cautious", deals=80)
    assert mean < 10.5  # cautious itself takes 11.3
