"""A line-up at a table, and how it plays some deals in some rotations."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixth_env.engine import Engine, check_seed
from sixth_env.games.base import MATCH_END, ROUND_END, TRUNCATED
from sixth_env.match.result import Entrant, MatchResult, shared_wins
from sixth_env.match.setup import distinct
from sixth_env.opponents.ask import ask
from sixth_env.opponents.base import Opponent
from sixth_env.rng import fold

# The stream of the opponents' seeds: a word that no game index reaches, so that it is no deal's.
_DECISIONS = 2**63


class Table:
    """An opponent for each of P positions, and the rules they play by.

    Args:
        game: a game's id.
        line_up: (P,) opponents.
        names, specs: one for each position; the same object under the same name is one entrant.
        seed: of the deals and of the opponents' own randomness.
        config: a rule set for P players.
    """

    def __init__(
        self,
        game: str,
        line_up: Sequence[Opponent],
        names: Sequence[str],
        specs: Sequence[str | None],
        seed: int,
        config: dict[str, Any],
    ) -> None:
        self.game, self.seed, self.config = game, check_seed(seed), config
        sitting = [(id(opponent), name) for opponent, name in zip(line_up, names, strict=True)]
        entrants = list(dict.fromkeys(sitting))
        self.line_up = np.array([entrants.index(who) for who in sitting])
        first = [sitting.index(who) for who in entrants]
        self.opponents = [line_up[position] for position in first]
        self.names = distinct([names[position] for position in first])
        self.specs = [specs[position] for position in first]

    def warm_up(self) -> None:
        """Ask everybody once, so that compiling and loading are not counted as playing."""
        engine = Engine(self.game, seed=self.seed, **self.config)
        decisions = _Decisions.of(engine, np.zeros(1, np.int64))
        seeds = decisions.look(engine, step=0)
        begins = decisions.acting
        for index, (opponent, name) in enumerate(zip(self.opponents, self.names, strict=True)):
            own = begins & (self.line_up[decisions.seat] == index)
            rows = np.nonzero(own if own.any() else begins)
            _ask(opponent, name, engine, decisions, seeds, rows)

    def play(self, deals: range, rotations: Sequence[int] | None = None) -> MatchResult:
        """Play some deals to their end, all rotations of all deals together.

        A deal depends on (seed, its index) alone, an opponent's seeds on (seed, deal, rotation,
        step, seat), so whatever else is played makes no difference.

        Args:
            deals: indices of the deals.
            rotations: R numbers from 0 to P - 1, all by default; position j sits at seat
                (j + rotation) mod P.

        Raises:
            OpponentError: an opponent fails or gives no legal answer; names it and its seat.
        """
        rotations = range(len(self.line_up)) if rotations is None else rotations
        games = _Games(self, deals, rotations)
        step = 0
        while not games.over.all():
            games.take(self._decide(games, step))
            step += 1
        return games.result()

    def _decide(self, games: _Games, step: int) -> NDArray[np.int64]:
        """Everybody's actions (B, K): each entrant is asked once, for all its rows."""
        engine, decisions = games.engine, games.decisions
        seeds = decisions.look(engine, step)
        actions = np.full(decisions.seat.shape, engine.game.wait)
        who = np.take_along_axis(games.sitting, decisions.seat, axis=1)
        who[~decisions.acting] = -1
        for index, (opponent, entrant) in enumerate(
            zip(self.opponents, games.entrants, strict=True)
        ):
            rows = np.nonzero(who == index)
            if len(rows[0]) == 0:
                continue
            started = perf_counter()
            actions[rows] = _ask(opponent, entrant.name, engine, decisions, seeds, rows)
            entrant.seconds += perf_counter() - started
            entrant.decisions += len(rows[0])
        return actions


def _ask(
    opponent: Opponent,
    name: str,
    engine: Engine,
    decisions: _Decisions,
    seeds: NDArray[np.uint64],
    rows: tuple[NDArray[np.int64], ...],
) -> NDArray[np.int64]:
    return ask(
        opponent,
        name,
        engine.game,
        decisions.seat[rows],
        decisions.observation[rows],
        decisions.action_mask[rows],
        seeds[rows],
    )


class _Games:
    """B = R x n games in play: each of n deals in R rotations, rotation by rotation."""

    def __init__(self, table: Table, deals: range, rotations: Sequence[int]) -> None:
        self.table, self.rotations, self.shape = (
            table,
            tuple(rotations),
            (len(rotations), len(deals)),
        )
        self.engine = Engine(table.game, len(rotations) * len(deals), seed=0, **table.config)
        self.engine.states["game"] = np.tile(np.array(deals), len(rotations))
        self.engine.reset(table.seed)
        rotation = np.repeat(np.array(rotations), len(deals))
        games, players = self.engine.num_games, len(table.line_up)
        self.decisions = _Decisions.of(self.engine, rotation)
        # The seat of each position (B, P), and the entrant at each seat.
        self.seats = (np.arange(players) + rotation[:, None]) % players
        self.sitting = np.empty_like(self.seats)
        np.put_along_axis(self.sitting, self.seats, table.line_up[None], axis=1)
        self.entrants = tuple(
            Entrant(
                name,
                seats=int(np.sum(table.line_up == index)),
                spec=table.specs[index],
                greedy=getattr(table.opponents[index], "greedy", None),
            )
            for index, name in enumerate(table.names)
        )
        self.points = np.zeros((games, players))
        self.rounds = np.zeros(games, np.int64)
        self.over, self.cut_off = np.zeros((2, games), np.bool_)
        self._turns = _Turns.of(self.engine, self.sitting, len(self.entrants))

    def take(self, actions: NDArray[np.int64]) -> None:
        """Make a step in every game that is not over."""
        turn = self._turns.now(self.engine)
        reward, flags = self.engine.step(actions)
        self.points -= reward
        self._turns.add(turn, reward)
        self.rounds += (flags & ROUND_END) != 0
        self.cut_off |= (flags & TRUNCATED) != 0
        self.over |= self.cut_off | ((flags & MATCH_END) != 0)

    def result(self) -> MatchResult:
        """How all games ended."""
        by_position = np.take_along_axis(self.points, self.seats, axis=1)
        points, cut_off = self._by_deal(by_position), self._by_deal(self.cut_off)
        return MatchResult(
            game=self.table.game,
            rules=self.engine.rules.to_dict(),
            seed=self.table.seed,
            entrants=self.entrants,
            line_up=self.table.line_up,
            points=points,
            wins=shared_wins(points) * ~cut_off[..., None],
            rounds=self._by_deal(self.rounds),
            rotations=self.rotations,
            turn_points=self._turns.sums,
        )

    def _by_deal(self, array: NDArray[Any]) -> NDArray[Any]:
        """(B, …) as (n, R, …)."""
        return np.ascontiguousarray(array.reshape(*self.shape, *array.shape[1:]).swapaxes(0, 1))


class _Turns(NamedTuple):
    """The points that each entrant takes in each turn, where all seats play in the same turn."""

    sums: NDArray[np.float64]  # (E, T); T is 0 in games without such turns
    column: NDArray[np.int64]  # (B, P) of each seat, in the flattened sums, of turn 0

    @classmethod
    def of(cls, engine: Engine, sitting: NDArray[np.int64], entrants: int) -> _Turns:
        turns = engine.rules.hand_size if engine.game.simultaneous else 0
        return cls(np.zeros((entrants, turns)), sitting * turns)

    def now(self, engine: Engine) -> NDArray[np.int64]:
        """The turn that every game is in, (B,) from 0."""
        if self.sums.shape[1] == 0:
            return np.zeros(0, np.int64)
        return engine.states["turn"].astype(np.int64) - 1

    def add(self, turn: NDArray[np.int64], reward: NDArray[np.float32]) -> None:
        """Count the rewards (B, P) of a step made in these turns."""
        if self.sums.shape[1] == 0:
            return
        found = np.nonzero(reward)
        places = self.column[found] + turn[found[0]]
        # Whole numbers, so that the sums are exact in any order.
        counted = np.bincount(places, -reward[found], self.sums.size)
        self.sums[:] += counted.reshape(self.sums.shape)


class _Decisions(NamedTuple):
    """What the seats of a batch have to decide; the arrays are those of ``Batch``'s ``Step``."""

    observation: NDArray[np.int16]
    action_mask: NDArray[np.int8]
    seat: NDArray[np.int64]
    acting: NDArray[np.bool_]
    keys: NDArray[np.uint64]  # (B,) of the opponents' seeds in each game

    @classmethod
    def of(cls, engine: Engine, rotation: NDArray[np.int64]) -> _Decisions:
        """Empty arrays for the games of an engine, each played in a rotation (B,)."""
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
