"""Write the generated parts of the documentation: observation tables, actions, strengths.

python scripts/write_docs.py
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sixth_env.games import GAMES
from sixth_env.games.base import Game
from sixth_env.opponents import shipped_opponents
from sixth_env.opponents.zoo import shipped_card

DOCS = Path(__file__).parent.parent / "docs"
OBSERVATION, ONNX = DOCS / "observation.md", DOCS / "onnx.md"
OPPONENTS = DOCS / "opponents.md"


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


def with_strengths(text: str) -> str:
    """The page with what the cards of the shipped opponents say, a table for each board."""
    boards: dict[str, dict[str, Any]] = {}
    for game in GAMES:
        for spec in shipped_opponents(game):
            for board, figures in shipped_card(spec).strength.get("boards", {}).items():
                boards.setdefault(board, {})[spec] = figures
    for board, by_opponent in boards.items():
        text = _filled(text, f"strength: {board}", strength_table(by_opponent))
    return text


def strength_table(by_opponent: dict[str, Any]) -> str:
    """Differences by opponent, number of players and field, as a Markdown table."""
    rows: dict[tuple[str, int], dict[str, str]] = {}
    for spec, figures in by_opponent.items():
        for field in figures["fields"]:
            shown = _difference(field["difference"])
            rows.setdefault((spec, field["players"]), {})[field["field"]] = shown
    most = max(rows.values(), key=len)  # the others lack some of its fields
    names = list(dict.fromkeys([*most, *(name for found in rows.values() for name in found)]))
    lines = [f"| opponent | players | {' | '.join(f'v {name}' for name in names)} |"]
    lines.append("|---|---:|" + "---:|" * len(names))
    lines += [
        f"| `{spec}` | {players} | {' | '.join(found.get(name, '') for name in names)} |"
        for (spec, players), found in rows.items()
    ]
    speeds = [f"`{spec}` {f['decisions_per_second']:,}" for spec, f in by_opponent.items()]
    return "\n".join([*lines, "", f"Decisions a second: {', '.join(speeds)}."])


def _difference(figure: dict[str, float]) -> str:
    """As "-1.23 ±0.45"; of an opponent that plays many deals, both sides are bounded."""
    return f"{figure['value']:+.2f} ±{(figure['high'] - figure['low']) / 2:.2f}"


def _filled(text: str, marker: str, content: str) -> str:
    """The text with what stands between the marker and its end replaced."""
    marked = f"<!-- {marker} -->\n{{}}<!-- end -->"
    new = marked.format(f"{content}\n")
    filled, found = re.subn(marked.format(".*?"), lambda _: new, text, flags=re.S)
    if found != 1:
        raise ValueError(f"the page has {found} parts {marker!r}, not one")
    return filled


if __name__ == "__main__":
    pages = ((OBSERVATION, with_tables), (ONNX, with_actions), (OPPONENTS, with_strengths))
    for page, fill in pages:
        page.write_text(fill(page.read_text(encoding="utf-8")), encoding="utf-8")
