"""The observation table: the one description of an observation's columns.

Spaces, documentation, tests, networks and foreign encoders are all made from it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Block:
    """A named run of integer columns that share bounds, scale and meaning.

    ``shape`` is how the columns read (row-major); ``unit`` tells what a value counts.
    The float column is ``integer * scale``.
    """

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    scale: float
    meaning: str

    @property
    def size(self) -> int:
        """Number of columns."""
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass(frozen=True)
class ObservationTable:
    """The blocks of an observation, in the order of its columns."""

    blocks: tuple[Block, ...]
    _starts: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts, position = {}, 0
        for block in self.blocks:
            starts[block.name] = position
            position += block.size
        object.__setattr__(self, "_starts", starts)

    @property
    def names(self) -> tuple[str, ...]:
        """The block names in column order."""
        return tuple(self._starts)

    @cached_property
    def size(self) -> int:
        """The number of columns, D."""
        return sum(block.size for block in self.blocks)

    def __getitem__(self, name: str) -> slice:
        """The columns of a block. Raises ``KeyError`` for an unknown name."""
        start = self._starts[name]
        return slice(start, start + self.block(name).size)

    def block(self, name: str) -> Block:
        """The block of that name. Raises ``KeyError`` for an unknown name."""
        return self.blocks[list(self._starts).index(name)]

    def start(self, name: str) -> int:
        """The first column of a block."""
        return self._starts[name]

    @cached_property
    def low(self) -> NDArray[np.int16]:
        """Smallest integer of each column, shape (D,)."""
        return self._columns([block.low for block in self.blocks], np.int16)

    @cached_property
    def high(self) -> NDArray[np.int16]:
        """Largest integer of each column, shape (D,)."""
        return self._columns([block.high for block in self.blocks], np.int16)

    @cached_property
    def scale(self) -> NDArray[np.float32]:
        """Float value of one integer unit of each column, shape (D,)."""
        return self._columns([block.scale for block in self.blocks], np.float32)

    @cached_property
    def hash(self) -> str:
        """A digest of names, shapes, bounds and scales; meanings may be reworded freely."""
        rows = [[b.name, list(b.shape), b.low, b.high, b.scale] for b in self.blocks]
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()

    def to_float(self, columns: NDArray[Any]) -> NDArray[np.float32]:
        """Integer columns (..., D) as the float32 observation of the RL interfaces."""
        return columns.astype(np.float32) * self.scale

    def to_int(self, observation: NDArray[Any]) -> NDArray[np.int16]:
        """The integer columns (..., D) of an observation; integers pass as they are."""
        if np.issubdtype(observation.dtype, np.integer):
            return np.ascontiguousarray(observation, dtype=np.int16)
        return np.rint(observation / self.scale).astype(np.int16)

    def to_dict(self) -> list[dict[str, Any]]:
        """The table as plain values, one entry a block, for cards and documentation."""
        return [
            {
                "name": b.name,
                "start": self.start(b.name),
                "shape": list(b.shape),
                "low": b.low,
                "high": b.high,
                "scale": b.scale,
                "meaning": b.meaning,
            }
            for b in self.blocks
        ]

    def to_markdown(self) -> str:
        """The table for the documentation."""
        lines = ["| columns | name | integer | scale | meaning |", "|---|---|---|---|---|"]
        for block in self.blocks:
            first = self.start(block.name)
            columns = str(first) if block.size == 1 else f"{first}-{first + block.size - 1}"
            shape = "" if len(block.shape) == 1 else f" ({' x '.join(map(str, block.shape))})"
            lines.append(
                f"| {columns} | `{block.name}`{shape} | {block.low} … {block.high}"
                f" | {block.scale:.4g} | {block.meaning} |"
            )
        return "\n".join(lines)

    def _columns(self, values: Sequence[float], dtype: Any) -> NDArray[Any]:
        sizes = [block.size for block in self.blocks]
        columns = np.repeat(np.asarray(values, dtype=dtype), sizes)
        columns.flags.writeable = False
        return columns
