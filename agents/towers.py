"""The plain network of other libraries: two multilayer perceptrons, one for policy, one for value.

Stable-Baselines3, RLlib and TorchRL all train this shape by default, so that what they learnt can
be kept as a checkpoint of this project, which needs none of them and unpickles nothing.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn

from agents.card import Strict
from agents.networks import ILLEGAL_LOGIT, linear
from sixth_env.games.table import ObservationTable

Widths = Annotated[tuple[Annotated[int, Field(ge=1, le=8192)], ...], Field(max_length=64)]


class TowerSettings(Strict):
    """What defines a network of two towers, besides its weights; stored in a checkpoint's card."""

    kind: Literal["towers"] = "towers"
    columns: tuple[str, ...] = ()
    """names of the observation blocks that the network reads, in this order; none: all"""
    policy: Widths = (64, 64)
    """units of the policy's hidden layers"""
    value: Widths = (64, 64)
    """units of the value's hidden layers"""
    activation: Literal["tanh", "relu"] = "tanh"

    def fitted(self, table: ObservationTable) -> TowerSettings:
        """These settings for a table, with its blocks by name where they say "all"."""
        return self.model_copy(update={"columns": self.columns or table.names})


class TowersNet(nn.Module):
    """Masked logits and a value, each by layers of its own over the float observation.

    ``policy`` and ``value`` are plain ``nn.Sequential``: Linear, activation, …, Linear. The weights
    are unset: they are copied from elsewhere or loaded.
    """

    columns: Tensor
    scale: Tensor

    def __init__(self, settings: TowerSettings, table: ObservationTable, num_actions: int) -> None:
        super().__init__()
        self.settings = settings = settings.fitted(table)
        columns = np.concatenate([np.r_[table[name]] for name in settings.columns])
        self.register_buffer("columns", torch.from_numpy(columns), persistent=False)
        self.register_buffer("scale", torch.from_numpy(table.scale[columns]), persistent=False)
        self.policy = _tower((len(columns), *settings.policy, num_actions), settings.activation)
        self.value = _tower((len(columns), *settings.value, 1), settings.activation)

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Masked logits (N, A) and value (N,) of columns (N, D) and masks (N, A).

        Columns are integers, or floats that are scaled already as the environments' are.
        """
        observation = observation.index_select(1, self.columns)
        if not observation.is_floating_point():
            observation = observation * self.scale
        logits, value = self.policy(observation), self.value(observation).squeeze(1)
        return logits.masked_fill(action_mask == 0, ILLEGAL_LOGIT), value


def _tower(sizes: tuple[int, ...], activation: str) -> nn.Sequential:
    """Linear layers from each size to the next, with the activation between them."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [linear(inputs, outputs), nn.Tanh() if activation == "tanh" else nn.ReLU()]
    return nn.Sequential(*layers[:-1])
