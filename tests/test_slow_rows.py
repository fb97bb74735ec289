"""The slow rules of the rows games against hand-worked cases, and in random matches."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.cases_rows import (
    CASES,
    EXACT_DECKS,
    NUMBERS_POINTS,
    ONE_DECK_POINTS,
    SIX_NIMMT_POINTS,
    SIXTH_CARD_POINTS,
    TWO_DECKS_POINTS,
)
from tests.cases_rows_build import Case, Event, choose, deck, play, random_deal, rules
from tests.slow_rows import (
    SlowResult,
    SlowRows,
    action_name,
    card_index,
    card_name,
    check_position,
    penalty,
    row_action,
    wait_action,
)

CASE_NAMES = [case["name"] for case in CASES]


def test_ladder_and_actions() -> None:
    ladder = ["AC", "AD", "AH", "AS", "2C", "2D"]
    assert [card_name("sixth_card", index) for index in range(6)] == ladder
    heights = [card_index("sixth_card", card) for card in ("7D", "7S", "8C", "10C", "KH", "KS")]
    assert heights == [25, 27, 28, 36, 50, 51]
    assert [card_index("six_nimmt", number) for number in (1, 55, 104)] == [0, 54, 103]
    assert [wait_action("sixth_card"), wait_action("six_nimmt")] == [56, 108]
    assert [row_action("sixth_card", 0), row_action("six_nimmt", 3)] == [52, 107]
    assert [action_name("sixth_card", a) for a in (51, 54, 56)] == ["play KS", "take row 2", "wait"]
    with pytest.raises(AssertionError, match="not a card"):
        card_index("sixth_card", "1C")


def test_penalty_tables() -> None:
    sixth = {
        rank + suit: points
        for rank, row in SIXTH_CARD_POINTS.items()
        for suit, points in zip("CDHS", row, strict=True)
    }
    assert {card: penalty("sixth_card", card) for card in sixth} == sixth
    assert (len(sixth), sum(sixth.values())) == (52, ONE_DECK_POINTS)
    both = deck(rules(players=5))
    assert sum(penalty("sixth_card", card) for card in both) == TWO_DECKS_POINTS
    numbers = [points for row in SIX_NIMMT_POINTS for points in row]
    assert [penalty("six_nimmt", number) for number in range(1, 105)] == numbers
    assert (len(numbers), sum(numbers)) == (104, NUMBERS_POINTS)


@pytest.mark.parametrize(("players", "size", "highest"), EXACT_DECKS)
def test_exact_decks(players: int, size: int, highest: str) -> None:
    assert size == 10 * players + 4
    assert deck(rules(players=players, exact_deck=True, cards=size))[-1] == highest


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_case(case: Case) -> None:
    table = SlowRows(case["position"])
    for expected in case["steps"]:
        check_only_the_chooser_acts(table)
        result = table.step(expected["actions"])
        assert result.events == expected["events"]
        assert result.points == expected["points"]
        assert result.rewards == pytest.approx(expected.get("rewards", result.rewards))
        assert table.position()["rows"] == expected["rows"]
        assert table.phase == expected["phase"]
        assert result.round_ended == (table.phase in ("over", "deal"))
        assert result.match_over == (table.phase == "over")
        if table.phase != "deal":
            check_position(table.position())


def check_only_the_chooser_acts(table: SlowRows) -> None:
    if table.phase == "row":
        acting = [seat for seat in range(table.players) if table.legal(seat) != {wait(table)}]
        assert acting == [table.revealed[0][0]]


def wait(table: SlowRows) -> int:
    return wait_action(table.game)


def test_case_names_are_distinct() -> None:
    assert len(set(CASE_NAMES)) == len(CASES)


def example() -> SlowRows:
    return SlowRows(CASES[0]["position"])


@pytest.mark.parametrize(
    "actions",
    [
        play("JS KC AH KS"),  # the last seat does not hold KS
        [*play("JS KC AH"), 56],  # nobody may wait
        [*play("JS KC AH"), 54],  # no row is to be taken
        [*play("JS KC AH"), 99],
        [*play("JS KC AH"), -1],
        play("JS KC AH"),
    ],
)
def test_illegal_cards_change_nothing(actions: list[int]) -> None:
    table = example()
    before = table.position()
    with pytest.raises(ValueError, match=r"not legal|no step"):
        table.step(actions)
    assert table.position() == before


@pytest.mark.parametrize(
    "actions",
    [
        choose(1, 2, 4),  # another seat chooses
        [56, 56, 56, 56],
        [56, 56, 54, 54],
        [56, 56, 2, 56],  # a card in place of a row
    ],
)
def test_illegal_row_choices_change_nothing(actions: list[int]) -> None:
    table = example()
    table.step(CASES[0]["steps"][0]["actions"])
    before = table.position()
    with pytest.raises(ValueError, match="not legal"):
        table.step(actions)
    assert table.position() == before


# --- Random matches -------------------------------------------------------------------------------


def follow_events(rows: list[list[Any]], events: list[Event]) -> Counter[int]:
    """Move the cards of `rows` as the events tell; returns the points each seat took."""
    points: Counter[int] = Counter()
    for event in events:
        if event["type"] == "take":
            assert event["cards"] == rows[event["row"]]
            points[event["player"]] += event["points"]
            rows[event["row"]] = []
        if event["type"] == "place":
            rows[event["row"]].append(event["card"])
    return points


def play_round(table: SlowRows, rng: random.Random) -> tuple[SlowResult, Counter[str]]:
    """Play to the end of the round, checking every step; returns the last result and counts."""
    rows, taken, seen = table.position()["rows"], [0] * table.players, Counter[str]()
    before, decisions = list(table.totals), 0
    while True:
        check_only_the_chooser_acts(table)
        result = table.step([rng.choice(sorted(table.legal(s))) for s in range(table.players)])
        points = follow_events(rows, result.events)
        assert result.points == [points[seat] for seat in range(table.players)]
        taken = [old + new for old, new in zip(taken, result.points, strict=True)]
        now = table.position()
        assert rows == now["rows"]
        for event in result.events:
            seen[event["type"]] += 1
            decisions = 0 if event["type"] == "reveal" else decisions
            if event["type"] == "row_decision":
                decisions += 1
                assert decisions <= table.rules["decks"], "too many decisions in a turn"
                seen["too_low" if len(event["rows"]) == len(rows) else "twins"] += 1
        if result.round_ended:
            end = next(event for event in result.events if event["type"] == "round_end")
            assert end["points"] == taken
            assert end["totals"] == [b + t for b, t in zip(before, taken, strict=True)]
            return result, seen
        assert table.totals == before, "totals are written when the round ends"
        check_position(now)
        assert SlowRows(now).position() == now


def play_match(setup: dict[str, Any], rng: random.Random) -> Counter[str]:
    players = setup["num_players"]
    dealer = rng.randrange(players)
    table = SlowRows(random_deal(setup, rng, dealer, 1, [0] * players))
    seen = Counter[str]()
    for number in range(1, 1000):
        result, counts = play_round(table, rng)
        assert counts["reveal"] == setup["hand_size"]
        assert counts["place"] == setup["hand_size"] * players
        seen += counts
        if result.match_over:
            break
        dealer = (dealer + 1) % players
        table.next_deal(random_deal(setup, rng, dealer, number + 1, table.totals))
    check_position(table.position())
    lowest = min(table.totals)
    assert result.winners == [s for s in range(players) if table.totals[s] == lowest]
    assert all(table.legal(seat) == {wait(table)} for seat in range(players))
    with pytest.raises(ValueError, match="no step"):
        table.step([wait(table)] * players)
    return seen


FULL_TABLES = [
    *[rules(players=players) for players in range(2, 11)],
    *[rules("six_nimmt", players) for players in range(2, 11)],
    *[rules(players=players, decks=2) for players in (2, 3, 4)],
    *[rules(players=p, exact_deck=True, cards=10 * p + 4) for p in (2, 3, 4)],
    rules("six_nimmt", 10, exact_deck=True, cards=104),
    rules(players=6, target_score=None, num_rounds=3),
]
SMALL_TABLES = [
    rules(players=players, decks=decks, cards=cards, hand_size=3, rows=2, row_length=3)
    for players, decks, cards in [(2, 1, 8), (3, 1, 12), (2, 2, 8), (3, 2, 12), (5, 2, 10)]
] + [rules("six_nimmt", 7, cards=30, hand_size=4, rows=2, row_length=2)]


@pytest.mark.parametrize("row_choice", ["player", "cheapest"])
def test_random_matches(row_choice: str) -> None:
    rng = random.Random(66)
    for setup in FULL_TABLES:
        seen = Counter[str]()
        for target in (30, 44, 66):
            seen += play_match({**setup, "row_choice": row_choice, "target_score": target}, rng)
        assert seen["take"] > 0
        assert (seen["row_decision"] > 0) == (row_choice == "player")


@pytest.mark.parametrize("row_choice", ["player", "cheapest"])
def test_random_small_matches(row_choice: str) -> None:
    rng = random.Random(6)
    for setup in SMALL_TABLES:
        seen = Counter[str]()
        for _ in range(25):
            seen += play_match({**setup, "row_choice": row_choice, "target_score": 20}, rng)
        assert (seen["row_decision"] > 0) == (row_choice == "player")


def test_choices_between_twin_rows_occur_in_play() -> None:
    """Twins start two of four rows in about one deal in twenty; ladders of six cards more often."""
    setup = rules(players=2, decks=2, cards=8, hand_size=4, row_length=3, target_score=None)
    rng = random.Random(9)
    for _ in range(10):
        seen = play_match({**setup, "num_rounds": 5}, rng)
        if seen["twins"] and seen["too_low"]:
            return
    pytest.fail("no choice between twin rows in fifty rounds")


# --- The next deal --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p: p.update(dealer=2), "passes to the left"),
        (lambda p: p.update(round=3), "round 2"),
        (lambda p: p.update(totals=[0, 0, 1]), "totals"),
        (lambda p: p["rules"].update(target_score=67), "rules changed"),
        (lambda p: p["chosen"].__setitem__(0, p["hands"][0][0]), "nobody has chosen"),
    ],
)
def test_next_deal_is_checked(spoil: Callable[[dict[str, Any]], None], message: str) -> None:
    rng = random.Random(1)
    setup = rules(players=3)
    table = SlowRows(random_deal(setup, rng, 2, 1, [0, 0, 0]))
    with pytest.raises(AssertionError, match="no deal is due"):
        table.next_deal(random_deal(setup, rng, 0, 2, [0, 0, 0]))
    play_round(table, rng)
    deal = random_deal(setup, rng, 0, 2, table.totals)
    spoiled = deepcopy(deal)
    spoil(spoiled)
    with pytest.raises(AssertionError, match=message):
        table.next_deal(spoiled)
    table.next_deal(deal)
    assert table.position() == deal
