"""Batch: many games for training, one interface over all games of the family.

K seats act in a step: all of them in the simultaneous games, one in the turn games. A seat that
only waits has ``acting`` false and one legal action; learners skip those rows.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixth_env.engine import Engine, check_array
from sixth_env.errors import ConfigError
from sixth_env.games.base import MATCH_END, ROUND_END, TRUNCATED


class Step(NamedTuple):
    """The arrays of one step; they are valid until the next one.

    ``observation`` and the other seat-wise arrays belong to the *next* decision: where a match
    has just ended they show the first decision of the next match (same-step autoreset).
    """

    observation: NDArray[Any]  # (B, K, D) int16 or float32
    action_mask: NDArray[np.int8]  # (B, K, A)
    seat: NDArray[np.int64]  # (B, K) whose row it is
    acting: NDArray[np.bool_]  # (B, K) whether that seat has something to decide
    reward: NDArray[np.float32]  # (B, P) of the step just taken
    terminated: NDArray[np.bool_]  # (B,) the match has ended
    truncated: NDArray[np.bool_]  # (B,) the match was cut off by a cap
    round_end: NDArray[np.bool_]  # (B,) a round has ended
    final_observation: NDArray[Any] | None  # (B, K, D), rows valid where truncated; else None


class Batch:
    """``num_games`` games stepped together.

    Args:
        game: a game's id.
        num_games: B.
        seed: of the deals; ``None`` draws one.
        dtype: ``"int16"`` for the integer columns, ``"float32"`` for the scaled observation.
        first_index, threads, config: as for :class:`~sixth_env.engine.Engine`.
    """

    def __init__(
        self,
        game: str,
        num_games: int = 1,
        *,
        seed: int | None = None,
        dtype: str = "int16",
        first_index: int = 0,
        threads: int = 1,
        **config: Any,
    ) -> None:
        if dtype not in ("int16", "float32"):
            raise ConfigError(f"dtype must be 'int16' or 'float32', not {dtype!r}")
        self.engine = Engine(
            game, num_games, seed=seed, first_index=first_index, threads=threads, **config
        )
        self.game, self.rules = self.engine.game, self.engine.rules
        self.num_games, self.num_players = num_games, self.engine.num_players
        self.seats_per_step = self.engine.seats_per_step
        self.observation_size, self.num_actions = self.game.observation_size, self.game.num_actions
        self.dtype = np.dtype(dtype)
        self._step = self.empty_step()

    def empty_step(self) -> Step:
        """Arrays of the right shapes, for ``step(actions, out=…)``."""
        games, rows = self.num_games, (self.num_games, self.seats_per_step)
        return Step(
            observation=np.zeros((*rows, self.observation_size), self.dtype),
            action_mask=np.zeros((*rows, self.num_actions), np.int8),
            seat=np.zeros(rows, np.int64),
            acting=np.zeros(rows, np.bool_),
            reward=np.zeros((games, self.num_players), np.float32),
            terminated=np.zeros(games, np.bool_),
            truncated=np.zeros(games, np.bool_),
            round_end=np.zeros(games, np.bool_),
            final_observation=None,
        )

    def reset(self, seed: int | None = None, *, out: Step | None = None) -> Step:
        """Start a new match everywhere; without a seed the stream of deals goes on."""
        step = self._target(out)
        self.engine.reset(seed)
        step.reward[:] = 0
        for flags in (step.terminated, step.truncated, step.round_end):
            flags[:] = False
        return self._observe(step)._replace(final_observation=None)

    def step(
        self,
        actions: ArrayLike,
        *,
        games: NDArray[np.bool_] | None = None,
        out: Step | None = None,
    ) -> Step:
        """Apply ``actions`` (B, K) and start new matches where one has ended.

        Args:
            actions: integers; ``wait`` for a seat that is not acting.
            games: (B,) which games move, all by default; where one does not, its row shows what
                it showed, with no reward and no flag set.
            out: arrays to write into instead of the batch's own (see ``empty_step``).

        Raises:
            IllegalActionError: names game, seat, action and what was legal; nothing has moved.
            ConfigError: an array of ``out`` is not as ``empty_step`` makes it; nothing has moved.
        """
        step = self._target(out)
        reward, flags = self.engine.step(actions, games=games)
        step.reward[:] = reward
        for bit, array in (
            (MATCH_END, step.terminated),
            (TRUNCATED, step.truncated),
            (ROUND_END, step.round_end),
        ):
            if self.engine.any(bit):
                np.not_equal(flags & bit, 0, out=array)
            else:
                array.fill(False)
        final = None
        if self.engine.any(TRUNCATED):
            final = self._observe(self.empty_step()).observation
        if self.engine.any(MATCH_END | TRUNCATED):
            self.engine.restart(self.engine.done())
        self._observe(step)
        same = final is None and step.final_observation is None
        return step if same else step._replace(final_observation=final)

    def sample_actions(
        self, seed: int | None = None, *, out: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Legal actions (B, K), drawn uniformly in compiled code."""
        return self.engine.sample_actions(seed, out)

    def position(self, index: int = 0) -> dict[str, Any]:
        """The whole truth about game ``index`` (see ``Engine.position``)."""
        return self.engine.position(index)

    def set_position(self, position: dict[str, Any], index: int = 0) -> None:
        """Put game ``index`` into a position; ``observe()`` shows it (see ``Engine``)."""
        self.engine.set_position(position, index)

    def observe(self) -> Step:
        """The current observations, after a change of position say; nothing has moved."""
        return self._observe(self._step)

    def copy(self) -> Batch:
        """An independent batch in the same state."""
        twin: Batch = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.engine = self.engine.copy()
        twin._step = copy.deepcopy(self._step)
        return twin

    def _target(self, out: Step | None) -> Step:
        """The arrays to write into; the caller's are checked before anything moves."""
        if out is None:
            return self._step
        if not isinstance(out, Step):
            raise ConfigError(f"out must be a Step such as empty_step() makes, not {out!r}")
        for name, array, own in zip(Step._fields, out, self._step, strict=True):
            if own is not None:
                check_array(f"out.{name}", array, own.shape, own.dtype)
        return out

    def _observe(self, step: Step) -> Step:
        self.engine.observe(step.observation, step.action_mask, step.seat, step.acting)
        return step
