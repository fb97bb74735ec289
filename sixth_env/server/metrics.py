"""Counters in the text format that Prometheus reads.

See https://prometheus.io/docs/instrumenting/exposition_formats/.
"""

from __future__ import annotations

import threading
from collections import defaultdict

HELP = {
    "requests": "Requests answered, by route and status.",
    "request_seconds": "Seconds spent on requests, by route.",
    "decisions": "Decisions asked for, by game and opponent.",
    "fallbacks": "Decisions that the fallback made, by game and opponent asked.",
    "matches": "Hosted matches begun.",
    "moves": "Moves of persons in hosted matches.",
}


Counts = dict[tuple[str, str], float]


class Metrics:
    """Counts what happens; any thread may add."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counts = defaultdict(float)

    def add(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to one of the counters in ``HELP``."""
        text = ",".join(f'{key}="{_escaped(value)}"' for key, value in labels.items())
        with self._lock:
            self._counts[name, f"{{{text}}}" if text else ""] += amount

    def take(self) -> Counts:
        """All that was counted, which begins anew: for whoever counts in another process."""
        with self._lock:
            counts, self._counts = self._counts, defaultdict(float)
        return dict(counts)

    def merge(self, counts: Counts) -> None:
        """Add what was counted elsewhere."""
        with self._lock:
            for key, amount in counts.items():
                self._counts[key] += amount

    def text(self, **gauges: float) -> str:
        """All counters, and some values that are known at the moment."""
        with self._lock:
            counts = sorted(self._counts.items())
        lines = []
        for name, meaning in HELP.items():
            full = f"sixth_env_{name}_total"
            lines += [f"# HELP {full} {meaning}", f"# TYPE {full} counter"]
            lines += [f"{full}{labels} {count:g}" for (key, labels), count in counts if key == name]
        for name, value in gauges.items():
            lines += [f"# TYPE sixth_env_{name} gauge", f"sixth_env_{name} {value:g}"]
        return "\n".join(lines) + "\n"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
