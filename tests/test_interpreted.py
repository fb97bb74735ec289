"""Numba changes nothing but the speed: without it, the same kernels do the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.digest_rows import RUNS, all_digests

ROOT = Path(__file__).resolve().parents[1]


def test_interpreted_kernels_do_the_same_without_warnings() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.digest_rows"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    interpreted = run.stdout.split("\n")[:-1]
    assert len(set(interpreted)) == len(RUNS)
    assert interpreted == all_digests()
