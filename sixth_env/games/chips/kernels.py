"""The kernels of Sixes, the chip game, under one name; ``games/rows/kernels.py`` lists what the
engine and the opponents use of them. One seat acts in a step: row k = 0 is whose turn it is.
"""

from __future__ import annotations

from sixth_env.games.chips.play import clear_round, deal, give, lay, new_match, step, withdraw
from sixth_env.games.chips.seat import (
    commit,
    count,
    decides,
    num_public,
    observe_public,
    observe_seat,
    random_action,
    score,
    seat_at,
    write_mask,
)
from sixth_env.games.chips.state import (
    ALL_CARDS,
    FIRST_CARD,
    LOG,
    LOG_DEAL,
    LOG_MATCH,
    LOG_PASS,
    LOG_PLAY,
    LOG_ROUND,
    OVER,
    PASS,
    PLAY,
    RULES,
    SIXES,
    STATE,
    WAIT,
)
from sixth_env.games.chips.worlds import determinize, read_rules

__all__ = [
    "ALL_CARDS",
    "FIRST_CARD",
    "LOG",
    "LOG_DEAL",
    "LOG_MATCH",
    "LOG_PASS",
    "LOG_PLAY",
    "LOG_ROUND",
    "OVER",
    "PASS",
    "PLAY",
    "RULES",
    "SIXES",
    "STATE",
    "WAIT",
    "clear_round",
    "commit",
    "count",
    "deal",
    "decides",
    "determinize",
    "give",
    "lay",
    "new_match",
    "num_public",
    "observe_public",
    "observe_seat",
    "random_action",
    "read_rules",
    "score",
    "seat_at",
    "step",
    "withdraw",
    "write_mask",
]
