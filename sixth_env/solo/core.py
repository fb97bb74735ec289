"""Solo: many games with one learner seat each, opponents in the others.

A step takes the learner's decision in every game and plays on until the learner of each has to
decide again. Games are stepped only where they have to be, so nobody waits for anybody: every row
of every step is a decision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixth_env.engine import Engine
from sixth_env.errors import IllegalActionError
from sixth_env.games.base import MATCH_END, TRUNCATED
from sixth_env.opponents import Opponent
from sixth_env.opponents.ask import ask
from sixth_env.rng import fold
from sixth_env.solo.kernels import lift_solo
from sixth_env.solo.seats import Opponents, Seats

# The stream of a game's seats and opponents: a word that no game index reaches, so no deal's.
_STREAM = 2**63 + 1


class Final(NamedTuple):
    """How matches ended; rows are valid where the step's ``terminated`` or ``truncated`` is."""

    observation: NDArray[np.float32]  # (B, D) what the learner saw last
    action_mask: NDArray[np.int8]  # (B, A) `wait` alone
    totals: NDArray[np.int64]  # (B, P) as the game counts them: points, or chips
    winners: NDArray[np.bool_]  # (B, P) nobody where the match was cut off


class SoloStep(NamedTuple):
    """What a step brought, in arrays of its own.

    ``observation``, ``action_mask`` and ``seat`` belong to the next decision: where a match has
    ended they show the first one of the next match (same-step autoreset).
    """

    observation: NDArray[np.float32]  # (B, D)
    action_mask: NDArray[np.int8]  # (B, A)
    seat: NDArray[np.int64]  # (B,) the learner's
    reward: NDArray[np.float64]  # (B,) all that its seat was paid since its last decision
    terminated: NDArray[np.bool_]  # (B,)
    truncated: NDArray[np.bool_]  # (B,)
    final: Final | None  # None if no match has ended


class Solo:
    """``engine.num_games`` games, a learner in one seat of each.

    What depends on chance is keyed by (seed, game index, episode), so game i is the same game in
    an engine of any size: deals, the learner's seat, who the opponents are, and what they draw.

    Args:
        engine: the games; they are reset.
        opponents, seat: see :class:`~sixth_env.solo.seats.Seats`.
        skip_forced: decisions with one legal action are made for the learner, and matches in
            which it has no other are passed over.
        watch: called with the actions (K,) of every step of an engine of one game.

    Raises:
        ConfigError, OpponentError: see ``Seats``.
    """

    def __init__(
        self,
        engine: Engine,
        opponents: Opponents,
        seat: int | None = None,
        *,
        skip_forced: bool = False,
        watch: Callable[[list[int]], None] | None = None,
    ) -> None:
        self.engine, self.skip_forced, self._watch = engine, skip_forced, watch
        self.seats = Seats(engine.game, engine.num_players, opponents, seat)
        games, players = engine.num_games, engine.num_players
        self.learner = np.zeros(games, np.int64)  # (B,) its seat
        self.flags = np.zeros(games, np.int64)  # (B,) how the match ended, 0 while it goes on
        self._sitting = np.zeros((games, players), np.int64)  # (B, P) which opponent
        self._keys = np.zeros(games, np.uint64)  # (B,) of the match
        self._turns = np.zeros(games, np.int64)  # (B,) steps of the match
        self._owed = np.zeros(games)  # (B,) paid to the learner since its last decision
        self._make_buffers()

    def _make_buffers(self) -> None:
        """Working space, and what the rules lead to."""
        game, games, k = self.engine.game, self.engine.num_games, self.engine.seats_per_step
        self._rules = np.array([game.rules_record(self.engine.rules)])
        self._moving = np.zeros(games, np.bool_)
        self._actions = np.zeros((games, k), np.int64)
        rows = games * k
        self._obs = np.zeros((rows, game.observation_size), np.int16)
        self._mask = np.zeros((rows, game.num_actions), np.int8)
        self._place, self._seat, self._who = np.zeros((3, rows), np.int64)
        self._seeds = np.zeros(rows, np.uint64)
        self._columns = np.zeros((1, game.observation_size), np.int16)

    @property
    def opponents(self) -> list[Opponent]:
        """Everybody who may sit at a table."""
        return self.seats.opponents

    # --- Many games ----------------------------------------------------------------------------

    def reset(self, seed: int | None = None) -> SoloStep:
        """Start a match everywhere; without a seed the streams go on."""
        self.engine.reset(seed)
        self.start()
        self.begin(self.flags != 0)
        nothing = np.zeros(self.engine.num_games, np.bool_)
        return self._step(np.zeros(self.engine.num_games), nothing, nothing.copy(), None)

    def step(self, actions: ArrayLike) -> SoloStep:
        """Apply the learners' ``actions`` (B,) and play on until they have to decide again.

        Raises:
            IllegalActionError: names game, seat, action and what was legal; nothing has moved.
            OpponentError: an opponent failed; the games have to be reset.
        """
        self.play(actions)
        reward = self.take_reward()
        terminated, truncated = (self.flags & MATCH_END) != 0, (self.flags & TRUNCATED) != 0
        final = None
        if self.flags.any():
            final = self.final()
            self.begin(self.flags != 0)
        return self._step(reward, terminated, truncated, final)

    def _step(
        self,
        reward: NDArray[np.float64],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        final: Final | None,
    ) -> SoloStep:
        observation, mask = self.look()
        return SoloStep(
            observation, mask, self.learner.copy(), reward, terminated, truncated, final
        )

    # --- Matches, which do not follow each other by themselves -----------------------------------

    def start(self, seat: int | None = None) -> None:
        """Take up matches that the engine has just begun, and play to the first decisions.

        ``seat`` is the learner's for these matches.
        """
        self.flags[:] = MATCH_END
        self._sit_down(seat)
        self._run(np.full(self.engine.num_games, -1))

    def begin(self, chosen: NDArray[np.bool_]) -> None:
        """Start the next match where ``chosen`` (B,), up to its learner's first decision.

        A match without any is no episode: it is passed over. Elsewhere nothing moves, and matches
        that have ended stay as they are.
        """
        held = np.where(chosen, 0, self.flags)
        while chosen.any():
            self.flags[:] = np.where(chosen, MATCH_END, 0)
            self.engine.restart(chosen)
            self._sit_down()
            self.flags |= held
            self._run(np.full(self.engine.num_games, -1))
            chosen = (self.flags != 0) & (held == 0)

    def play(self, actions: ArrayLike, games: NDArray[np.bool_] | None = None) -> None:
        """Apply the learners' ``actions`` (B,) and play on until they decide again, or the end.

        ``games`` (B,) are those that move, all by default.
        """
        given = self._check(actions)
        self._run(given if games is None else np.where(games, given, -1))

    def take_reward(self) -> NDArray[np.float64]:
        """What the learners' seats (B,) were paid since this was last asked.

        What comes between a match's beginning and its learner's first decision is paid with that
        decision, so the rewards of a match add up to what its seat got in all.
        """
        reward, self._owed = self._owed, np.zeros(self.engine.num_games)
        return reward

    def look(
        self, chosen: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What the learners see (B, D) and may do (B, A), in fresh arrays; zeros but in the games
        where ``chosen`` (B,), all by default."""
        games, game = self.engine.num_games, self.engine.game
        observation = np.zeros((games, 1, game.observation_size), np.float32)
        mask = np.zeros((games, 1, game.num_actions), np.int8)
        lift_solo(game).look(
            self.engine.states,
            self._rules,
            self.learner[:, None],
            np.ones(games, np.bool_) if chosen is None else chosen,
            game.table.scale,
            self._columns,
            observation,
            mask,
        )
        return observation[:, 0], mask[:, 0]

    def final(self) -> Final:
        """How the matches that have ended did."""
        totals, winners = results(self.engine, self._rules, self.flags)
        return Final(*self.look(self.flags != 0), totals, winners)

    # --- Playing ---------------------------------------------------------------------------------

    def _sit_down(self, seat: int | None = None) -> None:
        """Deal out the seats of the matches that begin: those whose flags still tell of an end."""
        chosen = np.flatnonzero(self.flags)
        states = self.engine.states[chosen]
        with np.errstate(over="ignore"):
            keys = np.asarray(fold(fold(states["seed"], _STREAM), states["game"]))
            self._keys[chosen] = keys = np.asarray(fold(keys, states["episode"]))
        self.learner[chosen], self._sitting[chosen] = self.seats.deal(keys, seat)
        self._turns[chosen] = self.flags[chosen] = 0
        self._owed[chosen] = 0.0

    def _run(self, given: NDArray[np.int64]) -> None:
        """Step every game, with the learner's action where ``given`` (B,) is one and not -1, until
        its learner has to decide or its match is over."""
        survey, engine = lift_solo(self.engine.game).survey, self.engine
        games = np.arange(engine.num_games)
        while True:
            rows, moved = survey(
                engine.states, self._rules, self.learner, given, self.skip_forced,
                self.flags != 0, self._sitting, self._keys, self._turns,
                self._moving, self._actions, self._obs, self._mask, self._place, self._seat,
                self._who, self._seeds,
            )  # fmt: skip
            if not moved:
                return
            self._ask_opponents(rows)
            reward, flags = engine.step(self._actions, games=self._moving)
            self._owed += reward[games, self.learner]
            self._turns += self._moving
            if engine.any(MATCH_END | TRUNCATED):
                self.flags |= flags & (MATCH_END | TRUNCATED)
            if self._watch is not None:
                self._watch(self._actions[0].tolist())
            given = np.full(engine.num_games, -1)

    def _ask_opponents(self, rows: int) -> None:
        """Fill in the decisions of the first ``rows`` of what ``survey`` has written."""
        flat, who = self._actions.reshape(-1), self._who[:rows]
        for index, opponent in enumerate(self.opponents):
            asked: slice | NDArray[np.int64] = slice(rows)
            if len(self.opponents) > 1:
                asked = np.flatnonzero(who == index)
            seats = self._seat[asked]
            if len(seats):
                flat[self._place[asked]] = ask(
                    opponent,
                    opponent.name,
                    self.engine.game,
                    seats,
                    self._obs[asked],
                    self._mask[asked],
                    self._seeds[asked],
                )

    def _check(self, actions: ArrayLike) -> NDArray[np.int64]:
        """The learners' actions as an array of their own; the engine sees to what is legal."""
        games, num_actions = self.engine.num_games, self.engine.game.num_actions
        array = np.asarray(actions)
        if array.shape != (games,) or array.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions must be integers of shape ({games},), not {array.dtype} of {array.shape}"
            )
        known = (array >= 0) & (array < num_actions)
        if not known.all():
            game = int(np.argmin(known))
            where = "" if games == 1 else f" of game {game}"
            raise IllegalActionError(
                f"player_{self.learner[game]}{where} may not take action {array[game]}:"
                f" actions are from 0 to {num_actions - 1}"
            )
        return array.astype(np.int64)


def results(
    engine: Engine, rules: NDArray[np.void], flags: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Totals and winners (B, P) of the games whose ``flags`` (B,) tell of an end."""
    shape = (engine.num_games, engine.num_players)
    totals, shares = np.zeros(shape, np.int64), np.zeros(shape, np.float32)
    lift_solo(engine.game).results(engine.states, rules, flags != 0, totals, shares)
    return totals, (shares > 0) & ((flags & TRUNCATED) == 0)[:, None]
