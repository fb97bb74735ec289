"""The slow rules of the chip game against hand-worked cases, and in random matches."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.cases_chips import CARDS_DEALT, CASES, OPENING_HANDS
from tests.cases_chips_build import Case, position, random_deal, rules
from tests.slow_chips import (
    DECK,
    PASS,
    WAIT,
    SlowChips,
    action_name,
    cards_dealt,
    check_position,
    check_reachable,
    playable_cards,
    slow_view,
)
from tests.slow_turns import SlowResult

CASE_NAMES = [case["name"] for case in CASES]
Position = dict[str, Any]


def test_actions() -> None:
    numbers = {"AC": 0, "JC": 7, "KC": 9, "AD": 10, "6D": 15, "AS": 30, "KS": 39}
    assert {card: DECK.index(card) for card in numbers} == numbers
    names = {15: "play 6D", 39: "play KS", 40: "pass", 41: "wait"}
    assert {action: action_name(action) for action in names} == names


@pytest.mark.parametrize(("players", "dealer", "counts"), CARDS_DEALT)
def test_deal(players: int, dealer: int, counts: list[int]) -> None:
    assert cards_dealt(players, dealer) == counts


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_case(case: Case) -> None:
    check_reachable(case["position"])
    table = SlowChips(case["position"])
    for expected in case["steps"]:
        assert table.to_act == expected["player"]
        assert table.legal(expected["player"]) == set(expected["legal"])
        result = table.step(expected["action"])
        assert result.events == expected["events"]
        assert result.gains == expected["gains"]
        assert result.rewards == pytest.approx(expected.get("rewards", expected["gains"]))
        assert table.phase == expected["phase"]
        assert result.truncated == expected["truncated"]
        assert result.match_over == (table.phase == "over" and not result.truncated)
        assert result.round_ended == (table.phase != "play")
        facts = expected["facts"]
        if table.phase == "deal" and facts:
            table.next_deal(random_deal(table.rules, random.Random(0), **facts))
        after = table.position()
        assert {name: after[name] for name in facts} == facts
        if after["phase"] != "deal":
            check_reachable(after)


def test_case_names_are_distinct() -> None:
    assert len(set(CASE_NAMES)) == len(CASES)


@pytest.mark.parametrize("action", [5, 14, 16, PASS, WAIT, 42, -1])
def test_only_the_six_of_diamonds_starts(action: int) -> None:
    """Not another six, no neighbour, no pass; and a refused action changes nothing."""
    table = SlowChips(CASES[0]["position"])
    with pytest.raises(ValueError, match="seat 1: action"):
        table.step(action)
    assert table.position() == CASES[0]["position"]


# --- Random matches -------------------------------------------------------------------------------


def follow_events(now: Position, events: list[dict[str, Any]]) -> None:
    """Change chips and pot of `now` as the events tell, and count the cards played."""
    for event in events:
        if event["type"] == "pass":
            assert event["paid"] == min(1, now["chips"][event["player"]])
            now["chips"][event["player"]] -= event["paid"]
            now["pot"] += event["paid"]
        elif event["type"] == "play":
            now["hands"][event["player"]].remove(event["card"])
        elif event["type"] == "round_end":
            assert event["pot"] == now["pot"]
            now["chips"][event["winner"]] += now["pot"]
            now["pot"] = 0
            assert event["chips"] == now["chips"]


def play_round(table: SlowChips, rng: random.Random, deep: bool) -> tuple[SlowResult, Counter[str]]:
    """Play to the end of the round, checking every step; returns the last result and counts."""
    seen, told = Counter[str](), table.position()
    for turn in range(40 * table.players):
        seat = table.to_act
        assert seat == (table.starter + turn) % table.players
        legal, playable = table.legal(seat), playable_cards(table.columns)
        held = {DECK.index(card) for card in playable if card in table.hands[seat]}
        assert legal == (held or {PASS})
        assert all(table.legal(s) == {WAIT} for s in range(table.players) if s != seat)
        assert turn > 0 or legal == {DECK.index("6D")}
        before = list(table.chips)
        result = table.step(rng.choice(sorted(legal)))
        assert result.gains == [new - old for new, old in zip(table.chips, before, strict=True)]
        seen.update(event["type"] for event in result.events)
        seen["free"] += sum(event.get("paid", 1) == 0 for event in result.events)
        follow_events(told, result.events)
        assert (told["chips"], told["pot"], told["hands"]) == (table.chips, table.pot, table.hands)
        if result.round_ended:
            return result, seen
        if deep:
            now = table.position()
            check_reachable(now)
            assert SlowChips(now).position() == now
    raise AssertionError("a round never ended")


def play_match(setup: Position, rng: random.Random, deep: bool = False) -> Counter[str]:
    players = setup["num_players"]
    dealer, total = rng.randrange(players), [0] * players
    table = SlowChips(random_deal(setup, rng, dealer, 1, [setup["starting_chips"]] * players))
    seen = Counter[str]()
    for number in range(1, setup["max_rounds"] + 1):
        starter, chips = table.starter, list(table.chips)
        result, counts = play_round(table, rng, deep)
        seen += counts
        total = [t + c - b for t, c, b in zip(total, table.chips, chips, strict=True)]
        if table.phase == "over":
            break
        table.next_deal(random_deal(setup, rng, starter, number + 1, table.chips))
    check_position(table.position())
    assert total == [count - setup["starting_chips"] for count in table.chips]
    assert result.match_over != result.truncated
    seen["truncated"] += result.truncated
    most = max(table.chips)
    best = [seat for seat in range(players) if table.chips[seat] == most]
    assert result.winners == (best if result.match_over else [])
    ended = min(table.chips) == 0 or number == setup["num_rounds"]
    assert result.match_over == ended
    assert all(table.legal(seat) == {WAIT} for seat in range(players))
    with pytest.raises(ValueError, match="no step"):
        table.step(WAIT)
    return seen


@pytest.mark.parametrize("players", range(2, 9))
def test_random_matches(players: int) -> None:
    rng = random.Random(players)
    seen = play_match(rules(players, starting_chips=4), rng, deep=True)
    for number in range(10):
        seen += play_match(rules(players, max_rounds=30), rng)
        seen += play_match(rules(players, starting_chips=1 + number), rng)
        seen += play_match(rules(players, num_rounds=3), rng)
        seen += play_match(rules(players, starting_chips=60, max_rounds=2), rng)
    assert min(seen[kind] for kind in ("play", "pass", "free", "match_end")) > 0
    assert seen["truncated"] > 0


# --- What is refused ------------------------------------------------------------------------------


def opening() -> Position:
    return position(rules(), list(OPENING_HANDS), dealer=4, starter=1, to_act=1)


def without_chips(spoiled: Position) -> None:
    spoiled["chips"] = [0, 15, 15, 10, 10]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p: p.pop("pot"), "lacks"),
        (lambda p: p.update(note=1), "unknown keys"),
        (lambda p: p["rules"].update(num_players=9), "2 to 8"),
        (lambda p: p["rules"].update(reward="points"), "reward"),
        (lambda p: p.update(players=4), "players differs"),
        (lambda p: p.update(dealer=5), "dealer"),
        (lambda p: p.update(phase="deal"), "phase"),
        (lambda p: p["hands"][0].reverse(), "ascend"),
        (lambda p: p["hands"][0].pop(), "missing or too many"),
        (lambda p: p["hands"][0].insert(0, "AC"), "too many"),
        (lambda p: p["hands"][2].append(p["hands"][3].pop()), "was dealt 8"),
        (lambda p: p["columns"].update(H={"low": "6H", "high": "6H"}), "played first"),
        (lambda p: p["columns"].update(D={"low": "7D", "high": "JD"}), "hold its six"),
        (lambda p: p["columns"].update(D={"low": "6D", "high": "7H"}), "cannot lie"),
        (lambda p: p.update(pot=1), "chips in play"),
        (lambda p: p["lacks"].__setitem__(0, ["AC"]), "which it lacks"),
        (lambda p: p["lacks"].__setitem__(0, ["6H", "7D"]), "never playable"),
        (lambda p: p["lacks"].__setitem__(0, ["6D"]), "so it has none of"),
        (without_chips, "without chips"),
        (lambda p: p.update(chips=[9, 10, 10, 10, 10], pot=1), "come from passes"),
        (lambda p: p.update(starter=2), "holds the six"),
        (lambda p: p.update(to_act=2), "acts first"),
        (lambda p: p.update(round=101), "does not exist"),
        (lambda p: p.update(phase="over"), "last card"),
    ],
)
def test_impossible_positions(spoil: Callable[[Position], Any], message: str) -> None:
    spoiled = opening()
    check_reachable(spoiled)
    spoil(spoiled)
    with pytest.raises(AssertionError, match=message):
        check_position(spoiled)


def test_turns_have_to_fit() -> None:
    """After three turns of five players nobody but the fourth can be to act."""
    table = SlowChips(opening())
    for action in (DECK.index("6D"), DECK.index("7D"), PASS):
        table.step(action)
    check_reachable(table.position())
    for field, value in (("to_act", 0), ("lacks", [[]] * 5)):
        with pytest.raises(AssertionError, match=r"no order of turns|come from passes"):
            check_reachable({**table.position(), field: value})


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p: p.update(round=3), "round 2"),
        (lambda p: p.update(chips=[11, 9, 10, 10, 10]), "chips"),
        (lambda p: p["rules"].update(max_rounds=7), "rules changed"),
    ],
)
def test_next_deal_is_checked(spoil: Callable[[Position], Any], message: str) -> None:
    rng = random.Random(1)
    table = SlowChips(opening())
    with pytest.raises(AssertionError, match="no deal is due"):
        table.next_deal(opening())
    play_round(table, rng, deep=False)
    deal = random_deal(rules(), rng, 1, 2, table.chips)
    with pytest.raises(AssertionError, match="had the 6D and deals"):
        table.next_deal(random_deal(rules(), rng, 2, 2, table.chips))
    spoiled = deepcopy(deal)
    spoil(spoiled)
    with pytest.raises(AssertionError, match=message):
        table.next_deal(spoiled)
    table.next_deal(deal)
    assert table.position() == deal


def test_view_hides_other_hands_only() -> None:
    whole = opening()
    view = slow_view(whole, 1)
    assert view["hands"] == [8, OPENING_HANDS[1].split(), 8, 8, 8]
    assert (view["player"], view["legal"]) == (1, [{"action": 15, "name": "play 6D"}])
    assert slow_view(whole, 0)["legal"] == [{"action": WAIT, "name": "wait"}]
    same = set(whole) - {"hands"}
    assert {key: view[key] for key in same} == {key: whole[key] for key in same}
