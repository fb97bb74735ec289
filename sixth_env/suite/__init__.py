"""The suite: a frozen yardstick. The same fields on the same deals for every opponent.

suite = load_suite("v1")
for result in play_suite(Run(suite, "runs/ppo/latest", "mine", games=("sixth_card",), quick=True)):
    print(result.board, result.score)
"""

from __future__ import annotations

from sixth_env.suite.definition import Board, Suite, SuiteField, load_suite, suite_names
from sixth_env.suite.result import FieldResult, Figure, SuiteResult, read_result
from sixth_env.suite.run import Run, play_suite

__all__ = [
    "Board",
    "FieldResult",
    "Figure",
    "Run",
    "Suite",
    "SuiteField",
    "SuiteResult",
    "load_suite",
    "play_suite",
    "read_result",
    "suite_names",
]
