"""What the games' checks of saved records share.

The kernels index arrays by what a record holds and check no bounds, so no record from outside may
reach them unchecked. Each game tells of its own records: see ``check_records`` of its folder.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import PositionError


def expect(facts: NDArray[np.bool_], message: str) -> None:
    """Raise ``PositionError`` with the first of the games whose facts, (B, …), are not all true."""
    right = facts.reshape(len(facts), -1).all(axis=1)
    if not right.all():
        raise PositionError(f"saved game {int(right.argmin())}: {message}")


def expect_bounds(states: NDArray[np.void], **bounds: tuple[int, int]) -> None:
    """Each field lies between its two bounds, both included."""
    for name, (low, high) in bounds.items():
        values = states[name]
        expect((values >= low) & (values <= high), f"{name} must be from {low} to {high}")


def count_cards(cards: NDArray[np.uint8], counted: NDArray[np.bool_]) -> NDArray[Any]:
    """How often each byte is among the ``counted`` ones of ``cards``, both (B, N): (B, 256)."""
    places = 256 * np.nonzero(counted)[0] + cards[counted]
    return np.bincount(places, minlength=256 * len(cards)).reshape(-1, 256)
