"""The table as text, for ``render_mode="ansi"``, logs and terminals."""

from __future__ import annotations

from typing import TextIO

from sixth_env.render import chips_text, golf_text, rows_text
from sixth_env.render.facts import View
from sixth_env.render.style import SYMBOLS, Style, check_faces

# By game: the blocks of a picture, each a list of lines.
PAINTERS = {
    "sixth_card": rows_text.blocks,
    "six_nimmt": rows_text.blocks,
    "sixes_chips": chips_text.blocks,
    "sixes_golf": golf_text.blocks,
}


def supports_unicode(stream: TextIO) -> bool:
    """Whether the stream's encoding can carry the symbols of all suits and the middle dot."""
    try:
        SYMBOLS.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def text(view: View, *, unicode: bool = True, color: bool = False, faces: str | None = None) -> str:
    """The table as aligned lines of text.

    ``view`` is a view or position of any game. Without ``unicode`` the result is pure ASCII
    (suits are the letters C, D, H, S); with ``color`` it carries ANSI escapes for red suits,
    warnings and winners. In the rows games a seat's total includes the round in progress. The
    ``faces`` "zsa" add a card's name in that deck to its number in 6 nimmt!: ``68(8◉)``.

    Raises:
        ConfigError: the game's cards have no such faces.
    """
    check_faces(view["game"], faces)
    blocks = PAINTERS[view["game"]](view, Style(unicode, color, faces))
    return "\n\n".join("\n".join(block) for block in blocks if block)
