"""Sixes, the golf game, as text: every seat's three rows of two, side by side.

Slots are counted from 1, row by row. A ``?`` is a card that lies face down; in a position, whose
cards are all known, a star marks those instead.
"""

from __future__ import annotations

from sixth_env.games import get_game
from sixth_env.games.golf.cards import golf_card_index
from sixth_env.games.golf.kernels import pair_points
from sixth_env.games.golf.rules import SLOTS
from sixth_env.render import facts
from sixth_env.render.facts import View
from sixth_env.render.style import BOLD, DIM, GREEN, Style, wrapped

CARD_WIDTH = 5  # "joker"
SEAT_WIDTH = 16  # two cards with their marks, and the points of the pair
SEATS_PER_LINE = 4
PILE_PER_LINE = 12  # cards of a pile on a line


def blocks(view: View, style: Style) -> list[list[str]]:
    """The blocks of the picture, each a list of lines."""
    seats = range(view["players"])
    return [
        _header_lines(view, style),
        _pile_lines(view, style),
        *[
            _seats_lines(view, seats[first : first + SEATS_PER_LINE], style)
            for first in range(0, len(seats), SEATS_PER_LINE)
        ],
        _legend_lines(view, style),
    ]


def winners(view: View) -> list[int]:
    """The seats with the fewest points once the match is over, nobody if it was cut off."""
    return [] if get_game("sixes_golf").cut_off(view) else facts.winners(view)


def pair_score(view: View, seat: int, row: int) -> int | None:
    """The points of two cards side by side, or None where one of them is not known."""
    pair = view["hands"][seat][2 * row : 2 * row + 2]
    if None in pair:
        return None
    first, second = (golf_card_index(card) >> 2 for card in pair)
    return int(pair_points(first, second))


def progress(view: View) -> list[str]:
    """Where the match stands, in a few words each."""
    rounds = f"round {view['round']} of {view['rounds']}" if view["round"] else "practice round"
    return [rounds, f"{facts.plural(view['turns'], 'turn')} taken"]


def prompt(view: View) -> str:
    """One sentence: who is to do what, or how the match ended."""
    if view["phase"] == "over":
        best = winners(view)
        if not best:
            return f"cut off after {facts.plural(view['turns'], 'turn')}, nobody wins"
        return facts.verdict(best, facts.plural(min(view["totals"]), "point"))
    does = {
        "reveal": "turns up one of the first two cards",
        "turn": "turns up a card, takes the discard, or draws",
        "drawn": "places the drawn card, or discards it",
        "knock": "knocks, or ends the turn",
    }
    return f"{facts.seat_name(view['to_act'])} {does[view['phase']]}"


def ending(view: View) -> str | None:
    """Who knocked or went out, and how many turns are still to come; None before that."""
    if view["last_turns"] is None:
        return None
    if view["knocker"] is None:
        who = f"{facts.seat_name(view['went_out'])} went out"
    else:
        who = f"{facts.seat_name(view['knocker'])} knocked"
    return f"{who}, {facts.plural(view['last_turns'], 'last turn')} to come"


def _header_lines(view: View, style: Style) -> list[str]:
    title = style.paint(get_game("sixes_golf").title, BOLD)
    dealer = f"dealer {facts.seat_name(view['dealer'])}"
    sentence, end = prompt(view), ending(view)
    if view["phase"] == "over":
        sentence = style.paint(f"match over: {sentence}", GREEN)
    lines = [style.separator.join([title, *progress(view), dealer]), sentence]
    return lines if end is None else [*lines, end]


def _pile_lines(view: View, style: Style) -> list[str]:
    """The draw pile as a number, or its cards where they are known; the discards, top first."""
    pile = view["draw_pile"]
    count = pile if isinstance(pile, int) else len(pile)
    drawn, known = view["drawn"], view.get("draw_known")
    lines = [f"  draw pile  {facts.plural(count, 'card')}"]
    if not isinstance(pile, int):
        lines += wrapped("  top first", _names(pile, style), PILE_PER_LINE)
    if known:
        where = "  in it, or drawn" if drawn == "hidden" else "  in it"
        lines += wrapped(where, _names(known, style), PILE_PER_LINE)
    lines += wrapped("  discards ", _names(view["discard_pile"], style), PILE_PER_LINE)
    if drawn is not None:
        card = "a card" if drawn == "hidden" else style.card(drawn)
        lines.append(f"  drawn      {card}")
    return lines


def _names(cards: list[str], style: Style) -> list[str]:
    return [style.card(card) for card in cards]


def _seats_lines(view: View, seats: range, style: Style) -> list[str]:
    """Some seats side by side: names, rows and totals."""
    names = [_name(view, seat, style) for seat in seats]
    rows = [[_row(view, seat, row, style) for seat in seats] for row in range(SLOTS // 2)]
    totals = [f"{'total':>{SEAT_WIDTH - 5}} {view['totals'][seat]:>4}" for seat in seats]
    labels = [f"{2 * row + 1} {2 * row + 2}" for row in range(SLOTS // 2)]
    lines = [names, *rows, totals]
    return [
        f"  {style.paint(label, DIM)}  {'  '.join(cells)}".rstrip()
        for label, cells in zip(["   ", *labels, "   "], lines, strict=True)
    ]


def _name(view: View, seat: int, style: Style) -> str:
    mark = ">" if seat == facts.observer(view) else " "
    dealer = "D" if seat == view["dealer"] else " "
    name = f"{mark} {facts.seat_name(seat)} {dealer}".rjust(SEAT_WIDTH)
    return style.paint(name, GREEN) if seat in winners(view) else name


def _row(view: View, seat: int, row: int, style: Style) -> str:
    """Two cards, and their points together where both are known."""
    points = pair_score(view, seat, row)
    cards = " ".join(_slot(view, seat, slot, style) for slot in (2 * row, 2 * row + 1))
    return f"{cards}{'' if points is None else points:>3}"


def _slot(view: View, seat: int, slot: int, style: Style) -> str:
    card = view["hands"][seat][slot]
    if card is None:
        return f"{style.paint('?'.rjust(CARD_WIDTH), DIM)} "
    return f"{style.card(card, CARD_WIDTH)}{' ' if view['face_up'][seat][slot] else '*'}"


def _legend_lines(view: View, style: Style) -> list[str]:
    slots = [(seat, slot) for seat in range(view["players"]) for slot in range(SLOTS)]
    hidden = {view["hands"][i][j] is None for i, j in slots if not view["face_up"][i][j]}
    legend = {True: "? lies face down", False: "* lies face down"}
    return [style.paint(f"  {legend[unknown]}", DIM) for unknown in sorted(hidden)]
