"""Intervals from a bootstrap over deals.

All games of one deal form a block: they share their cards, so they are not independent, and a
resample draws whole blocks (Efron & Tibshirani, "An Introduction to the Bootstrap", 1993). The
resamples come from a fixed seed of their own, so a result has one interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 10_000
# More deals than this are pooled evenly into this many blocks: as good, and quick.
MAX_BLOCKS = 2_000

_TOGETHER = 100  # resamples: a matrix product instead of as many by a vector
_SEED = 20_260_101

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured value and its 95 % interval; unbounded if a single deal was played."""

    value: float
    low: float
    high: float

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0

    def to_dict(self) -> dict[str, float | None]:
        """For JSON, which has no infinity: an unbounded side is ``None``."""
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        return {name: x if np.isfinite(x) else None for name, x in numbers.items()}


class Bootstrap:
    """Resampled column sums of ``blocks`` (n, m), one row for each deal.

    Every statistic is a function of the columns' sums, so all statistics of a match, and
    differences between them, are taken from the same resamples.
    """

    def __init__(self, blocks: NDArray[Any]) -> None:
        self.blocks = np.asarray(blocks, np.float64)

    def estimate(self, statistic: Statistic) -> Estimate:
        """A statistic's value and interval.

        Args:
            statistic: from column sums (..., m) to values (...), for example a ratio of two.
        """
        value = float(statistic(self.blocks.sum(axis=0)))
        if len(self.blocks) < 2:
            return Estimate(value, -np.inf, np.inf)
        tail = (1 - CONFIDENCE) / 2
        low, high = np.quantile(statistic(self._sums), [tail, 1 - tail])
        return Estimate(value, float(low), float(high))

    @cached_property
    def _sums(self) -> NDArray[np.float64]:
        """Column sums of every resample, (RESAMPLES, m)."""
        blocks = pooled(self.blocks)
        rng = np.random.default_rng(_SEED)
        sums = np.empty((RESAMPLES, blocks.shape[1]))
        for first in range(0, RESAMPLES, _TOGETHER):
            some = sums[first : first + _TOGETHER]
            some[:] = np.stack([_weights(rng, len(blocks)) for _ in some]) @ blocks
        return sums


def pooled(blocks: NDArray[np.float64]) -> NDArray[np.float64]:
    """At most MAX_BLOCKS rows (n, …), each the sum of neighbouring ones."""
    if len(blocks) <= MAX_BLOCKS:
        return blocks
    starts = np.linspace(0, len(blocks), MAX_BLOCKS, endpoint=False).astype(np.int64)
    pooled: NDArray[np.float64] = np.add.reduceat(blocks, starts)
    return pooled


def _weights(rng: np.random.Generator, blocks: int) -> NDArray[np.float64]:
    """How often each block is drawn in a resample, (blocks,)."""
    drawn = rng.integers(blocks, size=blocks, dtype=np.int32)
    return np.bincount(drawn, minlength=blocks).astype(np.float64)


def ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """One sum over another; NaN where nothing was counted, such as rounds that a cap cut off."""
    nothing = np.full(np.shape(above), np.nan)
    quotient: NDArray[np.float64] = np.divide(above, below, out=nothing, where=below != 0)
    return quotient
