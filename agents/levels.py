"""Cards of the shipped opponents: how each level plays its game's network, and how strong it is.

    python -m agents.levels configs/zoo.toml

A level's card is that of the game's ``network.json``, which ``agents.export`` has written, with the
level's name, description and way of playing. How strong it is, is taken from results of the suite
for ``GAME/LEVEL``, where there are any. So the levels come about in three steps: cards without
results, results by ``sixth-env suite GAME/LEVEL --game GAME``, cards with results.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from agents.card import Strict
from sixth_env.errors import ConfigError, SixthEnvError
from sixth_env.games import GAMES
from sixth_env.match.players import fingerprint
from sixth_env.opponents import zoo
from sixth_env.opponents.onnx import read_card
from sixth_env.opponents.onnx_card import OnnxCard, PlayMode
from sixth_env.report import write_text
from sixth_env.suite import SuiteResult, load_suite, read_result
from sixth_env.suite.run import file_name

Name = Annotated[str, Field(pattern=r"^\w+$")]


class Level(Strict):
    """One shipped opponent."""

    description: str = Field(min_length=1)
    """one sentence for lists"""
    play: PlayMode = PlayMode()


class Levels(Strict):
    """All shipped opponents."""

    suite: str
    """which suite tells how strong they are"""
    results: Path
    """the folder with its results, one folder for each board"""
    games: dict[Name, dict[Name, Level]]


def read_levels(file: Path) -> Levels:
    """The levels in a TOML file. Raises ``ConfigError`` that names file, key and fault."""
    try:
        levels = Levels.model_validate(tomllib.loads(file.read_text("utf-8")), strict=False)
    except (OSError, ValueError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        fault = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else error
        raise ConfigError(f"{file} does not describe levels: {fault}") from None
    for game in levels.games:
        if game not in GAMES:
            raise ConfigError(f"{file}: there is no game {game!r}")
    return levels


def write_cards(levels: Levels) -> list[OnnxCard]:
    """Write the card of every level; gives them.

    Raises:
        ConfigError: a result is of another opponent than the level is now.
        OpponentError: a game has no network, or its card is damaged.
    """
    cards = []
    for game, by_name in levels.games.items():
        network = read_card(zoo.FOLDER / game / zoo.NETWORK_CARD)
        for name, level in by_name.items():
            card = network.model_copy(
                update={
                    "name": f"{game}/{name}",
                    "description": level.description,
                    "play": level.play,
                    "strength": {},
                }
            )
            file = zoo.FOLDER / game / f"{name}.json"
            _write(file, card)  # before its results are looked at: they must be of this card
            strength = _strength(levels, card)
            if strength:
                card = card.model_copy(update={"strength": strength})
                _write(file, card)
            cards.append(card)
    return cards


def _write(file: Path, card: OnnxCard) -> None:
    write_text(file, card.model_dump_json(indent=2, exclude_none=True) + "\n")


def _strength(levels: Levels, card: OnnxCard) -> dict[str, Any]:
    """What the suite says about a level, by board; the full size where there is one."""
    suite = load_suite(levels.suite)
    found = {}
    for board in suite.of_games([card.game]):
        for ending in (".json", ".quick.json"):
            file = levels.results / board.id / f"{file_name(card.name)}{ending}"
            if file.is_file():
                found[board.id] = _figures(read_result(file), card, file)
                break
    return {"suite": suite.name, "digest": suite.digest, "boards": found} if found else {}


def _figures(result: SuiteResult, card: OnnxCard, file: Path) -> dict[str, Any]:
    if result.opponent.file != fingerprint(card.name):
        raise ConfigError(f"{file} is of an earlier {card.name}; repeat it: {result.command}")
    kept = {"players", "field", "deals", "games", "points", "field_points", "difference"}
    return {
        "size": "quick" if result.quick else "full",
        "unit": result.unit,
        "score": result.score.model_dump(),
        "decisions_per_second": round(result.decisions_per_second),
        "fields": [field.model_dump(include={*kept, "win_share"}) for field in result.fields],
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Write the cards; anything wrong ends the program with one line and exit code 1."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.levels", description="Write the cards of the shipped opponents."
    )
    parser.add_argument("levels", type=Path, help="their description, such as configs/zoo.toml")
    try:
        for card in write_cards(read_levels(parser.parse_args(argv).levels)):
            boards = card.strength.get("boards", {})
            print(f"{card.name}: {', '.join(boards) or 'no results of the suite yet'}")
    except SixthEnvError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
