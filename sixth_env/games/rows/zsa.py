"""6 nimmt! with a ZSA deck: which of its cards stand for the numbers 1-104.

The number of a card in the game is the running number printed on it. The deck's numbered cards,
suit by suit, are #0 to #79, its face cards #80 to #119; #0 and all above #104 are not in the game.
A deck is a way of naming cards and no rule: positions, views and actions know numbers alone.
"""

from __future__ import annotations

from typing import NamedTuple

from sixth_env.games.cards import card_index


class Suit(NamedTuple):
    """A suit of the ZSA deck."""

    name: str
    symbol: str

    @property
    def short(self) -> str:
        """The first two letters, by which no two suits are the same."""
        return self.name[:2]


# The rules text prints ♠, ■ and ◉; it has none for Switches and Stars: theirs are chosen here.
SUITS = (
    Suit("Clubs", "♣"),
    Suit("Spades", "♠"),
    Suit("Hearts", "♥"),
    Suit("Diamonds", "♦"),
    Suit("Caps", "■"),
    Suit("Switches", "✚"),
    Suit("Planets", "◉"),
    Suit("Stars", "★"),
)
# The whole deck by running number.
DECK = tuple((rank, suit) for ranks in ("0123456789", "XJQKA") for suit in SUITS for rank in ranks)

_SPELLINGS = {spelling.lower(): suit for suit in SUITS for spelling in (*suit, suit.short)}


def zsa_card(number: int) -> tuple[str, Suit]:
    """Rank and suit of the card with a number, 1-104. Raises ``ValueError`` for any other."""
    return DECK[card_index("six_nimmt", number) + 1]


def zsa_name(number: int) -> str:
    """The card with a number: 68 -> "Planets 8". Raises ``ValueError`` unless it is 1-104."""
    rank, suit = zsa_card(number)
    return f"{suit.name} {rank}"


def zsa_short(number: int, unicode: bool = True) -> str:
    """The card with a number in short: 68 -> "8◉", or in ASCII "8Pl". Raises as ``zsa_name``."""
    rank, suit = zsa_card(number)
    return rank + (suit.symbol if unicode else suit.short)


def zsa_number(name: str) -> int:
    """The number of a card, spelt "Planets 8", "8 of Planets", "8Pl" or "8◉", in any case.

    Raises:
        ValueError: the deck has no such card, or it is not in the game: #0, or above #104.
    """
    text = str(name).lower().replace(" of ", " ").strip()
    for rank, suit in ((text[:1], text[1:].strip()), (text[-1:], text[:-1].strip())):
        card = (rank.upper(), _SPELLINGS.get(suit))
        if card in DECK:
            break
    else:
        raise ValueError(f"{name!r} is not a ZSA card: expected one such as 'Planets 8' or '8Pl'")
    number = DECK.index(card)
    if not 1 <= number <= 104:
        raise ValueError(f"{name!r} is #{number} and not in the game, which uses #1 to #104")
    return number
