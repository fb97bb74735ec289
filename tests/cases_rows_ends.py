"""Hand-worked ends of rounds and matches; see `cases_rows`."""

from __future__ import annotations

from typing import Any

from tests.cases_rows_build import (
    Case,
    Step,
    ask,
    choose,
    match_end,
    place,
    play,
    position,
    reveal,
    round_end,
    rules,
    step,
    take,
)

# --- Two players, turn 9 of round 5: seat 0 takes 13 points now, seat 1 has 12 in its pile --------


def takes_13_on_turn_9(
    name: str,
    before: list[int],
    after: list[int],
    winners: list[int] | None,
    **changes: Any,
) -> Case:
    """Totals before and after round 5; `winners` is None where another round follows."""
    end = [round_end(5, [13, 12], after)]
    if winners is not None:
        end.append(match_end(after, winners))
    return {
        "name": name,
        "position": position(
            rules(players=2, **changes),
            ["9S 10C JD QH QS", "2C", "3C", "4C"],
            ["9C KC", "3D 4D"],
            ["", "6C 6D 6H 6S 7C 7D 7H 7S 8C 8D 8H 8S"],
            round=5,
            totals=before,
        ),
        "steps": [
            step(
                play("KC 3D"),
                [13, 0],
                ["KC", "2C", "3C 3D", "4C"],
                [
                    reveal(9, "1:3D 0:KC"),
                    place(1, "3D", 2),
                    take(0, 0, "9S 10C JD QH QS", 13),
                    place(0, "KC", 0),
                ],
            ),
            step(
                play("9C 4D"),
                [0, 0],
                ["KC", "2C", "3C 3D", "4C 4D 9C"],
                [reveal(10, "1:4D 0:9C"), place(1, "4D", 3), place(0, "9C", 3), *end],
                "deal" if winners is None else "over",
            ),
        ],
    }


TARGETS: list[Case] = [
    takes_13_on_turn_9("66 is passed in mid-round, which goes on", [60, 20], [73, 32], [1]),
    takes_13_on_turn_9("exactly 66 ends the match", [53, 20], [66, 32], [1]),
    takes_13_on_turn_9("65 does not end the match", [52, 20], [65, 32], None),
    takes_13_on_turn_9("44 in place of 66", [31, 20], [44, 32], [1], target_score=44),
    takes_13_on_turn_9("43 of 44", [30, 20], [43, 32], None, target_score=44),
    takes_13_on_turn_9("44 of 66", [31, 20], [44, 32], None),
    takes_13_on_turn_9("both at the target, the lower wins", [58, 60], [71, 72], [0]),
    takes_13_on_turn_9("both at the target and equal", [60, 61], [73, 73], [0, 1]),
    takes_13_on_turn_9("the last of five rounds", [0, 20], [13, 32], [0], num_rounds=5),
    takes_13_on_turn_9(
        "the last of five rounds, beyond 66", [80, 99], [93, 111], [0], num_rounds=5
    ),
    takes_13_on_turn_9("six rounds ignore the target", [90, 20], [103, 32], None, num_rounds=6),
]

# --- Three players, hands of two cards: the points of the last turn count -------------------------


def last_of_three(
    name: str,
    before: list[int],
    after: list[int],
    winners: list[int],
    reward: str = "penalty",
    rewards: list[float] | None = None,
) -> Case:
    """Seat 1 takes 7 points with the last turn of round 3, which ends the match."""
    return {
        "name": name,
        "position": position(
            rules(players=3, hand_size=2, reward=reward),
            ["9C 9D 9H 9S", "2C", "3C", "4C"],
            ["10C", "10D", "10S"],
            dealer=1,
            round=3,
            totals=before,
        ),
        "steps": [
            step(
                play("10C 10D 10S"),
                [0, 7, 0],
                ["10D 10S", "2C", "3C", "4C"],
                [
                    reveal(2, "0:10C 1:10D 2:10S"),
                    place(0, "10C", 0),
                    take(1, 0, "9C 9D 9H 9S 10C", 7),
                    place(1, "10D", 0),
                    place(2, "10S", 0),
                    round_end(3, [0, 7, 0], after),
                    match_end(after, winners),
                ],
                "over",
                rewards,
            )
        ],
    }


WINNERS: list[Case] = [
    last_of_three("the fewest points win: 12, 70, 30", [12, 63, 30], [12, 70, 30], [0]),
    last_of_three("a tie shares the win", [30, 63, 30], [30, 70, 30], [0, 2]),
    last_of_three(
        "the win is worth 1", [12, 63, 30], [12, 70, 30], [0], "win", rewards=[1.0, 0.0, 0.0]
    ),
    last_of_three(
        "a shared win is worth 1 / 2", [30, 63, 30], [30, 70, 30], [0, 2], "win", [0.5, 0.0, 0.5]
    ),
    last_of_three(
        "relative rewards add up to 0", [0, 59, 0], [0, 66, 0], [0, 2], "relative", [3.5, -7.0, 3.5]
    ),
]

# --- The worked example as a round's last turn ----------------------------------------------------

LAST_ROWS = ["8H", "9S 10C JD QH QS", "2C", "7D"]
LAST_PILES = [
    "AC AD AS 2D 2H 2S 3C 3D",  # 8 points
    "3H 3S 4C 4D 4H 4S 6C 6D",  # 8
    "6H 6S 7C 7H 8C 8D 8S 9C",  # 8
    "5C 5D 5H 5S 9D 9H 10D 10H",  # 16
]


def example_ends_round(name: str, before: list[int], after: list[int], winners: list[int]) -> Case:
    """The last card of a round falls after a row decision; `winners` is empty if play goes on."""
    end = [round_end(2, [8, 21, 9, 16], after)]
    if winners:
        end.append(match_end(after, winners))
    asked: Step = step(
        play("JS KC AH 7S"),
        [0, 0, 0, 0],
        LAST_ROWS,
        [reveal(10, "2:AH 3:7S 0:JS 1:KC"), ask(2, "AH", [0, 1, 2, 3])],
        "row",
    )
    answered: Step = step(
        choose(2, 2, 4),
        [0, 13, 1, 0],
        ["8H JS", "KC", "AH", "7D 7S"],
        [
            take(2, 2, "2C", 1),
            place(2, "AH", 2),
            place(3, "7S", 3),
            place(0, "JS", 0),
            take(1, 1, "9S 10C JD QH QS", 13),
            place(1, "KC", 1),
            *end,
        ],
        "over" if winners else "deal",
    )
    return {
        "name": name,
        "position": position(
            rules(),
            LAST_ROWS,
            ["JS", "KC", "AH", "7S"],
            LAST_PILES,
            dealer=3,
            round=2,
            totals=before,
        ),
        "steps": [asked, answered],
    }


AFTER_A_DECISION: list[Case] = [
    example_ends_round("a round ends after a row decision", [9, 8, 7, 6], [17, 29, 16, 22], []),
    example_ends_round(
        "a match ends after a row decision", [9, 45, 8, 6], [17, 66, 17, 22], [0, 2]
    ),
]

ENDS: list[Case] = TARGETS + WINNERS + AFTER_A_DECISION
