"""The public story of the rows games: a kernels' log of one step or reset as event dicts.

The log is terse: one entry for each card of a taken row, each revealed card, each seat's score.
Entries of one kind that follow each other are one event, except placings, which are one each.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from sixth_env.games.cards import card_name, penalty_table
from sixth_env.games.events import Entry, Json, ended_round, fewest_win, read_entries
from sixth_env.games.rows import kernels
from sixth_env.games.rows.rules import MAX_ROWS


def read_log(game_id: str, log: np.void, after: Json) -> list[Json]:
    """The events of one step or reset, in order.

    Args:
        game_id: which cards are meant.
        log: a record of ``kernels.LOG`` that the step has filled.
        after: the position after the step; a new deal, or the final totals, are read from it.
    """
    events: list[Json] = []
    for kind, run in groupby(read_entries(log), key=lambda entry: entry.kind):
        entries = list(run)
        if kind == kernels.LOG_REVEAL:
            events.append(_reveal(game_id, entries))
        elif kind == kernels.LOG_DECISION:
            events.append(_decision(game_id, entries[0]))
        elif kind == kernels.LOG_TAKE:
            events.append(_take(game_id, entries))
        elif kind == kernels.LOG_PLACE:
            events += [_place(game_id, entry) for entry in entries]
        elif kind == kernels.LOG_ROUND:
            events.append(_round_end(entries, after))
        elif kind == kernels.LOG_MATCH:
            events.append(fewest_win(after))
        elif kind == kernels.LOG_DEAL:
            events.append(_deal(after))
    return events


def _reveal(game_id: str, entries: list[Entry]) -> Json:
    """Everybody's card, in placing order; the value is the turn."""
    cards = [{"player": e.seat, "card": card_name(game_id, e.card)} for e in entries]
    return {"type": "reveal", "turn": entries[0].value, "cards": cards}


def _decision(game_id: str, entry: Entry) -> Json:
    """A player is asked for a row; the value is the bit set of the rows to choose from."""
    rows = [row for row in range(MAX_ROWS) if entry.value >> row & 1]
    card = card_name(game_id, entry.card)
    return {"type": "row_decision", "player": entry.seat, "card": card, "rows": rows}


def _take(game_id: str, entries: list[Entry]) -> Json:
    """A whole row is taken, one entry a card; the value is the row."""
    points = penalty_table(game_id)
    return {
        "type": "take",
        "player": entries[0].seat,
        "row": entries[0].value,
        "cards": [card_name(game_id, entry.card) for entry in entries],
        "points": sum(points[entry.card] for entry in entries),
    }


def _place(game_id: str, entry: Entry) -> Json:
    card = card_name(game_id, entry.card)
    return {"type": "place", "player": entry.seat, "card": card, "row": entry.value}


def _round_end(entries: list[Entry], after: Json) -> Json:
    """One entry a seat: its points of the round, and its total with them."""
    points, totals = [e.card for e in entries], [e.value for e in entries]
    return {"type": "round_end", "round": ended_round(after), "points": points, "totals": totals}


def _deal(after: Json) -> Json:
    return {
        "type": "deal",
        "round": after["round"],
        "dealer": after["dealer"],
        "rows": [list(row) for row in after["rows"]],
        "hands": [list(hand) for hand in after["hands"]],
    }
