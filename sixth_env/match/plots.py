"""Plots of results, as SVG. matplotlib is loaded when something is drawn."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sixth_env.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXTRA = "bench"
BLUE, GREY, RED = "#0969da", "#8c959f", "#cf222e"
_COLOURS = ("#0969da", "#cf222e", "#1a7f37", "#9a6700", "#8250df", "#bf3989", "#57606a", "#0a7ea4")
_STYLE = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "svg.fonttype": "none",  # text stays text: small files, and the reader's own font
    "svg.hashsalt": "sixth_env",  # the same drawing is the same file
}

Interval = tuple[float, float | None, float | None]  # value, low, high


def check_available() -> None:
    """Refuse to draw before the work rather than after it.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    _matplotlib()


def intervals(
    names: Sequence[str],
    series: Mapping[str, Sequence[Interval | None]],
    label: str,
    *,
    zero: bool = False,
) -> str:
    """Values with intervals, a line for each name from the top down.

    Args:
        names: (N,) those compared.
        series: for each name of a series, (N,) a value and its interval or ``None``.
        label: of the axis.
        zero: draw a line at 0.
    """
    rows = len(names) * len(series)
    height = 1.0 + max(0.32 * len(names), 0.17 * rows)
    figure, axes = _axes(7.5, height)
    for place, (name, values) in enumerate(series.items()):
        shift = (place - (len(series) - 1) / 2) * 0.75 / max(len(series), 2)
        known = [(y + shift, value) for y, value in enumerate(values) if value is not None]
        axes.errorbar(
            [value for _, (value, _, _) in known],
            [y for y, _ in known],
            xerr=[
                [value - low if low is not None else 0.0 for _, (value, low, _) in known],
                [high - value if high is not None else 0.0 for _, (value, _, high) in known],
            ],
            fmt="o",
            markersize=4,
            capsize=2.5,
            color=_COLOURS[place % len(_COLOURS)],
            label=name,
        )
    if zero:
        axes.axvline(0, color=GREY, linewidth=1)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel(label)
    axes.grid(axis="x", color="#e6e9ec")
    axes.set_axisbelow(True)
    _legend(axes, len(series))
    return _svg(figure)


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    sure: Sequence[Sequence[bool]],
    label: str,
) -> str:
    """Differences as colours and numbers, blue below zero and red above; bold beyond chance.

    Args:
        rows, columns: what is compared with what.
        values, sure: (rows, columns) differences, and whether they are beyond chance.
        label: of the colours.
    """
    import numpy as np

    array = np.array([[np.nan if v is None else v for v in row] for row in values], np.float64)
    most = float(np.nanmax(np.abs(array))) if np.isfinite(array).any() else 1.0
    figure, axes = _axes(2.2 + 0.75 * len(columns), 1.5 + 0.42 * len(rows))
    image = axes.imshow(array, cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto")
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            if value is not None:
                axes.text(
                    *(x, y, f"{value:+.2f}"),
                    ha="center",
                    va="center",
                    fontsize=9,
                    fontweight="bold" if sure[y][x] else "normal",
                    color="white" if abs(value) > 0.6 * most else "#1f2328",
                )
    axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    figure.colorbar(image, ax=axes, label=label)
    return _svg(figure)


def lines(series: Mapping[str, Sequence[float]], label: str, below: str) -> str:
    """A line for each series, its values from 1 on.

    Args:
        series: values by name.
        label, below: of the two axes.
    """
    figure, axes = _axes(7.5, 3.6)
    for place, (name, values) in enumerate(series.items()):
        axes.plot(
            range(1, len(values) + 1),
            values,
            marker="o",
            markersize=3,
            color=_COLOURS[place % len(_COLOURS)],
            linestyle="-" if place < len(_COLOURS) else "--",
            label=name,
        )
    axes.set_xlabel(below)
    axes.set_ylabel(label)
    axes.set_xticks(range(1, max(map(len, series.values()), default=1) + 1))
    axes.grid(axis="y", color="#e6e9ec")
    _legend(axes, len(series), always=True)
    return _svg(figure)


def _legend(axes: Axes, count: int, *, always: bool = False) -> None:
    if count > 1 or always:
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1.0))


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise MissingExtraError(
            f"plots need matplotlib: pip install 'sixth_env[{EXTRA}]'"
        ) from error
    return matplotlib


def _axes(width: float, height: float) -> tuple[Any, Axes]:
    """A figure of its own, in inches: none of matplotlib's global figures."""
    with _matplotlib().rc_context(_STYLE):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots()


def _svg(figure: Any) -> str:
    """The figure as an element that stands in a page."""
    stream = io.StringIO()
    with _matplotlib().rc_context(_STYLE):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    return text[text.index("<svg") :].strip()
