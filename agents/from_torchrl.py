"""What TorchRL has trained, as a checkpoint of this project, which plays without TorchRL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import nn

from agents.checkpoint import Card
from agents.convert import save_towers, towers_from
from sixth_env.games import get_game


def save_checkpoint(
    path: str | Path,
    policy: nn.Module,
    value: nn.Module,
    game: str,
    training: dict[str, Any] | None = None,
    results: dict[str, Any] | None = None,
) -> Card:
    """Write two perceptrons as a checkpoint folder; see ``agents.convert``.

    Args:
        path: the folder.
        policy: from the float observation (N, D) to logits (N, A), such as ``torchrl.modules.MLP``.
        value: from the float observation to the value (N, 1).
        game: the id of the game that they play.
        training, results: what the card tells.

    Raises:
        CheckpointError: one of them is another kind of network.
    """
    kind = get_game(game)
    return save_towers(path, towers_from(policy, value, kind), kind, training, results)
