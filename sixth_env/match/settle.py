"""Stopping early: play no more deals than a comparison needs, and be wrong no more often for it.

Whoever looks again and again, and stops at the first difference that seems beyond chance, finds one
in equals far more often than a single look would. So the looks are planned: after 128 deals and at
every doubling, K of them in all. At each look every one of the m differences gets an interval of
confidence 1 - 0.05 / (K m): that of Student's t over deals, which are independent blocks, corrected
for their skewness, since so far out in the tails it would count. By Bonferroni's inequality the
chance that any interval of any look misses its true value is at most 0.05, however the looks and
the differences depend on each other; see Jennison & Turnbull, "Group Sequential Methods" (1999), on
repeated confidence intervals. Play stops at the first look at which every interval leaves out zero
(different), or lies within a tolerance around it (equal for the purpose).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError
from sixth_env.match.stats import CONFIDENCE, Estimate

FIRST_LOOK = 128


@dataclass(frozen=True)
class Settling:
    """The rule for a tournament of ``comparisons`` differences and at most ``deals`` deals.

    Args:
        comparisons: m.
        deals: the most that are played.
        within: points per round that make no difference; 0 or more.
    """

    comparisons: int
    deals: int
    within: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.within < np.inf:
            raise ConfigError(f"within must be a number of points from 0 up, not {self.within!r}")

    @property
    def looks(self) -> tuple[int, ...]:
        """After how many deals the rule is asked; the last time after all of them."""
        doublings = range(max(0, (self.deals - 1) // FIRST_LOOK).bit_length())
        return (*(FIRST_LOOK << look for look in doublings), self.deals)

    @property
    def confidence(self) -> float:
        """Of each single interval of a look."""
        return 1 - (1 - CONFIDENCE) / (len(self.looks) * self.comparisons)

    def interval(self, above: NDArray[np.float64], below: NDArray[np.float64]) -> Estimate:
        """The interval of a ratio of sums over deals, ``above`` (n,) over ``below`` (n,)."""
        return ratio_interval(above, below, self.confidence)

    def settled(self, differences: Iterable[Estimate]) -> bool:
        """Whether all differences are beyond chance, or within the tolerance."""
        return all(
            difference.significant
            or (-self.within <= difference.low and difference.high <= self.within)
            for difference in differences
        )

    def to_dict(self, played: int, settled: bool) -> dict[str, Any]:
        """The rule, and how it ended, as plain values."""
        return {
            "looks": list(self.looks),
            "within": self.within,
            "confidence_of_each_difference": self.confidence,
            "deals_played": played,
            "settled": settled,
        }


def ratio_interval(
    above: NDArray[np.float64], below: NDArray[np.float64], confidence: float
) -> Estimate:
    """An interval of sum(above) / sum(below) over n independent blocks, (n,) each.

    The ratio's error is that of the mean of ``above - ratio * below`` (the delta method); the
    interval is Student's, with Hall's transformation for skewed blocks ("On the removal of skewness
    by transformation", JRSS B 54, 1992).
    """
    blocks, total = len(above), below.sum()
    if total == 0:  # a cap has cut off every round
        return Estimate(np.nan, -np.inf, np.inf)
    ratio = float(above.sum() / total)
    if blocks < 2:
        return Estimate(ratio, -np.inf, np.inf)
    rest = above - ratio * below
    error = float(np.sqrt(blocks / (blocks - 1) * np.square(rest).sum()) / total)
    quantile = t_quantile((1 + confidence) / 2, blocks - 1)
    skewness = _skewness(rest)
    low, high = (_unskewed(side * quantile, skewness, blocks) for side in (1, -1))
    return Estimate(ratio, ratio - low * error, ratio - high * error)


def _skewness(rest: NDArray[np.float64]) -> float:
    variance = float(np.square(rest).mean())
    return float((rest**3).mean()) / variance**1.5 if variance > 0 else 0.0


def _unskewed(quantile: float, skewness: float, blocks: int) -> float:
    """Where Hall's transformed t has a quantile: the inverse of his cubic."""
    if abs(skewness) < 1e-9:
        return quantile
    root = np.sqrt(blocks)
    inner = 1 + skewness * (quantile / root - skewness / (6 * blocks))
    return float(3 * root / skewness * (np.cbrt(inner) - 1))


def t_quantile(probability: float, freedom: int) -> float:
    """Student's t: the expansion around the normal quantile (Abramowitz & Stegun 26.7.5).

    With 100 degrees of freedom it is right to five digits up to a probability of 0.9999.
    """
    x, v = NormalDist().inv_cdf(probability), freedom
    terms: Sequence[float] = (
        x,
        (x**3 + x) / (4 * v),
        (5 * x**5 + 16 * x**3 + 3 * x) / (96 * v**2),
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / (384 * v**3),
    )
    return sum(terms)
