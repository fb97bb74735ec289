"""Names of the 40 cards of Sixes, the chip game.

A card's number is 10 * suit + rank: suits clubs, diamonds, hearts, spades; ranks A 2 3 4 5 6 7 J Q
K, in the order of a column from its low end to its high end.
"""

from __future__ import annotations

from sixth_env.games.cards import RANKS, SUIT_SYMBOLS, SUITS

NUM_CARDS, NUM_SUITS, NUM_RANKS = 40, 4, 10
CHIPS_RANKS = tuple(rank for rank in RANKS if rank not in ("8", "9", "10"))
SIX = 5  # the rank that starts a column
SIX_OF_DIAMONDS = 15

_SUIT_LETTERS = {symbol: letter for letter, symbol in SUIT_SYMBOLS.items()}


def chips_name(card: int) -> str:
    """The JSON name of a card: 15 -> "6D"."""
    return CHIPS_RANKS[card % NUM_RANKS] + SUITS[card // NUM_RANKS]


def chips_index(name: object) -> int:
    """The number of a card; takes "6D", "6d" and "6♦". Raises ``ValueError`` that names it."""
    if isinstance(name, str):
        text = name.strip().upper()
        rank, suit = text[:-1], _SUIT_LETTERS.get(text[-1:], text[-1:])
        if rank in CHIPS_RANKS and suit and suit in SUITS:
            return NUM_RANKS * SUITS.index(suit) + CHIPS_RANKS.index(rank)
    raise ValueError(
        f"{name!r} is not one of the 40 cards: expected a rank of {' '.join(CHIPS_RANKS)} and a"
        " suit, such as '6D'"
    )
