"""What a seat of the chip game sees: all that it may know, nothing hidden, and exactly so."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixth_env.engine import Engine
from sixth_env.errors import PositionError
from sixth_env.games import GAMES
from sixth_env.notation import describe, encode, view_of
from tests.cases_chips_build import position, rules
from tests.chips_play import (
    TABLES,
    Json,
    engine_of,
    hidden_from,
    may_hold,
    name_of,
    position_with_passes,
    positions,
    reshuffle_hidden,
    rotate,
    walk,
)
from tests.slow_chips import DECK, PASS, slow_view
from tests.slow_chips_check import playable_cards

GAME = GAMES["sixes_chips"]
each_table = pytest.mark.parametrize("setup", TABLES, ids=name_of)


def at(place: Json, seed: int = 0) -> Engine:
    """An engine that stands at a position."""
    engine = engine_of(place["rules"], seed)
    engine.set_position(place)
    return engine


def sight(engine: Engine, player: int) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """What one seat sees, (D,), and may do, (A,), whoever is to act."""
    return GAME.notation.look(engine.rules, engine.states[0], player)


def seen_by(engine: Engine, player: int) -> tuple[bytes, bytes, str]:
    """Everything that one seat is told, as bytes."""
    columns, mask = sight(engine, player)
    return columns.tobytes(), mask.tobytes(), json.dumps(engine.view(0, player))


# --- Nothing hidden -------------------------------------------------------------------------------


@each_table
def test_hidden_cards_change_nothing_that_a_seat_is_told(setup: Json) -> None:
    rng, changed = random.Random(1), 0
    for place in positions(setup, seed=1, steps=60):
        player = rng.randrange(place["players"])
        other = reshuffle_hidden(place, player, rng)
        changed += other != place
        assert seen_by(at(place), player) == seen_by(at(other), player)
        told = [json.dumps(GAME.notation.event_view(deal(p), player)) for p in (place, other)]
        assert told[0] == told[1]
    assert changed > 20 or setup["num_players"] == 2


def deal(place: Json) -> Json:
    fields = {name: place[name] for name in ("round", "dealer", "starter", "hands")}
    return {"type": "deal", **fields}


@each_table
def test_what_happens_tells_nothing_of_the_cards_still_hidden(setup: Json) -> None:
    """The same action from both positions: the same events, and the same sights afterwards."""
    rng, compared = random.Random(2), 0
    for place in positions(setup, seed=2, steps=60):
        if place["phase"] == "over":
            continue
        one, player = at(place), rng.randrange(place["players"])
        action = int(one.sample_actions(5)[0, 0])
        mover = place["to_act"]
        known = place
        if action == PASS and mover != player:  # the other world must let that seat pass too
            lacks = [list(cards) for cards in place["lacks"]]
            lacks[mover] += playable_cards(place["columns"])
            known = {**place, "lacks": lacks}
        kept = None if action == PASS or mover == player else (mover, DECK[action])
        two = at({**reshuffle_hidden(known, player, rng, kept), "lacks": place["lacks"]})
        if len(place["hands"][mover]) == 1 and mover != player and action != PASS:
            continue  # the last card: hidden hands are dealt anew afterwards in any case
        told = []
        for engine in (one, two):
            log = engine.new_log()
            reward = engine.step([[action]], log=log).reward.tolist()
            events = [GAME.notation.event_view(e, player) for e in engine.events(log)]
            told.append((reward, json.dumps(events), seen_by(engine, player)))
        assert told[0] == told[1]
        compared += 1
    assert compared > 20


# --- Exactly what may be known --------------------------------------------------------------------


@each_table
def test_columns_stay_within_their_bounds(setup: Json) -> None:
    engine, table = engine_of(setup, seed=9), GAME.table
    for _ in walk(engine, seed=9, steps=100):
        for player in range(engine.num_players):
            columns, mask = sight(engine, player)
            assert (columns >= table.low).all() and (columns <= table.high).all()
            assert np.array_equal(table.to_int(table.to_float(columns)), columns)
            assert mask.sum() > 0


def test_columns_of_the_widest_match_stay_within_their_bounds() -> None:
    setup = rules(8, starting_chips=999, max_rounds=999, num_rounds=999)
    engine = engine_of(setup, seed=1)
    first = engine.position()
    engine.set_position({**first, "chips": [7992 - 7, *[1] * 7], "round": 999})
    columns = sight(engine, 0)[0]
    assert (columns <= GAME.table.high).all()
    assert columns[GAME.table.start("chips")] == 7985


def test_scaled_columns_are_exact_over_their_whole_range() -> None:
    for block in GAME.table.blocks:
        values = np.arange(block.low, block.high + 1, dtype=np.int16)
        scaled = values.astype(np.float32) * np.float32(block.scale)
        assert np.array_equal(np.rint(scaled / np.float32(block.scale)).astype(np.int16), values)


@each_table
def test_description_is_the_view_from_the_observers_chair(setup: Json) -> None:
    engine = engine_of(setup, seed=5)
    for step in walk(engine, seed=5, steps=80):
        player = step % engine.num_players
        columns, mask = sight(engine, player)
        view = engine.view(0, player)
        assert view == slow_view(engine.position(), player)
        assert view_of(engine.position(), player) == view
        if step % 4 == 0:
            assert describe("sixes_chips", columns) == rotate(view)
            assert describe("sixes_chips", GAME.table.to_float(columns)) == rotate(view)
            again, legal = encode(view)
            assert again.tobytes() == columns.tobytes()
            assert legal.tobytes() == mask.tobytes()


def test_columns_of_a_worked_position() -> None:
    """Each block, read off a position by hand.

    Seat 0 began; seat 1 passed when 6C 6H 6S 5D 7D could be played; then 7D and 6C were played,
    and seat 0 has passed.
    """
    place = position(
        rules(3, num_rounds=4, max_rounds=20),
        [
            "AC 2C 3C 4C AD 2D 3D 4D AH 2H 3H 4H",
            "7C JC QC KC JD QD KD 7H JH AS 2S 3S 4S",
            "5C 5D 5H 6H QH KH 5S 6S 7S JS QS KS",
        ],
        "C:6-6 D:6-7",
        lacks=["5C 7C 5D JD 6H 6S", "6C 5D 7D 6H 6S", ""],
        chips=[9, 11, 8],
        pot=2,
        dealer=2,
        starter=0,
        to_act=1,
        round=2,
    )
    engine, table = at(place), GAME.table

    def block(name: str, seat: int = 1, size: int = 8) -> list[int]:
        return [int(value) for value in sight(engine, seat)[0][table[name]]][:size]

    def plane(name: str, seat: int = 1, number: int = 0) -> list[str]:
        values = block(name, seat, 320)[40 * number : 40 * number + 40]
        return [card for card, value in zip(DECK, values, strict=True) if value]

    known = ("num_players", "starting_chips", "rounds_left", "cap_left", "round", "phase", "pot")
    assert [block(name)[0] for name in known] == [3, 10, 3, 19, 2, 0, 2]
    assert (block("column_low"), block("column_high")) == ([6, 6, 0, 0], [6, 7, 0, 0])
    assert plane("laid") == ["6C", "6D", "7D"]
    assert plane("playable") == ["5C", "7C", "5D", "JD", "6H", "6S"]
    assert [block(name)[0] for name in ("dealer", "starter", "to_act")] == [1, 2, 0]
    assert plane("hand") == place["hands"][1]
    # Own: 7C JC QC KC; JD QD KD (6D 7D lie); 7H JH; AS 2S 3S 4S. By suit, from ace to king:
    own, others = block("own_beyond", size=40), block("others_beyond", size=40)
    assert own[:10] == [0, 0, 0, 0, 0, 0, 6, 3, 1, 0]
    assert own[10:20] == [0, 0, 0, 0, 0, 0, 0, 3, 1, 0]
    assert own[20:30] == [0, 0, 0, 0, 0, 3, 1, 0, 0, 0]
    assert own[30:] == [0, 1, 3, 6, 10, 14, 0, 0, 0, 0]
    assert others[:10] == [0, 1, 2, 3, 4, 0, 0, 0, 0, 0]
    assert others[10:20] == [0, 1, 2, 3, 4, 0, 0, 0, 0, 0]
    assert others[20:30] == [0, 1, 2, 3, 4, 7, 2, 2, 1, 0]
    assert others[30:] == [0, 0, 0, 0, 0, 5, 3, 2, 1, 0]
    assert block("chips") == [11, 8, 9, 0, 0, 0, 0, 0]
    assert block("hand_sizes") == [13, 12, 12, 0, 0, 0, 0, 0]
    lacks = [plane("lacks", 1, number) for number in range(8)]
    assert lacks == [["6C", "5D", "7D", "6H", "6S"], [], place["lacks"][0], [], [], [], [], []]
    assert np.flatnonzero(sight(engine, 1)[1]).tolist() == [DECK.index("7C"), DECK.index("JD")]
    # The same from another chair.
    assert [block(name, 2)[0] for name in ("dealer", "starter", "to_act")] == [0, 1, 2]
    assert (block("chips", 2)[:3], block("hand_sizes", 2)[:3]) == ([8, 9, 11], [12, 12, 13])
    assert plane("hand", 2) == place["hands"][2]


# --- Sampled worlds -------------------------------------------------------------------------------


def worlds(columns: NDArray[np.int16], keys: range, dirt: int = 0) -> Iterator[Json]:
    """Positions sampled from one observation, in records that are full of other things before."""
    config = describe("sixes_chips", columns)["rules"]
    rule_set = GAME.make_rules({name: v for name, v in config.items() if name != "game"})
    record = GAME.rules_record(rule_set).copy()
    state = np.zeros(1, GAME.state)
    state.view(np.uint8)[:] = dirt
    for key in keys:
        with np.errstate(over="ignore"):
            assert GAME.kernels.determinize(columns, np.uint64(key), record, state[0])
        yield GAME.notation.position(rule_set, state[0])


@each_table
def test_a_sampled_world_looks_the_same(setup: Json) -> None:
    engine = engine_of(setup, seed=12)
    for step in walk(engine, seed=12, steps=60):
        player = step % engine.num_players
        columns, _ = sight(engine, player)
        world = next(worlds(columns, range(step, step + 1)))
        assert sight(at(world), 0)[0].tobytes() == columns.tobytes()
        assert list(worlds(columns, range(step, step + 1), dirt=255)) == [world]


def deals(place: Json, player: int, cards: list[str], hands: list[list[str]]) -> Iterator[Any]:
    """Every way to deal the unseen cards that agrees with the passes."""
    if not cards:
        yield tuple(tuple(hand) for hand in hands)
        return
    for seat, hand in enumerate(hands):
        free = len(hand) < len(place["hands"][seat]) and seat != player
        if free and may_hold(place, seat, cards[0]):
            more = [list(other) for other in hands]
            more[seat].append(cards[0])
            yield from deals(place, player, cards[1:], more)


@pytest.mark.parametrize(
    ("players", "hidden", "seed"), [(3, 6, 0), (4, 6, 1), (4, 7, 2), (5, 6, 3)]
)
def test_sampled_hands_are_uniform_over_all_that_agree_with_the_passes(
    players: int, hidden: int, seed: int
) -> None:
    """3000 samples, a chi-square at 1/1000."""
    place, player = position_with_passes(rules(players), hidden, seed)
    every = list(deals(place, player, hidden_from(place, player), [[] for _ in range(players)]))
    columns, _ = sight(at(place), player)
    sampled: Counter[Any] = Counter()
    for world in worlds(columns, range(3000)):
        turned = world["hands"][players - player :] + world["hands"][: players - player]
        turned[player] = []
        sampled[tuple(tuple(hand) for hand in turned)] += 1
    assert len(every) > 1 and set(sampled) <= set(every)
    mean = 3000 / len(every)
    chi = sum((sampled[hands] - mean) ** 2 / mean for hands in every)
    freedom = len(every) - 1
    assert chi < freedom + 3.1 * (2 * freedom) ** 0.5 + 5  # beyond the 0.999 quantile


def test_the_six_of_diamonds_is_with_the_starter_in_every_world() -> None:
    engine = engine_of(rules(5), seed=3)
    place = engine.position()
    player = (place["starter"] + 1) % 5
    columns, _ = sight(engine, player)
    for world in worlds(columns, range(50)):
        assert "6D" in world["hands"][world["starter"]]


# --- Observations that nobody can have ------------------------------------------------------------


def observation_of(setup: Json) -> NDArray[np.int16]:
    """What seat 0 sees when cards lie and somebody has passed."""
    for place in positions(setup, seed=1, steps=200):
        if place["pot"] > 1 and place["phase"] == "play":
            return sight(at(place), 0)[0]
    raise AssertionError("nobody has passed")


# Other values of these make the observation of another match, but for those out of bounds.
FREE = {"rounds_left", "cap_left", "round", "dealer", "starter", "to_act", "lacks"}
BOUND = [name for name in GAME.table.names if name not in FREE]


@pytest.mark.parametrize("name", BOUND)
def test_a_block_that_contradicts_the_others_is_refused(name: str) -> None:
    columns, table = observation_of(rules(3)), GAME.table
    for change in (1, -1, 3):
        for place in range(table.block(name).size)[:: max(table.block(name).size // 5, 1)]:
            spoiled = columns.copy()
            spoiled[table.start(name) + place] += change
            with pytest.raises(PositionError, match="observation"):
                describe("sixes_chips", spoiled)


@pytest.mark.parametrize(
    "observation",
    [
        np.zeros(3, np.int16),
        np.zeros((1, GAME.observation_size), np.int16),
        np.zeros(GAME.observation_size, np.int16),
        np.full(GAME.observation_size, np.nan, np.float32),
        np.full(GAME.observation_size, 1e30, np.float32),
        np.full(GAME.observation_size, True),
        np.array(["x"]),
        None,
    ],
)
def test_malformed_observations_are_refused(observation: Any) -> None:
    with pytest.raises(PositionError, match="observation"):
        describe("sixes_chips", observation)


def test_random_columns_are_refused() -> None:
    table, rng = GAME.table, np.random.default_rng(1)
    for _ in range(50):
        columns = rng.integers(table.low, table.high.astype(np.int64) + 1).astype(np.int16)
        with pytest.raises(PositionError, match="observation"):
            describe("sixes_chips", columns)
