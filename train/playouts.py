"""Decisions labelled by playouts: what every legal action would have brought, in the true world.

A round is played by a base policy, a heuristic, in every seat. Wherever the hero, one seat of the
round, has a choice, the game is copied for each legal action, the action is played, and the round
is finished by the base policy. The world is the true one, hidden cards included, as dealt and
played so far: so the labels are samples of the actions' values given the observation, and a
network that fits them learns their mean. All actions of a decision share that world, and with a
deterministic base policy they differ by the action alone, which takes the luck of the deal out
of their comparison.

Rollouts as policy improvement: Tesauro and Galperin, "On-line Policy Improvement using Monte-Carlo
Search", 1996.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError
from sixth_env.games.base import Game
from sixth_env.lift import Kernel, compiled
from sixth_env.rng import below, draw, fold, kernel


class Decisions(NamedTuple):
    """N decisions of heroes, one after the other as they came up."""

    observation: NDArray[np.int16]  # (N, D)
    action_mask: NDArray[np.int8]  # (N, A) with at least two legal actions
    gains: NDArray[np.float32]  # (N, A) own reward to the end of the round; 0 if not legal
    base: NDArray[np.int64]  # (N,) what the base policy plays


class Playouts:
    """An endless supply of labelled decisions for one rule set.

    Args:
        game: the game.
        rules: its options.
        base: the heuristic that plays for everybody.
        explore: how often the hero plays a random action instead, from 0 to 1: the policy that is
            learnt reaches other positions than the base policy does.

    Raises:
        ConfigError: unknown rules or heuristic.
    """

    def __init__(self, game: Game, rules: dict[str, Any], base: str, explore: float) -> None:
        if base not in game.heuristics:
            known = ", ".join(game.heuristics)
            raise ConfigError(f"{game.id} has no heuristic {base!r}: expected one of {known}")
        self.game, self.base, self.explore = game, base, explore
        self._rules = np.array([game.rules_record(game.make_rules(rules))])
        self._states = np.zeros(2, game.state)
        self._log = np.zeros(1, game.kernels.LOG)
        self._work = np.zeros((1, game.observation_size), np.int16)
        self._legal = np.zeros((1, game.num_actions), np.int8)
        self._moves = np.zeros(game.max_players, np.int64)

    def decisions(self, count: int, key: int) -> Decisions:
        """The first ``count`` decisions of the rounds of a stream, which ``key`` (uint64) names."""
        game = self.game
        found = Decisions(
            np.empty((count, game.observation_size), np.int16),
            np.empty((count, game.num_actions), np.int8),
            np.zeros((count, game.num_actions), np.float32),
            np.empty(count, np.int64),
        )
        _lift_label(game, self.base)(
            self._states,
            self._rules[0],
            self._log[0],
            np.uint64(key),
            self.explore,
            self._work[0],
            self._legal[0],
            self._moves,
            *found,
        )
        return found


@kernel
def _choose(
    write_mask: Kernel,
    observe_public: Kernel,
    observe_seat: Kernel,
    cost: Kernel,
    s: Any,
    r: Any,
    seat: int,
    columns: Any,
    legal: Any,
) -> tuple[int, int]:
    """The base policy's action for a seat, and how many it could choose from.

    ``columns`` (D,) and ``legal`` (A,) are working space: the seat's observation, if it has a
    choice, and its action mask.
    """
    write_mask(s, r, seat, legal)
    options, action = 0, 0
    for a in range(legal.shape[0]):
        if legal[a]:
            options += 1
            action = a
    if options > 1:
        observe_public(s, r, columns)
        observe_seat(s, r, seat, columns)
        least = np.inf
        for a in range(legal.shape[0]):
            if legal[a]:
                here = cost(columns, r, a)
                if here < least:
                    action, least = a, here
    return action, options


@cache
def _lift_label(game: Game, base: str) -> Kernel:
    source, cost, kernels = game.source_hash, game.heuristics[base], game.kernels
    write_mask, observe_public = kernels.write_mask, kernels.observe_public
    observe_seat = kernels.observe_seat
    new_match, seat_at, commit = kernels.new_match, kernels.seat_at, kernels.commit
    step, random_action, simultaneous = kernels.step, kernels.random_action, game.simultaneous

    @kernel
    def choose(s: Any, r: Any, seat: int, columns: Any, legal: Any) -> tuple[int, int]:
        return _choose(write_mask, observe_public, observe_seat, cost, s, r, seat, columns, legal)

    def label(
        states: Any,
        r: Any,
        log: Any,
        key: Any,
        explore: float,
        work: Any,
        legal: Any,
        moves: Any,
        observation: Any,
        action_mask: Any,
        gains: Any,
        base_action: Any,
    ) -> None:
        """Fill the four arrays of ``Decisions``. ``states`` (2,), ``work`` (D,), ``legal`` (A,) and
        ``moves`` (P,) are working space.
        """
        source  # noqa: B018  # part of the cache's key
        s, t = states[0], states[1]
        seats = r["num_players"] if simultaneous else 1
        found, number = 0, 0
        while found < observation.shape[0]:
            stream = fold(key, number)
            number += 1
            s["seed"], s["game"], s["episode"] = stream, 0, 0
            new_match(s, r, log)
            hero = below(draw(stream, 0), r["num_players"])
            n, flags = 1, 0
            while flags == 0 and found < observation.shape[0]:
                place, options = -1, 0
                for j in range(seats):
                    seat = seat_at(s, r, j)
                    if seat == hero:
                        moves[j], options = choose(
                            s, r, seat, observation[found], action_mask[found]
                        )
                        place = j
                    else:
                        moves[j], _ = choose(s, r, seat, work, legal)
                if options > 1:
                    for action in range(legal.shape[0]):
                        if action_mask[found, action]:
                            states[1] = states[0]
                            for j in range(seats):
                                commit(t, r, seat_at(t, r, j), action if j == place else moves[j])
                            ends = step(t, r, log)
                            total = np.int64(t["gains"][hero])
                            while ends == 0:
                                for j in range(seats):
                                    seat = seat_at(t, r, j)
                                    move, _ = choose(t, r, seat, work, legal)
                                    commit(t, r, seat, move)
                                ends = step(t, r, log)
                                total += t["gains"][hero]
                            gains[found, action] = total
                    base_action[found] = moves[place]
                    if draw(stream, n) < explore * 2.0**64:
                        moves[place] = random_action(s, r, hero, draw(stream, n + 1))
                    found, n = found + 1, n + 2
                for j in range(seats):
                    commit(s, r, seat_at(s, r, j), moves[j])
                flags = step(s, r, log)

    return compiled(label)
