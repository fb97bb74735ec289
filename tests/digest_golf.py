"""A digest of everything that some steps of the golf game bring; run as a program, it prints it.

The compiled and the interpreted kernels have to print the same.
"""

from __future__ import annotations

import hashlib

import numpy as np

from sixth_env.opponents import load_opponent
from tests.cases_golf_build import rules
from tests.digest_rows import digest, events_digest
from tests.golf_play import Json, engine_of, position_in
from tests.rows_play import look

RUNS: list[tuple[str, Json, int]] = [
    ("sixes_golf", {}, 100),
    ("sixes_golf", {"num_players": 2, "num_rounds": 1, "max_turns": 4, "reward": "win"}, 100),
    ("sixes_golf", {"num_players": 8, "practice_round": True, "reward": "relative"}, 100),
]
BUILT_IN = ("random", "careful", "mc:2")


def opponents_digest(config: Json) -> str:
    """What every built-in opponent plays on some decisions, as a hash."""
    found = hashlib.sha256()
    engine = engine_of(config, seed=3, num_games=2)
    for step in range(12):
        observation, mask = (array[:, 0] for array in look(engine))
        for name in BUILT_IN:
            seeds = np.arange(step, step + 2, dtype=np.uint64)
            found.update(load_opponent(name, "sixes_golf").act(observation, mask, seeds).tobytes())
        engine.step(engine.sample_actions(step))
    return found.hexdigest()


def refill_digest() -> str:
    """Steps on from a draw pile made from the discards, as a hash."""
    found = hashlib.sha256()
    engine = engine_of(rules(3, num_rounds=2), seed=1)
    engine.set_position({**position_in("turn", refilled=True), "turns": 7})
    for step in range(30):
        engine.step(engine.sample_actions(step))
        found.update(str(engine.position()).encode() + look(engine)[0].tobytes())
    return found.hexdigest()


def all_digests() -> list[str]:
    """One line for each run."""
    lines = [
        f"{digest(*run)} {events_digest(*run[:2], run[2] // 2)} {opponents_digest(run[1])}"
        for run in RUNS
    ]
    return [*lines, refill_digest()]


if __name__ == "__main__":
    print("\n".join(all_digests()))
