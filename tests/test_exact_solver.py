"""The exact solver: against linear programming, walked trees, cases by hand, and itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env.engine import Engine
from sixth_env.errors import ConfigError, PositionError, SixthEnvError
from sixth_env.exact import Solver, exact_rules, solve
from sixth_env.games.cards import card_name
from sixth_env.games.rows.state import ROW
from sixth_env.solver import solver as solver_module
from sixth_env.solver.matrix import (
    DONE,
    FRAME,
    MAX_ACTIONS,
    NOBODY,
    SCRATCH,
    next_payoff,
    open_frame,
)
from tests.exact_games import (
    SMALL,
    TWINS,
    Json,
    Matrix,
    brute_force,
    linear_programme,
    small_engine,
    solutions,
    solver_of,
)

ROOT = Path(__file__).resolve().parents[1]

# The same kernels, compiled once more for the longer ladder.
SIX_NIMMT = [pytest.param(*case, marks=pytest.mark.slow) for case in SMALL if "nimmt" in case[0]]
SIXTH_CARD = [case for case in (*SMALL, TWINS) if "nimmt" not in case[0]]


# --- Matrix games --------------------------------------------------------------------------------


def solve_matrix(payoff: Matrix) -> tuple[float, Matrix, Matrix, int]:
    """Value, both mixes and the number of payoffs that were asked for."""
    frame, scratch = np.zeros(1, FRAME)[0], np.zeros(1, SCRATCH)[0]
    scratch["uniform"] = NOBODY
    frame["count"] = payoff.shape
    open_frame(frame, 0, 0)
    asked = 0
    while (place := next_payoff(frame, scratch)) != DONE:
        i, j = divmod(place, MAX_ACTIONS)
        assert np.isnan(frame["payoff"][i, j])
        frame["payoff"][i, j] = payoff[i, j]
        asked += 1
    m, n = payoff.shape
    return float(frame["value"]), frame["mix"][0, :m], frame["mix"][1, :n], asked


def matrices(kind: str) -> list[Matrix]:
    rng = np.random.default_rng(7)
    sizes = [rng.integers(1, MAX_ACTIONS + 1, 2) for _ in range(40)]
    if kind == "few values":  # full of ties, where a simplex method may go in circles
        return [rng.integers(-1, 2, size).astype(float) for size in sizes]
    if kind == "cycles":  # every action beats another one: mixes of many actions
        return [np.subtract.outer(np.arange(n), np.arange(n)) % n * 1.0 for n in range(2, 11)]
    return [rng.normal(size=size) * 20 for size in sizes]


@pytest.mark.parametrize("kind", ["normal", "few values", "cycles"])
def test_matrix_games_against_linear_programming(kind: str) -> None:
    pytest.importorskip("scipy")
    for payoff in matrices(kind):
        value, x, y, _ = solve_matrix(payoff)
        assert value == pytest.approx(linear_programme(payoff), abs=1e-9)
        assert x.min() >= 0 and y.min() >= 0
        assert x.sum() == pytest.approx(1, abs=1e-9)
        assert y.sum() == pytest.approx(1, abs=1e-9)
        assert (x @ payoff).min() == pytest.approx(value, abs=1e-9)
        assert (payoff @ y).max() == pytest.approx(value, abs=1e-9)


def test_a_saddle_point_needs_few_payoffs() -> None:
    rows, columns = np.meshgrid(np.arange(10.0), np.arange(10.0), indexing="ij")
    value, x, y, asked = solve_matrix(rows + columns)
    assert value == 9 and x[9] == 1 and y[0] == 1
    assert asked <= 3 * 10


# --- Whole games ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "config"), [*SIXTH_CARD, *SIX_NIMMT])
def test_values_against_walked_trees(game: str, config: Json) -> None:
    pytest.importorskip("scipy")
    engine = small_engine(game, config, deals=4, seed=3)
    values = solver_of(engine).solve(engine.states).value
    for index, value in enumerate(values):
        single = small_engine(game, config)
        single.restore(engine.save([index]))
        assert value == pytest.approx(brute_force(single, linear_programme), abs=1e-9)


@pytest.mark.parametrize(("game", "config"), [SIXTH_CARD[0], SIXTH_CARD[2], TWINS, *SIX_NIMMT])
def test_later_positions(game: str, config: Json) -> None:
    pytest.importorskip("scipy")
    phases = set()
    for seed in range(6):
        engine = small_engine(game, config, seed=seed)
        while True:
            engine.step(engine.sample_actions(seed))
            if engine.done()[0]:
                break
            phases.add(int(engine.states["phase"][0]))
            value = solver_of(engine).solve(engine.states).value[0]
            assert value == pytest.approx(brute_force(engine, linear_programme), abs=1e-9)
    assert (ROW in phases) == (config.get("row_choice") != "cheapest")


def test_a_row_decision_takes_what_costs_least_in_the_end() -> None:
    for seed in range(20):
        engine = small_engine("sixth_card", {"hand_size": 4, "rows": 3, "row_length": 2}, seed=seed)
        engine.step(engine.sample_actions(seed))
        if engine.states["phase"][0] != ROW:
            continue
        solution = solve(engine.position())
        (owner,) = [seat for seat in range(2) if len(solution.worth[seat]) > 1]
        wait = engine.game.wait
        assert solution.strategies[1 - owner] == {wait: 1.0}
        worth = {}
        for action in solution.worth[owner]:
            after = engine.copy()
            gains = after.step([[action if seat == owner else wait for seat in range(2)]])
            worth[action] = gains.reward[0, owner] + (1 - 2 * owner) * solve(after.position()).value
        assert solution.worth[owner] == pytest.approx(worth)
        assert max(worth.values()) == pytest.approx((1 - 2 * owner) * solution.value)
        return
    pytest.fail("no row was chosen in any of the games")


def one_card(rows: list[int], hands: list[int], **config: Any) -> float:
    """The value of Sixth Card with one card each; cards are numbered from 1, a point each."""
    engine = small_engine("sixth_card", {"hand_size": 1, "rows": len(rows), **config})
    position = engine.position()
    position["rows"] = [[card_name("sixth_card", card - 1)] for card in rows]
    position["hands"] = [[card_name("sixth_card", card - 1)] for card in hands]
    return solve(position).value


def test_cases_by_hand() -> None:
    assert one_card([1], [2, 3]) == 0  # both fit
    assert one_card([2], [1, 3]) == -1  # 1 is too low and takes the 2
    assert one_card([2], [3, 1]) == 1
    assert one_card([1], [2, 3], row_length=1) == 0  # 2 takes the 1, then 3 the 2: a point each
    assert one_card([3, 4], [1, 2]) == -1  # 1 takes a row, and 2 lies on the 1
    assert one_card([3, 4], [1, 2], row_length=1) == 0  # 1 takes a row, and 2 the 1
    assert one_card([2, 3], [1, 4], row_length=1) == 0  # whatever 1 takes, 4 takes a row after it


def test_seats_are_alike() -> None:
    engine = small_engine("sixth_card", {"hand_size": 4, "rows": 2}, deals=20)
    swapped = engine.copy()
    swapped.states["hands"][:, :2] = engine.states["hands"][:, 1::-1]
    solver = solver_of(engine)
    one, other = solver.solve(engine.states), solver.solve(swapped.states)
    assert np.abs(one.value).max() > 0.5
    np.testing.assert_allclose(one.value, -other.value, atol=1e-9)


def test_open_hands_of_a_large_deck() -> None:
    pytest.importorskip("scipy")
    engine = Engine(
        "sixth_card", seed=4, num_players=2, hand_size=3, rows=2, num_rounds=1, reward="relative"
    )
    with pytest.raises(PositionError, match=r"stock has 44 cards.*open_hands"):
        solve(engine.position())
    value = solve(engine.position(), open_hands=True).value
    assert value == pytest.approx(brute_force(engine, linear_programme), abs=1e-9)


# --- The memo ------------------------------------------------------------------------------------


def test_the_memo_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = small_engine("sixth_card", {"hand_size": 5}, deals=2)
    expected = solver_of(engine).solve(engine.states)
    monkeypatch.setattr(solver_module, "FIRST_MEMO", 2)
    solver = solver_of(engine)
    found = solver.solve(engine.states)
    assert solver.remembered > 1000
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    again = solver.games
    solver.solve(engine.states)
    assert solver.games - again < again / 10  # all is remembered but the first turn and the last
    monkeypatch.setattr(solver_module, "MAX_MEMO", 1024)
    with pytest.raises(SixthEnvError, match="too large"):
        solver_of(engine).solve(engine.states)


# --- Bad input -----------------------------------------------------------------------------------


def test_what_is_refused() -> None:
    for game in ("sixes_chips", "sixes_golf"):
        with pytest.raises(ConfigError, match=f"{game} has no exact solution"):
            exact_rules(game)
        with pytest.raises(ConfigError, match=f"{game} has no exact solution"):
            solve(Engine(game, seed=1, num_players=2).position())
    with pytest.raises(ConfigError, match="num_players=2, not 3"):
        exact_rules("sixth_card", num_players=3)
    three = Engine("sixth_card", seed=1, num_players=3, exact_deck=True)
    with pytest.raises(ConfigError, match="for 2 players"):
        Solver(three.game, three.rules)
    twins = Engine("sixth_card", seed=1, num_players=2, decks=2, hand_size=2)
    with pytest.raises(ConfigError, match="decks=2 need all cards dealt"):
        solve(twins.position(), open_hands=True)
    with pytest.raises(PositionError, match="rules"):
        solve({"game": "sixth_card"})
    engine = small_engine("sixth_card", {"hand_size": 2})
    position = engine.position()
    with pytest.raises(PositionError, match="committed already"):
        solve({**position, "chosen": [position["hands"][0][0], None]})
    while not engine.done()[0]:
        engine.step(engine.sample_actions(1))
    with pytest.raises(PositionError, match="nothing to solve"):
        solve(engine.position())


# --- Interpreted ---------------------------------------------------------------------------------


def test_interpreted_kernels_do_the_same_without_warnings() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.exact_games"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    interpreted, compiled = json.loads(run.stdout), solutions()
    assert len(compiled) > 100
    np.testing.assert_allclose(interpreted, compiled, atol=1e-9)
