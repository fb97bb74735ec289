"""The commands ``match`` and ``cross``: load the opponents, play, report."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sixth_env.cli import tables
from sixth_env.errors import ConfigError
from sixth_env.match import cross_table, play_against, play_field
from sixth_env.match.play import Progress
from sixth_env.match.setup import rule_set
from sixth_env.opponents.base import Opponent
from sixth_env.opponents.custom import resolve_opponent
from sixth_env.report import write_report

DEFAULT_PLAYERS = 4


@dataclass(frozen=True)
class Options:
    """What all matches of a command share: game, deals, seed and rule set."""

    game: str
    deals: int
    seed: int
    config: dict[str, Any]

    def load(self, specs: Sequence[str]) -> list[Opponent]:
        """The opponents of some specs; the same spec twice is the same opponent."""
        loaded = {spec: resolve_opponent(spec, self.game) for spec in dict.fromkeys(specs)}
        return [loaded[spec] for spec in specs]

    def to_play(self, players: int) -> dict[str, Any]:
        """As keyword arguments of ``play_field``, but for the game.

        Raises:
            ConfigError: the rule set is none of the game for so many players.
        """
        config = rule_set(self.game, players, self.config)
        return {"deals": self.deals, "seed": self.seed, **config}


@dataclass(frozen=True)
class Report:
    """What a command found: for people, and as plain values."""

    print_table: Callable[[], None]
    values: dict[str, Any]

    def show(self, file: Path | None) -> None:
        """Print the table, and write the values to a file if there is one."""
        self.print_table()
        if file is not None:
            write_report(file, self.values)


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
    with _progress() as progress:
        result = play_field(
            options.game,
            options.load(specs),
            names=specs,
            specs=specs,
            progress=progress,
            **options.to_play(len(specs)),
        )
    return Report(lambda: tables.show_match(result), result.to_dict())


def run_against(
    specs: Sequence[str], fields: Sequence[str], players: int | None, options: Options
) -> Report:
    """One entrant among a field of each of some others."""
    if len(specs) != 1:
        raise ConfigError(f"--against is for one entrant, not {len(specs)}")
    players = DEFAULT_PLAYERS if players is None else players
    (entrant,), others = options.load(specs), options.load(fields)
    with _progress() as progress:
        results = play_against(
            options.game,
            entrant,
            others,
            players=players,
            names=[*specs, *fields],
            specs=[*specs, *fields],
            progress=progress,
            **options.to_play(players),
        )
    command = results[0].command_against(specs[0], fields)
    values = {"matches": [result.to_dict() for result in results], "command": command}
    return Report(lambda: tables.show_against(results, command), values)


def run_cross(specs: Sequence[str], players: int, options: Options) -> Report:
    """Each entrant among a field of each other one."""
    with _progress() as progress:
        table = cross_table(
            options.game,
            options.load(specs),
            field_size=players,
            names=specs,
            specs=specs,
            progress=progress,
            **options.to_play(players),
        )
    some = next(iter(table.matches.values()))
    seats = ["--players", str(players)]
    command = shlex.join(["sixth-env", "cross", *specs, *seats, *some.options])
    values = {**table.to_dict(), "command": command}
    return Report(lambda: tables.show_cross(table, command), values)


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """A progress bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("games")
        yield lambda done, total: bar.update(task, completed=done, total=total)
