"""The built-in opponents of the golf game: legality, hand-worked choices, strength."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sixth_env.errors import OpponentError
from sixth_env.games import GAMES
from sixth_env.match import play_field
from sixth_env.opponents import load_opponent, opponent_names
from tests.cases_golf_build import position, rules
from tests.digest_golf import BUILT_IN
from tests.golf_play import TABLES, Json, engine_at, engine_of, name_of, position_in
from tests.rows_play import look
from tests.slow_golf import WAIT, action_name
from tests.slow_golf_check import DISCARD, value

GAME = GAMES["sixes_golf"]


def test_names() -> None:
    assert opponent_names("sixes_golf") == ("random", "careful", "mc:<playouts>")
    assert [load_opponent(name, "sixes_golf").name for name in BUILT_IN] == list(BUILT_IN)


def decision(place: Json, player: int) -> tuple[Any, Any]:
    """One row: what a seat sees (1, D) and may do (1, A)."""
    engine = engine_at(place)
    columns, mask = GAME.notation.look(engine.rules, engine.states[0], player)
    return columns[None], mask[None]


def choice(place: Json, name: str = "careful") -> str:
    """What an opponent plays for the seat to act."""
    opponent = load_opponent(name, "sixes_golf")
    action = opponent.act(*decision(place, place["to_act"]), np.array([1], np.uint64))
    return action_name(int(action[0]))


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_actions_are_legal_in_whole_matches(setup: Json) -> None:
    opponents = [load_opponent(name, "sixes_golf") for name in BUILT_IN]
    engine, rng = engine_of(setup, seed=1, num_games=4), np.random.default_rng(1)
    for step in range(80):
        observation, mask = (array[:, 0] for array in look(engine))
        for opponent in opponents:
            chosen = opponent.act(observation, mask, rng)
            assert mask[np.arange(4), chosen].all(), opponent.name
        engine.step(engine.sample_actions(step))
        if engine.done().any():
            engine.restart(engine.done())


@pytest.mark.parametrize("phase", ["reveal", "turn", "drawn", "knock"])
def test_a_seat_that_waits_waits(phase: str) -> None:
    place = position_in(phase)
    for name in BUILT_IN:
        opponent = load_opponent(name, "sixes_golf")
        for seat in set(range(3)) - {place["to_act"]}:
            assert opponent.act(*decision(place, seat), np.array([3], np.uint64)) == [WAIT]


# --- Hand-worked choices --------------------------------------------------------------------------

OTHERS = "9C (9D) QC (KD) (6C) (6D)"


@pytest.mark.parametrize(
    ("hand", "discard", "drawn", "wanted"),
    [
        # The discard completes a pair, of the dearest card held.
        ("KC (2C) 5C (3C) 4C (4D)", "KS", None, "take the discard into slot 1"),
        ("KC 3H 5C (3C) 4C (4D)", "KS", None, "take the discard into slot 1"),
        # A low card in place of a hidden one, or of the dearest; a joker beside a dear card.
        ("KC QS 5C (3C) 4C 4D", "joker", None, "take the discard into slot 0"),
        ("2C (2H) 3C 3D 4C 4D", "10S", None, "turn up slot 1"),  # goes out, far ahead
        ("9H (2C) 5C (3C) 4C 4D", "10S", None, "draw"),
        ("KC (2C) 5C (3C) 4C (4D)", "7S", "KS", "put the drawn card into slot 1"),
        ("2C (KC) 3C 3D 4C 4D", "7S", "10S", "discard the drawn card"),
    ],
)
def test_worked_choices(hand: str, discard: str, drawn: str | None, wanted: str) -> None:
    assert choice(table(hand, discard, drawn)) == wanted


def table(hand: str, discard: str = "10S", drawn: str | None = None, **fields: Any) -> Json:
    """Two players, of whom seat 0 is to act, after a draw or before its move."""
    place = position(rules(2), [hand, OTHERS], discard, drawn or "", dealer=0, to_act=0, **fields)
    if drawn is not None:
        pile = place["draw_pile"]
        pile.remove(drawn)
        place = {**place, "phase": "drawn", "drawn": drawn, "draw_pile": pile}
    return place


@pytest.mark.parametrize(
    ("hand", "knocks"),
    [("AC AD 2C 2D 3C (3D)", True), ("AC 9D 2C 2D 3C (3D)", True), ("KC QD 8C (2D) 3C 5D", False)],
)
def test_knocks_with_a_clear_lead_only(hand: str, knocks: bool) -> None:
    place = position(rules(2), [hand, "9C 9H QC (KD) JC (6D)"], dealer=0, to_act=0, phase="knock")
    assert choice(place) == ("knock" if knocks else "end the turn without knocking")


def test_the_first_two_cards_are_turned_up_in_different_pairs() -> None:
    hands = ["(2C) (3C) (4C) (5C) (6C) (7C)", "(2D) (3D) (4D) (5D) (6D) (7D)"]
    place = position(rules(2), hands, phase="reveal", dealer=0, to_act=0)
    assert choice(place) == "turn up slot 0"
    engine = engine_at(place)
    engine.step([[0]])
    assert choice(engine.position()) == "turn up slot 2"


def test_good_cards_never_give_way_to_a_ten() -> None:
    """Aces, jokers and completed pairs stay while a card lies face down, in 500 deals."""
    careful = load_opponent("careful", "sixes_golf")
    engine, rng = engine_of(rules(3), seed=7, num_games=500), np.random.default_rng(0)
    tried = 0
    for _ in range(120):
        observation, mask = (array[:, 0] for array in look(engine))
        actions = careful.act(observation, mask, rng)
        for index in range(500):
            tried += check_swap(engine.position(index), int(actions[index])) if index < 20 else 0
        dear = observation[:, GAME.table["discard_points"]][:, 0] == 10
        dear_drawn = observation[:, GAME.table["drawn_points"]][:, 0] == 10
        takes, puts = (actions >= 6) & (actions < 12), (actions >= 13) & (actions < 19)
        for index in np.flatnonzero(dear & takes | dear_drawn & puts).tolist():
            check_swap(engine.position(index), int(actions[index]))
            tried += 1
        engine.step(actions[:, None])
        if engine.done().any():
            engine.restart(engine.done())
    assert tried > 500


def check_swap(place: Json, action: int) -> bool:
    """Whether a 10 could go anywhere; it does not replace a card that is worth keeping."""
    taking, putting = 6 <= action < 12, 13 <= action < 19
    if not (taking or putting):
        return place["phase"] == "drawn" and action == DISCARD and value(place["drawn"]) == 10
    card = place["discard_pile"][0] if taking else place["drawn"]
    slot, seat = (action - 6 if taking else action - 13), place["to_act"]
    hand, up = place["hands"][seat], place["face_up"][seat]
    if value(card) == 10 and up[slot] and not all(up):
        old, beside = hand[slot], hand[slot ^ 1]
        assert value(old) > 0
        assert not (up[slot ^ 1] and old[:-1] == beside[:-1])
    return False


# --- Strength -------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 4, 8])
def test_careful_beats_random_clearly(players: int) -> None:
    careful, others = load_opponent("careful", "sixes_golf"), load_opponent("random", "sixes_golf")
    result = play_field(
        "sixes_golf", [careful, *[others] * (players - 1)], deals=60, num_rounds=2, seed=3
    )
    assert result.difference(0, 1).high < -15
    assert result.win_share(0).low > 1.5 / players


def test_monte_carlo_beats_random() -> None:
    one, others = load_opponent("mc:10", "sixes_golf"), load_opponent("random", "sixes_golf")
    result = play_field("sixes_golf", [one, others, others], deals=20, num_rounds=1, seed=3)
    assert result.difference(0, 1).high < -10


# --- Monte Carlo ----------------------------------------------------------------------------------


def test_values_of_a_decided_round() -> None:
    """In the very last turn, an action is worth minus the points that it leaves."""
    place = position(
        rules(2), ["2C 2D 5C 5D KC (QD)", "3C 3D 4C 4D 6C 6D"], "KS", dealer=0, to_act=0,
        went_out=1, last_turns=1, turns=3,
    )  # fmt: skip
    monte_carlo: Any = load_opponent("mc:50", "sixes_golf")
    values = monte_carlo.action_values(*decision(place, 0), np.array([1], np.uint64))[0]
    assert values[6 + 5] == 0  # KS beside KC
    assert values[6] == pytest.approx(values[7]) and values[6] < -12
    assert values[5] == pytest.approx(values[4 + 2] + 12, abs=12)
    assert choice(place, "mc:50") == "take the discard into slot 5"


def test_the_practice_round_is_played_like_any_other() -> None:
    setup = rules(2, practice_round=True)
    hands = ["2C 2D 5C 5D KC (QD)", "3C 3D 4C 4D 6C 6D"]
    ends: Json = {"went_out": 1, "last_turns": 1, "turns": 3, "round": 0}
    place = position(setup, hands, "KS", dealer=0, to_act=0, **ends)
    assert choice(place, "mc:20") == "take the discard into slot 5"


def test_contradictory_observations_are_refused() -> None:
    table_ = GAME.table
    place = position_in("turn", refilled=True)
    observation, mask = decision(place, place["to_act"])
    mask[:] = 1  # so that there is something to try
    monte_carlo, rng = load_opponent("mc:1", "sixes_golf"), np.random.default_rng(0)
    spoilers: list[tuple[str, int, int]] = [
        ("phase", 4, 1),
        ("draw_pile", 0, 3),
        ("to_act", 0, 7),
        ("dealer", 0, 5),
        ("knocker", 0, 2),
        ("last_turns", 0, 1),
        ("drawn", 0, 5),
        ("refilled", 0, 0),
        ("num_players", 0, 5),
    ]
    for name, column, wrong_value in spoilers:
        wrong = observation.copy()
        wrong[0, table_.start(name) + column] = wrong_value
        with pytest.raises(OpponentError, match="contradicts itself"):
            monte_carlo.act(wrong, mask, rng)


def test_random_columns_end_every_playout() -> None:
    """Columns within their bounds, but without sense: refused, and never played for ever."""
    monte_carlo, rng = load_opponent("mc:1", "sixes_golf"), np.random.default_rng(1)
    low, high = GAME.table.low, GAME.table.high.astype(np.int64) + 1
    for row in rng.integers(low, high, (200, GAME.table.size)).astype(np.int16):
        with pytest.raises(OpponentError, match="contradicts itself"):
            monte_carlo.act(row[None], np.ones((1, 23), np.int8), rng)


@pytest.mark.parametrize("phase", ["reveal", "turn", "drawn", "knock"])
def test_a_spoilt_column_never_makes_a_playout_endless(phase: str) -> None:
    """One column changed at a time: an answer or an error, and both soon."""
    place, rng = position_in(phase), np.random.default_rng(2)
    observation, _ = decision(place, place["to_act"])
    monte_carlo, table_ = load_opponent("mc:1", "sixes_golf"), GAME.table
    answers = 0
    for _ in range(400):
        column = int(rng.integers(table_.size))
        wrong = observation.copy()
        wrong[0, column] = rng.integers(table_.low[column], int(table_.high[column]) + 1)
        try:
            monte_carlo.act(wrong, decision(place, place["to_act"])[1], rng)
            answers += 1
        except OpponentError:
            pass
    assert 0 < answers < 400
