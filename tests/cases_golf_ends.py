"""Hand-worked cases of the golf game in which a round ends: knocks, and sixth cards turned up."""

from __future__ import annotations

from typing import Any

from tests.cases_golf_build import (
    DISCARD,
    DRAW,
    DRAWN,
    KNOCK,
    KNOCKING,
    Case,
    Event,
    Step,
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

# --- A knock: three players, the dealer knocks, the others have one turn each ---------------------

# Rows of seat 0: 2-2, 3-3, 5-5, together 0. Of seat 1: 10+10, 10+10, 9+8, 57 if nothing changes.
# Of seat 2: A-A -2, 4+7, 6+10, together 25.
KNOCK_HANDS = [
    "2C 2D 3C (3D) 5C (5D)",
    "KC (QC) JC (10C) 9C (8C)",
    "AC (AD) 4C (7C) 6C (JD)",
]
KNOCK_END = ["2C 2D 3C 3D 5C 5D", "KC QC JC 10C 9C 9D", "AC AD 4C 7C 6C JD"]

# Seat 0: 2-2 0, 3+4, 5-5 0, together 7. Seat 1: joker-K -2, A-Q -1, 8-8 0, together -3.
# Seat 2: 9-9 0, 6-6 0, 4+7, together 11. The knock costs 8 more: -3 and 11.
LOSING_HANDS = [
    "2C 2D 3C (4D) 5C (5D)",
    "joker KC AC (QC) (8C) (8D)",
    "9C 9D (6C) (6D) (4C) (7C)",
]
LOSING_END = ["2C 2D 3C 4D 5C 5D", "joker KC AC QC 8C 8D", "9C 9D 6C 6D 4C 7C"]

# Seat 0: 2-2 0, 3-3 0, A-5 -1. Seat 1: joker-joker -4, 8-8 0, 9-9 0. Seat 2: A-K -1, 6-6, 7-7.
# The knock costs -5 more.
NEGATIVE_HANDS = [
    "2C 2D 3C (3D) AC (5D)",
    "joker joker 8C (8D) 9C (9D)",
    "AD (KC) 6C (6D) 7C (7D)",
]
NEGATIVE_END = ["2C 2D 3C 3D AC 5D", "joker joker 8C 8D 9C 9D", "AD KC 6C 6D 7C 7D"]

# Both -1: 2-2 0, 3-3 0, A-10 -1.
TIED_HANDS = ["2C 2D 3C (3D) AC (10D)", "2H 2S 3H (3S) AH (10H)"]


def pass_by(player: int, face_down: list[int], card: str, players: int = 3) -> Step:
    """The seat draws `card`; the step that discards it again is `throw`."""
    return step(player, turn(*face_down), DRAW, [drew(player, card)], "drawn", players=players)


def throw(player: int, card: str, ends: list[Event], phase: str, **more: Any) -> Step:
    return step(player, DRAWN, DISCARD, [discarded(player, card), *ends], phase, **more)


KNOCKS: list[Case] = [
    {
        "name": "a knock gives every other seat one turn, and is safe when lowest",
        "position": position(
            rules(),
            KNOCK_HANDS,
            "9D 8D",
            "KH",
            dealer=0,
            to_act=0,
            turns=6,
            round=2,
            totals=[1, 2, 3],
        ),
        "steps": [
            step(0, turn(3, 5), 3, [turned(0, 3, "3D")], "knock", {"to_act": 0, "knocker": None}),
            step(
                0,
                KNOCKING,
                KNOCK,
                [knocked(0)],
                "turn",
                {"to_act": 1, "knocker": 0, "went_out": None, "last_turns": 2, "turns": 7},
            ),
            # Seat 1 may not knock after its last turn: seat 2 follows at once.
            step(
                1,
                turn(1, 3, 5),
                take(5),
                [took(1, 5, "9D", "8C")],
                "turn",
                {"to_act": 2, "last_turns": 1, "turns": 8},
            ),
            pass_by(2, [1, 3, 5], "KH"),
            throw(
                2,
                "KH",
                [round_end(KNOCK_END, [0, 40, 25], [0, 40, 25], [1, 42, 28])],
                "deal",
                gains=[0, -40, -25],
                facts={"dealer": 1, "round": 3, "totals": [1, 42, 28]},
            ),
        ],
    },
    {
        "name": "a knock above the lowest adds the others' raw scores, a negative one too",
        "position": position(
            rules(), LOSING_HANDS, "10S", "KH KS", dealer=0, to_act=0, turns=6, round=2
        ),
        "steps": [
            step(0, turn(3, 5), 5, [turned(0, 5, "5D")], "knock"),
            step(0, KNOCKING, KNOCK, [knocked(0)], "turn"),
            pass_by(1, [3, 4, 5], "KH"),
            throw(1, "KH", [], "turn"),
            pass_by(2, [2, 3, 4, 5], "KS"),
            throw(
                2,
                "KS",
                [round_end(LOSING_END, [7, -3, 11], [15, -3, 11], [15, -3, 11])],
                "deal",
                gains=[-15, 3, -11],
                facts={"dealer": 1, "round": 3, "totals": [15, -3, 11]},
            ),
        ],
    },
    {
        "name": "a failed knock over negative scores lowers the knocker's points",
        "position": position(
            rules(num_rounds=2, reward="relative"),
            NEGATIVE_HANDS,
            "10S",
            "KH KS",
            dealer=0,
            to_act=0,
            turns=6,
            round=2,
            totals=[4, 1, 2],
        ),
        "steps": [
            step(0, turn(3, 5), 5, [turned(0, 5, "5D")], "knock"),
            step(0, KNOCKING, KNOCK, [knocked(0)], "turn"),
            pass_by(1, [3, 5], "KH"),
            throw(1, "KH", [], "turn"),
            pass_by(2, [1, 3, 5], "KS"),
            throw(
                2,
                "KS",
                [
                    round_end(NEGATIVE_END, [-1, -4, -1], [-6, -4, -1], [-2, -3, 1]),
                    match_end([-2, -3, 1], [1]),
                ],
                "over",
                gains=[6, 4, 1],
                rewards=[3.5, 0.5, -4],
            ),
        ],
    },
    {
        "name": "a knock is safe when tied for lowest; tied totals share the win",
        "position": position(
            rules(2, num_rounds=3, reward="win"),
            TIED_HANDS,
            "10S",
            "KH",
            dealer=0,
            to_act=0,
            turns=4,
            round=3,
            totals=[7, 7],
        ),
        "steps": [
            step(0, turn(3, 5), 3, [turned(0, 3, "3D")], "knock", players=2),
            step(0, KNOCKING, KNOCK, [knocked(0)], "turn", {"last_turns": 1}, players=2),
            pass_by(1, [3, 5], "KH", players=2),
            throw(
                1,
                "KH",
                [
                    round_end(
                        ["2C 2D 3C 3D AC 10D", "2H 2S 3H 3S AH 10H"], [-1, -1], [-1, -1], [6, 6]
                    ),
                    match_end([6, 6], [0, 1]),
                ],
                "over",
                players=2,
                gains=[1, 1],
                rewards=[0.5, 0.5],
                facts={"last_turns": 0, "turns": 6, "totals": [6, 6], "knocker": 0},
            ),
        ],
    },
]

# --- The sixth card -------------------------------------------------------------------------------

# Seat 1: 2+3, 4+5, 6+7, together 27. Seat 2: 2-2, 4-4, A-J -1. Seat 0: 8-8, 9-9, K-K, together 0.
SIXTH_HANDS = [
    "8C 8D (9C) (9D) KC (KD)",
    "2C 3C 4C 5C 6C (7C)",
    "2D 2H 4D 4H AC (JC)",
]
SIXTH_END = ["8C 8D 9C 9D KC KD", "2C 3C 4C 5C 6C 7C", "2D 2H 4D 4H AC JC"]

SIXTH_CARDS: list[Case] = [
    {
        "name": "the sixth card ends the round without a knock; another's changes nothing",
        "position": position(
            rules(), SIXTH_HANDS, "10S", "QH", dealer=0, to_act=1, turns=13, round=2
        ),
        "steps": [
            step(
                1,
                turn(5),
                5,
                [turned(1, 5, "7C"), out(1)],
                "turn",
                {"to_act": 2, "went_out": 1, "knocker": None, "last_turns": 2, "turns": 14},
            ),
            step(
                2,
                turn(5),
                5,
                [turned(2, 5, "JC")],
                "turn",
                {"to_act": 0, "went_out": 1, "last_turns": 1, "turns": 15},
            ),
            pass_by(0, [2, 3, 5], "QH"),
            # Seat 1 has the highest hand, and pays nothing more for having gone out.
            throw(
                0,
                "QH",
                [round_end(SIXTH_END, [0, 27, -1], [0, 27, -1], [0, 27, -1])],
                "deal",
                gains=[0, -27, 1],
                facts={"dealer": 1, "round": 3, "totals": [0, 27, -1]},
            ),
        ],
    },
    {
        "name": "a discard taken into the last face-down slot is a sixth card too",
        "position": position(
            rules(), SIXTH_HANDS, "6D", "QH", dealer=0, to_act=1, turns=13, round=2
        ),
        "steps": [
            step(
                1,
                turn(5),
                take(5),
                [took(1, 5, "6D", "7C"), out(1)],
                "turn",
                {"went_out": 1, "last_turns": 2, "discard_pile": ["7C"]},
            )
        ],
    },
    {
        "name": "so is a drawn card in the last face-down slot, but not one beside it",
        "position": position(
            rules(), SIXTH_HANDS, "6D", "QH QS", dealer=0, to_act=1, turns=13, round=2
        ),
        "steps": [
            pass_by(1, [5], "QH"),
            step(1, DRAWN, swap(0), [swapped(1, 0, "QH", "2C")], "knock", {"went_out": None}),
            step(1, KNOCKING, 21, [], "turn"),
            pass_by(2, [5], "QS"),
            step(
                2,
                DRAWN,
                swap(5),
                [swapped(2, 5, "QS", "JC"), out(2)],
                "turn",
                {"went_out": 2, "last_turns": 2, "to_act": 0},
            ),
        ],
    },
    {
        "name": "a sixth card after a knock does not take the knock's risk away",
        "position": position(
            rules(2),
            ["2C 3C 4C 5C 6C (7C)", "2D 2H 4D 4H AC (JC)"],
            "10S",
            "QH",
            dealer=0,
            to_act=0,
            turns=8,
            round=2,
        ),
        "steps": [
            pass_by(0, [5], "QH", players=2),
            throw(0, "QH", [], "knock", players=2),
            step(0, KNOCKING, KNOCK, [knocked(0)], "turn", players=2),
            step(
                1,
                turn(5),
                5,
                [
                    turned(1, 5, "JC"),
                    round_end(
                        ["2C 3C 4C 5C 6C 7C", "2D 2H 4D 4H AC JC"], [27, -1], [26, -1], [26, -1]
                    ),
                ],
                "deal",
                players=2,
                gains=[-26, 1],
                facts={"dealer": 1, "round": 3, "totals": [26, -1]},
            ),
        ],
    },
]

ENDS: list[Case] = KNOCKS + SIXTH_CARDS
