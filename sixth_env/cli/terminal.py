"""The commands ``play`` and ``watch``: a match at the terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import typer

from sixth_env.cli.live import Decision, Json, LiveMatch
from sixth_env.cli.story import Storyteller
from sixth_env.errors import ConfigError
from sixth_env.games.cards import ladder_index, ladder_name
from sixth_env.opponents import ILLEGAL_VALUE, load_opponent
from sixth_env.opponents.base import Opponent
from sixth_env.opponents.custom import resolve_opponent
from sixth_env.opponents.monte_carlo import MonteCarloOpponent
from sixth_env.render.text import supports_unicode, text

ADVISER = "mc:200"  # who gives the hints

HELP = """\
  7S, 7♠, 10h    play that card (6 nimmt!: its number)
  1, 2, 3, ...   a row, when you have to choose one; else a card by its place in your hand
  h              hint: the expected points of each choice
  t              the table once more
  ?              this help
  q              quit"""


class _QuitError(Exception):
    """The person wants to stop."""


def play(
    game: str, opponents: Sequence[str], seat: int, seed: int | None, config: dict[str, Any]
) -> None:
    """Play against opponents at the terminal, to the end of the match or until "q"."""
    others: list[tuple[str, Opponent] | None] = list(_load(opponents, game))
    if not 0 <= seat <= len(others):
        raise ConfigError(f"seat must be from 0 to {len(others)}, not {seat}")
    players = [*others[:seat], None, *others[seat:]]
    match = LiveMatch(game, players, seed, config)
    _Session(match, seat).run()


def watch(
    game: str, specs: Sequence[str], delay: float, seed: int | None, config: dict[str, Any]
) -> None:
    """Show a match between opponents."""
    match = LiveMatch(game, list(_load(specs, game)), seed, config)
    screen = _Screen(match)
    try:
        screen.start()
        while not match.over:
            if match.engine.position()["phase"] == "card":
                screen.table(match.engine.position())
            screen.tell(match.step(_nobody))
            time.sleep(delay)
    except KeyboardInterrupt:
        typer.echo("\nStopped.")
    typer.echo(f"The seed was {match.seed}.")


def _load(specs: Sequence[str], game: str) -> list[tuple[str, Opponent]]:
    return [(spec.strip(), resolve_opponent(spec.strip(), game)) for spec in specs]


def _nobody(decision: Decision) -> NoReturn:
    raise AssertionError(f"nobody sits at seat {decision.seat}")


class _Screen:
    """What is printed: plain letters for suits where the terminal has no symbols for them."""

    def __init__(self, match: LiveMatch) -> None:
        self.unicode = supports_unicode(sys.stdout)
        self.color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self.match = match
        names = [f"player_{s}" if player else "you" for s, player in enumerate(match.players)]
        self.teller = Storyteller(names, self.unicode)

    def start(self) -> None:
        """Say who sits where, and deal."""
        seats = [player[0] if player else "you" for player in self.match.players]
        typer.echo(", ".join(f"player_{seat}: {name}" for seat, name in enumerate(seats)))
        self.tell(self.match.start())

    def tell(self, events: list[Json]) -> None:
        """Print what happened."""
        for line in self.teller.tell(events):
            typer.echo(line)

    def table(self, view: Json) -> None:
        """Print the table."""
        typer.echo("\n" + text(view, unicode=self.unicode, color=self.color) + "\n")


class _Session:
    """A person at one seat of a match."""

    def __init__(self, match: LiveMatch, seat: int) -> None:
        self.match, self.seat = match, seat
        self.screen = _Screen(match)

    def run(self) -> None:
        """Play to the end, or until the person quits, at the end of input too."""
        try:
            self.screen.start()
            while not self.match.over:
                self.screen.tell(self.match.step(self._choose))
        except (_QuitError, EOFError, KeyboardInterrupt):
            typer.echo("\nGoodbye.")
        typer.echo(f"The seed was {self.match.seed}.")

    def _view(self) -> Json:
        return self.match.engine.view(0, self.seat)

    def _choose(self, decision: Decision) -> int:
        """Ask until there is a legal answer."""
        view = self._view()
        self.screen.table(view)
        what = "row" if view["phase"] == "row" else "card"
        while True:
            answer = input(f"Your {what} (? for help): ").strip()
            match answer.lower():
                case "":
                    continue
                case "q":
                    raise _QuitError
                case "?":
                    typer.echo(HELP if self.screen.unicode else HELP.replace(" 7♠,", ""))
                case "h":
                    self._hint(decision)
                case "t":
                    self.screen.table(view)
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
        typer.echo("  Expected points to the end of the round:")
        for action in np.argsort(-values[0], kind="stable"):
            if values[0, action] > ILLEGAL_VALUE:
                typer.echo(f"  {-values[0, action]:6.1f}  {_label(game.action_name(int(action)))}")


def _label(action_name: str) -> str:
    """An action's name with rows counted from 1, as on the table."""
    if action_name.startswith("take row "):
        return f"take row {int(action_name.removeprefix('take row ')) + 1}"
    return action_name


def read_action(view: Json, answer: str) -> int:
    """The action that a person's answer means.

    Args:
        view: the person's view; ``"legal"`` lists what may be done.
        answer: a card, a card's place in the hand, or a row's number, both from 1.

    Raises:
        ValueError: it means nothing, or nothing legal; one sentence for the person.
    """
    legal: dict[str, int] = {entry["name"]: entry["action"] for entry in view["legal"]}
    if view["phase"] == "row":
        rows = [_label(name).removeprefix("take row ") for name in legal]
        if answer not in rows:
            raise ValueError(f"{answer!r} is not one of the rows {', '.join(rows)}.")
        return legal[f"take row {int(answer) - 1}"]
    card = _card(view, answer)
    if f"play {card}" not in legal:
        raise ValueError(f"{answer} is not in your hand.")
    return legal[f"play {card}"]


def _card(view: Json, answer: str) -> str:
    """The JSON name of the card that is meant."""
    hand = view["hands"][view["player"]]
    if answer.isdecimal():
        if isinstance(hand[0], int):
            return str(int(answer))
        if not 1 <= int(answer) <= len(hand):
            raise ValueError(f"Your hand has places 1 to {len(hand)}, not {answer}.")
        return str(hand[int(answer) - 1])
    if isinstance(hand[0], int):
        raise ValueError(f"{answer!r} is not a card: type its number.")
    try:
        return ladder_name(ladder_index(answer))
    except ValueError:
        raise ValueError(f"{answer!r} is not a card: type a rank and a suit, such as 7S.") from None
