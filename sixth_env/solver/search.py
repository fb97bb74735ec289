"""The exact search as compiled loops: positions of two players whose hands both know.

With open hands a position is a matrix game over its successors: the payoff of two cards is what
player 0 gains on player 1 in the turn, plus the value of the position after it. A row decision is
such a game too, in which one player has a single action. Values depend on the hands and the rows
alone, so each position is solved once and remembered: backward induction with a memo, depth first.
The rules are the game's own kernels; which payoffs a position needs says
:mod:`~sixth_env.solver.matrix`.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from sixth_env.games.base import MATCH_END, Game
from sixth_env.games.rows.rules import MAX_HAND, MAX_ROWS
from sixth_env.games.rows.state import CARD, ROW
from sixth_env.lift import Kernel, compiled
from sixth_env.rng import kernel, mix, rare
from sixth_env.solver.matrix import DONE, MAX_ACTIONS, next_payoff, open_frame

MAX_DEPTH = 3 * MAX_HAND + 1  # a turn has a choice of cards and at most two of rows
MAX_CARDS = 24  # different places of cards that a key has room for

# Where a search stands, so that it can go on when its memo has been enlarged.
PROGRESS = np.dtype(
    [
        ("root", "i8"),  # which of the positions is being solved
        ("depth", "i8"),  # how deep the search is in it; -1: not begun
        ("known", "i8"),  # entries of the memo
        ("solved", "i8"),  # matrix games solved
        ("payoffs", "i8"),  # payoffs that they needed
    ],
    align=True,
)

_U1, _U3, _U5, _U7, _U9, _U14 = (np.uint64(n) for n in (1, 3, 5, 7, 9, 14))
_U24, _U48, _U62 = np.uint64(24), np.uint64(48), np.uint64(62)
_NOTHING = np.uint64(0)
_PER_POINT = 2.0**36  # values are rounded to such parts of a point: 1.5e-11


def source_hash(game: Game) -> str:
    """Digest of the game's kernels and of these: the key of Numba's cache, see ``Game``."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    own = b"".join(file.read_bytes() for file in files)
    return hashlib.sha256(game.source_hash.encode() + own).hexdigest()


# --- Keys ----------------------------------------------------------------------------------------


@kernel
def write_key(s: Any, r: Any, place: Any, ordered: Any, key: Any) -> None:
    """Write what decides the rest of the round into ``key`` (2,).

    First word: the rows, each as end, length and points, sorted unless their order matters.
    Second word: both hands; with twins who is dealer; the cards that wait for a row decision.

    Args:
        place: a number below MAX_CARDS for each card of the ladder, in the order of the ladder.
        ordered: whether rows are told apart by their numbers, too.
    """
    a, b = _row_code(s, place, 0), _row_code(s, place, 1)
    c, d = _row_code(s, place, 2), _row_code(s, place, 3)
    if not ordered:
        a, b, c, d = min(a, b), max(a, b), min(c, d), max(c, d)
        a, b, c, d = min(a, c), min(b, d), max(a, c), max(b, d)
        b, c = min(b, c), max(b, c)
    key[0] = ((a << _U14 | b) << _U14 | c) << _U14 | d
    twins = np.uint64(r["decks"] - 1)
    hands = _hand_code(s, place, twins, 0) | _hand_code(s, place, twins, 1) << _U24
    waiting = _NOTHING
    if s["phase"] == ROW:
        for i in range(s["next"], 2):
            seat_and_place = np.uint64(s["revealed"][i] & 1) << _U5 | place[s["revealed"][i] >> 4]
            waiting = waiting << _U7 | np.uint64(64) | seat_and_place
    if twins:
        hands |= np.uint64(s["dealer"]) << _U62
    key[1] = hands | waiting << _U48


@kernel
def _row_code(s: Any, place: Any, row: int) -> Any:
    """A row's end, length and points in 14 bits; 0 for one not in use."""
    size = np.int64(s["row_size"][row])
    if size == 0:
        return _NOTHING
    end = place[s["rows"][row, size - 1]]
    return (end << _U3 | np.uint64(size)) << np.uint64(6) | np.uint64(s["row_points"][row])


@kernel
def _hand_code(s: Any, place: Any, twins: Any, seat: int) -> Any:
    """A hand in 24 bits: a bit a card, or with twins two."""
    code = _NOTHING
    for i in range(s["held"]):
        code += _U1 << (place[s["hands"][seat, i]] << twins)
    return code


# --- The memo: a hash table with open addressing --------------------------------------------------


@kernel
def _slot(keys: Any, first: Any, second: Any) -> Any:
    """Where a key is, or the empty slot where it would be."""
    mask = np.uint64(keys.shape[0] - 1)
    slot = mix(first ^ mix(second)) & mask
    while keys[slot, 0] != _NOTHING and (keys[slot, 0] != first or keys[slot, 1] != second):
        slot = (slot + _U1) & mask
    return slot


@cache
def lift_rehash() -> Kernel:
    """Move all entries of a memo into another, empty one."""

    def rehash(old_keys: Any, old_values: Any, keys: Any, values: Any) -> None:
        for i in range(old_keys.shape[0]):
            if old_keys[i, 0] != _NOTHING:
                slot = _slot(keys, old_keys[i, 0], old_keys[i, 1])
                keys[slot, 0], keys[slot, 1] = old_keys[i, 0], old_keys[i, 1]
                values[slot] = old_values[i]

    return compiled(rehash)


# --- Moves ---------------------------------------------------------------------------------------


@kernel
def list_actions(decides: Kernel, s: Any, r: Any, seat: int, actions: Any) -> int:
    """Write a seat's actions into ``actions``, ``wait`` if it decides nothing; their number."""
    ladder, count = r["ladder"], 0
    if not decides(s, r, seat):
        actions[0] = ladder + MAX_ROWS
        return 1
    if s["phase"] == CARD:
        for i in range(s["held"]):
            actions[count] = s["hands"][seat, i]
            count += not _is_listed(actions, count)
        return count
    for row in range(MAX_ROWS):
        if (s["choices"] >> row) & 1:
            actions[count] = ladder + row
            count += 1
    return count


@kernel
def _is_listed(actions: Any, count: int) -> bool:
    """Whether the action at place ``count`` comes before it already, as one of twins does."""
    listed = False
    for i in range(count):
        listed |= actions[i] == actions[count]
    return listed


@kernel
def move(commit: Kernel, step: Kernel, s: Any, r: Any, first: int, second: int, log: Any) -> Any:
    """Both players' actions: (what seat 0 gains on seat 1, whether the round is over)."""
    commit(s, r, 0, first)
    commit(s, r, 1, second)
    over = step(s, r, log) & MATCH_END
    return s["gains"][0] - s["gains"][1], over != 0


# --- The search ----------------------------------------------------------------------------------


@cache
def lift_search(game: Game) -> Kernel:
    """The search of a rows game."""
    source, kernels = source_hash(game), game.kernels
    commit, step, decides = kernels.commit, kernels.step, kernels.decides

    def search(
        roots: Any, rules: Any, place: Any, log: Any,
        states: Any, frames: Any, scratch: Any, keys: Any, values: Any, progress: Any,
        value: Any, strategy: Any, worth: Any,
    ) -> bool:  # fmt: skip
        """Solve ``roots`` (N,), from where ``progress`` stands; False if the memo is full.

        Writes the values (N,) for seat 0, and of both players (N, 2, A) the equilibrium strategies
        and what each action is worth to it against the other's. ``states`` and ``frames`` are the
        stack of positions that lead to the one being solved.
        """
        source  # noqa: B018  # part of the cache's key
        r, w, p = rules[0], scratch[0], progress[0]
        while p["root"] < roots.shape[0]:
            if p["depth"] < 0:
                states[0] = roots[p["root"]]
                r["num_rounds"] = states[0]["round"]  # the match ends with this round
                _open(decides, states[0], r, frames[0])
                p["depth"] = 0
            depth = p["depth"]
            asked = next_payoff(frames[depth], w)
            if asked != DONE:
                p["payoffs"] += 1
                found = _find_payoff(
                    commit, step, states, frames, depth, asked, r, place, log[0], keys, values
                )
                if not found:
                    p["depth"] = depth + 1
                    _open(decides, states[depth + 1], r, frames[depth + 1])
                continue
            p["solved"] += 1
            p["depth"] = depth - 1
            frames[depth]["value"] = _rounded(frames[depth]["value"])
            if depth == 0:
                i = p["root"]
                value[i] = frames[0]["value"]
                _write_solution(frames[0], strategy[i], worth[i])
                p["root"] = i + 1
                continue
            p["known"] += _hand_up(frames[depth], frames[depth - 1], keys, values)
            if 2 * p["known"] > keys.shape[0]:
                return False
        return True

    return compiled(search)


@rare
def _find_payoff(
    commit: Kernel, step: Kernel, states: Any, frames: Any, depth: int, asked: int,
    r: Any, place: Any, log: Any, keys: Any, values: Any,
) -> bool:  # fmt: skip
    """Make the move whose payoff is asked for; False if the position after it has to be solved.

    The last turn ends in a payoff. Where each has one card left and in row decisions, looking is
    quicker than remembering.
    """
    f, below = frames[depth], frames[depth + 1]
    i, j = asked // MAX_ACTIONS, asked % MAX_ACTIONS
    states[depth + 1] = states[depth]
    after = states[depth + 1]
    first, second = f["actions"][0, i], f["actions"][1, j]
    gain, over = move(commit, step, after, r, first, second, log)
    if over:
        f["payoff"][i, j] = gain
        return True
    below["keep"] = after["phase"] == CARD and after["held"] > 1
    if below["keep"]:
        write_key(after, r, place, r["cheapest"] != 0, below["key"])
        slot = _slot(keys, below["key"][0], below["key"][1])
        if keys[slot, 0] != _NOTHING:
            f["payoff"][i, j] = gain + values[slot]
            return True
    f["asked"][0], f["asked"][1], f["gain"] = i, j, gain
    return False


@kernel
def _hand_up(f: Any, above: Any, keys: Any, values: Any) -> int:
    """A solved position's value becomes a payoff of the one before it; how much was remembered."""
    above["payoff"][above["asked"][0], above["asked"][1]] = above["gain"] + f["value"]
    if not f["keep"]:
        return 0
    slot = _slot(keys, f["key"][0], f["key"][1])
    keys[slot, 0], keys[slot, 1] = f["key"][0], f["key"][1]
    values[slot] = f["value"]
    return 1


@kernel
def _open(decides: Kernel, s: Any, r: Any, f: Any) -> None:
    """A fresh frame for a position."""
    for seat in range(2):
        f["count"][seat] = list_actions(decides, s, r, seat, f["actions"][seat])
    open_frame(f, 0, 0)


@kernel
def _rounded(value: Any) -> Any:
    """A value without its last bits, which would tell what had been solved before it."""
    return np.rint(value * _PER_POINT) / _PER_POINT


@kernel
def _write_solution(f: Any, strategy: Any, worth: Any) -> None:
    """Both players' mixes, and what each action earns against the other's mix; (2, A) each."""
    strategy[:] = 0
    worth[:] = np.nan
    for i in range(f["count"][0]):
        action = f["actions"][0, i]
        strategy[0, action] += f["mix"][0, i]
        worth[0, action] = 0
        for j in range(f["count"][1]):
            if f["mix"][1, j] > 0:
                worth[0, action] += f["mix"][1, j] * f["payoff"][i, j]
    for j in range(f["count"][1]):
        action = f["actions"][1, j]
        strategy[1, action] += f["mix"][1, j]
        worth[1, action] = 0
        for i in range(f["count"][0]):
            if f["mix"][0, i] > 0:
                worth[1, action] -= f["mix"][0, i] * f["payoff"][i, j]
