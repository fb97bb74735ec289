"""How the text pictures of all games spell cards and emphasis."""

from __future__ import annotations

from collections.abc import Sequence

from sixth_env.errors import ConfigError
from sixth_env.games.cards import Card, pretty
from sixth_env.games.rows import zsa

RED, GREEN, BOLD, DIM, RESET = "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[2m", "\x1b[0m"

# By game: the faces its cards can have instead of their own.
FACES = {"six_nimmt": ("zsa",)}
# What a text picture may hold beyond ASCII; the ZSA deck has the four ordinary suits, too.
SYMBOLS = "·" + "".join(suit.symbol for suit in zsa.SUITS)


def check_faces(game: str, faces: str | None) -> None:
    """Raise ``ConfigError`` unless the cards of a game can be shown with these faces."""
    known = FACES.get(game, ())
    if faces is not None and faces not in known:
        choice = " or ".join(["None", *map(repr, known)])
        raise ConfigError(f"the faces of the cards of {game} must be {choice}, not {faces!r}")


class Style:
    """With or without Unicode and colour; the faces "zsa" name 6 nimmt!'s cards by that deck."""

    def __init__(self, unicode: bool, color: bool, faces: str | None = None) -> None:
        self.unicode = unicode
        self.color = color
        self.faces = faces
        self.dot = "·" if unicode else "."
        self.separator = " · " if unicode else " | "

    def paint(self, string: str, code: str) -> str:
        """The string in a colour or weight."""
        return f"{code}{string}{RESET}" if self.color else string

    def name(self, card: Card) -> str:
        """The card's name, without colour; with the faces "zsa", "68(8◉)"."""
        if self.faces == "zsa":
            assert isinstance(card, int)
            return f"{card}({zsa.zsa_short(card, self.unicode)})"
        return pretty(card) if self.unicode else str(card)

    def card(self, card: Card, width: int = 0) -> str:
        """The card's name, padded to the left before colour adds invisible characters."""
        name = self.name(card).rjust(width)
        return self.paint(name, RED) if str(card)[-1] in "DH" else name

    def cards(self, cards: Sequence[Card], width: int = 0) -> str:
        """The cards' names with spaces between them."""
        return " ".join(self.card(card, width) for card in cards)


def wrapped(title: str, entries: Sequence[str], per_line: int) -> list[str]:
    """The entries behind a title, a few to the line, later lines indented as far."""
    chunks = [entries[i : i + per_line] for i in range(0, len(entries), per_line)]
    starts = [title, *[" " * len(title)] * len(chunks)]
    return [f"{start}  {'  '.join(chunk)}" for start, chunk in zip(starts, chunks, strict=False)]
