"""Everybody against everybody: who beats whom, and whether that goes round in a circle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from sixth_env.errors import ConfigError
from sixth_env.match.play import Progress, distinct, part_of, play_against
from sixth_env.match.result import MatchResult
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
    def cycles(self) -> list[tuple[str, str, str]]:
        """Triples of which each beats the next and the last the first, each triple once."""
        found = [
            (a, b, c)
            for a, b, c in permutations(range(len(self.names)), 3)
            if a == min(a, b, c) and self.beats(a, b) and self.beats(b, c) and self.beats(c, a)
        ]
        return [(self.names[a], self.names[b], self.names[c]) for a, b, c in found]

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


def cross_table(
    game: str,
    entrants: Sequence[Opponent],
    *,
    field_size: int = 4,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> CrossTable:
    """Play each entrant alone among ``field_size - 1`` of each other entrant.

    Args:
        game: a game's id.
        entrants: at least two different opponents.
        field_size: P, the players at the table.
        names: what to call them instead of their own names.
        progress: called with the games played so far and all games.
        options: deals, seed and rule set, as for :func:`~sixth_env.match.play_field`.

    Raises:
        ConfigError, OpponentError: as ``play_field`` does.
    """
    if len(entrants) < 2 or len({id(entrant) for entrant in entrants}) < len(entrants):
        raise ConfigError("a cross table needs at least two entrants, each another opponent")
    labels = distinct(names or [entrant.name for entrant in entrants])
    matches: dict[tuple[int, int], MatchResult] = {}
    for a, entrant in enumerate(entrants):
        others = [b for b in range(len(entrants)) if b != a]
        played = play_against(
            game,
            entrant,
            [entrants[b] for b in others],
            players=field_size,
            names=[labels[a], *[labels[b] for b in others]],
            progress=part_of(progress, a, len(entrants)),
            **options,
        )
        matches |= {(a, b): match for b, match in zip(others, played, strict=True)}
    return CrossTable(tuple(labels), matches)
