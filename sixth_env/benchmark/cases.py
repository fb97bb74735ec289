"""What is measured of this package: engine, batch, environments and opponents of a game."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixth_env.batch import Batch
from sixth_env.benchmark.measure import Plan, Work
from sixth_env.engine import Engine
from sixth_env.envs.aec import AECMatch, OrderEnforcing
from sixth_env.envs.parallel import ParallelMatch
from sixth_env.games.base import MATCH_END, TRUNCATED, Game
from sixth_env.opponents import load_opponent, opponent_names
from sixth_env.solo import SoloEnv, SoloVectorEnv

SEED = 1
ALONE = "others random"
"""the rules of environments for one learner: the opponents' decisions take time, but only the
learner's count"""


class Case(NamedTuple):
    """Something to measure, described as in a :class:`~sixth_env.benchmark.Row`."""

    interface: str
    game: str
    rules: str
    what: str
    batch: int
    work: Work


def cases(game: Game, plan: Plan) -> Iterator[Case]:
    """Everything to measure of one game."""
    for rules, config in _rule_sets(game):
        decisions = decisions_per_step(game, config)
        for games in plan.batches:
            work = play_engine(Engine(game.id, games, seed=SEED, **config), decisions)
            yield Case("engine", game.id, rules, "none", games, work)
            for dtype in ("int16", "float32"):
                batch = Batch(game.id, games, seed=SEED, dtype=dtype, **config)
                work = play_batch(batch, decisions)
                yield Case("batch", game.id, rules, dtype, games, work)
    if game.simultaneous:
        yield Case("parallel_env", game.id, "default", "float32", 1, play_parallel(game))
    yield Case("env (AEC)", game.id, "default", "float32", 1, play_aec(game))
    yield Case("gymnasium make", game.id, ALONE, "float32", 1, play_solo(game))
    for games in plan.batches:
        work = play_vector(game, games)
        yield Case("make_vec", game.id, ALONE, "float32", games, work)
    for name in opponent_names(game.id):
        monte_carlo = name.startswith("mc:")
        spec, rows = (plan.monte_carlo, 8) if monte_carlo else (name, 1024)
        yield Case(f"opponent {spec}", game.id, "default", "int16", rows, ask(game, spec, rows))


def _rule_sets(game: Game) -> list[tuple[str, dict[str, Any]]]:
    """The game as it is by default; the rows games also as programs mostly play them."""
    sets: list[tuple[str, dict[str, Any]]] = [("default", {})]
    if "row_choice" in inspect.signature(game.rules).parameters:
        sets.append(("cheapest row", {"row_choice": "cheapest"}))
    return sets


def decisions_per_step(
    game: Game, config: dict[str, Any], games: int = 256, steps: int = 100
) -> float:
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


# --- Many games -----------------------------------------------------------------------------------


def play_engine(engine: Engine, decisions: float) -> Work:
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


def play_batch(batch: Batch, decisions: float) -> Work:
    """Steps of the batch, with the observations and masks of all seats."""
    actions = batch.sample_actions()

    def work(steps: int) -> int:
        for _ in range(steps):
            batch.sample_actions(out=actions)
            batch.step(actions)
        return round(steps * batch.num_games * decisions)

    return work


def play_vector(game: Game, games: int) -> Work:
    """Steps of Gymnasium's vector environment, the choice of random actions included."""
    env = SoloVectorEnv(game.id, num_envs=games)
    # In each step the legal action of the highest rank; new ranks for each step would take longer
    # than the step.
    ranks = np.random.default_rng(SEED).random((64, game.num_actions), np.float32)
    mask = env.reset(seed=SEED)[0]["action_mask"]
    played = 0

    def work(steps: int) -> int:
        nonlocal mask, played
        for _ in range(steps):
            played += 1
            actions = (mask * ranks[played % len(ranks)]).argmax(axis=1)
            mask = env.step(actions)[0]["action_mask"]
        return steps * games

    return work


# --- One game -------------------------------------------------------------------------------------


def play_parallel(game: Game) -> Work:
    """Steps of PettingZoo's parallel environment, the choice of random actions included."""
    env, choose = ParallelMatch(game.id), chooser()
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


def play_aec(game: Game) -> Work:
    """Decisions in PettingZoo's AEC environment, the choice of random actions included."""
    return agents_in_turn(OrderEnforcing(AECMatch(game.id)))


def agents_in_turn(env: Any) -> Work:
    """Decisions in any AEC environment with action masks."""
    choose = chooser()
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


def play_solo(game: Game) -> Work:
    """The learner's decisions in Gymnasium's environment, the choice of them included."""
    env, choose = SoloEnv(game.id), chooser()
    seen = env.reset(seed=SEED)[0]

    def work(decisions: int) -> int:
        nonlocal seen
        for _ in range(decisions):
            seen, _, terminated, truncated, _ = env.step(choose(seen["action_mask"]))
            if terminated or truncated:
                seen = env.reset()[0]
        return decisions

    return work


def chooser() -> Callable[[NDArray[np.int8]], int]:
    """Chooses a random legal action from a mask."""
    random = Random(SEED)

    def choose(mask: NDArray[np.int8]) -> int:
        legal = mask.nonzero()[0]
        return int(legal[int(random.random() * len(legal))])

    return choose


# --- Opponents ------------------------------------------------------------------------------------


def ask(game: Game, spec: str, rows: int) -> Work:
    """Decisions of an opponent, asked about ``rows`` decisions of random play at a time."""
    opponent = load_opponent(spec, game.id)
    observation, mask = some_decisions(game, rows)
    seeds = np.arange(rows, dtype=np.uint64)

    def work(calls: int) -> int:
        for _ in range(calls):
            opponent.act(observation, mask, seeds)
        return calls * rows

    return work


def some_decisions(game: Game, rows: int) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
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
