"""PPO by TorchRL's own components, in self-play on the batched environment.

    python -m train.torchrl configs/torchrl/sixth_card.toml

Collector, masked distribution, GAE, clipped loss and replay buffer are TorchRL's; ours are the
environment and ``decisions``, which leaves out the rows of seats that only wait. The trained
network is saved as a checkpoint of this project, which plays without TorchRL.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import Field as Setting
from torch import nn

from agents.from_torchrl import save_checkpoint
from sixth_env.adapters import require
from sixth_env.adapters.torchrl import GROUP, SelfPlayEnv, TorchrlOpponent, decisions
from sixth_env.match.result import MatchResult
from train.config import MAX_THREADS, Config, load_config, readable_errors, save_resolved
from train.evaluate import against_fields, margins, print_results
from train.runs import RunLog, StopSignal, check_finite, derive_seed, run_folder

require("torchrl", extra="torchrl")

from tensordict import TensorDictBase  # noqa: E402
from tensordict.nn import TensorDictModule  # noqa: E402
from torchrl.collectors import Collector  # noqa: E402
from torchrl.data import LazyTensorStorage, ReplayBuffer, SamplerWithoutReplacement  # noqa: E402
from torchrl.envs import RewardScaling, TransformedEnv  # noqa: E402
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator  # noqa: E402
from torchrl.objectives import ClipPPOLoss  # noqa: E402
from torchrl.objectives.value import GAE  # noqa: E402


class TorchrlConfig(Config):
    """Settings of a run."""

    game: str = "sixth_card"
    name: str = "torchrl"
    """name of the run: its folder is runs/torchrl/NAME"""
    seed: int = 1
    total_decisions: int = Setting(default=1_000_000, ge=1)
    """decisions to train on, of all seats"""
    games: int = Setting(default=128, ge=1)
    """games played at once"""
    rules: dict[str, int | str | bool] = {}
    """the game's own options, such as num_players"""
    reward: Literal["penalty", "relative", "win", "chips", "points"] = "relative"
    reward_scale: float = Setting(default=0.1, gt=0)
    rollout_steps: int = Setting(default=24, ge=1)
    """steps of every game between two updates"""
    policy: tuple[int, ...] = (128, 128)
    """units of the policy's hidden layers"""
    value: tuple[int, ...] = (128, 128)
    """units of the value's hidden layers"""
    activation: Literal["tanh", "relu"] = "tanh"
    epochs: int = Setting(default=2, ge=1)
    minibatch: int = Setting(default=512, ge=1)
    learning_rate: float = Setting(default=1e-3, gt=0)
    final_learning_rate: float = Setting(default=1e-4, ge=0)
    """reached at the end, linearly"""
    gamma: float = Setting(default=1.0, gt=0, le=1)
    lam: float = Setting(default=0.95, ge=0, le=1)
    clip: float = Setting(default=0.2, gt=0)
    entropy: float = Setting(default=0.01, ge=0)
    value_weight: float = Setting(default=0.5, ge=0)
    max_grad_norm: float = Setting(default=0.5, gt=0)
    threads: int = Setting(default=1, ge=1, le=MAX_THREADS)
    """torch threads"""
    evaluate_every: int = Setting(default=500_000, ge=1)
    evaluate_deals: int = Setting(default=200, ge=1)
    final_deals: int = Setting(default=500, ge=1)
    fields: tuple[str, ...] = ("random",)
    """opponents of the evaluations: the policy at a table full of each"""


def tower(inputs: int, units: tuple[int, ...], outputs: int, activation: str) -> MLP:
    """A multilayer perceptron that an exported checkpoint can hold."""
    kind = nn.Tanh if activation == "tanh" else nn.ReLU
    return MLP(inputs, outputs, num_cells=list(units), activation_class=kind)


def masked_actor(network: nn.Module) -> ProbabilisticActor:
    """A policy for the agents: what the network says, among the legal actions."""
    logits = TensorDictModule(network, [(GROUP, "observation")], [(GROUP, "logits")])
    return ProbabilisticActor(
        logits,
        in_keys={"logits": (GROUP, "logits"), "mask": (GROUP, "action_mask")},
        out_keys=[(GROUP, "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=(GROUP, "action_log_prob"),
    )


def learning(
    config: TorchrlConfig, actor: ProbabilisticActor, critic: ValueOperator
) -> tuple[GAE, ClipPPOLoss]:
    """The advantage estimator and the loss, both over single decisions of the agents."""
    advantage = GAE(
        gamma=config.gamma,
        lmbda=config.lam,
        value_network=critic,
        time_dim=0,
        vectorized=True,  # the loop is over time, and here all decisions follow each other
    )
    loss = ClipPPOLoss(
        actor,
        critic,
        clip_epsilon=config.clip,
        entropy_coeff=config.entropy,
        critic_coeff=config.value_weight,
        loss_critic_type="l2",
        normalize_advantage=True,
    )
    keys = ("reward", "done", "terminated", "advantage", "value_target")
    nested = {key: (GROUP, key) for key in keys}
    nested["value"] = (GROUP, "state_value")
    advantage.set_keys(**nested)
    loss.set_keys(action=(GROUP, "action"), sample_log_prob=(GROUP, "action_log_prob"), **nested)
    return advantage, loss


class Trainer:
    """All that a run consists of."""

    def __init__(self, config: TorchrlConfig, run: Path) -> None:
        torch.set_num_threads(config.threads)
        torch.manual_seed(derive_seed(config.seed, "torch"))  # TorchRL draws from this generator
        self.config, self.run, self.seen = config, run, 0
        rules: dict[str, Any] = {**config.rules, "reward": config.reward}
        seed = derive_seed(config.seed, "deals")
        env = SelfPlayEnv(config.game, config.games, seed=seed, **rules)
        self.game = env.game
        size = self.game.observation_size
        self.policy = tower(size, config.policy, self.game.num_actions, config.activation)
        self.value = tower(size, config.value, 1, config.activation)
        self.actor = masked_actor(self.policy)
        critic = ValueOperator(self.value, [(GROUP, "observation")], [(GROUP, "state_value")])
        scaling = RewardScaling(0.0, config.reward_scale, in_keys=[(GROUP, "reward")])
        self.collector = Collector(
            TransformedEnv(env, scaling),
            self.actor,
            frames_per_batch=config.games * config.rollout_steps,
            total_frames=-1,
            postproc=decisions,
            auto_register_policy_transforms=False,  # the policy keeps no state
        )
        self.rollouts: Iterator[TensorDictBase] = iter(self.collector)
        self.advantage, self.loss = learning(config, self.actor, critic)
        self.optimizer = torch.optim.Adam(self.loss.parameters(), eps=1e-5)
        most = config.games * config.rollout_steps * env.num_players
        self.buffer = ReplayBuffer(
            storage=LazyTensorStorage(most),
            sampler=SamplerWithoutReplacement(),
            batch_size=min(config.minibatch, most),
        )

    def advance(self) -> dict[str, float]:
        """One update: collect, then several epochs over the decisions; averages of the loss."""
        done = min(1.0, self.seen / self.config.total_decisions)
        first, last = self.config.learning_rate, self.config.final_learning_rate
        for group in self.optimizer.param_groups:
            group["lr"] = first + done * (last - first)
        samples = next(self.rollouts)
        with torch.no_grad():
            self.advantage(samples)
        self.seen += len(samples)
        self.buffer.empty()
        self.buffer.extend(samples.exclude("next"))  # all that the loss needs is there by now
        terms: list[TensorDictBase] = []
        for _ in range(self.config.epochs):
            terms += [self.update(part) for part in self.buffer]
        means: Any = torch.stack(terms).mean(0)
        return {name: float(means[name]) for name in means.keys()}  # noqa: SIM118

    def update(self, part: TensorDictBase) -> TensorDictBase:
        """One step of the optimizer on a minibatch; the terms of its loss."""
        terms = self.loss(part)
        losses = [terms[name] for name in ("loss_objective", "loss_critic", "loss_entropy")]
        loss = torch.stack(losses).sum()
        self.optimizer.zero_grad()
        torch.autograd.backward(loss)
        norm = nn.utils.clip_grad_norm_(self.loss.parameters(), self.config.max_grad_norm)
        check_finite({"loss": loss, "gradient": norm}, step=self.seen, run=self.run)
        self.optimizer.step()
        return terms.detach()

    def save(self, results: dict[str, Any] | None = None) -> Path:
        """Write the checkpoint ``latest``, which plays without TorchRL."""
        training = {"script": "train.torchrl", "decisions": self.seen}
        training["config"] = self.config.model_dump(mode="json")
        path = self.run / "latest"
        save_checkpoint(path, self.policy, self.value, self.game.id, training, results)
        return path

    def strength(self, deals: int, purpose: str) -> list[MatchResult]:
        """The policy, greedy, at a table full of each opponent."""
        config = self.config
        agent = TorchrlOpponent(self.actor, self.game.id, config.name)
        seed = derive_seed(config.seed, purpose)
        return against_fields(agent, config.fields, self.game, config.rules, deals, seed)


def train(config: TorchrlConfig) -> Path:
    """Run a training to its end, to Ctrl-C, or to the first non-finite loss."""
    run = run_folder("torchrl", config.name)
    save_resolved(config, run)
    trainer = Trainer(config, run)
    strength: dict[str, float] = {}
    with RunLog(run, config.total_decisions) as log, StopSignal() as stop:
        while trainer.seen < config.total_decisions and not stop.requested:
            before = trainer.seen // config.evaluate_every
            terms = trainer.advance()
            if trainer.seen // config.evaluate_every > before:
                strength = margins(trainer.strength(config.evaluate_deals, "evaluation"))
                terms.update({f"strength/{name}": value for name, value in strength.items()})
                trainer.save()
            log.log(trainer.seen, terms, show=strength)
    results = trainer.strength(config.final_deals, "final")
    path = trainer.save({"fields": [result.to_dict() for result in results]})
    print_results(results, path)
    return run


def main() -> None:
    """Read the settings and train."""
    config = load_config(TorchrlConfig)
    with readable_errors():
        train(config)


if __name__ == "__main__":
    main()
