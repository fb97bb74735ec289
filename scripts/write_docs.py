"""Write the generated parts of the documentation: the observation tables and the actions.

python scripts/write_docs.py
"""

from __future__ import annotations

import re
from pathlib import Path

from sixth_env.games import GAMES
from sixth_env.games.base import Game

DOCS = Path(__file__).parent.parent / "docs"
OBSERVATION, ONNX = DOCS / "observation.md", DOCS / "onnx.md"


def with_tables(text: str) -> str:
    """The page with every game's observation table between its markers."""
    for game in GAMES.values():
        table = (
            f"{game.table.size} columns, digest `{game.table.hash}`.\n\n{game.table.to_markdown()}"
        )
        text = _filled(text, f"table: {game.id}", table)
    return text


def with_actions(text: str) -> str:
    """The page with every game's action numbers between its markers."""
    for game in GAMES.values():
        text = _filled(text, f"actions: {game.id}", action_table(game))
    return text


def action_table(game: Game) -> str:
    """The action numbers as a Markdown table; actions that play a card share a line."""
    names = [game.action_name(action) for action in range(game.num_actions)]
    cards = [name.removeprefix("play ") for name in names if name.startswith("play ")]
    lines = ["| number | action |", "|---|---|"]
    lines.append(f"| 0-{len(cards) - 1} | play the card: {' '.join(cards)} |")
    lines += [f"| {n} | {name} |" for n, name in enumerate(names) if not name.startswith("play ")]
    if not cards:
        del lines[2]
    return "\n".join(lines)


def _filled(text: str, marker: str, content: str) -> str:
    """The text with what stands between the marker and its end replaced."""
    marked = f"<!-- {marker} -->\n{{}}<!-- end -->"
    new = marked.format(f"{content}\n")
    return re.sub(marked.format(".*?"), lambda _: new, text, flags=re.S)


if __name__ == "__main__":
    for page, fill in ((OBSERVATION, with_tables), (ONNX, with_actions)):
        page.write_text(fill(page.read_text(encoding="utf-8")), encoding="utf-8")
