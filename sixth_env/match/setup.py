"""Who plays by which rules, checked before anything is played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from sixth_env.errors import ConfigError
from sixth_env.games import get_game
from sixth_env.opponents import (
    ExactOpponent,
    HeuristicOpponent,
    MonteCarloOpponent,
    RandomOpponent,
)
from sixth_env.opponents.base import Opponent

MAX_DEALS = 1_000_000  # ten players: 1.6 GB of results

# Called with the games played so far and all games.
Progress = Callable[[int, int], None]

_BUILT_IN = (RandomOpponent, HeuristicOpponent, MonteCarloOpponent, ExactOpponent)


def rule_set(game: str, players: int, config: dict[str, Any]) -> dict[str, Any]:
    """A configuration, with the number of players, that holds rules of the game alone.

    Raises:
        ConfigError: something is no rule, not allowed, or for another number of players.
    """
    config = {"num_players": players, **config}
    wanted = get_game(game).make_rules(config).num_players
    if wanted != players:
        raise ConfigError(f"the rules are for {wanted} players, but {players} sit at the table")
    return config


def check_whole(name: str, value: object, high: int | None = None) -> int:
    """A whole number from 1 on, as a Python int; raises ``ConfigError``."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise ConfigError(f"{name} must be a whole number, not {value!r}")
    if value < 1:
        raise ConfigError(f"{name} must be at least 1, not {value}")
    if high is not None and value > high:
        raise ConfigError(f"{name} must be at most {high}, not {value}")
    return int(value)


def names_of(opponents: Sequence[Opponent], names: Sequence[str] | None) -> list[str]:
    """What to call some opponents: as given, or else by their own names.

    Raises:
        ConfigError: one is no opponent, such as a name not yet loaded, or names are missing.
    """
    for opponent in opponents:
        if not callable(getattr(opponent, "act", None)):
            raise ConfigError(
                f"{opponent!r} is no opponent, which would have a method act:"
                " load_opponent makes one of a name"
            )
    if names is None:
        return [opponent.name for opponent in opponents]
    if len(names) != len(opponents):
        raise ConfigError(f"{len(opponents)} opponents need as many names, not {len(names)}")
    return list(names)


def specs_of(opponents: Sequence[Opponent], specs: Sequence[str | None] | None) -> list[str | None]:
    """What loads some opponents: as given, or else the name if built in and ``None`` if not."""
    if specs is None:
        return [o.name if isinstance(o, _BUILT_IN) else None for o in opponents]
    if len(specs) != len(opponents):
        raise ConfigError(f"{len(opponents)} opponents need as many specs, not {len(specs)}")
    return list(specs)


def distinct(names: Sequence[str]) -> list[str]:
    """Names told apart: a second "closest" becomes "closest#2", unless another is called so."""
    found: list[str] = []
    for name in names:
        numbered = (f"{name}#{number}" for number in count(2))
        taken = {*found, *names}
        found.append(next(n for n in numbered if n not in taken) if name in found else name)
    return found


def chunks(deals: range, size: int) -> list[range]:
    """Consecutive deals in parts that end where ``size`` divides the index, and at the end."""
    starts = [deals.start, *range((deals.start // size + 1) * size, deals.stop, size)]
    ends = [*starts[1:], deals.stop]
    return [range(start, end) for start, end in zip(starts, ends, strict=True)]
