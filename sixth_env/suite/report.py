"""A result of the suite for people: Markdown, and one HTML file with a plot."""

from __future__ import annotations

from sixth_env.match import plots
from sixth_env.match.document import Block, Code, Heading, Paragraph, Plot, Table
from sixth_env.match.pages import speed, text
from sixth_env.suite.result import Figure, SuiteResult

RULE = (
    "The score is the mean over the tables of the mean over each table's fields of the difference:"
    " points per round of the opponent, alone in the field, minus those of the field."
    " Below zero is better than the field, and lower is better."
)


def show(figure: Figure | None, digits: int = 2, sign: str = "") -> str:
    """A figure as "6.81 ±0.06"."""
    return "" if figure is None else text(figure.model_dump(), digits, sign)


def blocks(result: SuiteResult, *, drawn: bool) -> list[Block]:
    """The report's parts; the plot only if it is to be drawn."""
    size = "quick size" if result.quick else "full size"
    greedy = {None: "", True: " It takes its policy's most probable action.", False: ""}
    sampled = " It draws from its policy." if result.opponent.greedy is False else ""
    parts: list[Block] = [
        Heading(f"{result.title}: {result.opponent.name}", 1),
        Paragraph(
            f"Suite {result.suite} ({result.digest}), {size}. Counted: {result.unit}; ± is half of"
            f" a 95 % interval.{greedy[result.opponent.greedy]}{sampled}"
        ),
        Heading(f"Score {show(result.score, sign='+')}"),
        Paragraph(RULE),
        Table(
            ["players", "score"],
            [[str(p), show(result.table_score(p), sign="+")] for p in result.players],
        ),
    ]
    if drawn:
        parts.append(_plot(result))
    for players in result.players:
        parts += _table(result, players)
    return [*parts, *_foot(result)]


def _plot(result: SuiteResult) -> Plot:
    series = {
        f"{players} players": [
            next((_interval(f.difference) for f in result.at(players) if f.field == name), None)
            for name in result.names
        ]
        for players in result.players
    }
    drawing = plots.intervals(result.names, series, f"{result.unit}, minus the field's", zero=True)
    return Plot(drawing, "Left of zero the opponent is better than the field.")


def _interval(figure: Figure) -> plots.Interval:
    return figure.value, figure.low, figure.high


def _table(result: SuiteResult, players: int) -> list[Block]:
    rows = [
        [
            field.field,
            show(field.points),
            f"{field.field_points:.2f}",
            show(field.difference, sign="+"),
            show(field.win_share, 3),
            f"{field.deals:,}",
            f"{field.games:,}",
        ]
        for field in result.at(players)
    ]
    columns = ["field", "own", "the field's", "difference", "win share", "deals", "games"]
    return [Heading(f"{players} players"), Table(columns, rows)]


def _foot(result: SuiteResult) -> list[Block]:
    told = {**result.versions, **result.machine}
    facts = ", ".join(f"{name} {value}" for name, value in told.items() if value)
    return [
        Heading("Repeat"),
        Code(result.command),
        Paragraph(f"{speed(result.decisions_per_second)} decisions a second. {facts}."),
    ]
