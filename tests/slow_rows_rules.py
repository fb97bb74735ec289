"""Cards, penalties, action numbers and placing of the rows games, written out for `slow_rows`."""

from __future__ import annotations

from typing import Any

Card = str | int  # "10H" in Sixth Card, 55 in 6 nimmt!
Position = dict[str, Any]
Event = dict[str, Any]

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
SUITS = ["C", "D", "H", "S"]
LADDERS: dict[str, list[Card]] = {
    "sixth_card": [rank + suit for rank in RANKS for suit in SUITS],
    "six_nimmt": list(range(1, 105)),
}
MOST_ROWS = 4  # the numbering keeps four row actions, whatever the number of rows in play


def card_index(game: str, card: Card) -> int:
    """Place of a card on the ladder, from 0: AC and the number 1 are 0."""
    assert type(card) is type(LADDERS[game][0]), f"{card!r} is not how {game} writes a card"
    assert card in LADDERS[game], f"{card!r} is not a card of {game}"
    return LADDERS[game].index(card)


def card_name(game: str, index: int) -> Card:
    """The card at a place of the ladder."""
    return LADDERS[game][index]


def penalty(game: str, card: Card) -> int:
    """Penalty points of one card, as the rules texts list them."""
    if isinstance(card, int):
        if card == 55:
            return 7
        if card % 11 == 0:
            return 5
        if card % 10 == 0:
            return 3
        return 2 if card % 5 == 0 else 1
    if card == "QS":
        return 5
    rank = card[:-1]
    if rank == "10":
        return 3
    return 2 if rank in ("5", "J", "Q", "K") else 1


def row_action(game: str, row: int) -> int:
    """Number of the action that takes or chooses a row (from 0)."""
    return len(LADDERS[game]) + row


def wait_action(game: str) -> int:
    """Number of the only action of a seat that has nothing to decide."""
    return len(LADDERS[game]) + MOST_ROWS


def action_name(game: str, action: int) -> str:
    """Words for an action; rows count from 0, as in events."""
    if action == wait_action(game):
        return "wait"
    if action >= len(LADDERS[game]):
        return f"take row {action - len(LADDERS[game])}"
    return f"play {card_name(game, action)}"


def places_after_dealer(dealer: int, player: int, players: int) -> int:
    """0 for the seat on the dealer's left, players - 1 for the dealer."""
    return (player - dealer - 1) % players


def rows_open_to(rows: list[list[int]], card: int) -> list[int]:
    """Rows where a card may go: one, or those between which its owner chooses.

    A card goes to the highest end that is not above it (a twin lies on its twin). Of two rows that
    end in twins the shorter one counts. A card below every end may take any row.
    """
    below = [row[-1] for row in rows if row[-1] <= card]
    if not below:
        return list(range(len(rows)))
    candidates = [number for number, row in enumerate(rows) if row[-1] == max(below)]
    shortest = min(len(rows[number]) for number in candidates)
    return [number for number in candidates if len(rows[number]) == shortest]


def is_match_over(rules: dict[str, Any], round_number: int, totals: list[int]) -> bool:
    """Whether the match ends after this round; a fixed number of rounds ignores the target."""
    if rules["num_rounds"] is not None:
        return bool(round_number >= rules["num_rounds"])
    return rules["target_score"] is not None and max(totals) >= rules["target_score"]
