"""Hand-worked cases of Sixes, the chip game, as plain data for any implementation.

A case is a position, then steps: who acts, what it may do, its action, and what must follow. Cards,
chips and events are worked out by hand from the rules text. `facts` are fields of the position
after the step; where its phase is "deal" another round has to be dealt, and they are fields of that
round's first position. After such a step an engine has dealt already: compare its events up to
the deal.
"""

from __future__ import annotations

from typing import Any

from tests.cases_chips_build import (
    Case,
    Event,
    Step,
    columns,
    match_end,
    position,
    round_end,
    rules,
    step,
)

# Cards that each seat gets: players, dealer, counts from seat 0 on.
CARDS_DEALT = [
    (2, 1, [20, 20]),
    (3, 1, [13, 13, 14]),
    (4, 3, [10, 10, 10, 10]),
    (5, 2, [8, 8, 8, 8, 8]),
    (6, 0, [6, 7, 7, 7, 7, 6]),
    (7, 6, [6, 6, 6, 6, 6, 5, 5]),
    (8, 5, [5, 5, 5, 5, 5, 5, 5, 5]),
]

# --- The first turns of a round -------------------------------------------------------------------

OPENING_HANDS = [
    "AC 2C 3C 4C AD 2D 3D 4D",
    "5C 6C 7C JC 6D KD AH 2H",
    "QC KC 5D 7D JD QD 3H 4H",
    "5H 7H JH QH KH AS 2S 3S",
    "6H 4S 5S 6S 7S JS QS KS",
]
SECOND_TURN_HANDS = [
    "AC 2C 3C 4C AD 2D 3D 4D",
    "5C 6C 7C JC QD KD AH 2H",
    "QC KC 5D 7D JD 3H 4H",
    "5H 7H JH QH KH AS 2S 3S",
    "6H 4S 5S 6S 7S JS QS KS",
]
OPENING: list[Case] = [
    {
        "name": "the holder of the 6D starts with it, and a playable card must be played",
        "position": position(rules(), OPENING_HANDS, dealer=4, starter=1, to_act=1),
        "steps": [
            step(1, "6D", "6D", facts={"columns": columns("D:6-6"), "to_act": 2}),
            step(2, "5D 7D", "7D", facts={"columns": columns("D:6-7"), "to_act": 3}),
            step(
                3,
                "pass",
                "pass",
                won=-1,
                facts={
                    "chips": [10, 10, 10, 9, 10],
                    "pot": 1,
                    "lacks": [[], [], [], ["6C", "5D", "JD", "6H", "6S"], []],
                    "to_act": 4,
                },
            ),
            step(4, "6H 6S", "6S", facts={"columns": columns("D:6-7 S:6-6"), "to_act": 0}),
            step(
                0,
                "pass",
                "pass",
                won=-1,
                facts={
                    "chips": [9, 10, 10, 9, 10],
                    "pot": 2,
                    "lacks": [
                        ["6C", "5D", "JD", "6H", "5S", "7S"],
                        [],
                        [],
                        ["6C", "5D", "JD", "6H", "6S"],
                        [],
                    ],
                },
            ),
            # Seat 1 would rather keep the clubs closed, but its 6C is a playable card.
            step(1, "6C", "6C", facts={"columns": columns("C:6-6 D:6-7 S:6-6")}),
            # The jack follows the seven.
            step(2, "5D JD", "JD", facts={"columns": columns("C:6-6 D:6-J S:6-6")}),
            step(
                3,
                "pass",
                "pass",
                won=-1,
                facts={
                    "chips": [9, 10, 10, 8, 10],
                    "pot": 3,
                    "lacks": [
                        ["6C", "5D", "JD", "6H", "5S", "7S"],
                        [],
                        [],
                        ["5C", "6C", "7C", "5D", "JD", "QD", "6H", "5S", "6S", "7S"],
                        [],
                    ],
                },
            ),
            step(4, "6H 5S 7S", "5S", facts={"columns": columns("C:6-6 D:6-J S:5-6")}),
        ],
    },
    {
        "name": "the relative reward of a chip paid",
        "position": position(
            rules(reward="relative"),
            SECOND_TURN_HANDS,
            "D:6-6",
            dealer=4,
            starter=2,
            to_act=3,
        ),
        "steps": [
            step(
                3,
                "pass",
                "pass",
                won=-1,
                rewards=[0.25, 0.25, 0.25, -1, 0.25],
            )
        ],
    },
]
# --- The ends of columns, and passing -------------------------------------------------------------

PASSING: list[Case] = [
    {
        "name": "nothing lies above a king or below an ace",
        "position": position(
            rules(4),
            [
                "AC 2C KD AH KH AS QS KS",
                "3C 4C 5C 2H 3H 4H 5H",
                "7D JD QD 6H 7H JH QH",
                "2S 3S 4S 5S 6S 7S JS",
            ],
            "C:6-K D:A-6",
            dealer=3,
            starter=1,
            to_act=0,
        ),
        "steps": [
            step(
                0,
                "pass",
                "pass",
                players=4,
                won=-1,
                facts={"lacks": [["5C", "7D", "6H", "6S"], [], [], []], "chips": [9, 10, 10, 10]},
            ),
            step(1, "5C", "5C", players=4, facts={"columns": columns("C:5-K D:A-6")}),
            step(2, "7D 6H", "6H", players=4, facts={"columns": columns("C:5-K D:A-6 H:6-6")}),
        ],
    },
    {
        "name": "without chips passing is free",
        "position": position(
            rules(4),
            [
                "AC 2C KD AH KH AS QS KS",
                "3C 4C 2H 3H 4H 5H",
                "JD QD 6H 7H JH QH",
                "2S 3S 4S 5S 7S JS",
            ],
            "C:5-K D:A-7 S:6-6",
            lacks=["5C 7D 6H 6S", "", "", ""],
            chips=[0, 20, 10, 9],
            pot=1,
            dealer=3,
            starter=1,
            round=2,
            to_act=0,
        ),
        "steps": [
            step(
                0,
                "pass",
                "pass",
                players=4,
                paid=0,
                facts={
                    "chips": [0, 20, 10, 9],
                    "pot": 1,
                    "lacks": [
                        ["4C", "5C", "7D", "JD", "6H", "5S", "6S", "7S"],
                        [],
                        [],
                        [],
                    ],
                },
            ),
            step(1, "4C", "4C", players=4),
        ],
    },
]
# --- Ends -----------------------------------------------------------------------------------------


def near_end(
    chips: list[int],
    pot: int,
    changes: dict[str, Any] | None = None,
    round: int = 3,
    lacks: str = "",
) -> dict[str, Any]:
    """Three players with one card each; seat 0 is to play its KH."""
    return position(
        rules(3, **(changes or {})),
        ["KH", "2H", "AH"],
        "C:A-K D:A-K H:3-Q S:A-K",
        lacks=[lacks, "QH", "5H QH"],
        chips=chips,
        pot=pot,
        dealer=2,
        starter=0,
        round=round,
        to_act=0,
    )


def last_card(pot: int, ends: list[Event], phase: str, **more: Any) -> Step:
    return step(0, "KH", "KH", players=3, won=pot, ends=ends, phase=phase, **more)


ENDS: list[Case] = [
    {
        "name": "the last card takes the pot, and whoever had the 6D deals",
        "position": near_end([10, 9, 9], 2),
        "steps": [
            last_card(
                2,
                [round_end(0, 2, [12, 9, 9])],
                "deal",
                facts={"dealer": 0, "round": 4, "chips": [12, 9, 9]},
            )
        ],
    },
    {
        "name": "the winner of the round need not have had the 6D",
        "position": {
            **near_end([9, 9, 9], 3, lacks="4H"),
            "to_act": 1,
        },
        "steps": [
            step(
                1,
                "2H",
                "2H",
                players=3,
                won=3,
                ends=[round_end(1, 3, [9, 12, 9])],
                phase="deal",
                facts={"dealer": 0, "round": 4, "chips": [9, 12, 9]},
            )
        ],
    },
    {
        "name": "a round after which someone has no chips is the last",
        "position": near_end([11, 17, 0], 2),
        "steps": [
            last_card(
                2,
                [round_end(0, 2, [13, 17, 0]), match_end([13, 17, 0], [1])],
                "over",
                facts={"chips": [13, 17, 0], "pot": 0},
            )
        ],
    },
    {
        "name": "the pot saves a winner who had no chips left",
        "position": near_end([0, 13, 12], 5, lacks="5H"),
        "steps": [
            last_card(
                5,
                [round_end(0, 5, [5, 13, 12])],
                "deal",
                facts={"dealer": 0, "round": 4, "chips": [5, 13, 12]},
            )
        ],
    },
    {
        "name": "a fixed number of rounds is a real end, at the cap too; ties share the win",
        "position": near_end([8, 10, 10], 2, {"num_rounds": 3, "max_rounds": 3, "reward": "win"}),
        "steps": [
            last_card(
                2,
                [round_end(0, 2, [10, 10, 10]), match_end([10, 10, 10], [0, 1, 2])],
                "over",
                rewards=[1 / 3, 1 / 3, 1 / 3],
            )
        ],
    },
    {
        "name": "with a fixed number of rounds an early end of chips ends it too",
        "position": near_end([19, 9, 0], 2, {"num_rounds": 9, "reward": "win"}),
        "steps": [
            last_card(
                2,
                [round_end(0, 2, [21, 9, 0]), match_end([21, 9, 0], [0])],
                "over",
                rewards=[1, 0, 0],
            )
        ],
    },
    {
        "name": "the cap on rounds cuts the match off, and nobody wins it",
        "position": near_end([10, 9, 9], 2, {"max_rounds": 3, "reward": "win"}),
        "steps": [
            last_card(2, [round_end(0, 2, [12, 9, 9])], "over", rewards=[0, 0, 0], truncated=True)
        ],
    },
    {
        "name": "the relative reward of a pot won",
        "position": near_end([10, 9, 9], 2, {"reward": "relative"}),
        "steps": [last_card(2, [round_end(0, 2, [12, 9, 9])], "deal", rewards=[2, -1, -1])],
    },
]

CASES: list[Case] = OPENING + PASSING + ENDS
