"""The observation table of the golf game.

Relative seats: 0 is the observer, 1 the player to the observer's left, and so on clockwise.
Card codes: 0 for "no card, or none that the observer sees", otherwise card index + 1. Columns by
card have one for each index, those by rank one for each rank: A, 2 … 10, J, Q, K, joker.

An unseen card is one that lies face down, is in the draw pile, or was just drawn by another player.
All unseen cards are alike to everybody until the draw pile is made from the discards: from then on
the set of cards in it is public, and so is the set of those that lie face down. Expected points are
exact for each pair: the mean over the cards that may lie there.
"""

from __future__ import annotations

from functools import cache

from sixth_env.games.golf.cards import NUM_CARDS, NUM_RANKS
from sixth_env.games.golf.rules import MAX_PACK, MAX_PLAYERS, MAX_ROUNDS, MAX_TURNS, SLOTS
from sixth_env.games.table import Block, ObservationTable

MAX_TOTAL = 9999  # totals are cut off here on both sides
LEAST, MOST = -2, 10  # points of a card
ALL_SLOTS = (MAX_PLAYERS, SLOTS)
RANK_COPIES = 8  # of one rank in two packs


@cache
def golf_table() -> ObservationTable:
    """The table of the golf game."""
    return ObservationTable((*_public_blocks(), *_seat_blocks(), *_card_blocks()))


def _public_blocks() -> list[Block]:
    """What every seat sees alike; these columns come first, so that they can be copied."""
    return [
        Block("num_players", (1,), 2, MAX_PLAYERS, 1 / 8, "players at the table"),
        Block("practice_round", (1,), 0, 1, 1.0, "1 if the match began with a practice round"),
        Block("round", (1,), 0, MAX_ROUNDS, 1 / 10, "number of the round; 0: the practice round"),
        Block(
            "rounds_left", (1,), 1, MAX_ROUNDS, 1 / 10, "rounds that count to play, with this one"
        ),
        Block("max_turns", (1,), 1, MAX_TURNS, 1 / 240, "turns after which a match is cut off"),
        Block("turns_left", (1,), 0, MAX_TURNS, 1 / 240, "turns of the round before that"),
        Block(
            "phase",
            (5,),
            0,
            1,
            1.0,
            "a single 1: turning up two cards; a turn begins; a card was drawn; knock or not; over",
        ),
        Block(
            "last_turns",
            (1,),
            0,
            MAX_PLAYERS - 1,
            1 / 8,
            "turns to come once somebody knocked or went out, with the one in progress; else 0",
        ),
        Block("refilled", (1,), 0, 1, 1.0, "1 once the draw pile was made from the discards"),
        Block("draw_pile", (1,), 0, MAX_PACK, 1 / 54, "cards in the draw pile"),
        Block("discard", (1,), 1, NUM_CARDS, 1 / 53, "code of the top discard"),
        Block("discard_points", (1,), LEAST, MOST, 1 / 10, "points of the top discard"),
        Block("discarded", (NUM_CARDS,), 0, 4, 1 / 2, "copies in the discard pile, with the top"),
    ]


def _seat_blocks() -> list[Block]:
    """Seats, hands and what they are worth, from the observer's on."""
    seat, mean = 1 / 8, 1 / 1000
    return [
        Block("dealer", (1,), 0, MAX_PLAYERS - 1, seat, "relative seat of the dealer"),
        Block("to_act", (1,), 0, MAX_PLAYERS - 1, seat, "relative seat of the player to act"),
        Block("knocker", (1,), 0, MAX_PLAYERS, seat, "1 + relative seat of who knocked, or 0"),
        Block("went_out", (1,), 0, MAX_PLAYERS, seat, "1 + relative seat of who went out, or 0"),
        Block("drawn", (1,), 0, NUM_CARDS, 1 / 53, "code of the card that the observer has drawn"),
        Block("drawn_points", (1,), LEAST, MOST, 1 / 10, "its points; 0 without one"),
        Block(
            "totals",
            (MAX_PLAYERS,),
            -MAX_TOTAL,
            MAX_TOTAL,
            1 / 60,
            "points of the rounds before, by relative seat",
        ),
        Block("slots", ALL_SLOTS, 0, NUM_CARDS, 1 / 53, "codes of the cards that lie face up"),
        Block("face_down", ALL_SLOTS, 0, 1, 1.0, "1 for a card that lies face down"),
        Block("slot_points", ALL_SLOTS, LEAST, MOST, 1 / 10, "points of each card face up, alone"),
        Block(
            "hand_mean",
            (MAX_PLAYERS,),
            -1000,
            6000,
            mean / 3,
            "expected points of each hand as it lies, in hundredths",
        ),
        Block(
            "take",
            (SLOTS,),
            -2400,
            2400,
            mean,
            "expected change of the own hand, in hundredths, by the top discard put into the slot",
        ),
        Block("put", (SLOTS,), -2400, 2400, mean, "the same of the drawn card; 0 without one"),
        Block(
            "mates",
            (SLOTS,),
            0,
            RANK_COPIES,
            1 / 4,
            "cards that a draw may bring and that would cancel the card beside the slot",
        ),
    ]


def _card_blocks() -> list[Block]:
    """The cards that the observer does not see."""
    return [
        Block("draw_mean", (1,), -200, 1000, 1 / 1000, "mean points of a draw, in hundredths"),
        Block("hidden_mean", (1,), -200, 1000, 1 / 1000, "the same of a card that lies face down"),
        Block(
            "draw_ranks",
            (NUM_RANKS,),
            0,
            RANK_COPIES,
            1 / 4,
            "by rank, the cards that the draw pile may hold",
        ),
        Block(
            "hidden_ranks",
            (NUM_RANKS,),
            0,
            RANK_COPIES,
            1 / 4,
            "by rank, those that may lie face down",
        ),
        Block(
            "draw_known",
            (NUM_CARDS,),
            0,
            4,
            1 / 2,
            "once refilled, copies in the draw pile or just drawn unseen by the observer; else 0",
        ),
    ]
