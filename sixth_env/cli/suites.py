"""The commands ``suite`` and ``leaderboard``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from sixth_env.cli.progress import progress_bar
from sixth_env.errors import ConfigError
from sixth_env.match import document, plots
from sixth_env.match.document import Block, Heading, Paragraph, Table
from sixth_env.render.text import supports_unicode
from sixth_env.report import check_writable, write_text
from sixth_env.suite import Run, SuiteResult, leaderboard, load_suite, play_suite, read_result
from sixth_env.suite.check import DIFFERENT, SAME, WITHIN, Check, check_result
from sixth_env.suite.report import blocks, show
from sixth_env.suite.run import file_name, result_stem

WIDE = 1000  # columns: a table of figures is never squeezed


@dataclass(frozen=True)
class Options:
    """What both ways of the command ``suite`` share; see :class:`~sixth_env.suite.Run`."""

    suite: str
    quick: bool
    processes: int
    games_at_once: int


def evaluate(
    spec: str, name: str | None, games: Sequence[str], out: Path, html: bool, options: Options
) -> None:
    """Play an opponent's way through the suite; write a result and a report for each board."""
    suite = load_suite(options.suite)
    run = Run(
        suite,
        spec,
        name or spec,
        source=options.suite,
        games=tuple(games),
        quick=options.quick,
        processes=options.processes,
        games_at_once=options.games_at_once,
    )
    stem = file_name(run.name)
    if html:
        plots.check_available()
    left_out: list[str] = []
    _make_folder(out)
    with progress_bar() as progress:
        results = play_suite(
            run,
            out / f"{stem}.jsonl",
            progress=progress,
            finished=lambda result: _write(result, out / result.board, html),
            left_out=lambda board, why: left_out.append(f"{board.id} left out: {why}"),
        )
    for result in results:
        _print(blocks(result, drawn=False)[:5])
    for line in left_out:
        _say(line)
    _say(f"Results and reports are in {out}")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"no results can be kept in {folder}: {error.strerror}") from error


def _write(result: SuiteResult, folder: Path, html: bool) -> None:
    _make_folder(folder)
    stem = result_stem(result.opponent.name, result.quick)
    write_text(folder / f"{stem}.json", result.model_dump_json(indent=1) + "\n")
    document.write_markdown(folder / f"{stem}.md", blocks(result, drawn=False))
    if html:
        document.write_html(folder / f"{stem}.html", blocks(result, drawn=True))


def check(file: Path, spec: str | None, options: Options) -> bool:
    """Play a result's deals again and say whether it is true."""
    result, suite = read_result(file), load_suite(options.suite)
    with progress_bar() as progress:
        found = check_result(
            result,
            suite,
            file,
            spec=spec or "",
            quick=options.quick,
            processes=options.processes,
            games_at_once=options.games_at_once,
            progress=progress,
        )
    columns = ["field", "players", "deals", "claimed", "again", "verdict"]
    rows = [
        [
            *(field.field, str(field.players), str(field.deals)),
            *(show(field.claimed, sign="+"), show(field.again, sign="+"), field.verdict),
        ]
        for field in found.fields
    ]
    _print([Heading(f"{result.title}: {result.opponent.name}", 1), Table(columns, rows)])
    _say(_verdict(found))
    return found.verdict != DIFFERENT


def _verdict(found: Check) -> str:
    other = " The opponent's file is not the one of the result." if found.other_file else ""
    told = {
        SAME: "The result is true: every game brought the same points.",
        WITHIN: "The result agrees with these games within error; not all brought the same points.",
        DIFFERENT: "The result is NOT that of these games: differences are beyond chance.",
    }
    return told[found.verdict] + other


def rank(folder: Path, suite_name: str, html: Path | None) -> None:
    """Write the leaderboard of the results in a folder, and print it."""
    suite = load_suite(suite_name)
    results = leaderboard.read_folder(folder, suite)
    check_writable(html)
    if html is not None:
        plots.check_available()
    parts = leaderboard.blocks(results, suite, folder, drawn=False)
    document.write_markdown(folder / "README.md", parts)
    if html is not None:
        document.write_html(html, leaderboard.blocks(results, suite, folder, drawn=True))
    _print(parts)
    _say(f"Written to {folder / 'README.md'}")


def _print(parts: Sequence[Block]) -> None:
    """A document's headings, paragraphs and tables on standard output."""
    for part in parts:
        match part:
            case Heading(text) | Paragraph(text):
                _say(text)
            case Table(columns, rows):
                table = RichTable(box=box.SIMPLE, pad_edge=False, show_edge=False)
                for index, column in enumerate(columns):
                    table.add_column(column, justify="right" if index else "left", no_wrap=True)
                for row in rows:
                    table.add_row(*map(_plain, row))
                _console(WIDE).print(table)


def _say(text: str) -> None:
    _console().print(_plain(text), soft_wrap=True)


def _plain(text: str) -> str:
    return text if supports_unicode(sys.stdout) else text.replace("±", "+-")


def _console(width: int | None = None) -> Console:
    return Console(highlight=False, markup=False, width=width)
