"""What every test has: deterministic property tests, and a guard over the global generators."""

from __future__ import annotations

import os

if "PYTEST_XDIST_WORKER" in os.environ:
    # Before torch and NumPy are loaded: one thread for each of the processes that share the cores.
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import random
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import settings

# Hypothesis' own profile for CI: the same examples in every run, and no deadline, because the
# first example may wait for a kernel to compile.
settings.load_profile("ci")


def _state_of_global_generators() -> tuple[object, bytes, int]:
    _, keys, position, *_ = np.random.get_state(legacy=True)
    return random.getstate(), np.asarray(keys).tobytes(), int(position)


@pytest.fixture(autouse=True)
def _global_generators_untouched(request: pytest.FixtureRequest) -> Iterator[None]:
    """The package draws from its own streams alone, whatever a test asks of it."""
    before = _state_of_global_generators()
    yield
    if request.node.get_closest_marker("global_random") is None:
        assert _state_of_global_generators() == before, "random or numpy.random was drawn from"
