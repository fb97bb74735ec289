"""The public story of Sixes, the chip game: a kernels' log of one step or reset as event dicts.

{"type": "deal", "round": 1, "dealer": 4, "starter": 0, "hands": [["AD", …], …]}
{"type": "play", "player": 0, "card": "6D"}
{"type": "pass", "player": 1, "paid": 1}                    0 if no chip was left
{"type": "round_end", "round": 1, "winner": 2, "pot": 7, "chips": [9, …]}   the pot is paid out
{"type": "match_end", "chips": [9, …], "winners": [2]}

The cap on rounds is no part of the game: a match that it cuts off just stops after a round.
"""

from __future__ import annotations

import numpy as np

from sixth_env.games.chips import kernels
from sixth_env.games.chips.cards import chips_name
from sixth_env.games.events import Json, read_entries


def read_log(log: np.void, after: Json) -> list[Json]:
    """The events of one step or reset, in order.

    Args:
        log: a record of ``kernels.LOG`` that the step has filled.
        after: the position after the step; a new deal, and chips, are read from it.
    """
    return [_event(after, *entry) for entry in read_entries(log)]


def _event(after: Json, kind: int, seat: int, card: int, value: int) -> Json:
    """The event of one entry of the log (kind, seat, card or round, chips)."""
    if kind == kernels.LOG_PLAY:
        return {"type": "play", "player": seat, "card": chips_name(card)}
    if kind == kernels.LOG_PASS:
        return {"type": "pass", "player": seat, "paid": value}
    chips = list(after["chips"])  # a deal moves none
    if kind == kernels.LOG_ROUND:
        return {"type": "round_end", "round": card, "winner": seat, "pot": value, "chips": chips}
    if kind == kernels.LOG_MATCH:
        winners = [seat for seat, own in enumerate(chips) if own == max(chips)]
        return {"type": "match_end", "chips": chips, "winners": winners}
    deal = {name: after[name] for name in ("round", "dealer", "starter")}
    return {"type": "deal", **deal, "hands": [list(hand) for hand in after["hands"]]}
