"""What a seat of the golf game sees: all that it may know, nothing hidden, and exactly so."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixth_env.engine import Engine
from sixth_env.errors import PositionError
from sixth_env.games import GAMES
from sixth_env.notation import describe, encode, view_of
from tests.cases_golf_build import position, rules
from tests.golf_play import (
    TABLES,
    Json,
    engine_at,
    engine_of,
    face_down,
    hidden_places,
    name_of,
    position_in,
    positions,
    reshuffle_hidden,
    rotate,
)
from tests.slow_golf import deck, pair_score, slow_event, slow_view
from tests.slow_golf_check import CARDS, DISCARD, DRAW, RANKS, in_order, rank, value

GAME = GAMES["sixes_golf"]
TABLE = GAME.table
PHASES = ("reveal", "turn", "drawn", "knock", "over")
each_table = pytest.mark.parametrize("setup", TABLES, ids=name_of)
Columns = NDArray[np.int16]

# Positions in every phase, before and after a refill.
SCENES = [
    position_in("reveal"),
    *[position_in(phase, again) for phase in ("turn", "drawn", "knock") for again in (False, True)],
]
each_scene = pytest.mark.parametrize(
    "scene", SCENES, ids=[f"{p['phase']}-{'refilled' if p['refilled'] else ''}" for p in SCENES]
)


def sight(engine: Engine, player: int) -> tuple[Columns, NDArray[np.int8]]:
    """What one seat sees, (D,), and may do, (A,), whoever is to act."""
    return GAME.notation.look(engine.rules, engine.states[0], player)


def seen_at(place: Json, player: int) -> Columns:
    return sight(engine_at(place), player)[0]


def seen_by(engine: Engine, player: int) -> tuple[bytes, bytes, str]:
    """Everything that one seat is told, as bytes."""
    columns, mask = sight(engine, player)
    return columns.tobytes(), mask.tobytes(), json.dumps(engine.view(0, player))


# --- Nothing hidden -------------------------------------------------------------------------------


@each_scene
def test_nothing_that_a_seat_cannot_know_changes_what_it_is_told(scene: Json) -> None:
    rng = random.Random(1)
    for player in range(scene["players"]):
        told = seen_by(engine_at(scene), player)
        for _ in range(5):
            other = reshuffle_hidden(scene, player, rng)
            assert other != scene
            assert seen_by(engine_at(other), player) == told


@each_scene
def test_hidden_cards_are_dealt_anew_in_every_place(scene: Json) -> None:
    """So that the test above says something: every hidden place gets other cards."""
    for player in range(scene["players"]):
        others = [reshuffle_hidden(scene, player, random.Random(n)) for n in range(20)]
        for field, seat, slot in hidden_places(scene, player)[::7] + face_down(scene):
            cards = {
                other["drawn"]
                if field == "drawn"
                else other[field][seat][slot]
                if field == "hands"
                else other[field][seat]
                for other in others
            }
            assert len(cards) > 2


def test_only_the_drawer_sees_the_drawn_card_until_it_lies_face_up() -> None:
    scene = position_in("turn")
    engine, drawer = engine_at(scene), scene["to_act"]
    log = engine.new_log()
    engine.step([[DRAW]], log=log)
    drawn = engine.position()["drawn"]
    (event,) = engine.events(log)
    for player in range(3):
        column = sight(engine, player)[0][TABLE["drawn"]][0]
        view = engine.view(0, player)
        known = player == drawer
        assert column == (CARDS.index(drawn) + 1 if known else 0)
        assert view["drawn"] == (drawn if known else "hidden")
        told = GAME.notation.event_view(event, player)
        assert told == {**event, "card": drawn if known else "hidden"}
        assert (told["card"] == "hidden") == (slow_event(event, player)["card"] is None)
        assert sight(engine, player)[0][TABLE["phase"]].tolist() == [0, 0, 1, 0, 0]
    engine.step([[DISCARD]])
    for player in range(3):
        assert sight(engine, player)[0][TABLE["discard"]] == CARDS.index(drawn) + 1


def test_a_deal_tells_nobody_any_card_but_the_first_discard() -> None:
    engine = engine_of(rules(3))
    log = engine.new_log()
    engine.reset(1, log=log)
    (event,) = engine.events(log)
    assert event["hands"] == engine.position()["hands"]
    for player in range(3):
        told = GAME.notation.event_view(event, player)
        assert told == {**event, "hands": [[None] * 6] * 3}
    assert event["discard"] == engine.position()["discard_pile"][0]


@each_table
def test_views_are_those_of_the_slow_rules(setup: Json) -> None:
    for number, place in enumerate(positions(setup, seed=1, steps=120)):
        player = number % setup["num_players"]
        assert view_of(place, player) == slow_view(place, player)


# --- What the columns say -------------------------------------------------------------------------


def code(card: str | None) -> int:
    return 0 if card is None else CARDS.index(card) + 1


def by_seat(values: list[Any], player: int) -> list[Any]:
    """Values from the observer's seat on."""
    return [*values[player:], *values[:player]]


def padded(values: list[int], size: int) -> list[int]:
    return [*values, *[0] * (size - len(values))]


def counts(cards: list[str], names: list[str]) -> list[int]:
    found = Counter(cards)
    return [found[name] for name in names]


def by_rank(cards: list[str]) -> list[int]:
    return counts([rank(card) for card in cards], [*RANKS, "joker"])


def pools(view: Json) -> tuple[list[str], list[str]]:
    """The cards that may be drawn, and that may lie face down, as a view's player knows them."""
    unseen = Counter(deck(view["players"]))
    unseen.subtract(view["discard_pile"])
    unseen.subtract(card for hand in view["hands"] for card in hand if card is not None)
    if view["drawn"] not in (None, "hidden"):
        unseen.subtract([view["drawn"]])
    if not view["refilled"]:
        return list(unseen.elements()), list(unseen.elements())
    unseen.subtract(view["draw_known"])
    return view["draw_known"], list(unseen.elements())


def expected_columns(view: Json) -> dict[str, list[int]]:
    """All blocks that hold facts, read off a view; the expected points are tested below."""
    player, players, setup = view["player"], view["players"], view["rules"]
    hands = by_seat(view["hands"], player)
    slots = [card for hand in hands for card in hand]
    drawn = view["drawn"] if view["drawn"] != "hidden" else None
    over, capped = view["phase"] == "over", view["last_turns"] != 0
    phase = "turn" if over and capped else view["phase"]
    to_act = (view["to_act"] + over) % players
    pile, hidden = pools(view)

    def seat(name: str) -> list[int]:
        other = view[name]
        return [0 if other is None else (other - player) % players + 1]

    return {
        "num_players": [players],
        "practice_round": [int(setup["practice_round"])],
        "round": [view["round"]],
        "rounds_left": [setup["num_rounds"] - max(view["round"], 1) + 1],
        "max_turns": [setup["max_turns"]],
        "turns_left": [setup["max_turns"] - view["turns"]],
        "phase": [int(phase == name) for name in PHASES],
        "last_turns": [view["last_turns"] or 0],
        "refilled": [int(view["refilled"])],
        "draw_pile": [view["draw_pile"]],
        "discard": [code(view["discard_pile"][0])],
        "discard_points": [value(view["discard_pile"][0])],
        "discarded": counts(view["discard_pile"], CARDS),
        "dealer": [(view["dealer"] - player) % players],
        "to_act": [(to_act - player) % players],
        "knocker": seat("knocker"),
        "went_out": seat("went_out"),
        "drawn": [code(drawn)],
        "drawn_points": [0 if drawn is None else value(drawn)],
        "totals": padded(by_seat(view["totals"], player), 8),
        "slots": padded([code(card) for card in slots], 48),
        "face_down": padded([int(card is None) for card in slots], 48),
        "slot_points": padded([0 if card is None else value(card) for card in slots], 48),
        "draw_ranks": by_rank(pile),
        "hidden_ranks": by_rank(hidden),
        "draw_known": counts(view.get("draw_known", []), CARDS),
        "mates": [mates(hands[0][slot ^ 1], pile) for slot in range(6)],
    }


def mates(beside: str | None, pile: list[str]) -> int:
    """How many cards of a pile cancel a card."""
    if beside is None or value(beside) < 0:
        return 0
    return sum(rank(card) == rank(beside) for card in pile)


MEANS = {"hand_mean", "take", "put", "draw_mean", "hidden_mean"}


def check_columns(place: Json, player: int) -> None:
    view, columns = view_of(place, player), seen_at(place, player)
    expected = expected_columns(view)
    assert set(expected) | MEANS == set(TABLE.names)
    for name, values in expected.items():
        assert columns[TABLE[name]].tolist() == values, name
    assert (columns >= TABLE.low).all() and (columns <= TABLE.high).all()


@each_table
def test_every_column_says_what_the_table_says(setup: Json) -> None:
    for number, place in enumerate(positions(setup, seed=4, steps=150)):
        check_columns(place, number % setup["num_players"])


@each_scene
def test_every_column_in_every_phase(scene: Json) -> None:
    for player in range(scene["players"]):
        check_columns(scene, player)


def pair_mean(one: str | None, two: str | None, hidden: list[str]) -> Fraction:
    """Expected points of two cards side by side, None face down: the mean over all ways."""
    if one is not None and two is not None:
        return Fraction(pair_score(one, two))
    if one is None and two is None:
        ways = [pair_score(a, b) for a, b in permutations(hidden, 2)]
    else:
        known = one if one is not None else two
        assert known is not None
        ways = [pair_score(known, card) for card in hidden]
    return Fraction(sum(ways), len(ways))


def hand_mean(hand: list[str | None], hidden: list[str]) -> Fraction:
    return sum((pair_mean(hand[i], hand[i + 1], hidden) for i in (0, 2, 4)), Fraction(0))


def check_means(place: Json, player: int) -> None:
    """Expected points, in hundredths: exact, but for the rounding."""
    view, columns = view_of(place, player), seen_at(place, player)
    pile, hidden = pools(view)
    hands = by_seat(view["hands"], player)
    means = {
        "draw_mean": [mean_value(pile)],
        "hidden_mean": [mean_value(hidden)],
        "hand_mean": [hand_mean(hand, hidden) for hand in hands],
    }
    top, drawn = view["discard_pile"][0], view["drawn"]
    for name, card in (("take", top), ("put", None if drawn == "hidden" else drawn)):
        means[name] = [swap_change(hands[0], slot, card, hidden) for slot in range(6)]
    for name, values in means.items():
        found = columns[TABLE[name]].tolist()
        assert found[: len(values)] == pytest.approx([100 * float(v) for v in values], abs=0.501)
        assert not any(found[len(values) :])


def mean_value(cards: list[str]) -> Fraction:
    return Fraction(sum(map(value, cards)), max(len(cards), 1))


def swap_change(hand: list[str | None], slot: int, card: str | None, hidden: list[str]) -> Fraction:
    if card is None:
        return Fraction(0)
    after = [*hand]
    after[slot] = card
    return hand_mean(after, hidden) - hand_mean(hand, hidden)


@each_scene
def test_expected_points_in_every_phase(scene: Json) -> None:
    for player in range(scene["players"]):
        check_means(scene, player)


@pytest.mark.parametrize("setup", TABLES[::3], ids=name_of)
def test_expected_points(setup: Json) -> None:
    for number, place in enumerate(positions(setup, seed=8, steps=60)):
        if number % 5 == 0:
            check_means(place, number % setup["num_players"])


def test_the_lowest_and_the_highest_hand() -> None:
    low, high = "joker joker joker joker AC AD", "JC QC KC JD QD KD"
    others = ["2C (3C) 4C (5C) 6C (7C)", "2D (3D) 4D (5D) 6D (7D)", "2H 3H (4H) 5H 6H 7H"]
    ends: Json = {"went_out": 3, "last_turns": 2, "dealer": 0, "to_act": 1}
    place = position(rules(5), [low, *others[:2], high, others[2]], "10S", **ends)
    assert seen_at(place, 0)[TABLE["hand_mean"]].tolist()[::3] == [-1000, 6000, 0]
    assert seen_at(place, 0)[TABLE["take"]].tolist() == [200] * 4 + [100] * 2
    assert seen_at(place, 3)[TABLE["take"]].tolist() == [0] * 6


# --- From observations back -----------------------------------------------------------------------


@each_table
def test_observations_of_views_and_views_of_observations(setup: Json) -> None:
    for number, place in enumerate(positions(setup, seed=2, steps=100)):
        player = number % setup["num_players"]
        view, (columns, mask) = view_of(place, player), sight(engine_at(place), player)
        again, legal = encode(view)
        assert np.array_equal(again, columns) and np.array_equal(legal, mask)
        if number % 3 == 0:
            told = describe("sixes_golf", columns)
            assert told == rotate(view)
            assert describe("sixes_golf", TABLE.to_float(columns)) == told


@each_scene
def test_worlds_agree_with_the_observation(scene: Json) -> None:
    for player in range(scene["players"]):
        columns, _ = sight(engine_at(scene), player)
        for key in range(20):
            world, engine = sample(columns, key)
            assert np.array_equal(sight(engine, 0)[0], columns)
            assert engine.position() == world


def sample(columns: Columns, key: int) -> tuple[Json, Engine]:
    """A sampled world as a position that is checked, and an engine that stands there."""
    state = np.zeros(1, GAME.state)[0]
    view = describe("sixes_golf", columns)
    record = GAME.rules_record(GAME.rules()).copy()
    with np.errstate(over="ignore"):
        GAME.kernels.determinize(columns, np.uint64(key), record, state)
    rule_set = GAME.make_rules({n: v for n, v in view["rules"].items() if n != "game"})
    world = GAME.notation.position(rule_set, state)
    return world, engine_at(world)


@each_scene
def test_worlds_are_uniform(scene: Json) -> None:
    """Every hidden place holds every card that may lie there equally often."""
    player = (scene["to_act"] + 1) % scene["players"]
    columns, _ = sight(engine_at(scene), player)
    pile, hidden = pools(view_of(scene, player))
    worlds = sample_many(columns, 800)
    place = next(i for i, code in enumerate(columns[TABLE["slots"]][:18]) if code == 0)
    check_uniform(worlds["hands"].reshape(800, -1)[:, place], hidden)
    size = int(columns[TABLE["draw_pile"]][0])
    check_uniform(worlds["draw_pile"][:, size - 1], pile)
    check_uniform(worlds["draw_pile"][:, 0], pile)
    if scene["phase"] == "drawn":
        check_uniform(worlds["drawn"], pile)


def sample_many(columns: Columns, number: int) -> NDArray[Any]:
    worlds = np.zeros(number, GAME.state)
    record = GAME.rules_record(GAME.rules()).copy()
    keys = np.random.default_rng(5).integers(0, 2**64, number, np.uint64)
    with np.errstate(over="ignore"):
        for world, key in zip(worlds, keys, strict=True):
            GAME.kernels.determinize(columns, key, record, world)
    return worlds


def check_uniform(found: NDArray[Any], cards: list[str]) -> None:
    names = sorted(set(cards), key=CARDS.index)
    got = np.bincount(found, minlength=53)[[CARDS.index(name) for name in names]]
    assert got.sum() == len(found)
    expected = len(found) / len(cards) * np.array([cards.count(name) for name in names])
    statistic = (np.square(got - expected) / expected).sum()
    # Above its mean by 4.5 standard deviations in fewer than one of a thousand samples.
    freedom = len(names) - 1
    assert statistic < freedom + 4.5 * (2 * freedom) ** 0.5


@pytest.mark.parametrize(
    ("block", "shift", "message"),
    [
        ("draw_pile", 1, "do not go together"),
        ("discarded", 1, "do not go together"),
        ("discard", 1, "do not go together|contradict"),
        ("phase", 1, "out of bounds|do not go together"),
        ("slots", 1, "contradict|do not go together"),
        ("face_down", -1, "columns contradict the others: face_down|out of bounds"),
        ("hand_mean", 1, "columns contradict the others: hand_mean"),
        ("take", 1, "columns contradict the others: take"),
        ("hidden_ranks", 1, "columns contradict the others"),
        ("to_act", 7, "out of bounds|do not go together"),
        ("knocker", 2, "do not go together"),
        ("turns_left", 10000, "out of bounds"),
        ("num_players", 1, "do not go together|contradict"),
    ],
)
def test_observations_that_contradict_themselves_are_refused(
    block: str, shift: int, message: str
) -> None:
    columns, _ = sight(engine_at(position_in("turn")), 0)
    first = TABLE.start(block)
    if block == "discarded":
        first += int(np.argmin(columns[TABLE[block]]))
    columns[first] += shift
    with pytest.raises(PositionError, match=message):
        describe("sixes_golf", columns)


def test_a_refill_makes_the_pile_and_the_face_down_cards_known_as_sets() -> None:
    place = position_in("turn", refilled=True)
    pile, hidden = pools(view_of(place, 0))
    down = [place["hands"][seat][slot] for _, seat, slot in face_down(place)]
    assert in_order(pile) == in_order(place["draw_pile"])
    assert in_order(hidden) == in_order(down)
