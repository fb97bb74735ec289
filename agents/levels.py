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
from sixth_env.match.players import fingerprint_of
from sixth_env.opponents import zoo
from sixth_env.opponents.onnx import read_card
from sixth_env.opponents.onnx_card import OnnxCard, PlayMode
from sixth_env.report import write_text
from sixth_env.suite import Board, SuiteResult, load_suite, read_result
from sixth_env.suite.result import check_complete
from sixth_env.suite.run import result_stem

Name = Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]


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
    for game, by_name in levels.games.items():
        if game not in GAMES:
            raise ConfigError(f"{file}: there is no game {game!r}")
        if Path(zoo.NETWORK_CARD).stem in by_name:
            raise ConfigError(f"{file}: {zoo.NETWORK_CARD} is the card of the network, not a level")
    return levels


def write_cards(levels: Levels) -> list[OnnxCard]:
    """Write the cards of all levels, and remove those of former ones; gives the cards.

    Raises:
        ConfigError: a result is not one of the level as it is now; nothing has been written then.
        OpponentError: a game has no network, or its card is damaged.
    """
    cards = [
        _card(levels, read_card(zoo.FOLDER / game / zoo.NETWORK_CARD), f"{game}/{name}", level)
        for game, by_name in levels.games.items()
        for name, level in by_name.items()
    ]
    for game, by_name in levels.games.items():
        for file in (zoo.FOLDER / game).glob("*.json"):
            if file.name != zoo.NETWORK_CARD and file.stem not in by_name:
                file.unlink()
    for card in cards:
        text = card.model_dump_json(indent=2, exclude_none=True) + "\n"
        write_text(zoo.FOLDER / f"{card.name}.json", text)
    return cards


def _card(levels: Levels, network: OnnxCard, name: str, level: Level) -> OnnxCard:
    card = network.model_copy(
        update={"name": name, "description": level.description, "play": level.play}
    )
    return card.model_copy(update={"strength": _strength(levels, card)})


def _strength(levels: Levels, card: OnnxCard) -> dict[str, Any]:
    """What the suite says about a level, by board; the full size where there is one."""
    suite, found = load_suite(levels.suite), dict[str, Any]()
    for board in suite.of_games([card.game]):
        for quick in (False, True):
            file = levels.results / board.id / f"{result_stem(card.name, quick)}.json"
            if file.is_file():
                result = read_result(file)
                check_complete(result, suite, file)
                _check_own(result, board, quick, card, file)
                found[board.id] = _figures(result)
                break
    return {"suite": suite.name, "digest": suite.digest, "boards": found} if found else {}


def _check_own(result: SuiteResult, board: Board, quick: bool, card: OnnxCard, file: Path) -> None:
    """Raise ``ConfigError`` unless a result is of this level as it is now, and of this board."""
    if (result.board, result.quick) != (board.id, quick):
        raise ConfigError(f"{file} is of another board or size than its place says")
    network = zoo.FOLDER / card.game / zoo.NETWORK
    played = (result.opponent.name, result.opponent.spec, result.opponent.file)
    if played != (card.name, card.name, fingerprint_of(network, card.play)):
        raise ConfigError(f"{file} is not of {card.name} as it is now; repeat it: {result.command}")


def _figures(result: SuiteResult) -> dict[str, Any]:
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
