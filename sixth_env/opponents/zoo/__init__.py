"""The trained opponents that come with the package, several levels of each game.

``sixth_env.load_opponent("sixth_card/strong")`` loads one. A game's folder has one network and a
card for each level, which says how that level plays it: ``sixth_card/network.onnx`` and
``sixth_card/strong.json``. ``python -m agents.levels`` of this project's checkout writes the cards.
"""

from __future__ import annotations

import re
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING

from sixth_env.errors import OpponentError
from sixth_env.games import GAMES

if TYPE_CHECKING:
    from sixth_env.opponents.onnx_card import OnnxCard

FOLDER = Path(__file__).parent
LEVELS = ("easy", "medium", "strong")

NETWORK, NETWORK_CARD = "network.onnx", "network.json"

_SPEC = re.compile(r"(\w+)/(\w+)", re.ASCII)


def shipped_opponents(game: str) -> tuple[str, ...]:
    """What ships for a game, such as ``"sixth_card/strong"``, from the weakest up."""
    levels = [file.stem for file in (FOLDER / game).glob("*.json")]
    found = [level for level in levels if shipped_files(f"{game}/{level}") is not None]
    found.sort(key=lambda level: (LEVELS.index(level) if level in LEVELS else len(LEVELS), level))
    return tuple(f"{game}/{level}" for level in found)


def shipped_files(spec: str) -> tuple[Path, Path] | None:
    """The network and the card of a shipped opponent; ``None`` for what is none."""
    match = _SPEC.fullmatch(spec)
    if match is None or match[1] not in GAMES:
        return None
    network = FOLDER / match[1] / NETWORK
    card = network.with_name(f"{match[2]}.json")
    known = card.name != NETWORK_CARD and isfile(card) and isfile(network)
    return (network, card) if known else None


def shipped_card(spec: str) -> OnnxCard:
    """The card of a shipped opponent, which needs no onnxruntime.

    Raises:
        OpponentError: nothing of that name ships, or its card is damaged.
    """
    from sixth_env.opponents.onnx import read_card

    files = shipped_files(spec)
    if files is None:
        raise OpponentError(f"there is no shipped opponent {spec!r}")
    return read_card(files[1])
