"""What a game is to the rest of the package."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError
from sixth_env.games.notation import Notation
from sixth_env.games.table import ObservationTable

# Bits that a game's `step` kernel returns.
ROUND_END, MATCH_END, TRUNCATED = 1, 2, 4


class Rules(Protocol):
    """A validated rule set: a frozen dataclass with at least these fields."""

    @property
    def game(self) -> str:
        """The game's id."""

    @property
    def num_players(self) -> int:
        """Seats at the table."""

    @property
    def reward(self) -> str:
        """What is rewarded: one of the game's reward modes."""

    def to_dict(self) -> dict[str, Any]:
        """The whole configuration as plain values."""


def _never(position: dict[str, Any]) -> bool:
    """No cap: matches of the game end by themselves."""
    return False


@dataclass(frozen=True, eq=False)
class Game:
    """One game of the family; :data:`sixth_env.games.GAMES` lists them all.

    Attributes:
        id: the name used everywhere, such as ``"sixth_card"``.
        title: the name for people.
        kernels: the rules for one game; see ``games/rows/kernels.py`` for the functions.
        state: the record type of one game, ``rules_record`` that of a rule set.
        num_actions: A, the same for every rule set.
        simultaneous: all seats act in a step (K = P), or one (K = 1).
        table: the observation table.
        version: the environment's version; bumped when the table or an action number changes.
        heuristics: built-in opponents by name: kernels (obs, rules record, action) -> cost of a
            legal action, of which the least is played.
        sample_world: kernel (obs, key, rules record, state) -> bool that samples a world in which
            playouts can finish the round; false if the observation contradicts itself.
        check_records: (rules, states (B,)) raises ``PositionError`` unless the kernels may go on
            from records that come from outside: kernels check no bounds.
        playout: kernel (s, r, seat, bits) -> legal action by which seats move in playouts, and
            which ends every round sooner or later; without one they move uniformly at random.
        unit: what minus the sum of a seat's default rewards counts, of which fewer is better.
        cut_off: whether a position or view in phase "over" was cut off by a cap: nobody has won.
    """

    id: str
    title: str
    version: int
    kernels: ModuleType
    state: np.dtype[Any]
    num_actions: int
    simultaneous: bool
    max_players: int
    table: ObservationTable
    rules: Callable[..., Any]
    rules_record: Callable[[Any], Any]
    action_name: Callable[[int], str]
    notation: Notation
    heuristics: dict[str, Callable[..., Any]]
    sample_world: Callable[..., Any]
    check_records: Callable[[Any, NDArray[np.void]], None]
    playout: Callable[..., Any] | None = None
    unit: str = "points"
    cut_off: Callable[..., bool] = _never

    @property
    def observation_size(self) -> int:
        """D, the same for every rule set."""
        return self.table.size

    @property
    def wait(self) -> int:
        """The action of a seat with nothing to decide."""
        return self.num_actions - 1

    def legal(self, actions: Iterable[int]) -> list[dict[str, Any]]:
        """Action numbers as a view lists them, with their names."""
        return [{"action": action, "name": self.action_name(action)} for action in actions]

    def make_rules(self, config: dict[str, Any]) -> Any:
        """A validated rule set; raises ``ConfigError`` that names an unknown key."""
        known = inspect.signature(self.rules).parameters
        for name in config:
            if name not in known:
                options = ", ".join(known)
                raise ConfigError(f"{self.id} has no option {name!r}: expected one of {options}")
        return self.rules(**config)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied as its id: a game is one of the constants of the package."""
        from sixth_env.games import get_game

        return get_game, (self.id,)

    @functools.cached_property
    def source_hash(self) -> str:
        """Digest of the game's folder and the random numbers.

        Compiled functions that call the kernels close over it: Numba's cache notices a change of
        the function's own file only, and would go on calling stale kernels.
        """
        folder = Path(str(self.kernels.__file__)).parent
        files = [*sorted(folder.glob("*.py")), folder.parent.parent / "rng.py"]
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
