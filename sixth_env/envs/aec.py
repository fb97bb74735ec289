"""The agent-environment-cycle form: one seat acts at a time.

Written on the engine, not converted. Where several seats decide at once, they commit one after the
other in seat order, unseen by the rest; the engine steps when the last one has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from sixth_env.engine import MATCH_END, TRUNCATED
from sixth_env.envs.core import RENDER_MODES, Json, MatchEnv
from sixth_env.errors import IllegalActionError, PositionError
from sixth_env.games.cards import card_index


class AECMatch(MatchEnv, AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One match, seat by seat; the game's module tells what is seen and rewarded.

    Only seats that have something to decide are selected: for a row decision, its owner alone.
    That is why PettingZoo's ``aec_to_parallel``, which wants every agent in every cycle, is
    refused; the simultaneous games have a parallel form of their own.
    """

    def __init__(self, game_id: str, **options: Any) -> None:
        super().__init__(game_id, **options)
        self.metadata = {
            "name": str(self),
            "render_modes": list(RENDER_MODES),
            "render_fps": 1,
            "is_parallelizable": False,
        }

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a match.

        Args:
            seed: of the deals, 0 … 2^64 - 1; without one the stream of deals goes on.
            options: ``{"position": …}`` starts from a position instead of a deal, in the middle
                of a turn if its ``"chosen"`` holds committed cards; anything else is ignored.

        Raises:
            PositionError: the position is impossible or of other rules.
        """
        flags = self._begin(seed, options)
        self.agents = self.possible_agents[:]
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None
        self._show(flags)
        for seat, action in enumerate(self._chosen):
            if action is not None:
                self._let_wait(seat)
        self._select()
        self._refresh_window()

    def step(self, action: Any) -> None:
        """Let ``agent_selection`` act; after the end, ``None`` takes it off the list of agents.

        Raises:
            IllegalActionError: names the agent, its action and what was legal; nothing has
                changed. Also if no match is in progress.
        """
        if not self.agents:
            raise self._no_match()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise IllegalActionError(
                    f"{agent} may not take action {action!r}: the match is over, legal now: None"
                )
            self._was_dead_step(None)
            return
        self._act(agent, self._integer(agent, action))
        self._accumulate_rewards()
        self._refresh_window()

    def observe(self, agent: str) -> Json:
        """What ``agent`` sees now, in fresh arrays; the mask of a seat that waits is ``wait``."""
        self._check_started()
        seat = self._seat(agent)
        return {
            "observation": self._observation[seat].copy(),
            "action_mask": self._mask[seat].copy(),
        }

    def _act(self, agent: str, action: int) -> None:
        """Commit an action; when all have, step the engine."""
        seat = self._seats[agent]
        if not (0 <= action <= self._game.wait and self._mask[seat, action]):
            raise self._illegal(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._chosen[seat] = action
        self._let_wait(seat)
        if self._mask[:, self._game.wait].all():
            chosen = [self._game.wait if action is None else action for action in self._chosen]
            flags = self._play(chosen if self._game.simultaneous else [action])
            self._chosen = [None] * self._players
            self._show(flags)
        else:
            self.rewards = dict.fromkeys(self.agents, 0.0)
        self._select()

    def _let_wait(self, seat: int) -> None:
        """The seat has committed: until the engine steps it has nothing more to decide."""
        self._mask[seat] = 0
        self._mask[seat, self._game.wait] = 1

    def _show(self, flags: int) -> None:
        """What the seats see and got after a step of the engine with these flags."""
        self._observation, self._mask = self._look()
        self.rewards = dict(zip(self.possible_agents, self._reward.tolist(), strict=True))
        self.terminations = dict.fromkeys(self.possible_agents, flags & MATCH_END != 0)
        self.truncations = dict.fromkeys(self.possible_agents, flags & TRUNCATED != 0)
        ended = flags & (MATCH_END | TRUNCATED) != 0
        self._final = self._result(flags) if ended else {}

    def _select(self) -> None:
        """Select the first seat that has something to decide; after the end, the first seat."""
        deciding = np.flatnonzero(self._mask[:, self._game.wait] == 0)
        self.agent_selection = self.possible_agents[deciding[0] if len(deciding) else 0]
        self.infos = {
            agent: {
                "action_mask": mask.copy(),
                **{name: values[:] for name, values in self._final.items()},
            }
            for agent, mask in zip(self.possible_agents, self._mask, strict=True)
        }

    def _legal(self, seat: int) -> list[int]:
        return [int(action) for action in np.flatnonzero(self._mask[seat])]

    def _read_chosen(self, position: Json) -> list[int | None]:
        cards = position.get("chosen") or [None] * self._players
        if None not in cards:
            raise PositionError("position chosen has a card of every seat: they would be revealed")
        return [None if card is None else card_index(self._game.id, card) for card in cards]


class OrderEnforcing(OrderEnforcingWrapper):  # type: ignore[misc]
    """PettingZoo's wrapper that catches calls in the wrong order.

    It would answer a step outside a match with a log line or an assertion; here such a step
    reaches the environment, which refuses it as it refuses any other.
    """

    def step(self, action: Any) -> None:
        """As ``AECMatch.step``."""
        if self._has_reset and self.agents:
            super().step(action)
        else:
            self.env.step(action)

    def __str__(self) -> str:
        return str(self.env)
