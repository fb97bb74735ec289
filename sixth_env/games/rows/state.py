"""The records of the rows games: one game, a rule set, and the story of a step."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixth_env.games.rows.observation import rows_table
from sixth_env.games.rows.rules import MAX_DECK, MAX_HAND, MAX_PLAYERS, MAX_ROWS

CARD, ROW, OVER = 0, 1, 2  # phases
HAND_SLOTS = 16  # of which hands fill the first; a power of two is found by a shift
EMPTY = 255  # a hand slot without a card
LANE = 0x3FFF  # the bits of a row's key within its lane of 16
NO_ROWS = 0x3FFF3FFF3FFF3FFF  # the keys of rows not in use are above all cards


def state_type(ladder: int) -> np.dtype[np.void]:
    """The record of one game with ``ladder`` different cards.

    Small types in the order of use: what a step touches should fill few cache lines. The ladder is
    part of the type so that the loops over it have a length that the compiler knows.
    """
    fields: list[tuple[Any, ...]] = [
        ("seed", "u8"),  # the stream's key: seed, game index, episode
        ("game", "i8"),
        ("episode", "i8"),
        ("round", "i4"),  # from 1
        ("turn", "i2"),  # from 1
        ("phase", "i2"),
        ("dealer", "i2"),
        ("held", "i2"),  # cards in every hand
        ("next", "i2"),  # position in `revealed` of the next card to place
        ("choices", "i2"),  # phase ROW: bit set of the rows that the chooser may take
        ("row_keys", "i8"),  # four lanes of 16 bits, one a row: see `play`
        ("row_points", "i2", (MAX_ROWS,)),
        ("row_size", "i2", (MAX_ROWS,)),
        ("rows", "u1", (MAX_ROWS, 8)),  # card indices in order
        ("actions", "i2", (MAX_PLAYERS,)),  # the step's input: an action for each seat
        ("gains", "i2", (MAX_PLAYERS,)),  # the step's output: minus the points taken in it
        ("slots", "i2", (MAX_PLAYERS,)),  # where the committed card is in the hand
        ("revealed", "i2", (MAX_PLAYERS,)),  # in placing order: card * 16 + order of the seat
        ("slot", "u1", (ladder,)),  # where the card was last put in a hand: see `find_card`
        ("seen", "u1", (ladder,)),  # copies of each card that have been face up this round
        ("hands", "u1", (MAX_PLAYERS, HAND_SLOTS)),  # in no order, then EMPTY
        ("played", "u1", (MAX_PLAYERS, MAX_HAND)),  # this round's cards by seat and turn
        ("totals", "i4", (MAX_PLAYERS,)),  # points of the rounds before
        ("points", "i2", (MAX_PLAYERS,)),  # points taken this round
        ("taker", "u1", (2, ladder)),  # 1 + seat that took a copy of the card this round
        ("pack", "u1", (MAX_DECK,)),  # the cards being dealt
    ]
    return np.dtype(fields, align=True)


RULES = np.dtype(
    [
        ("num_players", "i4"),
        ("decks", "i4"),
        ("cards", "i4"),
        ("hand_size", "i4"),
        ("rows", "i4"),
        ("row_length", "i4"),
        ("cheapest", "i4"),
        ("target_score", "i4"),  # 0: none
        ("num_rounds", "i4"),  # 0: to the target
        ("ladder", "i4"),  # cards of the game's whole ladder
        ("penalty", "i4", (MAX_DECK,)),
        *[(f"at_{name}", "i4") for name in rows_table(52).names],  # first column of each block
    ],
    align=True,
)

# The story of one step, for environments; batches pass one that is off.
_ENTRIES = [(field, "i4", (128,)) for field in ("kind", "seat", "card", "value")]
LOG = np.dtype([("on", "i4"), ("count", "i4"), *_ENTRIES])

# Kinds of log entries (kind, seat, card, row or points); what they mean is told by events.py.
LOG_REVEAL, LOG_DECISION, LOG_TAKE, LOG_PLACE, LOG_ROUND, LOG_MATCH, LOG_DEAL = 1, 2, 3, 4, 5, 6, 7
