"""A trained policy as an opponent, and the way from a checkpoint to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import ValidationError

from agents.checkpoint import Card, Checkpoint, check_compatible, new_card
from agents.checkpoint import load as load_checkpoint
from agents.networks import NetworkSettings, PolicyValueNet
from agents.towers import TowerSettings, TowersNet
from sixth_env.errors import CheckpointError, ConfigError
from sixth_env.games import get_game
from sixth_env.games.base import Game
from sixth_env.opponents.base import Seeds, integer_columns, legal_actions, row_seeds
from sixth_env.opponents.sampling import gumbel, softmax

Network = PolicyValueNet | TowersNet

SAMPLED = "?sampled"  # after a checkpoint's path: play the policy by chance, not its best action


class TorchAgent:
    """Plays a network's policy; satisfies the Opponent protocol of ``sixth_env.opponents``.

    Args:
        game: the game it plays.
        network: gives masked logits and values of integer columns.
        name: for reports.
        greedy: the most probable action, or one drawn from the policy by the row's seed.
    """

    def __init__(self, game: Game, network: Network, name: str, *, greedy: bool = True) -> None:
        self.game, self.network, self.greedy = game, network.eval(), greedy
        self.name = name

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """Actions (N,) for observations (N, D), masks (N, A) and seeds (N,) uint64.

        Row i depends on row i alone. A Generator in place of seeds is expanded into them.
        Raises ``OpponentError`` for input of another type or shape, or without a legal action.
        """
        logits, _ = self.logits_and_value(observation, action_mask)
        row_keys = row_seeds(seeds, len(logits))
        if not self.greedy:
            logits = logits + gumbel(row_keys, logits.shape[1])
        choice = np.where(np.asarray(action_mask) != 0, logits, -np.inf).argmax(axis=1)
        return np.asarray(choice, np.int64)

    def policy(self, observation: NDArray[Any], action_mask: NDArray[Any]) -> NDArray[np.float32]:
        """Probabilities (N, A) of the actions."""
        logits, _ = self.logits_and_value(observation, action_mask)
        return softmax(logits)

    def logits_and_value(
        self, observation: NDArray[Any], action_mask: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The network's masked logits (N, A), finite, and values (N,)."""
        columns = integer_columns(self.game, observation)
        mask = legal_actions(self.game, action_mask, len(columns))
        with torch.inference_mode():
            mask8 = torch.from_numpy(mask.view(np.int8))  # as in a batch: no topk of booleans
            logits, value = self.network(torch.from_numpy(columns), mask8)
        return np.clip(logits.numpy(), -1e9, 1e9), value.numpy()


def load(path: str | Path, *, greedy: bool = True) -> TorchAgent:
    """The agent of a checkpoint folder.

    Args:
        path: the folder; as a string it may end in ``?sampled``, which stands for ``greedy=False``.
        greedy: see ``TorchAgent``.

    Raises:
        CheckpointError: says in one sentence what is wrong with the checkpoint.
    """
    text = str(path)
    if text.endswith(SAMPLED):
        path, greedy = text.removesuffix(SAMPLED), False
    return restore(load_checkpoint(path), str(path), greedy=greedy)


def restore(checkpoint: Checkpoint, path: str, *, greedy: bool = True) -> TorchAgent:
    """The agent of a checkpoint that was loaded from ``path``; raises as ``load`` does."""
    try:
        game = get_game(checkpoint.card.game)
        check_compatible(checkpoint.card, game)
        network = network_from_card(checkpoint.card, game)
        network.load_state_dict(checkpoint.tensors)
    except ConfigError as error:
        raise CheckpointError(f"{path}: {error}") from None
    except RuntimeError:
        raise CheckpointError(f"the tensors in {path} are not those its card describes") from None
    config = checkpoint.card.training.get("config")
    name = config.get("name") if isinstance(config, dict) else None
    return TorchAgent(game, network, name=str(name or Path(path).name), greedy=greedy)


def network_from_card(card: Card, game: Game) -> Network:
    """An uninitialised network of the kind that the card describes.

    Raises ``CheckpointError`` for settings that no network has.
    """
    settings = json.dumps(card.network)  # as JSON, the form in which strict models take lists
    try:
        if card.network.get("kind") == "towers":
            towers = TowerSettings.model_validate_json(settings)
            return TowersNet(towers, game.table, game.num_actions)
        plain = NetworkSettings.model_validate_json(settings)
        return PolicyValueNet(plain, game.table, game.num_actions)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise CheckpointError(f"the card's network setting {where!r}: {first['msg']}") from None


def card_for(
    game: Game,
    network: Network,
    *,
    training: dict[str, Any] | None = None,
    results: dict[str, Any] | None = None,
) -> Card:
    """The card of a network trained on a game as it is now."""
    return new_card(
        game,
        network=network.settings.model_dump(mode="json"),
        training=training,
        results=results,
    )
