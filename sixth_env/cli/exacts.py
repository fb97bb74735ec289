"""The command ``exact``: solve deals and positions, and measure opponents by perfect play."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from sixth_env.cli.matches import Report
from sixth_env.cli.progress import progress_bar
from sixth_env.cli.tables import WIDE
from sixth_env.errors import PositionError
from sixth_env.exact import Exploitability, Solution, Solved, exploitability, solve, solve_deals
from sixth_env.exact.deals import exact_rules
from sixth_env.games import get_game
from sixth_env.opponents.custom import resolve_opponent

Json = dict[str, Any]


# --- Opponents -----------------------------------------------------------------------------------


def measure(
    specs: Sequence[str],
    game: str,
    deals: int | None,
    seed: int,
    samples: int,
    config: Json,
) -> Report:
    """Values of the deals, and how far each opponent is from perfect play on them."""
    _, rules = exact_rules(game, **config)
    opponents = [resolve_opponent(spec, game) for spec in specs]
    with progress_bar("deals") as progress:
        solved = solve_deals(game, deals=deals, seed=seed, progress=progress, **config)
    results = []
    for spec, opponent in zip(specs, opponents, strict=True):
        with progress_bar(f"deals of {spec}") as progress:
            result = exploitability(
                opponent,
                game,
                deals=deals,
                seed=seed,
                samples=samples,
                against_exact=True,
                name=spec,
                progress=progress,
                **config,
            )
        results.append(result)
    command = _command(specs, game, deals, seed, samples, config)
    values = {
        "game": game,
        "rules": rules.to_dict(),
        "deals": len(solved.value),
        "seed": None if deals is None else seed,
        "values": _summary(solved),
        "opponents": [result.to_dict() for result in results],
        "command": command,
    }
    return Report(lambda: _show(values, results), values)


def _summary(solved: Solved) -> Json:
    """What the deals are worth, as plain numbers."""
    pure = (solved.strategy.max(axis=2) > 1 - 1e-9).all(axis=1)
    return {
        "mean": float(solved.value.mean()),
        "deviation": float(solved.value.std()),
        "pure": float(pure.mean()),
    }


def _command(
    specs: Sequence[str], game: str, deals: int | None, seed: int, samples: int, config: Json
) -> str:
    which = ["--all"] if deals is None else ["--deals", str(deals), "--seed", str(seed)]
    more = [] if samples == 1 else ["--samples", str(samples)]
    rules = [part for name, value in config.items() for part in ("--set", f"{name}={value}")]
    return shlex.join(["sixth-env", "exact", *specs, "--game", game, *which, *more, *rules])


def _show(values: Json, results: Sequence[Exploitability]) -> None:
    rules, of_deals = values["rules"], values["values"]
    title = get_game(values["game"]).title
    console = Console(highlight=False, markup=False)
    which = "all" if values["seed"] is None else f"seed {values['seed']}"
    console.print(
        f"{title}, 2 players, open hands: {rules['hand_size']} cards, {rules['rows']} rows,"
        f" row_choice {rules['row_choice']}; {values['deals']:,} deals ({which})",
        soft_wrap=True,
    )
    console.print(
        f"Value of a deal for seat 0: {of_deals['mean']:+.3f} on average, standard deviation"
        f" {of_deals['deviation']:.3f}; {of_deals['pure']:.0%} begin with a pure saddle point.",
        soft_wrap=True,
    )
    if results:
        table = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
        for index, column in enumerate(("opponent", "exploitability", "loss against exact")):
            table.add_column(column, justify="right" if index else "left", no_wrap=True)
        for result in results:
            table.add_row(result.name, _interval(result.exploitability), _interval(result.loss))
        _wide().print(table)
        console.print("Points a round, with 95 % intervals over deals; 0 is perfect play.")
    console.print(f"Repeat with: {values['command']}", soft_wrap=True)


def _wide() -> Console:
    """A table of figures is never squeezed, so that names and numbers stay whole."""
    return Console(highlight=False, markup=False, width=WIDE)


def _interval(estimate: Any) -> str:
    if estimate.high - estimate.low < 1e-9:  # all deals, or perfect play
        return f"{estimate.value:.3f}"
    if not np.isfinite(estimate.low):
        return f"{estimate.value:.3f} (one deal)"
    return f"{estimate.value:.3f} ({estimate.low:.3f} … {estimate.high:.3f})"


# --- Positions -----------------------------------------------------------------------------------


def position(file: Path, open_hands: bool) -> Report:
    """The solution of a position in a JSON file.

    Raises:
        PositionError: the file has no position, or one that cannot be solved.
    """
    try:
        given = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise PositionError(f"{file} is no position: {error}") from None
    solution = solve(given, open_hands=open_hands)
    values = {
        "value": solution.value,
        "players": [
            [
                {
                    "action": action,
                    "name": get_game(given["game"]).action_name(action),
                    "probability": solution.strategies[seat].get(action, 0.0),
                    "worth": worth,
                }
                for action, worth in solution.worth[seat].items()
            ]
            for seat in range(2)
        ],
    }
    return Report(lambda: _show_solution(values, solution), values)


def _show_solution(values: Json, solution: Solution) -> None:
    console = Console(highlight=False, markup=False)
    console.print(f"player_0 gains {solution.value:+.4f} points on player_1 to the round's end.")
    for seat, actions in enumerate(values["players"]):
        table = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
        for index, column in enumerate((f"player_{seat}", "probability", "worth")):
            table.add_column(column, justify="right" if index else "left", no_wrap=True)
        for entry in actions:
            table.add_row(entry["name"], f"{entry['probability']:.4f}", f"{entry['worth']:+.4f}")
        console.print(table)
