"""Hand-worked cases of Sixth Card and 6 nimmt!, as plain data for any implementation.

A case is a position, then steps: the action of every seat and what must follow. Cards, points and
events are worked out by hand from the rules texts; only cards that do not matter (the rest of the
hands, earlier plays, the stock) are filled in. `rows` are those after the step and before another
deal; `points` are the penalty points that each seat takes in the step. After a step with a
`round_end` but no `match_end` an engine has dealt already: compare its events there.
"""

from __future__ import annotations

from tests.cases_rows_build import (
    Case,
    Step,
    ask,
    choose,
    place,
    play,
    position,
    reveal,
    rules,
    step,
    take,
)
from tests.cases_rows_ends import ENDS
from tests.cases_rows_twin_rows import TWIN_ROWS
from tests.cases_rows_twins import TWINS

# Points in the order C D H S of each rank: fives and face cards 2, tens 3, the queen of spades 5.
SIXTH_CARD_POINTS: dict[str, tuple[int, int, int, int]] = {
    "A": (1, 1, 1, 1),
    "2": (1, 1, 1, 1),
    "3": (1, 1, 1, 1),
    "4": (1, 1, 1, 1),
    "5": (2, 2, 2, 2),
    "6": (1, 1, 1, 1),
    "7": (1, 1, 1, 1),
    "8": (1, 1, 1, 1),
    "9": (1, 1, 1, 1),
    "10": (3, 3, 3, 3),
    "J": (2, 2, 2, 2),
    "Q": (2, 2, 2, 5),
    "K": (2, 2, 2, 2),
}
# Points of 1-10, 11-20 and so on.
SIX_NIMMT_POINTS: list[tuple[int, ...]] = [
    (1, 1, 1, 1, 2, 1, 1, 1, 1, 3),
    (5, 1, 1, 1, 2, 1, 1, 1, 1, 3),
    (1, 5, 1, 1, 2, 1, 1, 1, 1, 3),
    (1, 1, 5, 1, 2, 1, 1, 1, 1, 3),
    (1, 1, 1, 5, 2, 1, 1, 1, 1, 3),
    (1, 1, 1, 1, 7, 1, 1, 1, 1, 3),
    (1, 1, 1, 1, 2, 5, 1, 1, 1, 3),
    (1, 1, 1, 1, 2, 1, 5, 1, 1, 3),
    (1, 1, 1, 1, 2, 1, 1, 5, 1, 3),
    (1, 1, 1, 1, 2, 1, 1, 1, 5, 3),
    (1, 1, 1, 1),
]
ONE_DECK_POINTS, TWO_DECKS_POINTS, NUMBERS_POINTS = 79, 158, 171

# Sixth Card with exactly the right number of cards: players, cards, the highest of them.
EXACT_DECKS = [(2, 24, "6S"), (3, 34, "9D"), (4, 44, "JS")]

# --- The worked examples of the two texts -------------------------------------------------------

# "The rows end with 8H, QS, 2C and 7D. Anna reveals JS, Ben KC, Carla AH and Dan 7S."
EXAMPLE_ROWS = ["8H", "9S 10C JD QH QS", "2C", "7D"]
EXAMPLE_HANDS = ["JS", "KC", "AH", "7S"]
EXAMPLE_REVEAL = reveal(2, "2:AH 3:7S 0:JS 1:KC")
EXAMPLE_ASKS = step(
    play("JS KC AH 7S"),
    [0, 0, 0, 0],
    EXAMPLE_ROWS,
    [EXAMPLE_REVEAL, ask(2, "AH", [0, 1, 2, 3])],
    "row",
)
BEN_TAKES = take(1, 1, "9S 10C JD QH QS", 13)


def example_answer(rewards: list[float] | None = None) -> Step:
    """Carla takes row 3, as in the text: its 2C for 1 point."""
    return step(
        choose(2, 2, 4),
        [0, 13, 1, 0],
        ["8H JS", "KC", "AH", "7D 7S"],
        [
            take(2, 2, "2C", 1),
            place(2, "AH", 2),
            place(3, "7S", 3),
            place(0, "JS", 0),
            BEN_TAKES,
            place(1, "KC", 1),
        ],
        rewards=rewards,
    )


NIMMT_ROWS = ["12 24 39 51 66", "14", "40", "85"]
NIMMT_HANDS = ["68", "41", "10"]
NIMMT_PILES = ["", "2 7", ""]

EXAMPLES: list[Case] = [
    {
        "name": "Sixth Card: Anna, Ben, Carla and Dan",
        "position": position(rules(), EXAMPLE_ROWS, EXAMPLE_HANDS, dealer=3),
        "steps": [EXAMPLE_ASKS, example_answer()],
    },
    {
        "name": "Sixth Card: the example under the relative reward",
        "position": position(rules(reward="relative"), EXAMPLE_ROWS, EXAMPLE_HANDS, dealer=3),
        "steps": [EXAMPLE_ASKS, example_answer([14 / 3, 1 / 3 - 13, 13 / 3 - 1, 14 / 3])],
    },
    {
        "name": "Sixth Card: Carla takes the dearest row instead",
        "position": position(rules(), EXAMPLE_ROWS, EXAMPLE_HANDS, dealer=3),
        "steps": [
            EXAMPLE_ASKS,
            step(
                choose(2, 1, 4),
                [0, 0, 13, 0],
                ["8H JS KC", "AH", "2C", "7D 7S"],
                [
                    take(2, 1, "9S 10C JD QH QS", 13),
                    place(2, "AH", 1),
                    place(3, "7S", 3),
                    place(0, "JS", 0),
                    place(1, "KC", 0),
                ],
            ),
        ],
    },
    {
        "name": "Sixth Card: row_choice cheapest takes the first of three rows worth 1",
        "position": position(rules(row_choice="cheapest"), EXAMPLE_ROWS, EXAMPLE_HANDS, dealer=3),
        "steps": [
            step(
                play("JS KC AH 7S"),
                [0, 13, 1, 0],
                ["AH", "KC", "2C", "7D 7S JS"],
                [
                    EXAMPLE_REVEAL,
                    take(2, 0, "8H", 1),
                    place(2, "AH", 0),
                    place(3, "7S", 3),
                    place(0, "JS", 3),
                    BEN_TAKES,
                    place(1, "KC", 1),
                ],
            )
        ],
    },
    {
        "name": "6 nimmt!: Alice, Bob and Cara, who takes #40 for 3",
        "position": position(rules("six_nimmt", 3), NIMMT_ROWS, NIMMT_HANDS, NIMMT_PILES, dealer=2),
        "steps": [
            step(
                play("68 41 10"),
                [0, 0, 0],
                NIMMT_ROWS,
                [reveal(3, "2:10 1:41 0:68"), ask(2, 10, [0, 1, 2, 3])],
                "row",
            ),
            step(
                choose(2, 2, 3, "six_nimmt"),
                [9, 0, 3],
                ["68", "14 41", "10", "85"],
                [
                    take(2, 2, "40", 3),
                    place(2, 10, 2),
                    place(1, 41, 1),
                    take(0, 0, "12 24 39 51 66", 9),
                    place(0, 68, 0),
                ],
            ),
        ],
    },
    {
        "name": "6 nimmt!: row_choice cheapest takes #14 for 1",
        "position": position(
            rules("six_nimmt", 3, row_choice="cheapest"), NIMMT_ROWS, NIMMT_HANDS, NIMMT_PILES
        ),
        "steps": [
            step(
                play("68 41 10"),
                [9, 0, 1],
                ["68", "10", "40 41", "85"],
                [
                    reveal(3, "2:10 1:41 0:68"),
                    take(2, 1, "14", 1),
                    place(2, 10, 1),
                    place(1, 41, 2),
                    take(0, 0, "12 24 39 51 66", 9),
                    place(0, 68, 0),
                ],
            )
        ],
    },
]

# --- Placing ------------------------------------------------------------------------------------

PLACING: list[Case] = [
    {
        "name": "the fifth card is free, the sixth takes it with the others",
        "position": position(rules(players=2), ["2C 3C 4C 5C", "JC", "QC QD", "KC"], ["6C", "7C"]),
        "steps": [
            step(
                play("6C 7C"),
                [0, 6],
                ["7C", "JC", "QC QD", "KC"],
                [
                    reveal(3, "0:6C 1:7C"),
                    place(0, "6C", 0),
                    take(1, 0, "2C 3C 4C 5C 6C", 6),
                    place(1, "7C", 0),
                ],
            )
        ],
    },
    {
        "name": "a second low card lies on the first, which started a row",
        "position": position(rules(players=2), ["2C", "3C", "4C", "5C"], ["AH", "AS"]),
        "steps": [
            step(
                play("AH AS"),
                [0, 0],
                ["2C", "3C", "4C", "5C"],
                [reveal(1, "0:AH 1:AS"), ask(0, "AH", [0, 1, 2, 3])],
                "row",
            ),
            step(
                choose(0, 3, 2),
                [2, 0],
                ["2C", "3C", "4C", "AH AS"],
                [take(0, 3, "5C", 2), place(0, "AH", 3), place(1, "AS", 3)],
            ),
        ],
    },
    {
        "name": "cheapest counts points, not cards: 3C 4C (2) before 10C (3), row 1 before row 2",
        "position": position(
            rules(players=2, row_choice="cheapest"), ["10C", "3C 4C", "JC", "QH QS"], ["AC", "KS"]
        ),
        "steps": [
            step(
                play("AC KS"),
                [2, 0],
                ["10C", "AC", "JC", "QH QS KS"],
                [
                    reveal(2, "0:AC 1:KS"),
                    take(0, 1, "3C 4C", 2),
                    place(0, "AC", 1),
                    place(1, "KS", 3),
                ],
            )
        ],
    },
    {
        "name": "a small game: two rows, the fourth card takes three",
        "position": position(
            rules(players=2, cards=12, hand_size=3, rows=2, row_length=3),
            ["AD 2C 2D", "AC"],
            ["2H", "3S"],
        ),
        "steps": [
            step(
                play("2H 3S"),
                [3, 0],
                ["2H 3S", "AC"],
                [
                    reveal(2, "0:2H 1:3S"),
                    take(0, 0, "AD 2C 2D", 3),
                    place(0, "2H", 0),
                    place(1, "3S", 0),
                ],
            )
        ],
    },
    {
        "name": "exact deck for 2: A to 6",
        "position": position(
            rules(players=2, exact_deck=True, cards=24), ["AC", "2C", "3C", "4C"], ["6S", "5H"]
        ),
        "steps": [
            step(
                play("6S 5H"),
                [0, 0],
                ["AC", "2C", "3C", "4C 5H 6S"],
                [reveal(1, "1:5H 0:6S"), place(1, "5H", 3), place(0, "6S", 3)],
            )
        ],
    },
    {
        "name": "exact deck for 3: A to 8, 9C and 9D",
        "position": position(
            rules(players=3, exact_deck=True, cards=34),
            ["AC", "2C", "3C", "9D"],
            ["9C", "8S", "AD"],
        ),
        "steps": [
            step(
                play("9C 8S AD"),
                [0, 0, 0],
                ["AC AD", "2C", "3C 8S 9C", "9D"],
                [
                    reveal(1, "2:AD 1:8S 0:9C"),
                    place(2, "AD", 0),
                    place(1, "8S", 2),
                    place(0, "9C", 2),
                ],
            )
        ],
    },
    {
        "name": "exact deck for 4: A to J",
        "position": position(
            rules(players=4, exact_deck=True, cards=44),
            ["AC", "2C", "3C", "4C"],
            ["JS", "JH", "JD", "JC"],
        ),
        "steps": [
            step(
                play("JS JH JD JC"),
                [0, 0, 0, 0],
                ["AC", "2C", "3C", "4C JC JD JH JS"],
                [
                    reveal(1, "3:JC 2:JD 1:JH 0:JS"),
                    place(3, "JC", 3),
                    place(2, "JD", 3),
                    place(1, "JH", 3),
                    place(0, "JS", 3),
                ],
            )
        ],
    },
    {
        "name": "6 nimmt! exact deck for 3: 1 to 34",
        "position": position(
            rules("six_nimmt", 3, exact_deck=True, cards=34),
            ["4", "3", "2", "1"],
            ["34", "33", "32"],
        ),
        "steps": [
            step(
                play("34 33 32"),
                [0, 0, 0],
                ["4 32 33 34", "3", "2", "1"],
                [
                    reveal(1, "2:32 1:33 0:34"),
                    place(2, 32, 0),
                    place(1, 33, 0),
                    place(0, 34, 0),
                ],
            )
        ],
    },
    {
        "name": "ten players: all 104 cards are in play",
        "position": position(
            rules(players=10),
            ["2C", "3C", "4C", "5C"],
            ["6C", "6C", "6D", "6D", "6H", "6H", "6S", "6S", "7C", "7C"],
            dealer=9,
        ),
        "steps": [
            step(
                play("6C 6C 6D 6D 6H 6H 6S 6S 7C 7C"),
                [0, 0, 0, 0, 6, 0, 0, 0, 0, 5],
                ["2C", "3C", "4C", "7C"],
                [
                    reveal(1, "0:6C 1:6C 2:6D 3:6D 4:6H 5:6H 6:6S 7:6S 8:7C 9:7C"),
                    place(0, "6C", 3),
                    place(1, "6C", 3),
                    place(2, "6D", 3),
                    place(3, "6D", 3),
                    take(4, 3, "5C 6C 6C 6D 6D", 6),
                    place(4, "6H", 3),
                    place(5, "6H", 3),
                    place(6, "6S", 3),
                    place(7, "6S", 3),
                    place(8, "7C", 3),
                    take(9, 3, "6H 6H 6S 6S 7C", 5),
                    place(9, "7C", 3),
                ],
            )
        ],
    },
]

CASES: list[Case] = EXAMPLES + PLACING + TWINS + TWIN_ROWS + ENDS
