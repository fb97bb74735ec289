"""Play a line-up on the same deals in every seat rotation."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixth_env.engine import Engine, check_seed
from sixth_env.errors import ConfigError
from sixth_env.games.base import MATCH_END, ROUND_END, TRUNCATED
from sixth_env.match.result import Entrant, MatchResult
from sixth_env.match.setup import MAX_DEALS, check_whole, names_of, rule_set, specs_of
from sixth_env.opponents.ask import ask
from sixth_env.opponents.base import Opponent
from sixth_env.rng import fold

# The stream of the opponents' seeds: a word that no game index reaches, so that it is no deal's.
_DECISIONS = 2**63

Progress = Callable[[int, int], None]


def play_field(
    game: str,
    line_up: Sequence[Opponent],
    *,
    deals: int = 1000,
    seed: int = 1,
    names: Sequence[str] | None = None,
    specs: Sequence[str | None] | None = None,
    games_at_once: int = 1024,
    progress: Progress | None = None,
    **config: Any,
) -> MatchResult:
    """Play every deal in all P rotations of a line-up of P opponents.

    A deal depends on (seed, its index) alone, an opponent's seeds on (seed, deal, rotation, step,
    seat): results do not depend on ``games_at_once``, nor the deals on who plays.

    Args:
        game: a game's id.
        line_up: an opponent for each of P seats; the same object several times is one entrant.
        deals: how many matches, or rounds, are dealt, up to 1,000,000; each is played P times.
        seed: of the deals and of the opponents' own randomness.
        names: one for each position instead of the opponents' own.
        specs: what loads each position's opponent at the command line, for the command that
            repeats the match; needless for built-in opponents, ``None`` for what nothing loads.
        games_at_once: how many games are played together: bounds memory.
        progress: called with the games played so far and all games.
        config: the rule set; ``num_rounds=1`` plays single rounds, the default whole matches.

    Raises:
        ConfigError: the line-up or the rule set does not fit the game.
        OpponentError: an opponent fails or gives no legal answer; names it and its seat.
    """
    deals = check_whole("deals", deals, MAX_DEALS)
    games_at_once = check_whole("games_at_once", games_at_once)
    if "reward" in config:
        raise ConfigError("a match counts points, whatever is rewarded: leave reward out")
    players, names = len(line_up), names_of(line_up, names)
    config = rule_set(game, players, config)
    table = _Table(game, line_up, names, specs_of(line_up, specs), check_seed(seed), config)
    result = table.empty_result(deals)
    table.warm_up()
    done = 0
    for first in range(0, deals, games_at_once):
        chunk = range(first, min(first + games_at_once, deals))
        for rotation in range(players):
            table.play(result, chunk, rotation)
            done += len(chunk)
            if progress is not None:
                progress(done, deals * players)
    return result


def play_against(
    game: str,
    opponent: Opponent,
    others: Sequence[Opponent],
    *,
    players: int = 4,
    names: Sequence[str] | None = None,
    specs: Sequence[str | None] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> list[MatchResult]:
    """One match for each of ``others``: ``opponent`` alone among P - 1 of that one.

    All matches have the same deals; entrant 0 of each is ``opponent``, entrant 1 its field.

    Args:
        game: a game's id.
        opponent, others: different objects.
        players: P.
        names, specs: of ``opponent`` and of each of the others, as for :func:`play_field`.
        progress: called with the games played so far and all games.
        options: deals, seed and rule set, as for :func:`play_field`.

    Raises:
        ConfigError, OpponentError: as :func:`play_field` does.
    """
    own, *labels = names_of([opponent, *others], names)
    own_spec, *other_specs = specs_of([opponent, *others], specs)
    return [
        play_field(
            game,
            [opponent, *[other] * (players - 1)],
            names=[own, *[label] * (players - 1)],
            specs=[own_spec, *[spec] * (players - 1)],
            progress=part_of(progress, index, len(others)),
            **options,
        )
        for index, (other, label, spec) in enumerate(zip(others, labels, other_specs, strict=True))
    ]


def part_of(progress: Progress | None, index: int, parts: int) -> Progress | None:
    """Progress of one of several equally long matches, as that of all of them."""
    if progress is None:
        return None
    report = progress
    return lambda done, total: report(index * total + done, parts * total)


class _Table:
    """A line-up and the rules it plays by."""

    def __init__(
        self,
        game: str,
        line_up: Sequence[Opponent],
        names: Sequence[str],
        specs: Sequence[str | None],
        seed: int,
        config: dict[str, Any],
    ) -> None:
        self.game, self.seed, self.config = game, seed, config
        self.opponents = list({id(opponent): opponent for opponent in line_up}.values())
        place = {id(opponent): index for index, opponent in enumerate(self.opponents)}
        self.line_up = np.array([place[id(opponent)] for opponent in line_up])
        first = [int(np.argmax(self.line_up == index)) for index in range(len(self.opponents))]
        self.entrants = tuple(
            Entrant(
                name,
                seats=int(np.sum(self.line_up == index)),
                spec=specs[first[index]],
                greedy=getattr(self.opponents[index], "greedy", None),
            )
            for index, name in enumerate(distinct([names[position] for position in first]))
        )

    def empty_result(self, deals: int) -> MatchResult:
        """A result with arrays that ``play`` fills."""
        players = len(self.line_up)
        return MatchResult(
            game=self.game,
            rules=Engine(self.game, seed=self.seed, **self.config).rules.to_dict(),
            seed=self.seed,
            entrants=self.entrants,
            line_up=self.line_up,
            points=np.zeros((deals, players, players)),
            wins=np.zeros((deals, players, players)),
            rounds=np.zeros((deals, players), np.int64),
        )

    def warm_up(self) -> None:
        """Ask those who begin once, so that compiling is not counted as playing."""
        engine = Engine(self.game, seed=self.seed, **self.config)
        self._decide(engine, _Decisions.of(engine, rotation=0), self.line_up, step=0)
        for entrant in self.entrants:
            entrant.decisions, entrant.seconds = 0, 0.0

    def play(self, result: MatchResult, deals: range, rotation: int) -> None:
        """Play some deals in one rotation to their end, and write down how they ended."""
        engine = Engine(
            self.game, len(deals), seed=self.seed, first_index=deals.start, **self.config
        )
        seats = (np.arange(len(self.line_up)) + rotation) % len(self.line_up)
        sitting = np.empty_like(self.line_up)  # the entrant at each seat
        sitting[seats] = self.line_up
        points = np.zeros((len(deals), len(seats)))
        rounds = np.zeros(len(deals), np.int64)
        over, cut_off = np.zeros((2, len(deals)), np.bool_)
        decisions = _Decisions.of(engine, rotation)
        for step in itertools.count():
            reward, flags = engine.step(self._decide(engine, decisions, sitting, step))
            points -= reward
            rounds += (flags & ROUND_END) != 0
            cut_off |= (flags & TRUNCATED) != 0
            over |= cut_off | ((flags & MATCH_END) != 0)
            if over.all():
                break
        chunk = slice(deals.start, deals.stop)
        result.points[chunk, rotation] = points[:, seats]
        wins = shared_wins(points) * ~cut_off[:, None]
        result.wins[chunk, rotation] = wins[:, seats]
        result.rounds[chunk, rotation] = rounds

    def _decide(
        self, engine: Engine, decisions: _Decisions, sitting: NDArray[np.int64], step: int
    ) -> NDArray[np.int64]:
        """Everybody's actions (B, K): each entrant is asked once, for all its rows."""
        seeds = decisions.look(engine, step)
        actions = np.full(decisions.seat.shape, engine.game.wait)
        for index, (opponent, entrant) in enumerate(
            zip(self.opponents, self.entrants, strict=True)
        ):
            rows = np.nonzero(decisions.acting & (sitting[decisions.seat] == index))
            if len(rows[0]) == 0:
                continue
            started = perf_counter()
            actions[rows] = ask(
                opponent,
                entrant.name,
                engine.game,
                decisions.seat[rows],
                decisions.observation[rows],
                decisions.action_mask[rows],
                seeds[rows],
            )
            entrant.seconds += perf_counter() - started
            entrant.decisions += len(rows[0])
        return actions


class _Decisions(NamedTuple):
    """What the seats of a batch have to decide; the arrays are those of ``Batch``'s ``Step``."""

    observation: NDArray[np.int16]
    action_mask: NDArray[np.int8]
    seat: NDArray[np.int64]
    acting: NDArray[np.bool_]
    keys: NDArray[np.uint64]  # (B,) of the opponents' seeds in each game

    @classmethod
    def of(cls, engine: Engine, rotation: int) -> _Decisions:
        """Empty arrays for the games of an engine."""
        rows = (engine.num_games, engine.seats_per_step)
        with np.errstate(over="ignore"):
            key = fold(engine.states["seed"][0], _DECISIONS)
            keys = fold(fold(key, engine.states["game"]), rotation)
        return cls(
            observation=np.empty((*rows, engine.game.observation_size), np.int16),
            action_mask=np.empty((*rows, engine.game.num_actions), np.int8),
            seat=np.empty(rows, np.int64),
            acting=np.empty(rows, np.bool_),
            keys=keys,
        )

    def look(self, engine: Engine, step: int) -> NDArray[np.uint64]:
        """Bring the arrays up to date; returns the opponents' seeds for the step, (B, K).

        Nobody acts in a match that is over.
        """
        engine.observe(self.observation, self.action_mask, self.seat, self.acting)
        with np.errstate(over="ignore"):
            seeds: NDArray[np.uint64] = fold(fold(self.keys, step)[:, None], self.seat)
        return seeds


def shared_wins(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Who won each game, (B, P): the fewest points win, k winners have 1 / k each."""
    best = points == points.min(axis=1, keepdims=True)
    shares: NDArray[np.float64] = best / best.sum(axis=1, keepdims=True)
    return shares


def distinct(names: Sequence[str]) -> list[str]:
    """Names told apart: a second "closest" becomes "closest#2"."""
    counts: dict[str, int] = {}
    found = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        found.append(name if counts[name] == 1 else f"{name}#{counts[name]}")
    return found
