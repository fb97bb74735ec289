"""What was measured, as tables for a terminal and as plain values."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numba
import numpy as np
from rich import box
from rich.console import JustifyMethod
from rich.table import Table

from sixth_env import __version__
from sixth_env.benchmark.measure import Rate
from sixth_env.games import get_game

UNIT = "agent-steps (seats' decisions, waiting not counted) a second of one processor core"


@dataclass(frozen=True)
class Row(Rate):
    """One line of the report: the median rate, and the lowest and highest of the repeats.

    Attributes:
        interface: what is called: the engine, the batch, an environment, an opponent's `act`.
        game: the game's id.
        rules: ``"default"``, or what differs.
        what: the observations' type; for a training, the precision of its network.
        batch: games stepped, or decisions asked for, at once.
    """

    interface: str
    game: str
    rules: str
    what: str
    batch: int


@dataclass(frozen=True)
class Versus:
    """Another library's game and this package's nearest way, measured in turn.

    Attributes:
        library: its name.
        theirs, ours: what was done.
        their_rate, our_rate: agent-steps a second.
        ratio: ours over theirs within each repeat, so that both meet the same machine.
    """

    library: str
    theirs: str
    their_rate: Rate
    ours: str
    our_rate: Rate
    ratio: Rate

    @classmethod
    def of(
        cls, library: str, theirs: str, their: Sequence[float], ours: str, our: Sequence[float]
    ) -> Versus:
        """From what the repeats found on both sides."""
        ratios = [b / a for a, b in zip(their, our, strict=True)]
        return cls(library, theirs, Rate.of(their), ours, Rate.of(our), Rate.of(ratios))


@dataclass(frozen=True)
class Report:
    """What was measured where.

    Attributes:
        machine: versions and processor.
        rows: this package's rates.
        versus: pairs with other libraries, if they were asked for.
        left_out: what was asked for and not measured, and why.
    """

    machine: dict[str, Any]
    rows: tuple[Row, ...] = ()
    versus: tuple[Versus, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)

    def joined(self, other: Report) -> Report:
        """What two reports of one machine say together."""
        return Report(
            self.machine | other.machine,
            self.rows + other.rows,
            self.versus + other.versus,
            self.left_out | other.left_out,
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "unit": UNIT,
            "machine": self.machine,
            "rows": [asdict(row) for row in self.rows],
            "versus": [asdict(pair) for pair in self.versus],
            "left_out": self.left_out,
        }

    def tables(self) -> list[Table]:
        """The report for a terminal: a table for each game, and one of the other libraries."""
        tables = [_table(game, self.rows) for game in dict.fromkeys(row.game for row in self.rows)]
        return [*tables, _versus_table(self.versus)] if self.versus else tables

    def notes(self) -> list[str]:
        """What is to be said below the tables."""
        return [
            f"Median, lowest and highest of the repeats: {UNIT}.",
            *(f"{what}: {why}." for what, why in self.left_out.items()),
            ", ".join(f"{name} {value}" for name, value in self.machine.items()),
        ]


def machine() -> dict[str, Any]:
    """Versions and processor, as every report tells them."""
    return {
        "sixth_env": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def _processor() -> str:
    """The processor's name; Python's own answer is empty on Linux."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _table(game: str, rows: Iterable[Row]) -> Table:
    table = _empty(
        f"{get_game(game).title}: agent-steps a second",
        {"interface": "left", "rules": "left", "sees": "left"},
        ("at once", "median", "lowest", "highest"),
    )
    for row in rows:
        if row.game == game:
            table.add_row(row.interface, row.rules, row.what, f"{row.batch:,}", *_three(row))
    return table


def _versus_table(pairs: Iterable[Versus]) -> Table:
    table = _empty(
        "Other libraries: agent-steps a second, and how many times as many ours makes",
        {"library": "left", "theirs": "left", "median": "right", "ours": "left"},
        ("median", "ratio", "spread"),
    )
    for pair in pairs:
        ratio = pair.ratio
        table.add_row(
            *(pair.library, pair.theirs, _short(pair.their_rate.rate)),
            *(pair.ours, _short(pair.our_rate.rate)),
            *(f"{ratio.rate:.3g}", f"{ratio.low:.3g}-{ratio.high:.3g}"),
        )
    return table


def _empty(title: str, columns: dict[str, JustifyMethod], rates: Iterable[str]) -> Table:
    """A table without rows: some columns with their sides, then columns of numbers."""
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE, pad_edge=False, show_edge=False
    )
    for name, side in columns.items():
        table.add_column(name, justify=side, overflow="fold")
    for name in rates:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _three(rate: Rate) -> tuple[str, str, str]:
    return _short(rate.rate), _short(rate.low), _short(rate.high)


def _short(rate: float) -> str:
    """Three digits: "36.2 M", "771 k"."""
    for unit, suffix in ((1e6, " M"), (1e3, " k")):
        if rate >= unit:
            return f"{rate / unit:.3g}{suffix}"
    return f"{rate:.3g}"
