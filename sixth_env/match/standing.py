"""What a tournament brought: the figures made from the results of all its line-ups."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError, MissingExtraError
from sixth_env.games import get_game
from sixth_env.match import ratings
from sixth_env.match.result import Entrant, MatchResult
from sixth_env.match.settle import Settling
from sixth_env.match.stats import CONFIDENCE, RESAMPLES, Bootstrap, Estimate, ratio

_FIGURES = ("points", "seat_rounds", "wins", "seat_games")


@dataclass(frozen=True, eq=False)
class Tournament:
    """The matches of all line-ups, on the same deals.

    Attributes:
        names: (N,) the entrants.
        format: "table", or "field": each entrant alone in a field of each other one.
        results: a match for each line-up.
        settling: the rule by which play stopped early, if one was asked for. The intervals of
            differences are those of that rule then.
    """

    names: tuple[str, ...]
    format: str
    results: tuple[MatchResult, ...]
    settling: Settling | None = None

    def joined(self, more: Sequence[MatchResult]) -> Tournament:
        """The same line-ups with further deals; ``more`` has a match for each of them."""
        if not self.results:
            return replace(self, results=tuple(more))
        pairs = zip(self.results, more, strict=True)
        return replace(self, results=tuple(MatchResult.join(pair) for pair in pairs))

    @property
    def deals(self) -> int:
        """How many different deals were played."""
        return self.results[0].deals

    @property
    def games(self) -> int:
        """How many games were played."""
        return sum(result.games for result in self.results)

    @property
    def players(self) -> int:
        """P, the seats at a table."""
        return len(self.results[0].line_up)

    def index(self, entrant: int | str) -> int:
        """The index of an entrant given by name or index.

        Raises:
            ConfigError: no entrant has that name or index.
        """
        if isinstance(entrant, str) and entrant in self.names:
            return self.names.index(entrant)
        if isinstance(entrant, int) and 0 <= entrant < len(self.names):
            return entrant
        raise ConfigError(f"no entrant {entrant!r}: expected one of {', '.join(self.names)}")

    # --- Entrants ------------------------------------------------------------------------------

    def entrant(self, entrant: int | str) -> Entrant:
        """An entrant's seats, decisions and seconds, summed over all line-ups."""
        name = self.names[self.index(entrant)]
        parts = [e for result in self.results for e in result.entrants if e.name == name]
        return replace(
            parts[0],
            seats=sum(part.seats for part in parts),
            decisions=sum(part.decisions for part in parts),
            seconds=sum(part.seconds for part in parts),
        )

    def points_per_round(self, entrant: int | str) -> Estimate:
        """Mean points per round and seat, over all tables that the entrant sat at."""
        return self._ratio("points", "seat_rounds", self.index(entrant))

    def win_share(self, entrant: int | str) -> Estimate:
        """Mean share of the win per seat; 1 / P for equals, if no match was cut off."""
        return self._ratio("wins", "seat_games", self.index(entrant))

    def rating(self, entrant: int | str) -> Estimate:
        """Rating, higher is better, 25 being the start; see :mod:`sixth_env.match.ratings`.

        Raises:
            MissingExtraError: openskill is not installed.
        """
        return ratings.rating(self._ratings, self.index(entrant))

    def by_seat(self, entrant: int | str) -> NDArray[np.float64]:
        """Mean points per round at each seat, (P,); NaN where the entrant never sat."""
        name = self.names[self.index(entrant)]
        points, rounds = np.sum([result.seat_sums(name) for result in self._with(name)], axis=0)
        nowhere = np.full(self.players, np.nan)
        return np.asarray(np.divide(points, rounds, out=nowhere, where=rounds > 0))

    def by_turn(self, entrant: int | str) -> NDArray[np.float64]:
        """Mean points per round and seat in each turn, (T,); T is 0 in games of another kind."""
        name = self.names[self.index(entrant)]
        places = [(result, result.index(name)) for result in self._with(name)]
        points = np.sum([result.turn_points[index] for result, index in places], axis=0)
        rounds = [r.rounds.sum() * r.entrants[index].seats for r, index in places]
        return np.asarray(points / np.sum(rounds))

    # --- Pairs -----------------------------------------------------------------------------------

    def difference(self, entrant: int | str, other: int | str) -> Estimate | None:
        """Points per round of one minus those of another; below zero, the first is better.

        At the tables where both sat, each with the mean of its seats; ``None`` if they never met.
        In the field format, of the entrant alone among the others.
        """
        a, b = self.index(entrant), self.index(other)
        if (a, b) in self._pairs:
            return self._difference(a, b)
        if self.format == "field" or (b, a) not in self._pairs:
            return None
        mirrored = self._difference(b, a)
        return Estimate(-mirrored.value, -mirrored.high, -mirrored.low)

    @property
    def differences(self) -> dict[tuple[int, int], Estimate]:
        """The differences that were measured: a pair of entrants once, in the field format twice.

        They are what the rule for stopping early is about.
        """
        return {(a, b): self._difference(a, b) for a, b in self._pairs}

    def beats(self, entrant: int | str, other: int | str) -> bool:
        """Whether the first takes fewer points than the other, beyond chance."""
        difference = self.difference(entrant, other)
        return difference is not None and difference.high < 0

    @property
    def settled(self) -> bool:
        """Whether all differences are settled by the rule for stopping early, if there is one."""
        return self.settling is not None and self.settling.settled(self.differences.values())

    @cached_property
    def cycles(self) -> list[tuple[str, ...]]:
        """Circles in which each beats the next and the last the first, the shortest ones first.

        For every win that lies on circles, a shortest of them; so the list is empty only if nothing
        goes round. A circle of two, in the field format: each alone beats a field of the other.
        """
        everybody = range(len(self.names))
        wins = {a: [b for b in everybody if b != a and self.beats(a, b)] for a in everybody}
        ways_back = (_path(wins, b, a) for a, beaten in wins.items() for b in beaten)
        found = {_from_the_first(path) for path in ways_back if path}
        ordered = sorted(found, key=lambda circle: (len(circle), circle))
        return [tuple(self.names[index] for index in circle) for circle in ordered]

    # --- Reports ---------------------------------------------------------------------------------

    @property
    def matches(self) -> dict[tuple[int, int], MatchResult]:
        """Field format: the match of entrant a alone among b's, by (a, b)."""
        who = self._who
        return {(w[0], w[1]): match for w, match in zip(who, self.results, strict=True)}

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values for JSON."""
        first = self.results[0]
        return {
            "game": first.game,
            "title": get_game(first.game).title,
            "unit": get_game(first.game).unit,
            "rules": first.rules,
            "seed": first.seed,
            "format": self.format,
            "players": self.players,
            "deals": self.deals,
            "line_ups": [self._line_up_dict(result) for result in self.results],
            "games": self.games,
            "rounds": sum(int(result.rounds.sum()) for result in self.results),
            "confidence": CONFIDENCE,
            "resamples": RESAMPLES,
            "entrants": [self._entrant_dict(index) for index in range(len(self.names))],
            "differences": [
                {
                    "entrant": self.names[a],
                    "other": self.names[b],
                    **difference.to_dict(),
                    "significant": difference.significant,
                }
                for (a, b), difference in self.differences.items()
            ],
            "cycles": [list(cycle) for cycle in self.cycles],
            "until_settled": None
            if self.settling is None
            else self.settling.to_dict(self.deals, self.settled),
        }

    def _line_up_dict(self, result: MatchResult) -> dict[str, Any]:
        line_up = [result.entrants[index].name for index in result.line_up]
        return {"entrants": line_up, "rotations": list(result.rotations)}

    def _entrant_dict(self, index: int) -> dict[str, Any]:
        entrant, seats = self.entrant(index), self.by_seat(index).tolist()
        return {
            "name": entrant.name,
            "spec": entrant.spec,
            "greedy": entrant.greedy,
            "points_per_round": self.points_per_round(index).to_dict(),
            "win_share": self.win_share(index).to_dict(),
            "rating": self._rating_dict(index),
            "points_by_seat": [points if np.isfinite(points) else None for points in seats],
            "points_by_turn": self.by_turn(index).tolist(),
            "decisions": entrant.decisions,
            "seconds": entrant.seconds,
            "decisions_per_second": entrant.speed,
        }

    def _rating_dict(self, index: int) -> dict[str, float | None] | None:
        """The rating; ``None`` without openskill."""
        try:
            return self.rating(index).to_dict()
        except MissingExtraError:
            return None

    # --- Blocks ----------------------------------------------------------------------------------

    @cached_property
    def _who(self) -> list[list[int]]:
        """For each line-up, which of all entrants its entrants are."""
        return [[self.names.index(e.name) for e in result.entrants] for result in self.results]

    def _with(self, name: str) -> list[MatchResult]:
        return [result for result in self.results if name in (e.name for e in result.entrants)]

    @cached_property
    def _ratings(self) -> Bootstrap:
        return ratings.rate(self.results, self._who, len(self.names))

    def _ratio(self, above: str, below: str, entrant: int) -> Estimate:
        start = entrant * len(_FIGURES)
        a, b = start + _FIGURES.index(above), start + _FIGURES.index(below)
        return self._bootstrap.estimate(lambda sums: ratio(sums[..., a], sums[..., b]))

    def _difference(self, a: int, b: int) -> Estimate:
        if self.settling is not None:
            return self.settling.interval(*self._pairs[a, b].T)
        column = len(_FIGURES) * len(self.names) + 2 * list(self._pairs).index((a, b))
        return self._bootstrap.estimate(
            lambda sums: ratio(sums[..., column], sums[..., column + 1])
        )

    @cached_property
    def _bootstrap(self) -> Bootstrap:
        """Blocks of deals: each entrant's figures, then each pair's difference and rounds."""
        figures = self._figures.swapaxes(0, 1).reshape(self._figures.shape[1], -1)
        pairs = [] if self.settling is not None else list(self._pairs.values())
        return Bootstrap(np.concatenate([figures, *pairs], axis=1))

    @cached_property
    def _figures(self) -> NDArray[np.float64]:
        """Points, rounds, wins and games by deal, summed over seats and line-ups, (N, deals, 4)."""
        parts = [result.blocks for result in self.results]
        figures = np.zeros((len(self.names), len(parts[0]), len(_FIGURES)))
        for who, part in zip(self._who, parts, strict=True):
            figures[who] += part.swapaxes(0, 1)
        return figures

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], NDArray[np.float64]]:
        """By deal, the difference of two entrants' points and the rounds they shared, (n, 2)."""
        pairs: dict[tuple[int, int], Any] = {}
        for who, result in zip(self._who, self.results, strict=True):
            seats = [entrant.seats for entrant in result.entrants]
            means = result.blocks[..., 0] / seats
            rounds = result.blocks[:, 0, 1] / seats[0]
            for i, j in _compared(who, self.format):
                values = np.stack([means[:, i] - means[:, j], rounds], axis=1)
                pairs[who[i], who[j]] = pairs.get((who[i], who[j]), 0.0) + values
        return dict(sorted(pairs.items()))


def _compared(who: Sequence[int], format: str) -> list[tuple[int, int]]:
    """Places in ``who`` of the entrants to be compared, the lower of all entrants first."""
    if format == "field":
        return [(0, 1)]
    order = sorted(range(len(who)), key=lambda place: who[place])
    return list(combinations(order, 2))


def _path(wins: dict[int, list[int]], start: int, end: int) -> tuple[int, ...]:
    """A shortest way from one entrant to another, each beating the next; empty if there is none."""
    paths: deque[tuple[int, ...]] = deque([(start,)])
    seen = {start}
    while paths:
        path = paths.popleft()
        if path[-1] == end:
            return path
        new = [beaten for beaten in wins[path[-1]] if beaten not in seen]
        seen.update(new)
        paths.extend((*path, beaten) for beaten in new)
    return ()


def _from_the_first(circle: tuple[int, ...]) -> tuple[int, ...]:
    """A circle told from its least entrant on."""
    first = circle.index(min(circle))
    return circle[first:] + circle[:first]
