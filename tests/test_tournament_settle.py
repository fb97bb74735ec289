"""Stopping early: looking often must not find differences that are not there."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sixth_env.match import Estimate, play_tournament
from sixth_env.match.settle import FIRST_LOOK, Settling, ratio_interval, t_quantile


def ever_different(
    rule: Settling, samples: list[NDArray[np.float64]], confidence: float | None
) -> bool:
    """Whether some look calls one of the samples' means, all 0, different from 0."""
    wanted = rule.confidence if confidence is None else confidence
    return any(
        ratio_interval(sample[:look], np.ones(look), wanted).significant
        for look in rule.looks
        for sample in samples
    )


def test_equals_are_called_different_no_more_often_than_stated() -> None:
    """Very skewed blocks of mean 0, two comparisons, six looks, 400 tournaments.

    With plain 95 % intervals at every look far more than 5 % would be.
    """
    rng, rule = np.random.default_rng(1), Settling(comparisons=2, deals=4096)
    found, naive = [], []
    for _ in range(400):
        samples = [rng.exponential(1.0, 4096) - 1.0 for _ in range(2)]
        found.append(ever_different(rule, samples, None))
        naive.append(ever_different(rule, samples, 0.95))
    assert np.mean(found) <= 0.05
    assert np.mean(naive) > 0.15


def test_looks_double_and_end_with_all_deals() -> None:
    for deals, looks in (
        (1, (1,)),
        (128, (128,)),
        (129, (128, 129)),
        (256, (128, 256)),
        (1000, (128, 256, 512, 1000)),
        (1024, (128, 256, 512, 1024)),
    ):
        assert Settling(1, deals).looks == looks
    assert FIRST_LOOK == 128


def test_the_level_is_shared_by_looks_and_comparisons() -> None:
    assert Settling(6, 1000).confidence == pytest.approx(1 - 0.05 / (4 * 6))


def test_settled_is_different_or_within() -> None:
    different, open_, equal = Estimate(2, 1, 3), Estimate(1, -1, 3), Estimate(0, -0.1, 0.1)
    assert Settling(1, 9).settled([different, different])
    assert not Settling(1, 9).settled([different, open_])
    assert not Settling(1, 9).settled([different, equal])
    assert Settling(1, 9, within=0.1).settled([different, equal])
    assert not Settling(1, 9, within=0.09).settled([different, equal])


@pytest.mark.parametrize(
    ("probability", "freedom", "quantile"),
    # From tables of Student's t (National Institute of Standards and Technology).
    [(0.975, 30, 2.042), (0.975, 100, 1.984), (0.995, 60, 2.660), (0.999, 100, 3.174)],
)
def test_quantiles_of_t(probability: float, freedom: int, quantile: float) -> None:
    assert t_quantile(probability, freedom) == pytest.approx(quantile, abs=6e-4)


def test_the_interval_of_a_mean_and_of_a_ratio() -> None:
    rng = np.random.default_rng(2)
    half = rng.normal(0, 2, 200)
    values = 5 + np.concatenate([half, -half])  # without skewness: Student's interval
    mean = ratio_interval(values, np.ones(400), 0.95)
    width = t_quantile(0.975, 399) * values.std(ddof=1) / 20
    assert (mean.low, mean.value, mean.high) == pytest.approx((5 - width, 5, 5 + width))
    rounds = rng.integers(1, 9, 400).astype(float)
    exact = ratio_interval(3 * rounds, rounds, 0.95)  # 3 a round, whatever the rounds
    assert (exact.low, exact.value, exact.high) == pytest.approx((3, 3, 3))
    assert ratio_interval(values[:1], np.ones(1), 0.95).high == np.inf


def test_skewed_blocks_have_a_longer_side() -> None:
    values = np.random.default_rng(3).exponential(1.0, 200)
    mean = ratio_interval(values, np.ones(200), 0.99)
    assert mean.high - mean.value > 1.1 * (mean.value - mean.low) > 0


def test_a_clear_case_stops_at_the_first_look() -> None:
    told: list[tuple[int, int]] = []
    table = play_tournament(
        "sixth_card",
        ["closest", "random"],
        players=2,
        deals=10_000,
        until_settled=True,
        num_rounds=1,
        progress=lambda done, total: told.append((done, total)),
    )
    assert table.deals == 128 and table.settled and table.beats("closest", "random")
    assert told[-1] == (256, 20_000)
    ended = table.to_dict()["until_settled"]
    assert (ended["deals_played"], ended["settled"]) == (128, True)
    assert ended["confidence_of_each_difference"] == 1 - 0.05 / 8


def test_equals_are_played_to_the_end_or_to_the_tolerance() -> None:
    def play(**options: float) -> tuple[int, bool]:
        table = play_tournament(
            "sixth_card",
            ["random", "random"],
            players=2,
            deals=600,
            until_settled=True,
            num_rounds=1,
            **options,  # type: ignore[arg-type]
        )
        return table.deals, table.settled

    assert play() == (600, False)
    deals, settled = play(within=4.0)
    assert settled and deals < 600


def test_the_same_stop_in_any_number_of_processes() -> None:
    tables = [
        play_tournament(
            "sixth_card",
            ["closest", "cautious", "lowest"],
            players=3,
            deals=2000,
            until_settled=True,
            num_rounds=1,
            seed=3,
            processes=processes,
        )
        for processes in (1, 2)
    ]
    assert tables[0].deals == tables[1].deals
    assert 128 < tables[0].deals < 2000
    assert tables[0].differences == tables[1].differences
    whole = play_tournament(
        "sixth_card",
        ["closest", "cautious", "lowest"],
        players=3,
        deals=tables[0].deals,
        seed=3,
        num_rounds=1,
    )
    assert whole.points_per_round("closest") == tables[0].points_per_round("closest")
