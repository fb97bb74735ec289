"""The commands and their options."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sixth_env import __version__
from sixth_env.errors import SixthEnvError
from sixth_env.report import check_writable

app = typer.Typer(
    name="sixth-env",
    help='Card games of the "six" family: matches between opponents, and play at the terminal.',
    epilog="Opponents: see `sixth-env opponents`.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Game = Annotated[str, typer.Option(help="A game's id; see `sixth-env games`.")]
Deals = Annotated[int, typer.Option(help="Up to 1,000,000; each is played in all rotations.")]
Seed = Annotated[int, typer.Option(help="Seed of the deals and of the opponents' randomness.")]
FreeSeed = Annotated[int | None, typer.Option(help="Seed of the match; drawn if left out.")]
Rounds = Annotated[int | None, typer.Option(help="Rounds in each game.  [default: 1]")]
MatchRounds = Annotated[int | None, typer.Option(help="Rounds to play, instead of to the target.")]
Whole = Annotated[bool, typer.Option("--whole", help="Play whole matches, to the target score.")]
RowChoice = Annotated[
    str | None, typer.Option(help="Who chooses a row: player, or always the cheapest.")
]
Decks = Annotated[int | None, typer.Option(help="1 or 2 decks; by default by the players.")]
Target = Annotated[int | None, typer.Option(help="Points that end a whole match.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="RULE=VALUE", help="Any other rule, such as hand_size=5."),
]
Faces = Annotated[
    str | None, typer.Option(help="zsa: show the cards of 6 nimmt! as those of a ZSA deck.")
]
Json = Annotated[
    Path | None, typer.Option("--json", help="Write the report to this file as JSON, too.")
]
Entrants = Annotated[list[str], typer.Argument(help="Opponents; see `sixth-env opponents`.")]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; an error on purpose is one sentence and exit code 2."""
    try:
        app(arguments)
    except SixthEnvError as error:
        print(f"sixth-env: {error}", file=sys.stderr)
        sys.exit(2)


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and stop.", is_eager=True)
    ] = False,
) -> None:
    if version:
        typer.echo(f"sixth_env {__version__}")
        raise typer.Exit


@app.command()
def match(
    entrants: Entrants,
    against: Annotated[
        list[str] | None,
        typer.Option(help="Play one entrant among a field of this opponent; may be repeated."),
    ] = None,
    game: Game = "sixth_card",
    deals: Deals = 1000,
    seed: Seed = 1,
    rounds: Rounds = None,
    whole: Whole = False,
    players: Annotated[
        int | None, typer.Option(help="Seats; needed with --against only.  [default: 4]")
    ] = None,
    row_choice: RowChoice = None,
    decks: Decks = None,
    target: Target = None,
    settings: Settings = None,
    json: Json = None,
) -> None:
    """Play opponents against each other on equal deals, in all seat rotations."""
    from sixth_env.cli import matches

    check_writable(json)
    options = matches.Options(
        game=game,
        deals=deals,
        seed=seed,
        config=matches.rules_config(rounds, whole, row_choice, decks, target, settings),
    )
    if against:
        report = matches.run_against(entrants, against, players, options)
    else:
        report = matches.run_field(entrants, players, options)
    report.show(json)


@app.command()
def cross(
    entrants: Entrants,
    game: Game = "sixth_card",
    deals: Deals = 1000,
    seed: Seed = 1,
    rounds: Rounds = None,
    whole: Whole = False,
    players: Annotated[int, typer.Option(help="Seats at each table.")] = 4,
    row_choice: RowChoice = None,
    decks: Decks = None,
    target: Target = None,
    settings: Settings = None,
    json: Json = None,
) -> None:
    """Play each opponent alone among each other one; say who beats whom, and flag cycles."""
    from sixth_env.cli import matches

    check_writable(json)
    options = matches.Options(
        game=game,
        deals=deals,
        seed=seed,
        config=matches.rules_config(rounds, whole, row_choice, decks, target, settings),
    )
    matches.run_cross(entrants, players, options).show(json)


@app.command()
def play(
    opponents: Annotated[
        str | None,
        typer.Option(help="Whom to play, separated by commas.  [default: strong built-in ones]"),
    ] = None,
    seat: Annotated[int, typer.Option(help="Your seat, from 0.")] = 0,
    game: Game = "sixth_card",
    seed: FreeSeed = None,
    rounds: MatchRounds = None,
    row_choice: RowChoice = None,
    decks: Decks = None,
    target: Target = None,
    settings: Settings = None,
    faces: Faces = None,
) -> None:
    """Play a match at the terminal."""
    from sixth_env.cli import matches, terminal

    config = matches.rules_config(rounds, rounds is None, row_choice, decks, target, settings)
    others = opponents.split(",") if opponents else terminal.default_opponents(game)
    terminal.play(game, others, seat, seed, config, faces)


@app.command()
def watch(
    entrants: Entrants,
    delay: Annotated[float, typer.Option(help="Seconds to wait after each turn.")] = 0.5,
    game: Game = "sixth_card",
    seed: FreeSeed = None,
    rounds: MatchRounds = None,
    row_choice: RowChoice = None,
    decks: Decks = None,
    target: Target = None,
    settings: Settings = None,
    faces: Faces = None,
) -> None:
    """Watch a match as text, all hands open."""
    from sixth_env.cli import matches, terminal

    config = matches.rules_config(rounds, rounds is None, row_choice, decks, target, settings)
    terminal.watch(game, entrants, delay, seed, config, faces)


@app.command()
def benchmark(
    quick: Annotated[bool, typer.Option("--quick", help="A rough measurement in seconds.")] = False,
    json: Json = None,
) -> None:
    """Measure how many steps and decisions a second this machine makes."""
    from sixth_env import benchmark as benchmarks

    benchmarks.run(quick=quick, json=json)


@app.command()
def games() -> None:
    """List the games."""
    from sixth_env.cli import tables

    tables.show_games()


@app.command()
def opponents(game: Game = "sixth_card") -> None:
    """List the built-in opponents of a game, and how to name your own."""
    from sixth_env.cli import tables

    tables.show_opponents(game)
