"""Draw how far opponents are from perfect play, from reports of ``sixth-env exact``.

    python scripts/plot_exact.py docs/exact_*.json --out docs/ground_truth.svg

Needs the extra ``report`` (matplotlib). Prints the numbers as Markdown tables.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sixth_env.adapters import require

MEASURES = {"loss": "lost to perfect play", "exploitability": "lost to a best response"}
COLORS = {"loss": "#1b6ca8", "exploitability": "#e0a030"}


def main() -> None:
    """Read the reports, draw, and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("reports", nargs="+", type=Path, help="files of `sixth-env exact --json`")
    parser.add_argument("--out", type=Path, default=Path("ground_truth.svg"))
    arguments = parser.parse_args()
    reports = [json.loads(file.read_text("utf-8")) for file in arguments.reports]
    reports.sort(key=lambda report: report["rules"]["hand_size"])
    draw(reports, arguments.out)
    print("\n\n".join(table(report) for report in reports))


def label(name: str) -> str:
    """A checkpoint's path as the name of its run."""
    folder, _, options = name.partition("?")
    parts = Path(folder).parts
    run = f"agent {parts[-2]}" if len(parts) > 1 else folder
    return f"{run}, {options}" if options else run


def draw(reports: Sequence[Any], file: Path) -> None:
    """A panel for each report: two bars an opponent, with 95 % intervals."""
    matplotlib: Any = require("matplotlib", extra="bench")
    matplotlib.use("svg" if file.suffix == ".svg" else "agg")
    matplotlib.rcParams["svg.hashsalt"] = "sixth_env"  # the same bytes from the same numbers
    plt: Any = require("matplotlib.pyplot", extra="bench")
    figure, axes = plt.subplots(
        1, len(reports), figsize=(4.2 * len(reports) + 1.2, 4.2), sharey=True, squeeze=False
    )
    longest = max(reports, key=lambda report: len(report["opponents"]))
    names = [opponent["name"] for opponent in longest["opponents"]]
    for axis, report in zip(axes[0], reports, strict=True):
        measured = {opponent["name"]: opponent for opponent in report["opponents"]}
        for row, name in enumerate(names):
            for offset, measure in ((-0.2, "exploitability"), (0.2, "loss")):
                if name in measured:
                    bar(axis, row + offset, measured[name][measure], COLORS[measure])
                elif measure == "loss":
                    axis.text(0.05, row, "not measured", va="center", color="gray", fontsize=8)
        rules = report["rules"]
        axis.set_title(f"{rules['hand_size']} cards, {report['deals']:,} deals", fontsize=11)
        axis.set_xlabel("points a round")
        axis.grid(axis="x", alpha=0.3)
        axis.set_xlim(left=0)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_yticks(range(len(names)), [label(name) for name in names])
    axes[0][0].set_ylim(len(names) - 0.4, -0.6)  # shared; the first name is the uppermost
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLORS[measure]) for measure in MEASURES]
    figure.legend(handles, MEASURES.values(), loc="lower center", ncols=2, frameon=False)
    figure.suptitle("Distance from perfect play: two players, open hands, 4 rows (0 is perfect)")
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None, dpi=150)


def bar(axis: Any, row: float, estimate: Any, color: str) -> None:
    """One bar with its interval."""
    value = estimate["value"]
    low, high = (value if e is None else e for e in (estimate["low"], estimate["high"]))
    if abs(value) < 1e-9:
        axis.text(0.02, row, "0", va="center", color=color, fontsize=7)
        return
    error = [[max(value - low, 0)], [max(high - value, 0)]]
    axis.barh(row, value, height=0.38, color=color, xerr=error, capsize=2, ecolor="#333333")


def table(report: Any) -> str:
    """The numbers of a report as a Markdown table, after its command."""
    lines = [f"`{report['command']}`", "", "| opponent | exploitability | loss to perfect play |"]
    lines.append("|---|---|---|")
    for opponent in report["opponents"]:
        cells = [number(opponent["exploitability"]), number(opponent["loss"])]
        lines.append(f"| {label(opponent['name'])} | {' | '.join(cells)} |")
    return "\n".join(lines)


def number(estimate: Any) -> str:
    """A value with its interval."""
    value, low, high = estimate["value"], estimate["low"], estimate["high"]
    if abs(value) < 1e-9:
        return "0"
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


if __name__ == "__main__":
    main()
