"""The value of a game for given players, by backward induction over all they may come to.

Players decide from observations, which tell the history too, so what they come to is a tree. Level
by level, each player is asked about all positions of a level at once. Positions with the same hands
and rows are one if neither player looks at the history.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError
from sixth_env.games.base import Game
from sixth_env.games.rows.rules import RowsRules
from sixth_env.lift import Kernel, compiled, lift
from sixth_env.solver.search import move, source_hash, write_key

MAX_SUCCESSORS = 100_000  # made at once; a level with more is worked off in parts
MAX_POSITIONS = 20_000_000  # in one call, an hour or so
ASKED_AT_ONCE = 4096

Chances = NDArray[np.float64]
Policy = Callable[[NDArray[np.int16], NDArray[np.int8]], Chances]


@dataclass(frozen=True)
class Player:
    """Who sits at a seat.

    Attributes:
        policy: from observations (N, D) and masks (N, A) to probabilities (N, A); ``None`` for one
            who knows what the other does and plays best against it.
        history: whether the policy may depend on what was played before.
        row_numbers: whether it may depend on the numbers of the rows, as when they settle ties.
    """

    policy: Policy | None
    history: bool = True
    row_numbers: bool = True


BEST = Player(None, history=False, row_numbers=False)


class Tree:
    """Values of the rounds of one rule set.

    Args:
        game: a rows game.
        rules: as :func:`~sixth_env.exact.deals.exact_rules` makes them.
        first, second: who plays at seats 0 and 1; at most one of them is ``BEST``.

    Attributes:
        positions: how many have been looked at.
    """

    def __init__(self, game: Game, rules: RowsRules, first: Player, second: Player) -> None:
        if first.policy is None and second.policy is None:
            raise ConfigError("two best responses to each other are an equilibrium: use the solver")
        self.game, self.players = game, (first, second)
        self.positions = 0
        self._history = first.history or second.history
        self._ordered = first.row_numbers or second.row_numbers or rules.row_choice == "cheapest"
        self._record = np.array([game.rules_record(rules)])
        self._log = np.zeros(1, game.kernels.LOG)
        self._place = np.arange(len(self._record["penalty"][0]), dtype=np.uint64)

    def values(self, states: NDArray[np.void]) -> Chances:
        """What seat 0 gains on seat 1 on average to the end of the round, (N,).

        Raises:
            ConfigError: the players may come to more positions than can be looked at.
            OpponentError: a player gave no usable answer.
        """
        self.positions += len(states)
        if self.positions > MAX_POSITIONS:
            raise ConfigError(
                f"more than {MAX_POSITIONS:,} positions would be looked at: take a smaller"
                " hand_size, or fewer deals"
            )
        chances = self._chances(states)
        count = (chances[:, 0] > 0).sum(axis=1) * (chances[:, 1] > 0).sum(axis=1)
        values = np.empty(len(states))
        start = 0
        while start < len(states):
            many = int(np.searchsorted(count[start:].cumsum(), MAX_SUCCESSORS, side="right"))
            part = slice(start, start + max(many, 1))
            values[part] = self._back(states[part], chances[part], int(count[part].sum()))
            start = part.stop
        return values

    def _back(self, states: NDArray[np.void], chances: Chances, count: int) -> Chances:
        """Values from those of all successors."""
        after = np.empty(count, self.game.state)
        parent, action = np.empty(count, np.int64), np.empty((count, 2), np.int64)
        gain, over = np.empty(count), np.empty(count, np.bool_)
        _lift_expand(self.game)(
            states, self._record, chances, self._log, after, parent, action, gain, over
        )
        if not over.all():
            after = after[~over]  # the rest is not needed while these are looked into
            gain[~over] += self._merged(after)
        weight = [chances[parent, seat, action[:, seat]] for seat in range(2)]
        for seat, sign in ((0, 1.0), (1, -1.0)):
            if self.players[seat].policy is None:
                gained = sign * weight[1 - seat] * gain
                return sign * _best(chances[:, seat], parent, action[:, seat], gained)
        shares: Chances = weight[0] * weight[1] * gain
        return np.bincount(parent, shares, len(states)).astype(np.float64)

    def _merged(self, states: NDArray[np.void]) -> Chances:
        """Values of positions, of equal ones once if nobody remembers how they came about."""
        if self._history:
            return self.values(states)
        keys = np.empty((len(states), 2), np.uint64)
        _lift_keys(self.game)(states, self._record, self._place, self._ordered, keys)
        _, which, back = np.unique(
            keys.view([("", np.uint64)] * 2)[:, 0], return_index=True, return_inverse=True
        )
        return self.values(states[which])[back]

    def _chances(self, states: NDArray[np.void]) -> Chances:
        """What both seats do in each position, (N, 2, A); all that is legal for the best one."""
        chances = np.empty((len(states), 2, self.game.num_actions))
        for start in range(0, len(states), ASKED_AT_ONCE):
            part = slice(start, start + ASKED_AT_ONCE)
            observation, mask = self._observe(states[part])
            chances[part] = mask
            for seat, player in enumerate(self.players):
                asked = np.flatnonzero(mask[:, seat].sum(axis=1) > 1)
                if player.policy is not None and len(asked):
                    answer = player.policy(observation[asked, seat], mask[asked, seat])
                    chances[start + asked, seat] = answer
        return chances

    def _observe(self, states: NDArray[np.void]) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
        rows, game = (len(states), 2), self.game
        observation = np.zeros((*rows, game.observation_size), np.int16)
        mask = np.zeros((*rows, game.num_actions), np.int8)
        seat, acting = np.zeros(rows, np.int64), np.zeros(rows, np.bool_)
        lift(game).observe(
            np.ascontiguousarray(states), self._record, observation, mask, seat, acting
        )
        return observation, mask


def _best(
    legal: Chances, parent: NDArray[np.int64], action: NDArray[np.int64], gain: Chances
) -> Chances:
    """What the best action gains in each of N positions, from its share in M successors.

    Args:
        legal: (N, A), above 0 where an action is legal.
        parent, action: (M,) which position and action led to a successor.
        gain: (M,) what it gains, times its chance.
    """
    rows, actions = legal.shape
    sums = np.bincount(parent * actions + action, gain, rows * actions).reshape(rows, actions)
    best: Chances = np.where(legal > 0, sums, -np.inf).max(axis=1)
    return best


@cache
def _lift_expand(game: Game) -> Kernel:
    source, commit, step = source_hash(game), game.kernels.commit, game.kernels.step

    def expand(
        states: Any, rules: Any, chances: Any, log: Any,
        after: Any, parent: Any, action: Any, gain: Any, over: Any,
    ) -> None:  # fmt: skip
        """Write all successors (M,) of positions (N,) in which both actions have a chance > 0.

        ``parent`` (M,), ``action`` (M, 2), ``gain`` (M,) of seat 0 on seat 1, ``over`` (M,).
        """
        source  # noqa: B018  # part of the cache's key
        r, m = rules[0], 0
        for i in range(states.shape[0]):
            for a in range(chances.shape[2]):
                if chances[i, 0, a] > 0:
                    for b in range(chances.shape[2]):
                        if chances[i, 1, b] > 0:
                            after[m] = states[i]
                            parent[m], action[m, 0], action[m, 1] = i, a, b
                            gain[m], over[m] = move(commit, step, after[m], r, a, b, log[0])
                            m += 1

    return compiled(expand)


@cache
def _lift_keys(game: Game) -> Kernel:
    source = source_hash(game)

    def keys_of(states: Any, rules: Any, place: Any, ordered: bool, keys: Any) -> None:
        """Write what decides the rest of the round into ``keys`` (N, 2)."""
        source  # noqa: B018  # part of the cache's key
        for i in range(states.shape[0]):
            write_key(states[i], rules[0], place, ordered, keys[i])

    return compiled(keys_of)
