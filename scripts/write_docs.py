"""Write the generated parts of the documentation: the observation tables.

python scripts/write_docs.py
"""

from __future__ import annotations

import re
from pathlib import Path

from sixth_env.games import GAMES

OBSERVATION = Path(__file__).parent.parent / "docs" / "observation.md"


def with_tables(text: str) -> str:
    """The page with every game's table between its markers."""
    for game in GAMES.values():
        marked = f"<!-- table: {game.id} -->\n{{}}<!-- end -->"
        pattern = marked.format(".*?")
        table = (
            f"{game.table.size} columns, digest `{game.table.hash}`.\n\n{game.table.to_markdown()}"
        )
        text = re.sub(pattern, lambda _: marked.format(f"{table}\n"), text, flags=re.S)  # noqa: B023
    return text


if __name__ == "__main__":
    OBSERVATION.write_text(with_tables(OBSERVATION.read_text(encoding="utf-8")), encoding="utf-8")
