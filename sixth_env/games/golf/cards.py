"""The cards of the golf game: names, ranks and points.

A card index is rank * 4 + suit, the ladder index of Sixth Card: A♣ = 0, A♦ = 1 … K♠ = 51; every
joker is 52. Its rank is index // 4: 0 the ace … 12 the king, 13 the joker. Suits decide nothing.
"""

from __future__ import annotations

from sixth_env.games.cards import ladder_index, ladder_name

JOKER = 52
NUM_CARDS, NUM_RANKS = 53, 14  # different cards, and ranks
PACK = 54  # cards of one deck with its two jokers


def golf_card_name(index: int) -> str:
    """The JSON name of a card index: 0 -> "AC", 52 -> "joker"."""
    return "joker" if index == JOKER else ladder_name(index)


def golf_card_index(card: object) -> int:
    """The index of a card's JSON name. Raises ``ValueError`` that names the card."""
    if not isinstance(card, str):
        raise ValueError(f"{card!r} is not a card: expected a name such as '10H' or 'joker'")
    return JOKER if card.strip().lower() == "joker" else ladder_index(card)


def copies(index: int, decks: int) -> int:
    """How often a card is in the pack: jokers twice a deck."""
    return (2 if index == JOKER else 1) * decks
