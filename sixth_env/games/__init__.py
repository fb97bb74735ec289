"""The games of the family. :data:`GAMES` is the only list of them."""

from __future__ import annotations

from sixth_env.errors import ConfigError
from sixth_env.games.base import Game
from sixth_env.games.chips.game import SIXES_CHIPS
from sixth_env.games.golf.game import SIXES_GOLF
from sixth_env.games.rows.game import SIX_NIMMT, SIXTH_CARD

GAMES: dict[str, Game] = {
    game.id: game for game in (SIXTH_CARD, SIX_NIMMT, SIXES_CHIPS, SIXES_GOLF)
}


def get_game(game_id: str) -> Game:
    """The game of that id. Raises ``ConfigError`` that lists the known ones."""
    try:
        return GAMES[game_id]
    except (KeyError, TypeError):
        known = ", ".join(GAMES)
        raise ConfigError(f"unknown game {game_id!r}: expected one of {known}") from None
