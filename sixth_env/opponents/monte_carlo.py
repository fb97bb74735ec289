"""Monte Carlo: every legal action is tried in sampled worlds, and the round finished by chance.

Flat Monte Carlo over determinizations: world j of a decision deals the unseen cards to the other
seats, and every action is played out once in it. All others, and the observer after this
action, move uniformly at random, or by the game's own ``playout`` where random moves would say too
little. The j-th playouts of all actions share world and random numbers, so that the difference
between two actions is not blurred by two different deals.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import OpponentError
from sixth_env.games.base import ROUND_END, Game
from sixth_env.lift import Kernel, compiled
from sixth_env.opponents.base import Seeds, integer_columns, legal_actions, lone_action, row_seeds
from sixth_env.rng import ACTION, WORLD, draw, fold, kernel

ILLEGAL_VALUE = -1e9  # of an action that is not legal: finite, and below every result
MAX_PLAYOUTS = 1_000_000


class MonteCarloOpponent:
    """Plays the action with the best mean result of ``playouts`` playouts for each legal action.

    It knows the observation alone: the worlds are sampled from it. One legal action is answered at
    once. The lowest action number wins ties.

    Args:
        game: one of :data:`sixth_env.games.GAMES`.
        playouts: for each legal action, 1 … ``MAX_PLAYOUTS``.
    """

    def __init__(self, game: Game, playouts: int) -> None:
        if not 1 <= playouts <= MAX_PLAYOUTS:
            raise OpponentError(f"playouts must be from 1 to {MAX_PLAYOUTS}, not {playouts}")
        self.game, self.playouts, self.name = game, playouts, f"mc:{playouts}"

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """See :meth:`Opponent.act`."""
        values = self._values(observation, action_mask, seeds, skip_lone=True)
        best: NDArray[np.int64] = values.argmax(axis=1)
        return best

    def action_values(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.float64]:
        """What the own seat gains on average to the end of the round, (N, A), higher is better.

        In the rows games that is minus the points it takes. ``wait`` has value 0 and an action
        that is not legal ``ILLEGAL_VALUE``.
        """
        return self._values(observation, action_mask, seeds, skip_lone=False)

    def _values(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds, skip_lone: bool
    ) -> NDArray[np.float64]:
        game = self.game
        columns = integer_columns(game, observation)
        legal = legal_actions(game, action_mask, len(columns))
        totals = np.zeros(legal.shape)
        rules = np.array([game.rules_record(game.rules())])  # overwritten: a copy for each call
        log = np.zeros(1, game.kernels.LOG)
        bad = _lift_values(game)(
            columns,
            legal,
            row_seeds(seeds, len(columns)),
            self.playouts,
            skip_lone,
            rules[0],
            np.zeros(2, game.state),
            log[0],
            totals,
        )
        if bad >= 0:
            raise OpponentError(
                f"row {bad}: the observation contradicts itself, or the action mask does not fit it"
            )
        values: NDArray[np.float64] = np.where(legal, totals / self.playouts, ILLEGAL_VALUE)
        return values


@kernel
def _playout(
    seat_at: Kernel,
    move: Kernel,
    commit: Kernel,
    step: Kernel,
    seats: int,
    s: Any,
    r: Any,
    action: int,
    key: Any,
    log: Any,
) -> int:
    """The gain of seat 0 to the end of the round from playing ``action`` now; changes ``s``.

    Draws are numbered by step and seat, so that playouts with one key share them.
    """
    total: int = 0
    n = 0
    while True:  # to the end of the round, which sampled worlds reach in any case
        for k in range(seats):
            seat = seat_at(s, r, k)
            choice = move(s, r, seat, draw(key, n))
            if n < seats and seat == 0:
                choice = action
            commit(s, r, seat, choice)
            n += 1
        flags = step(s, r, log)
        total += s["gains"][0]
        if flags & ROUND_END:
            return total


@cache
def _lift_values(game: Game) -> Kernel:
    source, sample_world, kernels = game.source_hash, game.sample_world, game.kernels
    seat_at, decides, move = kernels.seat_at, kernels.decides, game.playout or kernels.random_action
    commit, step, simultaneous = kernels.commit, kernels.step, game.simultaneous

    def add_gains(
        obs: Any,
        legal: Any,
        seeds: Any,
        playouts: int,
        skip_lone: bool,
        rules: Any,
        states: Any,
        log: Any,
        totals: Any,
    ) -> int:
        """Add the gains of all playouts to ``totals`` (N, A), by action.

        ``rules`` and ``states`` (2,) are working space. Returns the first row whose observation
        and mask do not make sense together, or -1.
        """
        source  # noqa: B018  # part of the cache's key
        world, s = states[0], states[1]
        for i in range(obs.shape[0]):
            lone = lone_action(legal, i)
            if skip_lone and lone >= 0:
                continue
            columns = obs[i]
            worlds, moves = fold(seeds[i], WORLD), fold(seeds[i], ACTION)
            for j in range(playouts):
                if not sample_world(columns, fold(worlds, j), rules, world):
                    return i
                if lone >= 0 and not decides(world, rules, 0):
                    break
                seats = rules["num_players"] if simultaneous else 1
                for action in range(legal.shape[1]):
                    if legal[i, action]:
                        if not commit(world, rules, 0, action):
                            return i
                        states[1] = states[0]
                        totals[i, action] += _playout(
                            seat_at, move, commit, step,
                            seats, s, rules, action, fold(moves, j), log,
                        )  # fmt: skip
        return -1

    return compiled(add_gains)
