"""What a seat of a rows game sees: all that it may know, nothing hidden, and exactly so."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixth_env.engine import Engine
from sixth_env.errors import ConfigError, PositionError
from sixth_env.games import GAMES
from sixth_env.games.cards import card_name
from sixth_env.notation import describe, determinize, encode, view_of
from tests.cases_rows_build import rules
from tests.rows_play import (
    TABLES,
    Json,
    engine_of,
    look,
    name_of,
    positions,
    reshuffle_hidden,
    rotate,
    walk,
)
from tests.slow_rows import slow_view

each_table = pytest.mark.parametrize("setup", TABLES, ids=name_of)


def at(position: Json, seed: int = 0) -> Engine:
    """An engine that stands at a position."""
    engine = engine_of(position["rules"], seed)
    engine.set_position(position)
    return engine


def seen_by(engine: Engine, player: int) -> tuple[bytes, bytes, str]:
    """Everything that one seat is told, as bytes."""
    observation, mask = look(engine)
    view = json.dumps(engine.view(0, player))
    return observation[0, player].tobytes(), mask[0, player].tobytes(), view


# --- Nothing hidden -------------------------------------------------------------------------------


@each_table
def test_hidden_cards_change_nothing_that_a_seat_is_told(setup: Json) -> None:
    rng, phases, changed = random.Random(1), Counter[str](), 0
    for position in positions(setup, seed=1, steps=40):
        player = rng.randrange(position["players"])
        other = reshuffle_hidden(position, player, rng)
        changed += other != position
        assert seen_by(at(position), player) == seen_by(at(other), player)
        dealt = [
            GAMES[setup["game"]].notation.event_view(deal(p), player) for p in (position, other)
        ]
        assert json.dumps(dealt[0]) == json.dumps(dealt[1])
        phases[position["phase"]] += 1
    assert changed > 20
    assert phases["card"] and (phases["row"] or setup["row_choice"] == "cheapest")


def deal(position: Json) -> Json:
    fields = {name: position[name] for name in ("round", "dealer", "rows", "hands")}
    return {"type": "deal", **fields}


@each_table
def test_what_happens_tells_nothing_of_the_cards_still_hidden(setup: Json) -> None:
    """The same actions from both positions: the same events, and the same sights afterwards."""
    rng, game = random.Random(2), GAMES[setup["game"]]
    for position in positions(setup, seed=2, steps=25):
        if position["phase"] == "over":
            continue
        player = rng.randrange(position["players"])
        one = at(position)
        actions = one.sample_actions(5)
        played: dict[int, Any] = {}
        if position["phase"] == "card":
            names = [game.action_name(int(action))[5:] for action in actions[0]]
            cards = [int(n) if n.isdigit() else n for n in names]
            played = {seat: card for seat, card in enumerate(cards) if seat != player}
        two, told = at(reshuffle_hidden(position, player, rng, kept=played)), []
        for engine in (one, two):
            log = engine.new_log()
            reward = engine.step(actions, log=log).reward.tolist()
            events = [game.notation.event_view(e, player) for e in engine.events(log)]
            told.append((reward, json.dumps(events), seen_by(engine, player)))
        assert told[0] == told[1]


def test_a_committed_card_of_another_seat_is_only_counted() -> None:
    position = next(positions(rules(players=3), seed=4, steps=1))
    hands = position["hands"]
    views = []
    for card in hands[1][:2]:
        chosen = [None, card, hands[2][0]]
        views.append(json.dumps(view_of({**position, "chosen": chosen}, 0)))
    assert views[0] == views[1]
    view = json.loads(views[0])
    assert view["chosen"] == [None, 1, 1]
    assert [entry["name"] for entry in view["legal"]] == [f"play {card}" for card in hands[0]]
    own = view_of({**position, "chosen": [hands[0][3], None, None]}, 0)
    assert own["chosen"] == [hands[0][3], 0, 0]
    assert own["legal"] == [{"action": 56, "name": "wait"}]


# --- Exactly what may be known --------------------------------------------------------------------


@each_table
def test_columns_stay_within_their_bounds(setup: Json) -> None:
    engine = engine_of(setup, seed=9)
    table = engine.game.table
    for _ in walk(engine, seed=9, steps=120):
        columns, mask = look(engine)
        assert (columns >= table.low).all() and (columns <= table.high).all()
        assert np.array_equal(table.to_int(table.to_float(columns)), columns)
        assert (mask.sum(axis=-1) > 0).all()


@pytest.mark.parametrize("game", ["sixth_card", "six_nimmt"])
def test_scaled_columns_are_exact_over_their_whole_range(game: str) -> None:
    for block in GAMES[game].table.blocks:
        values = np.arange(block.low, block.high + 1, dtype=np.int16)
        scaled = values.astype(np.float32) * np.float32(block.scale)
        assert np.array_equal(np.rint(scaled / np.float32(block.scale)).astype(np.int16), values)
        assert block.name == "totals" or np.abs(scaled).max() < 100


@each_table
def test_description_is_the_view_from_the_observers_chair(setup: Json) -> None:
    engine = engine_of(setup, seed=5)
    for step in walk(engine, seed=5, steps=30):
        columns, mask = look(engine)
        player = step % engine.num_players
        view = engine.view(0, player)
        known = slow_view(engine.position(), player)
        assert view == known
        assert describe(setup["game"], columns[0, player]) == rotate(view)
        if step % 5 == 0:
            scaled = engine.game.table.to_float(columns[0, player])
            assert describe(setup["game"], scaled) == rotate(view)
            again, legal = encode(view)
            assert again.tobytes() == columns[0, player].tobytes()
            assert legal.tobytes() == mask[0, player].tobytes()


def test_columns_of_a_worked_position() -> None:
    """Each block, read off a position by hand.

    On turn 1, seat 0 played AH, too low for AS 2C 2D 2S, and took the 2C; seat 1 laid 2H on 2D.
    Now both have revealed an AC, and seat 1, on the dealer's left, has to choose a row.
    """
    setup = rules(players=2, decks=2, cards=8, hand_size=3, num_rounds=3, target_score=None)
    fields = {
        **{"game": "sixth_card", "players": 2, "decks": 2, "dealer": 0, "round": 2, "turn": 2},
        **{"phase": "row", "hands": [["AD"], ["2S"]], "totals": [4, 2], "chosen": [None, None]},
        **{"rows": [["AS"], ["AH"], ["2D", "2H"], ["2S"]], "piles": [["2C"], []]},
        **{"revealed": [{"player": 1, "card": "AC"}, {"player": 0, "card": "AC"}]},
        **{"played": [["AH", "AC"], ["2H", "AC"]], "rules": setup},
        **{"stock": ["AD", "AH", "AS", "2C", "2D", "2H"]},
    }
    engine = at(fields)
    seats = look(engine)[0][0]

    def block(name: str, seat: int = 0, size: int = 8) -> list[int]:
        return [int(value) for value in seats[seat, engine.game.table[name]]][:size]

    shape = ("num_players", "decks", "cards", "hand_size", "num_rows", "row_length", "cheapest")
    assert [block(name)[0] for name in shape] == [2, 2, 8, 3, 4, 5, 0]
    time = ("target_score", "rounds_left", "round", "turn", "phase", "dealer")
    assert [block(name)[0] for name in time] == [0, 2, 2, 2, 1, 0]
    assert (block("row_sizes"), block("row_points")) == ([1, 1, 2, 1], [1, 1, 2, 1])
    assert block("row_cards", size=12) == [4, 0, 0, 0, 0, 3, 0, 0, 0, 0, 6, 7]
    assert (block("revealed_cards", size=3), block("revealed_seats", size=3)) == (
        [1, 1, 0],
        [2, 1, 0],
    )
    assert block("fit_free") == [0, 0, 4, 4, 4, 4, 3, 4]
    assert block("fit_points") == [1, 1, 1, 1, 1, 1, 2, 1]
    assert (block("points", size=2), block("totals", size=2)) == ([1, 0], [4, 2])
    assert block("played", size=12) == [3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 7, 1]
    assert block("hand") == [0, 1, 0, 0, 0, 0, 0, 0]
    assert block("unseen") == [0, 1, 1, 1, 1, 1, 1, 1]
    assert block("fit_between") == [0, 0, 0, 0, 1, 2, 0, 0]
    assert block("taken") == [0, 0, 0, 0, 1, 0, 0, 0]
    planes = ("hand", "unseen", "taken", "fit_free", "fit_points", "fit_between")
    assert all(block(name, size=52)[8:] == [0] * 44 for name in planes)
    # The same from the other chair.
    assert (block("dealer", 1), block("revealed_seats", 1, 3)) == ([1], [1, 2, 0])
    assert (block("points", 1, 2), block("totals", 1, 2)) == ([0, 1], [2, 4])
    assert block("taken", 1) == [0, 0, 0, 0, 2, 0, 0, 0]
    assert (block("hand", 1), block("unseen", 1)) == (
        [0, 0, 0, 0, 0, 0, 0, 1],
        [0, 2, 1, 1, 1, 1, 1, 0],
    )


# --- Sampled worlds -------------------------------------------------------------------------------


def worlds(game: str, columns: NDArray[np.int16], keys: range, dirt: int = 0) -> list[Json]:
    """Positions sampled from one observation, in records that are full of other things before."""
    description = describe(game, columns)
    config = {name: value for name, value in description["rules"].items() if name != "game"}
    of = GAMES[game]
    rule_set = of.make_rules(config)
    record, found = of.rules_record(rule_set).copy(), []
    state = np.zeros(1, of.state)
    state.view(np.uint8)[:] = dirt
    for key in keys:
        with np.errstate(over="ignore"):
            of.kernels.determinize(columns, np.uint64(key), record, state[0])
        found.append(of.notation.position(rule_set, state[0]))
    return found


@each_table
def test_a_sampled_world_looks_the_same(setup: Json) -> None:
    engine = engine_of(setup, seed=12)
    for step in walk(engine, seed=12, steps=20):
        player = step % engine.num_players
        columns = look(engine)[0][0, player]
        world = worlds(setup["game"], columns, range(step, step + 1))[0]
        assert look(at(world))[0][0, 0].tobytes() == columns.tobytes()
        assert worlds(setup["game"], columns, range(step, step + 1), dirt=255) == [world]


@each_table
def test_the_public_determinize_depends_on_observation_and_seed_alone(setup: Json) -> None:
    engine = engine_of(setup, seed=5)
    columns = look(engine)[0][0, 1]
    first = determinize(setup["game"], columns, 3)
    scaled = engine.game.table.to_float(columns)
    assert determinize(setup["game"], scaled, 3) == first
    assert look(at(first))[0][0, 0].tobytes() == columns.tobytes()
    with pytest.raises(ConfigError, match="seed"):
        determinize(setup["game"], columns, -1)


# Unseen cards: four in two places, five in three, eight with twins among them; and in mid-round.
SMALL = [
    (rules(players=2, cards=8, hand_size=2, rows=2), 0),
    (rules(players=3, cards=9, hand_size=2, rows=2), 0),
    (rules(players=2, decks=2, cards=5, hand_size=3, rows=1), 0),
    (rules(players=2, cards=10, hand_size=3, rows=2), 1),
]


@pytest.mark.parametrize(("setup", "steps"), SMALL)
def test_sampled_hands_are_uniform(setup: Json, steps: int) -> None:
    """Hands occur as often as there are ways to deal them; 3000 samples, a chi-square at 1/1000."""
    engine = engine_of(setup, seed=1)
    for step in range(steps):
        engine.step(engine.sample_actions(step))
    columns = look(engine)[0][0, 0]
    unseen = columns[engine.game.table["unseen"]].tolist()
    sampled = Counter(
        tuple(tuple(hand) for hand in world["hands"][1:])
        for world in worlds(setup["game"], columns, range(3000))
    )
    held = setup["hand_size"] - steps
    ways = {
        tuple(tuple(card_name(setup["game"], card) for card in hand) for hand in hands): count
        for hands, count in deals(unseen, setup["num_players"] - 1, held)
    }
    expected = {hands: 3000 * count / sum(ways.values()) for hands, count in ways.items()}
    assert set(sampled) <= set(expected)
    chi = sum((sampled[hands] - mean) ** 2 / mean for hands, mean in expected.items())
    freedom = len(expected) - 1
    assert chi < freedom + 3.1 * (2 * freedom) ** 0.5 + 5  # beyond the 0.999 quantile


def deals(unseen: list[int], seats: int, held: int) -> list[tuple[tuple[Any, ...], int]]:
    """Every way to give ``held`` unseen cards to each seat, and in how many ways it comes about."""
    if seats == 0:
        return [((), 1)]
    deck = [card for card, copies in enumerate(unseen) for _ in range(copies)]
    found = []
    for hand in sorted(set(combinations(deck, held))):
        taken = Counter(hand)
        ways = int(np.prod([comb(unseen[card], count) for card, count in taken.items()]))
        left = [copies - taken[card] for card, copies in enumerate(unseen)]
        found += [((hand, *rest), ways * more) for rest, more in deals(left, seats - 1, held)]
    return found


# --- Observations that nobody can have ------------------------------------------------------------


def observation_of(setup: Json) -> NDArray[np.int16]:
    engine = engine_of(setup, seed=1)
    engine.step(engine.sample_actions(0))
    columns: NDArray[np.int16] = look(engine)[0][0, 0]
    return columns


# Other values of these make the observation of another match.
FREE = {"row_length", "cheapest", "target_score", "round", "dealer", "totals", "played"}
BOUND = [name for name in GAMES["sixth_card"].table.names if name not in FREE]


@pytest.mark.parametrize("name", BOUND)
def test_a_block_that_contradicts_the_others_is_refused(name: str) -> None:
    columns, table = observation_of(rules(players=3)), GAMES["sixth_card"].table
    for change in (1, -1, 3):
        for place in range(table.block(name).size)[:: max(table.block(name).size // 4, 1)]:
            spoiled = columns.copy()
            spoiled[table.start(name) + place] += change
            with pytest.raises(PositionError, match="observation"):
                describe("sixth_card", spoiled)


@pytest.mark.parametrize(
    "observation",
    [
        np.zeros(3, np.int16),
        np.zeros((1, GAMES["sixth_card"].observation_size), np.int16),
        np.zeros(GAMES["sixth_card"].observation_size, np.int16),
        np.full(GAMES["sixth_card"].observation_size, np.nan, np.float32),
        np.full(GAMES["sixth_card"].observation_size, 1e30, np.float32),
        np.full(GAMES["sixth_card"].observation_size, True),
        np.array(["x"]),
        None,
    ],
)
def test_malformed_observations_are_refused(observation: Any) -> None:
    with pytest.raises(PositionError, match="observation"):
        describe("sixth_card", observation)


def test_random_columns_are_refused() -> None:
    table, rng = GAMES["sixth_card"].table, np.random.default_rng(1)
    for _ in range(50):
        columns = rng.integers(table.low, table.high.astype(np.int64) + 1).astype(np.int16)
        with pytest.raises(PositionError, match="observation"):
            describe("sixth_card", columns)
