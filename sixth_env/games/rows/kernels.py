"""The kernels of the rows games under one name, as :class:`~sixth_env.games.base.Game` has them.

Of a game's kernels the engine and the opponents use ``LOG`` and

- ``new_match(s, r, log)``, ``step(s, r, log) -> flags``: deal a match; apply the committed actions;
- ``seat_at(s, r, k)``, ``decides(s, r, seat)``: who has the k-th row of actions; whether it acts;
- ``commit(s, r, seat, action) -> legal``: note an action for ``step``;
- ``random_action(s, r, seat, bits)``: a legal action, uniformly;
- ``write_mask(s, r, seat, mask)``, ``observe_public(s, r, obs)``, ``num_public(r)``,
  ``observe_seat(s, r, seat, obs)``: action mask and observation;
- ``score(s, r, seat)``: the result of a match, higher is better;
- ``determinize(obs, key, r, s)``: a position that agrees with an observation.
"""

from __future__ import annotations

from sixth_env.games.rows.play import (
    clear_round,
    deal,
    new_match,
    put_key,
    row_choices,
    row_key,
    start_row,
    step,
    withdraw,
)
from sixth_env.games.rows.seat import (
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
from sixth_env.games.rows.state import (
    CARD,
    EMPTY,
    LOG,
    LOG_DEAL,
    LOG_DECISION,
    LOG_MATCH,
    LOG_PLACE,
    LOG_REVEAL,
    LOG_ROUND,
    LOG_TAKE,
    OVER,
    ROW,
    RULES,
    state_type,
)
from sixth_env.games.rows.worlds import determinize, read_rules

__all__ = [
    "CARD",
    "EMPTY",
    "LOG",
    "LOG_DEAL",
    "LOG_DECISION",
    "LOG_MATCH",
    "LOG_PLACE",
    "LOG_REVEAL",
    "LOG_ROUND",
    "LOG_TAKE",
    "OVER",
    "ROW",
    "RULES",
    "clear_round",
    "commit",
    "deal",
    "decides",
    "determinize",
    "new_match",
    "num_public",
    "observe_public",
    "observe_seat",
    "put_key",
    "random_action",
    "read_rules",
    "row_choices",
    "row_key",
    "score",
    "seat_at",
    "start_row",
    "state_type",
    "step",
    "withdraw",
    "write_mask",
]
