"""Everybody against everybody: who beats whom, and whether that goes round in a circle."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixth_env.errors import ConfigError
from sixth_env.match.play import Progress, distinct, part_of, play_against
from sixth_env.match.result import MatchResult
from sixth_env.match.setup import names_of, specs_of
from sixth_env.match.stats import Estimate
from sixth_env.opponents.base import Opponent


@dataclass(frozen=True, eq=False)
class CrossTable:
    """Each entrant alone against a field of each other one, all on the same deals.

    ``matches[a, b]`` is the match of one ``names[a]`` against a field of ``names[b]``.
    """

    names: tuple[str, ...]
    matches: dict[tuple[int, int], MatchResult]

    def difference(self, a: int, b: int) -> Estimate:
        """Points per round of a alone minus those of the b's around it: below zero, a is better."""
        return self.matches[a, b].difference(0)

    def beats(self, a: int, b: int) -> bool:
        """Whether a alone among b's takes fewer points than they do, beyond chance."""
        return self.difference(a, b).high < 0

    @property
    def cycles(self) -> list[tuple[str, ...]]:
        """Circles in which each beats the next and the last the first, the shortest ones first.

        For every win that lies on circles, a shortest of them; so the list is empty only if nothing
        goes round. A circle of two: each alone beats a field of the other.
        """
        everybody = range(len(self.names))
        wins = {a: [b for b in everybody if b != a and self.beats(a, b)] for a in everybody}
        ways_back = (_path(wins, b, a) for a, beaten in wins.items() for b in beaten)
        found = {_from_the_first(path) for path in ways_back if path}
        ordered = sorted(found, key=lambda circle: (len(circle), circle))
        return [tuple(self.names[index] for index in circle) for circle in ordered]

    def to_dict(self) -> dict[str, Any]:
        """The table as plain values for JSON."""
        return {
            "names": list(self.names),
            "differences": [
                {
                    "entrant": self.names[a],
                    "field": self.names[b],
                    **self.difference(a, b).to_dict(),
                }
                for a, b in self.matches
            ],
            "cycles": [list(cycle) for cycle in self.cycles],
            "matches": [match.to_dict() for match in self.matches.values()],
        }


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


def cross_table(
    game: str,
    entrants: Sequence[Opponent],
    *,
    field_size: int = 4,
    names: Sequence[str] | None = None,
    specs: Sequence[str | None] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> CrossTable:
    """Play each entrant alone among ``field_size - 1`` of each other entrant.

    Args:
        game: a game's id.
        entrants: at least two different opponents.
        field_size: P, the players at the table.
        names, specs: one for each entrant, as for :func:`~sixth_env.match.play_field`.
        progress: called with the games played so far and all games.
        options: deals, seed and rule set, as for :func:`~sixth_env.match.play_field`.

    Raises:
        ConfigError, OpponentError: as ``play_field`` does.
    """
    if len(entrants) < 2 or len({id(entrant) for entrant in entrants}) < len(entrants):
        raise ConfigError("a cross table needs at least two entrants, each another opponent")
    labels, known = distinct(names_of(entrants, names)), specs_of(entrants, specs)
    matches: dict[tuple[int, int], MatchResult] = {}
    for a, entrant in enumerate(entrants):
        others = [b for b in range(len(entrants)) if b != a]
        played = play_against(
            game,
            entrant,
            [entrants[b] for b in others],
            players=field_size,
            names=[labels[a], *[labels[b] for b in others]],
            specs=[known[a], *[known[b] for b in others]],
            progress=part_of(progress, a, len(entrants)),
            **options,
        )
        matches |= {(a, b): match for b, match in zip(others, played, strict=True)}
    return CrossTable(tuple(labels), matches)
