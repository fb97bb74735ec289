"""Exact solutions of two-player positions of the rows games whose hands both players know.

The players' points are a zero-sum game then: the value of a position is what seat 0 can expect to
gain on seat 1 to the end of the round (the ``"relative"`` reward) if both play best.
"""

from __future__ import annotations

from sixth_env.solver.solver import MAX_MEMO, Solution, Solved, Solver, check_game, solve

__all__ = ["MAX_MEMO", "Solution", "Solved", "Solver", "check_game", "solve"]
