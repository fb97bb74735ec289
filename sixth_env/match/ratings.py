"""Ratings: one number for an entrant, from all its games, by the library openskill.

The model is Plackett-Luce (Weng & Lin, "A Bayesian Approximation Method for Online Ranking", JMLR
2011): everybody starts at 25, a game is a ranking of its entrants by points, ties shared. Such a
rating follows the games one by one, so it depends a little on their order, and rating thousands of
resamples would take hours. Hence the deals are dealt out to groups at random; each group's games
are rated from the start in a random order; the rating is the mean over the groups, and a bootstrap
over them gives its interval. All games of a deal are in one group. The draws are from a fixed seed.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import MissingExtraError
from sixth_env.match.result import MatchResult
from sixth_env.match.stats import Bootstrap, Estimate

# A rating has found its place after some hundred games; more of them in a group cost only time.
GAMES_EACH = 400
FEWEST_GROUPS, MOST_GROUPS = 20, 40

_SEED = 20_260_103

# Games as openskill wants them: who was there, and their points, of which fewer is better.
_Game = tuple[Sequence[int], Sequence[float]]


def rate(results: Sequence[MatchResult], who: Sequence[Sequence[int]], entrants: int) -> Bootstrap:
    """Ratings of each group of deals, as blocks to be resampled.

    Args:
        results: matches on the same deals.
        who: for each of them, which of all entrants its entrants are.
        entrants: N, how many there are in all.

    Returns:
        Blocks (groups, N + 1): ratings, and a one; see :func:`rating`.

    Raises:
        MissingExtraError: openskill is not installed.
    """
    model = _models().PlackettLuce(tau=0.0)  # tau 0: nobody changes between games
    rng = np.random.default_rng(_SEED)
    deals = rng.permutation(results[0].deals)
    seats = sum(len(line_up) * result.games for line_up, result in zip(who, results, strict=True))
    groups = int(np.clip(seats / entrants / GAMES_EACH, FEWEST_GROUPS, MOST_GROUPS))
    most = -(-GAMES_EACH * entrants // max(map(len, who)))
    blocks = [
        [*_rate_group(model, _drawn(rng, results, who, group, most), entrants), 1.0]
        for group in np.array_split(deals, min(groups, len(deals)))
    ]
    return Bootstrap(np.array(blocks))


def rating(ratings: Bootstrap, entrant: int) -> Estimate:
    """An entrant's mean rating over the groups, and its interval."""
    return ratings.estimate(lambda sums: sums[..., entrant] / sums[..., -1])


def _models() -> ModuleType:
    try:
        return importlib.import_module("openskill.models")
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "ratings need openskill, which is not installed: pip install 'sixth_env[bench]'"
        ) from error


def _drawn(
    rng: np.random.Generator,
    results: Sequence[MatchResult],
    who: Sequence[Sequence[int]],
    deals: NDArray[np.int64],
    most: int,
) -> list[_Game]:
    """At most so many of a group's games, in random order; without those that a cap cut off."""
    shape = len(results), len(deals), len(results[0].rotations)
    places = int(np.prod(shape))
    chosen = np.unravel_index(rng.choice(places, min(most, places), replace=False), shape)
    games: list[_Game] = []
    for number, place, rotation in zip(*chosen, strict=True):
        result, deal = results[number], deals[place]
        if result.wins[deal, rotation].any():
            games.append((who[number], _mean_points(result, result.points[deal, rotation])))
    return games


def _mean_points(result: MatchResult, points: NDArray[np.float64]) -> list[float]:
    """Each entrant's points in a game, the mean over its seats."""
    sums = np.bincount(result.line_up, points)
    means: list[float] = (sums / np.bincount(result.line_up)).tolist()
    return means


def _rate_group(model: Any, games: Sequence[_Game], entrants: int) -> list[float]:
    ratings = [[model.rating()] for _ in range(entrants)]
    for who, points in games:
        new = model.rate([ratings[entrant] for entrant in who], ranks=list(points))
        for entrant, team in zip(who, new, strict=True):
            ratings[entrant] = team
    return [float(team[0].mu) for team in ratings]
