"""Opponents that weigh one action at a time: random, and the heuristics of each game."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import OpponentError
from sixth_env.games.base import Game
from sixth_env.lift import Kernel, compiled
from sixth_env.opponents.base import Seeds, integer_columns, legal_actions, lone_action, row_seeds
from sixth_env.rng import ACTION, below, draw, fold


class RandomOpponent:
    """Plays uniformly among the legal actions, row decisions included."""

    def __init__(self, game: Game) -> None:
        self.game, self.name = game, "random"

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """See :meth:`Opponent.act`."""
        rows = len(integer_columns(self.game, observation))
        legal = legal_actions(self.game, action_mask, rows)
        actions = np.empty(rows, np.int64)
        _lift_random()(legal, row_seeds(seeds, rows), actions)
        return actions

    def policy(self, observation: NDArray[Any], action_mask: NDArray[Any]) -> NDArray[np.float64]:
        """Probabilities, (N, A)."""
        rows = len(integer_columns(self.game, observation))
        legal = legal_actions(self.game, action_mask, rows)
        probabilities: NDArray[np.float64] = legal / legal.sum(axis=1, keepdims=True)
        return probabilities


class HeuristicOpponent:
    """Plays the legal action of least cost, the lowest action number on ties; needs no seeds.

    Args:
        game: one of :data:`sixth_env.games.GAMES`.
        name: one of its ``heuristics``.
    """

    def __init__(self, game: Game, name: str) -> None:
        if name not in game.heuristics:
            known = ", ".join(game.heuristics)
            raise OpponentError(f"{game.id} has no heuristic {name!r}: expected one of {known}")
        self.game, self.name = game, name
        self._rules = np.array([game.rules_record(game.rules())])

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """See :meth:`Opponent.act`."""
        columns = integer_columns(self.game, observation)
        legal = legal_actions(self.game, action_mask, len(columns))
        row_seeds(seeds, len(columns))  # a call that would not suit another opponent fails here too
        actions = np.empty(len(columns), np.int64)
        _lift_least_cost(self.game, self.name)(columns, legal, self._rules[0], actions)
        return actions


@cache
def _lift_random() -> Kernel:
    def choose(legal: Any, seeds: Any, actions: Any) -> None:
        """Write a random legal action of each row of ``legal`` (N, A) into ``actions`` (N,)."""
        for i in range(legal.shape[0]):
            count = 0
            for action in range(legal.shape[1]):
                count += legal[i, action]
            left = below(draw(fold(seeds[i], ACTION), 0), count)
            for action in range(legal.shape[1]):
                left -= legal[i, action]
                if left < 0:
                    actions[i] = action
                    break

    return compiled(choose)


@cache
def _lift_least_cost(game: Game, name: str) -> Kernel:
    source, cost = game.source_hash, game.heuristics[name]

    def choose(obs: Any, legal: Any, rules: Any, actions: Any) -> None:
        """Write the cheapest legal action of each row of (N, D) and (N, A) into ``actions``."""
        source  # noqa: B018  # part of the cache's key
        for i in range(obs.shape[0]):
            actions[i] = lone_action(legal, i)
            if actions[i] >= 0:
                continue
            row, least = obs[i], np.inf
            for action in range(legal.shape[1]):
                if legal[i, action]:
                    here = cost(row, rules, action)
                    if here < least:
                        actions[i], least = action, here

    return compiled(choose)
