"""An opponent's way through a suite: play, and write results."""

from __future__ import annotations

import os
import platform
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numba
import numpy as np

from sixth_env import __version__
from sixth_env.errors import ConfigError, OpponentError
from sixth_env.match import Job, MatchResult, Runner
from sixth_env.match.jobs import GAMES_AT_ONCE
from sixth_env.match.players import Players, fingerprint
from sixth_env.match.setup import Progress
from sixth_env.suite.definition import Board, Suite, SuiteField
from sixth_env.suite.result import FORMAT, OpponentFacts, SuiteResult, field_result, score

LeftOut = Callable[[Board, OpponentError], None]


@dataclass(frozen=True)
class Run:
    """What an opponent plays of a suite, and how.

    Args:
        suite: see :func:`~sixth_env.suite.load_suite`; ``source`` is what loaded it.
        spec: what loads the opponent.
        name: what to call it.
        games: their boards are played, by default all that the opponent can play.
        quick: play the quick size.
        processes, games_at_once: see :func:`~sixth_env.match.play_jobs`.
    """

    suite: Suite
    spec: str
    name: str
    source: str = ""
    games: tuple[str, ...] = ()
    quick: bool = False
    processes: int = 1
    games_at_once: int = GAMES_AT_ONCE

    def deals(self, field: SuiteField) -> int:
        """How many deals of a field are played."""
        return field.quick if self.quick else field.deals

    def command(self, board: Board) -> str:
        """The command that plays the board again."""
        words = ["sixth-env", "suite", self.spec, "--game", board.game]
        if self.name != self.spec:
            words += ["--name", self.name]
        words += ["--suite", self.source or self.suite.name, *["--quick"] * self.quick]
        return shlex.join(words)


def play_suite(
    run: Run,
    file: Path | None = None,
    *,
    progress: Progress | None = None,
    finished: Callable[[SuiteResult], None] | None = None,
    left_out: LeftOut | None = None,
) -> list[SuiteResult]:
    """A result for each board.

    Args:
        run: what to play.
        file: keeps what was played, so that an interrupted run goes on; see
            :func:`~sixth_env.match.play_jobs`.
        progress: called with the games played so far and all games.
        finished: called with each board's result as soon as it is there.
        left_out: called with each board that the opponent cannot play, and the reason.

    Raises:
        ConfigError: the suite has no such game, or the file is of another run.
        OpponentError: the opponent cannot be loaded, or plays none of the games, or fails.
    """
    boards = playable_boards(run, left_out)
    jobs = {board.id: _jobs(run, board) for board in boards}
    total = sum(job.games for some in jobs.values() for job in some)
    settings = {"suite": run.suite.name, "digest": run.suite.digest, "opponent": run.spec}
    results, before = [], 0
    with Runner(
        file, processes=run.processes, settings=settings, games_at_once=run.games_at_once
    ) as runner:
        for board in boards:
            matches = runner.play(jobs[board.id], _part_of(progress, before, total))
            before += sum(job.games for job in jobs[board.id])
            results.append(_result(run, board, matches))
            if finished is not None:
                finished(results[-1])
    return results


def _jobs(run: Run, board: Board) -> list[Job]:
    """Matches of a board, the longest first so that all processes end at about the same time."""
    return [
        field.job(run.spec, run.name, run.deals(field))
        for field in reversed(board.played(run.quick))
    ]


def _part_of(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Progress of one board as that of all."""
    if progress is None:
        return None
    report = progress
    return lambda done, _: report(before + done, total)


def playable_boards(run: Run, left_out: LeftOut | None = None) -> tuple[Board, ...]:
    """The boards whose game the opponent plays; all are asked for by default.

    Raises:
        OpponentError: it plays none of them, or not one that was named.
    """
    boards = run.suite.of_games(run.games)
    errors: dict[str, OpponentError] = {}
    for board in {board.game: board for board in boards}.values():
        try:
            _try(run, board.fields[0])
        except OpponentError as error:
            errors[board.game] = error
    found = tuple(board for board in boards if board.game not in errors)
    if errors and (run.games or not found):
        raise next(iter(errors.values()))
    for board in boards:
        if board.game in errors and left_out is not None:
            left_out(board, errors[board.game])
    return found


def _try(run: Run, field: SuiteField) -> None:
    """Play one game: an opponent need not say which game it is for."""
    job = replace(field.job(run.spec, run.name, 1), rotations=(0,))
    players = Players()
    try:
        players.play_one(job)
    finally:
        players.close()


def _result(run: Run, board: Board, matches: Sequence[MatchResult]) -> SuiteResult:
    fields = [
        field_result(field, match)
        for field, match in zip(board.played(run.quick), reversed(matches), strict=True)
    ]
    own = [match.entrants[0] for match in matches]
    seconds = sum(entrant.seconds for entrant in own)
    return SuiteResult(
        format=FORMAT,
        suite=run.suite.name,
        digest=run.suite.digest,
        quick=run.quick,
        board=board.id,
        title=board.title,
        game=board.game,
        unit=board.unit,
        opponent=OpponentFacts(
            name=run.name,
            spec=run.spec,
            greedy=own[0].greedy,
            file=fingerprint(run.spec) or None,
        ),
        score=score(fields),
        fields=fields,
        decisions_per_second=sum(e.decisions for e in own) / seconds if seconds else 0.0,
        command=run.command(board),
        versions=_versions(),
        machine=_machine(run),
    )


def _versions() -> dict[str, str]:
    return {
        "sixth_env": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def _machine(run: Run) -> dict[str, Any]:
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "processes": run.processes,
    }


def _processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.processor()
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return named[1].strip() if named else platform.processor()


def file_name(name: str) -> str:
    """A file name for an opponent's results: "mc:100" is in "mc-100"."""
    found = re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.")
    if not found:
        raise ConfigError(f"{name!r} makes no file name: give another by --name")
    return found


def result_stem(name: str, quick: bool) -> str:
    """The name of an opponent's result files, without their ending: "mc-100.quick"."""
    return f"{file_name(name)}.quick" if quick else file_name(name)
