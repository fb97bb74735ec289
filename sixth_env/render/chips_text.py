"""Sixes, the chip game, as text: a line for each suit's column, from the ace up to the king."""

from __future__ import annotations

from sixth_env.games import get_game
from sixth_env.games.cards import SUIT_SYMBOLS, SUITS
from sixth_env.games.chips.cards import CHIPS_RANKS
from sixth_env.render import facts
from sixth_env.render.facts import View
from sixth_env.render.style import BOLD, DIM, GREEN, RED, Style

MOST_LACKED = 10  # a longer list of cards that a seat lacks is only counted


def blocks(view: View, style: Style) -> list[list[str]]:
    """The blocks of the picture, each a list of lines."""
    return [
        _header_lines(view, style),
        [_column_line(view, suit, style) for suit in SUITS],
        _seat_lines(view, style),
        _hand_lines(view, style),
    ]


def winners(view: View) -> list[int]:
    """The seats with the most chips once the match is over, nobody if it was cut off."""
    if view["phase"] != "over" or get_game("sixes_chips").cut_off(view):
        return []
    chips = view["chips"]
    return [seat for seat, own in enumerate(chips) if own == max(chips)]


def laid(view: View) -> list[str]:
    """The cards of the columns, suit by suit."""
    cards = []
    for suit, column in view["columns"].items():
        if column is not None:
            low, high = (CHIPS_RANKS.index(column[end][:-1]) for end in ("low", "high"))
            cards += [rank + suit for rank in CHIPS_RANKS[low : high + 1]]
    return cards


def lacked(view: View, seat: int) -> list[str]:
    """The cards that are still in hands, and by the seat's passes not in its own."""
    down = set(laid(view))
    return [card for card in view["lacks"][seat] if card not in down]


def progress(view: View) -> list[str]:
    """Where the match stands, in a few words each."""
    last = view["rules"]["num_rounds"]
    rounds = f"round {view['round']}" + ("" if last is None else f" of {last}")
    return [rounds, f"pot {view['pot']}"]


def prompt(view: View) -> str:
    """One sentence: who is to do what, or how the match ended."""
    if view["phase"] != "over":
        name = facts.seat_name(view["to_act"])
        return f"{name} plays a card, or passes" if laid(view) else f"{name} begins with the 6D"
    best = winners(view)
    if not best:
        return f"cut off after {facts.plural(view['round'], 'round')}, nobody wins"
    return facts.verdict(best, facts.plural(max(view["chips"]), "chip"))


def _header_lines(view: View, style: Style) -> list[str]:
    title = style.paint(get_game("sixes_chips").title, BOLD)
    seats = [f"{role} {facts.seat_name(view[role])}" for role in ("dealer", "starter")]
    sentence = prompt(view).replace("6D", style.name("6D"))
    if view["phase"] == "over":
        sentence = style.paint(f"match over: {sentence}", GREEN)
    return [style.separator.join([title, *progress(view), *seats]), sentence]


def _column_line(view: View, suit: str, style: Style) -> str:
    down = set(laid(view))
    places = [
        style.card(card, 2) if card in down else style.paint(style.dot.rjust(2), DIM)
        for card in (rank + suit for rank in CHIPS_RANKS)
    ]
    sign = SUIT_SYMBOLS[suit] if style.unicode else suit
    return f"  {style.paint(sign, RED) if suit in 'DH' else sign}   {'  '.join(places)}"


def _seat_lines(view: View, style: Style) -> list[str]:
    return [
        style.paint("  seat        chips  left  lacks", DIM),
        *(_seat_line(view, seat, style) for seat in range(view["players"])),
    ]


def _seat_line(view: View, seat: int, style: Style) -> str:
    mark = ">" if seat == facts.observer(view) else " "
    dealer = "D" if seat == view["dealer"] else " "
    name = f"{mark} {facts.seat_name(seat):<8} {dealer}"
    if seat in winners(view):
        name = style.paint(name, GREEN)
    counts = f"{view['chips'][seat]:>5}  {facts.cards_left(view, seat):>4}"
    return f"{name} {counts}  {_lacked(view, seat, style)}".rstrip()


def _lacked(view: View, seat: int, style: Style) -> str:
    cards = lacked(view, seat)
    return style.cards(cards) if len(cards) <= MOST_LACKED else f"{len(cards)} cards"


def _hand_lines(view: View, style: Style) -> list[str]:
    """The observer's hand; in a position, the hand of every seat."""
    lines = []
    for seat in range(view["players"]):
        hand = facts.known_hand(view, seat)
        if hand:
            label = "hand" if seat == facts.observer(view) else f"hand of {facts.seat_name(seat)}"
            lines.append(f"  {label}  {style.cards(hand, 2)}")
    return lines
