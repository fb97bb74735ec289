"""The built-in opponents of the chip game: legality, hand-worked choices, strength."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sixth_env.errors import OpponentError
from sixth_env.games import GAMES
from sixth_env.match import play_field
from sixth_env.opponents import ILLEGAL_VALUE, MonteCarloOpponent, load_opponent, opponent_names
from tests.cases_chips_build import actions, position, rules
from tests.chips_play import TABLES, Json, engine_of, hidden_from, name_of
from tests.rows_play import look
from tests.slow_chips import WAIT

BUILT_IN = ("random", "builder", "blocker", "mc:3")


def test_names() -> None:
    assert opponent_names("sixes_chips") == ("random", "builder", "blocker", "mc:<playouts>")
    assert [load_opponent(name, "sixes_chips").name for name in BUILT_IN] == list(BUILT_IN)


def decision(place: Json, player: int) -> tuple[Any, Any]:
    """One row: what a seat sees (1, D) and may do (1, A)."""
    engine = engine_of(place["rules"])
    engine.set_position(place)
    columns, mask = engine.game.notation.look(engine.rules, engine.states[0], player)
    return columns[None], mask[None]


def choice(name: str, place: Json) -> str:
    """What an opponent plays for the seat to act."""
    opponent = load_opponent(name, "sixes_chips")
    action = opponent.act(*decision(place, place["to_act"]), np.array([1], np.uint64))
    return GAMES["sixes_chips"].action_name(int(action[0]))


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_actions_are_legal_in_whole_matches(setup: Json) -> None:
    opponents = [load_opponent(name, "sixes_chips") for name in BUILT_IN]
    engine, rng = engine_of(setup, seed=1, num_games=4), np.random.default_rng(1)
    for step in range(80):
        observation, mask = (array[:, 0] for array in look(engine))
        for opponent in opponents:
            chosen = opponent.act(observation, mask, rng)
            assert mask[np.arange(4, dtype=np.uint64), chosen].all(), opponent.name
        engine.step(engine.sample_actions(step))
        if engine.done().any():
            engine.restart(engine.done())


def test_a_seat_that_waits_waits() -> None:
    place = position(
        rules(2),
        ["AC 2C 3C 4C 5C AD 2D 3D 4D 5D AH 2H 3H 4H 5H AS 2S 3S 4S 5S",
         "6C 7C JC QC KC 6D 7D JD QD KD 6H 7H JH QH KH 6S 7S JS QS KS"],
        dealer=0, starter=1, to_act=1,
    )  # fmt: skip
    for name in BUILT_IN:
        opponent = load_opponent(name, "sixes_chips")
        assert opponent.act(*decision(place, 0), np.array([3], np.uint64)).tolist() == [WAIT]


# Distances of own cards beyond: 7C has QC 2 and KC 3, 5H has AH 4; KH and 7D have none. Cards of
# the other beyond: JC; 4H 3H 2H; none; JD QD KD.
@pytest.mark.parametrize(
    ("hand", "laid", "builder", "blocker"),
    [
        ("7C QC KC 7D AH 5H KH", "C:5-6 D:A-6 H:6-Q S:A-K", "7C", "7C"),
        ("7C 7D AH 5H KH", "C:5-6 D:A-6 H:6-Q S:A-K", "5H", "5H"),
        ("7D KH", "C:5-6 D:A-6 H:6-Q S:A-K", "7D", "KH"),  # on ties the lower number
        ("7C KC 7D QD KD", "C:5-6 D:A-6 H:6-K S:A-K", "7D", "7D"),
        ("7C 6S AS KS", "C:5-6 D:A-K H:A-K", "6S", "6S"),  # both ways count: 5 and 4 steps
        ("7C KC 6S 5S", "C:5-6 D:A-K H:A-K", "7C", "7C"),
        ("7C 6S 5S", "C:5-6 D:A-K H:A-K", "6S", "7C"),  # eight others' cards beyond 6S, three 7C
    ],
)
def test_worked_choices(hand: str, laid: str, builder: str, blocker: str) -> None:
    place = position(rules(2), [hand, ""], laid, dealer=1, starter=1, to_act=0)
    place["hands"][1] = hidden_from(place, 0)
    assert choice("builder", place) == f"play {builder}"
    assert choice("blocker", place) == f"play {blocker}"


def strength(name: str, field: str, deals: int, players: int = 5) -> tuple[float, float]:
    """Chips a round that one wins among others, with the lower end of the interval."""
    hero, others = load_opponent(name, "sixes_chips"), load_opponent(field, "sixes_chips")
    result = play_field(
        "sixes_chips", [hero, *[others] * (players - 1)], deals=deals, num_rounds=1, seed=3
    )
    points = result.points_per_round(0)  # minus the chips
    return -points.value, -points.high


@pytest.mark.parametrize("players", [2, 5, 8])
def test_heuristics_beat_random_clearly(players: int) -> None:
    builder, blocker = (strength(name, "random", 300, players) for name in ("builder", "blocker"))
    assert builder[1] > 0
    assert blocker[1] > 0.1 and blocker[0] > builder[0]


def test_blocker_beats_builder() -> None:
    assert strength("blocker", "builder", 400)[1] > 0.1


def test_monte_carlo_beats_random() -> None:
    assert strength("mc:20", "random", 60)[1] > 0.2


# --- Monte Carlo ----------------------------------------------------------------------------------


def test_values_of_a_decided_round() -> None:
    """Whoever can go out takes the pot; other actions leave it to chance."""
    place = position(
        rules(2),
        ["KH", "AH 2H"],
        "C:A-K D:A-K H:3-Q S:A-K",
        lacks=["7H", "7C"],
        chips=[8, 8],
        pot=4,
        dealer=1,
        starter=1,
        to_act=0,
    )
    values = MonteCarloOpponent(GAMES["sixes_chips"], 5).action_values(
        *decision(place, 0), np.array([1], np.uint64)
    )
    king = actions("KH")[0]
    assert values[0, king] == 4.0
    assert (np.delete(values[0], king) == ILLEGAL_VALUE).all()


def test_contradictory_observations_are_refused() -> None:
    table = GAMES["sixes_chips"].table
    engine = engine_of(rules(4), seed=1)
    for step in range(6):
        engine.step(engine.sample_actions(step))
    observation, mask = (array[:, 0] for array in look(engine))
    mask[:] = 1  # so that there is something to try
    monte_carlo, rng = load_opponent("mc:1", "sixes_chips"), np.random.default_rng(0)
    spoilers: list[tuple[str, int, int]] = [
        ("column_low", 1, 0),
        ("column_low", 1, 7),
        ("column_high", 1, 2),
        ("hand_sizes", 2, 0),
        ("hand", 3, 1 - observation[0, table.start("hand") + 3]),
        ("dealer", 0, 5),
        ("to_act", 0, 4),
        ("starter", 0, 7),
    ]
    for name, place, value in spoilers:
        wrong = observation.copy()
        wrong[0, table.start(name) + place] = value
        with pytest.raises(OpponentError, match="contradicts itself"):
            monte_carlo.act(wrong, mask, rng)


def test_random_columns_end_every_playout() -> None:
    """Columns within their bounds, but without sense: refused, and never played for ever."""
    table, rng = GAMES["sixes_chips"].table, np.random.default_rng(1)
    monte_carlo = load_opponent("mc:1", "sixes_chips")
    columns = rng.integers(table.low, table.high.astype(np.int64) + 1, (200, table.size))
    refused = 0
    for row in columns.astype(np.int16):
        try:
            monte_carlo.act(row[None], np.ones((1, 42), np.int8), rng)
        except OpponentError:
            refused += 1
    assert refused == 200
