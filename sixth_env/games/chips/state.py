"""The records of Sixes, the chip game: one game, a rule set, and the story of a step.

A set of cards is one 64-bit word: bit c stands for card number c.
"""

from __future__ import annotations

import numpy as np

from sixth_env.games.chips.cards import NUM_CARDS, NUM_SUITS, SIX, SIX_OF_DIAMONDS
from sixth_env.games.chips.observation import TABLE
from sixth_env.games.chips.rules import MAX_PLAYERS

PLAY, OVER = 0, 1  # phases
PASS, WAIT = NUM_CARDS, NUM_CARDS + 1  # actions

_SUIT_STARTS = 1 << 30 | 1 << 20 | 1 << 10 | 1
ALL_CARDS = (1 << NUM_CARDS) - 1
FIRST_CARD = 1 << SIX_OF_DIAMONDS
SIXES = _SUIT_STARTS << SIX
OPENS_BELOW = _SUIT_STARTS * 0b0000111110  # 2-6: the card below comes next
OPENS_ABOVE = _SUIT_STARTS * 0b0111100000  # 6-Q: the card above comes next

STATE = np.dtype(
    [
        ("seed", "u8"),  # the stream's key: seed, game index, episode
        ("game", "i8"),
        ("episode", "i8"),
        ("laid", "i8"),  # cards on the table
        ("playable", "i8"),  # cards that whoever holds them can play now
        ("hands", "i8", (MAX_PLAYERS,)),
        ("lacks", "i8", (MAX_PLAYERS,)),  # cards that a seat's passes have shown it not to hold
        ("held", "i2", (MAX_PLAYERS,)),  # cards in each hand
        ("gains", "i2", (MAX_PLAYERS,)),  # the step's output: change of chips in it
        ("low", "i2", (NUM_SUITS,)),  # ends of the columns: 1 + rank, 0 if not begun
        ("high", "i2", (NUM_SUITS,)),
        ("totals", "i2", (MAX_PLAYERS,)),  # chips
        ("pot", "i2"),
        ("action", "i2"),  # the step's input: what the seat to act does
        ("phase", "i2"),
        ("to_act", "i2"),  # in phase OVER, who played last
        ("starter", "i2"),
        ("dealer", "i2"),
        ("round", "i2"),  # from 1
        ("pack", "u1", (NUM_CARDS,)),  # the cards being dealt
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("num_players", "i4"),
        ("starting_chips", "i4"),
        ("num_rounds", "i4"),  # 0: until somebody has no chips left
        ("max_rounds", "i4"),
        *[(f"at_{name}", "i4") for name in TABLE.names],  # first column of each block
    ],
    align=True,
)

# The story of one step, for environments; batches pass one that is off.
_ENTRIES = [(field, "i4", (8,)) for field in ("kind", "seat", "card", "value")]
LOG = np.dtype([("on", "i4"), ("count", "i4"), *_ENTRIES])

# Kinds of log entries (kind, seat, card or round, chips); what they mean is told by events.py.
LOG_PLAY, LOG_PASS, LOG_ROUND, LOG_MATCH, LOG_DEAL = 1, 2, 3, 4, 5
