"""Hand-worked cases of twins, the identical cards of two decks; see `cases_rows`."""

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

# Seats from the dealer's left round to the dealer, who comes last, at a table of five.
ORDER_AFTER_DEALER = {0: "12340", 1: "23401", 2: "34012", 3: "40123", 4: "01234"}


def revealed_together(first: int, second: int, dealer: int) -> Case:
    """Two of five seats reveal 9H: the first becomes a fifth card, the second a sixth.

    The others reveal QS, KH and KS in seat order, which go elsewhere.
    """
    others = [seat for seat in range(5) if seat not in (first, second)]
    hands = ["9H"] * 5
    for seat, card in zip(others, ("QS", "KH", "KS"), strict=True):
        hands[seat] = card
    points = [0] * 5
    points[second] = 5
    shown = f"{first}:9H {second}:9H {others[0]}:QS {others[1]}:KH {others[2]}:KS"
    return {
        "name": f"twins of seats {first} and {second}, dealer {dealer}",
        "position": position(
            rules(players=5), ["2C 2D 2H 2S", "QC QD QH", "KC", "KD"], hands, dealer=dealer
        ),
        "steps": [
            step(
                play(" ".join(hands)),
                points,
                ["9H", "QC QD QH QS", "KC", "KD KH KS"],
                [
                    reveal(2, shown),
                    place(first, "9H", 0),
                    take(second, 0, "2C 2D 2H 2S 9H", 5),
                    place(second, "9H", 0),
                    place(others[0], "QS", 1),
                    place(others[1], "KH", 3),
                    place(others[2], "KS", 3),
                ],
            )
        ],
    }


# Every pair of seats under every dealer.
SEAT_ORDER: list[Case] = [
    revealed_together(int(order[i]), int(order[j]), dealer)
    for dealer, order in ORDER_AFTER_DEALER.items()
    for i in range(5)
    for j in range(i + 1, 5)
]

# --- One twin on the table ----------------------------------------------------------------------

ON_THE_TABLE: list[Case] = [
    {
        "name": "a twin lies on its twin",
        "position": position(TWO, ["9H", "2C", "3C", "4C"], ["9H", "KC"]),
        "steps": [
            step(
                play("9H KC"),
                [0, 0],
                ["9H 9H KC", "2C", "3C", "4C"],
                [reveal(1, "0:9H 1:KC"), place(0, "9H", 0), place(1, "KC", 0)],
            )
        ],
    },
    {
        "name": "equal to the lowest end is not too low",
        "position": position(TWO, ["2C", "5H", "9H", "KC"], ["2C", "3C"]),
        "steps": [
            step(
                play("2C 3C"),
                [0, 0],
                ["2C 2C 3C", "5H", "9H", "KC"],
                [reveal(1, "0:2C 1:3C"), place(0, "2C", 0), place(1, "3C", 0)],
            )
        ],
    },
    {
        "name": "a twin that is the sixth card takes its twin too",
        "position": position(TWO, ["5C 6C 7C 8C 9H", "2C", "3C", "4C"], ["9H", "KS"]),
        "steps": [
            step(
                play("9H KS"),
                [6, 0],
                ["9H KS", "2C", "3C", "4C"],
                [
                    reveal(3, "0:9H 1:KS"),
                    take(0, 0, "5C 6C 7C 8C 9H", 6),
                    place(0, "9H", 0),
                    place(1, "KS", 0),
                ],
            )
        ],
    },
    {
        "name": "both twins in one hand are played one after the other",
        "position": position(TWO, ["8C", "2C", "3C", "4C"], ["9H 9H", "KC KS"]),
        "steps": [
            step(
                play("9H KC"),
                [0, 0],
                ["8C 9H KC", "2C", "3C", "4C"],
                [reveal(1, "0:9H 1:KC"), place(0, "9H", 0), place(1, "KC", 0)],
            ),
            step(
                play("9H KS"),
                [0, 0],
                ["8C 9H KC KS", "2C", "3C", "4C 9H"],
                [reveal(2, "0:9H 1:KS"), place(0, "9H", 3), place(1, "KS", 0)],
            ),
        ],
    },
]

# --- Twins revealed together --------------------------------------------------------------------

TOGETHER: list[Case] = [
    {
        "name": "the first twin is the sixth card, the second lies on it",
        "position": position(TWO, ["2C 3C 4C 5C 6C", "KC", "KD", "KH"], ["9H", "9H"], dealer=0),
        "steps": [
            step(
                play("9H 9H"),
                [0, 6],
                ["9H 9H", "KC", "KD", "KH"],
                [
                    reveal(3, "1:9H 0:9H"),
                    take(1, 0, "2C 3C 4C 5C 6C", 6),
                    place(1, "9H", 0),
                    place(0, "9H", 0),
                ],
            )
        ],
    },
    {
        "name": "the first twin is too low and starts a row, the second lies on it",
        "position": position(TWO, ["5C", "6C", "7C", "8C"], ["2H", "2H"], dealer=1),
        "steps": [
            step(
                play("2H 2H"),
                [0, 0],
                ["5C", "6C", "7C", "8C"],
                [reveal(1, "0:2H 1:2H"), ask(0, "2H", [0, 1, 2, 3])],
                "row",
            ),
            step(
                choose(0, 1, 2),
                [1, 0],
                ["5C", "2H 2H", "7C", "8C"],
                [take(0, 1, "6C", 1), place(0, "2H", 1), place(1, "2H", 1)],
            ),
        ],
    },
    {
        "name": "the same with the other dealer: the other seat is asked",
        "position": position(TWO, ["5C", "6C", "7C", "8C"], ["2H", "2H"], dealer=0),
        "steps": [
            step(
                play("2H 2H"),
                [0, 0],
                ["5C", "6C", "7C", "8C"],
                [reveal(1, "1:2H 0:2H"), ask(1, "2H", [0, 1, 2, 3])],
                "row",
            ),
            step(
                choose(1, 0, 2),
                [0, 2],
                ["2H 2H", "6C", "7C", "8C"],
                [take(1, 0, "5C", 2), place(1, "2H", 0), place(0, "2H", 0)],
            ),
        ],
    },
    {
        "name": "the first twin chooses between twin rows, the second lies on it",
        "position": position(TWO, ["5C", "5C", "KC", "KD"], ["7D", "7D"], dealer=0),
        "steps": [
            step(
                play("7D 7D"),
                [0, 0],
                ["5C", "5C", "KC", "KD"],
                [reveal(1, "1:7D 0:7D"), ask(1, "7D", [0, 1])],
                "row",
            ),
            step(
                choose(1, 1, 2),
                [0, 0],
                ["5C", "5C 7D 7D", "KC", "KD"],
                [place(1, "7D", 1), place(0, "7D", 1)],
            ),
        ],
    },
]

TWINS: list[Case] = SEAT_ORDER + ON_THE_TABLE + TOGETHER
