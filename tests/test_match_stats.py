"""Intervals: against the textbook, and how often they hold what they promise."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.typing import NDArray

from sixth_env.match import stats
from sixth_env.match.stats import MAX_BLOCKS, Bootstrap, Estimate


def mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of the first column, whose count is the second."""
    ratio: NDArray[np.float64] = sums[..., 0] / sums[..., 1]
    return ratio


def blocks_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([values, np.ones_like(values)], axis=1)


def test_interval_is_that_of_the_normal_approximation() -> None:
    values = np.random.default_rng(1).normal(5, 2, 400)
    estimate = Bootstrap(blocks_of(values)).estimate(mean)
    half = 1.96 * values.std() / 20
    assert estimate.value == pytest.approx(values.mean())
    assert estimate.low == pytest.approx(values.mean() - half, abs=0.01)
    assert estimate.high == pytest.approx(values.mean() + half, abs=0.01)


def test_interval_of_a_coin() -> None:
    """Two deals, 0 and 1: resampled means are 0, 1/2 and 1 with chances 1/4, 1/2, 1/4."""
    assert Bootstrap(blocks_of(np.array([0.0, 1.0]))).estimate(mean) == Estimate(0.5, 0.0, 1.0)


def test_equal_deals_have_an_interval_of_no_width() -> None:
    assert Bootstrap(blocks_of(np.full(10, 3.0))).estimate(mean) == Estimate(3.0, 3.0, 3.0)


def test_one_deal_proves_nothing() -> None:
    estimate = Bootstrap(blocks_of(np.array([7.0]))).estimate(mean)
    assert estimate == Estimate(7.0, -np.inf, np.inf)
    assert not estimate.significant
    assert json.dumps(estimate.to_dict(), allow_nan=False)
    assert estimate.to_dict() == {"value": 7.0, "low": None, "high": None}


def test_ratios_weigh_deals_by_their_length() -> None:
    """10 points in 1 round and 0 in 9 are one point a round."""
    estimate = Bootstrap(np.array([[10.0, 1.0], [0.0, 9.0]])).estimate(mean)
    assert estimate.value == 1.0
    assert (estimate.low, estimate.high) == (0.0, 10.0)


def test_same_blocks_same_interval() -> None:
    blocks = blocks_of(np.random.default_rng(2).random(50))
    assert Bootstrap(blocks).estimate(mean) == Bootstrap(blocks.copy()).estimate(mean)


@pytest.mark.parametrize(
    ("low", "high", "significant"), [(-1, 1, False), (0, 1, False), (0.1, 1, True), (-2, -1, True)]
)
def test_significant_leaves_out_zero(low: float, high: float, significant: bool) -> None:
    assert Estimate((low + high) / 2, low, high).significant is significant


def test_many_deals_are_pooled_without_loss() -> None:
    values = np.random.default_rng(3).normal(0, 1, 3 * MAX_BLOCKS + 7)
    estimate = Bootstrap(blocks_of(values)).estimate(mean)
    assert estimate.value == pytest.approx(values.mean())
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert (estimate.high - estimate.low) / 2 == pytest.approx(half, rel=0.08)


def test_pooling_keeps_every_deal() -> None:
    blocks = np.arange(2 * (MAX_BLOCKS + 3), dtype=np.float64).reshape(-1, 2)
    pooled = stats.pooled(blocks)
    assert len(pooled) == MAX_BLOCKS
    assert pooled.sum(axis=0) == pytest.approx(blocks.sum(axis=0))


def test_intervals_cover_the_truth_as_often_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """300 samples of skewed block means: 95 % intervals hold the true mean in about 95 %."""
    monkeypatch.setattr(stats, "RESAMPLES", 400)
    rng = np.random.default_rng(4)
    estimates = [Bootstrap(blocks_of(rng.exponential(1, 80))).estimate(mean) for _ in range(300)]
    covered = np.mean([e.low <= 1 <= e.high for e in estimates])
    assert 0.90 <= covered <= 0.98
    # Both tails are used: an interval that is too wide on one side would hide it in the sum.
    assert any(e.low > 1 for e in estimates)
    assert any(e.high < 1 for e in estimates)
