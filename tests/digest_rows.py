"""A digest of everything that a few hundred steps bring; run as a program, it prints it.

The compiled and the interpreted kernels have to print the same.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np

from sixth_env import Batch
from sixth_env.engine import Engine
from sixth_env.errors import IllegalActionError
from tests.rows_play import Json

# Game, configuration, steps.
RUNS: list[tuple[str, Json, int]] = [
    ("sixth_card", {"num_players": 4}, 90),
    ("sixth_card", {"num_players": 5, "target_score": 20}, 60),
    ("sixth_card", {"num_players": 2, "decks": 2, "cards": 8, "hand_size": 4, "num_rounds": 2}, 60),
    ("six_nimmt", {"num_players": 3, "reward": "relative"}, 60),
    ("six_nimmt", {"num_players": 10, "row_choice": "cheapest", "reward": "win"}, 15),
]


def digest(game: str, config: Json, steps: int) -> str:
    """Observations, masks, rewards, flags, actions and positions of two games, as a hash."""
    found = hashlib.sha256()
    batch = Batch(game, 2, seed=2**64 - 3, **config)
    floats = Batch(game, 2, seed=2**64 - 3, dtype="float32", **config)
    for number in range(steps):
        actions = batch.sample_actions(number) if number % 2 else batch.sample_actions()
        step = batch.step(actions)
        scaled = floats.step(actions) if number < 5 else None
        for array in (actions, *step, scaled and scaled.observation):
            if array is not None:
                found.update(np.ascontiguousarray(array).tobytes())
        found.update(json.dumps(batch.position(number % 2)).encode())
    return found.hexdigest()


def events_digest(game: str, config: Json, steps: int) -> str:
    """The events of one game, and the answer to illegal actions, as a hash."""
    engine = Engine(game, 1, seed=7, **config)
    log, found = engine.new_log(), hashlib.sha256()
    for number in range(steps):
        actions = engine.sample_actions(number)
        for wrong in (-1, 200, 65536 + int(actions[0, 0]), 2**40, -(2**40)):
            try:
                engine.step([[wrong, *actions[0, 1:]]], log=log)
            except IllegalActionError as error:
                found.update(str(error).encode())
        engine.step(actions, log=log)
        found.update(json.dumps(engine.events(log)).encode())
        if engine.done()[0]:
            engine.reset()
    return found.hexdigest()


def all_digests() -> list[str]:
    """One line for each run."""
    return [f"{digest(*run)} {events_digest(*run[:2], run[2] // 3)}" for run in RUNS]


if __name__ == "__main__":
    print("\n".join(all_digests()))
