"""What a match brought: raw results by deal, and the figures made from them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError
from sixth_env.games import get_game
from sixth_env.match.stats import CONFIDENCE, RESAMPLES, Bootstrap, Estimate, pooled, ratio

# Rules that have an option of their own on the command line; the others are given by --set.
_OPTIONS = {
    "decks": "--decks",
    "row_choice": "--row-choice",
    "target_score": "--target",
    "num_rounds": "--rounds",
}


@dataclass
class Entrant:
    """One of those who played; in how many seats, how many decisions, and in what time.

    ``spec`` loads it at the command line, if anything does. ``greedy`` says whether a policy's most
    probable action was played, or one drawn from it; ``None`` if the opponent does not say.
    """

    name: str
    seats: int
    spec: str | None = None
    greedy: bool | None = None
    decisions: int = 0
    seconds: float = field(default=0.0, compare=False)

    @property
    def speed(self) -> float:
        """Decisions per second, the opponent's own time alone; 0 if it never decided."""
        return self.decisions / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, eq=False)
class MatchResult:
    """Every deal in R rotations of a line-up, all P of them as a rule.

    Line-up position j sits at seat (j + r) mod P in rotation r. Points are minus the game's default
    reward, so fewer is better: penalty points, or chips lost (below zero: won).

    Attributes:
        game, rules, seed: what was played; ``rules`` as in a position.
        entrants: who played; the same opponent in several seats is one entrant.
        line_up: (P,) the entrant's index at each position.
        points, wins: (deals, R, P) by line-up position; a win shared by k is 1 / k for each, and
            nobody wins a match that a cap cuts off.
        rounds: (deals, R) rounds played in each game.
        rotations: (R,) those played.
        turn_points: (entrants, T) points taken in each turn of a round, summed over all games and
            seats; T is 0 in games where seats do not play in the same turn.
    """

    game: str
    rules: dict[str, Any]
    seed: int
    entrants: tuple[Entrant, ...]
    line_up: NDArray[np.int64]
    points: NDArray[np.float64]
    wins: NDArray[np.float64]
    rounds: NDArray[np.int64]
    rotations: tuple[int, ...]
    turn_points: NDArray[np.float64]

    @classmethod
    def join(cls, parts: Sequence[MatchResult]) -> MatchResult:
        """One result of several that differ in their deals alone, in the order given.

        Raises:
            ConfigError: there are none, or they are of different line-ups, rules or rotations.
        """
        if len({part._what for part in parts}) != 1:
            raise ConfigError("only results of one line-up, rule set, seed and rotations can join")
        first = parts[0]
        if len(parts) == 1:
            return first
        entrants = tuple(
            replace(
                entrant,
                decisions=sum(part.entrants[index].decisions for part in parts),
                seconds=sum(part.entrants[index].seconds for part in parts),
            )
            for index, entrant in enumerate(first.entrants)
        )
        return replace(
            first,
            entrants=entrants,
            points=np.concatenate([part.points for part in parts]),
            wins=np.concatenate([part.wins for part in parts]),
            rounds=np.concatenate([part.rounds for part in parts]),
            turn_points=np.sum([part.turn_points for part in parts], axis=0),
        )

    @property
    def _what(self) -> tuple[Any, ...]:
        """What results must have in common to be joined."""
        names = tuple((entrant.name, entrant.spec) for entrant in self.entrants)
        rules = repr(sorted(self.rules.items()))
        return self.game, rules, self.seed, names, tuple(self.line_up), self.rotations

    @property
    def deals(self) -> int:
        """How many different deals were played."""
        return len(self.points)

    @property
    def games(self) -> int:
        """How many games were played: every deal once in each rotation."""
        return int(self.rounds.size)

    # --- Figures -----------------------------------------------------------------------------

    def points_per_round(self, entrant: int | str) -> Estimate:
        """Mean points per round and seat: all points over all rounds."""
        return self._ratio("points", "seat_rounds", self.index(entrant))

    def win_share(self, entrant: int | str) -> Estimate:
        """Mean share of the win per seat; 1 / P for equals, if no match was cut off."""
        return self._ratio("wins", "seat_games", self.index(entrant))

    def difference(self, entrant: int | str, other: int | str | None = None) -> Estimate:
        """Points per round of an entrant minus those of another, or of all others together.

        Below zero is better. Both sat at the same tables with the same deals, which the interval
        takes into account.
        """
        if other is None:
            theirs = self._others(self.index(entrant))
        else:
            theirs = [self.index(other)]
        own = [self.index(entrant)]
        return self._bootstrap.estimate(
            lambda sums: (
                _sum_ratio(sums, self._columns("points", own), self._columns("seat_rounds", own))
                - _sum_ratio(
                    sums, self._columns("points", theirs), self._columns("seat_rounds", theirs)
                )
            )
        )

    def by_seat(self, entrant: int | str) -> NDArray[np.float64]:
        """Mean points per round of an entrant at each seat, (P,); NaN where it never sat."""
        points, rounds = self.seat_sums(entrant)
        nowhere = np.full(len(points), np.nan)
        return np.asarray(np.divide(points, rounds, out=nowhere, where=rounds > 0))

    def seat_sums(self, entrant: int | str) -> NDArray[np.float64]:
        """Points of an entrant at each seat, and rounds, (2, P)."""
        players = len(self.line_up)
        sums = np.zeros((2, players))
        for position in np.flatnonzero(self.line_up == self.index(entrant)):
            for r, rotation in enumerate(self.rotations):
                seat = (position + rotation) % players
                sums[:, seat] += self.points[:, r, position].sum(), self.rounds[:, r].sum()
        return sums

    def by_turn(self, entrant: int | str) -> NDArray[np.float64]:
        """Mean points of an entrant per round and seat in each turn, (T,)."""
        index = self.index(entrant)
        seat_rounds = self.rounds.sum() * self.entrants[index].seats
        return np.asarray(self.turn_points[index] / seat_rounds)

    def index(self, entrant: int | str) -> int:
        """The index of an entrant given by name or index.

        Raises:
            ConfigError: no entrant has that name or index.
        """
        names = [e.name for e in self.entrants]
        if isinstance(entrant, str) and entrant in names:
            return names.index(entrant)
        number = isinstance(entrant, (int, np.integer)) and not isinstance(entrant, bool)
        if number and 0 <= entrant < len(names):  # type: ignore[operator]
            return int(entrant)
        raise ConfigError(f"no entrant {entrant!r}: expected one of {', '.join(names)}")

    # --- Reports ------------------------------------------------------------------------------

    @property
    def command(self) -> str | None:
        """The command that repeats the match; ``None`` if it has an entrant that nothing loads."""
        specs = [entrant.spec for entrant in self.entrants if entrant.spec is not None]
        if len(specs) < len(self.entrants):
            return None
        if len(set(specs)) == len(specs):
            words = [specs[index] for index in self.line_up]
            return shlex.join(["sixth-env", "match", *words, *self.options])
        # One opponent twice in a line-up is one entrant, but among a field of itself it is two.
        one_in_a_field = np.array_equal(self.line_up, np.arange(len(self.line_up)) > 0)
        return self.command_against(specs[0], specs[1:]) if one_in_a_field else None

    def command_against(self, spec: str, fields: Sequence[str]) -> str:
        """The command for one opponent among a field of each of some others, played like this."""
        against = [word for other in fields for word in ("--against", other)]
        seats = ["--players", str(len(self.line_up))]
        return shlex.join(["sixth-env", "match", spec, *against, *seats, *self.options])

    @property
    def changed_rules(self) -> dict[str, Any]:
        """The rules that differ from the game's defaults for so many players."""
        usual = get_game(self.game).make_rules({"num_players": len(self.line_up)}).to_dict()
        changed = {
            rule: value
            for rule, value in self.rules.items()
            if value is not None and value != usual[rule]
        }
        if "exact_deck" in changed:
            changed.pop("cards", None)  # follows from it
        return changed

    @property
    def options(self) -> list[str]:
        """Game, deals, seed and rules as options of the command line, defaults left out."""
        return self.options_for(self.deals)

    def options_for(self, deals: int) -> list[str]:
        """The same for another number of deals."""
        options = ["--game", self.game, "--deals", str(deals), "--seed", str(self.seed)]
        changed = self.changed_rules
        for rule, value in changed.items():
            named = rule in _OPTIONS
            options += [_OPTIONS[rule], str(value)] if named else ["--set", f"{rule}={value}"]
        return options if "num_rounds" in changed else [*options, "--whole"]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values for JSON."""
        return {
            "game": self.game,
            "rules": self.rules,
            "seed": self.seed,
            "deals": self.deals,
            "games": self.games,
            "rounds": int(self.rounds.sum()),
            "line_up": [self.entrants[index].name for index in self.line_up],
            "confidence": CONFIDENCE,
            "resamples": RESAMPLES,
            "entrants": [self._entrant_dict(index) for index in range(len(self.entrants))],
            "command": self.command,
        }

    def _entrant_dict(self, index: int) -> dict[str, Any]:
        entrant = self.entrants[index]
        alone = len(self.entrants) == 1
        return {
            "name": entrant.name,
            "spec": entrant.spec,
            "greedy": entrant.greedy,
            "seats": entrant.seats,
            "points_per_round": self.points_per_round(index).to_dict(),
            "win_share": self.win_share(index).to_dict(),
            "difference": None if alone else self.difference(index).to_dict(),
            "points_by_seat": [x if np.isfinite(x) else None for x in self.by_seat(index).tolist()],
            "points_by_turn": self.by_turn(index).tolist(),
            "decisions": entrant.decisions,
            "seconds": entrant.seconds,
            "decisions_per_second": entrant.speed,
        }

    # --- Blocks ---------------------------------------------------------------------------------

    def _others(self, index: int) -> list[int]:
        others = [other for other in range(len(self.entrants)) if other != index]
        if not others:
            raise ConfigError(f"{self.entrants[index].name} played alone: there is no difference")
        return others

    def _ratio(self, above: str, below: str, index: int) -> Estimate:
        return self._bootstrap.estimate(
            lambda sums: _sum_ratio(
                sums, self._columns(above, [index]), self._columns(below, [index])
            )
        )

    def _columns(self, kind: str, entrants: list[int]) -> list[int]:
        """Where the blocks hold a kind of figure of some entrants."""
        start = ("points", "seat_rounds", "wins", "seat_games").index(kind) * len(self.entrants)
        return [start + index for index in entrants]

    @cached_property
    def blocks(self) -> NDArray[np.float64]:
        """Points, rounds, wins and games by deal, summed over an entrant's seats, (n, E, 4).

        Many deals are pooled into fewer blocks, see :mod:`~sixth_env.match.stats`.
        """
        member = (self.line_up[:, None] == np.arange(len(self.entrants))).astype(np.float64)
        seats = member.sum(axis=0)
        figures = [
            self.points.sum(axis=1) @ member,
            self.rounds.sum(axis=1)[:, None] * seats,
            self.wins.sum(axis=1) @ member,
            np.tile(self.rounds.shape[1] * seats, (self.deals, 1)),
        ]
        return pooled(np.stack(figures, axis=-1))

    @cached_property
    def _bootstrap(self) -> Bootstrap:
        """The blocks with a column for each kind of figure and entrant, kind by kind."""
        return Bootstrap(self.blocks.swapaxes(1, 2).reshape(len(self.blocks), -1))


def shared_wins(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Who won each game, (…, P): the fewest points win, k winners have 1 / k each."""
    best = points == points.min(axis=-1, keepdims=True)
    shares: NDArray[np.float64] = best / best.sum(axis=-1, keepdims=True)
    return shares


def _sum_ratio(
    sums: NDArray[np.float64], above: list[int], below: list[int]
) -> NDArray[np.float64]:
    return ratio(sums[..., above].sum(-1), sums[..., below].sum(-1))
