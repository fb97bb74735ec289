"""RLlib (new API stack): the games as ``MultiAgentEnv``, masked modules, trained modules to play.

    PPOConfig().environment(MultiAgentMatch, env_config={"game": "sixth_card", "num_players": 4})

Needs the extra ``rllib``; docs/rllib.md shows a whole example.
"""

# ruff: noqa: E402  # the first import says which extra is missing
from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sixth_env.adapters import require

require("ray.rllib", extra="rllib")
require("torch", extra="rllib")

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModule
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from torch import Tensor, nn

from sixth_env.engine import MATCH_END, TRUNCATED, check_seed, random_seed
from sixth_env.envs.core import MatchEnv
from sixth_env.errors import ConfigError, IllegalActionError, OpponentError, PositionError
from sixth_env.games import get_game
from sixth_env.games.base import Game
from sixth_env.opponents import Opponent, load_opponent
from sixth_env.opponents.base import Seeds, integer_columns, legal_actions, row_seeds
from sixth_env.rng import draw, fold

__all__ = ["MaskedTowers", "MultiAgentMatch", "OpponentModule", "RllibOpponent"]

ILLEGAL_LOGIT = -1e9  # finite, so that no entropy or divergence becomes NaN

Json = dict[str, Any]
Result = tuple[Json, dict[str, float], dict[str, bool], dict[str, bool], Json]


class MultiAgentMatch(MatchEnv, MultiAgentEnv):  # type: ignore[misc]  # RLlib's class is untyped
    """One match of one game for RLlib: the dictionaries hold the seats that decide now.

    An observation is ``{"observations": (D,) float32, "action_mask": (A,) int8}``. A seat that
    only waits is left out; when it decides again, its reward is that of all steps since its last
    decision. At the end every seat gets its last observation and reward, so that the sum of what
    a seat was paid is its true score.

    Args:
        config: ``{"game": …, **rules}``, RLlib's ``env_config``; by default Sixth Card by the
            rules text. RLlib gives all its workers overlapping seeds (seed + worker + number of
            the environment), hence an ``EnvContext``'s worker index is folded into the seed.

    Raises:
        ConfigError: there is no such game or rule, or a value is not allowed.
    """

    # PettingZoo has methods of these names. RLlib wants None where agents have spaces of their own.
    observation_space = None  # type: ignore[assignment]
    action_space = None  # type: ignore[assignment]

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        options = dict(config or {})
        MatchEnv.__init__(self, options.pop("game", "sixth_card"), **options)
        MultiAgentEnv.__init__(self)
        self.agents = self.possible_agents[:]
        self.metadata = {"name": str(self), "render_modes": ["human", "ansi", "rgb_array"]}
        self._place = tuple(getattr(config, name, 0) for name in ("worker_index", "vector_index"))
        self._acting: list[int] = []  # seats
        self._owed = np.zeros(self._players)  # rewards not yet paid
        self._decided = np.zeros(self._players, np.bool_)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> Any:
        """Start a match; gives observations and infos of the seats that decide first.

        Args:
            seed: of the deals, 0 … 2^64 - 1; without one the stream of deals goes on.
            options: ``{"position": …}`` starts from a position instead of a deal.

        Raises:
            PositionError: the position is impossible, of other rules, or already over.
        """
        if self._begin(None if seed is None else self._own_seed(seed), options):
            self._acting = []
            raise PositionError("position phase must not be 'over': nobody could act")
        self._owed[:] = 0
        self._decided[:] = False
        observations = self._observe(over=False)
        return observations, {agent: {} for agent in observations}

    def step(self, action_dict: Mapping[str, Any]) -> Result:
        """Apply the actions of exactly those seats that were observed last.

        Raises:
            IllegalActionError: an agent is missing or not to act, or its action is not legal;
                nothing has changed then.
        """
        flags = self._play(self._actions(action_dict))
        self._decided[self._acting] = True
        self._owed += self._reward
        over = flags & (MATCH_END | TRUNCATED) != 0
        self._decided |= over  # so that everybody is paid now
        observations = self._observe(over)
        result = self._result(flags) if over else {}
        return (
            observations,
            {agent: self._pay(agent) for agent in observations},
            _flags(observations, flags & MATCH_END != 0),
            _flags(observations, flags & TRUNCATED != 0),
            {agent: dict(result) for agent in observations},
        )

    def _make_spaces(self) -> None:
        """As RLlib wants them: by agent, and the mask first, since it sorts the keys."""
        super()._make_spaces()
        for agent, space in self.observation_spaces.items():
            parts = {"action_mask": space["action_mask"], "observations": space["observation"]}
            self.observation_spaces[agent] = spaces.Dict(parts)
        self._choices = [LegalDiscrete(self._game.num_actions) for _ in range(self._players)]
        self.action_spaces = dict(zip(self.possible_agents, self._choices, strict=True))

    def _own_seed(self, seed: int) -> int:
        """The seed of this environment among those of all workers."""
        key = np.uint64(check_seed(seed))
        if any(self._place):
            with np.errstate(over="ignore"):
                for index in self._place:
                    key = fold(key, index)
        return int(key)

    def _actions(self, given: Mapping[str, Any]) -> list[int]:
        """The actions of a step, (K,); refuses what is not one integer for each acting seat."""
        if not self._acting:
            raise self._no_match()
        agents = [self.possible_agents[seat] for seat in self._acting]
        if set(given) != set(agents):
            raise IllegalActionError(
                f"to act are {', '.join(agents)}, not {', '.join(map(str, given)) or 'nobody'}"
            )
        chosen = [self._integer(agent, given[agent]) for agent in agents]
        if not self._game.simultaneous:
            return chosen
        actions = [self._game.wait] * self._players
        for seat, action in zip(self._acting, chosen, strict=True):
            actions[seat] = action
        return actions

    def _read_chosen(self, position: Json) -> list[int | None]:
        """The committed actions of a position: there are none; raises ``PositionError``."""
        if any(card is not None for card in position.get("chosen") or []):
            raise PositionError(
                "position chosen must be null for every seat: here all choose in one step, and only"
                " the AEC form knows committed cards"
            )
        return [None] * self._players

    def _observe(self, over: bool) -> Json:
        """What the seats that decide now see; all seats when the match is over."""
        observation, mask = self._look()
        self._acting = np.flatnonzero(mask[:, self._game.wait] == 0).tolist()
        for choice, legal in zip(self._choices, mask, strict=True):
            choice.legal = legal
        return {
            self.possible_agents[seat]: {
                "action_mask": mask[seat],
                "observations": observation[seat],
            }
            for seat in (range(self._players) if over else self._acting)
        }

    def _pay(self, agent: str) -> float:
        """What a seat is owed; later, if it has not decided yet: RLlib would lose that."""
        seat = self._seats[agent]
        if not self._decided[seat]:
            return 0.0
        amount, self._owed[seat] = float(self._owed[seat]), 0.0
        return amount


class LegalDiscrete(spaces.Discrete):
    """``Discrete(A)`` of one seat, whose samples are legal for it now.

    RLlib checks environments, and explores at random, with samples that it draws without a mask.
    """

    def __init__(self, num_actions: int) -> None:
        # An unseeded space would draw its seed at the first sample, and a copy another one.
        super().__init__(num_actions, seed=random_seed())
        self.legal: NDArray[np.int8] | None = None  # (A,)

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """An action, by ``mask`` or ``probability`` as in Gymnasium; without either a legal one."""
        if mask is None and probability is None:
            mask = self.legal
        return super().sample(mask=mask, probability=probability)


# --- modules -------------------------------------------------------------------------------------


class MaskedTowers(TorchRLModule, InferenceOnlyAPI, ValueFunctionAPI):  # type: ignore[misc]
    """Two multilayer perceptrons, policy and value, whose illegal actions have probability 0.

    ``model_config``: ``policy`` and ``value``, the widths of their hidden layers, and
    ``activation``, ``"tanh"`` or ``"relu"``.
    """

    def setup(self) -> None:
        """Build both towers; the first policy is nearly uniform."""
        inputs = self.observation_space["observations"].shape[0]
        config, actions = self.model_config, int(self.action_space.n)
        self.policy = _tower((inputs, *config["policy"], actions), config["activation"], gain=0.01)
        self.value = _tower((inputs, *config["value"], 1), config["activation"], gain=0.1)

    def get_non_inference_attributes(self) -> list[str]:
        """What env runners do without."""
        return ["value"]

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """Values (N,) of the observations."""
        values: Tensor = self.value(batch[Columns.OBS]["observations"])
        return values.squeeze(-1)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        """Masked logits (N, A), for acting and learning alike."""
        seen = batch[Columns.OBS]
        logits = self.policy(seen["observations"])
        return {
            Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, ILLEGAL_LOGIT)
        }


def _tower(sizes: tuple[int, ...], activation: str, gain: float) -> nn.Sequential:
    """Linear layers from each size to the next with the activation between them.

    ``gain`` is that of the last layer's orthogonal weights.
    """
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes[:-1]):
        layers += [nn.Linear(inputs, outputs), nn.Tanh() if activation == "tanh" else nn.ReLU()]
    last = nn.Linear(sizes[-2], sizes[-1])
    nn.init.orthogonal_(last.weight, gain)
    nn.init.zeros_(last.bias)
    return nn.Sequential(*layers, last)


class OpponentModule(RLModule):  # type: ignore[misc]
    """An opponent of this project as a module that is not trained.

    ``model_config``: ``game`` and ``opponent``, a name for ``load_opponent``. Where the opponent
    needs chance it comes from torch's global generator, as do RLlib's own actions; RLlib seeds it
    for each env runner.
    """

    framework = "torch"

    def setup(self) -> None:
        """Load the opponent."""
        game = self.model_config["game"]
        self.opponent: Opponent = load_opponent(self.model_config["opponent"], game=game)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        """The opponent's actions (N,)."""
        seen = {name: array.cpu().numpy() for name, array in batch[Columns.OBS].items()}
        seeds = torch.randint(2**63 - 1, (len(seen["observations"]),)).numpy()
        actions = self.opponent.act(seen["observations"], seen["action_mask"], seeds)
        return {Columns.ACTIONS: torch.from_numpy(actions)}

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        raise ConfigError("an OpponentModule learns nothing: leave it out of policies_to_train")


class RllibOpponent:
    """A trained module as an opponent; satisfies the protocol of ``sixth_env.opponents``.

    Args:
        module: reads observations as ``MultiAgentMatch`` gives them, and answers with logits:
            ``MaskedTowers``, or one built on RLlib's example of action masking.
        game: the game it was trained for.
        name: for reports.
        greedy: the most probable action, or one drawn from the policy by the row's seed.
    """

    def __init__(
        self,
        module: RLModule,
        game: str | Game = "sixth_card",
        *,
        name: str = "rllib",
        greedy: bool = True,
    ) -> None:
        self.module, self.name, self.greedy = module, name, greedy
        self.game = get_game(game) if isinstance(game, str) else game

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """Actions (N,) for observations (N, D), masks (N, A) and seeds (N,).

        Raises ``OpponentError`` for input of another type or shape, or if the module has no logits.
        """
        columns = integer_columns(self.game, observation)
        mask = legal_actions(self.game, action_mask, len(columns))
        keys = row_seeds(seeds, len(columns))
        scores = self._logits(self.game.table.to_float(columns), mask)
        if not self.greedy:  # the argmax of logits and Gumbel noise is a draw from the policy
            bits = draw(keys[:, None], np.arange(mask.shape[1], dtype=np.uint64)[None, :])
            uniform = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
            scores = scores - np.log(-np.log(uniform))
        return np.asarray(np.where(mask, scores, -np.inf).argmax(axis=1), np.int64)

    def _logits(self, observation: NDArray[np.float32], mask: NDArray[np.bool_]) -> NDArray[Any]:
        seen = {
            "action_mask": torch.from_numpy(mask.astype(np.int8)),
            "observations": torch.from_numpy(observation),
        }
        answer = self.module.forward_inference({Columns.OBS: seen})
        if Columns.ACTION_DIST_INPUTS not in answer:
            raise OpponentError(f"{self.name} gives no logits, but {', '.join(answer)}")
        logits: NDArray[Any] = answer[Columns.ACTION_DIST_INPUTS].detach().cpu().numpy()
        return logits


def _flags(agents: Mapping[str, Any], value: bool) -> dict[str, bool]:
    """RLlib's flags: one for each observed agent, and one for all."""
    return {**dict.fromkeys(agents, value), "__all__": value}
