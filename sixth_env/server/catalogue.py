"""Which opponents the server offers: the built-in ones, the shipped ones, and those named to it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from sixth_env.errors import MissingExtraError, OpponentError
from sixth_env.games import GAMES
from sixth_env.games.base import Game
from sixth_env.opponents import Opponent, load_opponent, opponent_names
from sixth_env.opponents.custom import resolve_opponent
from sixth_env.opponents.zoo import LEVELS, shipped_card, shipped_opponents

Json = dict[str, Any]
MONTE_CARLO = "mc:"


class Catalogue:
    """Opponents by game and name; a client can name no file, module or command.

    Args:
        named: ``NAME=SPEC`` or ``GAME/NAME=SPEC`` of further opponents.
        max_playouts: the greatest k of ``mc:k``.

    Raises:
        OpponentError: one of them cannot be loaded for any game.
    """

    def __init__(self, named: Sequence[str], max_playouts: int) -> None:
        self._max_playouts, self._lock = max_playouts, threading.Lock()
        self._named: dict[str, dict[str, Opponent]] = {game: {} for game in GAMES}
        playable = find_spec("onnxruntime") is not None
        self._shipped = {game: shipped_opponents(game) if playable else () for game in GAMES}
        self._loaded: dict[tuple[str, str], Opponent] = {}
        for entry in named:
            self._add(entry)

    def _add(self, entry: str) -> None:
        name, _, spec = entry.partition("=")
        if not name or not spec:
            raise OpponentError(f"{entry!r} must be NAME=SPEC, or GAME/NAME=SPEC for one game")
        game, slash, short = name.partition("/")
        one = slash != "" and game in GAMES
        games, name = ([game], short) if one else (list(GAMES), name)
        faults: list[OpponentError] = []
        for game in games:
            try:
                self._named[game][name] = resolve_opponent(spec, game)
            except OpponentError as error:
                faults.append(error)
        if len(faults) == len(games):
            raise OpponentError(f"{entry!r}: {faults[0]}")

    def find(self, game: Game, name: str | None) -> tuple[str, Opponent]:
        """An opponent with its full name; the game's default one for ``None``.

        Raises:
            OpponentError: the server does not offer it.
        """
        name = self.default(game) if name is None else name
        if name in self._named[game.id]:
            return name, self._named[game.id][name]
        if name.startswith(MONTE_CARLO):
            return name, self._monte_carlo(game, name)
        for full in (name, f"{game.id}/{name}"):
            if full in self._shipped[game.id] or full in self._built_in(game):
                return full, self._load(game, full)
        offered = ", ".join(self.names(game))
        raise OpponentError(f"opponent {name!r} is none of {game.id}: expected one of {offered}")

    def default(self, game: Game) -> str:
        """Who plays where nobody is named: the strongest shipped one, else Monte Carlo."""
        strong = f"{game.id}/{LEVELS[-1]}"
        best = strong if strong in self._shipped[game.id] else "mc:100"
        return next(iter(self._named[game.id]), best)

    def fallback(self, game: Game) -> tuple[str, Opponent]:
        """Who plays for an opponent that takes too long: the game's best heuristic."""
        name = list(game.heuristics)[-1]
        return name, self._load(game, name)

    def names(self, game: Game) -> list[str]:
        """All that ``find`` takes."""
        return [
            *self._named[game.id],
            *self._shipped[game.id],
            *self._built_in(game),
            "mc:<playouts>",
        ]

    def describe(self, game: Game) -> list[Json]:
        """The game's opponents for people and programs to choose from."""
        return [self._entry(game, name) for name in self.names(game)]

    def _entry(self, game: Game, name: str) -> Json:
        entry: Json = {"name": name, "game": game.id, "default": name == self.default(game)}
        if name.startswith(MONTE_CARLO):
            entry |= {"max_playouts": self._max_playouts, "kind": "search"}
            entry["default"] = self.default(game).startswith(MONTE_CARLO)
        elif name in self._named[game.id]:
            entry["kind"] = "named"
        elif "/" in name:
            card = shipped_card(name)
            entry |= {
                "kind": "shipped", "description": card.description, "strength": card.strength
            }  # fmt: skip
        else:
            entry["kind"] = "built-in"
        return entry

    @staticmethod
    def _built_in(game: Game) -> list[str]:
        return [name for name in opponent_names(game.id) if ":" not in name]

    def _monte_carlo(self, game: Game, name: str) -> Opponent:
        try:
            opponent = load_opponent(name, game.id)
            fits = int(name.removeprefix(MONTE_CARLO)) <= self._max_playouts
        except (OpponentError, ValueError):
            fits = False
        if not fits:
            raise OpponentError(
                f"opponent must be mc:k with k from 1 to {self._max_playouts}, not {name[:40]!r}"
            )
        return opponent

    def _load(self, game: Game, name: str) -> Opponent:
        with self._lock:
            if (game.id, name) not in self._loaded:
                try:
                    self._loaded[game.id, name] = load_opponent(name, game.id)
                except MissingExtraError as error:
                    raise OpponentError(str(error)) from error
            return self._loaded[game.id, name]
