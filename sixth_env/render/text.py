"""The table as text, for ``render_mode="ansi"``, logs and terminals."""

from __future__ import annotations

from typing import TextIO

from sixth_env.games.cards import SUIT_SYMBOLS, Card, pretty
from sixth_env.render import facts
from sixth_env.render.facts import View

CARD_WIDTH = 3  # "10♣", "104"
PER_LINE = 5  # revealed cards with their owners on a line

RED, GREEN, BOLD, DIM, RESET = "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[2m", "\x1b[0m"


def supports_unicode(stream: TextIO) -> bool:
    """Whether the stream's encoding can carry the suit symbols ``♣♦♥♠`` and the middle dot."""
    try:
        ("".join(SUIT_SYMBOLS.values()) + "·").encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def text(view: View, *, unicode: bool = True, color: bool = False) -> str:
    """The table as aligned lines of text.

    ``view`` is a view or position of a rows game. Without ``unicode`` the result is pure ASCII
    (suits are the letters C, D, H, S); with ``color`` it carries ANSI escapes for red suits,
    full rows and winners. A seat's total includes the points of the round in progress.
    """
    style = _Style(unicode, color)
    blocks = [
        _header_lines(view, style),
        [_row_line(view, index, style) for index in range(len(view["rows"]))],
        _turn_lines(view, style),
        _seat_lines(view, style),
        _hand_lines(view, style),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


class _Style:
    """How cards and emphasis are spelled: with or without Unicode, with or without colour."""

    def __init__(self, unicode: bool, color: bool) -> None:
        self.unicode = unicode
        self.color = color
        self.dot = "·" if unicode else "."
        self.separator = " · " if unicode else " | "

    def paint(self, string: str, code: str) -> str:
        return f"{code}{string}{RESET}" if self.color else string

    def card(self, card: Card, width: int = 0) -> str:
        """The card's name, padded to the left before colour adds invisible characters."""
        name = (pretty(card) if self.unicode else str(card)).rjust(width)
        return self.paint(name, RED) if str(card)[-1] in "DH" else name

    def cards(self, cards: list[Card], width: int = 0) -> str:
        return " ".join(self.card(card, width) for card in cards)


def _header_lines(view: View, style: _Style) -> list[str]:
    title = style.paint(facts.TITLES[view["game"]], BOLD)
    dealer = f"dealer {facts.seat_name(view['dealer'])}"
    prompt = facts.prompt(view)
    if view["phase"] == "over":
        prompt = style.paint(f"match over: {prompt}", GREEN)
    return [style.separator.join([title, *facts.progress(view), dealer]), prompt]


def _row_line(view: View, index: int, style: _Style) -> str:
    row = view["rows"][index]
    free = view["rules"]["row_length"] - len(row)
    places = [style.card(card, CARD_WIDTH) for card in row]
    places += [style.paint(style.dot.rjust(CARD_WIDTH), DIM)] * free
    points = facts.plural(facts.points_of(view, row), "point")
    line = f"  row {index + 1}  {'  '.join(places)}   {points:>9}"
    return line + style.paint("  full", RED) if facts.is_full(view, row) else line


def _turn_lines(view: View, style: _Style) -> list[str]:
    """Cards of this turn that lie in no row yet: face down, or revealed in placing order."""
    chosen = [(seat, *facts.chosen_card(view, seat)) for seat in range(view["players"])]
    down = [
        facts.seat_name(seat) if card is None else f"{style.card(card)} {facts.seat_name(seat)}"
        for seat, laid, card in chosen
        if laid
    ]
    waiting = [
        f"{style.card(entry['card'], CARD_WIDTH)} {facts.seat_name(entry['player'])}"
        for entry in view["revealed"]
    ]
    return [*_wrapped("  face down", down), *_wrapped("  to place", waiting)]


def _wrapped(title: str, entries: list[str]) -> list[str]:
    """The entries behind a title, a few to the line, later lines indented as far."""
    chunks = [entries[i : i + PER_LINE] for i in range(0, len(entries), PER_LINE)]
    starts = [title, *[" " * len(title)] * len(chunks)]
    return [f"{start}  {'  '.join(chunk)}" for start, chunk in zip(starts, chunks, strict=False)]


def _seat_lines(view: View, style: _Style) -> list[str]:
    return [
        style.paint("  seat         round  total  left  played", DIM),
        *(_seat_line(view, seat, style) for seat in range(view["players"])),
    ]


def _seat_line(view: View, seat: int, style: _Style) -> str:
    mark = ">" if seat == facts.observer(view) else " "
    dealer = "D" if seat == view["dealer"] else " "
    name = f"{mark} {facts.seat_name(seat):<8} {dealer}"
    if seat in facts.winners(view):
        name = style.paint(name, GREEN)
    scores = (
        f"{facts.round_points(view, seat):>5}  {facts.total_points(view, seat):>5}"
        f"  {facts.cards_left(view, seat):>4}"
    )
    known = [card for card in view["played"][seat] if card is not None] if "played" in view else []
    played = style.cards(known)
    return f"{name}  {scores}  {played}".rstrip()


def _hand_lines(view: View, style: _Style) -> list[str]:
    """The observer's hand; in a position, the hand of every seat."""
    lines = []
    for seat in range(view["players"]):
        hand = facts.known_hand(view, seat)
        if hand:
            label = "hand" if seat == facts.observer(view) else f"hand of {facts.seat_name(seat)}"
            lines.append(f"  {label}  {style.cards(hand, CARD_WIDTH)}")
    return lines
