"""Many games of one learner against opponents, as a Gymnasium vector environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import vector
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from sixth_env.engine import Engine, random_seed
from sixth_env.games import get_game
from sixth_env.solo.core import Final, Solo
from sixth_env.solo.env import learner_spaces
from sixth_env.solo.seats import Opponents

Observation = dict[str, NDArray[Any]]


class SoloVectorEnv(VectorEnv[Observation, ArrayLike, NDArray[Any]]):
    """``num_envs`` games on one engine; in each the learner has one seat.

    A match that ends is followed by the next one in the same step: the observation is that one's
    first, and ``info["final_obs"]`` and ``info["final_info"]`` tell of the end. All arrays are
    fresh. Game i of any number is the same game for a seed; game 0 is that of
    :class:`~sixth_env.solo.SoloEnv`.

    ============  ================================================================================
    Observation   ``{"observation": float32 (B, D), "action_mask": int8 (B, A)}``
    Actions       integers (B,) that the masks allow
    Info          ``action_mask`` (B, A) and ``seat`` (B,); ``final_obs`` (B,) of observations;
                  ``final_info`` with ``seat`` (B,), ``totals`` and ``winners`` (B, P); each with
                  its ``_name`` (B,), true where there is a value
    ============  ================================================================================

    Args:
        game, opponents, seat, skip_forced, config: as for :class:`~sixth_env.solo.SoloEnv`.
        num_envs: B.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    if hasattr(vector, "AutoresetMode"):  # since Gymnasium 1.1
        metadata["autoreset_mode"] = vector.AutoresetMode.SAME_STEP

    def __init__(
        self,
        game: str = "sixth_card",
        *,
        num_envs: int = 1,
        opponents: Opponents = "random",
        seat: int | None = None,
        skip_forced: bool = False,
        **config: Any,
    ) -> None:
        get_game(game).make_rules(config)  # so that the engine's own options are refused
        engine = Engine(game, num_envs, **config)
        self.solo = Solo(engine, opponents, seat, skip_forced=skip_forced)
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = learner_spaces(engine.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.action_space.seed(random_seed() % 2**32)
        self._mask = np.zeros((num_envs, 0), np.int8)
        self._seat = np.zeros(num_envs, np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a match everywhere; ``seed`` as for ``SoloEnv``, ``options`` are ignored."""
        super().reset(seed=seed)
        step = self.solo.reset(seed)
        return self._report(step.observation, step.action_mask, step.seat)

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play the learners' ``actions`` (B,).

        Raises:
            IllegalActionError: names game, seat, action and what was legal; nothing has moved.
        """
        seat = self._seat
        step = self.solo.step(actions)
        observation, info = self._report(step.observation, step.action_mask, step.seat)
        if step.final is not None:
            info.update(_final(step.final, seat, step.terminated | step.truncated))
        return observation, step.reward, step.terminated, step.truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, (B, A)."""
        return self._mask.astype(np.bool_)

    def _report(
        self, observation: NDArray[np.float32], mask: NDArray[np.int8], seat: NDArray[np.int64]
    ) -> tuple[Observation, dict[str, Any]]:
        self._mask, self._seat = mask.copy(), seat.copy()
        everywhere = np.ones(self.num_envs, np.bool_)
        return {"observation": observation, "action_mask": mask}, {
            "action_mask": mask.copy(),
            "_action_mask": everywhere,
            "seat": seat,
            "_seat": everywhere.copy(),
        }


def _final(final: Final, seat: NDArray[np.int64], ended: NDArray[np.bool_]) -> dict[str, Any]:
    """The entries about matches that have ended, as Gymnasium's own vector environments name
    them."""
    observations = np.full(len(ended), None, dtype=object)
    for i in np.flatnonzero(ended):
        observations[i] = {
            "observation": final.observation[i].copy(),
            "action_mask": final.action_mask[i].copy(),
        }
    infos: dict[str, Any] = {
        "action_mask": final.action_mask,
        "seat": np.where(ended, seat, 0),
        "totals": final.totals,
        "winners": final.winners,
    }
    infos.update({f"_{name}": ended.copy() for name in list(infos)})
    return {
        "final_obs": observations,
        "_final_obs": ended,
        "final_info": infos,
        "_final_info": ended.copy(),
    }
