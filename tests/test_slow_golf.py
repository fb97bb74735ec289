"""The slow rules of the golf game against hand-worked cases, and in random matches."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.cases_golf import CASES, HANDS, KNOCKS, PAIRS
from tests.cases_golf_build import (
    DISCARD,
    DRAW,
    END_TURN,
    KNOCK,
    Case,
    random_deal,
    rules,
)
from tests.slow_golf import (
    WAIT,
    SlowGolf,
    action_name,
    check_position,
    check_reachable,
    deck,
    hand_score,
    pair_score,
    round_points,
)
from tests.slow_turns import SlowResult

CASE_NAMES = [case["name"] for case in CASES]
Position = dict[str, Any]


def test_actions() -> None:
    names = {
        0: "turn up slot 0",
        11: "take the discard into slot 5",
        12: "draw",
        13: "put the drawn card into slot 0",
        19: "discard the drawn card",
        20: "knock",
        21: "end the turn without knocking",
        22: "wait",
    }
    assert {action: action_name(action) for action in names} == names


def test_decks() -> None:
    assert [len(deck(players)) for players in range(2, 9)] == [54, 54, 54, 108, 108, 108, 108]
    assert [deck(players).count("joker") for players in (4, 5)] == [2, 4]
    assert [deck(players).count("QS") for players in (4, 5)] == [1, 2]


@pytest.mark.parametrize(("pair", "score"), PAIRS)
def test_pairs(pair: str, score: int) -> None:
    one, two = pair.split()
    assert pair_score(one, two) == pair_score(two, one) == score


@pytest.mark.parametrize(("hand", "score"), HANDS)
def test_hands(hand: str, score: int) -> None:
    assert hand_score(hand.split()) == score


@pytest.mark.parametrize(("raw", "knocker", "points"), KNOCKS)
def test_knocks(raw: list[int], knocker: int | None, points: list[int]) -> None:
    assert round_points(raw, knocker) == points


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_case(case: Case) -> None:
    check_reachable(case["position"])
    table = SlowGolf(case["position"])
    for expected in case["steps"]:
        assert table.to_act == expected["player"]
        assert table.legal(expected["player"]) == set(expected["legal"])
        if "order" in expected:
            table.refill(expected["order"])
        result = table.step(expected["action"])
        assert result.events == expected["events"]
        assert result.gains == expected["gains"]
        assert result.rewards == pytest.approx(expected.get("rewards", expected["gains"]))
        assert table.phase == expected["phase"]
        assert result.truncated == expected["truncated"]
        assert result.match_over == (table.phase == "over" and not result.truncated)
        assert result.round_ended == (table.phase == "deal" or result.match_over)
        facts = expected["facts"]
        if table.phase == "deal" and facts:
            table.next_deal(random_deal(table.rules, random.Random(0), **facts))
        after = table.position()
        assert {name: after[name] for name in facts} == facts
        if after["phase"] != "deal":
            check_reachable(after)


def test_case_names_are_distinct() -> None:
    assert len(set(CASE_NAMES)) == len(CASES)


TO_PHASE = {
    "reveal": [],
    "turn": [0, 1, 0, 1],
    "drawn": [0, 1, 0, 1, DRAW],
    "knock": [0, 1, 0, 1, DRAW, DISCARD],
}


def start(phase: str) -> SlowGolf:
    """Two players in the first turn of a match, in one of its phases."""
    table = SlowGolf(random_deal(rules(2), random.Random(4), 0, 1, [0, 0]))
    for action in TO_PHASE[phase]:
        table.step(action)
    assert table.phase == phase
    return table


@pytest.mark.parametrize(
    ("phase", "illegal"),
    [
        ("reveal", [*range(6, 23)]),
        ("turn", [0, 1, *range(13, 23)]),
        ("drawn", [*range(13), 20, 21, 22]),
        ("knock", [*range(20), 22]),
    ],
)
def test_illegal_actions_change_nothing(phase: str, illegal: list[int]) -> None:
    table = start(phase)
    before = table.position()
    for action in [*illegal, -1, 23]:
        with pytest.raises(ValueError, match="seat 0: action"):
            table.step(action)
    assert table.position() == before
    assert table.legal(0) == set(range(22)) - set(illegal)
    assert table.legal(1) == {WAIT}


# --- Random matches -------------------------------------------------------------------------------

# How eagerly random players take a kind of action; the rest of the time they go on.
EAGER = {"knock": 0.05, "turn up": 0.15}
SLOW = {"knock": 0.01, "turn up": 0.0}


def choose(table: SlowGolf, rng: random.Random, habits: dict[str, float]) -> int:
    legal = table.legal(table.to_act)
    if table.phase == "knock":
        return KNOCK if rng.random() < habits["knock"] else END_TURN
    if table.phase == "turn" and rng.random() >= habits["turn up"]:
        # Seats that never turn a card up only come to the end of a pile by drawing and discarding.
        legal = {DRAW} if habits is SLOW else legal - set(range(6))
    if table.phase == "drawn" and habits is SLOW:
        return DISCARD
    return rng.choice(sorted(legal))


def follow_events(table: Position, events: list[dict[str, Any]]) -> None:
    """Change hands, discards and the drawn card of `table` as the events tell."""
    for event in events:
        kind = event["type"]
        if kind == "turn_up":
            assert table["hands"][event["player"]][event["slot"]] == event["card"]
            table["face_up"][event["player"]][event["slot"]] = True
        elif kind == "draw":
            table["drawn"] = event["card"]
        elif kind == "discard_drawn":
            assert table["drawn"] == event["card"]
            table["discard_pile"].insert(0, event["card"])
            table["drawn"] = None
        elif kind == "refill":
            table["discard_pile"] = table["discard_pile"][:1]
        elif kind in ("take_discard", "swap_drawn"):
            card = table["drawn"] if kind == "swap_drawn" else table["discard_pile"].pop(0)
            assert card == event["card"]
            table["drawn"] = None
            hand = table["hands"][event["player"]]
            assert hand[event["slot"]] == event["replaced"]
            hand[event["slot"]] = card
            table["face_up"][event["player"]][event["slot"]] = True
            table["discard_pile"].insert(0, event["replaced"])


def play_round(
    table: SlowGolf, rng: random.Random, habits: dict[str, float], deep: bool
) -> tuple[SlowResult, Counter[str]]:
    """Play to the end of the round; returns the last result and what was seen."""
    seen, told, closed = Counter[str](), table.position(), None
    order: list[int] = []  # who moved in each turn
    totals = list(table.totals)
    while True:
        seat, phase = table.to_act, table.phase
        assert all(table.legal(s) == {WAIT} for s in range(table.players) if s != seat)
        if table.needs_refill:
            table.refill(rng.sample(table.discard_pile[1:], len(table.discard_pile) - 1))
        if phase == "turn":
            order.append(seat)
        result = table.step(choose(table, rng, habits))
        seen.update(event["type"] for event in result.events)
        if closed is None and {"knock", "went_out"} & {e["type"] for e in result.events}:
            closed = len(order)
        follow_events(told, result.events)
        assert told["hands"] == table.hands
        assert told["discard_pile"] == table.discard_pile
        assert told["drawn"] == table.drawn
        if result.round_ended or result.truncated:
            break
        assert result.gains == [0] * table.players
        assert table.totals == totals
        assert told["face_up"] == table.face_up
        if deep:
            now = table.position()
            check_reachable(now)
            assert SlowGolf(now).position() == now
    assert order == [(table.dealer + turn) % table.players for turn in range(len(order))]
    assert table.turns == len(order)
    if result.round_ended:
        assert closed is not None
        assert len(order) - closed == table.players - 1, "everybody else has one last turn"
        check_score(table, result, totals)
    return result, seen


def check_score(table: SlowGolf, result: SlowResult, before: list[int]) -> None:
    end = next(event for event in result.events if event["type"] == "round_end")
    assert end["hands"] == table.hands
    assert end["raw"] == [hand_score(hand) for hand in table.hands]
    for seat, (raw, points) in enumerate(zip(end["raw"], end["points"], strict=True)):
        safe = seat != table.knocker or raw == min(end["raw"])
        assert points == (raw if safe else sum(end["raw"]))
    counted = table.round > 0
    gained = [old - new for old, new in zip(before, table.totals, strict=True)]
    assert result.gains == gained
    assert gained == ([-own for own in end["points"]] if counted else [0] * table.players)
    assert end["totals"] == table.totals


def play_match(
    setup: Position, rng: random.Random, habits: dict[str, float], deep: bool = False
) -> Counter[str]:
    players = setup["num_players"]
    dealer, first = rng.randrange(players), 0 if setup["practice_round"] else 1
    table = SlowGolf(random_deal(setup, rng, dealer, first, [0] * players))
    seen = Counter[str]()
    for number in range(first, setup["num_rounds"] + 1):
        result, counts = play_round(table, rng, habits, deep)
        seen += counts
        assert counts["turn_up"] >= 2 * players
        if table.phase == "over":
            break
        dealer = (dealer + 1) % players
        table.next_deal(random_deal(setup, rng, dealer, number + 1, table.totals))
    check_position(table.position())
    assert result.match_over != result.truncated
    assert result.truncated == (number < setup["num_rounds"] or not result.round_ended)
    seen["truncated"] += result.truncated
    low = min(table.totals)
    best = [seat for seat in range(players) if table.totals[seat] == low]
    assert result.winners == (best if result.match_over else [])
    assert all(table.legal(seat) == {WAIT} for seat in range(players))
    with pytest.raises(ValueError, match="no step"):
        table.step(WAIT)
    return seen


@pytest.mark.parametrize("players", range(2, 9))
def test_random_matches(players: int) -> None:
    rng = random.Random(players)
    seen = play_match(rules(players, practice_round=True, num_rounds=2), rng, EAGER, deep=True)
    for number in range(10):
        practice = number % 2 == 0
        for rounds in (1, 3, 6):
            setup = rules(players, num_rounds=rounds, practice_round=practice, max_turns=300)
            seen += play_match(setup, rng, EAGER)
        seen += play_match(rules(players, max_turns=3 * players), rng, EAGER)
    kinds = ("turn_up", "take_discard", "draw", "swap_drawn", "discard_drawn", "knock", "went_out")
    assert min(seen[kind] for kind in (*kinds, "round_end", "match_end", "truncated")) > 0


@pytest.mark.parametrize("players", range(2, 9))
def test_refills_in_random_matches(players: int) -> None:
    rng = random.Random(players)
    seen = play_match(rules(players, num_rounds=1, max_turns=130), rng, SLOW, deep=True)
    for _ in range(4):
        seen += play_match(rules(players, num_rounds=2), rng, SLOW)
    assert seen["refill"] > 1
    assert seen["round_end"] > 0
