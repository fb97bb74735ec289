"""The observation table of the rows games.

Relative seats: 0 is the observer, 1 the player to the observer's left, and so on clockwise.
Card codes: 0 for "no card", otherwise card index + 1. Planes have one column per card of the
game's whole ladder, lowest first, whatever the rule set.
"""

from __future__ import annotations

from functools import cache

from sixth_env.games.rows.rules import (
    MAX_DECK,
    MAX_HAND,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MAX_ROW_LENGTH,
    MAX_ROWS,
    MAX_TARGET,
)
from sixth_env.games.table import Block, ObservationTable

MAX_POINTS = 171  # every card of the 6 nimmt! deck; two Sixth Card decks hold 158
MAX_TOTAL = 9999  # totals are cut off here, far above any match to MAX_TARGET


@cache
def rows_table(ladder: int) -> ObservationTable:
    """The table of a rows game with ``ladder`` different cards (52 or 104)."""
    return ObservationTable((*_public_blocks(ladder), *_seat_blocks(ladder)))


def _public_blocks(ladder: int) -> list[Block]:
    """What every seat sees alike; these columns come first, so that they can be copied.

    From ``num_players`` to ``fit_between`` is what a plain network reads, in one stretch.
    """
    card = 1 / ladder
    return [
        Block(
            "row_cards",
            (MAX_ROWS, MAX_ROW_LENGTH),
            0,
            ladder,
            card,
            "card codes of each row in order",
        ),
        Block("num_players", (1,), 2, MAX_PLAYERS, 1 / 10, "players at the table"),
        Block("decks", (1,), 1, 2, 1 / 2, "copies of each card"),
        Block("cards", (1,), 1, ladder, card, "cards of the ladder in use, from the lowest up"),
        Block("hand_size", (1,), 1, MAX_HAND, 1 / 10, "cards dealt to each player"),
        Block("num_rows", (1,), 1, MAX_ROWS, 1 / 4, "rows on the table"),
        Block("row_length", (1,), 1, MAX_ROW_LENGTH, 1 / 5, "cards a row can hold"),
        Block("cheapest", (1,), 0, 1, 1.0, "1 if row_choice is 'cheapest', 0 if 'player'"),
        Block("target_score", (1,), 0, MAX_TARGET, 1 / 66, "points that end the match, 0 if none"),
        Block(
            "rounds_left",
            (1,),
            0,
            MAX_ROUNDS,
            1 / 10,
            "rounds to play, this one included; 0: to target",
        ),
        Block("round", (1,), 1, MAX_ROUNDS, 1 / 10, "number of the round, from 1"),
        Block("turn", (1,), 1, MAX_HAND, 1 / 10, "number of the turn, from 1"),
        Block("phase", (1,), 0, 2, 1 / 2, "0 choose a card, 1 a row decision is due, 2 match over"),
        Block("row_sizes", (MAX_ROWS,), 0, MAX_ROW_LENGTH, 1 / 5, "cards in each row"),
        Block("row_points", (MAX_ROWS,), 0, 35, 1 / 10, "penalty points in each row"),
        Block(
            "revealed_cards",
            (MAX_PLAYERS,),
            0,
            ladder,
            card,
            "codes of revealed cards not yet placed, in placing order",
        ),
        Block(
            "fit_free",
            (ladder,),
            0,
            MAX_ROW_LENGTH,
            1 / 5,
            "free places in the row where the card would go now; 0 also if too low",
        ),
        Block(
            "fit_points",
            (ladder,),
            0,
            35,
            1 / 10,
            "points in that row; if too low, in the cheapest row",
        ),
    ]


def _seat_blocks(ladder: int) -> list[Block]:
    """What depends on who looks: own cards, and everything by relative seat."""
    card, seat = 1 / ladder, 1 / 10
    return [
        Block("dealer", (1,), 0, MAX_PLAYERS - 1, seat, "relative seat of the dealer"),
        Block(
            "revealed_seats",
            (MAX_PLAYERS,),
            0,
            MAX_PLAYERS,
            seat,
            "1 + relative seat of the owner of each revealed card",
        ),
        Block(
            "points",
            (MAX_PLAYERS,),
            0,
            MAX_POINTS,
            1 / 20,
            "points of this round, by relative seat",
        ),
        Block(
            "totals",
            (MAX_PLAYERS,),
            0,
            MAX_TOTAL,
            1 / 66,
            "points of the rounds before, by relative seat",
        ),
        Block("hand", (ladder,), 0, 2, 1.0, "copies in the own hand"),
        Block("unseen", (ladder,), 0, 2, 1 / 2, "copies that may be in other hands or the stock"),
        Block(
            "fit_between",
            (ladder,),
            0,
            MAX_DECK,
            1 / 8,
            "unseen copies from the end of the row where the card would go (if too low: from the"
            " lowest card) up to below the card: what may come before it",
        ),
        Block(
            "played",
            (MAX_PLAYERS, MAX_HAND),
            0,
            ladder,
            card,
            "codes of this round's cards in order, by relative seat",
        ),
        Block(
            "taken",
            (ladder,),
            0,
            131,
            1 / 131,
            "who took it this round, a + 11 b with a >= b for the two copies: 1 + relative seat,"
            " or 0 if not taken",
        ),
    ]
