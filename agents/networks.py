"""Networks that read observations by the table's names and give masked logits and a value."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn.utils import skip_init

from agents.card import Strict
from sixth_env.errors import ConfigError
from sixth_env.games.table import ObservationTable

ILLEGAL_LOGIT = -1e9  # large and finite: a row without legal actions stays uniform, never NaN


class NetworkSettings(Strict):
    """What defines a network, besides its weights; stored in a checkpoint's card."""

    columns: tuple[str, ...] = ()
    """names of the observation blocks that the network reads, in this order; none: all"""
    products: tuple[tuple[str, str], ...] = ()
    """pairs of blocks of one shape whose elementwise product is read too: a plain layer cannot
    tell "a card in my hand" from "what that card would cost" otherwise"""
    planes: tuple[str, ...] = ()
    """blocks with one column per card, for the card scorer; none: no scorer"""
    width: int = Field(default=256, ge=1, le=8192)
    depth: int = Field(default=2, ge=1, le=64)
    card_width: int = Field(default=64, ge=1, le=2048)

    def fitted(self, table: ObservationTable) -> NetworkSettings:
        """These settings for a table, with its blocks by name where they say "all".

        Raises:
            ConfigError: a block is not in the table, or blocks that belong together differ.
        """
        pairs = [name for pair in self.products for name in pair]
        for name in (*self.columns, *pairs, *self.planes):
            if name not in table.names:
                known = ", ".join(table.names)
                raise ConfigError(f"the network reads {name!r}: expected one of {known}")
        for group in (*self.products, self.planes):
            if len({table.block(name).size for name in group}) > 1:
                raise ConfigError(f"blocks {', '.join(group)} must have the same number of columns")
        return self.model_copy(update={"columns": self.columns or table.names})


class PolicyValueNet(nn.Module):
    """An MLP over the whole observation, and a scorer shared by the cards that may be played.

    Takes integer columns (N, D); gives masked logits (N, A) and value (N,). A card's logit is the
    sum of what the MLP says about that card and what the scorer makes of the card's planes in the
    light of the MLP's last layer. The scorer is the same for every card, so what is learnt about
    one holds for all.
    """

    def __init__(
        self,
        settings: NetworkSettings,
        table: ObservationTable,
        num_actions: int,
        generator: torch.Generator | None = None,
    ) -> None:
        """Build the network, initialised from ``generator``, or left to be loaded without one.

        Raises ``ConfigError`` for settings that do not fit the table.
        """
        super().__init__()
        settings = settings.fitted(table)
        self.settings = settings
        self.features = Features(settings, table)
        layers = [linear(settings.width, settings.width) for _ in range(settings.depth - 1)]
        relu = nn.ReLU(inplace=True)
        self.body = nn.Sequential(relu, *[m for layer in layers for m in (layer, relu)])
        self.policy = linear(settings.width, num_actions)
        self.value = linear(settings.width, 1)
        self.scorer = CardScorer(settings, table) if settings.planes else None
        if generator is not None:
            self._initialise(generator)

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Masked logits (N, A) and value (N,) of integer columns (N, D) and masks (N, A)."""
        hidden = self.body(self.features(observation))
        count = len(observation)  # `hidden` may have more rows: see `padded`
        logits, value = self.policy(hidden)[:count].float(), self.value(hidden)[:count].float()
        if self.scorer is not None:
            rows, cards, scores = self.scorer(observation, action_mask, hidden)
            places = rows * logits.shape[1] + cards
            logits = logits.view(-1).index_add(0, places, scores.float()).view_as(logits)
        return logits.masked_fill(action_mask == 0, ILLEGAL_LOGIT), value.squeeze(1)

    def _initialise(self, generator: torch.Generator) -> None:
        """Orthogonal weights; a near-uniform first policy and a value near zero."""
        gains = {self.policy: 0.01, self.value: 0.1}
        if self.scorer is not None:
            gains[self.scorer.score] = 0.01
        for module in self.modules():
            if isinstance(module, nn.Linear):
                gain = gains.get(module, 2**0.5)
                nn.init.orthogonal_(module.weight, gain, generator=generator)
                nn.init.zeros_(module.bias)


class Features(nn.Module):
    """The first layer: the chosen columns and products of an observation into ``width`` units.

    Columns are integers; their scales are applied to the weights, which are fewer.
    """

    scale: Tensor

    def __init__(self, settings: NetworkSettings, table: ObservationTable) -> None:
        super().__init__()
        self.spans = _merge([table[name] for name in settings.columns])
        self.pairs = [(table[a], table[b]) for a, b in settings.products]
        scale = torch.from_numpy(table.scale.copy())
        parts = [scale[span] for span in self.spans] + [scale[a] * scale[b] for a, b in self.pairs]
        self.register_buffer("scale", torch.cat(parts), persistent=False)
        self.layer = linear(len(self.scale), settings.width)

    def forward(self, observation: Tensor) -> Tensor:
        """Columns (N, D) to (N + padding, width), before the nonlinearity."""
        parts = [observation[:, span] for span in self.spans]
        parts += [observation[:, a] * observation[:, b] for a, b in self.pairs]
        values = padded(torch.cat(parts, dim=1).to(_compute_type()))
        return nn.functional.linear(values, self.layer.weight * self.scale, self.layer.bias)


class CardScorer(nn.Module):
    """Scores each legal card from its own planes and a context; one network for all cards.

    It works on a list of all legal cards of all rows: a table with a place for every card that a
    hand may hold would be half empty.
    """

    starts: Tensor
    scale: Tensor

    def __init__(self, settings: NetworkSettings, table: ObservationTable) -> None:
        super().__init__()
        starts = torch.tensor([table.start(name) for name in settings.planes])
        self.cards = table.block(settings.planes[0]).size
        self.register_buffer("starts", starts, persistent=False)
        scale = torch.from_numpy(table.scale.copy())[starts]
        scale = torch.cat([scale, torch.tensor([1.0 / self.cards])])  # the last input: which card
        self.register_buffer("scale", scale, persistent=False)
        self.own = linear(len(scale), settings.card_width)
        self.context = linear(settings.width, settings.card_width)
        self.mix = linear(settings.card_width, settings.card_width)
        self.score = linear(settings.card_width, 1)

    def forward(
        self, observation: Tensor, action_mask: Tensor, context: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The rows (M,), cards (M,) and scores (M,) of all M legal cards.

        ``context`` may have more rows than the observation: they are ignored.
        """
        legal = (action_mask[:, : self.cards] != 0).nonzero().unbind(1)
        rows, cards = (padded(part) for part in legal)
        places = (rows * observation.shape[1] + cards).unsqueeze(1) + self.starts
        planes = observation.reshape(-1).index_select(0, places.view(-1)).view(places.shape)
        values = torch.cat([planes, cards.unsqueeze(1).to(planes.dtype)], dim=1)
        own = nn.functional.linear(
            values.to(_compute_type()), self.own.weight * self.scale, self.own.bias
        )
        shared = self.context(context)
        # `gather` with an expanded index is quick both ways; `index_select` is not on the way back.
        around = shared.gather(0, rows.unsqueeze(1).expand(-1, shared.shape[1]))
        hidden = torch.relu_(own.add_(around))
        scores = self.score(torch.relu_(self.mix(hidden))).squeeze(1)
        return *legal, scores[: len(legal[0])]


def padded(values: Tensor) -> Tensor:
    """Zeros added below (N, ...) to one of few lengths: 15 or an eighth more at most.

    In bfloat16 oneDNN compiles a kernel for every new shape, which takes longer than most products
    of this size. In float32 nothing is compiled, and nothing added.
    """
    if _compute_type() == torch.float32:
        return values
    step = 1 << max(4, len(values).bit_length() - 4)
    missing = -len(values) % step
    return torch.cat([values, values.new_zeros(missing, *values.shape[1:])]) if missing else values


def _compute_type() -> torch.dtype:
    """What matrix products take: autocast converts anyway, and once is enough."""
    return torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else torch.float32


def linear(inputs: int, outputs: int) -> nn.Linear:
    """A layer with unset weights: setting them would draw from torch's global generator."""
    layer: nn.Linear = skip_init(nn.Linear, inputs, outputs)  # type: ignore[no-untyped-call]
    return layer


def _merge(spans: Sequence[slice]) -> list[slice]:
    """Neighbouring column ranges joined: fewer, longer copies."""
    merged: list[slice] = []
    for span in spans:
        if merged and merged[-1].stop == span.start:
            merged[-1] = slice(merged[-1].start, span.stop)
        else:
            merged.append(span)
    return merged
