"""The observation table of Sixes, the chip game.

Relative seats: 0 is the observer, 1 the player to the observer's left, and so on clockwise. Planes
have one column per card, in the order of the action numbers.
"""

from __future__ import annotations

from sixth_env.games.chips.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS
from sixth_env.games.chips.rules import (
    MAX_PLAYERS,
    MAX_ROUNDS,
    MAX_STARTING_CHIPS,
    MIN_PLAYERS,
)
from sixth_env.games.table import Block, ObservationTable

MAX_CHIPS = MAX_PLAYERS * MAX_STARTING_CHIPS
_SEAT, _CHIPS = 1 / 8, 1 / 20

# What every seat sees alike; these columns come first, so that they can be copied.
PUBLIC = (
    Block("num_players", (1,), MIN_PLAYERS, MAX_PLAYERS, _SEAT, "players at the table"),
    Block("starting_chips", (1,), 1, MAX_STARTING_CHIPS, _CHIPS, "chips everybody began with"),
    Block(
        "rounds_left", (1,), 0, MAX_ROUNDS, 1 / 10, "rounds to play, this one included; 0: no limit"
    ),
    Block("cap_left", (1,), 1, MAX_ROUNDS, 1 / 100, "rounds to the cap, this one included"),
    Block("round", (1,), 1, MAX_ROUNDS, 1 / 10, "number of the round, from 1"),
    Block("phase", (1,), 0, 1, 1.0, "0 a card is to be played, 1 match over"),
    Block("pot", (1,), 0, MAX_CHIPS, _CHIPS, "chips in the pot"),
    Block(
        "column_low",
        (NUM_SUITS,),
        0,
        NUM_RANKS,
        1 / 10,
        "low end of each suit's column: A 1, 2 2 … 6 6; 0 if not begun",
    ),
    Block(
        "column_high",
        (NUM_SUITS,),
        0,
        NUM_RANKS,
        1 / 10,
        "high end of each suit's column: 6 6, 7 7, J 8, Q 9, K 10; 0 if not begun",
    ),
    Block("laid", (NUM_CARDS,), 0, 1, 1.0, "1 if the card lies on the table"),
    Block("playable", (NUM_CARDS,), 0, 1, 1.0, "1 if whoever holds the card can play it now"),
)

# What depends on who looks: own cards, and everything by relative seat.
BY_SEAT = (
    Block("dealer", (1,), 0, MAX_PLAYERS - 1, _SEAT, "relative seat of the dealer"),
    Block("starter", (1,), 0, MAX_PLAYERS - 1, _SEAT, "relative seat of who has, or had, the 6♦"),
    Block("to_act", (1,), 0, MAX_PLAYERS - 1, _SEAT, "relative seat of whose turn it is"),
    Block("hand", (NUM_CARDS,), 0, 1, 1.0, "1 if the card is in the own hand"),
    Block(
        "own_beyond",
        (NUM_CARDS,),
        0,
        25,
        1 / 10,
        "what a card not yet laid opens for oneself: the own cards beyond it, away from the six"
        " (beyond a six: both ways), each counted by its distance in steps",
    ),
    Block(
        "others_beyond",
        (NUM_CARDS,),
        0,
        NUM_RANKS - 1,
        1 / 5,
        "what it opens for others: how many cards beyond it are in other hands",
    ),
    Block("chips", (MAX_PLAYERS,), 0, MAX_CHIPS, _CHIPS, "chips, by relative seat"),
    Block("hand_sizes", (MAX_PLAYERS,), 0, 20, 1 / 8, "cards in hand, by relative seat"),
    Block(
        "lacks",
        (MAX_PLAYERS, NUM_CARDS),
        0,
        1,
        1.0,
        "1 if a pass of the seat has shown that it does not hold the card, by relative seat",
    ),
)

TABLE = ObservationTable((*PUBLIC, *BY_SEAT))
