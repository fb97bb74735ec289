"""Who sits with whom: the line-ups of a tournament and their seat rotations.

``"table"``: all entrants at one table if there are as many seats. With fewer seats, all choices of
entrants, or a balanced subset of them; with more seats, everybody sits equally often and the seats
left over go to all choices of entrants in turn. ``"field"``: each entrant alone in a field of each
other one.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError
from sixth_env.match.setup import check_whole

FORMATS = ("table", "field")
# More choices of entrants than this are sampled, unless a number of line-ups is asked for.
MAX_LINE_UPS = 100

_SEED = 20_260_102


@dataclass(frozen=True)
class LineUp:
    """An entrant's index for each of P positions, and the rotations that are played."""

    entrants: tuple[int, ...]
    rotations: tuple[int, ...]


def make_schedule(
    entrants: int,
    players: int,
    *,
    format: str = "table",
    line_ups: int | None = None,
    rotations: int | None = None,
) -> list[LineUp]:
    """The line-ups of a tournament.

    Args:
        entrants: N, at least 2.
        players: P, the seats at a table.
        format: ``"table"`` or ``"field"``, see above.
        line_ups: how many of the possible line-ups to play, chosen so that all entrants, and then
            all pairs of them, sit together about equally often; by default all, or 100 of
            them if there are more. The field format always plays all.
        rotations: how many of the P rotations of each line-up to play, chosen so that everybody
            sits at each seat about equally often; all by default.

    Raises:
        ConfigError: such a tournament cannot be played.
    """
    if check_whole("entrants", entrants) < 2:
        raise ConfigError("a tournament needs at least two entrants, not 1")
    if format not in FORMATS:
        raise ConfigError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    rotations = players if rotations is None else check_whole("rotations", rotations, players)
    if format == "table":
        tables = _tables(entrants, players, line_ups)
    elif line_ups is None:
        tables = [(a, *[b] * (players - 1)) for a, b in itertools.permutations(range(entrants), 2)]
    else:
        raise ConfigError("the field format plays all line-ups: leave line_ups out")
    return _rotated(tables, entrants, rotations)


def _tables(entrants: int, players: int, line_ups: int | None) -> list[tuple[int, ...]]:
    """Everybody as often as the seats allow, and each choice of entrants for those left over."""
    everybody, (times, left) = range(entrants), divmod(players, entrants)
    possible = math.comb(entrants, left)
    wanted = min(possible, MAX_LINE_UPS) if line_ups is None else check_whole("line_ups", line_ups)
    if wanted > possible:
        raise ConfigError(
            f"{entrants} entrants at {players} seats have {possible} line-ups, not {wanted}"
        )
    if times == 0 and wanted * left < entrants:
        raise ConfigError(
            f"{wanted} line-ups of {players} seats are too few for {entrants} entrants"
        )
    if wanted == possible:
        choices = list(itertools.combinations(everybody, left))
    else:
        choices = _balanced(entrants, left, wanted)
    tables = [(*(tuple(everybody) * times), *choice) for choice in choices]
    return tables if len(tables) == 1 else [_shuffled(table) for table in tables]


def _balanced(entrants: int, size: int, wanted: int) -> list[tuple[int, ...]]:
    """Different choices in which entrants occur equally often (within one), and pairs about so.

    Greedy: a choice takes, one by one, whoever has occurred least, and of those whoever has met the
    ones already chosen least.
    """
    rng = np.random.default_rng(_SEED)
    times, met = np.zeros(entrants), np.zeros((entrants, entrants))
    found: dict[tuple[int, ...], None] = {}
    while len(found) < wanted:
        choice = _next_choice(rng, times, met, size)
        for _ in range(100):  # draws again for a choice that was there before, as ties allow
            if choice not in found:
                break
            choice = _next_choice(rng, times, met, size)
        else:
            choice = _fresh_choice(times, met, size, found)
        found[choice] = None
        chosen = list(choice)
        times[chosen] += 1
        met[np.ix_(chosen, chosen)] += 1
    return list(found)


def _next_choice(
    rng: np.random.Generator, times: NDArray[np.float64], met: NDArray[np.float64], size: int
) -> tuple[int, ...]:
    chosen: list[int] = []
    for _ in range(size):
        free = np.setdiff1d(np.arange(len(times)), chosen)
        order = np.lexsort((rng.random(len(free)), met[free][:, chosen].sum(axis=1), times[free]))
        chosen.append(int(free[order[0]]))
    return tuple(sorted(chosen))


def _fresh_choice(
    times: NDArray[np.float64],
    met: NDArray[np.float64],
    size: int,
    found: dict[tuple[int, ...], None],
) -> tuple[int, ...]:
    """The most balancing choice of all that are left: those who occurred least, then met least."""

    def imbalance(choice: tuple[int, ...]) -> tuple[float, float]:
        chosen = list(choice)
        return float(times[chosen].sum()), float(met[np.ix_(chosen, chosen)].sum())

    every = itertools.combinations(range(len(times)), size)
    return min((choice for choice in every if choice not in found), key=imbalance)


def _shuffled(table: tuple[int, ...]) -> tuple[int, ...]:
    """Positions in an order of the line-up's own, so that nobody always follows the same one."""
    order = np.random.default_rng([_SEED, *table]).permutation(len(table))
    return tuple(table[position] for position in order)


def _rotated(tables: list[tuple[int, ...]], entrants: int, rotations: int) -> list[LineUp]:
    """Give each table its rotations: evenly spread, from the start that balances seats best."""
    players = len(tables[0])
    sat = np.zeros((entrants, players))
    found = []
    for table in tables:
        starts = range(players if rotations < players else 1)
        spread = [
            [(s + k * players // rotations) % players for k in range(rotations)] for s in starts
        ]
        visits = [_visits(table, chosen, entrants) for chosen in spread]
        best = min(starts, key=lambda start: float(np.square(sat + visits[start]).sum()))
        sat += visits[best]
        found.append(LineUp(table, tuple(sorted(spread[best]))))
    return found


def _visits(table: tuple[int, ...], rotations: list[int], entrants: int) -> NDArray[np.float64]:
    """How often each entrant sits at each seat, (N, P)."""
    visits = np.zeros((entrants, len(table)))
    for rotation in rotations:
        for position, entrant in enumerate(table):
            visits[entrant, (position + rotation) % len(table)] += 1
    return visits
