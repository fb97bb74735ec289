"""How far a long command is, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from sixth_env.match.setup import Progress

EVERY = 30.0  # seconds between lines where there is no terminal to draw a bar on


@contextmanager
def progress_bar(label: str = "games") -> Iterator[Progress]:
    """A bar with the time left on a terminal, a line now and then otherwise.

    Args:
        label: what is counted.

    Yields:
        What takes how many are done, and all of them.
    """
    if not sys.stderr.isatty():
        yield Lines(label)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class Lines:
    """Says every half minute how much is done and how long the rest will take."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._first: tuple[float, int] | None = None
        self._said = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = monotonic()
        if self._first is None:  # what was done before, such as in a file, says nothing of the pace
            self._first, self._said = (now, done), now
            return
        if now - self._said < EVERY:
            return
        self._said = now
        started, before = self._first
        left = (total - done) * (now - started) / max(1, done - before)
        text = f"{done:,} of {total:,} {self._label}, about {_duration(left)} left"
        print(text, file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    """A time in words: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
