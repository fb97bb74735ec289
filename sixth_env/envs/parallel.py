"""The parallel form: every seat hands in an action in every step."""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv

from sixth_env.engine import MATCH_END, TRUNCATED
from sixth_env.envs.core import RENDER_MODES, Json, MatchEnv
from sixth_env.errors import ConfigError, IllegalActionError, PositionError

Seen = tuple[dict[str, Json], dict[str, Json]]
StepResult = tuple[
    dict[str, Json], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Json]
]


class ParallelMatch(MatchEnv, ParallelEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One match of a simultaneous game; the game's module tells what is seen and rewarded.

    All seats stay in the dictionaries until the match ends. While one player decides on a row,
    the others' only legal action is ``wait``.
    """

    def __init__(self, game_id: str, **options: Any) -> None:
        super().__init__(game_id, **options)
        if not self._game.simultaneous:
            raise ConfigError(f"{game_id} is played in turns: it has an AEC environment only")
        self.metadata = {
            "name": str(self),
            "render_modes": list(RENDER_MODES),
            "render_fps": 1,
            "is_parallelizable": True,
        }

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Seen:
        """Start a match.

        Args:
            seed: of the deals, 0 … 2^64 - 1; without one the stream of deals goes on.
            options: ``{"position": …}`` starts from a position instead of a deal; anything else
                is ignored.

        Raises:
            PositionError: the position is impossible, of other rules, or has committed cards.
        """
        flags = self._begin(seed, options)
        self.agents = [] if flags else self.possible_agents[:]
        seen = self._report(flags)
        self._refresh_window()
        return seen

    def step(self, actions: dict[str, Any]) -> StepResult:
        """Apply one action an agent.

        Raises:
            IllegalActionError: names the agent, its action and what was legal; nothing has
                changed. Also if an agent is missing or unknown, or no match is in progress.
        """
        flags = self._play(self._read(actions))
        agents = self.possible_agents
        if flags & (MATCH_END | TRUNCATED):
            self.agents = []
        observations, infos = self._report(flags)
        self._refresh_window()
        return (
            observations,
            dict(zip(agents, self._reward.tolist(), strict=True)),
            dict.fromkeys(agents, flags & MATCH_END != 0),
            dict.fromkeys(agents, flags & TRUNCATED != 0),
            infos,
        )

    def _report(self, flags: int) -> Seen:
        """Observations and infos of every agent after a step with these flags, in own arrays."""
        observation, mask = self._look()
        observations, infos = {}, {}
        for agent, columns, legal in zip(self.possible_agents, observation, mask, strict=True):
            observations[agent] = {"observation": columns, "action_mask": legal}
            infos[agent] = {"action_mask": legal}
        if flags & (MATCH_END | TRUNCATED):
            result = self._result(flags)
            for info in infos.values():
                info.update({name: list(values) for name, values in result.items()})
        return observations, infos

    def _read(self, actions: dict[str, Any]) -> list[int]:
        """The actions in seat order; refuses what is not one integer for every agent."""
        if not self.agents:
            raise self._no_match()
        agents = self.possible_agents
        try:
            values = [actions[agent] for agent in agents]
        except (KeyError, TypeError):
            values = []
        if not values or len(actions) != len(agents):
            raise self._wrong_agents(actions)
        for seat, value in enumerate(values):
            if type(value) is not int:
                values[seat] = self._integer(agents[seat], value)
        return values

    def _wrong_agents(self, actions: Any) -> IllegalActionError:
        if not isinstance(actions, dict):
            return IllegalActionError(f"actions must be a dict from agent to action: {actions!r}")
        for seat, agent in enumerate(self.possible_agents):
            if agent not in actions:
                legal = self._legal(seat)
                return IllegalActionError(f"{agent} sent no action; legal now: {legal}")
        unknown = next(agent for agent in actions if agent not in self._seats)
        known = ", ".join(self.possible_agents)
        return IllegalActionError(
            f"unknown agent {unknown!r} sent action {actions[unknown]!r}; the agents are {known}"
        )

    def _read_chosen(self, position: Json) -> list[int | None]:
        for seat, card in enumerate(position.get("chosen") or []):
            if card is not None:
                raise PositionError(
                    f"position chosen[{seat}] must be null, not {card!r}: here all agents choose in"
                    " one step, and only the AEC form knows committed cards"
                )
        return [None] * self._players
