"""Opponents that need no torch: random, each game's heuristics, and Monte Carlo."""

from __future__ import annotations

import re
from pathlib import Path

from sixth_env.errors import OpponentError
from sixth_env.games import get_game
from sixth_env.games.base import Game
from sixth_env.opponents.base import Opponent, Seeds, row_seeds
from sixth_env.opponents.heuristics import HeuristicOpponent, RandomOpponent
from sixth_env.opponents.monte_carlo import ILLEGAL_VALUE, MonteCarloOpponent

__all__ = [
    "ILLEGAL_VALUE",
    "HeuristicOpponent",
    "MonteCarloOpponent",
    "Opponent",
    "RandomOpponent",
    "Seeds",
    "load_opponent",
    "opponent_names",
    "row_seeds",
]

MONTE_CARLO = "mc:<playouts>"


def opponent_names(game: str = "sixth_card") -> tuple[str, ...]:
    """The built-in opponents of a game; ``mc:<playouts>`` stands for ``mc:100`` and the like."""
    return ("random", *get_game(game).heuristics, MONTE_CARLO)


def load_opponent(spec: str, game: str = "sixth_card") -> Opponent:
    """The opponent that a name stands for.

    Args:
        spec: ``"random"``, one of the game's heuristics such as ``"cautious"``, or ``"mc:100"``
            for Monte Carlo with 100 playouts for each legal action.
        game: the game to be played.

    Raises:
        OpponentError: no such opponent.
        ConfigError: no such game.
    """
    which = get_game(game)
    if not isinstance(spec, str):
        raise OpponentError(_unknown(spec, which))
    if spec == "random":
        return RandomOpponent(which)
    if spec in which.heuristics:
        return HeuristicOpponent(which, spec)
    if spec.startswith("mc:"):
        return MonteCarloOpponent(which, _playouts(spec))
    raise OpponentError(_unknown(spec, which))


def _playouts(spec: str) -> int:
    """The number in ``mc:<playouts>``."""
    number = spec.removeprefix("mc:")
    if not re.fullmatch("[1-9][0-9]*", number, re.ASCII):
        raise OpponentError(f"{spec!r} must be mc: and a whole number from 1 up, such as 'mc:100'")
    return int(number)


def _unknown(spec: object, game: Game) -> str:
    if spec and isinstance(spec, (str, Path)) and Path(spec).is_dir():
        return f"{str(spec)!r} is a folder: a checkpoint is loaded by agents.load"
    known = ", ".join(opponent_names(game.id))
    return f"unknown opponent {spec!r} for {game.id}: expected one of {known}"
