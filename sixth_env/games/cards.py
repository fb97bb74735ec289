"""Names and penalty points of the cards of the rows games.

Sixth Card counts the 52 cards along its ladder, rank first and then suit: A♣ = 0, A♦ = 1, A♥ = 2,
A♠ = 3, 2♣ = 4 … K♠ = 51. 6 nimmt! has the numbers 1-104; card index = number - 1.
"""

from __future__ import annotations

from functools import cache

import numpy as np

SUITS = "CDHS"
SUIT_SYMBOLS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
Card = str | int

_SUIT_LETTERS = {symbol: letter for letter, symbol in SUIT_SYMBOLS.items()}
_RANK_POINTS = {"5": 2, "10": 3, "J": 2, "Q": 2, "K": 2}


def ladder_name(index: int) -> str:
    """The JSON name of a ladder index: 0 -> "AC", 50 -> "KH"."""
    return RANKS[index // 4] + SUITS[index % 4]


_LADDER = {ladder_name(index): index for index in range(4 * len(RANKS))}


def ladder_index(card: str) -> int:
    """The ladder index of a card; takes "10H", "TH" and "10♥". Raises ``ValueError``."""
    text = card.strip().upper()
    rank, suit = text[:-1], _SUIT_LETTERS.get(text[-1:], text[-1:])
    rank = "10" if rank == "T" else rank
    if rank not in RANKS or suit not in SUITS or not suit:
        raise ValueError(f"{card!r} is not a card: expected a rank and a suit such as '10H'")
    return RANKS.index(rank) * 4 + SUITS.index(suit)


def pretty(card: Card) -> str:
    """A card for people: "10H" -> "10♥"; numbers stay numbers."""
    text = str(card)
    return text[:-1] + SUIT_SYMBOLS[text[-1]] if text[-1:] in SUIT_SYMBOLS else text


def _sixth_card_points(index: int) -> int:
    name = ladder_name(index)
    return 5 if name == "QS" else _RANK_POINTS.get(name[:-1], 1)


def _six_nimmt_points(index: int) -> int:
    """The first rule of the text's table that fits; its example, where #40 costs 1, disagrees."""
    number = index + 1
    if number == 55:
        return 7
    if number % 11 == 0:
        return 5
    if number % 10 == 0:
        return 3
    return 2 if number % 5 == 0 else 1


@cache
def penalty_table(game_id: str) -> tuple[int, ...]:
    """Penalty points by card index, straight from the rules texts (sums 79 and 171)."""
    if game_id == "sixth_card":
        return tuple(_sixth_card_points(index) for index in range(52))
    return tuple(_six_nimmt_points(index) for index in range(104))


def card_name(game_id: str, index: int) -> Card:
    """The JSON name of a card index of a rows game."""
    return ladder_name(index) if game_id == "sixth_card" else index + 1


def card_index(game_id: str, card: Card) -> int:
    """The card index of a JSON name. Raises ``ValueError`` that names the card."""
    if game_id == "sixth_card":
        if not isinstance(card, str):
            raise ValueError(f"{card!r} is not a card: expected a name such as '10H'")
        index = _LADDER.get(card)
        return ladder_index(card) if index is None else index
    if isinstance(card, bool) or not isinstance(card, (int, np.integer)) or not 1 <= card <= 104:
        raise ValueError(f"{card!r} is not a card: expected a whole number from 1 to 104")
    return int(card) - 1


def card_points(game_id: str, card: Card) -> int:
    """The penalty points of a card given by its JSON name."""
    return penalty_table(game_id)[card_index(game_id, card)]
