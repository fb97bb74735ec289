"""What the independent checks of the rows games refuse, and what their views hide."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.cases_rows import CASES
from tests.cases_rows_build import deck, random_deal, rules
from tests.slow_rows import SlowRows, check_position, slow_view


def example_position() -> dict[str, Any]:
    return deepcopy(CASES[0]["position"])


def change(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda position: position.update(values)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p: p.pop("stock"), "lacks"),
        (change(note=1), "unknown keys"),
        (change(players=3), "players differs"),
        (change(decks=2), "decks differs"),
        (lambda p: p["rules"].update(decks=3), "no such decks"),
        (lambda p: p["rules"].update(row_choice="dearest"), "row_choice"),
        (change(totals=[0, 0, 0]), "totals needs"),
        (change(dealer=4), "dealer"),
        (lambda p: p["stock"].pop(), "missing or too many"),
        (lambda p: p["stock"].append("KS"), "missing or too many"),
        (lambda p: p["hands"][0].reverse(), "do not ascend"),
        (lambda p: p["rows"][1].reverse(), "does not ascend"),
        (lambda p: p["rows"].append([p["stock"].pop()]), "4 rows"),
        (change(phase="draw"), "unknown phase"),
        (change(phase="over"), "last turn"),
        (change(turn=3), "holds 9 cards"),
        (change(turn=11), "does not exist"),
        (lambda p: p["piles"][0].append(p["stock"].pop()), "rows and piles"),
        (lambda p: p["played"][0].pop(), "played cards of seat 0"),
        (lambda p: p["played"].__setitem__(0, p["stock"][:1]), "played but nowhere"),
        (change(totals=[1, 0, 0, 0]), "before round 1"),
        (change(totals=[66, 0, 0, 0], round=2), "ended before"),
        (change(totals=[-1, 0, 0, 0], round=2), "negative"),
        (change(chosen=[None, "AH", None, None]), "does not hold"),
        (change(revealed=[{"player": 2, "card": "AH"}]), "missing or too many"),
    ],
)
def test_check_refuses(spoil: Callable[[dict[str, Any]], None], message: str) -> None:
    position = example_position()
    check_position(position)
    spoil(position)
    with pytest.raises(AssertionError, match=message):
        check_position(position)


def carla_could_place_it(position: dict[str, Any]) -> None:
    """Exchange Carla's AH with the 2C on the table, where the 2C is not too low."""
    position["rows"][2], position["revealed"][0]["card"] = ["AH"], "2C"
    position["played"][2][-1] = "2C"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p: p["revealed"].reverse(), "placing order"),
        (lambda p: p["rules"].update(row_choice="cheapest"), "nobody chooses"),
        (lambda p: p["revealed"][1].update(player=2), "twice"),
        (carla_could_place_it, "leaves no choice"),
        (lambda p: p["played"][2].insert(0, p["played"][2].pop()), "another card"),
    ],
)
def test_check_refuses_row_decisions(spoil: Callable[[dict[str, Any]], None], message: str) -> None:
    table = SlowRows(example_position())
    table.step(CASES[0]["steps"][0]["actions"])
    position = table.position()
    check_position(position)
    spoil(position)
    with pytest.raises(AssertionError, match=message):
        check_position(position)


def test_check_refuses_a_higher_card_placed_first() -> None:
    case = next(case for case in CASES if case["name"].endswith("only, after lower cards"))
    table = SlowRows(case["position"])
    table.step(case["steps"][0]["actions"])
    position = table.position()
    check_position(position)
    position["rows"][1][1] = position["played"][1][0] = "10D"
    position["stock"][position["stock"].index("10D")] = "2D"
    with pytest.raises(AssertionError, match="out of order"):
        check_position(position)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change(totals=[53, 32]), "not over yet"),
        (change(totals=[80, 11]), "negative"),
        (change(totals=[79, 32]), "ended before"),
        (change(phase="card"), "holds 0 cards"),
    ],
)
def test_check_refuses_ends(spoil: Callable[[dict[str, Any]], None], message: str) -> None:
    case = next(case for case in CASES if case["name"] == "exactly 66 ends the match")
    table = SlowRows(case["position"])
    for step in case["steps"]:
        table.step(step["actions"])
    position = table.position()
    check_position(position)
    spoil(position)
    with pytest.raises(AssertionError, match=message):
        check_position(position)


# --- Views ----------------------------------------------------------------------------------------


def test_view_hides_hands_choices_and_stock() -> None:
    position = example_position()
    position["chosen"] = ["JS", "KC", None, None]
    view = slow_view(position, 0)
    assert view["hands"] == [position["hands"][0], 9, 9, 9]
    assert view["chosen"] == ["JS", 1, 0, 0]
    assert (view["stock"], view["player"]) == (8, 0)
    assert view["legal"] == [{"action": 56, "name": "wait"}]
    public = ("rows", "piles", "played", "totals", "revealed", "turn", "dealer", "rules")
    assert all(view[key] == position[key] for key in public)
    assert len(slow_view(position, 2)["legal"]) == 9
    assert slow_view(position, 2)["legal"][0] == {"action": 2, "name": "play AH"}


def test_view_of_a_row_decision() -> None:
    table = SlowRows(example_position())
    table.step(CASES[0]["steps"][0]["actions"])
    names = [f"take row {row}" for row in range(4)]
    assert [entry["name"] for entry in slow_view(table.position(), 2)["legal"]] == names
    assert [entry["name"] for entry in slow_view(table.position(), 1)["legal"]] == ["wait"]
    assert slow_view(table.position(), 1)["revealed"] == table.position()["revealed"]


def test_view_is_the_same_whatever_is_hidden() -> None:
    """Other hands and the stock are dealt anew: seat 0 sees no difference."""
    rng = random.Random(3)
    for setup in (rules(), rules(players=7), rules("six_nimmt", 5)):
        one = random_deal(setup, rng, 1, 2, [7] * setup["num_players"])
        hidden = [card for hand in one["hands"][1:] for card in hand] + one["stock"]
        rng.shuffle(hidden)
        other = deepcopy(one)
        order = deck(setup)
        for seat in range(1, setup["num_players"]):
            other["hands"][seat] = sorted([hidden.pop() for _ in range(10)], key=order.index)
        other["stock"] = hidden
        check_position(other)
        assert one != other
        assert slow_view(one, 0) == slow_view(other, 0)
