"""The kernels of the golf game under one name.

:mod:`sixth_env.games.rows.kernels` says what each is for.
"""

from __future__ import annotations

from sixth_env.games.golf.play import (
    clear_round,
    deal,
    hand_points,
    new_match,
    pair_points,
    playing,
    round_points,
    step,
    withdraw,
)
from sixth_env.games.golf.seat import (
    commit,
    decides,
    num_public,
    observe_public,
    observe_seat,
    random_action,
    score,
    seat_at,
    write_mask,
)
from sixth_env.games.golf.state import LOG, RULES, STATE
from sixth_env.games.golf.worlds import determinize, read_rules

__all__ = [
    "LOG",
    "RULES",
    "STATE",
    "clear_round",
    "commit",
    "deal",
    "decides",
    "determinize",
    "hand_points",
    "new_match",
    "num_public",
    "observe_public",
    "observe_seat",
    "pair_points",
    "playing",
    "random_action",
    "read_rules",
    "round_points",
    "score",
    "seat_at",
    "step",
    "withdraw",
    "write_mask",
]
