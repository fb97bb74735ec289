"""What the tests of exact play share: small games, and their values by another way.

Run as a program, it prints solutions, for the comparison of compiled and interpreted kernels.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.engine import MATCH_END, Engine
from sixth_env.exact import Solver, exploitability
from sixth_env.opponents import load_opponent

Json = dict[str, Any]
Matrix = NDArray[np.float64]

# Game, rules: both games and row rules, short rows that fill, twins.
SMALL: list[tuple[str, Json]] = [
    ("sixth_card", {"hand_size": 3, "rows": 2, "row_length": 2}),
    ("sixth_card", {"hand_size": 3, "rows": 1, "row_length": 1}),
    ("sixth_card", {"hand_size": 3, "rows": 3, "row_choice": "cheapest", "row_length": 2}),
    ("six_nimmt", {"hand_size": 3, "rows": 2, "row_length": 3}),
    ("six_nimmt", {"hand_size": 3, "rows": 2, "row_length": 1, "row_choice": "cheapest"}),
]
TWINS: tuple[str, Json] = ("sixth_card", {"hand_size": 3, "rows": 2, "decks": 2, "cards": 4})


def small_engine(game: str, config: Json, deals: int = 1, seed: int = 1) -> Engine:
    """Deals of two players and one round, all cards dealt."""
    rules = {"exact_deck": "decks" not in config, "num_players": 2, "num_rounds": 1, **config}
    return Engine(game, deals, seed=seed, reward="relative", **rules)


def solver_of(engine: Engine) -> Solver:
    return Solver(engine.game, engine.rules)


def brute_force(engine: Engine, value_of: Callable[[Matrix], float]) -> float:
    """What seat 0 of an engine's only game can expect to gain on seat 1, all of the tree walked."""
    first, second = engine.legal_actions(0, 0), engine.legal_actions(0, 1)
    payoff = np.empty((len(first), len(second)))
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            after = engine.copy()
            outcome = after.step([[a, b]])
            payoff[i, j] = outcome.reward[0, 0]
            if not outcome.flags[0] & MATCH_END:
                payoff[i, j] += brute_force(after, value_of)
    return value_of(payoff)


def linear_programme(payoff: Matrix) -> float:
    """The value of a matrix game by SciPy's linear programming."""
    linprog = import_module("scipy.optimize").linprog  # without types
    m, n = payoff.shape
    if m == 1 or n == 1:
        return float(payoff.min() if m == 1 else payoff.max())
    # Variables x (m,) and v: maximise v under payoff.T @ x >= v, sum x = 1, x >= 0.
    solved = linprog(
        np.r_[np.zeros(m), -1.0],
        A_ub=np.c_[-payoff.T, np.ones(n)],
        b_ub=np.zeros(n),
        A_eq=[np.r_[np.ones(m), 0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)],
    )
    return float(-solved.fun)


def solutions() -> list[float]:
    """Solutions and measurements of a few small games, as a list of numbers."""
    found: list[float] = []
    for game, config in (*SMALL[:3], TWINS):
        engine = small_engine(game, config, deals=2, seed=5)
        solved = solver_of(engine).solve(engine.states)
        for numbers in solved:
            found += numbers[~np.isnan(numbers)].tolist()
    for name in ("random", "cautious"):
        rules: Json = {"hand_size": 2, "rows": 2}
        measured = exploitability(load_opponent(name), deals=2, against_exact=True, **rules)
        assert measured.exact is not None
        found += [*measured.best.ravel().tolist(), *measured.exact.ravel().tolist()]
    return found


if __name__ == "__main__":
    print(json.dumps(solutions()))
