"""The commands ``play`` and ``watch``: a match at the terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import typer

from sixth_env.cli.answers import help_for, label, menu, read_action, what_for
from sixth_env.cli.live import Decision, Json, LiveMatch
from sixth_env.cli.turn_stories import storyteller
from sixth_env.errors import ConfigError
from sixth_env.games import get_game
from sixth_env.opponents import ILLEGAL_VALUE, load_opponent
from sixth_env.opponents.base import Opponent
from sixth_env.opponents.custom import resolve_opponent
from sixth_env.opponents.monte_carlo import MonteCarloOpponent
from sixth_env.render.style import check_faces
from sixth_env.render.text import supports_unicode, text

ADVISER = "mc:200"  # who gives the hints
MAX_DELAY = 60  # seconds
MID_TURN = ("row", "reveal", "drawn", "knock")  # phases in which `watch` does not draw the table


class _QuitError(Exception):
    """The person wants to stop."""


def play(
    game: str,
    opponents: Sequence[str],
    seat: int,
    seed: int | None,
    config: dict[str, Any],
    faces: str | None = None,
) -> None:
    """Play against opponents at the terminal, to the end of the match or until "q"."""
    check_faces(game, faces)
    others: list[tuple[str, Opponent] | None] = list(_load(opponents, game))
    if not 0 <= seat <= len(others):
        raise ConfigError(f"seat must be from 0 to {len(others)}, not {seat}")
    players = [*others[:seat], None, *others[seat:]]
    match = LiveMatch(game, players, seed, config)
    _Session(match, seat, faces).run()


def default_opponents(game: str) -> list[str]:
    """Whom a person plays who names nobody: heuristics are listed from weak to strong."""
    return [*list(get_game(game).heuristics)[-2:], "mc:100"]


def watch(
    game: str,
    specs: Sequence[str],
    delay: float,
    seed: int | None,
    config: dict[str, Any],
    faces: str | None = None,
) -> None:
    """Show a match between opponents, with ``delay`` seconds after each turn."""
    check_faces(game, faces)
    if not 0 <= delay <= MAX_DELAY:
        raise ConfigError(f"delay must be from 0 to {MAX_DELAY} seconds, not {delay}")
    match = LiveMatch(game, list(_load(specs, game)), seed, config)
    screen = _Screen(match, faces)
    try:
        screen.start()
        while not match.over:
            if match.engine.position()["phase"] not in MID_TURN:
                screen.table(match.engine.position())
            screen.tell(match.step(_nobody))
            time.sleep(delay)
    except KeyboardInterrupt:
        typer.echo("\nStopped.")
    screen.end()


def _load(specs: Sequence[str], game: str) -> list[tuple[str, Opponent]]:
    return [(spec.strip(), resolve_opponent(spec.strip(), game)) for spec in specs]


def _nobody(decision: Decision) -> NoReturn:
    raise AssertionError(f"nobody sits at seat {decision.seat}")


class _Screen:
    """What is printed: plain letters for suits where the terminal has no symbols for them."""

    def __init__(self, match: LiveMatch, faces: str | None) -> None:
        self.faces = faces
        self.unicode = supports_unicode(sys.stdout)
        self.color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self.match = match
        self.person = match.players.index(None) if None in match.players else None
        names = [f"player_{s}" if player else "you" for s, player in enumerate(match.players)]
        self.teller = storyteller(match.engine.game.id, names, self.unicode, faces)

    def start(self) -> None:
        """Say who sits where, and deal."""
        seats = [player[0] if player else "you" for player in self.match.players]
        typer.echo(", ".join(f"player_{seat}: {name}" for seat, name in enumerate(seats)))
        self.tell(self.match.start())

    def tell(self, events: list[Json]) -> None:
        """Print what happened, as far as the person at the table, if there is one, may know it."""
        if self.person is not None:
            event_view = self.match.engine.game.notation.event_view
            events = [event_view(event, self.person) for event in events]
        for line in self.teller.tell(events):
            typer.echo(line)

    def table(self, view: Json) -> None:
        """Print the table."""
        picture = text(view, unicode=self.unicode, color=self.color, faces=self.faces)
        typer.echo(f"\n{picture}\n")

    def end(self) -> None:
        """Say why it ended, if no event did, and how to have the same deals again."""
        if self.match.cut_off:
            typer.echo("The match is cut off: nobody has won.")
        typer.echo(f"The seed was {self.match.seed}.")

    def menu(self, view: Json) -> None:
        """Print what the person may do, where that is more than a card to choose."""
        for line in menu(view, self.unicode):
            typer.echo(line)


class _Session:
    """A person at one seat of a match."""

    def __init__(self, match: LiveMatch, seat: int, faces: str | None) -> None:
        self.match, self.seat = match, seat
        self.screen = _Screen(match, faces)

    def run(self) -> None:
        """Play to the end, or until the person quits, at the end of input too."""
        try:
            self.screen.start()
            while not self.match.over:
                self.screen.tell(self.match.step(self._choose))
        except (_QuitError, EOFError, KeyboardInterrupt):
            typer.echo("\nGoodbye.")
        self.screen.end()

    def _view(self) -> Json:
        return self.match.engine.view(0, self.seat)

    def _choose(self, decision: Decision) -> int:
        """Ask until there is a legal answer."""
        view = self._view()
        self.screen.table(view)
        self.screen.menu(view)
        while True:
            answer = input(f"Your {what_for(view)} (? for help): ").strip()
            match answer.lower():
                case "":
                    continue
                case "q":
                    raise _QuitError
                case "?":
                    typer.echo(help_for(view, self.screen.unicode))
                case "h":
                    self._hint(decision)
                case "t":
                    self.screen.table(view)
                    self.screen.menu(view)
                case _:
                    try:
                        return read_action(view, answer)
                    except ValueError as error:
                        typer.echo(f"  {error}")

    def _hint(self, decision: Decision) -> None:
        """The legal actions, best first, with what they cost on average to the round's end."""
        game = self.match.engine.game
        adviser = load_opponent(ADVISER, game=game.id)
        assert isinstance(adviser, MonteCarloOpponent)
        seed = np.array([self.match.seed], np.uint64)
        values = adviser.action_values(decision.observation[None], decision.action_mask[None], seed)
        typer.echo(f"  Expected {game.unit} to the end of the round:")
        for action in np.argsort(-values[0], kind="stable"):
            if values[0, action] > ILLEGAL_VALUE:
                typer.echo(f"  {-values[0, action]:6.1f}  {label(game.action_name(int(action)))}")
