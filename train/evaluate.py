"""How strong an agent is: its matches against tables full of each of some opponents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from sixth_env.games.base import Game
from sixth_env.match.play import play_field
from sixth_env.match.result import MatchResult
from sixth_env.opponents import Opponent
from sixth_env.opponents.custom import resolve_opponent


def against_fields(
    agent: Opponent,
    fields: Sequence[str],
    game: Game,
    rules: dict[str, Any],
    deals: int,
    seed: int,
) -> list[MatchResult]:
    """One agent in all seats of tables that are otherwise full of one opponent, field by field.

    ``rules`` are the game's options; every field plays the same deals.
    """
    others = game.make_rules(rules).num_players - 1
    return [
        play_field(
            game.id,
            [agent] + [resolve_opponent(name, game.id)] * others,
            specs=[None] + [name] * others,
            deals=deals,
            seed=seed,
            **rules,
        )
        for name in fields
    ]


def margins(results: Sequence[MatchResult]) -> dict[str, float]:
    """The agent's points per round minus its opponents', by field; below zero is better."""
    return {result.entrants[1].name: result.difference(0).value for result in results}


def print_results(results: Sequence[MatchResult], checkpoint: Path) -> None:
    """The agent against each field as a table, and how to play against it."""
    first = results[0]
    table = Table(
        title=f"{first.entrants[0].name}: {first.deals:,} deals x {len(first.line_up)} seats,"
        f" points per round (fewer is better)"
    )
    table.add_column("at a table of")
    for heading in ("agent", "field", "difference [95 %]", "win share", "decisions/s"):
        table.add_column(heading, justify="right")
    for result in results:
        agent, field = result.entrants
        difference = result.difference(0)
        table.add_row(
            f"{field.seats} {field.name}",
            f"{result.points_per_round(0).value:.2f}",
            f"{result.points_per_round(1).value:.2f}",
            f"{difference.value:+.2f} [{difference.low:+.2f}, {difference.high:+.2f}]",
            f"{result.win_share(0).value:.1%}",
            f"{agent.speed:,.0f}",
        )
    console = Console(highlight=False, markup=False)
    console.print(table)
    rules = ", ".join(f"{rule}={value}" for rule, value in first.changed_rules.items())
    console.print(
        f"{first.game}, {first.deals} deals, seed {first.seed}, {first.games} games against each"
        f" field; rules: {rules or 'the defaults'}",
        soft_wrap=True,
    )
    console.print(f"checkpoint: {checkpoint}", soft_wrap=True)
    fields = [result.entrants[1].spec for result in results]
    known = [spec for spec in fields if spec is not None]
    if len(known) == len(fields):
        command = first.command_against(str(checkpoint), known)
        console.print(f"repeat with: {command}", soft_wrap=True)
