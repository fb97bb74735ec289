"""What both renderers read out of a view or position: scores, names and the state of play.

Names, hands and wording serve all games, the scores and the state of play the rows games alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sixth_env.games.cards import Card, card_points

View = Mapping[str, Any]

TITLES = {"sixth_card": "Sixth Card", "six_nimmt": "6 nimmt!"}


def seat_name(seat: int) -> str:
    """The agent's name, as the environments use it."""
    return f"player_{seat}"


def observer(view: View) -> int | None:
    """The seat whose view it is; None for a position, which is nobody's view."""
    player: int | None = view.get("player")
    return player


def known_hand(view: View, seat: int) -> list[Card] | None:
    """The seat's cards, lowest first, or None where only their number is known."""
    hand = view["hands"][seat]
    return None if isinstance(hand, int) else list(hand)


def cards_left(view: View, seat: int) -> int:
    """How many cards the seat still holds."""
    hand = view["hands"][seat]
    return hand if isinstance(hand, int) else len(hand)


def chosen_card(view: View, seat: int) -> tuple[bool, Card | None]:
    """Whether the seat has laid a card face down this turn, and that card if it is known.

    Where a hand is only a count, so is the choice: 6 nimmt!'s card 1 and "one card" look alike.
    """
    choice = view.get("chosen", [None] * view["players"])[seat]
    if known_hand(view, seat) is None:
        return bool(choice), None
    return choice is not None, choice


def points_of(view: View, cards: Sequence[Card]) -> int:
    """Penalty points of some cards together."""
    return sum(card_points(view["game"], card) for card in cards)


def round_points(view: View, seat: int) -> int:
    """Penalty points that the seat has taken in this round."""
    return points_of(view, view["piles"][seat])


def total_points(view: View, seat: int) -> int:
    """The seat's points in the match, this round's included."""
    written: int = view["totals"][seat]
    # Totals are written down when a round ends, so a finished match has this round in them.
    return written if view["phase"] == "over" else written + round_points(view, seat)


def is_full(view: View, row: Sequence[Card]) -> bool:
    """Whether the next card laid on the row takes it."""
    return len(row) >= int(view["rules"]["row_length"])


def winners(view: View) -> list[int]:
    """The seats with the fewest points once the match is over, else none."""
    if view["phase"] != "over":
        return []
    totals = view["totals"]
    return [seat for seat, total in enumerate(totals) if total == min(totals)]


def chooser(view: View) -> int | None:
    """The seat that has to take or choose a row now, if any."""
    if view["phase"] != "row":
        return None
    seat: int = view["revealed"][0]["player"]
    return seat


def progress(view: View) -> list[str]:
    """Where the match stands, in a few words each: round, turn, how it ends."""
    rules = view["rules"]
    if rules["num_rounds"] is None:
        rounds, end = f"round {view['round']}", [f"to {rules['target_score']} points"]
    else:
        rounds, end = f"round {view['round']} of {rules['num_rounds']}", []
    return [rounds, f"turn {view['turn']} of {rules['hand_size']}", *end]


def prompt(view: View) -> str:
    """One sentence: what is to be done now, or how the match ended."""
    if view["phase"] == "over":
        return verdict(winners(view), plural(min(view["totals"]), "point"))
    seat = chooser(view)
    if seat is not None:
        return f"{seat_name(seat)} chooses a row"
    return "everyone chooses a card"


def verdict(best: Sequence[int], result: str) -> str:
    """Who has won: "player_1 wins with 12 points"."""
    names = [seat_name(seat) for seat in best]
    if len(names) == 1:
        return f"{names[0]} wins with {result}"
    return f"{', '.join(names[:-1])} and {names[-1]} share the win with {result}"


def plural(count: int, noun: str) -> str:
    """``1 point``, ``2 points``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
