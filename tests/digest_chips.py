"""A digest of everything that some steps of the chip game bring; run as a program, it prints it.

The compiled and the interpreted kernels have to print the same.
"""

from __future__ import annotations

import hashlib

import numpy as np

from sixth_env.opponents import load_opponent
from tests.chips_play import Json, engine_of
from tests.digest_rows import digest, events_digest
from tests.rows_play import look
from tests.test_chips_opponents import BUILT_IN

RUNS: list[tuple[str, Json, int]] = [
    ("sixes_chips", {}, 150),
    ("sixes_chips", {"num_players": 2, "starting_chips": 2, "reward": "win"}, 150),
    ("sixes_chips", {"num_players": 8, "max_rounds": 1, "reward": "relative"}, 100),
]


def opponents_digest(config: Json) -> str:
    """What every built-in opponent plays on some decisions, as a hash."""
    found = hashlib.sha256()
    engine = engine_of(config, seed=3, num_games=3)
    for step in range(9):
        observation, mask = (array[:, 0] for array in look(engine))
        for name in BUILT_IN:
            seeds = np.arange(step, step + 3, dtype=np.uint64)
            found.update(load_opponent(name, "sixes_chips").act(observation, mask, seeds).tobytes())
        engine.step(engine.sample_actions(step))
    return found.hexdigest()


def all_digests() -> list[str]:
    """One line for each run."""
    return [
        f"{digest(*run)} {events_digest(*run[:2], run[2] // 2)} {opponents_digest(run[1])}"
        for run in RUNS
    ]


if __name__ == "__main__":
    print("\n".join(all_digests()))
