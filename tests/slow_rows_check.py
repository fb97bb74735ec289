"""What must hold in every position of the rows games, checked one fact at a time."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

from tests.slow_rows_rules import (
    LADDERS,
    MOST_ROWS,
    Card,
    Position,
    card_index,
    card_name,
    is_match_over,
    penalty,
    places_after_dealer,
    rows_open_to,
)

RULE_KEYS = {
    *("game", "num_players", "decks", "cards", "exact_deck", "target_score", "num_rounds"),
    *("row_choice", "reward", "hand_size", "rows", "row_length"),
}
POSITION_KEYS = {
    *("game", "players", "decks", "dealer", "round", "turn", "phase", "hands", "rows", "piles"),
    *("totals", "revealed", "played", "chosen", "stock", "rules"),
}


def check_position(position: Position) -> None:
    """Raise AssertionError, saying what is wrong, unless the position is consistent."""
    missing = POSITION_KEYS - {"played"} - set(position)
    assert not missing, f"position lacks {sorted(missing)}"
    assert set(position) <= POSITION_KEYS, f"unknown keys {sorted(set(position) - POSITION_KEYS)}"
    rules = position["rules"]
    _check_rules(rules)
    for key, same in (("game", "game"), ("players", "num_players"), ("decks", "decks")):
        assert position[key] == rules[same], f"{key} differs from the rules"
    for key in ("hands", "piles", "totals", "chosen", "played"):
        if key in position:
            assert len(position[key]) == rules["num_players"], f"{key} needs one entry a seat"
    assert 0 <= position["dealer"] < rules["num_players"], "dealer is not a seat"
    _check_cards(position)
    _check_rows(position)
    _check_turn(position)
    _check_revealed(position)
    if "played" in position:
        _check_played(position)
    _check_totals(position)
    _check_chosen(position)


def _check_rules(rules: dict[str, Any]) -> None:
    assert set(rules) == RULE_KEYS, f"rules differ in {sorted(set(rules) ^ RULE_KEYS)}"
    assert rules["game"] in LADDERS, f"unknown game {rules['game']!r}"
    players, decks, cards = rules["num_players"], rules["decks"], rules["cards"]
    needed = players * rules["hand_size"] + rules["rows"]
    assert 2 <= players <= 10, "2 to 10 players"
    assert 1 <= rules["rows"] <= MOST_ROWS and rules["row_length"] >= 1, "1 to 4 rows of cards"
    assert decks == 1 or (decks == 2 and rules["game"] == "sixth_card"), "no such decks"
    assert rules["game"] == "six_nimmt" or decks == 2 or players <= 4, "5 players need 2 decks"
    assert cards <= len(LADDERS[rules["game"]]), "more cards than the ladder has"
    assert cards * decks >= needed, "not enough cards"
    if rules["exact_deck"]:
        assert decks == 1 and cards == needed, "an exact deck holds just the cards needed"
    assert rules["row_choice"] in ("player", "cheapest"), "unknown row_choice"
    assert rules["reward"] in ("penalty", "relative", "win"), "unknown reward"


def _check_cards(position: Position) -> None:
    """Every card of the deck is in exactly one place; hands and piles ascend."""
    game, rules = position["game"], position["rules"]
    found: Counter[int] = Counter()
    places = [*position["hands"], *position["rows"], *position["piles"], position["stock"]]
    for place in [*places, [entry["card"] for entry in position["revealed"]]]:
        found.update(card_index(game, card) for card in place)
    deck = Counter(dict.fromkeys(range(rules["cards"]), rules["decks"]))
    wrong = [
        card_name(game, card) for card in range(len(LADDERS[game])) if found[card] != deck[card]
    ]
    assert not wrong, f"cards missing or too many: {wrong}"
    for key in ("hands", "piles"):
        for seat, cards in enumerate(position[key]):
            heights = [card_index(game, card) for card in cards]
            assert heights == sorted(heights), f"{key} of seat {seat} do not ascend"


def _check_rows(position: Position) -> None:
    rules = position["rules"]
    assert len(position["rows"]) == rules["rows"], f"{rules['rows']} rows are in play"
    for number, row in enumerate(position["rows"]):
        heights = [card_index(position["game"], card) for card in row]
        assert 1 <= len(row) <= rules["row_length"], f"row {number} holds {len(row)} cards"
        for low, high in pairwise(heights):
            twins = low == high and rules["decks"] == 2
            assert low < high or twins, f"row {number} does not ascend"


def _check_turn(position: Position) -> None:
    """Phase, turn and the number of cards in hands and on the table agree."""
    rules, phase, turn = position["rules"], position["phase"], position["turn"]
    assert phase in ("card", "row", "over"), f"unknown phase {phase!r}"
    assert 1 <= turn <= rules["hand_size"], f"turn {turn} does not exist"
    assert phase != "over" or turn == rules["hand_size"], "a match ends with a round's last turn"
    gone = turn - 1 if phase == "card" else turn
    for seat, hand in enumerate(position["hands"]):
        left = rules["hand_size"] - gone
        assert len(hand) == left, f"seat {seat} holds {len(hand)} cards, not {left}"
    laid = sum(len(cards) for cards in [*position["rows"], *position["piles"]])
    expected = rules["rows"] + rules["num_players"] * gone - len(position["revealed"])
    assert laid == expected, f"{laid} cards in rows and piles, not {expected}"


def _check_revealed(position: Position) -> None:
    rules, players = position["rules"], position["players"]
    if position["phase"] != "row":
        assert not position["revealed"], "revealed cards wait only for a row decision"
        return
    assert rules["row_choice"] == "player", "nobody chooses rows under these rules"
    assert position["revealed"], "a row decision needs the card that it is about"
    order = _placing_order(position, [(e["player"], e["card"]) for e in position["revealed"]])
    assert order == sorted(order), "revealed cards are not in placing order"
    seats = {entry["player"] for entry in position["revealed"]}
    assert len(seats) == len(order) and seats <= set(range(players)), "a seat revealed twice"
    rows = [[card_index(position["game"], card) for card in row] for row in position["rows"]]
    assert len(rows_open_to(rows, order[0][0])) > 1, "the first revealed card leaves no choice"


def _placing_order(position: Position, cards: list[tuple[int, Card]]) -> list[tuple[int, int]]:
    game, dealer, players = position["game"], position["dealer"], position["players"]
    return [(card_index(game, c), places_after_dealer(dealer, p, players)) for p, c in cards]


def _check_played(position: Position) -> None:
    """Each seat's played cards are those it no longer holds, and they lie where they must."""
    hand_size = position["rules"]["hand_size"]
    waiting = {entry["player"]: entry["card"] for entry in position["revealed"]}
    placed: Counter[Card] = Counter()
    for seat, played in enumerate(position["played"]):
        count = len(position["hands"][seat]) + len(played)
        assert count == hand_size, f"hand and played cards of seat {seat} make {count}"
        if seat in waiting:
            assert played[-1] == waiting[seat], f"seat {seat} revealed another card than it played"
        placed.update(played[:-1] if seat in waiting else played)
    table = Counter(card for cards in [*position["rows"], *position["piles"]] for card in cards)
    assert placed <= table, f"played but nowhere: {list(placed - table)}"
    if waiting:
        others = [(s, cards[-1]) for s, cards in enumerate(position["played"]) if s not in waiting]
        first = _placing_order(position, list(waiting.items()))[0]
        assert all(o < first for o in _placing_order(position, others)), "placed out of order"


def _check_totals(position: Position) -> None:
    game, rules, totals = position["game"], position["rules"], position["totals"]
    before = list(totals)
    if position["phase"] == "over":
        assert is_match_over(rules, position["round"], totals), "the match is not over yet"
        piles = [sum(penalty(game, card) for card in pile) for pile in position["piles"]]
        before = [total - points for total, points in zip(totals, piles, strict=True)]
    assert position["round"] >= 1, "rounds count from 1"
    assert min(before) >= 0, "totals cannot be negative"
    assert position["round"] > 1 or max(before) == 0, "nobody has points before round 1"
    assert not is_match_over(rules, position["round"] - 1, before), "the match ended before"


def _check_chosen(position: Position) -> None:
    for seat, card in enumerate(position["chosen"]):
        if card is not None:
            assert position["phase"] == "card", "cards are chosen in phase card only"
            assert card in position["hands"][seat], f"seat {seat} chose a card it does not hold"
