"""Vector environments of Stable-Baselines3 on the batch engine.

Observations are the float32 columns (D,) alone; masks reach sb3-contrib's ``MaskablePPO`` through
``action_masks()``. That is quicker than a dictionary of both, and the network need not read masks.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable
from typing import Any

import numpy as np
import torch
from gymnasium import Wrapper
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from sixth_env.engine import Engine
from sixth_env.errors import ConfigError, IllegalActionError
from sixth_env.games import get_game
from sixth_env.games.base import MATCH_END, TRUNCATED
from sixth_env.solo.core import Solo
from sixth_env.solo.env import learner_spaces
from sixth_env.solo.kernels import lift_solo
from sixth_env.solo.seats import Opponents

Infos = list[dict[str, Any]]
Returned = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], Infos]


class GamesVecEnv(VecEnv):
    """What both kinds share: one engine, whose rows are SB3's environments.

    Rows whose match has ended carry ``terminal_observation``, ``TimeLimit.truncated``, and the
    ``episode`` that a ``Monitor`` would add: return, length and seconds.
    """

    def __init__(self, engine: Engine, rows: int, seed: int | None) -> None:
        self.engine, self.game = engine, engine.game
        self.render_mode = None
        seen, action_space = learner_spaces(engine.game)
        super().__init__(rows, seen["observation"], action_space)
        self.masks = np.zeros((rows, self.game.num_actions), np.bool_)
        self._actions = np.zeros(rows, np.int64)
        self._returns, self._lengths = np.zeros(rows), np.zeros(rows, np.int64)
        self._started = time.time()
        if seed is not None:
            self.seed(seed)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, (rows, A)."""
        return self.masks

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions (rows,)."""
        self._actions = actions

    def close(self) -> None:
        """Nothing is open."""

    def _begin(self) -> int | None:
        """What a reset starts with; returns the seed to use, or ``None`` to go on."""
        seed = self._seeds[0]  # SB3 has one for every row; the engine needs one
        self._reset_seeds()
        self._reset_options()
        self._returns[:], self._lengths[:] = 0.0, 0
        return seed

    def _report(
        self,
        reward: NDArray[Any],
        decided: NDArray[np.bool_],
        done: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        last_seen: NDArray[np.float32] | None,
    ) -> Infos:
        """The infos of a step: what a row was paid, whether it had decided, how it ended."""
        self._returns += reward
        self._lengths += decided
        infos: Infos = [{} for _ in range(self.num_envs)]
        if last_seen is None:
            return infos
        elapsed = round(time.time() - self._started, 6)
        for row in np.flatnonzero(done).tolist():
            paid, length = round(float(self._returns[row]), 6), int(self._lengths[row])
            infos[row] = {
                "episode": {"r": paid, "l": length, "t": elapsed},
                "terminal_observation": last_seen[row],
                "TimeLimit.truncated": bool(truncated[row]),
            }
        self._returns[done], self._lengths[done] = 0.0, 0
        return infos

    # --- What SB3 asks of each row -------------------------------------------------------------

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of all rows, which share it; raises ``AttributeError`` if there is none."""
        return [getattr(self, attr_name) for _ in self._rows(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: rows have no attributes of their own."""
        raise AttributeError(f"the rows of {type(self).__name__} have no {attr_name!r} to set")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """What a method gives for each row: ``action_masks`` is the one that there is."""
        if method_name != "action_masks":
            raise AttributeError(f"the rows of {type(self).__name__} have no {method_name!r}")
        if indices is None:
            return list(self.masks)
        return [self.masks[row] for row in self._rows(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[Wrapper[Any, Any, Any, Any]], indices: Any = None
    ) -> list[bool]:
        """False, but for ``Monitor``, whose ``episode`` the infos carry."""
        return [wrapper_class is Monitor for _ in self._rows(indices)]

    def _rows(self, indices: Any) -> Iterable[int]:
        return range(self.num_envs) if indices is None else np.atleast_1d(indices).tolist()


class SoloVecEnv(GamesVecEnv):
    """One learner seat in each of ``num_games`` games, opponents in the others.

    Every row of every step is a decision of the learner; see :class:`~sixth_env.solo.Solo`.

    Args:
        game: a game's id.
        num_games: rows.
        opponents, seat, skip_forced: as for :class:`~sixth_env.solo.SoloEnv`.
        seed: of the first reset, as by ``seed()``.
        config: the rule set, as keyword arguments of the game's rules.

    Raises:
        ConfigError, OpponentError: as ``SoloEnv`` does.
    """

    def __init__(
        self,
        game: str = "sixth_card",
        num_games: int = 256,
        *,
        opponents: Opponents = "random",
        seat: int | None = None,
        skip_forced: bool = False,
        seed: int | None = None,
        **config: Any,
    ) -> None:
        get_game(game).make_rules(config)  # so that the engine's own options are refused
        engine = Engine(game, num_games, **config)
        self.solo = Solo(engine, opponents, seat, skip_forced=skip_forced)
        super().__init__(engine, num_games, seed)

    def reset(self) -> NDArray[np.float32]:
        """Start a match everywhere; gives the first observations (rows, D)."""
        step = self.solo.reset(self._begin())
        self.masks = step.action_mask != 0
        return step.observation

    def step_wait(self) -> Returned:
        """Observations (rows, D), rewards and dones (rows,), infos; fresh arrays."""
        step = self.solo.step(self._actions)
        self.masks = step.action_mask != 0
        done = step.terminated | step.truncated
        last_seen = None if step.final is None else step.final.observation
        infos = self._report(
            step.reward, np.ones(len(done), np.bool_), done, step.truncated, last_seen
        )
        return step.observation, step.reward.astype(np.float32), done, infos


class SelfPlayVecEnv(GamesVecEnv):
    """Every seat of every game is a row, all played by one policy.

    Row ``game * players + seat``. A seat with nothing to decide has one legal action, ``wait``;
    a :class:`DecisionBuffer` learns from the other rows alone. ``num_timesteps`` counts them all,
    ``decisions`` counts decisions.

    Args:
        game, seed, config: as for :class:`SoloVecEnv`.
        num_games: games; there are as many rows for each seat.

    Raises:
        ConfigError: an option is unknown or not allowed by the rules.
    """

    def __init__(
        self,
        game: str = "sixth_card",
        num_games: int = 64,
        *,
        seed: int | None = None,
        **config: Any,
    ) -> None:
        get_game(game).make_rules(config)
        engine = Engine(game, num_games, **config)
        self.decisions, self._wait = 0, engine.game.wait
        self._rules = np.array([engine.game.rules_record(engine.rules)])
        self._seats = np.tile(np.arange(engine.num_players), (num_games, 1))
        self._columns = np.zeros((engine.num_players, engine.game.observation_size), np.int16)
        super().__init__(engine, num_games * engine.num_players, seed)

    def reset(self) -> NDArray[np.float32]:
        """Start a match everywhere; gives the first observations (rows, D)."""
        self.engine.reset(self._begin())
        observation, self.masks = self._look(np.ones(self.engine.num_games, np.bool_))
        return observation

    def step_wait(self) -> Returned:
        """Observations (rows, D), rewards and dones (rows,), infos; fresh arrays."""
        acting = ~self.masks[:, self._wait]
        reward, flags = self.engine.step(self._engine_actions(acting))
        paid = reward.reshape(-1).copy()
        self.decisions += int(acting.sum())
        players, over = self.engine.num_players, (flags & (MATCH_END | TRUNCATED)) != 0
        done, cut = np.repeat(over, players), np.repeat((flags & TRUNCATED) != 0, players)
        last_seen = None
        if over.any():
            last_seen = self._look(over)[0]
            self.engine.restart(over)
        observation, self.masks = self._look(np.ones_like(over))
        return observation, paid, done, self._report(paid, acting, done, cut, last_seen)

    def _engine_actions(self, acting: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The rows' actions as the engine takes them, (B, K)."""
        games, players = self.engine.num_games, self.engine.num_players
        actions = np.asarray(self._actions)
        if actions.shape != (games * players,) or actions.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions must be integers of shape ({games * players},),"
                f" not {actions.dtype} of {actions.shape}"
            )
        if self.game.simultaneous:
            return actions.reshape(games, players)
        wrong = ~acting & (actions != self._wait)
        if wrong.any():
            game, seat = divmod(int(np.argmax(wrong)), players)
            raise IllegalActionError(
                f"player_{seat} of game {game} may not take action"
                f" {actions[game * players + seat]}; legal now: [{self._wait}]"
            )
        actor = acting.reshape(games, players).argmax(axis=1)
        chosen = actions.reshape(games, players)[np.arange(games), actor]
        return np.asarray(chosen, np.int64)[:, None]

    def _look(self, games: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """What every seat sees (rows, D) and may do (rows, A); zeros in other games."""
        shape = self._seats.shape
        observation = np.zeros((*shape, self.game.observation_size), np.float32)
        mask = np.zeros((*shape, self.game.num_actions), np.int8)
        look, scale = lift_solo(self.game).look, self.game.table.scale
        states, rules = self.engine.states, self._rules
        look(states, rules, self._seats, games, scale, self._columns, observation, mask)
        rows = self.num_envs
        return observation.reshape(rows, -1), mask.reshape(rows, -1) != 0


class DecisionBuffer(MaskableRolloutBuffer):
    """A rollout buffer that learns from decisions alone: ``rollout_buffer_class`` for self-play.

    A row whose only legal action is ``wait``, the last one, is no transition: what it is paid
    counts for the seat's last decision, and advantages go from decision to decision.
    """

    def compute_returns_and_advantage(
        self, last_values: torch.Tensor, dones: NDArray[np.bool_]
    ) -> None:
        """Generalised advantages (Schulman et al., 2016) over each row's decisions.

        Args:
            last_values: (rows,) or (rows, 1), of what is seen after the last step.
            dones: (rows,) whether the last step ended a match.
        """
        acting = self.action_masks[:, :, -1] == 0
        following = last_values.clone().cpu().numpy().flatten()  # value of the next decision
        advantage, owed = np.zeros_like(following), np.zeros_like(following)
        goes_on = 1.0 - dones.astype(np.float32)
        for step in reversed(range(self.buffer_size)):
            owed = self.rewards[step] + goes_on * owed
            following, advantage = goes_on * following, goes_on * advantage
            delta = owed + self.gamma * following - self.values[step]
            here = delta + self.gamma * self.gae_lambda * advantage
            self.advantages[step] = np.where(acting[step], here, 0.0)
            advantage = np.where(acting[step], here, advantage)
            following = np.where(acting[step], self.values[step], following)
            owed = np.where(acting[step], 0.0, owed)
            goes_on = 1.0 - self.episode_starts[step]
        self.returns = self.advantages + self.values

    def get(  # type: ignore[override]
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Minibatches of the decisions, in random order."""
        if not self.full:
            raise ConfigError("the rollout buffer is not full yet")
        if not self.generator_ready:
            for name in (
                "observations", "actions", "values", "log_probs", "advantages", "returns",
                "action_masks",
            ):  # fmt: skip
                self.__dict__[name] = self.swap_and_flatten(self.__dict__[name])
            self.generator_ready = True
        rows = np.random.permutation(np.flatnonzero(self.action_masks[:, -1] == 0))
        size = batch_size or len(rows)
        for start in range(0, len(rows), size):
            yield self._get_samples(rows[start : start + size])
