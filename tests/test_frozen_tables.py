"""The observation tables are a contract: checkpoints and foreign encoders rest on them."""

from __future__ import annotations

import pytest

from scripts.write_docs import OBSERVATION, with_tables
from sixth_env.games import GAMES

# A change here breaks every checkpoint and encoder made before: bump the game's version with it,
# and say so under "Breaking" in CHANGELOG.md.
FROZEN = {
    "sixth_card": (0, "1679a71847c6414a1aa2378c6fbbfbbc3be5cbbb9ecc12f172010555b96969bd"),
    "six_nimmt": (0, "e399382067f25563b10c0e8922c182825219e2e18bdfc5a8de08474e92869c8c"),
    "sixes_chips": (0, "d1693f9687c484ade547c18bfc41097c2720354129acec78030569103a4aca09"),
    "sixes_golf": (0, "791aae2d955aac60a0d02d276de0c7ed751d297f8c79239015b2672236cbf166"),
}


@pytest.mark.parametrize("game_id", GAMES)
def test_the_table_is_the_frozen_one(game_id: str) -> None:
    game = GAMES[game_id]
    assert (game.version, game.table.hash) == FROZEN[game_id]


def test_the_documentation_shows_the_tables_as_they_are() -> None:
    text = OBSERVATION.read_text(encoding="utf-8")
    assert text == with_tables(text), "run python scripts/write_docs.py"
