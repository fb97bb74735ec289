"""Earlier versions of the learner as opponents: self-play alone forgets what it once beat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from agents.networks import PolicyValueNet
from agents.torch_agent import TorchAgent
from sixth_env.games.base import Game


class PastSelves:
    """A pool of snapshots: filled in order, then each new one replaces a random old one.

    So the age of the pool spreads over the whole run, and recent versions are likelier. They play
    sampled, not greedily: an opponent that never errs in a new way teaches little.
    """

    def __init__(
        self, game: Game, size: int, make: Callable[[], PolicyValueNet], generator: torch.Generator
    ) -> None:
        self.members = [
            TorchAgent(game, make(), name=f"past:{i}", greedy=False) for i in range(size)
        ]
        self.generator, self.count = generator, 0

    def fill(self, network: PolicyValueNet) -> None:
        """Make every member a copy of the network, as at the start of a run."""
        for member in self.members:
            member.network.load_state_dict(network.state_dict())

    def add(self, network: PolicyValueNet) -> None:
        """Put a snapshot of the network into the pool."""
        slot = self.count
        if slot >= len(self.members):
            slot = int(torch.randint(len(self.members), (1,), generator=self.generator))
        self.members[slot].network.load_state_dict(network.state_dict())
        self.count += 1

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Tensors and plain values for a checkpoint."""
        tensors = {
            f"past.{i}.{name}": tensor
            for i, member in enumerate(self.members)
            for name, tensor in member.network.state_dict().items()
        }
        return {**tensors, "past.generator": self.generator.get_state()}, {"past": self.count}

    def restore(self, tensors: dict[str, Tensor], values: dict[str, Any]) -> None:
        """Put back what ``state`` gave."""
        for i, member in enumerate(self.members):
            start = f"past.{i}."
            own = {k.removeprefix(start): v for k, v in tensors.items() if k.startswith(start)}
            member.network.load_state_dict(own)
        self.generator.set_state(tensors["past.generator"])
        self.count = values["past"]
