"""Ask an opponent, and trust nothing it does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import OpponentError
from sixth_env.games.base import Game
from sixth_env.opponents.base import Opponent


def ask(
    opponent: Opponent,
    name: str,
    game: Game,
    seats: NDArray[np.int64],
    observation: NDArray[Any],
    action_mask: NDArray[Any],
    seeds: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """A legal action for each of N rows, (N,).

    Args:
        opponent: who is asked.
        name: what to call it in errors.
        game: the game played.
        seats: (N,) whose decisions these are, for errors.
        observation, action_mask, seeds: (N, D), (N, A) and (N,), as for ``Opponent.act``.

    Raises:
        OpponentError: it failed, or its answer is no legal action; names it and the seat.
    """
    try:
        answer: object = opponent.act(observation, action_mask.copy(), seeds)
    except (Exception, SystemExit) as error:
        raise OpponentError(
            f"{name} ({_players(seats)}) failed with {type(error).__name__}: {error}"
        ) from error
    actions = _integers(answer, len(seats))
    if actions is None:
        wanted = "an array of one action number" if len(seats) == 1 else f"{len(seats)} of them"
        raise OpponentError(
            f"{name} ({_players(seats)}) answered {_shown(answer)} where action numbers,"
            f" {wanted}, were expected"
        )
    known = (actions >= 0) & (actions < action_mask.shape[1])
    legal = known & (action_mask[np.arange(len(seats)), np.where(known, actions, 0)] != 0)
    if not legal.all():
        row = int(np.argmin(legal))
        choices = [f"{a} ({game.action_name(int(a))})" for a in np.flatnonzero(action_mask[row])]
        raise OpponentError(
            f"{name} ({_players(seats[row])}) answered action {actions[row]};"
            f" legal were {', '.join(choices)}"
        )
    return actions


def _integers(answer: object, rows: int) -> NDArray[np.int64] | None:
    """An answer as action numbers, or None if it is something else."""
    try:
        array = np.asarray(answer)
    except Exception:  # whatever a foreign object raises when it is converted
        return None
    if array.shape != (rows,) or not np.issubdtype(array.dtype, np.integer):
        return None
    return array.astype(np.int64, copy=False)


def _shown(answer: object) -> str:
    shape, dtype = getattr(answer, "shape", None), getattr(answer, "dtype", None)
    return repr(answer)[:80] if shape is None else f"{dtype} of shape {tuple(shape)}"


def _players(seats: Any) -> str:
    return ", ".join(f"player_{seat}" for seat in np.unique(seats))
