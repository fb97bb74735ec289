"""An opponent's result on a board: the file that others read, check and compare."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sixth_env.errors import ConfigError
from sixth_env.match import Estimate, MatchResult
from sixth_env.suite.definition import Board, Suite, SuiteField

FORMAT = "sixth_env suite result 1"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Figure(_Model):
    """A value and its 95 % interval; an unbounded side is ``None``."""

    value: float
    low: float | None
    high: float | None

    @property
    def half(self) -> float:
        """Half of the interval; infinite if it is unbounded."""
        if self.low is None or self.high is None:
            return math.inf
        return (self.high - self.low) / 2


class FieldResult(_Model):
    """How an opponent did in one field.

    Points are per round and seat, fewer is better; ``difference`` is the opponent's minus the
    field's. ``digests`` are of all points of the first so many deals, by their number.
    """

    players: int
    field: str
    others: list[str]
    seed: int
    deals: int
    rotations: list[int]
    games: int
    points: Figure
    field_points: float
    difference: Figure
    win_share: Figure
    decisions: int
    digests: dict[int, str]


class OpponentFacts(_Model):
    """Who played. ``greedy``: see :class:`~sixth_env.match.Entrant`; ``file``: its digest."""

    name: str = Field(pattern=r"^[^\x00-\x1f]{1,200}$")
    spec: str
    greedy: bool | None
    file: str | None


class SuiteResult(_Model):
    """A result file."""

    format: str = Field(pattern=f"^{FORMAT}$")
    suite: str
    digest: str
    quick: bool
    board: str
    title: str
    game: str
    unit: str
    opponent: OpponentFacts
    score: Figure
    fields: list[FieldResult] = Field(min_length=1)
    decisions_per_second: float
    command: str
    versions: dict[str, str]
    machine: dict[str, Any]

    @property
    def players(self) -> list[int]:
        """The numbers of players."""
        return list(dict.fromkeys(field.players for field in self.fields))

    def at(self, players: int) -> list[FieldResult]:
        """The fields at one number of players."""
        return [field for field in self.fields if field.players == players]

    @property
    def names(self) -> list[str]:
        """The fields' names, in the order of the table that has the most."""
        tables = sorted((self.at(players) for players in self.players), key=len, reverse=True)
        return list(dict.fromkeys(field.field for table in tables for field in table))

    def table_score(self, players: int) -> Figure:
        """The mean of the differences in the fields at one number of players."""
        return mean([field.difference for field in self.at(players)])

    def field_score(self, name: str) -> Figure | None:
        """The mean of the differences in a field over all numbers of players; None without it."""
        found = [field.difference for field in self.fields if field.field == name]
        return mean(found) if found else None

    @property
    def worst(self) -> FieldResult:
        """The field in which it is worst."""
        return max(self.fields, key=lambda field: field.difference.value)


def mean(figures: Sequence[Figure]) -> Figure:
    """The mean of independent figures, and its interval."""
    count = len(figures)
    value = sum(figure.value for figure in figures) / count
    half = math.sqrt(sum(figure.half**2 for figure in figures)) / count
    if not math.isfinite(half):
        return Figure(value=value, low=None, high=None)
    return Figure(value=value, low=value - half, high=value + half)


def score(fields: Sequence[FieldResult]) -> Figure:
    """The score on a board: the mean over its tables of the mean over each table's fields."""
    players = dict.fromkeys(field.players for field in fields)
    tables = [[field.difference for field in fields if field.players == p] for p in players]
    return mean([mean(table) for table in tables])


# --- From matches ---------------------------------------------------------------------------------


def field_result(field: SuiteField, match: MatchResult) -> FieldResult:
    """What a match in a field brought; the opponent is entrant 0."""
    others = [index for index, entrant in enumerate(match.entrants) if index > 0]
    theirs = [match.points_per_round(index).value for index in others]
    seats = [match.entrants[index].seats for index in others]
    return FieldResult(
        players=field.players,
        field=field.name,
        others=list(field.others),
        seed=field.seed,
        deals=match.deals,
        rotations=list(field.rotations),
        games=match.games,
        points=_figure(match.points_per_round(0)),
        field_points=float(np.average(theirs, weights=seats)),
        difference=_figure(match.difference(0)),
        win_share=_figure(match.win_share(0)),
        decisions=match.entrants[0].decisions,
        digests={
            deals: points_digest(match, deals)
            for deals in sorted({field.quick, match.deals})
            if 0 < deals <= match.deals
        },
    )


def points_digest(match: MatchResult, deals: int) -> str:
    """A digest of all points of the first so many deals."""
    points = np.ascontiguousarray(match.points[:deals]).astype("<i8")
    return hashlib.sha256(points.tobytes()).hexdigest()[:16]


def _figure(estimate: Estimate) -> Figure:
    return Figure.model_validate(estimate.to_dict())


# --- Files ----------------------------------------------------------------------------------------


def read_result(file: Path) -> SuiteResult:
    """A result file.

    Raises:
        ConfigError: it cannot be read, or is none, or its score is not that of its fields.
    """
    try:
        values = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} is no result of a suite: {error}") from error
    try:
        result = SuiteResult.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "its content"
        raise ConfigError(f"{file} is no result of a suite: {place}: {first['msg']}") from error
    if not math.isclose(result.score.value, score(result.fields).value, abs_tol=1e-6):
        raise ConfigError(f"{file}: the score is not that of the fields")
    return result


def check_complete(result: SuiteResult, suite: Suite, file: Path) -> Board:
    """The board that a result is about.

    Raises:
        ConfigError: the result is of another suite, or its fields are not those of the board.
    """
    if (result.suite, result.digest) != (suite.name, suite.digest):
        raise ConfigError(
            f"{file} is of the suite {result.suite} ({result.digest}),"
            f" not {suite.name} ({suite.digest})"
        )
    board = suite.board(result.board)
    wanted = [
        (
            *(field.players, field.name, field.others, field.seed, field.rotations),
            field.quick if result.quick else field.deals,
        )
        for field in board.played(result.quick)
    ]
    found = [
        (
            *(field.players, field.field, tuple(field.others), field.seed, tuple(field.rotations)),
            field.deals,
        )
        for field in result.fields
    ]
    if wanted != found:
        raise ConfigError(f"{file}: the fields are not those of {board.id} in {suite.name}")
    return board
