"""The commands ``match``, ``tournament`` and ``cross``: play, and report."""

from __future__ import annotations

import platform
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from sixth_env import __version__
from sixth_env.cli import tables
from sixth_env.cli.progress import progress_bar
from sixth_env.errors import ConfigError
from sixth_env.match import (
    Job,
    MatchResult,
    Tournament,
    pages,
    play_jobs,
    play_tournament,
    plots,
)
from sixth_env.match.setup import MAX_DEALS, check_whole, distinct, rule_set
from sixth_env.report import check_writable, write_report

DEFAULT_PLAYERS = 4


@dataclass(frozen=True)
class Options:
    """What all matches of a command share: game, deals, seed, rule set, and the processes."""

    game: str
    deals: int
    seed: int
    config: dict[str, Any]
    processes: int = 1


@dataclass(frozen=True)
class TournamentOptions:
    """Who sits with whom, and how long; see :func:`~sixth_env.match.play_tournament`."""

    players: int = DEFAULT_PLAYERS
    format: str = "table"
    line_ups: int | None = None
    rotations: int | None = None
    until_settled: bool = False
    within: float | None = None
    file: Path | None = None

    def words(self) -> list[str]:
        """As options of the command line, defaults and the file left out."""
        words = ["--players", str(self.players)]
        if self.format != "table":
            words += ["--format", self.format]
        for option, value in (("--line-ups", self.line_ups), ("--rotations", self.rotations)):
            words += [] if value is None else [option, str(value)]
        words += ["--until-settled"] * self.until_settled
        return words if self.within is None else [*words, "--within", str(self.within)]


@dataclass(frozen=True)
class Report:
    """What a command found: for people, and as plain values."""

    print_table: Callable[[], None]
    values: dict[str, Any]

    def show(
        self, json: Path | None, markdown: Path | None = None, html: Path | None = None
    ) -> None:
        """Print the table, and write the values to the files that there are."""
        self.print_table()
        if json is not None:
            write_report(json, self.values)
        if markdown is not None:
            pages.write_markdown(markdown, self.values)
        if html is not None:
            pages.write_html(html, self.values)


def check_files(
    json: Path | None, markdown: Path | None, html: Path | None, kept: Path | None
) -> None:
    """Refuse a report that cannot be written before anything is played.

    Raises:
        ConfigError: a file cannot be written, or two of them, or one and what is ``kept`` of the
            games, are the same.
        MissingExtraError: a page with plots needs matplotlib, which is not installed.
    """
    files = [file.resolve() for file in (json, markdown, html, kept) if file is not None]
    for file in files:
        if files.count(file) > 1:
            raise ConfigError(f"{file.name} is named twice: each file holds one thing")
    for report in (json, markdown, html):
        check_writable(report)
    if html is not None:
        plots.check_available()


def rules_config(
    rounds: int | None,
    whole: bool,
    row_choice: str | None,
    decks: int | None,
    target: int | None,
    settings: Sequence[str] | None,
) -> dict[str, Any]:
    """The rule set of a command's options; single rounds unless something else is asked for."""
    whole = whole or target is not None
    if whole and rounds is not None:
        raise ConfigError("--rounds plays that many rounds: it excludes --whole and --target")
    named = {
        "num_rounds": 1 if rounds is None and not whole else rounds,
        "row_choice": row_choice,
        "decks": decks,
        "target_score": target,
    }
    config = {rule: value for rule, value in named.items() if value is not None}
    for setting in settings or ():
        rule, equals, value = setting.partition("=")
        if not equals or rule in config:
            raise ConfigError(f"--set takes RULE=VALUE, each rule once, not {setting!r}")
        config[rule] = _value(value)
    return config


def _value(text: str) -> Any:
    """A rule's value as typed: a number, true, false, or else a word."""
    words = {"true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    return int(text) if re.fullmatch("-?[0-9]{1,18}", text) else text


def run_field(specs: Sequence[str], players: int | None, options: Options) -> Report:
    """All entrants at one table."""
    if players not in (None, len(specs)):
        raise ConfigError(
            f"{players} players need {players} entrants, not {len(specs)}; "
            "to play one among a field of another, use --against"
        )
    (result,) = _play([tuple(specs)], [tuple(specs)], options)
    return Report(lambda: tables.show_match(result), result.to_dict())


def run_against(
    specs: Sequence[str], fields: Sequence[str], players: int | None, options: Options
) -> Report:
    """One entrant among a field of each of some others."""
    if len(specs) != 1:
        raise ConfigError(f"--against is for one entrant, not {len(specs)}")
    players = DEFAULT_PLAYERS if players is None else players
    names = [distinct([specs[0], other]) for other in fields]
    results = _play(
        [(specs[0], *[other] * (players - 1)) for other in fields],
        [(own, *[other] * (players - 1)) for own, other in names],
        options,
    )
    command = results[0].command_against(specs[0], fields)
    values = {"matches": [result.to_dict() for result in results], "command": command}
    return Report(lambda: tables.show_against(results, command), values)


def _play(
    line_ups: Sequence[tuple[str, ...]], names: Sequence[tuple[str, ...]], options: Options
) -> list[MatchResult]:
    """A match for each line-up."""
    deals = range(check_whole("deals", options.deals, MAX_DEALS))
    jobs = [
        Job(options.game, line_up, deals, options.seed, options.config, names=called)
        for line_up, called in zip(line_ups, names, strict=True)
    ]
    with progress_bar() as progress:
        return play_jobs(jobs, processes=options.processes, progress=progress)


def run_tournament(specs: Sequence[str], options: Options, more: TournamentOptions) -> Report:
    """All line-ups of some entrants."""
    if more.within is not None and not more.until_settled:
        raise ConfigError("--within says when --until-settled stops: give both")
    table = _tournament(specs, options, more)
    some = table.results[0].options_for(options.deals)
    command = shlex.join(["sixth-env", "tournament", *specs, *more.words(), *some])
    values = {**table.to_dict(), "command": command, "versions": _versions()}
    return Report(lambda: tables.show_tournament(table, command), values)


def run_cross(specs: Sequence[str], players: int, options: Options) -> Report:
    """Each entrant among a field of each other one."""
    table = _tournament(specs, options, TournamentOptions(players, "field"))
    seats = ["--players", str(players)]
    command = shlex.join(["sixth-env", "cross", *specs, *seats, *table.results[0].options])
    values = {**table.to_dict(), "command": command, "versions": _versions()}
    return Report(lambda: tables.show_cross(table, command), values)


def _tournament(specs: Sequence[str], options: Options, more: TournamentOptions) -> Tournament:
    config = rule_set(options.game, more.players, options.config)
    with _keeping(more.file), progress_bar() as progress:
        return play_tournament(
            options.game,
            specs,
            players=more.players,
            deals=options.deals,
            seed=options.seed,
            format=more.format,
            line_ups=more.line_ups,
            rotations=more.rotations,
            until_settled=more.until_settled,
            within=more.within or 0.0,
            file=more.file,
            processes=options.processes,
            progress=progress,
            **config,
        )


@contextmanager
def _keeping(file: Path | None) -> Iterator[None]:
    """Say where an interrupted tournament can be taken up again."""
    try:
        yield
    except KeyboardInterrupt:
        if file is not None:
            kept = f"what was finished is in {file}: the same command goes on from there"
            print(f"\nsixth-env: {kept}", file=sys.stderr)
        raise


def _versions() -> dict[str, str]:
    """What the figures depend on."""
    found = {
        "sixth_env": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    try:
        return {**found, "openskill": version("openskill")}
    except PackageNotFoundError:
        return found
