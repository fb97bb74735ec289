"""Policy improvement by rollouts: a network learns what every action gains over a heuristic.

    python -m train.rollouts configs/rollouts/sixes_chips.toml

A heuristic plays all seats; every legal action of a decision is tried in the true world, and the
round finished by the heuristic (``train/playouts.py``). The network's logits are fitted to the
actions' advantages, and the greedy policy is one step of policy iteration on the heuristic
(Tesauro and Galperin, 1996), made quick enough to play without a search. Where the luck of the deal
drowns what an action is worth, as in the chip game, this sees more than PPO does: all actions of a
decision are compared in the same world.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from pydantic import Field as Setting
from torch import Tensor, nn

from agents.checkpoint import load, save
from agents.networks import NetworkSettings, PolicyValueNet
from agents.torch_agent import TorchAgent, card_for
from sixth_env.errors import CheckpointError
from sixth_env.games import get_game
from sixth_env.match.result import MatchResult
from sixth_env.opponents.custom import resolve_opponent
from train.config import MAX_THREADS, Config, load_config, readable_errors, save_resolved
from train.evaluate import against_fields
from train.loop import learn
from train.playouts import Decisions, Playouts
from train.resume import check_same
from train.runs import (
    check_finite,
    derive_seed,
    load_optimizer,
    optimizer_state,
    run_folder,
    torch_generator,
)


class Table(Config):
    """A rule set to learn."""

    rules: dict[str, int | str | bool] = {}
    """the game's own options, such as num_players; rounds are single ones"""
    share: int = Setting(default=1, ge=1)
    """how many of the chunks, in proportion to those of the other tables"""


class RolloutsConfig(Config):
    """Settings of a run."""

    game: str = "sixes_chips"
    name: str = "rollouts"
    """name of the run: its folder is runs/rollouts/NAME"""
    seed: int = 1
    resume: bool = False
    """go on with the run of this name"""
    base: str = "blocker"
    """the heuristic to improve on"""
    explore: float = Setting(default=0.2, ge=0, le=1)
    """how often the seat that is learnt from plays at random instead"""
    tables: tuple[Table, ...] = Setting(default=(Table(),), min_length=1)
    total_decisions: int = Setting(default=20_000_000, ge=1)
    """labelled decisions to learn from, each seen once"""
    stop_after: int | None = Setting(default=None, ge=1)
    """stop at this count of decisions, to be resumed later"""
    chunk: int = Setting(default=65_536, ge=1)
    """decisions that are labelled at once, all of one table"""
    minibatch: int = Setting(default=4096, ge=1)
    learning_rate: float = Setting(default=1.5e-3, gt=0)
    final_learning_rate: float = Setting(default=1e-5, ge=0)
    """reached at the end, linearly"""
    sharpness: float = Setting(default=1.0, gt=0)
    """logits for each point or chip of advantage: how firmly the policy plays when it is sampled"""
    value_weight: float = Setting(default=0.1, ge=0)
    max_grad_norm: float = Setting(default=1.0, gt=0)
    network: NetworkSettings = NetworkSettings()
    threads: int = Setting(default=1, ge=1, le=MAX_THREADS)
    """torch threads; results repeat exactly for the same number"""
    save_every: int = Setting(default=2_000_000, ge=1)
    evaluate_every: int = Setting(default=5_000_000, ge=1)
    evaluate_deals: int = Setting(default=1000, ge=1)
    fields: tuple[str, ...] = ("random", "blocker")
    """opponents of the evaluations: the learner at a table full of each, single rounds by the
    rules of the first table"""
    final_fields: tuple[str, ...] = ("random", "builder", "blocker", "mc:20")
    final_deals: int = Setting(default=1000, ge=1)


class Trainer:
    """All that a run consists of, and how it is saved and resumed exactly."""

    def __init__(self, config: RolloutsConfig, run: Path) -> None:
        torch.set_num_threads(config.threads)
        self.config, self.run, self.decisions, self.chunks = config, run, 0, 0
        self.game = get_game(config.game)
        for name in (*config.fields, *config.final_fields):
            resolve_opponent(name, config.game)  # a wrong name should not wait for the end
        supplies = [
            Playouts(self.game, {"num_rounds": 1, **table.rules}, config.base, config.explore)
            for table in config.tables
        ]
        shares = [table.share for table in config.tables]
        self.turns = [supplies[index] for index in interleave(shares)]
        self.network = PolicyValueNet(
            config.network,
            self.game.table,
            self.game.num_actions,
            torch_generator(config.seed, "network"),
        )
        self.optimizer = torch.optim.Adam(self.network.parameters())

    def advance(self) -> dict[str, float]:
        """Label the next chunk and learn from it; gives the averages of the loss."""
        config = self.config
        done = min(1.0, self.decisions / config.total_decisions)
        first, last = config.learning_rate, config.final_learning_rate
        for group in self.optimizer.param_groups:
            group["lr"] = first + done * (last - first)
        supply = self.turns[self.chunks % len(self.turns)]
        decisions = supply.decisions(config.chunk, derive_seed(config.seed, f"chunk {self.chunks}"))
        terms = self.learn(decisions)
        self.chunks, self.decisions = self.chunks + 1, self.decisions + config.chunk
        return terms

    def learn(self, decisions: Decisions) -> dict[str, float]:
        """One pass over some decisions, which come in random rounds and need no shuffling."""
        sums, rounds, size = dict[str, float](), 0, self.config.minibatch
        tensors = [torch.from_numpy(array) for array in decisions]
        for part in zip(*(torch.split(tensor, size) for tensor in tensors), strict=True):
            loss, terms = self.loss(*part)
            self.optimizer.zero_grad(set_to_none=True)
            torch.autograd.backward(loss)
            norm = nn.utils.clip_grad_norm_(self.network.parameters(), self.config.max_grad_norm)
            check_finite({"loss": loss, "gradient": norm}, step=self.decisions, run=self.run)
            self.optimizer.step()
            rounds += 1
            for name, term in terms.items():
                sums[name] = sums.get(name, 0.0) + float(term)
        return {name: total / rounds for name, total in sums.items()}

    def loss(
        self, observation: Tensor, action_mask: Tensor, gains: Tensor, base: Tensor
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """Squared errors of advantages, over the legal actions, and of the base policy's value."""
        logits, value = self.network(observation, action_mask)
        legal = (action_mask != 0).float()
        advantage = centred(logits / self.config.sharpness, legal)
        error = (advantage - centred(gains, legal)).square().sum() / legal.sum()
        target = gains.gather(1, base[:, None]).squeeze(1)
        value_error = (value - target).square().mean()
        loss = error + self.config.value_weight * value_error
        return loss, {"advantage_error": error.detach(), "value_error": value_error.detach()}

    def save(self, results: dict[str, Any] | None = None) -> Path:
        """Write the checkpoint ``latest``, from which the run can go on."""
        tensors, values = optimizer_state(self.optimizer)
        training = {"script": "train.rollouts", "decisions": self.decisions}
        training["config"] = self.config.model_dump(mode="json")
        save(
            self.run / "latest",
            tensors=self.network.state_dict(),
            card=card_for(self.game, self.network, training=training, results=results),
            trainer_tensors=tensors,
            trainer_state={**values, "decisions": self.decisions, "chunks": self.chunks},
        )
        return self.run / "latest"

    def restore(self) -> None:
        """Go on from the checkpoint ``latest`` as if the run had never stopped.

        Raises ``ConfigError`` if the run was another one, ``CheckpointError`` if it is damaged.
        """
        checkpoint = load(self.run / "latest")
        fixed = ("game", "seed", "base", "explore", "tables", "network", "chunk", "sharpness")
        check_same(checkpoint.card, self.config, fixed, self.run)
        self.network.load_state_dict(checkpoint.tensors)
        state = checkpoint.trainer_state
        try:
            load_optimizer(self.optimizer, checkpoint.trainer_tensors, state)
            self.decisions, self.chunks = int(state["decisions"]), int(state["chunks"])
        except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as error:
            raise CheckpointError(f"the trainer's state does not fit this run: {error}") from None

    def strength(self, fields: tuple[str, ...], deals: int, seed: str) -> list[MatchResult]:
        """The policy, greedy, against a table full of each opponent."""
        agent = TorchAgent(self.game, self.network, self.config.name)
        rules = {**self.config.tables[0].rules, "num_rounds": 1}
        number = derive_seed(self.config.seed, seed)
        return against_fields(agent, fields, self.game, rules, deals, number)


def centred(values: Tensor, legal: Tensor) -> Tensor:
    """Values (N, A) less their mean over the legal actions; 0 where an action is not legal."""
    kept = values.masked_fill(legal == 0, 0.0)
    mean = kept.sum(dim=1, keepdim=True) / legal.sum(dim=1, keepdim=True)
    return (kept - mean) * legal


def interleave(shares: list[int]) -> list[int]:
    """Each index as often as its share says, spread evenly: [2, 1] gives [0, 1, 0]."""
    order = [
        ((turn + 0.5) / share, index) for index, share in enumerate(shares) for turn in range(share)
    ]
    return [index for _, index in sorted(order)]


def train(config: RolloutsConfig) -> Path:
    """Run or resume a training to its end, to Ctrl-C, or to the first non-finite loss."""
    trainer = Trainer(config, Path("runs") / "rollouts" / config.name)
    run = run_folder("rollouts", config.name, resume=config.resume)
    if config.resume:
        trainer.restore()
    save_resolved(config.model_copy(update={"resume": False, "stop_after": None}), run)
    learn(trainer, config, run)
    return run


def main() -> None:
    """Read the settings and train."""
    config = load_config(RolloutsConfig)
    with readable_errors():
        train(config)


if __name__ == "__main__":
    main()
