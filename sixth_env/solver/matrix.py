"""Matrix games as kernels: an equilibrium found with as few payoffs as possible.

The payoffs of a *frame* become known one by one, each at the cost of solving a whole position. The
double oracle (McMahan, Gordon & Blum, "Planning in the presence of cost functions controlled by an
adversary", ICML 2003) asks for few of them: it solves the game restricted to some actions of both
players, and adds a player's best answer to the other's mix of actions, for as long as one is better
than what the player has. A pure saddle point of n x n actions takes about 2n of the n² payoffs.

Restricted games are solved by their saddle point, if they have one, else by the simplex method on
the linear programme of von Neumann, in Dantzig's condensed tableau, with Bland's rule against
cycles ("New finite pivoting rules for the simplex method", 1977).

Player 0 of a frame picks the row and maximises, player 1 picks the column and minimises.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sixth_env.games.rows.rules import MAX_HAND
from sixth_env.rng import kernel, rare

MAX_ACTIONS = MAX_HAND  # of a player at once; row decisions have fewer
TOLERANCE = 1e-11  # points: what counts as better; rounding errors are about 1e-14
DONE = -1
NOBODY = -1

FRAME = np.dtype(
    [
        ("actions", "i2", (2, MAX_ACTIONS)),  # action numbers of both players
        ("count", "i4", (2,)),  # how many of them there are
        ("payoff", "f8", (MAX_ACTIONS, MAX_ACTIONS)),  # NaN: not known yet
        ("used", "i4", (2, MAX_ACTIONS)),  # whether an action is in the restricted game
        ("mix", "f8", (2, MAX_ACTIONS)),  # the restricted game's equilibrium
        ("value", "f8"),  # and its value
        ("solved", "i4"),  # whether these two are up to date
        ("asked", "i4", (2,)),  # the payoff that is being found: row, column
        ("gain", "f8"),  # what player 0 gains in the step to that successor
        ("key", "u8", (2,)),  # what the position is remembered by
        ("keep", "i4"),  # whether it is
    ],
    align=True,
)

# Working space of one restricted game, and how frames are solved.
SCRATCH = np.dtype(
    [
        ("uniform", "i4"),  # the player that plays uniformly at random; NOBODY: both play best
        ("lines", "i4", (2, MAX_ACTIONS)),  # its actions
        ("tableau", "f8", (MAX_ACTIONS + 1, MAX_ACTIONS + 1)),
        ("row_label", "i4", (MAX_ACTIONS,)),  # which variable stands where
        ("column_label", "i4", (MAX_ACTIONS,)),
    ],
    align=True,
)


@kernel
def open_frame(f: Any, first: int, second: int) -> None:
    """Forget all payoffs, and begin with one action of each player."""
    f["payoff"][:] = np.nan
    f["used"][:] = 0
    f["used"][0, first], f["used"][1, second] = 1, 1
    f["solved"] = 0


@rare
def next_payoff(f: Any, w: Any) -> int:
    """The payoff needed next, as row * MAX_ACTIONS + column, or DONE: the frame is solved."""
    if w["uniform"] != NOBODY:
        return _respond(f, w["uniform"])
    while True:
        if f["solved"] == 0:
            asked = _unknown_in_restricted(f)
            if asked >= 0:
                return asked
            _solve_restricted(f, w)
            f["solved"] = 1
        asked = _answer_of_rows(f)
        if asked == DONE:
            asked = _answer_of_columns(f)
        if asked == DONE or asked >= 0:
            return asked


@kernel
def _unknown_in_restricted(f: Any) -> int:
    """A payoff of the restricted game that is not known yet, or DONE."""
    for i in range(f["count"][0]):
        if f["used"][0, i]:
            for j in range(f["count"][1]):
                if f["used"][1, j] and math.isnan(f["payoff"][i, j]):
                    return i * MAX_ACTIONS + j
    return DONE


_ADDED = -2  # an action has joined the restricted game


@kernel
def _answer_of_rows(f: Any) -> int:
    """Player 0's best answer to player 1's mix joins the restricted game, if it is better.

    Returns a payoff that has to be known first; or what was done: _ADDED, or nothing, DONE.
    """
    best, most = 0, -np.inf
    for i in range(f["count"][0]):
        earned = 0.0
        for j in range(f["count"][1]):
            if f["mix"][1, j] > 0:
                if math.isnan(f["payoff"][i, j]):
                    return i * MAX_ACTIONS + j
                earned += f["mix"][1, j] * f["payoff"][i, j]
        if earned > most + TOLERANCE:
            best, most = i, earned
    if most <= f["value"] + TOLERANCE or f["used"][0, best]:
        return DONE
    f["used"][0, best], f["solved"] = 1, 0
    return _ADDED


@kernel
def _answer_of_columns(f: Any) -> int:
    """As ``_answer_of_rows``, for player 1, who pays."""
    best, least = 0, np.inf
    for j in range(f["count"][1]):
        paid = 0.0
        for i in range(f["count"][0]):
            if f["mix"][0, i] > 0:
                if math.isnan(f["payoff"][i, j]):
                    return i * MAX_ACTIONS + j
                paid += f["mix"][0, i] * f["payoff"][i, j]
        if paid < least - TOLERANCE:
            best, least = j, paid
    if least >= f["value"] - TOLERANCE or f["used"][1, best]:
        return DONE
    f["used"][1, best], f["solved"] = 1, 0
    return _ADDED


@kernel
def _respond(f: Any, uniform: int) -> int:
    """A payoff not known yet; if all are, DONE with the best response to uniformly random play."""
    m, n = f["count"][0], f["count"][1]
    other, best, most = 1 - uniform, 0, -np.inf
    for i in range(m):
        for j in range(n):
            if math.isnan(f["payoff"][i, j]):
                return i * MAX_ACTIONS + j
    for a in range(f["count"][other]):
        earned = 0.0
        for b in range(f["count"][uniform]):
            earned += f["payoff"][a, b] if other == 0 else -f["payoff"][b, a]
        if earned > most:
            best, most = a, earned
    chance = 1.0 / f["count"][uniform]
    f["mix"][:] = 0
    f["mix"][uniform, : f["count"][uniform]] = chance
    f["mix"][other, best] = 1.0
    f["value"] = most * chance if other == 0 else -most * chance
    return DONE


# --- Restricted games ----------------------------------------------------------------------------


@kernel
def _solve_restricted(f: Any, w: Any) -> None:
    """Write value and mix of the restricted game, all payoffs of which are known."""
    f["mix"][:] = 0
    m, n = _lines(f, w, 0), _lines(f, w, 1)
    for a in range(m):
        row = w["lines"][0, a]
        low, column = np.inf, 0
        for b in range(n):
            if f["payoff"][row, w["lines"][1, b]] < low:
                column = w["lines"][1, b]
                low = f["payoff"][row, column]
        saddle = True
        for c in range(m):
            saddle &= f["payoff"][w["lines"][0, c], column] <= low
        if saddle:
            f["value"], f["mix"][0, row], f["mix"][1, column] = low, 1.0, 1.0
            return
    _simplex(f, w, m, n)


@kernel
def _lines(f: Any, w: Any, player: int) -> int:
    """List a player's actions in the restricted game; how many there are."""
    count = 0
    for action in range(f["count"][player]):
        if f["used"][player, action]:
            w["lines"][player, count] = action
            count += 1
    return count


@rare
def _simplex(f: Any, w: Any, m: int, n: int) -> None:
    """The equilibrium by linear programming.

    With all payoffs made positive, B, the column player maximises the sum of q >= 0 under B q <= 1:
    the value is 1 / sum, her mix q times the value, and the dual variables give the other mix.
    """
    t, lowest = w["tableau"], np.inf
    for a in range(m):
        for b in range(n):
            lowest = min(lowest, f["payoff"][w["lines"][0, a], w["lines"][1, b]])
    for a in range(m):
        for b in range(n):
            t[a, b] = f["payoff"][w["lines"][0, a], w["lines"][1, b]] - lowest + 1.0
        t[a, n], w["row_label"][a] = 1.0, n + a
    for b in range(n):
        t[m, b], w["column_label"][b] = -1.0, b
    t[m, n] = 0.0
    while True:
        column = _entering(w, m, n)
        if column < 0:
            break
        _pivot(w, m, n, _leaving(w, m, n, column), column)
    value = 1.0 / t[m, n]
    f["value"] = value + lowest - 1.0
    for a in range(m):
        if w["row_label"][a] < n:
            f["mix"][1, w["lines"][1, w["row_label"][a]]] = _chance(t[a, n] * value)
    for b in range(n):
        if w["column_label"][b] >= n:
            f["mix"][0, w["lines"][0, w["column_label"][b] - n]] = _chance(t[m, b] * value)


@kernel
def _chance(chance: Any) -> Any:
    """A probability without the noise that would make an unused action look used."""
    return chance if chance > TOLERANCE else 0.0


@kernel
def _entering(w: Any, m: int, n: int) -> int:
    """The column whose variable enters the basis: the first variable that gains; -1: none does."""
    best, label = -1, 2 * MAX_ACTIONS
    for b in range(n):
        if w["tableau"][m, b] < -TOLERANCE and w["column_label"][b] < label:
            best, label = b, w["column_label"][b]
    return best


@kernel
def _leaving(w: Any, m: int, n: int, column: int) -> int:
    """The row whose variable leaves: the least ratio, the first variable on ties.

    There is always one: the payoffs are positive, so the programme is bounded.
    """
    best, least, label = 0, np.inf, 0
    for a in range(m):
        if w["tableau"][a, column] > TOLERANCE:
            ratio = w["tableau"][a, n] / w["tableau"][a, column]
            tied = ratio <= least + TOLERANCE and w["row_label"][a] < label
            if ratio < least - TOLERANCE or tied:
                best, least, label = a, ratio, w["row_label"][a]
    return best


@kernel
def _pivot(w: Any, m: int, n: int, row: int, column: int) -> None:
    """Exchange the variables of a row and a column of the condensed tableau."""
    t = w["tableau"]
    pivot = t[row, column]
    for b in range(n + 1):
        if b != column:
            t[row, b] /= pivot
            for a in range(m + 1):
                if a != row:
                    t[a, b] -= t[a, column] * t[row, b]
    for a in range(m + 1):
        if a != row:
            t[a, column] /= -pivot
    t[row, column] = 1.0 / pivot
    label = w["row_label"][row]
    w["row_label"][row] = w["column_label"][column]
    w["column_label"][column] = label
