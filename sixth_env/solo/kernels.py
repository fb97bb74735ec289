"""The compiled loops of games with one learner seat each; as those of :mod:`sixth_env.lift`.

Arrays: B games, K seats a step, P seats, S seats looked at, D columns, A actions.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from sixth_env.games.base import Game
from sixth_env.lift import Kernel, compiled, share_win, to_float
from sixth_env.opponents.base import lone_action
from sixth_env.rng import fold


class SoloLoops(NamedTuple):
    """The compiled functions of one game; see below for what each does."""

    survey: Kernel
    look: Kernel
    results: Kernel


@cache
def lift_solo(game: Game) -> SoloLoops:
    """The loops of a game."""
    return SoloLoops(_lift_survey(game), _lift_look(game), _lift_results(game))


def _lift_survey(game: Game) -> Kernel:
    source, wait, k = game.source_hash, game.wait, game.kernels
    seat_at, decides, write_mask = k.seat_at, k.decides, k.write_mask
    public, private, num_public = k.observe_public, k.observe_seat, k.num_public

    def survey(
        states, rules, learner, given, skip_forced, over, sitting, keys, turns,
        moving, actions, obs, mask, place, seat, who, seeds,
    ):  # fmt: skip
        """Which games move on, and what their opponents have to decide.

        A game moves unless its match is over or its learner has to decide and has not: ``given``
        (B,) is the learner's action, or -1; with ``skip_forced`` a decision between one action
        is made. Written are ``moving`` (B,); in ``actions`` (B, K)
        the learner's action and everybody's ``wait``; and for each decision of an opponent, from
        row 0 of N on, ``obs`` (N, D) int16, ``mask`` (N, A), its ``place`` in the flat actions, the
        ``seat``, ``who`` of ``sitting`` (B, P) decides, and ``seeds``.

        Returns (the number of those rows, the number of games that move).
        """
        source  # noqa: B018  # part of the cache's key
        n = moved = 0
        for i in range(states.shape[0]):
            s, r = states[i], rules[0]
            own, choice = -1, given[i]
            for k in range(actions.shape[1]):
                if seat_at(s, r, k) == learner[i] and decides(s, r, learner[i]):
                    own = k
            if own >= 0 and choice < 0 and skip_forced:
                write_mask(s, r, learner[i], mask[n])
                choice = lone_action(mask, n)
            moving[i] = not over[i] and (own < 0 or choice >= 0)
            if not moving[i]:
                continue
            moved += 1
            first = n
            for k in range(actions.shape[1]):
                player = seat_at(s, r, k)
                if k == own:
                    actions[i, k] = choice
                elif not decides(s, r, player):
                    actions[i, k] = wait
                else:
                    if n == first:
                        public(s, r, obs[n])
                    else:
                        for column in range(num_public(r)):
                            obs[n, column] = obs[first, column]
                    private(s, r, player, obs[n])
                    write_mask(s, r, player, mask[n])
                    place[n], seat[n] = i * actions.shape[1] + k, player
                    who[n] = sitting[i, player]
                    seeds[n] = fold(fold(keys[i], turns[i]), player)
                    n += 1
        return n, moved

    return compiled(survey)


def _lift_look(game: Game) -> Kernel:
    source, k = game.source_hash, game.kernels
    public, private, num_public, write_mask = (
        k.observe_public, k.observe_seat, k.num_public, k.write_mask,
    )  # fmt: skip

    def look(states, rules, seats, chosen, scale, columns, obs, mask):
        """What ``seats`` (B, S) see and may do in the games where ``chosen`` (B,), whoever acts.

        Writes ``obs`` (B, S, D) float32 and ``mask`` (B, S, A); ``columns`` (S, D) int16 is
        working space.
        """
        source  # noqa: B018
        for i in range(states.shape[0]):
            if not chosen[i]:
                continue
            s, r = states[i], rules[0]
            public(s, r, columns[0])
            for j in range(seats.shape[1]):
                if j > 0:
                    for column in range(num_public(r)):
                        columns[j, column] = columns[0, column]
                private(s, r, seats[i, j], columns[j])
                write_mask(s, r, seats[i, j], mask[i, j])
            to_float(columns, scale, obs[i])

    return compiled(look)


def _lift_results(game: Game) -> Kernel:
    source, score = game.source_hash, game.kernels.score

    def results(states, rules, ended, totals, shares):
        """How the matches of the games where ``ended`` (B,) came out.

        Writes ``totals`` (B, P) and the winners' ``shares`` (B, P) of a win.
        """
        source  # noqa: B018
        for i in range(states.shape[0]):
            if ended[i]:
                for seat in range(totals.shape[1]):
                    totals[i, seat] = states[i]["totals"][seat]
                share_win(score, states[i], rules[0], np.int64(1), shares[i])

    return compiled(results)
