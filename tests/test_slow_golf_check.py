"""What the independent checks of the golf game refuse, and what its views hide."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.cases_golf_build import DECK, DISCARD, DRAW, position, random_deal, rules
from tests.slow_golf import SlowGolf, check_position, check_reachable, slow_event, slow_view
from tests.test_slow_golf import EAGER, play_round, start

Position = dict[str, Any]


def ongoing(**fields: Any) -> Position:
    """Three players in the middle of a round."""
    hands = ["2C 2D 3C (3D) 5C (5D)", "KC (QC) JC (10C) 9C (8C)", "AC (AD) 4C (7C) 6C (JD)"]
    setup = {"dealer": 0, "to_act": 0, "turns": 6, "round": 2, **fields}
    return position(rules(), hands, "9D 8D", **setup)


def face_up(seat: int) -> Callable[[Position], Any]:
    return lambda p: p["face_up"].__setitem__(seat, [True] * 6)


def change(**values: Any) -> Callable[[Position], Any]:
    return lambda p: p.update(values)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p: p.pop("drawn"), "lacks"),
        (change(note=1), "unknown keys"),
        (lambda p: p["rules"].update(num_players=1), "2 to 8"),
        (lambda p: p["rules"].update(practice_round=1), "practice_round"),
        (change(players=4), "players differs"),
        (change(rounds=3), "rounds differs"),
        (change(totals=[0, 0]), "totals needs"),
        (change(to_act=3), "to_act"),
        (change(knocker=3), "knocker"),
        (change(phase="deal"), "phase"),
        (lambda p: p["hands"][0].pop(), "six slots"),
        (lambda p: p["face_up"].__setitem__(0, [1] * 6), "true or false"),
        (change(phase="drawn"), "drawn"),
        (change(drawn="KD"), "drawn"),
        (change(discard_pile=[]), "never empty"),
        (lambda p: p["draw_pile"].pop(), "missing or too many"),
        (lambda p: p["draw_pile"].append("KD"), "missing or too many"),
        (lambda p: p["hands"][0].__setitem__(0, "1C"), "missing or too many"),
        (change(round=0), "does not exist"),
        (change(round=7), "does not exist"),
        (change(round=1, totals=[0, 0, 1]), "nobody has points"),
        (lambda p: p["face_up"].__setitem__(1, [True] + [False] * 5), "two cards each"),
        (face_up(1), "sixth card face up ends"),
        (change(turns=400), "cap on turns"),
        (change(last_turns=1), "follow a knock"),
        (change(knocker=2), "follow a knock"),
        (change(knocker=2, went_out=1, last_turns=2), "by one seat"),
        (change(went_out=2, last_turns=2), "all face up"),
        (change(knocker=2, last_turns=2, phase="knock"), "nobody knocks"),
        (change(knocker=2, last_turns=1), "seat 1"),
        (change(knocker=0, last_turns=3), "last turns"),
        (change(phase="reveal"), "turned up its cards"),
        (change(phase="over", last_turns=0, knocker=2), "more rounds"),
        (change(phase="over", last_turns=0, knocker=2, round=6), "everything is turned up"),
        (change(phase="over"), "only the cap"),
    ],
)
def test_impossible_positions(spoil: Callable[[Position], Any], message: str) -> None:
    spoiled = ongoing()
    check_reachable(spoiled)
    spoil(spoiled)
    with pytest.raises(AssertionError, match=message):
        check_position(spoiled)


def test_whoever_has_a_last_turn_has_a_card_face_down() -> None:
    spoiled = ongoing(knocker=2, last_turns=2)
    check_reachable(spoiled)
    face_up(1)(spoiled)
    with pytest.raises(AssertionError, match="ended the round before"):
        check_position(spoiled)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p: p["face_up"].__setitem__(1, [True, *[False] * 5]), "in turn"),
        (lambda p: p["face_up"].__setitem__(2, [True, *[False] * 5]), "two cards each"),
        (change(turns=1), "no turn was taken"),
        (change(refilled=True), "no turn was taken"),
        (change(knocker=1, last_turns=2), "before the first turn"),
        (lambda p: p["discard_pile"].append(p["draw_pile"].pop()), "one card begins"),
    ],
)
def test_impossible_starts(spoil: Callable[[Position], Any], message: str) -> None:
    table = SlowGolf(random_deal(rules(3), random.Random(1), 2, 1, [0, 0, 0]))
    table.step(0)
    table.step(1)
    table.step(5)
    spoiled = table.position()
    check_reachable(spoiled)
    assert table.to_act == 0
    spoil(spoiled)
    with pytest.raises(AssertionError, match=message):
        check_position(spoiled)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change(to_act=1), "go round"),
        (change(turns=3), "a card a turn"),
        (change(refilled=True), "used up"),
        (lambda p: p.update(discard_pile=p["discard_pile"] + p["draw_pile"], draw_pile=[]), "more"),
        (change(knocker=1, last_turns=1, turns=0, dealer=0), "a card a turn|follow a turn"),
    ],
)
def test_turns_have_to_fit(spoil: Callable[[Position], Any], message: str) -> None:
    spoiled = ongoing()
    spoil(spoiled)
    check_position(spoiled)
    with pytest.raises(AssertionError, match=message):
        check_reachable(spoiled)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change(dealer=2, to_act=2), "passes to the left"),
        (change(round=3), "round 2"),
        (change(totals=[0, 0, 1000]), "totals"),
        (lambda p: p["rules"].update(max_turns=7), "rules changed"),
        (lambda p: p["face_up"].__setitem__(1, [True, *[False] * 5]), "face down"),
    ],
)
def test_next_deal_is_checked(spoil: Callable[[Position], Any], message: str) -> None:
    rng, setup = random.Random(1), rules(3)
    table = SlowGolf(random_deal(setup, rng, 0, 1, [0, 0, 0]))
    with pytest.raises(AssertionError, match="no deal is due"):
        table.next_deal(random_deal(setup, rng, 1, 2, [0, 0, 0]))
    play_round(table, rng, EAGER, deep=False)
    deal = random_deal(setup, rng, 1, 2, table.totals)
    spoiled = deepcopy(deal)
    spoil(spoiled)
    with pytest.raises(AssertionError, match=message):
        table.next_deal(spoiled)
    table.next_deal(deal)
    assert table.position() == deal


def test_refill_is_checked() -> None:
    table = start("turn")
    with pytest.raises(AssertionError, match="no refill is due"):
        table.refill([])
    table.discard_pile += table.draw_pile
    table.draw_pile = []
    before = table.position()
    with pytest.raises(AssertionError, match="the pile is empty"):
        table.step(DRAW)
    for wrong in (table.discard_pile, table.discard_pile[2:], [*table.discard_pile[2:], "1C"]):
        with pytest.raises(AssertionError, match="without the top one"):
            table.refill(wrong)
    assert table.position() == before
    table.refill(table.discard_pile[:0:-1])
    assert table.position() == before
    table.step(DRAW)
    assert table.drawn == before["discard_pile"][-1]
    assert table.draw_pile == before["discard_pile"][-2:0:-1]


# --- Views ----------------------------------------------------------------------------------------


def test_view_of_a_turn() -> None:
    whole = ongoing()
    view = slow_view(whole, 0)
    assert view["hands"] == [
        ["2C", "2D", "3C", None, "5C", None],
        ["KC", None, "JC", None, "9C", None],
        ["AC", None, "4C", None, "6C", None],
    ]
    assert view["draw_pile"] == len(whole["draw_pile"])
    assert [entry["action"] for entry in view["legal"]] == [3, 5, *range(6, 13)]
    assert view["legal"][0]["name"] == "turn up slot 3"
    assert "draw_known" not in view
    same = set(whole) - {"hands", "draw_pile"}
    assert {key: view[key] for key in same} == {key: whole[key] for key in same}


def test_only_the_drawer_sees_a_drawn_card() -> None:
    table = start("turn")
    card = table.draw_pile[0]
    event = table.step(DRAW).events[0]
    assert [slow_view(table.position(), seat)["drawn"] for seat in (0, 1)] == [card, "hidden"]
    assert [slow_event(event, seat)["card"] for seat in (0, 1)] == [card, None]
    shown = table.step(DISCARD).events[0]
    assert slow_event(shown, 1)["card"] == card


def test_what_a_refilled_pile_holds_is_known() -> None:
    table = start("turn")
    table.discard_pile += table.draw_pile
    table.draw_pile = []
    table.refill(table.discard_pile[:0:-1])
    table.step(DRAW)
    now = table.position()
    own, other = (slow_view(now, seat)["draw_known"] for seat in (0, 1))
    assert sorted(own) == sorted(now["draw_pile"])
    assert sorted(other) == sorted([*now["draw_pile"], now["drawn"]])
    assert own == sorted(own, key=DECK.index), "A to K, each C D H S, jokers last"
