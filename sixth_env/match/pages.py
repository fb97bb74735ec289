"""Reports of matches and tournaments for people: Markdown, and one HTML file with plots.

They are made from plain values, those of ``to_dict()`` or of a JSON file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sixth_env.games import get_game
from sixth_env.match import document, plots
from sixth_env.match.document import Block, Code, Heading, Paragraph, Plot, Table

Report = Mapping[str, Any]

NOTE = "95 % intervals from a bootstrap over deals."


def write_markdown(file: Path, report: Report) -> None:
    """Write a report as Markdown, without plots.

    Args:
        file: to be written.
        report: of :meth:`~sixth_env.match.MatchResult.to_dict` or
            :meth:`~sixth_env.match.Tournament.to_dict`; a command and versions are shown if there.

    Raises:
        ConfigError: the file cannot be written.
    """
    document.write_markdown(file, blocks(report, drawn=False))


def write_html(file: Path, report: Report) -> None:
    """Write a report as one HTML file with plots, which needs no other file.

    Raises:
        ConfigError: the file cannot be written.
        MissingExtraError: matplotlib is not installed.
    """
    document.write_html(file, blocks(report, drawn=True))


def blocks(report: Report, *, drawn: bool) -> list[Block]:
    """The report's parts; plots only if they are to be drawn."""
    return [
        *_head(report),
        *_entrants(report, drawn),
        *_pairs(report, drawn),
        *_ratings(report, drawn),
        *_turns(report, drawn),
        *_seats(report),
        *_foot(report),
    ]


def text(figure: Report | None, digits: int = 2, sign: str = "") -> str:
    """A value with the half of its interval: "6.81 ±0.06"; "" for ``None``."""
    if figure is None or figure["value"] is None:
        return ""
    value = f"{figure['value']:{sign}.{digits}f}"
    if figure["low"] is None or figure["high"] is None:
        return value
    return f"{value} ±{(figure['high'] - figure['low']) / 2:.{digits}f}"


def speed(rate: float) -> str:
    """Decisions per second to three digits: "771k"; "" if unknown."""
    for unit, suffix in ((1e6, "M"), (1e3, "k")):
        if rate >= unit:
            return f"{rate / unit:.3g}{suffix}"
    return f"{rate:.3g}" if rate else ""


# --- Parts ----------------------------------------------------------------------------------------


def _head(report: Report) -> list[Block]:
    game = get_game(report["game"])
    players = report.get("players") or len(report["line_up"])
    usual = game.make_rules({"num_players": players}).to_dict()
    changed = {
        rule: value
        for rule, value in report["rules"].items()
        if value is not None and value != usual[rule]
    }
    rules = ", ".join(f"{rule} {value}" for rule, value in changed.items()) or "the default rules"
    met = {
        "table": "Mixed tables of all entrants.",
        "field": "Each entrant alone among each other one.",
    }.get(report.get("format", ""), "One line-up.")
    return [
        Heading(f"{game.title}, {players} players", 1),
        Paragraph(
            f"{met} {report['deals']:,} deals, {report['games']:,} games,"
            f" {report['rounds']:,} rounds; seed {report['seed']}; {rules}."
            f" Fewer {_unit(report)} are better; ± is half of {NOTE}"
        ),
    ]


def _unit(report: Report) -> str:
    return get_game(report["game"]).unit


def _entrants(report: Report, drawn: bool) -> list[Block]:
    entrants = report["entrants"]
    columns = {
        "entrant": [entrant["name"] for entrant in entrants],
        "seats": [str(entrant.get("seats") or "") for entrant in entrants],
        f"{_unit(report)}/round": [text(entrant["points_per_round"]) for entrant in entrants],
        "minus the others'": [text(e.get("difference"), sign="+") for e in entrants],
        "win share": [text(entrant["win_share"], 3) for entrant in entrants],
        "rating": [text(entrant.get("rating")) for entrant in entrants],
        "decisions/s": [speed(entrant["decisions_per_second"]) for entrant in entrants],
    }
    shown = {name: cells for name, cells in columns.items() if any(cells)}
    table = Table(list(shown), list(zip(*shown.values(), strict=True)))
    if not drawn:
        return [Heading("Points"), table]
    names = [entrant["name"] for entrant in entrants]
    label = f"{_unit(report)} per round, fewer is better"
    drawing = plots.intervals(
        names, {label: [_interval(e["points_per_round"]) for e in entrants]}, label
    )
    return [Heading("Points"), table, Plot(drawing, f"{_unit(report).capitalize()} per round.")]


def _pairs(report: Report, drawn: bool) -> list[Block]:
    if not report.get("differences"):
        return []
    names = [entrant["name"] for entrant in report["entrants"]]
    found = {(pair["entrant"], pair["other"]): pair for pair in report["differences"]}
    if report["format"] == "table":
        found |= {(b, a): _mirrored(pair) for (a, b), pair in found.items()}
    rows = [[a, *[_pair(found.get((a, b))) for b in names]] for a in names]
    what = (
        "Row: alone; column: the field around it."
        if report["format"] == "field"
        else "At the tables where both sat."
    )
    parts: list[Block] = [
        Heading("Pairs"),
        Paragraph(
            f"{what} {_unit(report).capitalize()} per round of the row's entrant minus those of"
            " the column's; below zero the row's is better; * beyond chance."
        ),
        Table(["", *names], rows),
    ]
    if drawn:
        values = [[found[a, b]["value"] if (a, b) in found else None for b in names] for a in names]
        sure = [[(a, b) in found and found[a, b]["significant"] for b in names] for a in names]
        drawing = plots.heat_map(names, names, values, sure, f"{_unit(report)} per round")
        parts.append(Plot(drawing, "Row minus column; blue: the row's entrant is better."))
    return [*parts, *_cycles(report)]


def _pair(pair: Report | None) -> str:
    return "" if pair is None else text(pair, sign="+") + ("*" if pair["significant"] else "")


def _mirrored(pair: Report) -> Report:
    """The same difference seen from the other side."""
    low, high = pair["low"], pair["high"]
    return {
        "value": -pair["value"],
        "low": None if high is None else -high,
        "high": None if low is None else -low,
        "significant": pair["significant"],
    }


def _cycles(report: Report) -> list[Block]:
    cycles = report.get("cycles", [])
    if not cycles:
        return [Paragraph("No cycle is beyond chance.")]
    told = "; ".join(" beats ".join([*cycle, cycle[0]]) for cycle in cycles)
    return [Paragraph(f"Cycles, so that no single order tells who is better: {told}.")]


def _ratings(report: Report, drawn: bool) -> list[Block]:
    rated = [entrant for entrant in report["entrants"] if entrant.get("rating")]
    if not rated or not drawn:
        return []
    label = "rating, higher is better"
    values = {label: [_interval(entrant["rating"]) for entrant in rated]}
    drawing = plots.intervals([entrant["name"] for entrant in rated], values, label)
    return [Heading("Ratings"), Plot(drawing, "Plackett-Luce ratings; everybody starts at 25.")]


def _turns(report: Report, drawn: bool) -> list[Block]:
    series = {e["name"]: e["points_by_turn"] for e in report["entrants"] if e.get("points_by_turn")}
    if not series:
        return []
    turns = range(1, 1 + max(map(len, series.values())))
    rows = [[name, *[f"{value:.2f}" for value in values]] for name, values in series.items()]
    parts: list[Block] = [
        Heading(f"{_unit(report).capitalize()} by turn"),
        Paragraph("Mean per round and seat in each turn of a round."),
        Table(["turn", *map(str, turns)], rows),
    ]
    if drawn:
        drawing = plots.lines(series, f"{_unit(report)} in the turn", "turn")
        parts.append(Plot(drawing, "In which turns the points are taken."))
    return parts


def _seats(report: Report) -> list[Block]:
    series = {entrant["name"]: entrant["points_by_seat"] for entrant in report["entrants"]}
    rows = [
        [name, *["" if value is None else f"{value:.2f}" for value in values]]
        for name, values in series.items()
    ]
    seats = range(max(len(row) for row in rows) - 1)
    return [
        Heading(f"{_unit(report).capitalize()} by seat"),
        Table(["seat", *map(str, seats)], rows),
    ]


def _foot(report: Report) -> list[Block]:
    parts: list[Block] = []
    if report.get("command"):
        parts += [Heading("Repeat"), Code(report["command"])]
    if report.get("versions"):
        told = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
        parts.append(Paragraph(f"{told}."))
    return parts


def _interval(figure: Report) -> plots.Interval:
    return figure["value"], figure["low"], figure["high"]
