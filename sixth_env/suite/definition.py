"""What a suite is: boards of tables of fields, read from a TOML file."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib import resources
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sixth_env.errors import ConfigError
from sixth_env.games import get_game
from sixth_env.match import Job


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class FieldModel(_Strict):
    """A field as written in the file; ``others`` fill the seats in turn."""

    field: str = Field(min_length=1)
    others: list[str] | None = Field(default=None, min_length=1)
    deals: int = Field(ge=1)
    quick: int = Field(default=0, ge=0)
    rotations: int | None = Field(default=None, ge=1)


class TableModel(_Strict):
    """The fields at one number of players."""

    players: int
    fields: list[FieldModel] = Field(min_length=1)


class BoardModel(_Strict):
    """One game under one rule set: a line of a leaderboard is an opponent's score on a board."""

    id: str = Field(pattern="^[a-z0-9_]+$")
    title: str
    game: str
    rules: dict[str, int | str | bool]
    tables: list[TableModel] = Field(min_length=1)


class SuiteModel(_Strict):
    """The whole file."""

    format: Literal[1]
    name: str = Field(pattern="^[A-Za-z0-9._-]+$")
    seed: int = Field(ge=0)
    boards: list[BoardModel] = Field(min_length=1)


@dataclass(frozen=True)
class SuiteField:
    """All seats but one at a table, and the deals on which an opponent plays against them.

    Attributes:
        name: such as ``"mc:100"`` or ``"mixed"``.
        others: (P - 1,) specs of built-in opponents.
        seed, deals: deals 0 to ``deals`` - 1 of this seed.
        quick: so many of them in a quick run; 0 leaves the field out of it.
        rotations: those played, out of P.
    """

    board: str
    game: str
    rules: dict[str, Any]
    name: str
    others: tuple[str, ...]
    seed: int
    deals: int
    quick: int
    rotations: tuple[int, ...]

    @property
    def players(self) -> int:
        """P, the seats at the table."""
        return len(self.others) + 1

    @property
    def key(self) -> tuple[int, str]:
        """What tells the fields of a board apart."""
        return self.players, self.name

    def job(self, spec: str, name: str, deals: int) -> Job:
        """An opponent's match in this field, on the first so many deals."""
        names = [other if other != name else f"{other}#2" for other in self.others]
        return Job(
            self.game,
            (spec, *self.others),
            range(deals),
            seed=self.seed,
            config=self.rules,
            rotations=self.rotations,
            names=(name, *names),
        )


@dataclass(frozen=True)
class Board:
    """One game under one rule set, at several numbers of players."""

    id: str
    title: str
    game: str
    fields: tuple[SuiteField, ...]

    @property
    def unit(self) -> str:
        """What is counted; fewer is better."""
        return get_game(self.game).unit

    def played(self, quick: bool) -> tuple[SuiteField, ...]:
        """The fields of a full or a quick run."""
        return tuple(field for field in self.fields if field.quick or not quick)


@dataclass(frozen=True)
class Suite:
    """A frozen set of boards."""

    name: str
    boards: tuple[Board, ...]

    @cached_property
    def digest(self) -> str:
        """A digest of the definition: results with the same one can be compared."""
        values = [asdict(field) for board in self.boards for field in board.fields]
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]

    def board(self, board: str) -> Board:
        """The board of that id.

        Raises:
            ConfigError: the suite has none.
        """
        for found in self.boards:
            if found.id == board:
                return found
        known = ", ".join(found.id for found in self.boards)
        raise ConfigError(f"the suite {self.name} has no board {board!r}: expected one of {known}")

    def of_games(self, games: Sequence[str]) -> tuple[Board, ...]:
        """The boards of some games, all boards by default.

        Raises:
            ConfigError: the suite has no board of one of them.
        """
        known = list(dict.fromkeys(board.game for board in self.boards))
        for game in games:
            if game not in known:
                raise ConfigError(
                    f"the suite {self.name} has no game {game!r}: expected {', '.join(known)}"
                )
        return tuple(board for board in self.boards if not games or board.game in games)


def suite_names() -> tuple[str, ...]:
    """The suites that come with the package."""
    files = resources.files("sixth_env.suite").iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml")))


def load_suite(name_or_file: str) -> Suite:
    """A suite that comes with the package, such as ``"v1"``, or that of a TOML file.

    Raises:
        ConfigError: there is no such suite, or the file describes none.
    """
    if name_or_file in suite_names():
        text = (
            resources.files("sixth_env.suite").joinpath(f"{name_or_file}.toml").read_text("utf-8")
        )
    elif Path(name_or_file).is_file():
        try:
            text = Path(name_or_file).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"the suite {name_or_file} cannot be read: {error}") from error
    else:
        known = ", ".join(suite_names())
        raise ConfigError(f"no suite {name_or_file!r}: expected {known} or a TOML file")
    return _suite(_parsed(text, name_or_file))


def _parsed(text: str, where: str) -> SuiteModel:
    try:
        return SuiteModel.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the suite {where} is no TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"the suite {where}: {place}: {first['msg']}") from error


def _suite(model: SuiteModel) -> Suite:
    suite = Suite(model.name, tuple(_board(board, model.seed) for board in model.boards))
    _check_distinct([board.id for board in suite.boards], f"boards of the suite {suite.name}")
    for board in suite.boards:
        _check_distinct([field.key for field in board.fields], f"fields of {board.id}")
        for field in board.fields:
            field.job(field.others[0], "opponent", field.deals)  # refuses what fits no game
    return suite


def _check_distinct(values: Sequence[object], what: str) -> None:
    double = [value for value in values if values.count(value) > 1]
    if double:
        raise ConfigError(f"two {what} are called {double[0]!r}")


def _board(model: BoardModel, seed: int) -> Board:
    fields = tuple(
        _field(model, table.players, field, seed + place)
        for table in model.tables
        for place, field in enumerate(table.fields)
    )
    return Board(model.id, model.title, model.game, fields)


def _field(board: BoardModel, players: int, model: FieldModel, seed: int) -> SuiteField:
    """A field; its seed is its own, so that the fields of a table have independent deals."""
    if players < 2:
        raise ConfigError(f"{board.id}: a table has at least 2 players, not {players}")
    if model.quick > model.deals or (model.rotations or 0) > players:
        raise ConfigError(
            f"{board.id}, {players} players, {model.field}: quick is at most {model.deals},"
            f" the deals, and rotations at most {players}, the players"
        )
    count = model.rotations or players
    return SuiteField(
        board=board.id,
        game=board.game,
        rules=dict(board.rules),
        name=model.field,
        others=tuple(islice(cycle(model.others or [model.field]), players - 1)),
        seed=seed,
        deals=model.deals,
        quick=model.quick,
        rotations=tuple(index * players // count for index in range(count)),
    )
