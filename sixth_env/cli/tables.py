"""Reports and lists for people, printed with rich."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table

from sixth_env.games import GAMES, get_game
from sixth_env.match import Entrant, Estimate, MatchResult, Tournament
from sixth_env.opponents import EXACT, MONTE_CARLO
from sixth_env.opponents.zoo import shipped_card, shipped_opponents
from sixth_env.render.facts import plural
from sixth_env.render.text import supports_unicode

NOTE = "fewer is better; 95 % intervals from a bootstrap over deals."
WIDE = 1000  # columns: a table of figures is never squeezed, so that names and numbers stay whole


def _console(width: int | None = None) -> Console:
    return Console(highlight=False, markup=False, width=width)


def _table(*columns: str) -> Table:
    """A table whose first column is text and whose others are numbers."""
    table = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
    for index, column in enumerate(columns):
        justify: JustifyMethod = "right" if index else "left"
        table.add_column(column, justify=justify, no_wrap=True)
    return table


def number(estimate: Estimate, digits: int = 2, sign: str = "") -> str:
    """An estimate as "6.81 ±0.06", with the half of its interval if it has one.

    ``sign="+"`` shows the sign of a difference.
    """
    half = (estimate.high - estimate.low) / 2
    value = f"{estimate.value:{sign}.{digits}f}"
    if half == float("inf"):
        return value
    return f"{value} {'±' if supports_unicode(sys.stdout) else '+-'}{half:.{digits}f}"


def _speed(entrant: Entrant) -> str:
    """Decisions per second to three digits: "771k"."""
    for unit, suffix in ((1e6, "M"), (1e3, "k")):
        if entrant.speed >= unit:
            return f"{entrant.speed / unit:.3g}{suffix}"
    return f"{entrant.speed:.3g}"


def show_match(result: MatchResult) -> None:
    """One match: a line an entrant."""
    unit = get_game(result.game).unit
    table = _table("entrant", f"{unit}/round", "minus others'", "win share", "decisions/s")
    for index, entrant in enumerate(result.entrants):
        alone = len(result.entrants) == 1
        table.add_row(
            f"{entrant.name} x{entrant.seats}" if entrant.seats > 1 else entrant.name,
            number(result.points_per_round(index)),
            "" if alone else number(result.difference(index), sign="+"),
            number(result.win_share(index), 3),
            _speed(entrant),
        )
    _show([result], table, result.command)


def show_against(results: Sequence[MatchResult], command: str) -> None:
    """Matches of one entrant against several fields: a line a field."""
    unit = get_game(results[0].game).unit
    table = _table("field", f"own {unit}", "field's", "difference", "win share", "decisions/s")
    for result in results:
        own, other = result.entrants
        table.add_row(
            other.name,
            number(result.points_per_round(0)),
            number(result.points_per_round(1)),
            number(result.difference(0), sign="+"),
            number(result.win_share(0), 3),
            f"{_speed(own)} / {_speed(other)}",
        )
    _show(results, table, command)


def show_tournament(table: Tournament, command: str) -> None:
    """A line an entrant, best first; then who beats whom."""
    unit = get_game(table.results[0].game).unit
    order = sorted(range(len(table.names)), key=lambda i: table.points_per_round(i).value)
    rated = find_spec("openskill") is not None
    shown = _table("entrant", f"{unit}/round", "rating", "win share", "decisions/s")
    for index in order:
        shown.add_row(
            table.names[index],
            number(table.points_per_round(index)),
            number(table.rating(index), 1) if rated else "-",
            number(table.win_share(index), 3),
            _speed(table.entrant(index)),
        )
    _show(table.results, shown, None)
    _show_pairs(table, order)
    console = _console()
    if not rated:
        console.print("Ratings need openskill: pip install 'sixth_env[bench]'")
    if table.settling is not None:
        console.print(_how_settled(table), soft_wrap=True)
    console.print(f"Repeat with: {command}", soft_wrap=True)


def show_cross(table: Tournament, command: str) -> None:
    """Differences of each entrant (rows) alone among each other one (columns), and cycles."""
    _show(table.results, None, None)
    _show_pairs(table, range(len(table.names)))
    _console().print(f"Repeat with: {command}", soft_wrap=True)


def _show_pairs(table: Tournament, order: Sequence[int]) -> None:
    alone = table.format == "field"
    shown = _table("alone \\ field" if alone else "minus", *(table.names[b] for b in order))
    for a in order:
        cells = [_cell(table.difference(a, b)) if a != b else "" for b in order]
        shown.add_row(table.names[a], *cells)
    _console(WIDE).print(shown)
    console = _console()
    whom = "the field around it" if alone else "the column's, at the tables where both sat"
    console.print(f"* beyond chance. A row's entrant minus {whom}.", soft_wrap=True)
    for cycle in table.cycles:
        console.print(f"CYCLE: {' beats '.join([*cycle, cycle[0]])}", style="bold red")
    if not table.cycles:
        console.print("No cycle is beyond chance.")


def _cell(estimate: Estimate | None) -> str:
    if estimate is None:
        return "never met"
    return number(estimate, sign="+") + ("*" if estimate.significant else " ")


def _how_settled(table: Tournament) -> str:
    """How the rule for stopping early ended, in words."""
    rule = table.settling
    assert rule is not None
    within = f" or within {rule.within:g}" if rule.within else ""
    found = "Settled" if table.settled else "Not settled"
    return (
        f"{found} after {table.deals} of at most {rule.deals} deals: differences have intervals of"
        f" {100 * rule.confidence:.4g} %, so that all of them hold at all {len(rule.looks)} looks"
        f" in at least 95 % of tournaments; one is settled once it is beyond chance{within}."
    )


def _show(results: Sequence[MatchResult], table: Table | None, command: str | None) -> None:
    console = _console()
    console.print(_headline(results), soft_wrap=True)
    if table is not None:
        _console(WIDE).print(table)
    console.print(f"{get_game(results[0].game).unit.capitalize()}, {NOTE}")
    if command is not None:
        console.print(f"Repeat with: {command}", soft_wrap=True)


def _headline(results: Sequence[MatchResult]) -> str:
    """What was played: "Sixth Card, 4 players: 1000 deals in 4 rotations, …"."""
    first = results[0]
    games = sum(result.games for result in results)
    rounds = sum(int(result.rounds.sum()) for result in results)
    line_ups = f" of {len(results)} line-ups" if len(results) > 1 else ""
    return (
        f"{get_game(first.game).title}, {len(first.line_up)} players:"
        f" {plural(first.deals, 'deal')} in {plural(len(first.rotations), 'rotation')}{line_ups},"
        f" {games} games, {plural(rounds, 'round')}, seed {first.seed}"
    )


def show_games() -> None:
    """The games by id."""
    table = _table("game", "title", "players")
    for game in GAMES.values():
        table.add_row(game.id, game.title, f"2-{game.max_players}")
    _console().print(table)


def show_opponents(game: str) -> None:
    """The built-in opponents of a game, and how others are named."""
    others = {
        "FILE.onnx": "An exported network; ?sampled, ?temperature=2 or ?top_p=0.9 may follow.",
        "FOLDER": "A checkpoint; the same as agents:FOLDER. FOLDER?sampled draws from its policy.",
        "MODULE:ARGUMENT": "Your own: MODULE.load(ARGUMENT), of a module in this folder too.",
        "subprocess:COMMAND": "A program that answers a JSON line for each decision.",
        "http://…": "A server that answers POST /v1/act, such as `sixth-env serve`.",
    }
    table = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
    table.add_column("opponent", no_wrap=True)
    table.add_column("what it does")
    table.add_row("random", "Play uniformly among the legal actions.")
    for name, cost in get_game(game).heuristics.items():
        table.add_row(name, (cost.__doc__ or "").strip().partition("\n")[0])
    table.add_row(MONTE_CARLO, "Monte Carlo: that many random playouts for each legal action.")
    if get_game(game).simultaneous:
        table.add_row(EXACT, "Perfect play where nothing is hidden: two players, exact_deck.")
    for spec in shipped_opponents(game):
        table.add_row(spec, shipped_card(spec).description)
    for name, meaning in others.items():
        table.add_row(name, meaning)
    _console().print(table)
