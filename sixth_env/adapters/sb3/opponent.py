"""Models of Stable-Baselines3 as opponents."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import sb3_contrib
import stable_baselines3
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm

from sixth_env.errors import CheckpointError, ConfigError, OpponentError
from sixth_env.games import get_game
from sixth_env.games.base import Game
from sixth_env.opponents.base import Seeds, integer_columns, legal_actions, row_seeds
from sixth_env.rng import draw


class Sb3Opponent:
    """Plays a trained model; satisfies the ``Opponent`` protocol.

    The model may be one of ``MaskablePPO``, ``PPO``, ``A2C`` and ``DQN``, trained on this package's
    observations (D,), or on the dictionary of the Gymnasium environments. Its choice is made among
    the legal actions, whether or not it was trained with masks.

    Args:
        model: the trained model; it may go on training.
        game: a game's id.
        name: for reports.
        greedy: the best action, or one drawn from the policy by the row's seed.

    Raises:
        OpponentError: the model does not fit the game.
    """

    def __init__(
        self, model: BaseAlgorithm, game: str, name: str = "sb3", *, greedy: bool = True
    ) -> None:
        self.game, self.model, self.name, self.greedy = get_game(game), model, name, greedy
        check_model(model, self.game)

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """See :meth:`sixth_env.opponents.Opponent.act`."""
        scores, mask = self._scores(observation, action_mask)
        keys = row_seeds(seeds, len(scores))
        if not self.greedy:
            scores = scores + _gumbel(keys, scores.shape[1])
        return np.asarray(np.where(mask, scores, -np.inf).argmax(axis=1), np.int64)

    def policy(self, observation: NDArray[Any], action_mask: NDArray[Any]) -> NDArray[np.float64]:
        """Probabilities (N, A) of the legal actions; of DQN, by its values."""
        scores, mask = self._scores(observation, action_mask)
        scores = np.where(mask, scores, -np.inf)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        probabilities: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
        return probabilities

    def _scores(
        self, observation: NDArray[Any], action_mask: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Logits or action values (N, A), and the mask (N, A)."""
        columns = integer_columns(self.game, observation)
        mask = legal_actions(self.game, action_mask, len(columns))
        seen: Any = columns * self.game.table.scale
        if isinstance(self.model.observation_space, spaces.Dict):
            seen = {"observation": seen, "action_mask": mask.astype(np.int8)}
        policy: Any = self.model.policy
        policy.set_training_mode(False)
        with torch.no_grad():
            tensor, _ = policy.obs_to_tensor(seen)
            if hasattr(policy, "q_net"):
                scores = policy.q_net(tensor)
            else:
                scores = policy.get_distribution(tensor).distribution.logits
        return scores.cpu().numpy().astype(np.float64), mask


def check_model(model: BaseAlgorithm, game: Game) -> None:
    """Raises ``OpponentError`` unless the model reads the game's observations and gives its
    actions."""
    seen: Any = model.observation_space
    if isinstance(seen, spaces.Dict):
        seen = seen.spaces.get("observation")
    actions = getattr(model.action_space, "n", None)
    if getattr(seen, "shape", None) != (game.observation_size,) or actions != game.num_actions:
        raise OpponentError(
            f"the model reads {model.observation_space} and gives {model.action_space}, but"
            f" {game.id} has {game.observation_size} columns and {game.num_actions} actions"
        )
    if not (hasattr(model.policy, "q_net") or hasattr(model.policy, "get_distribution")):
        raise OpponentError(
            f"{type(model).__name__} is not supported: expected MaskablePPO, PPO, A2C or DQN"
        )


def load_model(
    path: str | Path, algorithm: str = "MaskablePPO", *, trust: bool = False
) -> BaseAlgorithm:
    """The model in a ``.zip`` of SB3, on the CPU.

    Args:
        path: the file.
        algorithm: a class of sb3-contrib or SB3.
        trust: such a file holds pickles, and loading it runs the code in them.

    Raises:
        CheckpointError: without ``trust``, or the file is missing or damaged.
        ConfigError: no such algorithm.
    """
    kind = getattr(sb3_contrib, algorithm, None) or getattr(stable_baselines3, algorithm, None)
    if not (isinstance(kind, type) and issubclass(kind, BaseAlgorithm)):
        raise ConfigError(f"neither sb3-contrib nor SB3 has an algorithm {algorithm!r}")
    if not Path(path).is_file():
        raise CheckpointError(f"there is no file {path}")
    if not trust:
        raise CheckpointError(
            f"{path} is not loaded: a model of SB3 is unpickled, which runs any code that is in it,"
            " so say that you trust the file (trust=True, or --trust)"
        )
    try:
        model: BaseAlgorithm = kind.load(path, device="cpu")
    except (zipfile.BadZipFile, KeyError, ValueError, RuntimeError, AttributeError) as error:
        raise CheckpointError(f"{path} holds no {algorithm} that can be loaded: {error}") from error
    return model


def _gumbel(seeds: NDArray[np.uint64], num_actions: int) -> NDArray[np.float64]:
    """Gumbel noise (N, A): the argmax of logits plus noise is a draw from the policy."""
    with np.errstate(over="ignore"):
        bits = np.asarray(draw(seeds[:, None], np.arange(num_actions, dtype=np.uint64)[None, :]))
    uniform = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    noise: NDArray[np.float64] = -np.log(-np.log(uniform))
    return noise
