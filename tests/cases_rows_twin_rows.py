"""Hand-worked cases of rows that end in twins, and of two decisions in a turn; see `cases_rows`."""

from __future__ import annotations

from tests.cases_rows_build import (
    Case,
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

TWO = rules(players=2, decks=2)
TWO_CHEAPEST = rules(players=2, decks=2, row_choice="cheapest")

# --- Rows that end in twins ---------------------------------------------------------------------

FULL_TWIN_ROWS = ["3C 4C 5C 6C 9H", "8D 8H 8S 9C 9H", "2C", "2D"]  # worth 6 and 5
FULL_TWIN_ASKS = step(
    play("10C 10S"),
    [0, 0],
    FULL_TWIN_ROWS,
    [reveal(5, "0:10C 1:10S"), ask(0, "10C", [0, 1])],
    "row",
)

TWIN_ENDS: list[Case] = [
    {
        "name": "unequal twin rows: the shorter, though it is the later one",
        "position": position(TWO, ["5C 9H", "9H", "2C 2D", "3C"], ["10C", "KS"]),
        "steps": [
            step(
                play("10C KS"),
                [0, 0],
                ["5C 9H", "9H 10C KS", "2C 2D", "3C"],
                [reveal(2, "0:10C 1:KS"), place(0, "10C", 1), place(1, "KS", 1)],
            )
        ],
    },
    {
        "name": "unequal twin rows: the shorter saves from the full one",
        "position": position(TWO, ["9H", "5C 6C 7C 8C 9H", "2C", "3C"], ["9S", "KD"]),
        "steps": [
            step(
                play("9S KD"),
                [0, 0],
                ["9H 9S KD", "5C 6C 7C 8C 9H", "2C", "3C"],
                [reveal(3, "0:9S 1:KD"), place(0, "9S", 0), place(1, "KD", 0)],
            )
        ],
    },
    {
        "name": "unequal twin rows: the shorter, though cheapest would prefer the longer",
        "position": position(TWO_CHEAPEST, ["10C KH", "AC AD KH", "2C", "3C 3D"], ["KS", "4C"]),
        "steps": [
            step(
                play("KS 4C"),
                [0, 0],
                ["10C KH KS", "AC AD KH", "2C", "3C 3D 4C"],
                [reveal(3, "1:4C 0:KS"), place(1, "4C", 3), place(0, "KS", 0)],
            )
        ],
    },
    {
        "name": "equal twin rows: the owner chooses between those two only, after lower cards",
        "position": position(TWO, ["9H", "2C", "9H", "3C"], ["10C", "2D"]),
        "steps": [
            step(
                play("10C 2D"),
                [0, 0],
                ["9H", "2C 2D", "9H", "3C"],
                [reveal(1, "1:2D 0:10C"), place(1, "2D", 1), ask(0, "10C", [0, 2])],
                "row",
            ),
            step(
                choose(0, 2, 2),
                [0, 0],
                ["9H", "2C 2D", "9H 10C", "3C"],
                [place(0, "10C", 2)],
            ),
        ],
    },
    {
        "name": "equal twin rows, both full: the owner chooses which five to take (the dearer)",
        "position": position(TWO, FULL_TWIN_ROWS, ["10C", "10S"]),
        "steps": [
            FULL_TWIN_ASKS,
            step(
                choose(0, 0, 2),
                [6, 0],
                ["10C 10S", "8D 8H 8S 9C 9H", "2C", "2D"],
                [take(0, 0, "3C 4C 5C 6C 9H", 6), place(0, "10C", 0), place(1, "10S", 0)],
            ),
        ],
    },
    {
        "name": "equal twin rows, both full: the owner chooses which five to take (the cheaper)",
        "position": position(TWO, FULL_TWIN_ROWS, ["10C", "10S"]),
        "steps": [
            FULL_TWIN_ASKS,
            step(
                choose(0, 1, 2),
                [5, 0],
                ["3C 4C 5C 6C 9H", "10C 10S", "2C", "2D"],
                [take(0, 1, "8D 8H 8S 9C 9H", 5), place(0, "10C", 1), place(1, "10S", 1)],
            ),
        ],
    },
    {
        "name": "equal twin rows, both full: cheapest takes the one worth less",
        "position": position(TWO_CHEAPEST, FULL_TWIN_ROWS, ["10C", "10S"]),
        "steps": [
            step(
                play("10C 10S"),
                [5, 0],
                ["3C 4C 5C 6C 9H", "10C 10S", "2C", "2D"],
                [
                    reveal(5, "0:10C 1:10S"),
                    take(0, 1, "8D 8H 8S 9C 9H", 5),
                    place(0, "10C", 1),
                    place(1, "10S", 1),
                ],
            )
        ],
    },
    {
        "name": "equal twin rows with room: cheapest goes to the one worth less (3 and 2)",
        "position": position(TWO_CHEAPEST, ["5C 9H", "8C 9H", "2C", "3C"], ["10C", "2D"]),
        "steps": [
            step(
                play("10C 2D"),
                [0, 0],
                ["5C 9H", "8C 9H 10C", "2C 2D", "3C"],
                [reveal(2, "1:2D 0:10C"), place(1, "2D", 2), place(0, "10C", 1)],
            )
        ],
    },
    {
        "name": "equal twin rows worth the same: cheapest goes to the lower number",
        "position": position(TWO_CHEAPEST, ["2C", "9H", "3C", "9H"], ["10C", "2D"]),
        "steps": [
            step(
                play("10C 2D"),
                [0, 0],
                ["2C 2D", "9H 10C", "3C", "9H"],
                [reveal(1, "1:2D 0:10C"), place(1, "2D", 0), place(0, "10C", 1)],
            )
        ],
    },
]

# --- Two decisions in a turn --------------------------------------------------------------------

TOO_LOW_THEN_TWINS = ["9H", "5C", "9H", "6C"]
TOO_LOW_ASKS = step(
    play("AC KC"),
    [0, 0],
    TOO_LOW_THEN_TWINS,
    [reveal(1, "0:AC 1:KC"), ask(0, "AC", [0, 1, 2, 3])],
    "row",
)

TWO_DECISIONS: list[Case] = [
    {
        "name": "too low, then a choice between twin rows",
        "position": position(TWO, TOO_LOW_THEN_TWINS, ["AC", "KC"]),
        "steps": [
            TOO_LOW_ASKS,
            step(
                choose(0, 1, 2),
                [2, 0],
                ["9H", "AC", "9H", "6C"],
                [take(0, 1, "5C", 2), place(0, "AC", 1), ask(1, "KC", [0, 2])],
                "row",
            ),
            step(
                choose(1, 0, 2),
                [0, 0],
                ["9H KC", "AC", "9H", "6C"],
                [place(1, "KC", 0)],
            ),
        ],
    },
    {
        "name": "too low takes one of the twin rows, which ends the other's choice",
        "position": position(TWO, TOO_LOW_THEN_TWINS, ["AC", "KC"]),
        "steps": [
            TOO_LOW_ASKS,
            step(
                choose(0, 0, 2),
                [1, 0],
                ["AC", "5C", "9H KC", "6C"],
                [take(0, 0, "9H", 1), place(0, "AC", 0), place(1, "KC", 2)],
            ),
        ],
    },
    {
        "name": "two pairs of twin rows, two choices",
        "position": position(TWO, ["5C", "5C", "9H", "9H"], ["JS", "7D"]),
        "steps": [
            step(
                play("JS 7D"),
                [0, 0],
                ["5C", "5C", "9H", "9H"],
                [reveal(1, "1:7D 0:JS"), ask(1, "7D", [0, 1])],
                "row",
            ),
            step(
                choose(1, 1, 2),
                [0, 0],
                ["5C", "5C 7D", "9H", "9H"],
                [place(1, "7D", 1), ask(0, "JS", [2, 3])],
                "row",
            ),
            step(
                choose(0, 3, 2),
                [0, 0],
                ["5C", "5C 7D", "9H", "9H JS"],
                [place(0, "JS", 3)],
            ),
        ],
    },
    {
        "name": "one seat's choice after a middle card has moved",
        "position": position(
            rules(players=3, decks=2), ["5C", "5C", "KC", "KC"], ["KS", "6D", "4C"], dealer=1
        ),
        "steps": [
            step(
                play("KS 6D 4C"),
                [0, 0, 0],
                ["5C", "5C", "KC", "KC"],
                [reveal(1, "2:4C 1:6D 0:KS"), ask(2, "4C", [0, 1, 2, 3])],
                "row",
            ),
            step(
                choose(2, 0, 3),
                [0, 0, 2],
                ["4C", "5C 6D", "KC", "KC"],
                [
                    take(2, 0, "5C", 2),
                    place(2, "4C", 0),
                    place(1, "6D", 1),
                    ask(0, "KS", [2, 3]),
                ],
                "row",
            ),
            step(
                choose(0, 2, 3),
                [0, 0, 0],
                ["4C", "5C 6D", "KC KS", "KC"],
                [place(0, "KS", 2)],
            ),
        ],
    },
]

TWIN_ROWS: list[Case] = TWIN_ENDS + TWO_DECISIONS
