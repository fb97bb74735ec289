"""Reinforcement-learning environments for the "six" family of card games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium

__version__ = "0.1.0"

if TYPE_CHECKING:
    from sixth_env import six_nimmt_v0, sixes_chips_v0, sixes_golf_v0, sixth_card_v0
    from sixth_env.batch import Batch, Step
    from sixth_env.engine import Engine
    from sixth_env.games import GAMES
    from sixth_env.notation import describe, determinize
    from sixth_env.opponents import Opponent, load_opponent

# Gymnasium finds these once this package is imported, or as "sixth_env:sixth_env/SixthCard-v0".
# Entry points are strings, so that nothing else is loaded before an environment is made.
for _name, _game in {
    "SixthCard": "sixth_card",
    "SixNimmt": "six_nimmt",
    "SixesChips": "sixes_chips",
    "SixesGolf": "sixes_golf",
}.items():
    if f"sixth_env/{_name}-v0" not in gymnasium.registry:
        gymnasium.register(
            f"sixth_env/{_name}-v0",
            entry_point="sixth_env.solo:SoloEnv",
            vector_entry_point="sixth_env.solo:SoloVectorEnv",
            kwargs={"game": _game},
        )

_EXPORTS = {
    "Batch": "sixth_env.batch",
    "Step": "sixth_env.batch",
    "Engine": "sixth_env.engine",
    "GAMES": "sixth_env.games",
    "Opponent": "sixth_env.opponents",
    "describe": "sixth_env.notation",
    "determinize": "sixth_env.notation",
    "load_opponent": "sixth_env.opponents",
}

_MODULES = ("six_nimmt_v0", "sixes_chips_v0", "sixes_golf_v0", "sixth_card_v0")

__all__ = [
    "GAMES",
    "Batch",
    "Engine",
    "Opponent",
    "Step",
    "__version__",
    "describe",
    "determinize",
    "load_opponent",
    "six_nimmt_v0",
    "sixes_chips_v0",
    "sixes_golf_v0",
    "sixth_card_v0",
]


def __getattr__(name: str) -> Any:
    """Load public names on first use, so that ``import sixth_env`` is quick."""
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"sixth_env.{name}")
    if name not in _EXPORTS:
        raise AttributeError(f"module 'sixth_env' has no attribute {name!r}")
    return getattr(importlib.import_module(_EXPORTS[name]), name)
