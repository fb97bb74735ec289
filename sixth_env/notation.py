"""Positions, views and replays as plain values for JSON, for all games.

A *position* is the whole truth about a game, a *view* what one player may know of it, a *replay*
a first position, the key of the stream of deals, and the actions. ``schema`` publishes their shape;
``validate_position`` and ``validate_view`` say what is wrong with one, in a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sixth_env.engine import MAX_INDEX, MAX_SEED, Engine, check_seed, is_whole
from sixth_env.errors import ConfigError, IllegalActionError, PositionError
from sixth_env.games import get_game
from sixth_env.games.base import Game, Rules
from sixth_env.rng import WORLD, fold

Json = dict[str, Any]
KINDS = ("position", "view", "replay")


def schema(game: str, kind: str) -> Json:
    """The JSON Schema of a game's ``"position"``, ``"view"`` or ``"replay"``.

    A schema settles types, names and plain bounds; what the fields say about each other is checked
    by the functions below. Raises ``ConfigError`` for an unknown game or kind.
    """
    notation = get_game(game).notation
    if kind not in KINDS:
        raise ConfigError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    if kind != "replay":
        return notation.schema(kind)
    described = Replay.model_json_schema()
    position = notation.schema("position")
    described["$defs"].update(position.pop("$defs", {}))
    described["properties"]["position"] = position
    return described


# --- Positions and views --------------------------------------------------------------------------


def validate_position(position: Json) -> None:
    """Check a position that carries its ``"rules"``. Raises ``PositionError``."""
    _load(position)


def validate_view(view: Json) -> None:
    """Check a view that carries its ``"rules"``. Raises ``PositionError``."""
    encode(view)


def view_of(position: Json, player: int) -> Json:
    """What one player may know of a position, with its legal actions by number and name.

    Raises ``PositionError`` for an inconsistent position or an unknown player.
    """
    game, rules, state = _load(position)
    if not is_whole(player, 0, rules.num_players - 1):
        raise PositionError(f"player must be from 0 to {rules.num_players - 1}, not {player!r}")
    player = int(player)
    _, mask = _look(game, rules, state, position, player)
    legal = game.legal(np.flatnonzero(mask).tolist())
    return {**game.notation.view(position, player), "legal": legal}


def encode(view: Json) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """The observation (D,) and action mask (A,) of a view's player; see ``describe``.

    Seats are real in a view and counted from the observer in an observation.

    Raises:
        PositionError: the view contradicts itself, its rules, or the legal actions it lists.
    """
    game, rules = _game_of("view", view)
    position = game.notation.complete(rules, view)
    _, _, state = _load({**position, "rules": rules.to_dict()})
    columns, mask = _look(game, rules, state, position, view["player"])
    legal = game.legal(np.flatnonzero(mask).tolist())
    if view.get("legal") not in (None, legal):
        raise PositionError(f"view legal must be {legal}")
    return columns, mask


def describe(game: str, observation: NDArray[Any]) -> Json:
    """The view from which an observation (D,), int16 or float32, was made.

    Seats are counted from the observer, who is player 0. The reward mode is not observed.
    Raises ``PositionError`` for an observation that contradicts itself.
    """
    return get_game(game).notation.describe(observation)


def determinize(game: str, observation: NDArray[Any], seed: int) -> Json:
    """A random position that agrees with an observation (D,): one world for a search to play out.

    The cards that the observer cannot place are spread uniformly over the other hands and the
    stock. A function of the observation and the seed alone, so a search cannot peek. Seats are
    counted from the observer, who is player 0. Raises ``PositionError`` as ``describe`` does.
    """
    which = get_game(game)
    _, rules = _game_of("observation", describe(game, observation))
    state, record = np.zeros(1, which.state)[0], which.rules_record(rules).copy()
    with np.errstate(over="ignore"):
        key = fold(np.uint64(check_seed(seed)), WORLD)
        which.kernels.determinize(which.table.to_int(np.asarray(observation)), key, record, state)
    return which.notation.position(rules, state)


def _game_of(what: str, value: object) -> tuple[Game, Rules]:
    """The game and the rule set of a position or view."""
    if not isinstance(value, dict) or not isinstance(value.get("rules"), dict):
        raise PositionError(f"{what} must be an object with its 'rules'")
    config = {name: setting for name, setting in value["rules"].items() if name != "game"}
    try:
        game = get_game(value.get("game"))  # type: ignore[arg-type]
        return game, game.make_rules(config)
    except ConfigError as error:
        raise PositionError(f"{what} rules: {error}") from None


def _load(position: Json) -> tuple[Game, Rules, np.void]:
    """A position's game, rules and record."""
    game, rules = _game_of("position", position)
    state = np.zeros(1, game.state)[0]
    game.notation.load(rules, position, state)
    return game, rules, state


def _look(
    game: Game, rules: Rules, state: np.void, position: Json, player: int
) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """What a player observes, and may do: nothing more once its card lies on the table."""
    columns, mask = game.notation.look(rules, state, player)
    chosen = position.get("chosen")
    if chosen is not None and chosen[player] is not None:
        mask[:] = 0
        mask[game.wait] = 1
    return columns, mask


# --- Replays --------------------------------------------------------------------------------------


class Stream(BaseModel):
    """The key of a stream of deals: all later deals of a match follow from it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    seed: int = Field(ge=0, le=MAX_SEED)
    game: int = Field(ge=0, lt=MAX_INDEX, description="index of the game in its batch")
    episode: int = Field(ge=0, lt=MAX_INDEX, description="how many matches of the game were before")


class Replay(BaseModel):
    """A match from some position on: enough to play it again, deals included.

    ``actions`` has one list for each step, with an action for each acting row (every seat in the
    simultaneous games). ``story``, if kept, has the events of each step, which ``verify`` compares.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    position: dict[str, Any]
    stream: Stream
    actions: list[list[Annotated[int, Field(ge=0)]]] = []
    story: list[list[dict[str, Any]]] | None = None

    @classmethod
    def begin(cls, engine: Engine, index: int = 0) -> Replay:
        """An empty replay that starts where a game of an engine is now; ``record`` goes on."""
        seed, game, episode = engine.key(index)
        stream = Stream(seed=seed, game=game, episode=episode)
        return cls(position=engine.position(index), stream=stream)

    @classmethod
    def read(cls, value: object) -> Replay:
        """A replay from plain values. Raises ``PositionError`` for a malformed one."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, fault["loc"]))
            raise PositionError(f"replay {place}: {fault['msg']}") from None

    def to_dict(self) -> Json:
        """The replay as plain values; without a ``story`` unless one was kept."""
        return self.model_dump(exclude_none=True) | {"position": self.position}

    def record(self, actions: ArrayLike) -> None:
        """Add the actions (K,) of a step that an engine has taken."""
        self.actions.append([int(action) for action in np.asarray(actions).reshape(-1)])

    def engine(self) -> Engine:
        """A fresh engine of one game, at the first position of the replay.

        Raises ``PositionError`` if that position is not valid.
        """
        game, rules = _game_of("replay position", self.position)
        config = {name: value for name, value in rules.to_dict().items() if name != "game"}
        engine = Engine(game.id, 1, seed=self.stream.seed, first_index=self.stream.game, **config)
        engine.states["episode"] = self.stream.episode
        engine.set_position(self.position)
        return engine

    def events(self) -> Iterator[list[Json]]:
        """The events of each step, in order, with nothing hidden.

        Raises:
            PositionError: the first position is invalid, an action is not legal, or actions follow
                the end of the match.
        """
        yield from (events for _, events in self.play())

    def play(self) -> Iterator[tuple[Engine, list[Json]]]:
        """Play the replay again: the engine after each step, and that step's events."""
        engine = self.engine()
        log = engine.new_log()
        for step, actions in enumerate(self.actions):
            if step and engine.done()[0]:
                raise PositionError(f"replay actions[{step}] comes after the end of the match")
            try:
                engine.step([actions], log=log)
            except IllegalActionError as error:
                raise PositionError(f"replay actions[{step}]: {error}") from None
            yield engine, engine.events(log)

    def verify(self) -> Json:
        """Play the replay again and compare its ``story``, if it has one; the last position.

        Raises:
            PositionError: as ``events``; or the story differs, with the first step that does.
        """
        last = self.position
        if self.story is not None and len(self.story) != len(self.actions):
            raise PositionError(f"replay story must tell of {len(self.actions)} steps")
        for step, (engine, events) in enumerate(self.play()):
            if self.story is not None and self.story[step] != events:
                raise PositionError(f"replay story[{step}] differs from what the actions bring")
            last = engine.position()
        return last
