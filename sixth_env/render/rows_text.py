"""The rows games (Sixth Card and 6 nimmt!) as text."""

from __future__ import annotations

from sixth_env.games.cards import Card
from sixth_env.render import facts
from sixth_env.render.facts import View
from sixth_env.render.style import BOLD, DIM, GREEN, RED, Style, wrapped

WIDEST: dict[str, Card] = {"sixth_card": "10C", "six_nimmt": 104}
PER_LINE = 5  # revealed cards with their owners on a line


def blocks(view: View, style: Style) -> list[list[str]]:
    """The blocks of the picture, each a list of lines."""
    return [
        _header_lines(view, style),
        [_row_line(view, index, style) for index in range(len(view["rows"]))],
        _turn_lines(view, style),
        _seat_lines(view, style),
        _hand_lines(view, style),
    ]


def _width(view: View, style: Style) -> int:
    """Columns of a card that is aligned with others."""
    return len(style.name(WIDEST[view["game"]]))


def _header_lines(view: View, style: Style) -> list[str]:
    title = style.paint(facts.TITLES[view["game"]], BOLD)
    dealer = f"dealer {facts.seat_name(view['dealer'])}"
    prompt = facts.prompt(view)
    if view["phase"] == "over":
        prompt = style.paint(f"match over: {prompt}", GREEN)
    return [style.separator.join([title, *facts.progress(view), dealer]), prompt]


def _row_line(view: View, index: int, style: Style) -> str:
    row = view["rows"][index]
    free = view["rules"]["row_length"] - len(row)
    places = [style.card(card, _width(view, style)) for card in row]
    places += [style.paint(style.dot.rjust(_width(view, style)), DIM)] * free
    points = facts.plural(facts.points_of(view, row), "point")
    line = f"  row {index + 1}  {'  '.join(places)}   {points:>9}"
    return line + style.paint("  full", RED) if facts.is_full(view, row) else line


def _turn_lines(view: View, style: Style) -> list[str]:
    """Cards of this turn that lie in no row yet: face down, or revealed in placing order."""
    chosen = [(seat, *facts.chosen_card(view, seat)) for seat in range(view["players"])]
    down = [
        facts.seat_name(seat) if card is None else f"{style.card(card)} {facts.seat_name(seat)}"
        for seat, laid, card in chosen
        if laid
    ]
    waiting = [
        f"{style.card(entry['card'], _width(view, style))} {facts.seat_name(entry['player'])}"
        for entry in view["revealed"]
    ]
    return [*wrapped("  face down", down, PER_LINE), *wrapped("  to place", waiting, PER_LINE)]


def _seat_lines(view: View, style: Style) -> list[str]:
    return [
        style.paint("  seat         round  total  left  played", DIM),
        *(_seat_line(view, seat, style) for seat in range(view["players"])),
    ]


def _seat_line(view: View, seat: int, style: Style) -> str:
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


def _hand_lines(view: View, style: Style) -> list[str]:
    """The observer's hand; in a position, the hand of every seat."""
    lines = []
    for seat in range(view["players"]):
        hand = facts.known_hand(view, seat)
        if hand:
            label = "hand" if seat == facts.observer(view) else f"hand of {facts.seat_name(seat)}"
            lines.append(f"  {label}  {style.cards(hand, _width(view, style))}")
    return lines
