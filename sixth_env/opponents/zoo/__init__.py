"""The trained opponents that come with the package: ``<game>/<level>.onnx``, each with its card.

``sixth_env.load_opponent("sixth_card/strong")`` loads one. The files in a game's folder are the
list of its levels.
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

_SPEC = re.compile(r"(\w+)/(\w+)", re.ASCII)


def shipped_opponents(game: str) -> tuple[str, ...]:
    """What ships for a game, such as ``"sixth_card/strong"``, from the weakest up."""
    files = (FOLDER / game).glob("*.onnx")
    levels = sorted(file.stem for file in files)
    levels.sort(key=lambda level: LEVELS.index(level) if level in LEVELS else len(LEVELS))
    return tuple(f"{game}/{level}" for level in levels)


def shipped_file(spec: str) -> Path | None:
    """The file of a shipped opponent; ``None`` for what is none."""
    match = _SPEC.fullmatch(spec)
    if match is None or match[1] not in GAMES:
        return None
    file = FOLDER / match[1] / f"{match[2]}.onnx"
    return file if isfile(file) else None


def shipped_card(spec: str) -> OnnxCard:
    """The card of a shipped opponent, which needs no onnxruntime.

    Raises:
        OpponentError: nothing of that name ships, or its card is damaged.
    """
    from sixth_env.opponents.onnx import read_card

    file = shipped_file(spec)
    if file is None:
        raise OpponentError(f"there is no shipped opponent {spec!r}")
    return read_card(file.with_suffix(".json"))
