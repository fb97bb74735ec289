"""Networks against what they claim: inputs by name, masks, reproducible weights."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from agents.networks import ILLEGAL_LOGIT, NetworkSettings, PolicyValueNet, padded
from sixth_env import Batch
from sixth_env.errors import ConfigError
from sixth_env.games import get_game
from train.runs import torch_generator

GAME = get_game("sixth_card")
SETTINGS = NetworkSettings(
    columns=("hand", "phase", "num_players", "decks"),
    products=(("hand", "fit_free"), ("unseen", "fit_points")),
    planes=("hand", "fit_between"),
    width=16,
    depth=2,
    card_width=8,
)


def network(settings: NetworkSettings = SETTINGS, seed: int = 1) -> PolicyValueNet:
    generator = torch_generator(seed, "test")
    net = PolicyValueNet(settings, GAME.table, GAME.num_actions, generator)
    with torch.no_grad():  # the first policy is near uniform: make it say something
        net.policy.weight.mul_(100)
    return net


@pytest.fixture(scope="module")
def rows() -> tuple[Tensor, Tensor]:
    """Real decisions of both phases, (N, D) and (N, A)."""
    batch = Batch("sixth_card", 32, seed=4)
    parts = []
    step = batch.observe()
    for _ in range(6):
        rows_ = step.acting.reshape(-1)
        observation = step.observation.reshape(-1, batch.observation_size)[rows_]
        parts.append((observation, step.action_mask.reshape(-1, batch.num_actions)[rows_]))
        step = batch.step(batch.sample_actions())
    observation, mask = (np.concatenate(part) for part in zip(*parts, strict=True))
    assert (observation[:, GAME.table["phase"]] == 1).any()
    return torch.from_numpy(observation), torch.from_numpy(mask)


def test_the_features_are_the_named_columns_and_products(rows: tuple[Tensor, Tensor]) -> None:
    net, table = network(), GAME.table
    scaled = table.to_float(rows[0].numpy())
    blocks = [scaled[:, table[name]] for name in SETTINGS.columns]
    blocks += [scaled[:, table[a]] * scaled[:, table[b]] for a, b in SETTINGS.products]
    features = torch.from_numpy(np.concatenate(blocks, axis=1))
    expected = net.features.layer(features)
    torch.testing.assert_close(net.features(rows[0]), expected, atol=1e-5, rtol=1e-5)


def test_a_cards_score_depends_on_its_own_planes_and_the_context() -> None:
    net = network()
    assert net.scorer is not None
    observation = torch.zeros(3, GAME.table.size, dtype=torch.int16)
    mask = torch.zeros(3, GAME.num_actions, dtype=torch.int8)
    mask[0, [3, 17]] = 1
    mask[1, GAME.num_actions - 2] = 1  # no card may be played
    mask[2, 17] = 1
    context = torch.randn(3, SETTINGS.width, generator=torch_generator(2, "context"))
    rows, cards, before = net.scorer(observation, mask, context)
    assert list(zip(rows.tolist(), cards.tolist(), strict=True)) == [(0, 3), (0, 17), (2, 17)]
    changed = observation.clone()
    changed[0, GAME.table.start("fit_between") + 17] = 5
    _, _, after = net.scorer(changed, mask, context)
    assert (before != after).tolist() == [False, True, False]
    context[2] += 1
    _, _, after = net.scorer(observation, mask, context)
    assert (before != after).tolist() == [False, False, True]


def test_logits_are_those_of_the_body_and_of_the_scorer(rows: tuple[Tensor, Tensor]) -> None:
    net = network()
    assert net.scorer is not None
    logits, _ = net(*rows)
    hidden = net.body(net.features(rows[0]))
    expected = net.policy(hidden).masked_fill(rows[1] == 0, ILLEGAL_LOGIT)
    for row, card, score in zip(*net.scorer(*rows, hidden), strict=True):
        expected[row, card] += score
    torch.testing.assert_close(logits, expected)


def test_illegal_actions_get_a_finite_logit_even_when_nothing_is_legal(
    rows: tuple[Tensor, Tensor],
) -> None:
    observation, mask = rows
    mask = mask.clone()
    mask[0] = 0
    logits, value = network()(observation, mask)
    assert bool((logits[mask == 0] == ILLEGAL_LOGIT).all())
    assert bool((logits[mask == 1].abs() < 1e6).all())
    assert bool(torch.isfinite(logits.softmax(dim=1)).all()) and bool(torch.isfinite(value).all())


def test_a_row_does_not_depend_on_the_others(rows: tuple[Tensor, Tensor]) -> None:
    net = network()
    logits, value = net(*rows)
    one, alone = net(rows[0][5:6], rows[1][5:6])
    torch.testing.assert_close(one, logits[5:6])
    torch.testing.assert_close(alone, value[5:6])


def test_bfloat16_is_close_to_float32(rows: tuple[Tensor, Tensor]) -> None:
    net = network()
    with torch.no_grad():
        exact, _ = net(*rows)
        with torch.autocast("cpu", torch.bfloat16):
            rough, _ = net(*rows)
    assert rough.dtype == torch.float32
    legal = rows[1] == 1
    assert float((exact - rough)[legal].abs().max()) < 0.05 * float(exact[legal].abs().max())


@pytest.mark.parametrize("count", [1, 37, 200])
def test_padding_for_bfloat16_changes_neither_outputs_nor_gradients(
    rows: tuple[Tensor, Tensor], count: int
) -> None:
    """With fifteen rows added to one, whatever leaked would be far more than rounding is.

    What is added for the card scorer stands for card 0 in row 0, so that must be legal there.
    """
    first = int((rows[1][:, 0] == 1).nonzero()[0])
    observation, mask = (part[first : first + count] for part in rows)
    assert len(mask) == count
    net = network()
    found = []
    for precision in (torch.float32, torch.bfloat16):
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == torch.bfloat16):
            logits, value = net(observation, mask)
        assert (logits.shape, value.shape) == (mask.shape, (count,))
        assert (logits.dtype, value.dtype) == (torch.float32, torch.float32)
        loss = logits[mask == 1].square().mean() + (value - 1).square().mean()
        found.append((logits, value, torch.autograd.grad(loss, list(net.parameters()))))
    (logits, value, gradients), (rough, guess, others) = found
    largest = float(logits.detach()[mask == 1].abs().max())
    torch.testing.assert_close(rough, logits, atol=0.05 * largest, rtol=0.05)
    torch.testing.assert_close(guess, value, atol=0.05, rtol=0.05)
    for exact, other in zip(gradients, others, strict=True):
        scale = float(exact.abs().max())
        torch.testing.assert_close(other, exact, atol=0.1 * scale, rtol=0.1)


def test_all_large_products_are_padded_in_bfloat16(rows: tuple[Tensor, Tensor]) -> None:
    net = network()
    assert net.scorer is not None
    seen: list[int] = []
    for layer in (net.body, net.policy, net.value, net.scorer.context, net.scorer.mix):
        layer.register_forward_hook(lambda _, inputs, __: seen.append(len(inputs[0])))
    observation, mask = (part[:37] for part in rows)
    cards = int((mask[:, : net.scorer.cards] != 0).sum())
    assert cards % 16
    net(observation, mask)
    assert seen == [37, 37, 37, 37, cards]
    seen.clear()
    with torch.autocast("cpu", torch.bfloat16):
        net(observation, mask)
        assert seen == [48, 48, 48, 48, len(padded(torch.ones(cards, 2)))]


def test_bfloat16_meets_few_shapes_and_little_is_added() -> None:
    with torch.autocast("cpu", torch.bfloat16):
        lengths = {count: len(padded(torch.ones(count, 2))) for count in range(1, 5000)}
    assert all(count <= length <= count + max(15, count // 8) for count, length in lengths.items())
    assert len(set(lengths.values())) < 60
    assert len(padded(torch.ones(37, 2))) == 37  # float32


def test_weights_come_from_the_generator_alone() -> None:
    before = torch.get_rng_state()
    first, second, other = network(), network(), network(seed=2)
    assert torch.equal(before, torch.get_rng_state())
    for name, weight in first.state_dict().items():
        assert torch.equal(weight, second.state_dict()[name])
    assert not torch.equal(first.features.layer.weight, other.features.layer.weight)


def test_every_weight_is_set() -> None:
    for name, weight in network().state_dict().items():
        assert float(weight.abs().max()) < 100, f"{name} holds whatever lay in memory"


def test_an_unknown_block_is_named() -> None:
    for settings in (
        NetworkSettings(columns=("no_such_block",)),
        NetworkSettings(products=(("hand", "no_such_block"),)),
        NetworkSettings(planes=("no_such_block",)),
    ):
        with pytest.raises(ConfigError, match="no_such_block"):
            network(settings)


def test_blocks_of_different_sizes_do_not_go_together() -> None:
    for settings in (
        NetworkSettings(products=(("hand", "turn"),)),
        NetworkSettings(planes=("turn", "hand")),
    ):
        with pytest.raises(ConfigError, match="same number of columns"):
            network(settings)


def test_without_columns_the_whole_table_is_read() -> None:
    net = PolicyValueNet(NetworkSettings(width=4), GAME.table, GAME.num_actions)
    assert net.features.layer.in_features == GAME.table.size
    assert net.settings.columns == GAME.table.names, "a checkpoint names what it reads"
