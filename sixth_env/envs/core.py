"""What the parallel and the AEC environment share: one match on the engine, seen from its seats."""

from __future__ import annotations

import copy
import operator
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sixth_env.engine import Engine, is_whole, random_seed
from sixth_env.envs.kernels import ILLEGAL, lift_match
from sixth_env.envs.story import Story
from sixth_env.errors import ConfigError, IllegalActionError, PositionError
from sixth_env.games import get_game
from sixth_env.games.base import MATCH_END, TRUNCATED
from sixth_env.games.cards import card_name
from sixth_env.lift import REWARD_MODES
from sixth_env.render.style import check_faces

if TYPE_CHECKING:
    from sixth_env.render.table import Window

RENDER_MODES = ("human", "ansi", "rgb_array")
Json = dict[str, Any]


class MatchEnv:
    """One match of one game; the PettingZoo classes add how its seats take turns.

    Args:
        game_id: which game.
        render_mode: ``"ansi"`` (``render()`` returns text), ``"rgb_array"`` (an image),
            ``"human"`` (a window, refreshed by every step) or ``None``.
        render_as: through whose eyes: an agent's name; ``"all"`` shows every hand; ``None``, the
            default, shows what is public.
        render_faces: ``"zsa"`` shows the cards of 6 nimmt! as those of a ZSA deck.
        config: the rule set, as keyword arguments of the game's rules.

    Raises:
        ConfigError: a keyword is unknown, or a value is not allowed.
    """

    def __init__(
        self,
        game_id: str,
        *,
        render_mode: str | None = None,
        render_as: str | None = None,
        render_faces: str | None = None,
        **config: Any,
    ) -> None:
        get_game(game_id).make_rules(config)  # so that the engine's own options are refused
        self._engine = Engine(game_id, **config)
        self._game, self._players = self._engine.game, self._engine.num_players
        self.possible_agents = [f"player_{seat}" for seat in range(self._players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        _check_render(render_mode, render_as, self._seats)
        check_faces(game_id, render_faces)
        self._make_spaces()
        self._make_buffers()
        self._story: Story | None = None
        self._chosen: list[int | None] = [None] * self._players  # committed, not yet played
        self.render_mode, self.render_as = render_mode, render_as
        self.render_faces = render_faces
        self._window: Window | None = None
        self._warned = False

    @property
    def rules(self) -> Any:
        """The rule set in force, a frozen dataclass."""
        return self._engine.rules

    def __str__(self) -> str:
        return f"{self._game.id}_v{self._game.version}"

    def __getstate__(self) -> Json:
        """Everything but the window and the game, which is found again by its id."""
        state = self.__dict__ | {"_window": None}
        del state["_game"]
        return state

    def __setstate__(self, state: Json) -> None:
        self.__dict__.update(state)
        self._game = self._engine.game

    # --- Spaces ------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Dict:
        """``{"observation": Box (D,) float32, "action_mask": Box (A,) int8}``."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """``Discrete(A)``; which numbers are legal now is in the mask."""
        return self.action_spaces[agent]

    def _make_spaces(self) -> None:
        """One space object an agent, because each samples from a generator of its own."""
        table, num_actions = self._game.table, self._game.num_actions
        low, high = table.to_float(table.low), table.to_float(table.high)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(low, high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        # An unseeded space would draw its seed at the first sample, and a copy another one.
        self.action_spaces = {
            agent: spaces.Discrete(num_actions, seed=random_seed())
            for agent in self.possible_agents
        }
        seats = self._players
        self.state_space = spaces.Box(
            np.concatenate([np.tile(low, seats), np.zeros(seats, np.float32)]),
            np.concatenate([np.tile(high, seats), np.ones(seats, np.float32)]),
            dtype=np.float32,
        )

    # --- The match ---------------------------------------------------------------------------

    def _make_buffers(self) -> None:
        game = self._game
        self._rules = np.array([game.rules_record(self.rules)])
        self._mode = REWARD_MODES[self.rules.reward]
        self._no_log = np.zeros(1, game.kernels.LOG)
        self._reward = np.zeros(self._players, np.float32)  # (P,) of the last step
        self._observation_shape = (self._players, game.observation_size)
        self._mask_shape = (self._players, game.num_actions)
        self._columns = np.zeros(self._observation_shape, np.int16)

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> int:
        """Start a match, dealt or from ``options["position"]``; nothing changes if that fails.

        Returns the flag MATCH_END or TRUNCATED if it is over already, which only a position can
        be, else 0.
        """
        if not isinstance(options, Mapping | None):
            raise ConfigError(f"options must be None or a dict, not {options!r}")
        position = (options or {}).get("position")
        if seed is None and self._story is None:
            seed = random_seed()  # drawn now, so that copies of one never started differ
        chosen: list[int | None] = [None] * self._players
        if position is None:
            self._engine.reset(seed)
        else:
            engine = self._engine.copy()
            engine.reset(seed)
            engine.set_position(position)
            chosen = self._read_chosen(position)
            self._engine = engine
        self._chosen = chosen
        self._story = Story(self._engine, dealt=position is None)
        self._reward[:] = 0
        if position is None or position["phase"] != "over":
            return 0
        return TRUNCATED if self._game.cut_off(self._engine.position()) else MATCH_END

    def _read_chosen(self, position: Json) -> list[int | None]:
        """The committed actions of a valid position; raises ``PositionError`` if none can be."""
        raise NotImplementedError

    def _play(self, actions: Sequence[int]) -> int:
        """Apply a step's actions (K,), all integers; returns the flags of ``games.base``.

        Raises:
            IllegalActionError: one is not legal; nothing has changed.
        """
        assert self._story is not None
        try:
            array = np.array(actions, np.int64)
        except OverflowError:
            self._refuse(actions)
        play = lift_match(self._game).play
        states, rules = self._engine.states, self._rules
        flags: int = play(states, rules, self._mode, array, self._reward, self._no_log)
        if flags == ILLEGAL:
            self._refuse(actions)
        self._story.add(actions)
        return flags

    def _refuse(self, actions: Sequence[int]) -> NoReturn:
        """Raise the error about the first illegal one of the actions (K,)."""
        seat_at = self._game.kernels.seat_at
        for k, action in enumerate(actions):
            seat = int(seat_at(self._engine.states[0], self._rules[0], k))
            if action not in self._legal(seat):
                raise self._illegal(self.possible_agents[seat], action)
        raise AssertionError("the engine refused legal actions")

    def _look(self) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Fresh arrays: what every seat sees (P, D) and may do (P, A)."""
        observation = np.empty(self._observation_shape, np.float32)
        mask = np.empty(self._mask_shape, np.int8)
        look = lift_match(self._game).look
        look(self._engine.states, self._rules, self._columns, observation, mask)
        return observation, mask

    def _legal(self, seat: int) -> list[int]:
        """The legal actions of a seat now."""
        return self._engine.legal_actions(0, seat)

    def _result(self, flags: int) -> dict[str, list[int]]:
        """How a match ended, for the infos; nobody has won one that was cut off."""
        state, players = self._engine.states[0], range(self._players)
        totals = [int(state["totals"][seat]) for seat in players]
        if flags & TRUNCATED:
            return {"totals": totals, "winners": []}
        scores = [int(self._game.kernels.score(state, self._rules[0], s)) for s in players]
        winners = [seat for seat in players if scores[seat] == max(scores)]
        return {"totals": totals, "winners": winners}

    # --- Checks ------------------------------------------------------------------------------

    def _integer(self, agent: str, action: Any) -> int:
        """An action as an int: Python or NumPy integers, and nothing that would be rounded."""
        if not isinstance(action, (bool, np.bool_)):
            try:
                return operator.index(action)
            except TypeError:
                pass
        raise self._illegal(agent, action)

    def _illegal(self, agent: str, action: Any) -> IllegalActionError:
        legal = self._legal(self._seats[agent])
        if not isinstance(action, int) or isinstance(action, bool):
            return IllegalActionError(
                f"{agent}: an action must be an integer, not {action!r}"
                f" ({type(action).__name__}); legal now: {legal}"
            )
        name = ""
        if 0 <= action < self._game.num_actions:
            name = f" ({self._game.action_name(action)})"
        return IllegalActionError(f"{agent} may not take action {action}{name}; legal now: {legal}")

    def _no_match(self) -> IllegalActionError:
        if self._story is None:
            return IllegalActionError("no agent may act before reset() has started a match")
        return IllegalActionError("no agent may act any more: the match is over, call reset()")

    def _check_started(self) -> Story:
        if self._story is None:
            raise PositionError("there is no match yet: call reset() first")
        return self._story

    def _seat(self, agent: str) -> int:
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            known = ", ".join(self.possible_agents)
            raise ConfigError(f"unknown agent {agent!r}: expected one of {known}") from None

    # --- Positions, views, events --------------------------------------------------------------

    def position(self) -> Json:
        """The whole truth about the match as plain values, hidden cards included."""
        self._check_started()
        position = self._engine.position()
        if "chosen" in position:
            position["chosen"] = [
                None if card is None else card_name(self._game.id, card) for card in self._chosen
            ]
        return position

    def view(self, agent: str) -> Json:
        """What ``agent`` may know, as plain values; ``"legal"`` lists its legal actions."""
        seat = self._seat(agent)
        view = self._game.notation.view(self.position(), seat)
        return {**view, "legal": self._game.legal(self._legal(seat))}

    def events(self, since: int = 0, agent: str | None = None) -> list[Json]:
        """What has happened in this match, oldest first; event n is entry n of ``events()``.

        Args:
            since: how many events to leave out, those one has already seen.
            agent: as this agent may know them; ``None`` tells the whole truth.
        """
        if not is_whole(since, 0, sys.maxsize):
            raise ConfigError(f"since must be a whole number of events, not {since!r}")
        seat = None if agent is None else self._seat(agent)
        events = copy.deepcopy(self._check_started().events(self._engine)[since:])
        if seat is None:
            return events
        return [self._game.notation.event_view(event, seat) for event in events]

    def replay(self) -> Json:
        """The match so far as what reproduces it: a :class:`sixth_env.notation.Replay`."""
        return self._check_started().replay(self._engine)

    def state(self) -> NDArray[np.float32]:
        """The privileged full state, (P * D + P,) float32: no seat may know it.

        The observations of all seats, ``player_0`` first, then for each seat the card that it
        has committed and not yet revealed (only between two steps of the AEC form): (action + 1)
        / A, else 0. What no seat knows is left out: the order of cards not yet dealt, and in the
        golf game cards that lie face down.
        """
        self._check_started()
        observation, _ = self._look()
        committed = [0 if action is None else action + 1 for action in self._chosen]
        scaled = np.array(committed, np.float32) / np.float32(self._game.num_actions)
        return np.concatenate([observation.ravel(), scaled])

    # --- Pictures ----------------------------------------------------------------------------

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table as ``render_as`` sees it: text, an image, or ``None`` and a window."""
        if self.render_mode is None:
            if not self._warned:
                warnings.warn("render() does nothing: no render_mode was given", stacklevel=2)
            self._warned = True
            return None
        scene = self._scene()
        if self.render_mode == "ansi":
            from sixth_env.render.text import supports_unicode, text

            unicode = sys.stdout is None or supports_unicode(sys.stdout)
            return text(scene, unicode=unicode, faces=self.render_faces)
        from sixth_env.render.table import Window, draw

        if self.render_mode == "rgb_array":
            return draw(scene, faces=self.render_faces)
        if self._window is None:
            self._window = Window(caption=str(self), faces=self.render_faces)
        self._window.show(scene)
        return None

    def _refresh_window(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def _scene(self) -> Json:
        """The view or position to draw."""
        position = self.position()
        if self.render_as == "all":
            return position
        if self.render_as is not None:
            return self._game.notation.view(position, self._seats[self.render_as])
        nobody = self._game.notation.view(position, -1)
        del nobody["player"]
        return nobody


def _check_render(mode: str | None, viewer: str | None, seats: Mapping[str, int]) -> None:
    if mode is not None and mode not in RENDER_MODES:
        modes = ", ".join(RENDER_MODES)
        raise ConfigError(f"render_mode must be None or one of {modes}, not {mode!r}")
    if viewer is not None and viewer != "all" and viewer not in list(seats):
        names = ", ".join(seats)
        raise ConfigError(f"render_as must be None, 'all' or one of {names}, not {viewer!r}")
