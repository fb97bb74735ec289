"""A game's JSON: what the notations of all games promise, and the part of it that they share.

A position is the whole truth about one game; a view what one seat may know. The kernels' record
is the only state: everything here is read from it or written into it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError, PositionError

if TYPE_CHECKING:
    from sixth_env.games.base import Game

Json = dict[str, Any]


def hide_hands(hands: Sequence[list[Any]], player: int) -> list[list[Any] | int]:
    """Hands by seat as one player may know them: those of others are numbers, how many cards."""
    return [hand if seat == player else len(hand) for seat, hand in enumerate(hands)]


class Notation(ABC):
    """Positions, views and events of one game, from and to the kernels' records."""

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id

    @property
    def game(self) -> Game:
        """The game whose notation this is."""
        from sixth_env.games import get_game

        return get_game(self.game_id)

    # --- Positions ----------------------------------------------------------------------------

    @abstractmethod
    def position(self, rules: Any, state: np.void) -> Json:
        """The whole truth about one game."""

    @abstractmethod
    def load(self, rules: Any, position: Json, state: np.void) -> None:
        """Write a position into a record, whose stream key stays.

        Raises:
            PositionError: names the field that contradicts the rules or another field; the record
                may then have been written in part.
        """

    @abstractmethod
    def schema(self, kind: str) -> Json:
        """The JSON Schema of a ``"position"`` or ``"view"``."""

    # --- Views ----------------------------------------------------------------------------------

    @abstractmethod
    def view(self, position: Json, player: int) -> Json:
        """What one seat may know of a position."""

    @abstractmethod
    def load_view(self, rules: Any, view: Json, state: np.void) -> None:
        """Write the position that ``complete`` gives into a record, whose stream key stays.

        Raises:
            PositionError: as ``load`` and ``complete`` do.
        """

    @abstractmethod
    def complete(self, rules: Any, view: Json) -> Json:
        """A position that agrees with a view; raises ``PositionError`` if none does.

        Observations and masks of the view's player do not depend on which one it is.
        """

    # --- Events ---------------------------------------------------------------------------------

    @abstractmethod
    def events(self, log: np.void, after: Json) -> list[Json]:
        """The story of one step or reset from the kernels' log; ``after`` is the new position."""

    def event_view(self, event: Json, player: int) -> Json:
        """What one seat may know of an event: of a deal, its own hand and the others' sizes."""
        if event["type"] != "deal":
            return event
        return {**event, "hands": hide_hands(event["hands"], player)}

    # --- Observations ---------------------------------------------------------------------------

    @abstractmethod
    def rules_of(self, value: Callable[[str], int]) -> Any:
        """The rule set in an observation, of which ``value`` tells one column by name.

        What is not observed, such as the reward mode, is given as the default.
        """

    def fill(self, columns: NDArray[np.int16], rules: np.void, state: np.void) -> None:
        """Write a position that agrees with an observation into a record.

        Raises:
            PositionError: there is none.
        """
        self.game.kernels.determinize(columns, np.uint64(0), rules, state)

    def look(
        self, rules: Any, state: np.void, player: int
    ) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
        """The observation (D,) and the action mask (A,) of one seat, uncompiled."""
        game, record = self.game, self.game.rules_record(rules)
        columns = np.zeros(game.observation_size, np.int16)
        mask = np.zeros(game.num_actions, np.int8)
        game.kernels.observe_public(state, record, columns)
        game.kernels.observe_seat(state, record, player, columns)
        game.kernels.write_mask(state, record, player, mask)
        return columns, mask

    def describe(self, observation: NDArray[Any]) -> Json:
        """The view from which an observation (D,) was made, seats counted from the observer.

        Raises:
            PositionError: no view has this observation.
        """
        game, columns = self.game, self._columns(observation)
        try:
            rules = self.rules_of(lambda name: int(columns[game.table.start(name)]))
            state, record = np.zeros(1, game.state)[0], game.rules_record(rules).copy()
            with np.errstate(over="ignore"):
                self.fill(columns, record, state)
            position = self.position(rules, state)
            self.load(rules, position, state)
            seen, mask = self.look(rules, state, 0)
        except (ConfigError, PositionError, ValueError, IndexError, OverflowError) as error:
            raise PositionError(f"observation contradicts itself: {error}") from None
        wrong = self._blocks(seen != columns)
        if wrong:
            raise PositionError(f"observation columns contradict the others: {wrong}")
        legal = game.legal(np.flatnonzero(mask).tolist())
        return {**self.view(position, 0), "legal": legal}

    def _columns(self, observation: NDArray[Any]) -> NDArray[np.int16]:
        """An observation as integer columns within their bounds."""
        table, array = self.game.table, np.asarray(observation)
        if array.shape != (table.size,) or array.dtype.kind not in "iuf":
            raise PositionError(
                f"observation must be {table.size} numbers, not {array.dtype} of {array.shape}"
            )
        if array.dtype.kind == "f":
            array = np.rint(np.nan_to_num(array / table.scale, nan=np.inf, posinf=np.inf))
        wrong = self._blocks((array < table.low) | (array > table.high))
        if wrong:
            raise PositionError(f"observation columns are out of bounds: {wrong}")
        return array.astype(np.int16)

    def _blocks(self, columns: NDArray[np.bool_]) -> str:
        """The names of the blocks that have one of these columns (D,)."""
        table = self.game.table
        return ", ".join(name for name in table.names if columns[table[name]].any())
