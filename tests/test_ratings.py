"""Ratings: the library's, from all games of everybody, with intervals over deals."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sixth_env.errors import MissingExtraError
from sixth_env.games import GAMES
from sixth_env.match import Entrant, MatchResult, Tournament, play_tournament, shared_wins, stats

pytest.importorskip("openskill")


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "RESAMPLES", 1000)


def table_of(points: Any, names: str = "ABCD") -> Tournament:
    """One table with given points (deals, R, P)."""
    array = np.array(points, np.float64)
    result = MatchResult(
        game="sixth_card",
        rules=GAMES["sixth_card"].rules(num_players=array.shape[2], num_rounds=1).to_dict(),
        seed=1,
        entrants=tuple(Entrant(name, 1) for name in names),
        line_up=np.arange(len(names)),
        points=array,
        wins=shared_wins(array),
        rounds=np.ones(array.shape[:2], np.int64),
        rotations=tuple(range(array.shape[1])),
        turn_points=np.zeros((len(names), 0)),
    )
    return Tournament(tuple(names), "table", (result,))


def test_the_stronger_is_rated_higher() -> None:
    names = ["random", "cautious", "lowest", "closest", "highest"]
    table = play_tournament("sixth_card", names, players=4, deals=100, num_rounds=1)
    ranked = sorted(names, key=lambda name: -table.rating(name).value)
    assert ranked[2:] == ["highest", "lowest", "random"]
    assert set(ranked[:2]) == {"cautious", "closest"}
    for better, worse in pairwise(ranked[1:]):
        assert table.rating(better).low > table.rating(worse).high
    assert table.to_dict()["entrants"][0]["rating"] == table.rating("random").to_dict()


def test_a_game_is_rated_as_the_library_rates_it() -> None:
    from openskill.models import PlackettLuce

    table = table_of([[[4, 1, 1, 9]]])
    model = PlackettLuce(tau=0.0)
    expected = model.rate([[model.rating()] for _ in range(4)], ranks=[3, 1, 1, 4])
    found = [table.rating(name) for name in "ABCD"]
    assert [rating.value for rating in found] == pytest.approx([team[0].mu for team in expected])
    assert found[0].low == -np.inf and found[0].high == np.inf  # a single deal proves nothing
    assert found[1].value == found[2].value > 25 > found[3].value


def test_who_always_ties_stays_where_everybody_starts() -> None:
    table = table_of(np.full((200, 4, 4), 7))
    for name in "ABCD":
        rating = table.rating(name)
        assert rating.value == pytest.approx(25)
        assert rating.high - rating.low == pytest.approx(0)


def test_equals_are_rated_alike_wherever_they_are_listed() -> None:
    """Points of equals: no place in the list, and no order of games, is worth anything."""
    rng = np.random.default_rng(5)
    ratings = np.array(
        [
            [table_of(rng.integers(0, 30, (60, 4, 4))).rating(name).value for name in "ABCD"]
            for _ in range(12)
        ]
    )
    spread = ratings.std() / np.sqrt(12)
    assert np.abs(ratings.mean(axis=0) - 25).max() < 4 * spread
    assert spread < 0.4


def test_intervals_hold_what_they_promise() -> None:
    """Equals: 95 % intervals hold 25 in about 95 %."""
    rng = np.random.default_rng(6)
    held = []
    for _ in range(25):
        table = table_of(rng.integers(0, 30, (80, 1, 4)))
        held += [table.rating(name).low <= 25 <= table.rating(name).high for name in "ABCD"]
    assert np.mean(held) > 0.87


def test_the_same_games_get_the_same_ratings() -> None:
    points = np.random.default_rng(7).integers(0, 30, (50, 4, 4))
    assert table_of(points).rating("A") == table_of(points.copy()).rating("A")


def test_what_a_cap_cuts_off_is_not_rated() -> None:
    table = table_of([[[4, 1, 1, 9]]])
    table.results[0].wins[:] = 0
    assert [table.rating(name).value for name in "ABCD"] == [25.0] * 4


def test_without_the_library_there_are_no_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    table = table_of([[[4, 1, 1, 9]]])
    with pytest.raises(MissingExtraError, match=r"pip install 'sixth_env\[bench\]'"):
        table.rating("A")
    assert table.to_dict()["entrants"][0]["rating"] is None
