"""A trained policy as an opponent, and the way from a checkpoint to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.checkpoint import Card, check_compatible, new_card
from agents.checkpoint import load as load_checkpoint
from agents.networks import NetworkSettings, PolicyValueNet
from sixth_env.errors import CheckpointError, OpponentError
from sixth_env.games import get_game
from sixth_env.games.base import Game
from sixth_env.rng import draw


class TorchAgent:
    """Plays a network's policy; satisfies the Opponent protocol of ``sixth_env.opponents``.

    Args:
        game: the game it plays.
        network: gives masked logits and values of integer columns.
        name: for reports.
        greedy: the most probable action, or one drawn from the policy by the row's seed.
    """

    def __init__(
        self, game: Game, network: PolicyValueNet, name: str, *, greedy: bool = True
    ) -> None:
        self.game, self.network, self.greedy = game, network.eval(), greedy
        self.name = name

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Any
    ) -> NDArray[np.int64]:
        """Actions (N,) for observations (N, D), masks (N, A) and seeds (N,) uint64.

        Row i depends on row i alone. A Generator in place of seeds is expanded into them.
        """
        logits, _ = self.logits_and_value(observation, action_mask)
        if not self.greedy:
            logits = logits + _gumbel(_expand(seeds, len(logits)), logits.shape[1])
        choice = np.where(np.asarray(action_mask) != 0, logits, -np.inf).argmax(axis=1)
        return np.asarray(choice, np.int64)

    def policy(self, observation: NDArray[Any], action_mask: NDArray[Any]) -> NDArray[np.float32]:
        """Probabilities (N, A) of the actions."""
        logits, _ = self.logits_and_value(observation, action_mask)
        shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities: NDArray[np.float32] = shifted / shifted.sum(axis=1, keepdims=True)
        return probabilities

    def logits_and_value(
        self, observation: NDArray[Any], action_mask: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The network's masked logits (N, A) and values (N,)."""
        observation, action_mask = np.asarray(observation), np.asarray(action_mask)
        size = (self.game.observation_size, self.game.num_actions)
        if observation.ndim != 2 or (observation.shape[1], action_mask.shape[-1]) != size:
            raise OpponentError(
                f"{self.name} plays {self.game.id}: expected observations (N, {size[0]}) and masks"
                f" (N, {size[1]}), not {observation.shape} and {action_mask.shape}"
            )
        columns = torch.from_numpy(self.game.table.to_int(observation))
        with torch.inference_mode():
            logits, value = self.network(
                columns, torch.from_numpy(np.ascontiguousarray(action_mask))
            )
        return logits.numpy(), value.numpy()


def load(path: str | Path, *, greedy: bool = True) -> TorchAgent:
    """The agent of a checkpoint folder. Raises ``CheckpointError`` that says what is wrong."""
    checkpoint = load_checkpoint(path)
    game = get_game(checkpoint.card.game)
    check_compatible(checkpoint.card, game)
    network = network_from_card(checkpoint.card, game)
    try:
        network.load_state_dict(checkpoint.tensors)
    except RuntimeError:
        raise CheckpointError(f"the tensors in {path} are not those its card describes") from None
    return TorchAgent(game, network, name=Path(path).name, greedy=greedy)


def network_from_card(card: Card, game: Game) -> PolicyValueNet:
    """An uninitialised network of the kind that the card describes."""
    settings = NetworkSettings.model_validate_json(json_text(card.network))
    return PolicyValueNet(settings, game.table, game.num_actions)


def json_text(values: dict[str, Any]) -> str:
    """Values of a card as JSON, the form in which strict models take lists for tuples."""
    import json

    return json.dumps(values)


def card_for(
    game: Game,
    network: PolicyValueNet,
    *,
    training: dict[str, Any] | None = None,
    results: dict[str, Any] | None = None,
) -> Card:
    """The card of a network trained on a game as it is now."""
    return new_card(
        game,
        environment_version=game.version,
        network=network.settings.model_dump(mode="json"),
        training=training,
        results=results,
    )


def _expand(seeds: Any, rows: int) -> NDArray[np.uint64]:
    if isinstance(seeds, np.random.Generator):
        return seeds.integers(0, 2**64, size=rows, dtype=np.uint64)
    return np.asarray(seeds, dtype=np.uint64)


def _gumbel(seeds: NDArray[np.uint64], num_actions: int) -> NDArray[np.float32]:
    """Gumbel noise (N, A): the argmax of logits plus noise is a draw from the policy."""
    numbers = np.arange(num_actions, dtype=np.uint64)
    bits = draw(seeds[:, None], numbers[None, :])
    uniform = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    noise: NDArray[np.float32] = -np.log(-np.log(uniform)).astype(np.float32)
    return noise
