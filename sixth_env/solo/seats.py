"""Who sits where: the learner's seat, and which opponents play the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sixth_env.engine import is_whole
from sixth_env.errors import ConfigError
from sixth_env.games.base import Game
from sixth_env.opponents import Opponent
from sixth_env.opponents.custom import resolve_opponent
from sixth_env.rng import below, draw, fold

# Sub-streams of a match's key; the opponents' own seeds lie under the numbers of its turns.
_SEAT, _MIX = 2**63, 2**63 + 1
_TOGETHER = 2**63 + 2

One: TypeAlias = str | Path | Opponent


@dataclass(frozen=True)
class Mix:
    """A choice of opponents, drawn anew for every match, reproducibly from its seed.

    Attributes:
        opponents: names, checkpoint folders or opponents.
        weights: how often each is drawn, relative to the others; equally often by default.
        together: one draw for all seats that share the mix, so that the learner meets tables full
            of one opponent; by default each seat has a draw of its own.
    """

    opponents: Sequence[One]
    weights: Sequence[float] | None = None
    together: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.opponents, (str, Path)) or not len(self.opponents):
            raise ConfigError(f"a Mix is of several opponents, not {self.opponents!r}")
        if self.weights is None:
            return
        weights = np.asarray(self.weights, np.float64)
        fits = weights.shape == (len(self.opponents),) and np.isfinite(weights).all()
        if not fits or weights.min() < 0 or weights.sum() <= 0:
            raise ConfigError(
                f"weights of a Mix must be a number from 0 up for each of its"
                f" {len(self.opponents)} opponents, not {self.weights!r}"
            )


Opponents: TypeAlias = One | Mix | Sequence[One | Mix]


class _Place(NamedTuple):
    """Who may sit at one of the other seats: indices of opponents, and where each one's share of
    the unit interval ends."""

    members: NDArray[np.int64]
    ends: NDArray[np.float64]
    together: bool

    def draw(self, keys: NDArray[np.uint64], number: int) -> NDArray[np.int64]:
        """Who sits at this place, the one of this number, in matches of these keys (N,)."""
        if len(self.members) == 1:
            return np.full(len(keys), self.members[0])
        with np.errstate(over="ignore"):
            word = _TOGETHER if self.together else number
            bits = np.asarray(draw(fold(fold(keys, _MIX), word), 0))
        share = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return self.members[np.searchsorted(self.ends, share, side="right")]


class Seats:
    """Deals out the seats of matches.

    Args:
        game: the game.
        players: P.
        opponents: one for all other seats, or one for each of them, in seat order from the
            learner's left; a :class:`Mix` in place of one draws it for each match.
        seat: the learner's, or ``None`` to draw it for each match.

    Raises:
        ConfigError: the wrong number of opponents, or no such seat.
        OpponentError: an opponent cannot be loaded.
    """

    def __init__(self, game: Game, players: int, opponents: Opponents, seat: int | None) -> None:
        if seat is not None and not is_whole(seat, 0, players - 1):
            raise ConfigError(f"seat must be None or from 0 to {players - 1}, not {seat!r}")
        self.players, self.seat = players, seat
        self.opponents: list[Opponent] = []
        self._loaded: dict[str, int] = {}
        each = _one_each(opponents, players - 1)
        self._places = [self._place(game, one) for one in each]

    def deal(
        self, keys: NDArray[np.uint64], seat: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The learners' seats (N,) and who sits where, (N, P), an index of ``opponents``.

        ``keys`` (N,) are those of the matches; the learner's own place holds -1. ``seat`` is the
        learner's for these matches, whatever it is otherwise.
        """
        count, fixed = len(keys), self.seat if seat is None else seat
        if fixed is None:
            with np.errstate(over="ignore"):
                learner = np.asarray(below(draw(fold(keys, _SEAT), 0), self.players))
        else:
            learner = np.full(count, fixed, np.int64)
        sitting = np.full((count, self.players), -1)
        for number, place in enumerate(self._places):
            other = (learner + 1 + number) % self.players
            sitting[np.arange(count), other] = place.draw(keys, number)
        return learner, sitting

    def _place(self, game: Game, one: One | Mix) -> _Place:
        mix = one if isinstance(one, Mix) else Mix([one])
        weights = np.ones(len(mix.opponents)) if mix.weights is None else np.array(mix.weights)
        members = [self._index(game, member) for member in mix.opponents]
        ends = np.cumsum(weights / weights.sum())
        ends[np.flatnonzero(weights)[-1] :] = 1.0  # rounding must not leave a gap at the end
        return _Place(np.array(members, np.int64), ends, mix.together)

    def _index(self, game: Game, one: One) -> int:
        """The place of an opponent in the list; one spec or object is one entry."""
        if isinstance(one, (str, Path)):
            spec = str(one)
            if spec not in self._loaded:
                self._loaded[spec] = len(self.opponents)
                self.opponents.append(resolve_opponent(spec, game.id))
            return self._loaded[spec]
        if not callable(getattr(one, "act", None)):
            raise ConfigError(f"{one!r} is no opponent: expected a name, a path or an Opponent")
        for index, known in enumerate(self.opponents):
            if known is one:
                return index
        self.opponents.append(one)
        return len(self.opponents) - 1


def _one_each(opponents: Opponents, others: int) -> list[One | Mix]:
    """An opponent or mix for each of the other seats."""
    if not isinstance(opponents, Iterable) or isinstance(opponents, (str, Path)):
        return [opponents] * others
    each = list(opponents)
    if len(each) != others:
        raise ConfigError(
            f"opponents must be one for all other seats or one for each of {others}, not"
            f" {len(each)}: a Mix draws from any number of them"
        )
    return each
