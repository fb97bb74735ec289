"""Who sits where while an agent trains: its own seats, and the opponents in the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.batch import Batch, Step
from sixth_env.errors import ConfigError
from sixth_env.opponents import Opponent
from sixth_env.opponents.ask import ask
from sixth_env.rng import fold


class Field:
    """The seats of a batch of tables.

    Without opponents the learner plays every seat (self-play). With them it plays one seat of
    each game, a different one from game to game, and all others of that game are played by one
    opponent. The kinds of opponents have equally many games each, shared by those of the kind.

    Args:
        batch: the games.
        kinds: who else plays: a list of lists, such as one of earlier selves.
        seed: of the opponents' own random choices.

    Raises:
        ConfigError: too few games for so many opponents.
    """

    def __init__(self, batch: Batch, kinds: Sequence[Sequence[Opponent]], seed: int) -> None:
        games, players = batch.num_games, batch.num_players
        self.batch, self.opponents = batch, [one for kind in kinds for one in kind]
        self.learner = np.ones((games, players), np.bool_)
        index = np.arange(games)
        if games < players * len(self.opponents):
            raise ConfigError(
                f"{games} games of {players} players are too few for {len(self.opponents)}"
                f" opponents, each against the learner in every seat: at least"
                f" {players * len(self.opponents)} are needed"
            )
        self.sitting = np.zeros(games, np.int64)  # (B,) which opponent plays
        if kinds:
            self.learner[:] = False
            self.learner[index, index % players] = True
            sizes = np.array([len(kind) for kind in kinds])
            kind, turn = index // players % len(kinds), index // players // len(kinds)
            self.sitting = (sizes.cumsum() - sizes)[kind] + turn % sizes[kind]
        self.seed, self.steps = seed, 0

    def rows(self, step: Step) -> NDArray[np.int64]:
        """The flat rows (of B * K) in which the learner has a choice.

        A seat that waits has none, nor has one with a single legal action: there is nothing to
        learn from either, and in the chip game that is more than half of all turns.
        """
        return np.flatnonzero(_choice(step) & self._own(step))

    def fill(self, step: Step, actions: NDArray[np.int64]) -> None:
        """Write everything but the learner's choices into ``actions`` (B, K)."""
        choice = _choice(step)
        actions[~choice] = step.action_mask[~choice].argmax(axis=1)  # the only legal action
        if not self.opponents:
            return
        self.steps += 1
        other = choice & ~self._own(step)
        with np.errstate(over="ignore"):
            key = fold(np.uint64(self.seed), self.steps)
        seeds = np.asarray(fold(key, np.arange(actions.size, dtype=np.uint64)))
        flat = actions.reshape(-1)
        for number, opponent in enumerate(self.opponents):
            rows = np.flatnonzero(other & (self.sitting == number)[:, None])
            if len(rows):
                observation, mask = _rows(step, rows)
                seats = step.seat.reshape(-1)[rows]
                flat[rows] = ask(
                    opponent, opponent.name, self.batch.game, seats, observation, mask, seeds[rows]
                )

    def _own(self, step: Step) -> NDArray[np.bool_]:
        """Where the learner sits, (B, K)."""
        return np.take_along_axis(self.learner, step.seat, axis=1)


def _choice(step: Step) -> NDArray[np.bool_]:
    """Where a seat has more than one legal action, (B, K)."""
    legal: NDArray[np.int16] = step.action_mask.sum(axis=2, dtype=np.int16)
    return legal > 1


def _rows(step: Step, rows: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """Observations (N, D) and masks (N, A) of some flat rows, copied."""
    observation = step.observation.reshape(-1, step.observation.shape[-1])
    mask = step.action_mask.reshape(-1, step.action_mask.shape[-1])
    return observation[rows], mask[rows]
