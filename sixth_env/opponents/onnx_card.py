"""The card of an exported opponent: what it is, what it reads, how it plays, how strong it is.

It is inside the ONNX file, as metadata under ``card``, and beside it as JSON with the file's
digest, for people and for programs that do not read ONNX metadata. The one beside it may call the
network otherwise and play it in another way: several cards make several opponents of one file.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sixth_env.errors import OpponentError
from sixth_env.games.base import Game

FORMAT_VERSION = 1
METADATA_KEY = "card"
MAX_CARD_BYTES = 4 << 20

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Size = Annotated[int, Field(ge=1, le=10_000)]


class _Strict(BaseModel):
    """Frozen, and neither unknown keys nor values of another type get in."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Columns(_Strict):
    """A block of the input ``observation``; see ``sixth_env.games.table.Block``."""

    name: str
    start: int = Field(ge=0)
    """its first column"""
    shape: tuple[Size, ...]
    low: int
    high: int
    scale: float
    """what the columns are multiplied by, inside the model, before the network reads them"""
    meaning: str

    @property
    def size(self) -> int:
        """Number of columns."""
        return int(np.prod(self.shape, dtype=np.int64))


class PlayMode(_Strict):
    """How actions are chosen from logits."""

    greedy: bool = True
    """the action with the largest logit, or one drawn from the policy"""
    temperature: float = Field(default=1.0, ge=0.01, le=1000.0)
    """what the logits are divided by: above 1 the policy is flatter, and plays weaker"""
    top_p: float = Field(default=1.0, gt=0.0, le=1.0)
    """only the most probable actions that together have this probability are drawn"""


_OF_A_LEVEL = ("name", "description", "play", "strength", "sha256")


class OnnxCard(_Strict):
    """What an exported opponent is and how it was made."""

    format_version: int = FORMAT_VERSION
    name: str = Field(min_length=1, max_length=100)
    """for reports"""
    description: str = ""
    """one sentence for lists"""
    game: str
    environment_version: int
    observation_hash: str
    observation_table: tuple[Columns, ...]
    """all columns of the input ``observation``, in order"""
    reads: tuple[str, ...]
    """the blocks that the network makes use of; the columns of all others may be anything"""
    actions: tuple[str, ...]
    """the action names, in the order of the columns of ``action_mask`` and ``logits``"""
    play: PlayMode = PlayMode()
    """how it plays unless told otherwise"""
    strength: dict[str, Any] = {}
    """results by where they come from"""
    license: str = "MIT"
    training: dict[str, Any] = {}
    """the command that trained it, and its settings"""
    checkpoint_sha256: Digest
    """of the tensors that it was made from"""
    graph_sha256: Digest
    """of the network in the ONNX file, in its encoding there"""
    opset: int
    """version of the ONNX operators"""
    library_versions: dict[str, str] = {}
    sha256: Digest | None = None
    """of the ONNX file; only in the card beside it"""

    @model_validator(mode="after")
    def _table_is_whole(self) -> OnnxCard:
        start = 0
        for block in self.observation_table:
            if block.start != start:
                raise ValueError(f"the block {block.name!r} should start at column {start}")
            start += block.size
        missing = set(self.reads) - {block.name for block in self.observation_table}
        if missing:
            raise ValueError(f"it reads {min(missing)!r}, which is not in its observation table")
        return self

    def same_network(self, other: OnnxCard) -> bool:
        """Whether two cards differ in how their network is called, plays and was measured alone."""
        own, others = (card.model_dump(exclude=set(_OF_A_LEVEL)) for card in (self, other))
        return own == others

    @property
    def observation_size(self) -> int:
        """The number of columns of the input ``observation``."""
        return sum(block.size for block in self.observation_table)


def parse_card(text: str, where: str) -> OnnxCard:
    """A card from JSON; ``where`` is what to call it in errors.

    Raises:
        OpponentError: it is damaged, of another format or too large.
    """
    if len(text) > MAX_CARD_BYTES:
        raise OpponentError(f"the card of {where} has more than {MAX_CARD_BYTES >> 20} MiB")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise OpponentError(f"the card of {where} is damaged: it is not valid JSON") from None
    version = content.get("format_version") if isinstance(content, dict) else None
    if type(version) is int and version > FORMAT_VERSION:
        raise OpponentError(
            f"the card of {where} has format {version}, but this version of sixth_env reads up to"
            f" {FORMAT_VERSION}: upgrade to load it"
        )
    if type(version) is not int or version != FORMAT_VERSION:
        raise OpponentError(
            f"the card of {where} has the format_version {version!r}, not {FORMAT_VERSION}"
        )
    try:
        return OnnxCard.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "content"
        message = first["msg"].removeprefix("Value error, ")
        raise OpponentError(f"the card of {where} is damaged: {place}: {message}") from None


def check_fits(card: OnnxCard, game: Game, where: str) -> None:
    """Raises ``OpponentError`` unless the opponent of ``card`` can play ``game`` as it is now.

    Blocks are looked up by name, so the game's table may gain blocks or change their order. One
    that the network reads must still be there, with its shape and scale.
    """
    if card.game != game.id:
        raise OpponentError(f"{where} plays {card.game}, not {game.id}")
    if card.environment_version != game.version:
        raise OpponentError(
            f"{where} is for version {card.environment_version} of {game.id}, but this is version"
            f" {game.version}"
        )
    if len(card.actions) != game.num_actions:
        raise OpponentError(
            f"{where} knows {len(card.actions)} actions, but {game.id} has {game.num_actions}"
        )
    for block in card.observation_table:
        if block.name not in card.reads or _same(block, game):
            continue
        if block.name not in game.table.names:
            raise OpponentError(
                f"{where} reads the observation block {block.name!r}, which {game.id} no longer has"
            )
        now = game.table.block(block.name)
        raise OpponentError(
            f"{where} reads {block.name!r} of shape {block.shape} and scale {block.scale:g}, but in"
            f" {game.id} it has {now.shape} and {now.scale:g}"
        )


def column_sources(card: OnnxCard, game: Game) -> NDArray[np.int64] | None:
    """Where the game's observation has each input column, -1 where nowhere; None if all the same.

    Only columns that the network does not read are nowhere, see :func:`check_fits`.
    """
    sources = np.full(card.observation_size, -1)
    for block in card.observation_table:
        if _same(block, game):
            start = game.table.start(block.name)
            sources[block.start : block.start + block.size] = np.arange(start, start + block.size)
    return None if np.array_equal(sources, np.arange(game.table.size)) else sources


def _same(block: Columns, game: Game) -> bool:
    """Whether the game's observations still have the block."""
    if block.name not in game.table.names:
        return False
    now = game.table.block(block.name)
    return (block.shape, block.scale) == (now.shape, now.scale)
