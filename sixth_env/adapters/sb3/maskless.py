"""For algorithms that know no action masks, such as SB3's DQN, A2C and PPO."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from sixth_env.engine import check_seed
from sixth_env.rng import ACTION, below, draw, fold


class ReplaceIllegal(VecEnvWrapper):
    """Plays a random legal action wherever an illegal one is chosen, and says so.

    The learner sees a task in which an illegal number means "something legal, at random" and costs
    ``penalty``; so it can learn with any algorithm, more slowly than with masks. Rows in which an
    action was replaced have ``info["illegal_action"]``, the number that was chosen. Where no
    training is going on, mask the model's choice instead: ``Sb3Opponent`` does.

    Args:
        venv: one of this package's.
        penalty: taken from the reward for an illegal choice; the unit is the reward's.
        seed: of the replacements.

    Attributes:
        choices, illegal: how many actions were sent, and how many of them were illegal.
    """

    def __init__(self, venv: VecEnv, penalty: float = 0.0, seed: int = 0) -> None:
        super().__init__(venv)
        self.penalty, self._key = penalty, np.uint64(check_seed(seed))
        self.choices = self.illegal = 0
        self._replaced = np.zeros(venv.num_envs, np.bool_)
        self._chosen = np.zeros(venv.num_envs, np.int64)

    def reset(self) -> Any:
        """As the wrapped environment's."""
        return self.venv.reset()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions (rows,), any numbers of the action space."""
        mask = np.stack(self.venv.env_method("action_masks"))
        rows = np.arange(len(mask))
        self._chosen = np.asarray(actions, np.int64)
        self._replaced = ~mask[rows, self._chosen]
        with np.errstate(over="ignore"):
            bits = draw(fold(fold(self._key, ACTION), self.choices), rows)
        number = np.asarray(below(bits, mask.sum(axis=1)))  # which of the legal ones
        random = ((mask.cumsum(axis=1) > number[:, None]) & mask).argmax(axis=1)
        self.choices += len(rows)
        self.illegal += int(self._replaced.sum())
        self.venv.step_async(np.where(self._replaced, random, self._chosen))

    def step_wait(self) -> VecEnvStepReturn:
        """As the wrapped environment's, with penalties."""
        observation, reward, done, infos = self.venv.step_wait()
        for row in np.flatnonzero(self._replaced).tolist():
            infos[row]["illegal_action"] = int(self._chosen[row])
        return observation, reward - np.float32(self.penalty) * self._replaced, done, infos
