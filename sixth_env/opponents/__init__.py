"""Opponents that need no torch: random, each game's heuristics, Monte Carlo, and ONNX files.

Those elsewhere, behind HTTP or in a process of their own, are told of by ``remote``.
"""

from __future__ import annotations

import re
from os.path import isfile  # unlike Path.is_file, false for a name that no file can have
from pathlib import Path

from sixth_env.errors import OpponentError
from sixth_env.games import get_game
from sixth_env.games.base import Game
from sixth_env.opponents.base import Opponent, Seeds, row_seeds
from sixth_env.opponents.exact import ExactOpponent
from sixth_env.opponents.heuristics import HeuristicOpponent, RandomOpponent
from sixth_env.opponents.monte_carlo import ILLEGAL_VALUE, MonteCarloOpponent
from sixth_env.opponents.remote import is_remote, load_remote
from sixth_env.opponents.zoo import shipped_files, shipped_opponents

__all__ = [
    "ILLEGAL_VALUE",
    "ExactOpponent",
    "HeuristicOpponent",
    "MonteCarloOpponent",
    "Opponent",
    "RandomOpponent",
    "Seeds",
    "load_opponent",
    "opponent_names",
    "row_seeds",
    "shipped_opponents",
]

MONTE_CARLO = "mc:<playouts>"
EXACT = "exact"


def opponent_names(game: str = "sixth_card") -> tuple[str, ...]:
    """The built-in opponents of a game; ``mc:<playouts>`` stands for ``mc:100`` and the like."""
    return ("random", *get_game(game).heuristics, MONTE_CARLO)


def load_opponent(spec: str | Path, game: str | None = None) -> Opponent:
    """The opponent that a name or a file stands for.

    Args:
        spec: ``"random"``, one of the game's heuristics such as ``"cautious"``, or ``"mc:100"``
            for Monte Carlo with 100 playouts for each legal action; ``"exact"`` for perfect play
            where nothing is hidden, see :class:`~sixth_env.opponents.exact.ExactOpponent`; a
            shipped opponent such as ``"sixth_card/strong"``; or the path of an ``.onnx`` file that
            ``agents.export`` has written. To the last two, ``?sampled``, ``?greedy``,
            ``?temperature=2`` or ``?top_p=0.9`` may be added, to play otherwise than they would.
            For ``"http://…"`` and ``"subprocess:COMMAND"`` see :mod:`sixth_env.opponents.remote`.
        game: the game to be played; Sixth Card by default, but shipped opponents and files know
            theirs, and are refused for another one.

    Raises:
        OpponentError: no such opponent, or it plays another game.
        ConfigError: no such game, or one without an exact solution.
        MissingExtraError: it needs onnxruntime, which is not installed.
    """
    which = get_game("sixth_card" if game is None else game)
    if isinstance(spec, Path):
        spec = str(spec)
    if not isinstance(spec, str):
        raise OpponentError(_unknown(spec, which))
    if is_remote(spec):
        return load_remote(spec, which)
    if is_exported(spec):
        return _load_exported(spec, game)
    if spec == "random":
        return RandomOpponent(which)
    if spec in which.heuristics:
        return HeuristicOpponent(which, spec)
    if spec == EXACT:
        return ExactOpponent(which)
    if spec.startswith("mc:"):
        return MonteCarloOpponent(which, _playouts(spec))
    raise OpponentError(_unknown(spec, which))


def is_exported(spec: str) -> bool:
    """Whether a spec means a shipped opponent, or an existing ``.onnx`` file."""
    path = spec.partition("?")[0]
    return shipped_files(path) is not None or (path.endswith(".onnx") and isfile(path))


def _load_exported(spec: str, game: str | None) -> Opponent:
    from sixth_env.opponents.onnx import load_onnx  # brings pydantic, which others do without

    path, _, mode = spec.partition("?")
    shipped = shipped_files(path)
    if shipped is None:
        return load_onnx(path, game, mode=mode)
    network, card = shipped
    return load_onnx(network, game, mode=mode, name=path, card=card)


def _playouts(spec: str) -> int:
    """The number in ``mc:<playouts>``."""
    number = spec.removeprefix("mc:")
    if not re.fullmatch("[1-9][0-9]*", number, re.ASCII):
        raise OpponentError(f"{spec!r} must be mc: and a whole number from 1 up, such as 'mc:100'")
    return int(number)


def _unknown(spec: object, game: Game) -> str:
    if spec and isinstance(spec, (str, Path)) and Path(spec).is_dir():
        return f"{str(spec)!r} is a folder: a checkpoint is loaded by agents.load"
    known = ", ".join([*opponent_names(game.id), *shipped_opponents(game.id)])
    return f"unknown opponent {spec!r} for {game.id}: expected one of {known}"
