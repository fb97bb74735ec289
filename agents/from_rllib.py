"""Networks that RLlib has trained, as checkpoints of this project."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from agents.towers import TowerSettings, TowersNet
from sixth_env.errors import CheckpointError
from sixth_env.games.base import Game

# Where modules keep the layers of the policy and of the value, from the first to the last: those of
# sixth_env.adapters.rllib, and RLlib's own for PPO, as its example of action masking uses them,
# with an encoder for each or one for both.
LAYOUTS = (
    (("policy.",), ("value.",)),
    (("encoder.actor_encoder.", "pi."), ("encoder.critic_encoder.", "vf.")),
    (("encoder.encoder.", "pi."), ("encoder.encoder.", "vf.")),
)


def module_state(algorithm: Any, module_id: str = "learner") -> dict[str, NDArray[np.float32]]:
    """All weights of a module of an ``Algorithm``; the copies of env runners lack the value."""
    part = f"learner/rl_module/{module_id}"
    state = algorithm.learner_group.get_state(components=part)
    weights: dict[str, NDArray[np.float32]] = state["learner"]["rl_module"][module_id]
    return weights


def towers_from_state(
    state: Mapping[str, Any], game: Game, activation: Literal["tanh", "relu"]
) -> TowersNet:
    """The network with the weights of a module's state.

    Args:
        state: arrays or tensors by name, such as ``module.get_state()`` gives.
        game: the game it was trained for.
        activation: between the layers; a state does not tell.

    Raises:
        CheckpointError: the module is not of two multilayer perceptrons that read this game's
            whole observation.
    """
    for layouts in LAYOUTS:
        policy, value = (_layers(state, parts) for parts in layouts)
        if policy and value:
            break
    else:
        raise CheckpointError(
            "the module has no layers of a policy and of a value: found "
            + (", ".join(state) or "nothing")
        )
    settings = TowerSettings(policy=_hidden(policy), value=_hidden(value), activation=activation)
    network = TowersNet(settings, game.table, game.num_actions)
    for name, layers in (("policy", policy), ("value", value)):
        _copy(layers, getattr(network, name), f"{name} of {game.id}")
    return network


Layer = tuple[torch.Tensor, torch.Tensor]  # weight (outputs, inputs), bias (outputs,)


def _layers(state: Mapping[str, Any], parts: Sequence[str]) -> list[Layer]:
    """The linear layers under some prefixes, from input to output; none if a prefix has none."""
    found = [
        [name.removesuffix("weight") for name in state if re.match(rf"{part}.*\bweight$", name)]
        for part in parts
    ]
    return [
        (torch.as_tensor(state[name + "weight"]), torch.as_tensor(state[name + "bias"]))
        for names in found
        for name in names
        if all(found)
    ]


def _hidden(layers: Sequence[Layer]) -> tuple[int, ...]:
    return tuple(len(bias) for _, bias in layers[:-1])


def _copy(layers: Sequence[Layer], tower: torch.nn.Sequential, what: str) -> None:
    targets = [module for module in tower if isinstance(module, torch.nn.Linear)]
    with torch.no_grad():
        for (weight, bias), target in zip(layers, targets, strict=True):
            if weight.shape != target.weight.shape:
                shapes = f"{tuple(weight.shape)}, not {tuple(target.weight.shape)}"
                raise CheckpointError(f"a layer for the {what} has weights {shapes}")
            target.weight.copy_(weight)
            target.bias.copy_(bias)
