"""The compiled calls of a single match.

As the loops of :mod:`sixth_env.lift`, for one game and with every seat observed, whoever acts. A
step of one game takes less time than handing a compiled function its arguments, so these take few,
and records inside arrays of length 1 (a bare record costs ten times as much to hand over).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from sixth_env.games.base import Game
from sixth_env.lift import Kernel, compiled, to_float, write_reward

ILLEGAL = -1


class MatchLoops(NamedTuple):
    """The compiled functions of one game; see below for what each does."""

    play: Kernel
    look: Kernel


@cache
def lift_match(game: Game) -> MatchLoops:
    """The single-match functions of a game."""
    return MatchLoops(_lift_play(game), _lift_look(game))


def _lift_play(game: Game) -> Kernel:
    source, kernels = game.source_hash, game.kernels
    seat_at, commit, withdraw = kernels.seat_at, kernels.commit, kernels.withdraw
    step, score = kernels.step, kernels.score

    def play(states, rules, mode, actions, reward, log):
        """Apply ``actions`` (K,), write ``reward`` (P,); returns the flags, or ILLEGAL."""
        source  # noqa: B018  # part of the cache's key
        s, r = states[0], rules[0]
        for k in range(actions.shape[0]):
            if not commit(s, r, seat_at(s, r, k), actions[k]):
                withdraw(s)
                return ILLEGAL
        flags = step(s, r, log[0])
        write_reward(score, s, r, mode, flags, reward)
        return flags

    return compiled(play)


def _lift_look(game: Game) -> Kernel:
    source, scale, kernels = game.source_hash, game.table.scale, game.kernels
    public, private, num_public = kernels.observe_public, kernels.observe_seat, kernels.num_public
    write_mask = kernels.write_mask

    def look(states, rules, columns, observation, mask):
        """Write every seat's observation (P, D) float32 and mask (P, A); ``columns`` (P, D)
        int16 is working space."""
        source  # noqa: B018
        s, r = states[0], rules[0]
        public(s, r, columns[0])
        for seat in range(observation.shape[0]):
            for column in range(num_public(r)):
                columns[seat, column] = columns[0, column]
            private(s, r, seat, columns[seat])
            write_mask(s, r, seat, mask[seat])
        to_float(columns, scale, observation)

    return compiled(look)
