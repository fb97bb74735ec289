"""Multilayer perceptrons that other libraries have trained, as checkpoints of this project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn

from agents.checkpoint import Card, save
from agents.torch_agent import card_for
from agents.towers import TowerSettings, TowersNet
from sixth_env.errors import CheckpointError
from sixth_env.games.base import Game

ACTIVATIONS = {nn.Tanh: "tanh", nn.ReLU: "relu"}


def towers_from(policy: nn.Module, value: nn.Module, game: Game) -> TowersNet:
    """A copy of two multilayer perceptrons as a network of this project.

    Args:
        policy: from the float observation (N, D) to logits (N, A), such as ``torchrl.modules.MLP``.
        value: from the float observation to the value (N, 1).
        game: the game that they play.

    Raises:
        CheckpointError: one of them computes something else than linear layers with one kind of
            activation, tanh or ReLU, between them.
    """
    layers, kinds = {}, set()
    for name, network in (("policy", policy), ("value", value)):
        layers[name] = [m for m in network.modules() if isinstance(m, nn.Linear)]
        kinds |= {ACTIVATIONS[type(m)] for m in network.modules() if type(m) in ACTIVATIONS}
    if len(kinds) > 1:
        raise CheckpointError("policy and value must both have tanh or both have ReLU activations")
    units = {name: tuple(m.out_features for m in linears) for name, linears in layers.items()}
    settings = TowerSettings.model_validate(
        {
            "policy": units["policy"][:-1],
            "value": units["value"][:-1],
            "activation": next(iter(kinds), "tanh"),  # without hidden layers there is none
        }
    )
    towers = TowersNet(settings, game.table, game.num_actions)
    for name, network in (("policy", policy), ("value", value)):
        _copy(layers[name], getattr(towers, name), network, name)
    return towers


def save_towers(
    path: str | Path,
    towers: TowersNet,
    game: Game,
    training: dict[str, Any] | None = None,
    results: dict[str, Any] | None = None,
) -> Card:
    """Write the network as a checkpoint folder; see ``agents.checkpoint.save``.

    ``training`` and ``results`` are kept in the card; a name for reports is
    ``training={"config": {"name": …}}``.
    """
    card = card_for(game, towers, training=training, results=results)
    return save(path, tensors=towers.state_dict(), card=card)


def _copy(layers: list[nn.Linear], tower: nn.Sequential, network: nn.Module, name: str) -> None:
    """Copy the weights, and see that the tower then computes what the network does."""
    refused = CheckpointError(
        f"the {name} network must be linear layers with activations between them alone, from the"
        " whole observation to its outputs"
    )
    targets = [m for m in tower if isinstance(m, nn.Linear)]
    try:
        for source, target in zip(layers, targets, strict=True):
            target.load_state_dict(source.state_dict())
    except (RuntimeError, ValueError):  # another shape, no bias, or no layer at all
        raise refused from None
    probe = torch.linspace(-1, 1, 8)[:, None] * torch.linspace(0.1, 1, layers[0].in_features)
    with torch.no_grad():
        if not torch.allclose(network(probe), tower(probe), rtol=1e-4, atol=1e-4):
            raise refused
