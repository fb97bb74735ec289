"""Ground truth: perfect play of two players with open hands, and how far opponents are from it."""

from __future__ import annotations

from sixth_env.exact.deals import all_deals, exact_rules, num_deals, some_deals
from sixth_env.exact.measure import Exploitability, exploitability, solve_deals
from sixth_env.solver import Solution, Solved, Solver, solve

__all__ = [
    "Exploitability",
    "Solution",
    "Solved",
    "Solver",
    "all_deals",
    "exact_rules",
    "exploitability",
    "num_deals",
    "solve",
    "solve_deals",
    "some_deals",
]
