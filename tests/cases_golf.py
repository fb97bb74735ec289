"""Hand-worked cases of Sixes, the golf game, as plain data for any implementation.

A case is a position, then steps: who acts, what it may do, its action, and what must follow. Cards,
points and events are worked out by hand from the rules text; only the rest of the draw pile is
filled in. `facts` are fields of the position after the step; where its phase is "deal" another
round has to be dealt, and they are fields of that round's first position. After such a step an
engine has dealt already: compare its events up to the deal. A step with an `order` draws from an
empty pile: an engine has its own order, so compare the cards and not their order.
"""

from __future__ import annotations

from typing import Any

from tests.cases_golf_build import (
    DISCARD,
    DRAW,
    DRAWN,
    END_TURN,
    KNOCK,
    KNOCKING,
    Case,
    discarded,
    drew,
    knocked,
    match_end,
    out,
    position,
    round_end,
    rules,
    step,
    swap,
    swapped,
    take,
    took,
    turn,
    turned,
)
from tests.cases_golf_ends import ENDS

# Two cards side by side and their score.
PAIRS = [
    ("JC JD", 0),
    ("JC QC", 20),
    ("10C JC", 20),
    ("7C 7D", 0),
    ("7C 7C", 0),  # twins of two decks
    ("10C 10D", 0),
    ("KC KD", 0),
    ("AC AD", -2),
    ("joker joker", -4),
    ("AC joker", -3),
    ("AC KC", -1),
    ("joker 7C", -2),
    ("AC 9C", -1),
    ("2C 3C", 5),
    ("10C 9C", 19),
]
# Six cards, row by row, and their score: pairs lie side by side, not one above the other.
HANDS = [
    ("7C 7D JC JD QC QD", 0),
    ("7C 2C 7D 3C KC QC", 39),
    ("joker joker joker joker AC AD", -10),  # the lowest, with two decks
    ("JC QC KC JD QD KD", 60),  # the highest
    ("AC KC joker 7C 5C 4C", 6),
]

# Raw scores, the knocker, and the points.
KNOCKS = [
    ([5, 9, 7], 0, [5, 9, 7]),
    ([5, 5, 7], 0, [5, 5, 7]),
    ([6, 5, 7], 0, [18, 5, 7]),
    ([10, -3, 4], 0, [11, -3, 4]),
    ([1, -4], 0, [-3, -4]),
    ([6, 5, 7], None, [6, 5, 7]),
    ([60, 0, 0, 0, -1, 2, 3, 4], 0, [68, 0, 0, 0, -1, 2, 3, 4]),
    ([7, 5], 0, [12, 5]),
    ([7, 5], 1, [7, 5]),
]

# --- The start of a round and the three kinds of turns --------------------------------------------

ALL_DOWN = ["(2C) (3C) (4C) (5C) (6C) (7C)", "(2D) (3D) (4D) (5D) (6D) (7D)"]
TWO_UP = ["2C (3C) 4C (5C) (6C) (7C)", "2D (3D) (4D) (5D) 6D (7D)"]

TURNS: list[Case] = [
    {
        "name": "two cards each are turned up, from the dealer on, who then has the first turn",
        "position": position(rules(2), ALL_DOWN, phase="reveal", dealer=1, to_act=1),
        "steps": [
            step(1, [0, 1, 2, 3, 4, 5], 4, [turned(1, 4, "6D")], "reveal", players=2),
            step(1, [0, 1, 2, 3, 5], 0, [turned(1, 0, "2D")], "reveal", {"to_act": 0}, players=2),
            step(0, [0, 1, 2, 3, 4, 5], 0, [turned(0, 0, "2C")], "reveal", players=2),
            step(
                0,
                [1, 2, 3, 4, 5],
                2,
                [turned(0, 2, "4C")],
                "turn",
                {
                    "to_act": 1,
                    "turns": 0,
                    "face_up": [
                        [True, False, True, False, False, False],
                        [True, False, False, False, True, False],
                    ],
                },
                players=2,
            ),
            step(1, turn(1, 2, 3, 5), 5, [turned(1, 5, "7D")], "knock", {"turns": 0}, players=2),
            step(1, KNOCKING, END_TURN, [], "turn", {"to_act": 0, "turns": 1}, players=2),
        ],
    },
    {
        "name": "the discard may go to any slot, and the card replaced is the next one's to take",
        "position": position(rules(2), TWO_UP, "10S", dealer=1, to_act=1),
        "steps": [
            step(
                1,
                turn(1, 2, 3, 5),
                take(1),
                [took(1, 1, "10S", "3D")],
                "knock",
                {
                    "hands": [
                        ["2C", "3C", "4C", "5C", "6C", "7C"],
                        ["2D", "10S", "4D", "5D", "6D", "7D"],
                    ],
                    "face_up": [
                        [True, False, True, False, False, False],
                        [True, True, False, False, True, False],
                    ],
                    "discard_pile": ["3D"],
                },
                players=2,
            ),
            step(1, KNOCKING, END_TURN, [], "turn", players=2),
            step(
                0,
                turn(1, 3, 4, 5),
                take(0),  # a card that lies face up already
                [took(0, 0, "3D", "2C")],
                "knock",
                {
                    "face_up": [
                        [True, False, True, False, False, False],
                        [True, True, False, False, True, False],
                    ],
                    "discard_pile": ["2C"],
                },
                players=2,
            ),
            step(0, KNOCKING, END_TURN, [], "turn", {"turns": 2, "to_act": 1}, players=2),
        ],
    },
    {
        "name": "a drawn card replaces one of six, or is discarded and nothing is turned up",
        "position": position(rules(2), TWO_UP, "10S", "9H KD", dealer=1, to_act=1),
        "steps": [
            step(
                1,
                turn(1, 2, 3, 5),
                DRAW,
                [drew(1, "9H")],
                "drawn",
                {"drawn": "9H", "discard_pile": ["10S"], "to_act": 1},
                players=2,
            ),
            step(
                1,
                DRAWN,
                DISCARD,
                [discarded(1, "9H")],
                "knock",
                {
                    "drawn": None,
                    "discard_pile": ["9H", "10S"],
                    "face_up": [
                        [True, False, True, False, False, False],
                        [True, False, False, False, True, False],
                    ],
                },
                players=2,
            ),
            step(1, KNOCKING, END_TURN, [], "turn", {"to_act": 0}, players=2),
            step(0, turn(1, 3, 4, 5), DRAW, [drew(0, "KD")], "drawn", players=2),
            step(
                0,
                DRAWN,
                swap(5),
                [swapped(0, 5, "KD", "7C")],
                "knock",
                {
                    "discard_pile": ["7C", "9H", "10S"],
                    "face_up": [
                        [True, False, True, False, False, True],
                        [True, False, False, False, True, False],
                    ],
                },
                players=2,
            ),
        ],
    },
]

# --- The draw pile used up ------------------------------------------------------------------------

# What lies under the top discard 10S, once the 12 cards of `TWO_UP` are dealt: 41 cards.
REST = (
    "8C AC AD AH AS 2H 2S 3H 3S 4H 4S 5H 5S 6H 6S 7H 7S 8D 8H 8S 9C 9D 9H 9S 10C 10D 10H "
    "JC JD JH JS QC QD QH QS KC KD KH KS joker joker"
)
REFILLS: list[Case] = [
    {
        "name": "only who has to draw brings the discards back, and their top card stays",
        "position": position(rules(2), TWO_UP, "10S", used_up=True, turns=50, dealer=1, to_act=1),
        "steps": [
            step(
                1,
                turn(1, 2, 3, 5),
                take(4),
                [took(1, 4, "10S", "6D")],
                "knock",
                {"refilled": False, "draw_pile": []},
                players=2,
            ),
            step(1, KNOCKING, END_TURN, [], "turn", players=2),
            step(
                0,
                turn(1, 3, 4, 5),
                DRAW,
                [{"type": "refill"}, drew(0, "8C")],
                "drawn",
                {
                    "refilled": True,
                    "discard_pile": ["6D"],
                    "draw_pile": REST.split()[1:],
                    "drawn": "8C",
                },
                players=2,
                order=REST,
            ),
            step(
                0,
                DRAWN,
                DISCARD,
                [discarded(0, "8C")],
                "knock",
                {"refilled": True, "discard_pile": ["8C", "6D"]},
                players=2,
            ),
        ],
    },
]

# --- Rounds that do not count, and the cap --------------------------------------------------------

LAST_HANDS = ["8C 8D 9C 9D KC KD", "2C 3C 4C 5C 6C (7C)"]
LAST_END = ["8C 8D 9C 9D KC KD", "2C 3C 4C 5C 6C 7C"]


def last_turn(changes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Seat 0 has gone out with 0 points; seat 1 turns up its sixth card, for 27 points."""
    setup = rules(2, **changes)
    closed = {"went_out": 0, "last_turns": 1, "turns": 9, "dealer": 0, "to_act": 1}
    return position(setup, LAST_HANDS, **{**closed, **fields})


ROUNDS: list[Case] = [
    {
        "name": "the practice round is played and told, and not counted",
        "position": last_turn({"practice_round": True}, round=0),
        "steps": [
            step(
                1,
                turn(5),
                5,
                [turned(1, 5, "7C"), round_end(LAST_END, [0, 27], [0, 27], [0, 0])],
                "deal",
                players=2,
                facts={"dealer": 1, "round": 1, "totals": [0, 0]},
            )
        ],
    },
    {
        "name": "the last round ends the match, and the lowest total wins",
        "position": last_turn({"num_rounds": 3, "reward": "win"}, round=3, totals=[40, 10]),
        "steps": [
            step(
                1,
                turn(5),
                5,
                [
                    turned(1, 5, "7C"),
                    round_end(LAST_END, [0, 27], [0, 27], [40, 37]),
                    match_end([40, 37], [1]),
                ],
                "over",
                players=2,
                gains=[0, -27],
                rewards=[0, 1],
                facts={"totals": [40, 37], "last_turns": 0},
            )
        ],
    },
    {
        "name": "a round that ends with the last turn allowed is not cut off",
        "position": last_turn({"max_turns": 10}, round=1),
        "steps": [
            step(
                1,
                turn(5),
                5,
                [turned(1, 5, "7C"), round_end(LAST_END, [0, 27], [0, 27], [0, 27])],
                "deal",
                players=2,
                gains=[0, -27],
                facts={"dealer": 1, "round": 2, "totals": [0, 27]},
            )
        ],
    },
    {
        "name": "the cap cuts off between a sixth card and the last turns, and nobody wins",
        "position": position(
            rules(2, max_turns=9, reward="win"),
            ["8C 8D 9C 9D KC (KD)", "2C 3C 4C 5C 6C (7C)"],
            turns=8,
            dealer=0,
            to_act=0,
        ),
        "steps": [
            step(
                0,
                turn(5),
                5,
                [turned(0, 5, "KD"), out(0)],
                "over",
                {"turns": 9, "went_out": 0, "last_turns": 1, "totals": [0, 0]},
                players=2,
                truncated=True,
            )
        ],
    },
    {
        "name": "a cap on turns cuts the match off when the turn is over, knock or not",
        "position": position(rules(2, max_turns=3), TWO_UP, turns=2, dealer=1, to_act=1),
        "steps": [
            step(1, turn(1, 2, 3, 5), 1, [turned(1, 1, "3D")], "knock", {"turns": 2}, players=2),
            step(
                1,
                KNOCKING,
                KNOCK,
                [knocked(1)],
                "over",
                {"turns": 3, "knocker": 1, "last_turns": 1, "totals": [0, 0]},
                players=2,
                truncated=True,
            ),
        ],
    },
]

CASES: list[Case] = TURNS + REFILLS + ENDS + ROUNDS
