"""Timing: pieces of work, each long enough, in rounds that go over all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

Work = Callable[[int], int]
"""``work(n)`` does n units of something and returns the decisions that were made."""


@dataclass(frozen=True)
class Plan:
    """How much to measure.

    Attributes:
        batches: numbers of games for the engine, the batch and the vector environment.
        repeats: measurements of each case; their median is reported.
        seconds: least processor time of a measurement.
        monte_carlo: the Monte Carlo opponent's name.
    """

    batches: tuple[int, ...] = (1, 64, 1024, 8192)
    repeats: int = 7
    seconds: float = 0.1
    monte_carlo: str = "mc:100"


FULL = Plan()
QUICK = Plan(batches=(1, 1024), repeats=3, seconds=0.02, monte_carlo="mc:10")


@dataclass(frozen=True)
class Rate:
    """The median of the repeats, and the lowest and highest of them."""

    rate: float
    low: float
    high: float

    @classmethod
    def of(cls, found: Sequence[float]) -> Rate:
        """What the repeats found."""
        return cls(median(found), min(found), max(found))


def rates(works: Sequence[Work], plan: Plan) -> list[list[float]]:
    """Decisions a second of processor time: a list of repeats for each piece of work.

    A repeat does all of them once, in order, so that neighbours meet the same machine.
    """
    sizes = [_size(work, plan.seconds) for work in works]
    found: list[list[float]] = [[] for _ in works]
    for _ in range(plan.repeats):
        for work, size, own in zip(works, sizes, found, strict=True):
            own.append(_rate(work, size)[0])
    return found


def _rate(work: Work, size: int) -> tuple[float, float]:
    """Decisions a second, and the seconds it took."""
    start = time.process_time()
    decisions = work(size)
    seconds = time.process_time() - start
    return decisions / max(seconds, 1e-9), seconds


def _size(work: Work, seconds: float) -> int:
    """How many units of work take at least ``seconds``; everything is compiled afterwards."""
    work(1)
    size = 1
    while _rate(work, size)[1] < seconds:
        size *= 2
    return size
