"""The decisions of a rollout, in memory that is allocated once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sixth_env.batch import Batch, Step


class Samples(NamedTuple):
    """N decisions to learn from, of any table."""

    observation: Tensor  # (N, D) int16
    action_mask: Tensor  # (N, A) int8
    action: Tensor  # (N,) int64
    log_prob: Tensor  # (N,) of the action when it was taken
    value: Tensor  # (N,) estimated then
    advantage: Tensor  # (N,)
    target: Tensor  # (N,) for the value
    learn: Tensor  # (N,) bool; false where the outcome is still open

    def pick(self, rows: Tensor) -> Samples:
        """Copies of some rows; ``index_select`` copies rows several times faster than ``[]``."""
        return Samples(*(tensor.index_select(0, rows) for tensor in self))


class Buffer:
    """Room for the decisions of one rollout of several batches of the same game.

    Fresh memory costs as much as filling it, so that one buffer serves a whole run; rows that are
    never reached cost nothing.
    """

    def __init__(self, batches: list[Batch], steps: int) -> None:
        rows = steps * sum(batch.num_games * batch.seats_per_step for batch in batches)
        self._samples = Samples(
            observation=torch.empty((rows, batches[0].observation_size), dtype=torch.int16),
            action_mask=torch.empty((rows, batches[0].num_actions), dtype=torch.int8),
            action=torch.empty(rows, dtype=torch.int64),
            log_prob=torch.empty(rows),
            value=torch.empty(rows),
            advantage=torch.empty(rows),
            target=torch.empty(rows),
            learn=torch.empty(rows, dtype=torch.bool),
        )
        self.count = 0

    def clear(self) -> None:
        """Begin a new rollout: the samples of the last one are overwritten."""
        self.count = 0

    def add(self, step: Step, rows: NDArray[np.int64]) -> Samples:
        """Append some flat rows (of B * K) of a step; gives their samples, to be filled in."""
        first, self.count = self.count, self.count + len(rows)
        part = self.since(first)
        for source, target in (
            (step.observation, part.observation),
            (step.action_mask, part.action_mask),
        ):  # any mode but "raise" writes straight into the target
            flat = source.reshape(-1, source.shape[-1])
            np.take(flat, rows, axis=0, out=target.numpy(), mode="clip")
        return part

    def since(self, first: int = 0) -> Samples:
        """The samples from number ``first`` on; views, valid until ``clear``."""
        return Samples(*(tensor[first : self.count] for tensor in self._samples))
