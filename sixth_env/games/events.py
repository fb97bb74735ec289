"""What the stories of all games share: the kernels' log of one step or reset, entry by entry."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Json = dict[str, Any]


class Entry(NamedTuple):
    """One line of the log; what ``seat``, ``card`` and ``value`` hold depends on the kind."""

    kind: int
    seat: int
    card: int
    value: int


def read_entries(log: np.void) -> list[Entry]:
    """The entries of a record of ``kernels.LOG`` that a step has filled."""
    columns = [log[name][: int(log["count"])].tolist() for name in Entry._fields]
    return [Entry(*entry) for entry in zip(*columns, strict=True)]


def ended_round(after: Json) -> int:
    """Which round has just ended: the next one has been dealt already, unless the match is over."""
    ended: int = after["round"] - (after["phase"] != "over")
    return ended


def fewest_win(after: Json) -> Json:
    """The end of a match that the fewest points win; ties share."""
    totals = list(after["totals"])
    winners = [seat for seat, total in enumerate(totals) if total == min(totals)]
    return {"type": "match_end", "totals": totals, "winners": winners}
