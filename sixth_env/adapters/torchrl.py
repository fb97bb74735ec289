"""TorchRL: many games as one ``EnvBase``, TensorDict in and out.

``SelfPlayEnv`` has the layout of TorchRL's multi-agent environments: B games whose P seats form
the group ``"agents"``. ``decisions`` turns a rollout of it into single decisions, from which
TorchRL's own GAE and losses learn rightly. ``LearnerEnv`` has one learner in each of B games,
against opponents. ``TorchrlOpponent`` is a trained actor at our tables.

Needs the extra ``torchrl``; docs/torchrl.md shows whole examples.
"""

# ruff: noqa: E402  # the first import says which extra is missing
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.adapters import require

require("torchrl", extra="torchrl")

import torch
from tensordict import TensorDict, TensorDictBase
from tensordict.nn import TensorDictModuleBase
from torch import Tensor
from torchrl.data import Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase
from torchrl.envs.utils import ExplorationType, set_exploration_type

from sixth_env.engine import Engine, check_seed, random_seed
from sixth_env.errors import IllegalActionError, OpponentError
from sixth_env.games import get_game
from sixth_env.games.base import MATCH_END, TRUNCATED, Game
from sixth_env.opponents.base import Seeds, integer_columns, legal_actions, row_seeds
from sixth_env.solo.core import Solo
from sixth_env.solo.kernels import lift_solo
from sixth_env.solo.seats import Opponents

__all__ = ["GROUP", "LearnerEnv", "SelfPlayEnv", "TorchrlOpponent", "decisions"]

GROUP = "agents"


class _Matches(EnvBase):  # type: ignore[misc]  # TorchRL's class is untyped
    """What both environments share: a batch of games, dealt anew where TorchRL asks for it.

    A match that ends shows its last position and stands still, ``wait`` being legal, until
    ``reset`` deals the next one. So the terminal observation is the true one, and no match is lost
    or skipped, whichever games a reset is for. A step is for all games, or for those where TorchRL
    has set ``"_step"``.
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__(device="cpu", batch_size=(engine.num_games,))
        self.engine, self.game, self.rules = engine, engine.game, engine.rules
        self.num_games, self.num_players = engine.num_games, engine.num_players
        self._seed: int | None = engine.key()[0]  # of the next reset of all games
        done = ("done", "terminated", "truncated")
        flags = {key: _flag(self.num_games, 1) for key in done}
        self.done_spec = Composite(flags, shape=self.batch_size, device="cpu")

    def _set_seed(self, seed: int | None) -> None:
        self._seed = random_seed() if seed is None else check_seed(seed)

    def _reset(self, tensordict: TensorDictBase | None = None) -> TensorDictBase:
        chosen = self._chosen(tensordict, "_reset")
        if self._seed is not None and chosen.all():
            self._begin_stream(self._seed)
            self._seed = None
        else:
            self._begin(chosen)
        return self._shown(None)

    def _chosen(self, tensordict: TensorDictBase | None, key: str) -> NDArray[np.bool_]:
        """The games (B,) that an entry is for: all without it."""
        asked = None if tensordict is None else tensordict.get(key, None)
        if asked is None:
            return np.ones(self.num_games, np.bool_)
        return np.ascontiguousarray(asked.numpy().reshape(self.num_games))

    def _begin_stream(self, seed: int) -> None:
        """Start the first match of a seed everywhere."""
        raise NotImplementedError

    def _begin(self, chosen: NDArray[np.bool_]) -> None:
        """Start the next match where ``chosen`` (B,)."""
        raise NotImplementedError

    def _shown(self, reward: NDArray[Any] | None) -> TensorDict:
        """What the games show now, and the reward of the last step."""
        raise NotImplementedError


def _ends(flags: NDArray[np.int64]) -> dict[str, Tensor]:
    """Flags (B,) of ends as TorchRL's entries (B, 1)."""
    kinds = {"done": MATCH_END | TRUNCATED, "terminated": MATCH_END, "truncated": TRUNCATED}
    return {key: torch.from_numpy((flags & bits) != 0)[:, None] for key, bits in kinds.items()}


def _flag(*shape: int) -> Categorical:
    return Categorical(2, shape=shape, dtype=torch.bool, device="cpu")


def _actions(game: Game, *rows: int) -> Categorical:
    return Categorical(game.num_actions, shape=rows, dtype=torch.int64, device="cpu")


def _columns(game: Game, *rows: int) -> Bounded:
    """The spec of float observations in rows of a shape."""
    shape, table = (*rows, game.table.size), game.table
    low, high = (torch.from_numpy(table.to_float(a)).expand(shape) for a in (table.low, table.high))
    return Bounded(low, high, shape, dtype=torch.float32, device="cpu")


class SelfPlayEnv(_Matches):
    """``num_games`` games in which every seat is an agent; batch size [B].

    =============================  ===============  ==============================================
    ``("agents", "observation")``  (B, P, D)        float32, whether the seat decides or waits
    ``("agents", "action_mask")``  (B, P, A) bool   what is legal; ``wait`` where a seat waits
    ``("agents", "mask")``         (B, P) bool      whether the seat has something to decide
    ``("agents", "action")``       (B, P) int64     ``wait`` for a seat that waits
    ``("agents", "reward")``       (B, P, 1)        float32, of the step just taken
    ``"done"`` and its two kinds   (B, 1) bool      shared by all seats
    =============================  ===============  ==============================================

    In the simultaneous games all seats decide together; in the turn games one decides in a step
    and the others wait. The action spec has the masks too, so ``rand_action`` and ``rollout`` are
    legal.

    Args:
        game: a game's id, such as ``"sixth_card"``.
        num_games: B.
        seed: of the deals; ``None`` draws one. ``set_seed`` starts over with another.
        first_index: index of the first game, so that several workers can share one seed: games
            0-63 and 64-127 in two workers are the games of one environment of 128.
        config: the game's own options, as for :class:`~sixth_env.engine.Engine`.
    """

    def __init__(
        self,
        game: str,
        num_games: int = 1,
        *,
        seed: int | None = None,
        first_index: int = 0,
        **config: Any,
    ) -> None:
        super().__init__(Engine(game, num_games, seed=seed, first_index=first_index, **config))
        self.group_map = {GROUP: [f"player_{seat}" for seat in range(self.num_players)]}
        self._rules_record = np.array([self.game.rules_record(self.rules)])
        self._seats = np.tile(np.arange(self.num_players), (num_games, 1))
        self._acting = np.zeros(self._seats.shape, np.bool_)
        self._flags = np.zeros(num_games, np.int64)  # how a match ended, 0 while it goes on
        seats = self._seats.shape
        observed = {
            "observation": _columns(self.game, *seats),
            "action_mask": _flag(*seats, self.game.num_actions),
            "mask": _flag(*seats),
        }
        self.observation_spec = self._grouped(observed)
        self.action_spec = self._grouped({"action": _actions(self.game, *seats)})
        self.reward_spec = self._grouped({"reward": Unbounded((*seats, 1), device="cpu")})

    def sample_actions(self, tensordict: TensorDictBase) -> TensorDictBase:
        """A policy: legal actions, drawn uniformly in compiled code from a stream of its own."""
        drawn = self.engine.sample_actions()
        if not self.game.simultaneous:
            drawn = np.where(self._acting, drawn, self.game.wait)
        return tensordict.set((GROUP, "action"), torch.from_numpy(drawn))

    def _grouped(self, entries: dict[str, Any]) -> Composite:
        agents = Composite(entries, shape=self._seats.shape, device="cpu")
        return Composite({GROUP: agents}, shape=self.batch_size, device="cpu")

    def _begin_stream(self, seed: int) -> None:
        self.engine.reset(seed)
        self._flags[:] = 0

    def _begin(self, chosen: NDArray[np.bool_]) -> None:
        self.engine.restart(chosen)
        self._flags[chosen] = 0

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        actions = tensordict[GROUP, "action"].numpy()
        if not self.game.simultaneous:
            actions = self._only_decider(actions)
        outcome = self.engine.step(actions, games=self._chosen(tensordict, "_step"))
        self._flags |= outcome.flags & (MATCH_END | TRUNCATED)
        return self._shown(outcome.reward.copy())

    def _shown(self, reward: NDArray[Any] | None) -> TensorDict:
        game, seats = self.game, self._seats.shape
        observation = np.empty((*seats, game.observation_size), np.float32)
        mask = np.empty((*seats, game.num_actions), np.int8)
        everywhere = np.ones(self.num_games, np.bool_)
        columns = np.empty(observation.shape[1:], np.int16)
        what = (self.engine.states, self._rules_record, self._seats, everywhere)
        lift_solo(game).look(*what, game.table.scale, columns, observation, mask)
        legal = torch.from_numpy(mask.view(np.bool_))
        self._acting = mask[:, :, game.wait] == 0
        self.full_action_spec[GROUP, "action"].update_mask(legal.clone())
        agents = {
            "observation": torch.from_numpy(observation),
            "action_mask": legal,
            "mask": torch.from_numpy(self._acting.copy()),
        }
        if reward is not None:
            agents["reward"] = torch.from_numpy(reward)[:, :, None]
        group = TensorDict(agents, seats, device="cpu")
        return TensorDict({GROUP: group, **_ends(self._flags)}, self.batch_size, device="cpu")

    def _only_decider(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions (B, 1) of the seats whose turn it is; refuses any but ``wait`` of others."""
        wrong = np.argwhere((actions != self.game.wait) & ~self._acting)
        if len(wrong):
            game, seat = wrong[0]
            raise IllegalActionError(
                f"player_{seat} of game {game} may not take action {actions[game, seat]};"
                f" legal now: [{self.game.wait}]"
            )
        return np.take_along_axis(actions, self._acting.argmax(axis=1)[:, None], axis=1)


class LearnerEnv(_Matches):
    """``num_games`` games with one learner each, opponents in the other seats; batch size [B].

    ``"observation"`` (B, D) float32, ``"action_mask"`` (B, A) bool, ``"seat"`` (B,) the learner's;
    ``"action"`` (B,); ``"reward"`` (B, 1), all that happened to the learner's seat since its last
    decision. Every row of every step is a decision of the learner, so GAE and losses take rollouts
    as they are.

    Args:
        game, num_games, seed, first_index, config: as for :class:`SelfPlayEnv`.
        opponents, seat: as for :class:`~sixth_env.solo.SoloEnv`: who plays the others, and the
            learner's seat, drawn for each match unless given.
    """

    def __init__(
        self,
        game: str,
        num_games: int = 1,
        *,
        opponents: Opponents = "random",
        seat: int | None = None,
        seed: int | None = None,
        first_index: int = 0,
        **config: Any,
    ) -> None:
        engine = Engine(game, num_games, seed=seed, first_index=first_index, **config)
        super().__init__(engine)
        self.solo = Solo(engine, opponents, seat)
        seats = Categorical(self.num_players, shape=(num_games,), dtype=torch.int64, device="cpu")
        observed = {
            "observation": _columns(self.game, num_games),
            "action_mask": _flag(num_games, self.game.num_actions),
            "seat": seats,
        }
        self.observation_spec = Composite(observed, shape=self.batch_size, device="cpu")
        self.action_spec = _actions(self.game, num_games)
        self.reward_spec = Unbounded((num_games, 1), device="cpu")

    def _begin_stream(self, seed: int) -> None:
        self.solo.reset(seed)

    def _begin(self, chosen: NDArray[np.bool_]) -> None:
        self.solo.begin(chosen)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        self.solo.play(tensordict["action"].numpy(), self._chosen(tensordict, "_step"))
        return self._shown(self.solo.take_reward().astype(np.float32))

    def _shown(self, reward: NDArray[Any] | None) -> TensorDict:
        observation, mask = self.solo.look()
        legal = torch.from_numpy(mask.view(np.bool_))
        self.full_action_spec["action"].update_mask(legal.clone())
        shown = {
            "observation": torch.from_numpy(observation),
            "action_mask": legal,
            "seat": torch.from_numpy(self.solo.learner.copy()),
            **_ends(self.solo.flags),
        }
        if reward is not None:
            shown["reward"] = torch.from_numpy(reward)[:, None]
        return TensorDict(shown, self.batch_size, device="cpu")


def decisions(rollout: TensorDictBase) -> TensorDict:
    """The single decisions of a rollout, in the form that TorchRL's losses learn from.

    A seat decides at some steps and only waits at others. A row of the result is one decision and
    what came of it: ``("next", "agents")`` holds the sum of the seat's rewards up to its next
    decision, whoever moved meanwhile, and the observation of that decision. So waiting rows are
    not learnt from, and GAE runs from decision to decision.

    A match's end is ``terminated``. The last decision of a seat within the rollout is ``done``
    but not ``terminated``, so that its value estimate goes on from the next observation. If the
    seat was not yet asked again when the rollout ended, or when a cap cut the match off, what
    came of the decision is not known: it is left out, and the one before is the last.

    Args:
        rollout: of a ``SelfPlayEnv``, batch size [B, T], or [W, B, T] of several workers.

    Returns:
        Batch size [N], seat by seat and in the order of time: dimension 0 is GAE's ``time_dim``.
    """
    if rollout.ndim > 2:
        rollout = rollout.flatten(0, rollout.ndim - 2)
    agents, after = rollout[GROUP], rollout["next", GROUP]
    over, terminated = (rollout["next", key].squeeze(-1) for key in ("done", "terminated"))
    game, seat, time = agents["mask"].transpose(1, 2).nonzero(as_tuple=True)
    lane = game * agents.batch_size[2] + seat
    follows = lane.roll(-1) == lane  # whether the next row is of the same seat
    follows[-1:] = False
    next_time = torch.where(follows, time.roll(-1), rollout.batch_size[1])
    last = torch.minimum(next_time - 1, _first_end(over)[game, time])  # the step of the outcome
    terminated = terminated[game, last]
    known = terminated | after["mask"][game, last, seat]
    joined = follows & known.roll(-1) & ~over[game, last]  # the next row is what came of it

    paid = after["reward"].squeeze(-1).double().cumsum(1)
    paid = torch.cat([torch.zeros_like(paid[:, :1]), paid], dim=1)  # before each step
    reward = (paid[game, last + 1, seat] - paid[game, time, seat]).float()
    outcome = after.select("observation", "action_mask")[game, last, seat]
    for key, column in (("reward", reward), ("done", ~joined), ("terminated", terminated)):
        outcome[key] = column[:, None]
    count = [len(lane)]
    following = TensorDict({GROUP: outcome}, count)
    return TensorDict({GROUP: agents[game, time, seat], "next": following}, count)[known]


def _first_end(over: Tensor) -> Tensor:
    """For each step (B, T) the first from it on at which a match ends, or T."""
    steps = over.shape[1]
    ends = torch.where(over, torch.arange(steps), steps)
    return ends.flip(1).cummin(1).values.flip(1)


class TorchrlOpponent:
    """A trained actor as an opponent: it plays the most probable legal action.

    Args:
        actor: a policy as it was trained on a ``SelfPlayEnv`` or a ``LearnerEnv``.
        game: the id of the game it plays.
        name: for reports.
    """

    def __init__(self, actor: TensorDictModuleBase, game: str, name: str = "torchrl") -> None:
        self.actor, self.game, self.name = actor, get_game(game), name

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """Actions (N,) for observations (N, D), masks (N, A) and seeds (N,), which are not needed.

        Raises ``OpponentError`` for input of another type or shape, or without a legal action, and
        if the actor chooses an illegal one.
        """
        columns = integer_columns(self.game, observation)
        mask, count = legal_actions(self.game, action_mask, len(columns)), len(columns)
        row_seeds(seeds, count)  # refused here as by any opponent
        shown = torch.from_numpy(self.game.table.to_float(columns))
        entries = {"observation": shown, "action_mask": torch.from_numpy(mask)}
        rows = TensorDict({**entries, GROUP: TensorDict(entries, count)}, count)
        with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
            self.actor(rows)
        grouped = (GROUP, "action") in self.actor.out_keys
        action: NDArray[np.int64] = rows[(GROUP, "action") if grouped else "action"].numpy()
        if not mask[np.arange(count), action].all():
            raise OpponentError(f"the actor of {self.name} chose an action that is not legal")
        return action
