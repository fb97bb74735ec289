"""Playing the PettingZoo environments in tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from sixth_env import six_nimmt_v0, sixth_card_v0

Json = dict[str, Any]
Chooser = Callable[[str, Json], int]

MODULES: dict[str, ModuleType] = {"sixth_card": sixth_card_v0, "six_nimmt": six_nimmt_v0}
TABLES = [(game, players) for game in MODULES for players in range(2, 11)]


def chooser(salt: int = 0) -> Chooser:
    """A policy that knows the agent and its observation alone, so both forms play one match."""

    def choose(agent: str, observation: Json) -> int:
        columns = observation["observation"]
        legal = np.flatnonzero(observation["action_mask"])
        mixed = int(np.abs(columns * 1000).sum()) + 7 * int(agent.removeprefix("player_")) + salt
        return int(legal[mixed % len(legal)])

    return choose


def actions_of(observations: Mapping[str, Json], choose: Chooser) -> dict[str, int]:
    """An action for every agent of a parallel environment."""
    return {agent: choose(agent, seen) for agent, seen in observations.items()}


def play_parallel(env: Any, observations: Any, choose: Chooser) -> list[Any]:
    """Play a match to its end; everything that the steps returned."""
    record = []
    while env.agents:
        result = env.step(actions_of(observations, choose))
        observations = result[0]
        record.append(result)
    return record


def play_aec(env: Any, choose: Chooser) -> tuple[list[str], dict[str, float]]:
    """Play a match to its end; who was selected, and what each agent was paid in all."""
    order, paid = [], dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        paid[agent] += reward
        if terminated or truncated:
            env.step(None)
        else:
            order.append(agent)
            env.step(choose(agent, observation))
    return order, paid


def seek(game: str, players: int, phase: str, turn: int = 1, **config: Any) -> Json:
    """A position in this phase, reached by play."""
    env = MODULES[game].parallel_env(num_players=players, **config)
    choose = chooser()
    for seed in range(20):
        observations, _ = env.reset(seed=seed)
        while True:
            position: Json = env.position()
            if position["phase"] == phase and position["turn"] >= turn:
                return position
            if not env.agents:
                break
            observations = env.step(actions_of(observations, choose))[0]
    raise AssertionError(f"no position in phase {phase} was found")


def same(a: Any, b: Any) -> bool:
    """Whether nested results are equal to the last byte."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and bool(a == b)
