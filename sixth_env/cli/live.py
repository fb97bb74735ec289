"""One match, step by step, between opponents and a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixth_env.engine import Engine, random_seed
from sixth_env.games.base import MATCH_END, TRUNCATED
from sixth_env.match.setup import rule_set
from sixth_env.opponents.ask import ask
from sixth_env.opponents.base import Opponent

Json = dict[str, Any]


class Decision(NamedTuple):
    """What one seat has to decide."""

    seat: int
    observation: NDArray[np.int16]  # (D,)
    action_mask: NDArray[np.int8]  # (A,)


class LiveMatch:
    """A match whose events are told as they happen.

    Args:
        game: a game's id.
        players: by seat, an opponent and its name; ``None`` for a person.
        seed: of the deals and of the opponents; drawn if ``None``.
        config: the rule set.

    Raises:
        ConfigError: the seed or the rule set is not allowed, or not for so many players.
    """

    def __init__(
        self,
        game: str,
        players: Sequence[tuple[str, Opponent] | None],
        seed: int | None,
        config: dict[str, Any],
    ) -> None:
        self.seed = random_seed() if seed is None else seed
        self.players = players
        self.engine = Engine(game, seed=self.seed, **rule_set(game, len(players), config))
        self.over = self.cut_off = False
        self._log = self.engine.new_log()
        self._seeds = np.random.default_rng(self.seed)
        rows = (1, self.engine.seats_per_step)
        self._observation = np.empty((*rows, self.engine.game.observation_size), np.int16)
        self._mask = np.empty((*rows, self.engine.game.num_actions), np.int8)
        self._seat, self._acting = np.empty(rows, np.int64), np.empty(rows, np.bool_)

    def start(self) -> list[Json]:
        """Deal; returns the events so far."""
        self.engine.reset(self.seed, log=self._log)
        return self.engine.events(self._log)

    def decisions(self) -> list[Decision]:
        """Who has something to decide now."""
        self.engine.observe(self._observation, self._mask, self._seat, self._acting)
        return [
            Decision(int(self._seat[0, k]), self._observation[0, k], self._mask[0, k])
            for k in np.flatnonzero(self._acting[0])
        ]

    def step(self, person: Callable[[Decision], int]) -> list[Json]:
        """Have everybody decide, and play; returns what happened.

        Raises:
            OpponentError: an opponent fails; names it and its seat.
        """
        actions = np.full(self._seat.shape, self.engine.game.wait)
        for decision in self.decisions():
            action = self._opponent_action(decision)
            mine = self._seat == decision.seat
            actions[mine] = person(decision) if action is None else action
        _, flags = self.engine.step(actions, log=self._log)
        self.cut_off = bool(flags[0] & TRUNCATED)
        self.over = self.cut_off or bool(flags[0] & MATCH_END)
        return self.engine.events(self._log)

    def _opponent_action(self, decision: Decision) -> int | None:
        """What the opponent at the seat does, or None if a person sits there."""
        seed = self._seeds.integers(0, 2**64, 1, np.uint64)
        player = self.players[decision.seat]
        if player is None:
            return None
        name, opponent = player
        seat = np.array([decision.seat])
        observation, mask = decision.observation[None].copy(), decision.action_mask[None]
        return int(ask(opponent, name, self.engine.game, seat, observation, mask, seed)[0])
