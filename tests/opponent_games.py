"""What the tests of the built-in opponents share; run as a program, it prints a digest of play.

Compiled and interpreted opponents have to print the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env import Batch
from sixth_env.opponents import Opponent, load_opponent
from tests.rows_play import TABLES, Json, engine_of, look

HEURISTICS = ("lowest", "highest", "closest", "cautious")
BUILT_IN = ("random", *HEURISTICS, "mc:2")

Rows = tuple[NDArray[Any], NDArray[np.int8]]  # observations (N, D) and masks (N, A)


def decisions(setup: Json, seed: int, steps: int, num_games: int = 1) -> Iterator[Rows]:
    """Rows of all seats before each step of random matches; a finished match shows its end."""
    engine = engine_of(setup, seed, num_games)
    for step in range(steps):
        observation, mask = look(engine)
        yield observation.reshape(-1, observation.shape[-1]), mask.reshape(-1, mask.shape[-1])
        done = engine.done()
        if done.any():
            engine.restart(done)
        else:
            engine.step(engine.sample_actions(seed + step))


def some_rows(setup: Json, seed: int = 0, steps: int = 40) -> Rows:
    """Rows of many different decisions, row decisions and waiting seats among them."""
    observations, masks = zip(*decisions(setup, seed, steps, num_games=2), strict=True)
    return np.concatenate(observations), np.concatenate(masks)


def rounds(game: str, seats: list[Opponent], deals: int, seed: int, **config: Any) -> Any:
    """Points of one round on each deal, (deals, P)."""
    players = len(seats)
    batch = Batch(game, deals, seed=seed, num_players=players, num_rounds=1, **config)
    step, rng = batch.reset(), np.random.default_rng(seed)
    points, live = np.zeros((deals, players)), np.ones(deals, bool)
    while live.any():
        columns = [
            opponent.act(step.observation[:, seat], step.action_mask[:, seat], rng)
            for seat, opponent in enumerate(seats)
        ]
        step = batch.step(np.stack(columns, axis=1))
        points[live] -= step.reward[live]
        live &= ~step.terminated
    return points


def mean_points(
    game: str, name: str, others: str, *, players: int = 4, deals: int, seed: int = 1, **config: Any
) -> float:
    """Mean points a round of one opponent among P - 1 others, in every seat of every deal."""
    hero, field = load_opponent(name, game), load_opponent(others, game)
    own = []
    for seat in range(players):
        seats = [field] * players
        seats[seat] = hero
        own.append(rounds(game, seats, deals, seed, **config)[:, seat])
    return float(np.mean(own))


def digest(name: str) -> str:
    """All actions of an opponent on a few decisions of three rule sets, as a hash."""
    found = hashlib.sha256()
    for setup in (TABLES[0], TABLES[4], TABLES[8]):
        observation, mask = some_rows(setup, steps=4)
        opponent = load_opponent(name, setup["game"])
        found.update(opponent.act(observation, mask, np.random.default_rng(1)).tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    for built_in in BUILT_IN:
        print(built_in, digest(built_in))
