"""Self-play PPO with action masks and a pool of opponents, by RLlib.

    python -m train.rllib configs/rllib/sixth_card.toml --num-env-runners 2

One policy, the module ``learner``, learns from all seats that it plays. In a share of the matches
it has every seat; in the others it has one, and the rest is played by one member of the pool: a
built-in opponent, or an earlier version of the learner. Each member is a module that RLlib does
not train. ``--address auto`` runs the same on a Ray cluster.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
import ray
import torch
from pydantic import Field as Setting
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from agents.convert import save_towers
from agents.from_rllib import module_state, towers_from_state
from agents.torch_agent import TorchAgent
from agents.towers import TowersNet
from sixth_env.adapters.rllib import MaskedTowers, MultiAgentMatch, OpponentModule
from sixth_env.errors import ConfigError
from sixth_env.games import get_game
from sixth_env.match.result import MatchResult
from sixth_env.opponents import load_opponent
from train.config import Config, load_config, readable_errors, save_resolved
from train.evaluate import against_fields, print_results
from train.runs import RunLog, StopSignal, check_finite, derive_seed, passed, run_folder

LEARNER, PAST = "learner", "past"
OBJECT_STORE = 300 * 2**20  # bytes for what processes hand each other: a few train batches


class Network(Config):
    """Two multilayer perceptrons."""

    policy: tuple[int, ...] = (256, 256)
    """units of the policy's hidden layers"""
    value: tuple[int, ...] = (256, 256)
    """units of the value's hidden layers"""
    activation: Literal["tanh", "relu"] = "tanh"


class RllibConfig(Config):
    """Settings of a run."""

    game: str = "sixth_card"
    name: str = "rllib"
    """name of the run: its folder is runs/rllib/NAME"""
    seed: int = Setting(default=1, ge=0, lt=2**31)
    rules: dict[str, int | str | bool] = {}
    """the game's own options, such as num_players and num_rounds"""
    reward: Literal["penalty", "relative", "win", "chips", "points"] = "relative"
    address: str | None = None
    """a Ray cluster to run on, "auto" for the one this machine belongs to; none: this machine"""
    num_env_runners: int = Setting(default=1, ge=0)
    """processes that play, a core each; 0: the main process does, which learns"""
    envs_per_env_runner: int = Setting(default=32, ge=1)
    """matches that each plays at once"""
    restart_failed: bool = False
    """go on with a new process where one has failed, as on a cluster with nodes that come and go;
    what it failed of is then in Ray's logs alone"""
    total_decisions: int = Setting(default=500_000, ge=1)
    """learner decisions to train on"""
    self_play: float = Setting(default=0.5, ge=0, le=1)
    """share of matches in which the learner plays every seat"""
    pool: tuple[str, ...] = (PAST,)
    """who plays the other seats of the rest: built-ins, or "past" for earlier versions"""
    past_selves: int = Setting(default=4, ge=1)
    """how many earlier versions are kept"""
    past_every: int = Setting(default=50_000, ge=1)
    """decisions between two snapshots"""
    network: Network = Network()
    train_batch: int = Setting(default=8192, ge=1)
    """decisions of all seats between two updates"""
    minibatch: int = Setting(default=1024, ge=1)
    epochs: int = Setting(default=4, ge=1)
    learning_rate: float = Setting(default=5e-4, gt=0)
    final_learning_rate: float = Setting(default=1e-4, ge=0)
    """reached at about the end, linearly"""
    gamma: float = Setting(default=1.0, gt=0, le=1)
    lam: float = Setting(default=0.95, ge=0, le=1)
    clip: float = Setting(default=0.2, gt=0)
    entropy: float = Setting(default=0.01, ge=0)
    value_weight: float = Setting(default=0.01, ge=0)
    """of the value's loss; rewards are whole points, and its gradient would drown the policy's"""
    max_grad_norm: float = Setting(default=0.5, gt=0)
    save_every: int = Setting(default=200_000, ge=1)
    final_fields: tuple[str, ...] = ("random",)
    """opponents of the final evaluation: the learner at a table full of each, single rounds"""
    final_deals: int = Setting(default=500, ge=1)

    @property
    def past_modules(self) -> list[str]:
        """The modules of earlier versions, if the pool has any."""
        return [f"{PAST}_{slot}" for slot in range(self.past_selves)] if PAST in self.pool else []


class NumberedMatches(RLlibCallback):  # type: ignore[misc]  # RLlib's classes are untyped
    """Replaces the random ids that RLlib gives matches, so that line-ups repeat from a seed."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def on_episode_created(self, *, episode: Any, env_runner: Any, **_: Any) -> None:
        """Number a match among those of its env runner, before RLlib notes the id anywhere."""
        self.count += 1
        episode.id_ = f"{env_runner.worker_index or 0}-{self.count}"


class Seating:
    """Draws who plays which seat of a match: RLlib's mapping from agents to modules."""

    def __init__(self, seats: int, self_play: float, pool: list[list[str]], seed: int) -> None:
        self.seats, self.self_play, self.pool, self.seed = seats, self_play, pool, seed

    def __call__(self, agent_id: str, episode: Any, **_: Any) -> str:
        """The module of a seat: a function of the match's id, as RLlib asks seat by seat."""
        return self.line_up(episode.id_)[int(agent_id.rpartition("_")[2])]

    def line_up(self, match: str) -> list[str]:
        """The modules of all seats of a match."""
        draw = np.random.default_rng([self.seed, *match.encode()])
        if not self.pool or draw.random() < self.self_play:
            return [LEARNER] * self.seats
        kind = self.pool[draw.integers(len(self.pool))]
        line_up = [kind[draw.integers(len(kind))]] * self.seats
        line_up[draw.integers(self.seats)] = LEARNER
        return line_up


def module_specs(config: RllibConfig) -> dict[str, RLModuleSpec]:
    """The learner, its earlier versions and the built-in opponents, by module id."""
    network = config.network.model_dump(mode="json")
    specs = {
        name: RLModuleSpec(module_class=MaskedTowers, model_config=network)
        for name in (LEARNER, *config.past_modules)
    }
    for name in set(config.pool) - {PAST}:
        load_opponent(name, game=config.game)  # a wrong name should not end in a worker
        settings = {"game": config.game, "opponent": name}
        specs[name] = RLModuleSpec(module_class=OpponentModule, model_config=settings)
    return specs


def last_step(config: RllibConfig) -> int:
    """About how many steps of its environments RLlib will have counted at the end of the run."""
    game = get_game(config.game)
    players: int = game.make_rules(config.rules).num_players
    own = config.self_play + (1 - config.self_play) / players if config.pool else 1.0
    deciding = players if game.simultaneous else 1
    return math.ceil(config.total_decisions / (own * deciding))


def ppo(config: RllibConfig) -> PPOConfig:
    """RLlib's configuration of the run."""
    if "reward" in config.rules:
        raise ConfigError("reward is a setting of the run, not one of its rules")
    rules = get_game(config.game).make_rules({**config.rules, "reward": config.reward})
    specs = module_specs(config)
    pool = [config.past_modules if name == PAST else [name] for name in config.pool]
    seating = Seating(
        rules.num_players, config.self_play, pool, derive_seed(config.seed, "seating")
    )
    return (
        PPOConfig()
        .environment(
            MultiAgentMatch,
            env_config={"game": config.game, "reward": config.reward, **config.rules},
        )
        .env_runners(
            num_env_runners=config.num_env_runners,
            num_envs_per_env_runner=config.envs_per_env_runner,
        )
        .callbacks(NumberedMatches)
        .multi_agent(
            policies=set(specs),
            policy_mapping_fn=seating,
            policies_to_train=[LEARNER],
            count_steps_by="agent_steps",
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=specs))
        .training(
            train_batch_size_per_learner=config.train_batch,
            minibatch_size=config.minibatch,
            num_epochs=config.epochs,
            lr=[[0, config.learning_rate], [last_step(config), config.final_learning_rate]],
            gamma=config.gamma,
            lambda_=config.lam,
            clip_param=config.clip,
            vf_loss_coeff=config.value_weight,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            entropy_coeff=config.entropy,
            grad_clip=config.max_grad_norm,
            grad_clip_by="global_norm",
        )
        .fault_tolerance(restart_failed_env_runners=config.restart_failed)
        .debugging(seed=config.seed, log_level="ERROR")
    )


@contextmanager
def running(config: RllibConfig) -> Iterator[Algorithm]:
    """The algorithm of a run; on leaving, everything that was started is stopped.

    Raises ``ConfigError`` if there are too few cores, for which Ray would wait without an end.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported unless asked for
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    here = {
        "num_cpus": max(1, config.num_env_runners),
        "object_store_memory": OBJECT_STORE,
        "include_dashboard": False,
    }
    ray.init(
        address=config.address or "local",
        log_to_driver=False,
        logging_level="ERROR",
        **({} if config.address else here),
    )
    try:
        cores = int(ray.cluster_resources().get("CPU", 0))
        if cores < config.num_env_runners:
            raise ConfigError(
                f"num_env_runners is {config.num_env_runners}, but the cluster has {cores} cores"
            )
        algorithm = ppo(config).build_algo()
        try:
            yield algorithm
        finally:
            algorithm.stop()
    finally:
        ray.shutdown()


def snapshot(algorithm: Algorithm, module: str) -> None:
    """Make a module that is not trained a copy of the learner, wherever it is kept."""
    weights = {module: module_state(algorithm, LEARNER)}
    algorithm.set_state({"learner_group": {"learner": {"rl_module": weights}}})
    # Not sync_weights: env runners ignore weights that carry the number of those they have.
    algorithm.env_runner_group.foreach_env_runner(
        lambda runner: runner.set_state({"rl_module": weights})
    )


class Run:
    """A training: what it has done, and how it is saved and judged."""

    def __init__(self, config: RllibConfig, folder: Path, algorithm: Algorithm) -> None:
        self.config, self.folder, self.algorithm = config, folder, algorithm
        self.game, self.decisions, self.snapshots = get_game(config.game), 0, 0
        self.generator = np.random.default_rng(derive_seed(config.seed, "past"))
        for module in config.past_modules:
            snapshot(algorithm, module)

    def advance(self) -> dict[str, float]:
        """One iteration of RLlib, sampling and learning; gives what is worth watching."""
        result = self.algorithm.train()
        loss, played = result["learners"][LEARNER], result["env_runners"]
        terms = {
            "policy_loss": float(loss["policy_loss"]),
            "value_loss": float(loss["vf_loss"]),
            "entropy": float(loss["entropy"]),
        }
        check_finite(terms, step=self.decisions, run=self.folder)
        before = self.decisions
        self.decisions = int(played["num_module_steps_sampled_lifetime"][LEARNER])
        if passed(before, self.decisions, self.config.past_every):
            self.keep_self()
        if passed(before, self.decisions, self.config.save_every):
            self.save()
        return terms

    def keep_self(self) -> None:
        """Fill the slots of earlier versions in order; then each replaces a random one."""
        slots = self.config.past_modules
        if slots:
            full = self.snapshots >= len(slots)
            slot = int(self.generator.integers(len(slots))) if full else self.snapshots
            snapshot(self.algorithm, slots[slot])
            self.snapshots += 1

    def network(self) -> TowersNet:
        """A copy of the learner's network as it is now."""
        state = module_state(self.algorithm, LEARNER)
        return towers_from_state(state, self.game, self.config.network.activation)

    def save(self, results: dict[str, Any] | None = None) -> Path:
        """Write the checkpoint ``latest``, which needs no RLlib to play."""
        training = {"script": "train.rllib", "decisions": self.decisions, "ray": ray.__version__}
        training["config"] = self.config.model_dump(mode="json")
        path = self.folder / "latest"
        save_towers(path, self.network(), self.game, training, results)
        return path

    def judge(self) -> list[MatchResult]:
        """The learner, greedy, against a table full of each of the final opponents."""
        agent = TorchAgent(self.game, self.network(), self.config.name)
        rules = {**self.config.rules, "num_rounds": 1}
        fields, deals = self.config.final_fields, self.config.final_deals
        seed = derive_seed(self.config.seed, "final")
        return against_fields(agent, fields, self.game, rules, deals, seed)


def train(config: RllibConfig) -> Path:
    """Run a training to its end, to Ctrl-C, or to the first non-finite loss."""
    torch.set_num_threads(1)
    folder = run_folder("rllib", config.name)
    save_resolved(config, folder)
    with (
        running(config) as algorithm,
        RunLog(folder, config.total_decisions) as log,
        StopSignal() as stop,
    ):
        run = Run(config, folder, algorithm)
        while run.decisions < config.total_decisions and not stop.requested:
            log.log(run.decisions, run.advance())
        path = run.save()
        if run.decisions >= config.total_decisions:
            results = run.judge()
            run.save({"fields": [result.to_dict() for result in results]})
    if run.decisions < config.total_decisions:
        print(f"stopped at {run.decisions:,} decisions: {path}")
    else:
        print_results(results, path)
    return folder


def main() -> None:
    """Read the settings and train."""
    config = load_config(RllibConfig)
    with readable_errors():
        train(config)


if __name__ == "__main__":
    main()
