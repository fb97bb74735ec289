"""One learner against opponents, as a Gymnasium environment."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sixth_env.engine import Engine, is_whole, random_seed
from sixth_env.envs.core import RENDER_MODES, Json, MatchEnv
from sixth_env.errors import ConfigError, IllegalActionError, PositionError
from sixth_env.games.base import MATCH_END, TRUNCATED, Game
from sixth_env.solo.core import Solo
from sixth_env.solo.seats import Opponents

Observation = dict[str, NDArray[Any]]


class SoloEnv(gymnasium.Env[Any, Any]):
    """One seat of a match; opponents play the others.

    A step plays the learner's action and goes on until the learner has to decide again or the
    match is over. The reward is all that its seat was paid meanwhile, whoever brought it about.

    ============  ================================================================================
    Observation   ``{"observation": float32 (D,), "action_mask": int8 (A,)}`` of the learner's seat
    Action        a number that the mask allows; another one raises ``IllegalActionError``
    Info          ``action_mask``; ``seat``, the learner's; at the end ``totals`` and ``winners``
    ============  ================================================================================

    Args:
        game: a game's id.
        opponents: one for all other seats, or one for each from the learner's left on: a name, a
            checkpoint's folder, an ``Opponent``, or a :class:`~sixth_env.solo.Mix` of them.
        seat: the learner's; drawn for each match from the seed if ``None``.
        skip_forced: decisions with one legal action are made for the learner, and matches in
            which it has no other are passed over.
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or ``None``.
        render_as: ``"learner"`` shows what the learner may see, ``None`` what everybody may,
            ``"all"`` everything.
        render_faces: as for the PettingZoo environments.
        config: the rule set, as keyword arguments of the game's rules.

    Raises:
        ConfigError: an option is unknown, of the wrong type or not allowed by the rules.
        OpponentError: an opponent cannot be loaded.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        game: str = "sixth_card",
        *,
        opponents: Opponents = "random",
        seat: int | None = None,
        skip_forced: bool = False,
        render_mode: str | None = None,
        render_as: str | None = "learner",
        render_faces: str | None = None,
        **config: Any,
    ) -> None:
        self._follow = render_as == "learner"  # through whose eyes is known once it has a seat
        self.match = _Match(
            game,
            render_mode=render_mode,
            render_as=None if self._follow else render_as,
            render_faces=render_faces,
            **config,
        )
        self.render_mode = render_mode
        self.solo = Solo(
            self.match.engine, opponents, seat, skip_forced=skip_forced, watch=self.match.note
        )
        self.observation_space, self.action_space = learner_spaces(self.match.engine.game)
        self._mask = np.zeros(0, np.int8)
        self._playing = False

    @property
    def rules(self) -> Any:
        """The rule set in force, a frozen dataclass."""
        return self.match.rules

    @property
    def seat(self) -> int:
        """The learner's seat in this match."""
        return int(self.solo.learner[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Json]:
        """Start a match and play to the learner's first decision.

        Args:
            seed: of the deals, the learner's seat and the opponents, 0 … 2^64 - 1; without one
                the stream goes on.
            options: ``{"position": …}`` starts from a position instead of a deal, ``{"seat": n}``
                is the learner's seat in this match; anything else is ignored.

        Raises:
            PositionError: the position is impossible, of other rules, or leaves the learner
                nothing to decide.
        """
        super().reset(seed=seed)
        own_seat = _seat_option(options, self.match.engine.num_players)
        self._playing = False
        if self._follow:
            self.match.render_as = None  # the seat of the match before is an opponent's now
        while not self._begin(seed, options, own_seat):
            if (options or {}).get("position") is not None:
                raise PositionError("the learner has nothing to decide in the rest of this match")
            seed = None  # a match without a decision of the learner is no episode: the next one
        self._playing = True
        self.match.look_as(self.seat if self._follow else None)
        return self._report()

    def _begin(
        self, seed: int | None, options: Mapping[str, Any] | None, own_seat: int | None
    ) -> bool:
        """Start a match; returns whether the learner has something to decide in it."""
        over = self.match.begin(seed, options)
        self.solo.engine = self.match.engine
        if not over:
            self.solo.start(own_seat)
        return not over and not self.solo.flags[0]

    def step(
        self, action: np.int64 | int
    ) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Play ``action`` and go on to the learner's next decision, or the end.

        Raises:
            IllegalActionError: names the seat, the action and what was legal; nothing has moved.
                Also if no match is in progress.
            OpponentError: an opponent failed; the environment has to be reset.
        """
        if not self._playing:
            raise IllegalActionError("no match is in progress: call reset()")
        self.solo.play(np.array([self._number(action)]))
        flags, reward = int(self.solo.flags[0]), float(self.solo.take_reward()[0])
        self._playing = flags == 0
        observation, info = self._report()
        if flags:
            info.update(self.match.result(flags))
        return observation, reward, flags & MATCH_END != 0, flags & TRUNCATED != 0, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, (A,), where sb3-contrib looks for it."""
        return self._mask.astype(np.bool_)

    def render(self) -> Any:
        """The table: text, an image, or ``None`` and a window."""
        return self.match.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.match.close()

    # --- The match -------------------------------------------------------------------------------

    def position(self) -> Json:
        """The whole truth about the match as plain values, hidden cards included."""
        return self.match.position()

    def view(self) -> Json:
        """What the learner may know, as plain values, with its legal actions."""
        return self.match.view(f"player_{self.seat}")

    def events(self, since: int = 0) -> list[Json]:
        """What has happened in this match as the learner may know it, but for ``since`` events."""
        return self.match.events(since, f"player_{self.seat}")

    def replay(self) -> Json:
        """The match so far as what reproduces it: a :class:`sixth_env.notation.Replay`."""
        return self.match.replay()

    def _report(self) -> tuple[Observation, Json]:
        observation, mask = self.solo.look()
        self._mask = mask[0].copy()  # the caller may write into what it is given
        seen = {"observation": observation[0], "action_mask": mask[0]}
        return seen, {"action_mask": mask[0], "seat": self.seat}

    def _number(self, action: Any) -> int:
        """An action as an int: Python or NumPy integers, and nothing that would be rounded."""
        try:
            if not isinstance(action, (bool, np.bool_)):
                number = operator.index(action)
                if 0 <= number < len(self._mask):
                    return number
        except TypeError:
            pass
        legal = [int(number) for number in np.flatnonzero(self._mask)]
        raise IllegalActionError(
            f"player_{self.seat} may not take action {action!r}; legal now: {legal}"
        )


class _Match(MatchEnv):
    """The match behind the environment: its positions, events and pictures."""

    @property
    def engine(self) -> Engine:
        """The engine of one game that holds the match."""
        return self._engine

    def begin(self, seed: int | None, options: Mapping[str, Any] | None) -> bool:
        """Start a match; returns whether it is over already."""
        return self._begin(seed, options) != 0

    def note(self, actions: list[int]) -> None:
        """A step was made with ``actions`` (K,)."""
        self._check_started().add(actions)
        self._refresh_window()

    def look_as(self, seat: int | None) -> None:
        """From now on, show what this seat may see."""
        if seat is not None:
            self.render_as = self.possible_agents[seat]
        self._refresh_window()

    def result(self, flags: int) -> dict[str, list[int]]:
        """How the match ended: totals, and the winners' seats."""
        return self._result(flags)

    def _read_chosen(self, position: Json) -> list[int | None]:
        for seat, card in enumerate(position.get("chosen") or []):
            if card is not None:
                raise PositionError(
                    f"position chosen[{seat}] must be null, not {card!r}: here all choose at once"
                )
        return [None] * self._players


def learner_spaces(game: Game) -> tuple[spaces.Dict, spaces.Discrete]:
    """Observation and action space of one seat."""
    table = game.table
    low, high = table.to_float(table.low), table.to_float(table.high)
    seen = spaces.Dict(
        {
            "observation": spaces.Box(low, high, dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
        }
    )
    # An unseeded space would draw its seed at the first sample, and a copy another one.
    return seen, spaces.Discrete(game.num_actions, seed=random_seed())


def _seat_option(options: Mapping[str, Any] | None, players: int) -> int | None:
    seat = options.get("seat") if isinstance(options, Mapping) else None
    if seat is not None and not is_whole(seat, 0, players - 1):
        raise ConfigError(f"options['seat'] must be from 0 to {players - 1}, not {seat!r}")
    return seat
