"""The table as text, for ``render_mode="ansi"``, logs and terminals."""

from __future__ import annotations

from typing import TextIO

from sixth_env.games.cards import SUIT_SYMBOLS
from sixth_env.render import chips_text, golf_text, rows_text
from sixth_env.render.facts import View
from sixth_env.render.style import Style

# By game: the blocks of a picture, each a list of lines.
PAINTERS = {
    "sixth_card": rows_text.blocks,
    "six_nimmt": rows_text.blocks,
    "sixes_chips": chips_text.blocks,
    "sixes_golf": golf_text.blocks,
}


def supports_unicode(stream: TextIO) -> bool:
    """Whether the stream's encoding can carry the suit symbols ``♣♦♥♠`` and the middle dot."""
    try:
        ("".join(SUIT_SYMBOLS.values()) + "·").encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def text(view: View, *, unicode: bool = True, color: bool = False) -> str:
    """The table as aligned lines of text.

    ``view`` is a view or position of any game. Without ``unicode`` the result is pure ASCII
    (suits are the letters C, D, H, S); with ``color`` it carries ANSI escapes for red suits,
    warnings and winners. In the rows games a seat's total includes the round in progress.
    """
    blocks = PAINTERS[view["game"]](view, Style(unicode, color))
    return "\n\n".join("\n".join(block) for block in blocks if block)
