"""Who sits with whom, and where: all line-ups, or as balanced a part of them as can be."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from sixth_env.errors import ConfigError
from sixth_env.match.schedule import LineUp, make_schedule


def times(schedule: list[LineUp], entrants: int) -> NDArray[np.int64]:
    """How many seats each entrant has."""
    return np.bincount([e for line_up in schedule for e in line_up.entrants], minlength=entrants)


def meetings(schedule: list[LineUp], entrants: int) -> list[int]:
    """At how many tables each pair sits together."""
    return [
        sum({a, b} <= set(line_up.entrants) for line_up in schedule)
        for a, b in combinations(range(entrants), 2)
    ]


def visits(schedule: list[LineUp], entrants: int, players: int) -> NDArray[np.int64]:
    """How often each entrant sits at each seat, (N, P)."""
    found = np.zeros((entrants, players), np.int64)
    for line_up in schedule:
        for rotation in line_up.rotations:
            for position, entrant in enumerate(line_up.entrants):
                found[entrant, (position + rotation) % players] += 1
    return found


def test_as_many_entrants_as_seats_sit_at_one_table() -> None:
    assert make_schedule(4, 4) == [LineUp((0, 1, 2, 3), (0, 1, 2, 3))]


@pytest.mark.parametrize(("entrants", "players", "line_ups"), [(6, 4, 15), (5, 2, 10), (9, 3, 84)])
def test_more_entrants_sit_in_all_combinations(entrants: int, players: int, line_ups: int) -> None:
    schedule = make_schedule(entrants, players)
    chosen = {tuple(sorted(line_up.entrants)) for line_up in schedule}
    assert chosen == set(combinations(range(entrants), players))
    assert len(schedule) == line_ups
    assert len(set(meetings(schedule, entrants))) == 1
    assert np.ptp(visits(schedule, entrants, players)) == 0


@pytest.mark.parametrize(
    ("entrants", "players", "expected"),
    [
        (2, 4, [[0, 0, 1, 1]]),
        (3, 4, [[0, 0, 1, 2], [0, 1, 1, 2], [0, 1, 2, 2]]),
        (2, 5, [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]),
        (4, 6, [sorted([0, 1, 2, 3, *pair]) for pair in combinations(range(4), 2)]),
    ],
)
def test_fewer_entrants_fill_the_seats_evenly(
    entrants: int, players: int, expected: list[list[int]]
) -> None:
    schedule = make_schedule(entrants, players)
    assert sorted(sorted(line_up.entrants) for line_up in schedule) == sorted(expected)
    assert np.ptp(times(schedule, entrants)) == 0


@pytest.mark.parametrize(
    ("entrants", "players", "line_ups"),
    [(12, 4, 30), (10, 2, 20), (20, 6, 50), (5, 4, 3), (7, 3, 7)],
)
def test_a_subset_is_balanced(entrants: int, players: int, line_ups: int) -> None:
    schedule = make_schedule(entrants, players, line_ups=line_ups)
    assert len({tuple(sorted(line_up.entrants)) for line_up in schedule}) == line_ups
    assert all(len(set(line_up.entrants)) == players for line_up in schedule)
    assert np.ptp(times(schedule, entrants)) <= 1
    together = meetings(schedule, entrants)
    mean = np.mean(together)
    assert max(together) - min(together) <= 3
    assert min(together) >= 1 or mean < 2


def test_many_line_ups_are_sampled_by_default() -> None:
    schedule = make_schedule(12, 4)
    assert len(schedule) == 100
    assert np.ptp(times(schedule, 12)) <= 1
    assert min(meetings(schedule, 12)) >= 7  # 9.1 on average


def test_the_last_choices_are_found_too() -> None:
    """One line-up fewer than all: the balancing choice has hardly any room left."""
    for entrants, size in ((6, 2), (5, 3), (7, 5)):
        every = len(list(combinations(range(entrants), size)))
        schedule = make_schedule(entrants, size, line_ups=every - 1)
        assert len({tuple(sorted(line_up.entrants)) for line_up in schedule}) == every - 1


def test_a_field_is_each_alone_among_each_other_one() -> None:
    schedule = make_schedule(3, 4, format="field")
    assert [line_up.entrants for line_up in schedule] == [
        (a, b, b, b) for a, b in permutations(range(3), 2)
    ]
    assert {line_up.rotations for line_up in schedule} == {(0, 1, 2, 3)}


@pytest.mark.parametrize(
    ("entrants", "players", "rotations"), [(6, 4, 2), (6, 4, 1), (10, 10, 5), (7, 6, 3), (3, 8, 2)]
)
def test_some_rotations_are_spread_evenly(entrants: int, players: int, rotations: int) -> None:
    schedule = make_schedule(entrants, players, rotations=rotations)
    assert {len(set(line_up.rotations)) for line_up in schedule} == {rotations}
    gaps = {
        (b - a) % players
        for line_up in schedule
        for a, b in zip(line_up.rotations, line_up.rotations[1:], strict=False)
    }
    assert max(gaps, default=1) - min(gaps, default=1) <= 1
    if len(schedule) > players:
        found = visits(schedule, entrants, players)
        assert np.ptp(found) <= max(2, 0.3 * found.mean())


def test_neighbours_change() -> None:
    """Nobody always sits behind the same other one, which would matter in games of turns."""
    schedule = make_schedule(6, 4)
    followed = {
        (line_up.entrants[k], line_up.entrants[(k + 1) % 4])
        for line_up in schedule
        for k in range(4)
    }
    assert len(followed) >= 24  # of 30


def test_a_later_entrant_leaves_the_line_ups_of_the_others_alone() -> None:
    """So that the file of a tournament serves one with a further entrant."""
    before, after = make_schedule(5, 3), make_schedule(6, 3)
    assert {line_up.entrants for line_up in before} < {line_up.entrants for line_up in after}


def test_the_same_schedule_every_time() -> None:
    assert make_schedule(12, 4) == make_schedule(12, 4)


def test_entrants_are_counted() -> None:
    with pytest.raises(ConfigError, match="line_ups must be at least 1, not 0"):
        make_schedule(6, 4, line_ups=0)
    with pytest.raises(ConfigError, match="have 15 line-ups, not 16"):
        make_schedule(6, 4, line_ups=16)
    with pytest.raises(ConfigError, match="2 line-ups of 4 seats are too few for 9 entrants"):
        make_schedule(9, 4, line_ups=2)
