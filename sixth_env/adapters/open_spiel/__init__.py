"""OpenSpiel: the four games as OpenSpiel games.

Importing this registers ``python_sixth_card`` and ``python_six_nimmt``, in which all choose a card
at once, ``python_sixth_card_sequential`` and ``python_six_nimmt_sequential``, in which they do so
one by one unseen by the others, ``python_sixes_chips`` and ``python_sixes_golf``.
"""

from __future__ import annotations

from sixth_env.adapters import require

require("pyspiel", extra="openspiel")

from sixth_env.adapters.open_spiel.games import (  # noqa: E402
    SixthEnvGame,
    SixthEnvState,
    register_games,
)
from sixth_env.adapters.open_spiel.native import NativeGame, native_game  # noqa: E402
from sixth_env.adapters.open_spiel.policies import (  # noqa: E402
    OpponentBot,
    OpponentPolicy,
    tabulate,
)

register_games()

__all__ = [
    "NativeGame",
    "OpponentBot",
    "OpponentPolicy",
    "SixthEnvGame",
    "SixthEnvState",
    "native_game",
    "tabulate",
]
