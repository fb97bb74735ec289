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
Processes = Annotated[int, typer.Option(help="How many play at a time; no result changes.")]
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
    processes: Processes = 1,
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
        processes=processes,
    )
    if against:
        report = matches.run_against(entrants, against, players, options)
    else:
        report = matches.run_field(entrants, players, options)
    report.show(json)


@app.command()
def tournament(
    entrants: Entrants,
    players: Annotated[int, typer.Option(help="Seats at each table.")] = 4,
    game: Game = "sixth_card",
    deals: Deals = 1000,
    seed: Seed = 1,
    format: Annotated[
        str, typer.Option(help="table: mixed tables; field: each alone among each other one.")
    ] = "table",
    line_ups: Annotated[
        int | None, typer.Option(help="A balanced subset of so many line-ups.  [default: to 100]")
    ] = None,
    rotations: Annotated[
        int | None, typer.Option(help="Seat rotations of each line-up.  [default: all]")
    ] = None,
    until_settled: Annotated[
        bool, typer.Option("--until-settled", help="Stop once all differences are beyond chance.")
    ] = False,
    within: Annotated[
        float | None, typer.Option(help="Points that make no difference to --until-settled.")
    ] = None,
    rounds: Rounds = None,
    whole: Whole = False,
    row_choice: RowChoice = None,
    decks: Decks = None,
    target: Target = None,
    settings: Settings = None,
    processes: Processes = 1,
    file: Annotated[
        Path | None, typer.Option(help="Keep results in this file, and go on from what it holds.")
    ] = None,
    json: Json = None,
    markdown: Annotated[
        Path | None, typer.Option(help="Write the report to this file as Markdown, too.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write the report to this file as a page with plots, too.")
    ] = None,
) -> None:
    """Play many line-ups on the same deals: points, ratings, who beats whom, cycles."""
    from sixth_env.cli import matches

    matches.check_files(json, markdown, html, file)
    options = matches.Options(
        game=game,
        deals=deals,
        seed=seed,
        config=matches.rules_config(rounds, whole, row_choice, decks, target, settings),
        processes=processes,
    )
    more = matches.TournamentOptions(
        players, format, line_ups, rotations, until_settled, within, file
    )
    matches.run_tournament(entrants, options, more).show(json, markdown, html)


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
    processes: Processes = 1,
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
        processes=processes,
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
    games: Annotated[
        list[str] | None,
        typer.Option("--game", help="A game's id; may be repeated.  [default: all]"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A rough measurement in seconds.")] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Other libraries, too, where installed.")
    ] = False,
    json: Json = None,
) -> None:
    """Measure how many steps and decisions a second this machine makes."""
    from sixth_env import benchmark as benchmarks

    benchmarks.run(games or (), quick=quick, libraries=compare, json=json)


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


@app.command()
def exact(
    entrants: Annotated[
        list[str] | None, typer.Argument(help="Opponents to measure by perfect play.")
    ] = None,
    position: Annotated[
        Path | None, typer.Option(help="Solve the position in this JSON file instead.")
    ] = None,
    open_hands: Annotated[
        bool, typer.Option("--open-hands", help="Even if cards are left in the position's stock.")
    ] = False,
    game: Game = "sixth_card",
    deals: Annotated[int, typer.Option(help="A fixed sample of so many deals.")] = 100,
    every: Annotated[bool, typer.Option("--all", help="All deals instead of a sample.")] = False,
    seed: Seed = 1,
    samples: Annotated[
        int, typer.Option(help="Answers a position of an opponent that tells no probabilities.")
    ] = 1,
    row_choice: RowChoice = None,
    settings: Settings = None,
    json: Json = None,
) -> None:
    """Solve deals of two players with open hands; say how far opponents are from perfect play."""
    from sixth_env.cli import exacts, matches

    check_writable(json)
    if position is not None:
        exacts.position(position, open_hands).show(json)
        return
    config = matches.rules_config(None, False, row_choice, None, None, settings)
    del config["num_rounds"]  # exact games are of one round
    count = None if every else deals
    exacts.measure(entrants or [], game, count, seed, samples, config).show(json)


@app.command()
def suite(
    opponent: Annotated[
        str | None, typer.Argument(help="An opponent; see `sixth-env opponents`.")
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option(help="Its boards alone; may be repeated.  [default: all that it plays]"),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="The first deals of most fields, in minutes.")
    ] = False,
    out: Annotated[
        Path, typer.Option(help="Keep results and reports here; go on from what is there.")
    ] = Path("results"),
    name: Annotated[
        str | None, typer.Option(help="What to call the opponent.  [default: as typed]")
    ] = None,
    definition: Annotated[
        str, typer.Option("--suite", help="A suite's name, or a TOML file of your own.")
    ] = "v1",
    check: Annotated[
        Path | None,
        typer.Option(help="Play the deals of this result again, and say whether it is true."),
    ] = None,
    html: Annotated[bool, typer.Option("--html", help="Pages with plots, too.")] = False,
    processes: Processes = 1,
    games_at_once: Annotated[
        int, typer.Option(help="Played together; an interruption loses at most so many.")
    ] = 512,
) -> None:
    """Evaluate an opponent on a frozen set of fields and deals, or check a result."""
    from sixth_env.cli import suites

    options = suites.Options(definition, quick, processes, games_at_once)
    if check is not None:
        if not suites.check(check, opponent, options):
            raise typer.Exit(1)
    elif opponent is None:
        raise typer.BadParameter("expected an opponent, or --check and a result's file")
    else:
        suites.evaluate(opponent, name, game or [], out, html, options)


@app.command()
def leaderboard(
    folder: Annotated[Path, typer.Argument(help="Where the results are, in folders or not.")],
    definition: Annotated[
        str, typer.Option("--suite", help="A suite's name, or a TOML file of your own.")
    ] = "v1",
    html: Annotated[Path | None, typer.Option(help="Write a page with plots, too.")] = None,
) -> None:
    """Rank the results in a folder; writes the table to its README.md."""
    from sixth_env.cli import suites

    suites.rank(folder, definition, html)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.")] = 8000,
    opponent: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SPEC", help="Offer this opponent too; may be repeated."),
    ] = None,
    database: Annotated[
        Path | None, typer.Option(help="Keep hosted matches in this SQLite file.")
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(help="Let the pages of this origin use the API; may be repeated."),
    ] = None,
    decision_seconds: Annotated[
        float, typer.Option(help="Time limit of a decision; then a heuristic plays.")
    ] = 2.0,
    max_matches: Annotated[int, typer.Option(help="Hosted matches at a time.")] = 1000,
    processes: Annotated[
        int | None,
        typer.Option(help="Where requests with many views are decided.  [default: up to 4 cores]"),
    ] = None,
    warm_up: Annotated[bool, typer.Option(help="Compile everything before it is needed.")] = True,
) -> None:
    """Serve opponents and hosted matches over HTTP; see docs/server.md."""
    from sixth_env.cli import serving

    settings = {
        "opponents": tuple(opponent or ()),
        "database": database,
        "origins": tuple(origin or ()),
        "decision_seconds": decision_seconds,
        "max_matches": max_matches,
        "warm_up": warm_up,
    }
    if processes is not None:
        settings["processes"] = processes
    serving.serve(host, port, **settings)
