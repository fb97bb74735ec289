"""Small untrained networks of every game, as checkpoints and as exported files."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import TypeVar

import pytest
import torch
from torch import nn

from agents.checkpoint import save
from agents.export import export
from agents.networks import NetworkSettings, PolicyValueNet
from agents.torch_agent import Network, card_for
from sixth_env.games import get_game
from sixth_env.opponents import zoo

AnyNetwork = TypeVar("AnyNetwork", bound=nn.Module)

PLANES: dict[str, tuple[str, ...]] = {
    "sixth_card": ("hand", "unseen", "fit_free"),
    "six_nimmt": ("fit_points", "hand"),
    "sixes_chips": ("playable", "hand"),
    "sixes_golf": (),
}


def small_network(game: str, seed: int = 1) -> PolicyValueNet:
    """An untrained network for a game."""
    kind = get_game(game)
    settings = NetworkSettings(planes=PLANES[game], width=24, card_width=8)
    network = PolicyValueNet(settings, kind.table, kind.num_actions)
    return with_weights(network, seed)


def with_weights(network: AnyNetwork, seed: int) -> AnyNetwork:
    """The network with random weights, by which it prefers some actions as a trained one does."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in network.parameters():
            weight.normal_(0.0, weight.shape[-1] ** -0.5, generator=generator)
    return network


def save_network(folder: Path, network: Network, game: str) -> Path:
    """The network's checkpoint at ``folder``."""
    training = {"script": "train.ppo", "config": {"name": "small"}}
    card = card_for(get_game(game), network, training=training)
    save(folder, tensors=network.state_dict(), card=card)
    return folder


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@functools.cache
def exported(game: str) -> Path:
    """The game's small network as ``<game>.onnx``, its card beside it; not to be changed."""
    folder = Path(_folder().name)
    checkpoint = save_network(folder / game, small_network(game), game)
    export(checkpoint)
    return folder / f"{game}.onnx"


def network(game: str, kind: str) -> Path:
    """The file of a game's shipped network, or of its small untrained one."""
    if kind == "shipped":
        return zoo.FOLDER / game / zoo.NETWORK
    pytest.importorskip("onnxscript")
    return exported(game)
