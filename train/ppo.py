"""PPO with action masks and self-play, for every game of the family.

    python -m train.ppo configs/ppo/quickstart.toml --seed 1

One policy plays all learner seats of several tables (batches of games), which may differ in
players, rules and opponents. Proximal policy optimisation: Schulman et al., 2017; advantages per
seat over its own decisions (``train/advantage.py``), cut where a round ends if rewards are points.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field as Setting
from torch import Tensor, nn

from agents.checkpoint import load, save
from agents.networks import NetworkSettings, PolicyValueNet
from agents.torch_agent import TorchAgent, card_for, restore
from sixth_env.batch import Batch, Step
from sixth_env.errors import ConfigError
from sixth_env.games import get_game
from sixth_env.match.result import MatchResult
from sixth_env.opponents import Opponent
from sixth_env.opponents.custom import resolve_opponent
from train.advantage import advantages, close_window
from train.config import MAX_THREADS, Config, load_config, readable_errors, save_resolved
from train.evaluate import against_fields
from train.field import Field
from train.loop import learn
from train.past import PastSelves
from train.precision import autocast, fastest
from train.resume import check_same, pack, unpack
from train.runs import (
    check_finite,
    derive_seed,
    passed,
    run_folder,
    torch_generator,
)
from train.samples import Buffer, Samples


class Table(Config):
    """A batch of games with the same rules and the same kinds of opponents."""

    games: int = Setting(default=512, ge=1)
    """games played at once"""
    rules: dict[str, int | str | bool] = {}
    """the game's own options, such as num_players and decks"""
    opponents: tuple[str, ...] = ()
    """who plays the other seats, dealt out over the games: built-ins, checkpoint folders, or
    "past" for earlier versions of the learner; none: the learner plays every seat"""


class PPOConfig(Config):
    """Settings of a run."""

    game: str = "sixth_card"
    name: str = "ppo"
    """name of the run: its folder is runs/ppo/NAME"""
    seed: int = 1
    resume: bool = False
    """go on with the run of this name"""
    total_decisions: int = Setting(default=10_000_000, ge=1)
    """learner decisions to train on"""
    stop_after: int | None = Setting(default=None, ge=1)
    """stop at this count of decisions, to be resumed later"""
    start: str | None = None
    """a checkpoint whose weights to begin with: this game's, and the same network"""
    tables: tuple[Table, ...] = Setting(default=(Table(),), min_length=1)
    reward: Literal["penalty", "relative", "win", "chips", "points"] = "relative"
    reward_scale: float = Setting(default=0.1, gt=0)
    network: NetworkSettings = NetworkSettings()
    rollout_steps: int = Setting(default=16, ge=1)
    """steps of every game between two updates"""
    epochs: int = Setting(default=2, ge=1)
    minibatch: int = Setting(default=4096, ge=1)
    learning_rate: float = Setting(default=5e-4, gt=0)
    final_learning_rate: float = Setting(default=5e-5, ge=0)
    """reached at the end, linearly"""
    gamma: float = Setting(default=1.0, gt=0, le=1)
    lam: float = Setting(default=0.95, ge=0, le=1)
    clip: float = Setting(default=0.2, gt=0)
    entropy: float = Setting(default=0.01, ge=0)
    value_weight: float = Setting(default=0.5, ge=0)
    max_grad_norm: float = Setting(default=0.5, gt=0)
    threads: int = Setting(default=1, ge=1, le=MAX_THREADS)
    """torch threads; results repeat exactly for the same number"""
    precision: Literal["auto", "float32", "bf16"] = "auto"
    """of matrix products; auto: bf16 where the processor computes in it, else float32"""
    past_selves: int = Setting(default=6, ge=1)
    """how many earlier versions sit at tables with "past" """
    past_every: int = Setting(default=1_000_000, ge=1)
    """decisions between two snapshots"""
    save_every: int = Setting(default=2_000_000, ge=1)
    evaluate_every: int = Setting(default=2_000_000, ge=1)
    evaluate_deals: int = Setting(default=250, ge=1)
    fields: tuple[str, ...] = ("random", "closest", "cautious")
    """opponents of the evaluations: the learner at a table full of each, single rounds by the
    rules of the first table"""
    final_fields: tuple[str, ...] = ("random", "closest", "cautious", "mc:20")
    final_deals: int = Setting(default=1000, ge=1)


class Actor:
    """Samples actions from the network while rollouts are collected."""

    def __init__(self, network: PolicyValueNet, precision: str, generator: torch.Generator) -> None:
        self.network, self.precision, self.generator = network, precision, generator

    @torch.no_grad()
    def act(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Actions, their log-probabilities and the values, (N,) each."""
        with autocast(self.precision):
            logits, value = self.network(observation, action_mask)
        sums = logits.softmax(dim=1).cumsum(dim=1)
        # From (0, 1], so that the first sum to reach it is that of an action of some probability.
        level = 1 - torch.rand(len(sums), 1, generator=self.generator)
        action = torch.searchsorted(sums, level * sums[:, -1:])
        return action.squeeze(1), logits.log_softmax(dim=1).gather(1, action).squeeze(1), value


class Worker:
    """One table of the run: its games, who sits there, and where they stand."""

    def __init__(self, table: Table, config: PPOConfig, number: int, past: PastSelves) -> None:
        seed = derive_seed(config.seed, f"table {number}")
        if "reward" in table.rules:
            raise ConfigError("reward is a setting of the run, not a rule of its tables")
        rules: dict[str, Any] = {**table.rules, "reward": config.reward}
        get_game(config.game).make_rules(rules)  # names what is no rule
        self.batch = Batch(config.game, table.games, seed=seed, **rules)
        kinds: list[Sequence[Opponent]] = [
            past.members if name == "past" else [resolve_opponent(name, config.game)]
            for name in table.opponents
        ]
        self.field = Field(self.batch, kinds, derive_seed(config.seed, f"field {number}"))
        self.config = config
        self.step: Step = self.batch.observe()

    def collect(self, actor: Actor, buffer: Buffer) -> None:
        """Play ``rollout_steps`` and add the learner's decisions, with their advantages."""
        config, batch, first = self.config, self.batch, buffer.count
        shape = (config.rollout_steps, batch.num_games * batch.num_players)
        value, reward = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        acting, cut = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        for t in range(config.rollout_steps):
            rows, lanes = self.deciding()
            part = buffer.add(self.step, rows)
            chosen = actor.act(part.observation, part.action_mask)
            for tensor, now in zip((part.action, part.log_prob, part.value), chosen, strict=True):
                tensor.copy_(now)
            acting[t, lanes], value[t, lanes] = True, part.value.numpy()
            actions = np.empty(self.step.acting.shape, np.int64)
            self.field.fill(self.step, actions)
            actions.flat[rows] = part.action.numpy()
            self.step = batch.step(actions)
            reward[t] = self.step.reward.reshape(-1) * config.reward_scale
            cut[t] = np.repeat(self.ends(), batch.num_players)
        next_value, deciding = np.zeros(shape[1], np.float32), np.zeros(shape[1], np.bool_)
        rows, lanes = self.deciding()
        next_value[lanes], deciding[lanes] = actor.act(*self.rows(rows))[2].numpy(), True
        window = close_window(value, reward, acting, cut, next_value, deciding)
        advantage, target = advantages(
            value, window.reward, window.learn, cut, window.last_value, config.gamma, config.lam
        )
        mine = buffer.since(first)
        for tensor, array in (
            (mine.advantage, advantage),
            (mine.target, target),
            (mine.learn, window.learn),
        ):
            tensor.copy_(torch.from_numpy(array[acting]))

    def deciding(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The flat rows in which the learner decides now; their lanes (game * players + seat)."""
        rows = self.field.rows(self.step)
        games = rows // self.batch.seats_per_step
        return rows, games * self.batch.num_players + self.step.seat.flat[rows]

    def rows(self, rows: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """Observations and masks of some flat rows of the current step, copied."""
        observation = self.step.observation.reshape(-1, self.batch.observation_size)[rows]
        mask = self.step.action_mask.reshape(-1, self.batch.num_actions)[rows]
        return torch.from_numpy(observation), torch.from_numpy(mask)

    def ends(self) -> NDArray[np.bool_]:
        """Where nothing that follows counts for what came before: rounds of points are separate."""
        over = self.step.terminated | self.step.truncated
        return over if self.config.reward == "win" else over | self.step.round_end


def update(
    network: PolicyValueNet,
    optimizer: torch.optim.Optimizer,
    samples: Samples,
    config: PPOConfig,
    generator: torch.Generator,
    where: tuple[int, Path],
) -> dict[str, float]:
    """Several epochs of clipped policy gradient over the samples; gives averages of its terms."""
    usable = samples.learn.nonzero().squeeze(1)
    sums, rounds = dict[str, float](), 0
    for _ in range(config.epochs):
        order = usable[torch.randperm(len(usable), generator=generator)]
        for rows in torch.split(order, config.minibatch):
            loss, terms = ppo_loss(network, samples.pick(rows), config)
            optimizer.zero_grad(set_to_none=True)
            torch.autograd.backward(loss)
            norm = nn.utils.clip_grad_norm_(network.parameters(), config.max_grad_norm)
            check_finite({"loss": loss, "gradient": norm}, step=where[0], run=where[1])
            optimizer.step()
            rounds += 1
            for name, term in terms.items():
                sums[name] = sums.get(name, 0.0) + float(term)
    return {name: total / rounds for name, total in sums.items()}


def ppo_loss(
    network: PolicyValueNet, part: Samples, config: PPOConfig
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of a minibatch, and the terms worth watching."""
    with autocast(config.precision):
        logits, value = network(part.observation, part.action_mask)
    log_probs = logits.log_softmax(dim=1)
    log_prob = log_probs.gather(1, part.action[:, None]).squeeze(1)
    # Not `log_probs.exp()`: the exponential alone is ten times slower where it is all but zero.
    entropy = -(logits.softmax(dim=1) * log_probs).sum(dim=1).mean()
    advantage = (part.advantage - part.advantage.mean()) / (part.advantage.std(correction=0) + 1e-8)
    ratio = (log_prob - part.log_prob).exp()
    clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
    policy_loss = -torch.minimum(ratio * advantage, clipped * advantage).mean()
    value_loss = 0.5 * (value - part.target).square().mean()
    loss = policy_loss + config.value_weight * value_loss - config.entropy * entropy
    terms = {
        "policy_loss": policy_loss.detach(),
        "value_loss": value_loss.detach(),
        "entropy": entropy.detach(),
        "kl": (part.log_prob - log_prob).mean().detach(),
        "clipped": ((ratio - 1).abs() > config.clip).float().mean(),
    }
    return loss, terms


class Trainer:
    """All that a run consists of, and how it is saved and resumed exactly."""

    def __init__(self, config: PPOConfig, run: Path) -> None:
        torch.set_num_threads(config.threads)
        precision = fastest() if config.precision == "auto" else config.precision
        self.config = config = config.model_copy(update={"precision": precision})
        self.run, self.decisions = run, 0
        self.game = get_game(config.game)
        for name in (*config.fields, *config.final_fields):
            resolve_opponent(name, config.game)  # a wrong name should not wait for the end
        self.generators = {
            name: torch_generator(config.seed, name) for name in ("network", "actions", "order")
        }
        self.network = self.new_network(self.generators["network"])
        if config.start is not None and not config.resume:
            self.start_from(config.start)
        self.optimizer = torch.optim.Adam(self.network.parameters(), eps=1e-5, fused=True)
        self.past = PastSelves(
            self.game, config.past_selves, self.new_network, torch_generator(config.seed, "past")
        )
        self.past.fill(self.network)
        self.actor = Actor(self.network, config.precision, self.generators["actions"])
        self.workers = [
            Worker(table, config, number, self.past) for number, table in enumerate(config.tables)
        ]
        self.buffer = Buffer([worker.batch for worker in self.workers], config.rollout_steps)

    def new_network(self, generator: torch.Generator | None = None) -> PolicyValueNet:
        """A network as the run's settings describe it."""
        return PolicyValueNet(
            self.config.network, self.game.table, self.game.num_actions, generator
        )

    def start_from(self, path: str) -> None:
        """Begin with a checkpoint's weights. Raises ``ConfigError`` if they are of something else.

        ``CheckpointError`` if it is damaged.
        """
        checkpoint = load(path)
        other = restore(checkpoint, path)
        if (other.game, other.network.settings) != (self.game, self.network.settings):
            raise ConfigError(f"start: {path} has another game or network than this run")
        self.network.load_state_dict(checkpoint.tensors)

    def advance(self) -> dict[str, float]:
        """One update: collect from all tables, then learn; gives the averages of the loss."""
        done = min(1.0, self.decisions / self.config.total_decisions)
        first, last = self.config.learning_rate, self.config.final_learning_rate
        for group in self.optimizer.param_groups:
            group["lr"] = first + done * (last - first)
        self.buffer.clear()
        for worker in self.workers:
            worker.collect(self.actor, self.buffer)
        samples = self.buffer.since()
        before, self.decisions = self.decisions, self.decisions + int(samples.learn.sum())
        order, where = self.generators["order"], (self.decisions, self.run)
        terms = update(self.network, self.optimizer, samples, self.config, order, where)
        if passed(before, self.decisions, self.config.past_every):
            self.past.add(self.network)
        return terms

    def save(self, results: dict[str, Any] | None = None) -> Path:
        """Write the checkpoint ``latest``, from which the run can go on."""
        tensors, values = pack(self.optimizer, self.generators, self.past, self.workers)
        training = {"script": "train.ppo", "decisions": self.decisions}
        training["config"] = self.config.model_dump(mode="json")
        save(
            self.run / "latest",
            tensors=self.network.state_dict(),
            card=card_for(self.game, self.network, training=training, results=results),
            trainer_tensors=tensors,
            trainer_state={**values, "decisions": self.decisions},
        )
        return self.run / "latest"

    def restore(self) -> None:
        """Go on from the checkpoint ``latest`` as if the run had never stopped.

        Raises ``ConfigError`` if the run was another one, ``CheckpointError`` if it is damaged.
        """
        checkpoint = load(self.run / "latest")
        fixed = ("game", "seed", "tables", "reward", "network", "past_selves", "precision")
        check_same(checkpoint.card, self.config, fixed, self.run)
        self.network.load_state_dict(checkpoint.tensors)
        state = (checkpoint.trainer_tensors, checkpoint.trainer_state)
        unpack(state, self.optimizer, self.generators, self.past, self.workers)
        self.decisions = int(state[1]["decisions"])

    def strength(self, fields: tuple[str, ...], deals: int, seed: str) -> list[MatchResult]:
        """The policy, greedy, against a table full of each opponent."""
        agent = TorchAgent(self.game, self.network, self.config.name)
        rules = {**self.config.tables[0].rules, "num_rounds": 1}
        number = derive_seed(self.config.seed, seed)
        return against_fields(agent, fields, self.game, rules, deals, number)


def train(config: PPOConfig) -> Path:
    """Run or resume a training to its end, to Ctrl-C, or to the first non-finite loss."""
    trainer = Trainer(config, Path("runs") / "ppo" / config.name)
    run = run_folder("ppo", config.name, resume=config.resume)
    if config.resume:
        trainer.restore()
    save_resolved(trainer.config.model_copy(update={"resume": False, "stop_after": None}), run)
    learn(trainer, config, run)
    return run


def main() -> None:
    """Read the settings and train."""
    config = load_config(PPOConfig)
    with readable_errors():
        train(config)


if __name__ == "__main__":
    main()
