"""How many decisions a second this machine makes: what ``sixth-env benchmark`` shows.

The unit is the agent-step: one seat's decision applied. Seats that only wait do not count; deals,
the check of actions and new matches are included. One thread, processor time, uniformly random
legal actions. The repeats go round all cases, so that a slow spell of the machine hits them alike.
"""

from __future__ import annotations

import inspect
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Table

from sixth_env import __version__
from sixth_env.batch import Batch
from sixth_env.engine import Engine
from sixth_env.envs.aec import AECMatch, OrderEnforcing
from sixth_env.envs.parallel import ParallelMatch
from sixth_env.games import GAMES, get_game
from sixth_env.games.base import MATCH_END, TRUNCATED, Game
from sixth_env.opponents import load_opponent, opponent_names
from sixth_env.report import check_writable, write_report

SEED = 1
UNIT = "agent-steps (seats' decisions, waiting not counted) a second of one processor core"


@dataclass(frozen=True)
class Plan:
    """How much to measure.

    Attributes:
        batches: numbers of games for the engine and the batch.
        repeats: measurements of each case; their median is reported.
        seconds: least processor time of a measurement.
        monte_carlo: the Monte Carlo opponent's name.
    """

    batches: tuple[int, ...] = (1, 64, 1024, 8192)
    repeats: int = 7
    seconds: float = 0.2
    monte_carlo: str = "mc:100"


FULL = Plan()
QUICK = Plan(batches=(1, 1024), repeats=3, seconds=0.02, monte_carlo="mc:10")


@dataclass(frozen=True)
class Row:
    """One line of the report: the median rate, and the lowest and highest of the repeats.

    Attributes:
        interface: what is called: the engine, the batch, an environment, or an opponent's `act`.
        game: the game's id.
        rules: ``"default"``, or what differs.
        what: the observations' type.
        batch: games stepped, or decisions asked for, at once.
        rate, low, high: agent-steps a second of processor time.
    """

    interface: str
    game: str
    rules: str
    what: str
    batch: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class Report:
    """What was measured where."""

    machine: dict[str, Any]
    rows: tuple[Row, ...]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        rows = [asdict(row) for row in self.rows]
        return {"unit": UNIT, "machine": self.machine, "rows": rows}

    def tables(self) -> list[Table]:
        """The report for a terminal, a table for each game."""
        return [_table(game, self.rows) for game in dict.fromkeys(row.game for row in self.rows)]


def _table(game: str, rows: Iterable[Row]) -> Table:
    title = f"{get_game(game).title}: agent-steps a second"
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE, pad_edge=False, show_edge=False
    )
    for column in ("interface", "rules", "sees"):
        table.add_column(column, no_wrap=True)
    for column in ("at once", "median", "lowest", "highest"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        if row.game == game:
            rates = (_short(row.rate), _short(row.low), _short(row.high))
            table.add_row(row.interface, row.rules, row.what, str(row.batch), *rates)
    return table


class Case(NamedTuple):
    """Something to measure: ``work(n)`` does n units of it and returns the decisions made."""

    interface: str
    game: str
    rules: str
    what: str
    batch: int
    work: Callable[[int], int]


def run(games: Iterable[str] = (), *, quick: bool = False, json: Path | None = None) -> Report:
    """Measure, print the report, and write it to a file if there is one.

    Args:
        games: ids; all games by default.
        quick: a rough measurement in seconds.
        json: a file for the report as JSON.

    Raises:
        ConfigError: no such game, or the file cannot be written.
    """
    check_writable(json)
    report = measure(games, QUICK if quick else FULL)
    console = Console(highlight=False, markup=False)
    for table in report.tables():
        console.print(table)
    console.print(f"Median, lowest and highest of the repeats: {UNIT}.")
    console.print(", ".join(f"{name} {value}" for name, value in report.machine.items()))
    if json is not None:
        write_report(json, report.to_dict())
    return report


def measure(games: Iterable[str] = (), plan: Plan = FULL) -> Report:
    """Measure some games, all by default; see :class:`Plan`."""
    chosen = [get_game(game) for game in games] or list(GAMES.values())
    cases = [case for game in chosen for case in _cases(game, plan)]
    sizes = [_size(case, plan.seconds) for case in cases]
    rates: list[list[float]] = [[] for _ in cases]
    for _ in range(plan.repeats):
        for case, size, found in zip(cases, sizes, rates, strict=True):
            found.append(_rate(case, size)[0])
    rows = [
        Row(*case[:-1], median(found), min(found), max(found))
        for case, found in zip(cases, rates, strict=True)
    ]
    return Report(_machine(), tuple(rows))


def _rate(case: Case, size: int) -> tuple[float, float]:
    """Decisions a second, and the seconds it took."""
    start = time.process_time()
    decisions = case.work(size)
    seconds = time.process_time() - start
    return decisions / max(seconds, 1e-9), seconds


def _size(case: Case, seconds: float) -> int:
    """How many units of work take at least ``seconds``; everything is compiled afterwards."""
    case.work(1)
    size = 1
    while _rate(case, size)[1] < seconds:
        size *= 2
    return size


def _machine() -> dict[str, Any]:
    return {
        "sixth_env": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }


def _short(rate: float) -> str:
    """Three digits: "36.2 M", "771 k"."""
    for unit, suffix in ((1e6, " M"), (1e3, " k")):
        if rate >= unit:
            return f"{rate / unit:.3g}{suffix}"
    return f"{rate:.3g}"


# --- Cases ----------------------------------------------------------------------------------------


def _cases(game: Game, plan: Plan) -> Iterator[Case]:
    """Everything to measure of one game."""
    for rules, config in _rule_sets(game):
        decisions = _decisions(game, config)
        for games in plan.batches:
            work = _play(Engine(game.id, games, seed=SEED, **config), decisions)
            yield Case("engine", game.id, rules, "none", games, work)
            for dtype in ("int16", "float32"):
                work = _step(Batch(game.id, games, seed=SEED, dtype=dtype, **config), decisions)
                yield Case("batch", game.id, rules, dtype, games, work)
    if game.simultaneous:
        yield Case("parallel_env", game.id, "default", "float32", 1, _parallel(game))
    yield Case("env (AEC)", game.id, "default", "float32", 1, _agents_in_turn(game))
    for name in opponent_names(game.id):
        monte_carlo = name.startswith("mc:")
        spec, rows = (plan.monte_carlo, 8) if monte_carlo else (name, 1024)
        work = _decide(game, spec, rows)
        yield Case(f"opponent {spec}", game.id, "default", "int16", rows, work)


def _rule_sets(game: Game) -> list[tuple[str, dict[str, Any]]]:
    """The game as it is by default; the rows games also as programs mostly play them."""
    sets: list[tuple[str, dict[str, Any]]] = [("default", {})]
    if "row_choice" in inspect.signature(game.rules).parameters:
        sets.append(("cheapest row", {"row_choice": "cheapest"}))
    return sets


def _play(engine: Engine, decisions: float) -> Callable[[int], int]:
    """Steps of the engine, nobody looking; ``decisions`` are those of one game in one step."""
    actions = engine.sample_actions()

    def work(steps: int) -> int:
        for _ in range(steps):
            engine.sample_actions(out=actions)
            engine.step(actions)
            if engine.any(MATCH_END | TRUNCATED):
                engine.restart(engine.done())
        return round(steps * engine.num_games * decisions)

    return work


def _step(batch: Batch, decisions: float) -> Callable[[int], int]:
    """Steps of the batch, with the observations and masks of all seats."""
    actions = batch.sample_actions()

    def work(steps: int) -> int:
        for _ in range(steps):
            batch.sample_actions(out=actions)
            batch.step(actions)
        return round(steps * batch.num_games * decisions)

    return work


def _decisions(game: Game, config: dict[str, Any], games: int = 256, steps: int = 100) -> float:
    """How many seats decide in a step of one game, on average.

    Counted beforehand: counting what a small batch does would take as long as doing it.
    """
    batch = Batch(game.id, games, seed=SEED, **config)
    step = batch.reset()
    acting = 0
    for _ in range(steps):
        acting += int(step.acting.sum())
        step = batch.step(batch.sample_actions())
    return acting / (games * steps)


def _parallel(game: Game) -> Callable[[int], int]:
    """Steps of PettingZoo's parallel environment, the choice of random actions included."""
    env, choose = ParallelMatch(game.id), _chooser()
    observations: dict[str, Any] = {}

    def work(steps: int) -> int:
        nonlocal observations
        decisions = 0
        for _ in range(steps):
            if not env.agents:
                observations, _ = env.reset(SEED if not observations else None)
            actions = {a: choose(seen["action_mask"]) for a, seen in observations.items()}
            observations = env.step(actions)[0]
            decisions += sum(action != game.wait for action in actions.values())
        return decisions

    return work


def _agents_in_turn(game: Game) -> Callable[[int], int]:
    """Decisions in PettingZoo's AEC environment, the choice of random actions included."""
    env, choose = OrderEnforcing(AECMatch(game.id)), _chooser()
    env.reset(seed=SEED)

    def work(decisions: int) -> int:
        for _ in range(decisions):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.observe(env.agent_selection)
            env.step(choose(observation["action_mask"]))
        return decisions

    return work


def _chooser() -> Callable[[NDArray[np.int8]], int]:
    """Chooses a random legal action from a mask."""
    random = Random(SEED)

    def choose(mask: NDArray[np.int8]) -> int:
        legal = mask.nonzero()[0]
        return int(legal[int(random.random() * len(legal))])

    return choose


def _decide(game: Game, spec: str, rows: int) -> Callable[[int], int]:
    """Decisions of an opponent, asked about ``rows`` decisions of random play at a time."""
    opponent = load_opponent(spec, game.id)
    observation, mask = _some_decisions(game, rows)
    seeds = np.arange(rows, dtype=np.uint64)

    def work(calls: int) -> int:
        for _ in range(calls):
            opponent.act(observation, mask, seeds)
        return calls * rows

    return work


def _some_decisions(game: Game, rows: int) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """Integer observations (rows, D) and masks: one decision each of matches at various turns."""
    batch, games = Batch(game.id, rows, seed=SEED), np.arange(rows)
    step = batch.reset()
    observation, mask = np.zeros_like(step.observation[:, 0]), np.zeros_like(step.action_mask[:, 0])
    for turn in range(40):
        now = games[games % 40 == turn]
        seat = step.acting[now].argmax(axis=1)
        observation[now], mask[now] = step.observation[now, seat], step.action_mask[now, seat]
        step = batch.step(batch.sample_actions())
    return observation, mask
