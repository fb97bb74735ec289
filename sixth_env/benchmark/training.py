"""How fast the checkout's training learns, if the working folder is a checkout.

This package knows nothing of ``train``, which is not installed with it: the checkout's own script
measures, in a process of its own, and hands over its rows.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SCRIPT = Path("train/speed.py")
WHAT = "training"


def measure_training(games: Sequence[str]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Rows of the report as plain values; else what is left out and why."""
    if not SCRIPT.is_file():
        return [], {WHAT: "not measured: run from the root of a checkout, whose script does it"}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.json"
        command = [sys.executable, "-m", "train.speed", "--file", str(file), "--games", *games]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["no reason given"]
            return [], {WHAT: f"not measured ({said[-1]})"}
        rows: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
        return rows, {}
