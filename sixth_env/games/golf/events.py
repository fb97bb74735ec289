"""The public story of the golf game: a kernels' log of one step or reset as event dicts.

The log is terse: one entry for each card of a round's hands, each seat's score. Entries of one kind
that follow each other are one event.

    {"type": "deal", "round": 1, "dealer": 0, "hands": [[…6], …], "discard": "8H"}
    {"type": "turn_up", "player": 0, "slot": 3, "card": "5H"}
    {"type": "take_discard", "player": 0, "slot": 3, "card": "8H", "replaced": "KD"}
    {"type": "refill"}
    {"type": "draw", "player": 0, "card": "2C"}
    {"type": "swap_drawn", "player": 0, "slot": 3, "card": "2C", "replaced": "KD"}
    {"type": "discard_drawn", "player": 0, "card": "2C"}
    {"type": "knock", "player": 0}
    {"type": "went_out", "player": 0}
    {"type": "round_end", "round": 1, "hands": [[…6], …], "raw": […], "points": […], "totals": […]}
    {"type": "cut_off", "turns": 240}
    {"type": "match_end", "totals": […], "winners": […]}

``raw`` are the scores of the hands, ``points`` what is written down. A seat learns of no card that
is dealt but the first discard, and of a draw by another only that there was one (``"hidden"``).
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from sixth_env.games.events import Entry, Json, ended_round, fewest_win, read_entries
from sixth_env.games.golf import state as log_kinds
from sixth_env.games.golf.cards import golf_card_name
from sixth_env.games.golf.rules import SLOTS

_SWAPS = {log_kinds.LOG_TAKE: "take_discard", log_kinds.LOG_PLACE: "swap_drawn"}
_MOVES = {log_kinds.LOG_DRAW: "draw", log_kinds.LOG_DISCARD: "discard_drawn"}
_CALLS = {log_kinds.LOG_KNOCK: "knock", log_kinds.LOG_OUT: "went_out"}


def read_log(log: np.void, after: Json) -> list[Json]:
    """The events of one step or reset, in order.

    Args:
        log: a record of ``kernels.LOG`` that the step has filled.
        after: the position after the step; a new deal, or the final totals, are read from it.
    """
    events: list[Json] = []
    hands: list[list[str]] = []
    for kind, run in groupby(read_entries(log), key=lambda entry: entry.kind):
        entries = list(run)
        if kind == log_kinds.LOG_HAND:
            names = [golf_card_name(entry.card) for entry in entries]
            hands = [names[i : i + SLOTS] for i in range(0, len(names), SLOTS)]
        elif kind == log_kinds.LOG_SCORE:
            events.append(_round_end(entries, hands, after))
        else:
            events.append(_event(entries[0], after))
    return events


def _event(entry: Entry, after: Json) -> Json:
    kind, player = entry.kind, entry.seat
    if kind == log_kinds.LOG_DEAL:
        return _deal(after)
    if kind == log_kinds.LOG_REFILL:
        return {"type": "refill"}
    if kind == log_kinds.LOG_CAP:
        return {"type": "cut_off", "turns": entry.value}
    if kind == log_kinds.LOG_MATCH:
        return fewest_win(after)
    if kind in _CALLS:
        return {"type": _CALLS[kind], "player": player}
    card = golf_card_name(entry.card)
    if kind == log_kinds.LOG_TURN_UP:
        return {"type": "turn_up", "player": player, "slot": entry.value, "card": card}
    if kind in _MOVES:
        return {"type": _MOVES[kind], "player": player, "card": card}
    slot, replaced = divmod(entry.value, 64)
    swap = {"type": _SWAPS[kind], "player": player, "slot": slot, "card": card}
    return {**swap, "replaced": golf_card_name(replaced)}


def _round_end(entries: list[Entry], hands: list[list[str]], after: Json) -> Json:
    """Three entries a seat: its raw score, its points, its total with them."""
    raw, points, totals = ([entry.card for entry in entries[part::3]] for part in range(3))
    score = {"raw": raw, "points": points, "totals": totals}
    return {"type": "round_end", "round": ended_round(after), "hands": hands, **score}


def _deal(after: Json) -> Json:
    return {
        "type": "deal",
        "round": after["round"],
        "dealer": after["dealer"],
        "hands": [list(hand) for hand in after["hands"]],
        "discard": after["discard_pile"][0],
    }
