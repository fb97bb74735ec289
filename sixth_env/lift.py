"""Kernels for one game, lifted over a batch and compiled.

Every loop here is written once and serves all games: it closes over a game's kernels (plain
functions that Numba compiles along) and over the digest of their source, which keys Numba's cache.
``NUMBA_DISABLE_JIT=1`` runs the same functions interpreted, with the same results. A loop is
compiled when it is first called.

Arrays: ``states`` (B,) records; ``rules`` and ``log`` (1,) a record each, since a bare record takes
ten times as long to hand over; ``actions`` (B, K); ``reward`` (B, P) float32; ``flags`` (B,) bits
of ``games.base``; observations (B, K, D); masks (B, K, A).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, NamedTuple

import numba
import numpy as np

from sixth_env.games.base import MATCH_END, Game
from sixth_env.rng import ACTION, draw, fold, kernel

REWARD_MODES = {"penalty": 0, "chips": 0, "points": 0, "relative": 1, "win": 2}
_RELATIVE, _WIN = 1, 2

Kernel = Callable[..., Any]


class Lifted(NamedTuple):
    """The compiled loops of one game; see the functions below for what each does."""

    reset: Kernel
    play: Kernel
    play_some: Kernel
    observe: Kernel
    observe_float: Kernel
    sample: Kernel


def lift(game: Game, threads: int = 1) -> Lifted:
    """The compiled loops of a game, serial or over so many of Numba's threads."""
    loops = _lift(game, threads > 1)
    return loops if threads == 1 else Lifted(*(_on_threads(loop, threads) for loop in loops))


def _on_threads(loop: Kernel, threads: int) -> Kernel:
    """The loop on so many threads, whatever Numba is set to before and after."""

    @wraps(loop)
    def limited(*arguments: Any) -> Any:
        before = numba.get_num_threads()
        numba.set_num_threads(threads)
        try:
            return loop(*arguments)
        finally:
            numba.set_num_threads(before)

    return limited


@cache
def _lift(game: Game, parallel: bool) -> Lifted:
    return Lifted(
        _lift_reset(game),
        _lift_play_parallel(game) if parallel else _lift_play(game),
        _lift_play_some(game),
        _lift_observe_parallel(game) if parallel else _lift_observe(game),
        _lift_observe_float_parallel(game) if parallel else _lift_observe_float(game),
        _lift_sample(game),
    )


def compiled(function: Kernel, parallel: bool = False) -> Kernel:
    """Compile with a cache on disk; interpreted, silence the wrap-around of 64-bit hashes."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

        @wraps(function)
        def interpreted(*arguments: Any) -> Any:
            with np.errstate(over="ignore"):
                return function(*arguments)

        return interpreted
    dispatcher: Kernel = numba.njit(cache=True, parallel=parallel, nogil=True)(function)
    return dispatcher


# --- Playing -----------------------------------------------------------------------------------


def _lift_reset(game: Game) -> Kernel:
    source, new_match = game.source_hash, game.kernels.new_match

    def reset(states, rules, chosen, log):
        """Start the next episode of each game where ``chosen`` (B,): deal its first round."""
        source  # noqa: B018  # part of the cache's key
        for i in range(states.shape[0]):
            if chosen[i]:
                states[i]["episode"] += 1
                new_match(states[i], rules[0], log[0])

    return compiled(reset)


def _lift_play(game: Game) -> Kernel:
    source, k = game.source_hash, game.kernels
    commit, withdraw, seat_at, step, score = k.commit, k.withdraw, k.seat_at, k.step, k.score

    def play(states, rules, mode, actions, reward, flags, log):
        """Check all actions, then step every game; write rewards and flags.

        Returns (the flat index of the first illegal action, or -1; all flags united). If an action
        is illegal, no game has moved.
        """
        source  # noqa: B018
        bad = _commit_all(commit, withdraw, seat_at, states, rules[0], actions)
        if bad >= 0:
            return bad, 0
        united = 0
        for i in range(states.shape[0]):
            flags[i] = step(states[i], rules[0], log[0])
            write_reward(score, states[i], rules[0], mode, flags[i], reward[i])
            united |= flags[i]
        return bad, united

    return compiled(play)


def _lift_play_parallel(game: Game) -> Kernel:
    source, k = game.source_hash, game.kernels
    commit, withdraw, seat_at, step, score = k.commit, k.withdraw, k.seat_at, k.step, k.score

    def play_parallel(states, rules, mode, actions, reward, flags, log):
        """As ``play``, over threads; a def of its own, for the two would share a cache entry."""
        source  # noqa: B018
        bad = _commit_all(commit, withdraw, seat_at, states, rules[0], actions)
        if bad >= 0:
            return bad, 0
        for i in numba.prange(states.shape[0]):
            flags[i] = step(states[i], rules[0], log[0])
            write_reward(score, states[i], rules[0], mode, flags[i], reward[i])
        united = 0
        for i in range(states.shape[0]):
            united |= flags[i]
        return bad, united

    return compiled(play_parallel, parallel=True)


def _lift_play_some(game: Game) -> Kernel:
    source, k = game.source_hash, game.kernels
    commit, withdraw, seat_at, step, score = k.commit, k.withdraw, k.seat_at, k.step, k.score

    def play_some(states, rules, mode, actions, chosen, reward, flags, log):
        """As ``play``, for the games where ``chosen`` (B,); the others stay as they are.

        Their actions are not looked at, their rewards and flags are 0.
        """
        source  # noqa: B018
        bad = _commit_some(commit, withdraw, seat_at, states, rules[0], actions, chosen)
        if bad >= 0:
            return bad, 0
        united = 0
        for i in range(states.shape[0]):
            if chosen[i]:
                flags[i] = step(states[i], rules[0], log[0])
                write_reward(score, states[i], rules[0], mode, flags[i], reward[i])
                united |= flags[i]
            else:
                flags[i] = 0
                for seat in range(reward.shape[1]):
                    reward[i, seat] = np.float32(0)
        return bad, united

    return compiled(play_some)


@kernel
def _commit_some(commit, withdraw, seat_at, states, r, actions, chosen):
    """As ``_commit_all``, for the games where ``chosen`` (B,) alone."""
    for i in range(states.shape[0]):
        if not chosen[i]:
            continue
        for k in range(actions.shape[1]):
            if not commit(states[i], r, seat_at(states[i], r, k), actions[i, k]):
                for game in range(i + 1):
                    if chosen[game]:
                        withdraw(states[game])
                return i * actions.shape[1] + k
    return -1


@kernel
def _commit_all(commit, withdraw, seat_at, states, r, actions):
    """Note every row's action for a step; the flat index of the first illegal one, or -1."""
    for i in range(states.shape[0]):
        for k in range(actions.shape[1]):
            if not commit(states[i], r, seat_at(states[i], r, k), actions[i, k]):
                for game in range(i + 1):
                    withdraw(states[game])
                return i * actions.shape[1] + k
    return -1


@kernel
def write_reward(score, s, r, mode, flags, reward):
    """Write the rewards (P,) of the step that one game has just made."""
    players, total = reward.shape[0], 0
    for seat in range(players):
        reward[seat] = s["gains"][seat]
        total += s["gains"][seat]
    if mode == _RELATIVE:
        for seat in range(players):
            others = np.float32(total - s["gains"][seat])
            reward[seat] -= np.divide(others, np.float32(players - 1))  # `/` might raise
    elif mode == _WIN:
        share_win(score, s, r, 1 if flags & MATCH_END else 0, reward)


@kernel
def share_win(score, s, r, won, reward):
    """Share ``won`` among those with the highest score."""
    players, winners = reward.shape[0], 0
    best = score(s, r, 0)
    for seat in range(players):
        best = max(best, score(s, r, seat))
    for seat in range(players):
        winners += score(s, r, seat) == best
    for seat in range(players):
        share = np.divide(np.float32(won), np.float32(winners))
        reward[seat] = share if score(s, r, seat) == best else np.float32(0)


def _lift_sample(game: Game) -> Kernel:
    source, k = game.source_hash, game.kernels
    seat_at, random_action = k.seat_at, k.random_action

    def sample(states, rules, seed, n, actions):
        """Draw a legal action for every row, uniformly: the n-th draw of ``seed``.

        Game i's actions depend on its index alone, not on the batch it is in.
        """
        source  # noqa: B018
        key = fold(fold(seed, ACTION), n)
        for i in range(states.shape[0]):
            s, r = states[i], rules[0]
            game_key = fold(key, s["game"])
            for k in range(actions.shape[1]):
                actions[i, k] = random_action(s, r, seat_at(s, r, k), draw(game_key, k))

    return compiled(sample)


# --- Observing ---------------------------------------------------------------------------------


@kernel
def _observe_one(
    public, private, write_mask, seat_at, decides, num_public, s, r, obs, mask, seat, acting
):
    """Write observations, masks, seats and who acts of one game: (K, D), (K, A), (K,), (K,)."""
    public(s, r, obs[0])
    end = num_public(r)
    for k in range(obs.shape[0]):
        seat[k] = seat_at(s, r, k)
        acting[k] = decides(s, r, seat[k])
        if k > 0:
            for column in range(end):
                obs[k, column] = obs[0, column]
        private(s, r, seat[k], obs[k])
        write_mask(s, r, seat[k], mask[k])


@kernel
def to_float(columns, scale, obs):
    """Integer columns (K, D) times their scale into ``obs``."""
    for k in range(obs.shape[0]):
        for column in range(obs.shape[1]):
            obs[k, column] = np.float32(columns[k, column]) * scale[column]


def _observers(game: Game) -> tuple[Kernel, ...]:
    k = game.kernels
    return k.observe_public, k.observe_seat, k.write_mask, k.seat_at, k.decides, k.num_public


def _lift_observe(game: Game) -> Kernel:
    source = game.source_hash
    public, private, write_mask, seat_at, decides, num_public = _observers(game)

    def observe(states, rules, obs, mask, seat, acting):
        """Write the integer observations and masks of every game."""
        source  # noqa: B018
        for i in range(states.shape[0]):
            _observe_one(
                public, private, write_mask, seat_at, decides, num_public,
                states[i], rules[0], obs[i], mask[i], seat[i], acting[i],
            )  # fmt: skip

    return compiled(observe)


def _lift_observe_parallel(game: Game) -> Kernel:
    source = game.source_hash
    public, private, write_mask, seat_at, decides, num_public = _observers(game)

    def observe_parallel(states, rules, obs, mask, seat, acting):
        source  # noqa: B018
        for i in numba.prange(states.shape[0]):
            _observe_one(
                public, private, write_mask, seat_at, decides, num_public,
                states[i], rules[0], obs[i], mask[i], seat[i], acting[i],
            )  # fmt: skip

    return compiled(observe_parallel, parallel=True)


def _lift_observe_float(game: Game) -> Kernel:
    source = game.source_hash
    public, private, write_mask, seat_at, decides, num_public = _observers(game)

    def observe_float(states, rules, obs, mask, seat, acting, scale, columns):
        """As ``observe``, float32; ``columns`` (1 or B, K, D) int16 is working space."""
        source  # noqa: B018
        for i in range(states.shape[0]):
            _observe_one(
                public, private, write_mask, seat_at, decides, num_public,
                states[i], rules[0], columns[0], mask[i], seat[i], acting[i],
            )  # fmt: skip
            to_float(columns[0], scale, obs[i])

    return compiled(observe_float)


def _lift_observe_float_parallel(game: Game) -> Kernel:
    source = game.source_hash
    public, private, write_mask, seat_at, decides, num_public = _observers(game)

    def observe_float_parallel(states, rules, obs, mask, seat, acting, scale, columns):
        source  # noqa: B018
        for i in numba.prange(states.shape[0]):
            _observe_one(
                public, private, write_mask, seat_at, decides, num_public,
                states[i], rules[0], columns[i], mask[i], seat[i], acting[i],
            )  # fmt: skip
            to_float(columns[i], scale, obs[i])

    return compiled(observe_float_parallel, parallel=True)
