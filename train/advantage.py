"""Advantages of decisions that are not taken at every step.

A lane is one seat of one game. At some steps it decides, at others it only waits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


def advantages(
    value: NDArray[np.float32],
    reward: NDArray[np.float32],
    acting: NDArray[np.bool_],
    cut: NDArray[np.bool_],
    last_value: NDArray[np.float32],
    gamma: float,
    lam: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Generalised advantage estimation (Schulman et al., 2016) over each lane's own decisions.

    A decision is credited with every reward from its step up to the lane's next decision, whoever
    moved meanwhile; steps at which a lane only waits are not decisions and get 0.

    Args:
        value: (T, L) value of each decision's observation; ignored where the lane waits.
        reward: (T, L) reward that follows each step.
        acting: (T, L) whether the lane decides at the step.
        cut: (T, L) whether nothing after the step counts for what came before.
        last_value: (L,) value of the observation after the last step.
        gamma, lam: discount and GAE factor per decision.

    Returns:
        Advantages and value targets, both (T, L).
    """
    advantage = np.zeros_like(value)
    next_value = last_value.astype(np.float32).copy()
    next_advantage, pending = np.zeros_like(next_value), np.zeros_like(next_value)
    for t in range(len(value) - 1, -1, -1):
        for array in (next_value, next_advantage, pending):
            array[cut[t]] = 0.0
        pending += reward[t]
        now = acting[t]
        delta = pending + gamma * next_value - value[t]
        step = delta + gamma * lam * next_advantage
        advantage[t] = np.where(now, step, 0.0)
        next_value = np.where(now, value[t], next_value)
        next_advantage = np.where(now, step, next_advantage)
        pending = np.where(now, 0.0, pending).astype(np.float32)
    return advantage, np.where(acting, advantage + value, 0.0).astype(np.float32)


class Window(NamedTuple):
    """The part of a rollout whose outcome is known; see ``close_window``."""

    reward: NDArray[np.float32]  # (T, L)
    learn: NDArray[np.bool_]  # (T, L) the decisions to learn from
    last_value: NDArray[np.float32]  # (L,)


def close_window(
    value: NDArray[np.float32],
    reward: NDArray[np.float32],
    acting: NDArray[np.bool_],
    cut: NDArray[np.bool_],
    next_value: NDArray[np.float32],
    deciding: NDArray[np.bool_],
) -> Window:
    """Cut each lane of a rollout off where its outcome is still open.

    A lane that decides right after the rollout bootstraps from that decision's value. One that
    waits then has no observation of its own to judge; its last decision is left out, and that
    decision's value stands for all from there on.

    Args:
        value, reward, acting, cut: (T, L), as for ``advantages``.
        next_value: (L,) value of the observation after the last step, where ``deciding``.
        deciding: (L,) whether the lane decides after the last step.
    """
    steps, lanes = np.arange(len(value))[:, None], np.arange(value.shape[1])
    last = np.where(acting, steps, -1).max(axis=0)
    settled = (cut & (steps >= last)).any(axis=0)
    open_ = ~deciding & ~settled & (last >= 0)
    learn = acting & ~(open_ & (steps == last))
    known = np.where(open_ & (steps >= last), np.float32(0), reward)
    return Window(known, learn, np.where(open_, value[last, lanes], next_value))
