"""How fast MaskablePPO learns on the batch engine, and on PettingZoo's way to it, in one run.

    python -m train.sb3_speed

PettingZoo's tutorial for action masks ("SB3: Action Masked Connect Four") gives SB3 the agents of
one AEC environment in turn, as if they were one, with the library's default settings. Both ways
play Sixth Card, 4 players, and alternate; rates are decisions a second of processor time, rollouts
and updates included. Rows of self-play that only wait are not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from pydantic import Field as Setting

from sixth_env import sixth_card_v0
from sixth_env.adapters.sb3 import SelfPlayVecEnv, SoloVecEnv
from train.config import Config, load_config, read_config, readable_errors
from train.sb3 import Sb3Config, make_env, make_model

# isort: split
# Last, so that it is the adapter that says which extra to install where the library is missing.
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker

Learner = tuple[MaskablePPO, Callable[[], int]]  # and how many decisions it has made


class SpeedConfig(Config):
    """Settings of the measurement."""

    settings: str = "configs/sb3/sixth_card.toml"
    """of the learner on the batch engine"""
    repeats: int = Setting(default=3, ge=1)
    """measurements of each; their median is reported"""
    updates: int = Setting(default=3, ge=1)
    """updates of a measurement on the batch engine; on PettingZoo's way it is always one"""


class OneAgentAfterAnother(gymnasium.Env[NDArray[np.float32], int]):
    """The agents of an AEC environment in turn, as the tutorial's wrapper shows them."""

    def __init__(self) -> None:
        self.aec = sixth_card_v0.env(num_players=4, num_rounds=1)
        seen = self.aec.observation_space("player_0")
        self.observation_space: Any = seen["observation"]
        self.action_space: Any = spaces.Discrete(self.aec.action_space("player_0").n)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a match."""
        super().reset(seed=seed)
        self.aec.reset(seed, options)
        return self._look("observation"), {}

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Let one agent act; what is seen next is what the next agent sees."""
        agent = self.aec.agent_selection
        self.aec.step(int(action))
        paid = float(self.aec._cumulative_rewards[agent])
        ended, cut = self.aec.terminations[agent], self.aec.truncations[agent]
        return self._look("observation"), paid, ended, cut, self.aec.infos[agent]

    def masks(self) -> NDArray[np.int8]:
        """The mask of the agent that acts next."""
        mask: NDArray[np.int8] = self._look("action_mask")
        return mask

    def _look(self, name: str) -> Any:
        return self.aec.observe(self.aec.agent_selection)[name]


def tutorial() -> Learner:
    """One environment and the library's defaults."""
    env = ActionMasker(OneAgentAfterAnother(), lambda env: env.unwrapped.masks())  # type: ignore[attr-defined]
    model = MaskablePPO("MlpPolicy", env, seed=1, device="cpu")
    return model, lambda: int(model.num_timesteps)


def ours(config: Sb3Config) -> Learner:
    """As ``train.sb3`` trains."""
    env = make_env(config)
    model = make_model(config, env)
    if isinstance(env, SelfPlayVecEnv):
        return model, lambda: env.decisions
    return model, lambda: int(model.num_timesteps)


def learning_rate(learner: Learner, updates: int) -> float:
    """Decisions learnt from in a second of processor time."""
    model, decisions = learner
    before, started = decisions(), time.process_time()
    model.learn(updates * model.n_steps * model.n_envs, reset_num_timesteps=False)
    return (decisions() - before) / (time.process_time() - started)


def playing_rate(env: SoloVecEnv, steps: int = 100) -> float:
    """Decisions a second with random legal actions and no learning."""
    generator = np.random.default_rng(1)
    env.reset()
    seconds = 0.0
    for _ in range(steps):
        masks = np.stack(env.env_method("action_masks"))
        actions = (generator.random(masks.shape) * masks).argmax(axis=1)
        started = time.process_time()
        env.step(actions)
        seconds += time.process_time() - started
    return steps * env.num_envs / seconds


def measure(config: SpeedConfig) -> None:
    """Measure both ways in turn, and print the rates and their ratio."""
    torch.set_num_threads(1)
    settings = read_config(Sb3Config, config.settings)
    self_play = settings.model_copy(
        update={"opponents": (), "games": max(1, settings.games // 4), "skip_forced": False}
    )
    learners = {
        "PettingZoo's tutorial": (tutorial(), 1),
        f"{settings.games} games against opponents": (ours(settings), config.updates),
        f"{self_play.games} games in self-play": (ours(self_play), config.updates),
    }
    rates: dict[str, list[float]] = {name: [] for name in learners}
    for turn in range(config.repeats + 1):
        for name, (learner, updates) in learners.items():
            rate = learning_rate(learner, updates if turn else 1)
            if turn:  # the first one compiled
                rates[name].append(rate)
    medians = {name: median(found) for name, found in rates.items()}
    base = medians["PettingZoo's tutorial"]
    for name, found in rates.items():
        spread = f"{min(found):,.0f} to {max(found):,.0f}"
        print(f"{name}: {medians[name]:,.0f} decisions/s ({spread}), x {medians[name] / base:.1f}")
    env = make_env(settings)
    if isinstance(env, SoloVecEnv):
        print(f"without learning, random legal actions: {playing_rate(env):,.0f} decisions/s")


def main() -> None:
    """Read the settings and measure."""
    config = load_config(SpeedConfig)
    with readable_errors():
        measure(config)


if __name__ == "__main__":
    main()
