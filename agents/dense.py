"""Trained networks in a form with fixed shapes, for export.

The networks of this package choose columns, apply scales and list legal cards while they run. Here
the scales are part of the weights, and the card scorer scores every card of the ladder, legal or
not: more arithmetic, but a graph of a few plain operators that any runtime executes. Both forms
give the same logits and values.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agents.networks import ILLEGAL_LOGIT, CardScorer, Features, PolicyValueNet, linear
from agents.towers import TowersNet


class DenseNet(nn.Module):
    """A network of either kind, from integers (N, D) and masks (N, A) of one type.

    Gives masked logits (N, A) and value (N,), float32.
    """

    def __init__(self, network: PolicyValueNet | TowersNet) -> None:
        super().__init__()
        self.inner: nn.Module
        if isinstance(network, TowersNet):
            self.inner = _DenseTowers(network)
        else:
            self.inner = _DensePolicyValue(network)

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Masked logits (N, A) and value (N,)."""
        logits, value = self.inner(observation.float())
        return torch.where(action_mask != 0, logits, ILLEGAL_LOGIT), value.squeeze(1)


class _DensePolicyValue(nn.Module):
    """``PolicyValueNet`` without the mask."""

    def __init__(self, network: PolicyValueNet) -> None:
        super().__init__()
        self.features = _DenseFeatures(network.features)
        self.body, self.policy, self.value = network.body, network.policy, network.value
        self.scorer = _DenseScorer(network.scorer) if network.scorer is not None else None

    def forward(self, columns: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, A) and value (N, 1) of columns (N, D) as floats that are whole numbers."""
        hidden = self.body(self.features(columns))
        logits = self.policy(hidden)
        if self.scorer is not None:
            scores = self.scorer(columns, hidden)
            others = logits.shape[1] - scores.shape[1]
            logits = logits + nn.functional.pad(scores, (0, others))
        return logits, self.value(hidden)


class _DenseFeatures(nn.Module):
    """``Features`` with the scales in the weights."""

    def __init__(self, features: Features) -> None:
        super().__init__()
        self.spans, self.pairs = features.spans, features.pairs
        self.layer = _scaled(features.layer, features.scale)

    def forward(self, columns: Tensor) -> Tensor:
        """(N, D) to (N, width), before the nonlinearity."""
        parts = [columns[:, span] for span in self.spans]
        parts += [columns[:, a] * columns[:, b] for a, b in self.pairs]
        return self.layer(torch.cat(parts, dim=1) if len(parts) > 1 else parts[0])  # type: ignore[no-any-return]


class _DenseScorer(nn.Module):
    """``CardScorer`` for all C cards at once, where that one takes a list of the legal ones."""

    number: Tensor

    def __init__(self, scorer: CardScorer) -> None:
        super().__init__()
        cards = scorer.cards
        self.spans = [slice(start, start + cards) for start in scorer.starts.tolist()]
        own = _scaled(scorer.own, scorer.scale)
        self.own = nn.Parameter(own.weight[:, :-1].T.contiguous())
        # The last input is the card's number: a constant of each card, (C, card width).
        numbers = torch.arange(cards).unsqueeze(1) * own.weight[:, -1]
        self.register_buffer("number", numbers.detach() + own.bias.detach())
        self.context, self.mix, self.score = scorer.context, scorer.mix, scorer.score

    def forward(self, columns: Tensor, context: Tensor) -> Tensor:
        """Scores (N, C) of all cards."""
        planes = torch.stack([columns[:, span] for span in self.spans], dim=2)
        hidden = planes @ self.own + self.number + self.context(context).unsqueeze(1)
        hidden = torch.relu(self.mix(torch.relu(hidden)))
        return self.score(hidden).squeeze(2)  # type: ignore[no-any-return]


class _DenseTowers(nn.Module):
    """``TowersNet`` without the mask, for integers alone."""

    columns: Tensor

    def __init__(self, network: TowersNet) -> None:
        super().__init__()
        self.register_buffer("columns", network.columns)
        towers = [[*network.policy], [*network.value]]
        self.policy, self.value = (
            nn.Sequential(_scaled(first, network.scale), *others) for first, *others in towers
        )

    def forward(self, columns: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, A) and value (N, 1) of columns (N, D) as floats that are whole numbers."""
        read = columns.index_select(1, self.columns)
        return self.policy(read), self.value(read)


def _scaled(layer: nn.Module, scale: Tensor) -> nn.Linear:
    """The layer for inputs that are not multiplied by ``scale`` yet."""
    assert isinstance(layer, nn.Linear)
    scaled = linear(layer.in_features, layer.out_features)
    scaled.weight = nn.Parameter(layer.weight.detach() * scale)
    scaled.bias = nn.Parameter(layer.bias.detach().clone())
    return scaled
