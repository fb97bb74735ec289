"""The benchmark itself: measure, print, write down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from sixth_env.benchmark.cases import cases
from sixth_env.benchmark.libraries import find_pairs, versions
from sixth_env.benchmark.measure import FULL, QUICK, Plan, Rate, rates
from sixth_env.benchmark.report import Report, Row, Versus, machine
from sixth_env.benchmark.training import measure_training
from sixth_env.games import GAMES, get_game
from sixth_env.report import check_writable, write_report


def run(
    games: Iterable[str] = (),
    *,
    quick: bool = False,
    libraries: bool = False,
    json: Path | None = None,
) -> Report:
    """Measure, print the report, and write it to a file if there is one.

    Args:
        games: ids; all games by default.
        quick: a rough measurement in seconds, without training.
        libraries: other libraries, too, each next to this package.
        json: a file for the report as JSON.

    Raises:
        ConfigError: no such game, or the file cannot be written.
    """
    check_writable(json)
    plan = QUICK if quick else FULL
    report = measure(games, plan, training=not quick)
    if libraries:
        report = report.joined(compare(plan))
    console = Console(highlight=False, markup=False)
    for table in report.tables():
        console.print(table)
    for note in report.notes():
        console.print(note, soft_wrap=True)
    if json is not None:
        write_report(json, report.to_dict())
    return report


def measure(games: Iterable[str] = (), plan: Plan = FULL, *, training: bool = False) -> Report:
    """Measure some games, all by default; see :class:`Plan`.

    ``training`` adds that of the checkout in the working folder, if there is one.
    """
    chosen = [get_game(game) for game in games] or list(GAMES.values())
    found = [case for game in chosen for case in cases(game, plan)]
    measured = rates([case.work for case in found], plan)
    rows = [
        Row(
            **asdict(Rate.of(repeats)),
            interface=case.interface,
            game=case.game,
            rules=case.rules,
            what=case.what,
            batch=case.batch,
        )
        for case, repeats in zip(found, measured, strict=True)
    ]
    left_out: dict[str, str] = {}
    if training:
        trained, left_out = measure_training([game.id for game in chosen])
        rows += [Row(**row) for row in trained]
    return Report(machine(), tuple(rows), left_out=left_out)


def compare(plan: Plan = FULL) -> Report:
    """Measure other libraries' games, each in turn with this package's; see ``libraries.py``."""
    pairs, missing = find_pairs()
    # Theirs, ours, theirs, ours: the two of a pair are neighbours in every repeat.
    found = rates([work for pair in pairs for work in (pair.their_work, pair.our_work)], plan)
    versus = [
        Versus.of(pair.library, pair.theirs, their, pair.ours, our)
        for pair, their, our in zip(pairs, found[::2], found[1::2], strict=True)
    ]
    return Report({**machine(), **versions()}, versus=tuple(versus), left_out=missing)
