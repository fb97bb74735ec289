"""Checks of configuration values that every game's rules share."""

from __future__ import annotations

import numpy as np

from sixth_env.errors import ConfigError


def whole_number(name: str, value: object, low: int, high: int) -> int:
    """The value as an int; raises ``ConfigError`` unless it is a whole number in [low, high]."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ConfigError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
    if not low <= value <= high:
        raise ConfigError(f"{name} must be from {low} to {high}, not {value}")
    return int(value)
