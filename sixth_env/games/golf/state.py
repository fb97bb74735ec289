"""The records of the golf game: one game, a rule set, and the story of a step."""

from __future__ import annotations

import numpy as np

from sixth_env.games.golf.observation import golf_table
from sixth_env.games.golf.rules import MAX_PACK, MAX_PLAYERS, SLOTS

REVEAL, TURN, DRAWN, KNOCK, OVER = 0, 1, 2, 3, 4  # phases
NOBODY = -1  # no knocker, nobody out, no last turns
NO_CARD = 255

# Action numbers; those of slots are followed by five more.
TURN_UP, TAKE, DRAW, PUT, DISCARD, DO_KNOCK, END_TURN, WAIT = 0, 6, 12, 13, 19, 20, 21, 22

STATE = np.dtype(
    [
        ("seed", "u8"),  # the stream's key: seed, game index, episode
        ("game", "i8"),
        ("episode", "i8"),
        ("round", "i4"),  # from 1; 0 is the practice round
        ("turns", "i4"),  # turns taken this round
        ("phase", "i2"),
        ("dealer", "i2"),
        ("to_act", "i2"),
        ("action", "i2"),  # the step's input
        ("knocker", "i2"),  # a seat or NOBODY
        ("went_out", "i2"),
        ("last_turns", "i2"),  # turns to come, or NOBODY before somebody knocked or went out
        ("refilled", "i2"),
        ("drawn", "i2"),  # the card just drawn, or NO_CARD
        ("draw_size", "i2"),
        ("discard_size", "i2"),
        ("gains", "i2", (MAX_PLAYERS,)),  # the step's output: minus the points of a round's end
        ("hands", "u1", (MAX_PLAYERS, SLOTS)),  # card indices
        ("shown", "u1", (MAX_PLAYERS, SLOTS)),  # card index + 1 where face up, else 0
        # What may be where, as everybody knows it who has not just drawn a card: by rank, the
        # cards that the draw pile may hold (the drawn one with them), and that may lie face down.
        ("draw_ranks", "u1", (16,)),
        ("hidden_ranks", "u1", (16,)),
        ("discarded", "u1", (56,)),  # copies of each card in the discard pile
        ("draw_known", "u1", (56,)),  # once refilled: copies in the draw pile, the drawn one too
        ("totals", "i4", (MAX_PLAYERS,)),  # points of the rounds before
        ("draw_pile", "u1", (MAX_PACK,)),  # the top is at draw_size - 1
        ("discard_pile", "u1", (MAX_PACK,)),  # the top is at discard_size - 1
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("num_players", "i4"),
        ("decks", "i4"),
        ("num_rounds", "i4"),
        ("practice_round", "i4"),
        ("max_turns", "i4"),
        ("pair_points", "i2", (15, 16)),  # by codes of ranks, 0 where one is hidden
        *[(f"at_{name}", "i4") for name in golf_table().names],  # first column of each block
    ],
    align=True,
)

# The story of one step, for environments; batches pass one that is off.
_ENTRIES = [(field, "i4", (128,)) for field in ("kind", "seat", "card", "value")]
LOG = np.dtype([("on", "i4"), ("count", "i4"), *_ENTRIES])

# Kinds of log entries (kind, seat, card, value); what they mean is told by events.py.
(
    LOG_DEAL,
    LOG_TURN_UP,
    LOG_TAKE,
    LOG_REFILL,
    LOG_DRAW,
    LOG_PLACE,
    LOG_DISCARD,
    LOG_KNOCK,
    LOG_OUT,
    LOG_HAND,
    LOG_SCORE,
    LOG_MATCH,
    LOG_CAP,
) = range(1, 14)
