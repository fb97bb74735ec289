"""Perfect play where nothing is hidden: two players, and all cards dealt (``exact_deck``).

Then an observation tells the other hand too, and the rest of the round is a game that
:mod:`sixth_env.solver` solves: the opponent plays its equilibrium, against which nobody gains more
than the value of the position. It plays for the points of the round, whatever the match stands at.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import OpponentError
from sixth_env.games.base import Game
from sixth_env.lift import Kernel, compiled
from sixth_env.opponents.base import Seeds, integer_columns, legal_actions, row_seeds
from sixth_env.rng import ACTION, draw, fold
from sixth_env.solver import Solver, check_game

MAX_CARDS = 7  # cards a hand; each more takes about ten times as long
KEPT_POSITIONS = 2_000_000  # remembered from call to call, for speed alone

_RULES = ("num_players", "decks", "cards", "hand_size", "num_rows", "row_length", "cheapest")


class ExactOpponent:
    """Plays an equilibrium of the rest of the round, drawn by the rows' seeds where it is mixed.

    Args:
        game: one of :data:`sixth_env.games.GAMES` that has rows.
        max_cards: larger hands are refused rather than thought about for hours.

    Raises:
        ConfigError: a game that has no exact solution here.
    """

    def __init__(self, game: Game, max_cards: int = MAX_CARDS) -> None:
        check_game(game, game.rules(num_players=2))
        self.game, self.max_cards, self.name = game, max_cards, "exact"
        self._solvers: dict[tuple[int, ...], Solver] = {}

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """See :meth:`Opponent.act`; of a position that it cannot solve, ``OpponentError``."""
        chances = self.policy(observation, action_mask)
        keys = row_seeds(seeds, len(chances))
        with np.errstate(over="ignore"):  # hashes wrap around
            points = (draw(fold(keys, ACTION), 0) >> np.uint64(11)) * 2.0**-53
        below = chances.cumsum(axis=1) > points[:, None]
        last = chances.shape[1] - 1 - (chances[:, ::-1] > 0).argmax(axis=1)  # the sum may miss 1
        actions: NDArray[np.int64] = np.where(below.any(axis=1), below.argmax(axis=1), last)
        return actions

    def policy(self, observation: NDArray[Any], action_mask: NDArray[Any]) -> NDArray[np.float64]:
        """Probabilities, (N, A)."""
        columns = integer_columns(self.game, observation)
        legal = legal_actions(self.game, action_mask, len(columns))
        chances = legal.astype(np.float64)
        for rows, solver in self._by_rules(columns, legal.sum(axis=1) > 1):
            chances[rows] = solver.solve(self._states(columns, rows)).strategy[:, 0]
        wrong = np.any((chances > 0) & ~legal, axis=1)
        if wrong.any():
            raise OpponentError(f"row {_row(wrong)}: the action mask does not fit the observation")
        return chances

    def action_values(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.float64]:
        """What each action gains on the other player to the end of the round, (N, A).

        Against the other's equilibrium strategy; NaN for actions that are not legal, and for the
        actions of a seat that has no choice.
        """
        columns = integer_columns(self.game, observation)
        legal = legal_actions(self.game, action_mask, len(columns))
        row_seeds(seeds, len(columns))
        values = np.full(legal.shape, np.nan)
        for rows, solver in self._by_rules(columns, legal.sum(axis=1) > 1):
            values[rows] = solver.solve(self._states(columns, rows)).worth[:, 0]
        return values

    # --- From observations to positions ----------------------------------------------------------

    def _by_rules(
        self, columns: NDArray[np.int16], wanted: NDArray[np.bool_]
    ) -> list[tuple[NDArray[np.int64], Solver]]:
        """The rows that have to be solved, by rule set, each with its solver."""
        rows = np.flatnonzero(wanted)
        if not len(rows):
            return []
        self._check(columns, rows)
        table = self.game.table
        places = np.array([table.start(name) for name in _RULES])
        given = columns[rows[:, None], places]
        sets, which = np.unique(given, axis=0, return_inverse=True)
        return [(rows[which == n], self._solver(tuple(map(int, s)))) for n, s in enumerate(sets)]

    def _solver(self, numbers: tuple[int, ...]) -> Solver:
        """The solver of a rule set, given by the columns of ``_RULES``."""
        solver = self._solvers.get(numbers)
        if solver is None:
            value = dict(zip(_RULES, numbers, strict=True))
            rules = self.game.rules(
                num_players=2,
                decks=value["decks"],
                cards=value["cards"],
                hand_size=value["hand_size"],
                rows=value["num_rows"],
                row_length=value["row_length"],
                row_choice="cheapest" if value["cheapest"] else "player",
                num_rounds=1,
            )
            solver = Solver(self.game, rules)
            self._solvers = {numbers: solver}  # the last rule set alone: memos are large
        if solver.remembered > KEPT_POSITIONS:
            solver.forget()
        return solver

    def _check(self, columns: NDArray[np.int16], rows: NDArray[np.int64]) -> None:
        """Refuse rows in which something is hidden, or hands are too large."""
        table = self.game.table
        players = columns[rows, table.start("num_players")]
        if (players != 2).any():
            raise OpponentError(
                f"exact plays with 2 players, not {players[_row(players != 2)]}: with more, points"
                " are no zero-sum game between two"
            )
        held = columns[rows, table["hand"]].sum(axis=1)
        unseen = columns[rows, table["unseen"]].sum(axis=1)
        if (unseen != held).any():
            row = _row(unseen != held)
            raise OpponentError(
                f"exact plays where all cards are dealt (exact_deck): {unseen[row]} cards are"
                f" unseen here, but the other hand has {held[row]}"
            )
        if held.max() > self.max_cards:
            raise OpponentError(
                f"exact plays with up to {self.max_cards} cards a hand, not {held.max()}"
            )

    def _states(self, columns: NDArray[np.int16], rows: NDArray[np.int64]) -> NDArray[np.void]:
        """The positions (M,) of some rows, observer at seat 0."""
        game = self.game
        states = np.zeros(len(rows), game.state)
        rules = np.array([game.rules_record(game.rules())])  # overwritten
        bad = _lift_worlds(game)(np.ascontiguousarray(columns[rows]), rules[0], states)
        if bad >= 0:
            raise OpponentError(f"row {rows[bad]}: the observation contradicts itself")
        return states


def _row(wrong: Any) -> int:
    return int(np.argmax(wrong))


@cache
def _lift_worlds(game: Game) -> Kernel:
    source, sample_world = game.source_hash, game.sample_world

    def worlds(obs: Any, rules: Any, states: Any) -> int:
        """The positions that observations (N, D) tell of, where only one agrees with each.

        Returns the first row whose observation contradicts itself, or -1.
        """
        source  # noqa: B018  # part of the cache's key
        for i in range(obs.shape[0]):
            if not sample_world(obs[i], np.uint64(0), rules, states[i]):
                return i
        return -1

    return compiled(worlds)
