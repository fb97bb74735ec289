"""The card of a checkpoint: what the network is, and whether it fits a game as it is now."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import Annotated, Any, Protocol

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from sixth_env.errors import CheckpointError
from sixth_env.games.table import ObservationTable

FORMAT_VERSION = 1

_LIBRARIES = ("torch", "numpy", "numba", "safetensors")


class GameLike(Protocol):
    """What a card needs to know of a game."""

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def table(self) -> ObservationTable: ...


def _plain(value: object) -> object:
    """``value`` as JSON gives it back (lists for tuples, numbers for NumPy scalars).

    Raises ``ValueError`` for NaN, infinities and anything JSON cannot hold.
    """

    def scalar(item: object) -> object:
        if isinstance(item, np.generic):
            return item.item()
        raise ValueError(f"{type(item).__name__} cannot be written as JSON")

    return json.loads(json.dumps(value, allow_nan=False, default=scalar))


Settings = Annotated[dict[str, Any], BeforeValidator(_plain)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Strict(BaseModel):
    """Frozen, and neither unknown keys nor values of another type get in."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Column(Strict):
    """A block of the observation table that the network was trained on."""

    name: str
    shape: tuple[int, ...]
    scale: float
    low: int
    high: int


class Card(Strict):
    """What a checkpoint is and how it was made. ``sha256`` is filled in by ``save``.

    ``network`` may hold ``"columns"``: the names of the observation blocks it reads, in order;
    without it the network reads the whole table.
    """

    format_version: int = FORMAT_VERSION
    game: str
    environment_version: int
    observation_table: tuple[Column, ...]
    observation_hash: str
    network: Settings
    training: Settings = Field(default_factory=dict)
    results: Settings = Field(default_factory=dict)
    library_versions: dict[str, str] = Field(default_factory=dict)
    sha256: Digest | None = None


def new_card(
    game: GameLike,
    *,
    network: Mapping[str, Any],
    training: Mapping[str, Any] | None = None,
    results: Mapping[str, Any] | None = None,
) -> Card:
    """A card for a network trained on ``game`` as it is now, with the library versions in use."""
    return Card(
        game=game.id,
        environment_version=game.version,
        observation_table=tuple(
            Column(name=b.name, shape=b.shape, scale=b.scale, low=b.low, high=b.high)
            for b in game.table.blocks
        ),
        observation_hash=game.table.hash,
        network=dict(network),
        training=dict(training or {}),
        results=dict(results or {}),
        library_versions={
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in _LIBRARIES},
        },
    )


def check_compatible(card: Card, game: GameLike) -> None:
    """Raises ``CheckpointError`` unless the network of ``card`` can read observations of ``game``.

    Blocks are looked up by name, so a table may gain blocks or change their order. A block that
    the network reads must still be there, with the shape and scale it was trained on.
    """
    if card.game != game.id:
        raise CheckpointError(
            f"the checkpoint was trained for the game {card.game!r}, not for {game.id!r}"
        )
    if card.environment_version != game.version:
        raise CheckpointError(
            f"the checkpoint was trained on version {card.environment_version} of {game.id!r},"
            f" but this is version {game.version}"
        )
    trained = {column.name: column for column in card.observation_table}
    for name in _blocks_read(card):
        if name not in trained:
            raise CheckpointError(f"the card says the network reads {name!r}, not in its own table")
        if name not in game.table.names:
            raise CheckpointError(
                f"the network reads the observation block {name!r}, which {game.id!r} no longer has"
            )
        was, now = trained[name], game.table.block(name)
        if (was.shape, was.scale) != (now.shape, now.scale):
            raise CheckpointError(
                f"the observation block {name!r} of {game.id!r} has shape {now.shape} and scale"
                f" {now.scale:g}, but the network was trained with {was.shape} and {was.scale:g}"
            )


def _blocks_read(card: Card) -> list[str]:
    """The names of all blocks that the network reads: columns, products and planes."""
    columns = card.network.get("columns") or [column.name for column in card.observation_table]
    pairs, planes = card.network.get("products", []), card.network.get("planes", [])
    for setting, names in (("columns", columns), ("products", pairs), ("planes", planes)):
        if not isinstance(names, list):
            raise CheckpointError(f"the card's network setting {setting!r} must be a list")
    names = [*columns, *planes]
    for pair in pairs:
        names += pair if isinstance(pair, list) else [pair]
    if not all(isinstance(name, str) for name in names):
        raise CheckpointError("the card's network settings must name observation blocks")
    return names
