"""What the checks of positions and views of all games share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sixth_env.errors import PositionError
from sixth_env.games.base import Rules

KEY = ("seed", "game", "episode")  # the stream's key, which a position says nothing about


def expect(fact: bool, message: str, what: str = "position") -> None:
    """Raise ``PositionError`` with the message unless the fact is true."""
    if not fact:
        raise PositionError(f"{what} {message}")


def expect_rules(rules: Rules, table: Any, given: dict[str, Any] | None, **same: str) -> None:
    """The position is of the environment's rule set, in every respect.

    Args:
        rules: the environment's rule set.
        table: the position or view, as its model.
        given: the whole rule set of the position, if it has one.
        same: further fields of the position, each with the name that it has in the rules.
    """
    facts = [(f"rules.{name}", value, name) for name, value in (given or {}).items()]
    for field, name in {"game": "game", "players": "num_players", **same}.items():
        facts.append((field, getattr(table, field), name))
    for field, value, name in facts:
        expected = getattr(rules, name)
        expect(value == expected, f"{field} is {value!r}, but this game's is {expected!r}")


def expect_entries(table: Any, fields: Iterable[str], players: int) -> None:
    """Each of the fields that is given has an entry for every seat."""
    for field in fields:
        entries = getattr(table, field)
        expect(
            entries is None or len(entries) == players,
            f"{field} must have {players} entries, one a seat",
        )


def expect_seats(table: Any, fields: Iterable[str], players: int) -> None:
    """Each of the fields that is given is a seat."""
    for field in fields:
        seat = getattr(table, field)
        expect(seat is None or seat < players, f"{field} must be a seat from 0 to {players - 1}")


def expect_own_hand(hand: object, seat: int, player: int) -> None:
    """In a view, the player's own hand is given as cards, any other as a number."""
    expect(
        isinstance(hand, int) != (seat == player),
        f"hands must be numbers, but cards for player {player}",
        "view",
    )


def clear(state: np.void) -> None:
    """Set everything in a record to zero, but for the stream's key."""
    for name in set(state.dtype.names or ()) - set(KEY):
        state[name] = 0


def without(view: dict[str, Any], *names: str) -> dict[str, Any]:
    """A view, its hidden cards filled in, without what a position does not have."""
    return {name: value for name, value in view.items() if name not in names}
