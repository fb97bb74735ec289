"""What an opponent is, and the checks that all opponents share.

Shapes: N rows, each one decision of one seat; D observation columns, A actions of the game.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import OpponentError
from sixth_env.games.base import Game
from sixth_env.rng import kernel

Seeds = NDArray[np.uint64] | np.random.Generator


class Opponent(Protocol):
    """Anything that plays: it decides from observations and masks, and from nothing else.

    An opponent keeps nothing between calls and holds no environment. Some have two methods more:
    ``policy(observation, action_mask)``, probabilities (N, A), and ``action_values(observation,
    action_mask, seeds)``, (N, A), higher is better.
    """

    @property
    def name(self) -> str:
        """The name that reports use."""

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """Choose a legal action for every row.

        Row i depends on row i of the arguments alone, whatever the batch.

        Args:
            observation: (N, D), integer columns or the float32 observation made from them.
            action_mask: (N, A), nonzero where legal.
            seeds: (N,) integers from 0 up, one for each row, or a generator that draws them.

        Returns:
            Action numbers, (N,).

        Raises:
            OpponentError: an argument's type, shape or content is wrong.
        """


def row_seeds(seeds: Seeds, rows: int) -> NDArray[np.uint64]:
    """A seed for every row, (rows,) uint64; a generator is expanded into them.

    Raises:
        OpponentError: neither a generator nor ``rows`` integers from 0 up.
    """
    if isinstance(seeds, np.random.Generator):
        return seeds.integers(0, 2**64, rows, np.uint64)
    array = np.asarray(seeds)
    if not np.issubdtype(array.dtype, np.integer) or array.shape != (rows,):
        raise OpponentError(
            f"seeds must be a Generator or integers of shape ({rows},),"
            f" not {array.dtype} of {array.shape}"
        )
    if rows and array.min() < 0:
        raise OpponentError(f"seeds must be from 0 up, not {array.min()}")
    return np.ascontiguousarray(array, np.uint64)


def integer_columns(game: Game, observation: NDArray[Any]) -> NDArray[np.int16]:
    """The integer columns (N, D) of integer or float32 observations, within declared bounds.

    Raises:
        OpponentError: another type or shape, or a column out of its bounds.
    """
    array, table = np.asarray(observation), game.table
    kind = np.issubdtype(array.dtype, np.integer) or array.dtype == np.float32
    if not kind or array.ndim != 2 or array.shape[1] != table.size:
        raise OpponentError(
            f"observations of {game.id} must be integers or float32 of shape (N, {table.size}),"
            f" not {array.dtype} of {array.shape}"
        )
    if array.dtype == np.float32:
        array = np.rint(array / table.scale)
    inside = (array >= table.low) & (array <= table.high)  # false for NaN
    if not inside.all():
        row, column = (int(index) for index in np.argwhere(~inside)[0])
        name = next(name for name in reversed(table.names) if table.start(name) <= column)
        raise OpponentError(
            f"observation row {row}: {name!r} must be from {table.low[column]} to"
            f" {table.high[column]}, not {array[row, column]:g}"
        )
    return np.ascontiguousarray(array, np.int16)


def legal_actions(game: Game, action_mask: NDArray[Any], rows: int) -> NDArray[np.bool_]:
    """The action mask as booleans (N, A), at least one true in each row.

    Raises:
        OpponentError: another type or shape, or a row without a legal action.
    """
    array = np.asarray(action_mask)
    integral = array.dtype == np.bool_ or np.issubdtype(array.dtype, np.integer)
    if not integral or array.shape != (rows, game.num_actions):
        raise OpponentError(
            f"action masks of {game.id} must be integers or booleans of shape"
            f" ({rows}, {game.num_actions}), not {array.dtype} of {array.shape}"
        )
    mask = np.ascontiguousarray(array != 0)
    if not mask.any(axis=1).all():
        row = int(np.argmin(mask.any(axis=1)))
        raise OpponentError(f"action mask row {row} has no legal action")
    return mask


@kernel
def lone_action(legal: NDArray[np.bool_], i: int) -> int:
    """The only legal action of row i, or -1 if there are several."""
    lone = -1
    for action in range(legal.shape[1]):
        if legal[i, action]:
            if lone >= 0:
                return -1
            lone = action
    return lone
