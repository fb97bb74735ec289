"""The plain network of other libraries, kept as a checkpoint of this project."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import agents
from agents.checkpoint import save
from agents.networks import ILLEGAL_LOGIT
from agents.torch_agent import card_for
from agents.towers import TowerSettings, TowersNet
from sixth_env import Batch
from sixth_env.errors import CheckpointError
from sixth_env.games import get_game

GAME = get_game("six_nimmt")
SETTINGS = TowerSettings(policy=(16, 8), value=(12,), activation="relu")


@pytest.fixture
def network() -> TowersNet:
    net = TowersNet(SETTINGS, GAME.table, GAME.num_actions)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for weight in net.parameters():
            weight.normal_(0.0, 0.3, generator=generator)
    return net


def decisions() -> tuple[np.ndarray, np.ndarray]:
    step = Batch(GAME.id, 16, seed=2).observe()
    return step.observation.reshape(-1, GAME.table.size), step.action_mask.reshape(64, -1)


def test_it_is_two_perceptrons_over_the_float_observation(network: TowersNet) -> None:
    columns, mask = decisions()
    scaled = torch.from_numpy(GAME.table.to_float(columns))
    linears = [m for m in network.policy if isinstance(m, nn.Linear)]
    assert [m.out_features for m in linears] == [16, 8, GAME.num_actions]
    hidden = torch.relu(linears[1](torch.relu(linears[0](scaled))))
    logits, value = network(torch.from_numpy(columns), torch.from_numpy(mask))
    legal = torch.from_numpy(mask) != 0
    torch.testing.assert_close(logits[legal], linears[2](hidden)[legal])
    assert (logits[~legal] == ILLEGAL_LOGIT).all()
    assert value.shape == (64,)


def test_integer_and_float_observations_say_the_same(network: TowersNet) -> None:
    columns, mask = (torch.from_numpy(a) for a in decisions())
    scaled = torch.from_numpy(GAME.table.to_float(columns.numpy()))
    for a, b in zip(network(columns, mask), network(scaled, mask), strict=True):
        torch.testing.assert_close(a, b)


def test_a_checkpoint_of_it_plays(network: TowersNet, tmp_path: Path) -> None:
    save(tmp_path / "x", tensors=network.state_dict(), card=card_for(GAME, network))
    agent = agents.load(tmp_path / "x")
    columns, mask = decisions()
    expected = network(torch.from_numpy(columns), torch.from_numpy(mask))[0].argmax(1)
    actions = agent.act(columns, mask, np.random.default_rng(0))
    assert actions.tolist() == expected.tolist()
    assert mask[np.arange(64), actions].all()
    assert agent.network.settings == SETTINGS.fitted(GAME.table)


def test_settings_of_another_kind_are_refused(network: TowersNet, tmp_path: Path) -> None:
    card = card_for(GAME, network)
    odd = card.model_copy(update={"network": {**card.network, "activation": "sine"}})
    save(tmp_path / "x", tensors=network.state_dict(), card=odd)
    with pytest.raises(CheckpointError, match="activation"):
        agents.load(tmp_path / "x")
