"""MaskablePPO of sb3-contrib on the batch engine, for every game of the family.

    python -m train.sb3 configs/sb3/sixth_card.toml

The learner has one seat in each game, against opponents drawn for every match; with no opponents
it plays every seat, and rows in which a seat only waits are left out of what it learns from. The
algorithm is the library's own. What it learns is written as a checkpoint of this project.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field as Setting

from agents import load
from agents.from_sb3 import save_model
from sixth_env.adapters.sb3 import DecisionBuffer, SelfPlayVecEnv, SoloVecEnv
from sixth_env.errors import ConfigError
from sixth_env.games import get_game
from sixth_env.opponents.custom import resolve_opponent
from sixth_env.solo import Mix
from train.config import MAX_THREADS, Config, load_config, readable_errors, save_resolved
from train.evaluate import against_fields, print_results
from train.runs import RunLog, StopSignal, check_finite, derive_seed, run_folder

# isort: split
# Last, so that it is the adapter that says which extra to install where the library is missing.
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnvWrapper
from torch import nn


class Sb3Config(Config):
    """Settings of a run."""

    game: str = "sixth_card"
    name: str = "sb3"
    """name of the run: its folder is runs/sb3/NAME"""
    seed: int = 1
    total_timesteps: int = Setting(default=2_000_000, ge=1)
    """rows to play, which are decisions but for the rows that wait in self-play"""
    games: int = Setting(default=256, ge=1)
    """games played at once"""
    rules: dict[str, int | str | bool] = {}
    """the game's own options, such as num_players"""
    opponents: tuple[str, ...] = ()
    """who may play the other seats, a table full of one of them drawn for every match: built-ins
    or checkpoint folders; none: the learner plays every seat"""
    skip_forced: bool = False
    """with opponents: leave decisions with one legal action out"""
    reward: Literal["penalty", "relative", "win", "chips", "points"] = "relative"
    reward_scale: float = Setting(default=0.1, gt=0)
    policy: tuple[int, ...] = (128, 128)
    """units of the policy's hidden layers"""
    value: tuple[int, ...] = (128, 128)
    """units of the value's hidden layers"""
    activation: Literal["tanh", "relu"] = "relu"
    n_steps: int = Setting(default=16, ge=1)
    """steps of every game between two updates"""
    n_epochs: int = Setting(default=2, ge=1)
    batch_size: int = Setting(default=1024, ge=1)
    learning_rate: float = Setting(default=1e-3, gt=0)
    final_learning_rate: float = Setting(default=1e-4, ge=0)
    """reached at the end, linearly"""
    gamma: float = Setting(default=1.0, gt=0, le=1)
    gae_lambda: float = Setting(default=0.95, ge=0, le=1)
    clip_range: float = Setting(default=0.2, gt=0)
    ent_coef: float = Setting(default=0.01, ge=0)
    vf_coef: float = Setting(default=0.5, ge=0)
    max_grad_norm: float = Setting(default=0.5, gt=0)
    threads: int = Setting(default=1, ge=1, le=MAX_THREADS)
    """torch threads"""
    save_every: int = Setting(default=500_000, ge=1)
    """rows between two checkpoints"""
    evaluate_rules: dict[str, int | str | bool] = {"num_rounds": 1}
    """options that differ in the matches at the end"""
    fields: tuple[str, ...] = ("random",)
    """opponents of the matches at the end: the learner at a table full of each"""
    deals: int = Setting(default=500, ge=1)


class ScaledReward(VecEnvWrapper):
    """Rewards times a factor: large ones would drown the policy where gradients are clipped.

    The returns in the infos stay in the game's own unit.
    """

    def __init__(self, venv: SoloVecEnv | SelfPlayVecEnv, factor: float) -> None:
        super().__init__(venv)
        self.factor = np.float32(factor)

    def reset(self) -> Any:
        """As the wrapped environment's."""
        return self.venv.reset()

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """As the wrapped environment's, with scaled rewards."""
        observation, reward, done, infos = self.venv.step_wait()
        return observation, reward * self.factor, done, infos


class Progress(BaseCallback):
    """Logs each update, stops at a signal or a loss that is not finite, and saves checkpoints."""

    def __init__(self, config: Sb3Config, run: Path, log: RunLog, stop: StopSignal) -> None:
        super().__init__()
        self.config, self.run, self.log, self.stop = config, run, log, stop
        self.saved = 0

    def _on_step(self) -> bool:
        return not self.stop.requested

    def _on_rollout_start(self) -> None:
        """Called before each rollout but the first with what the last update has told."""
        values = self.logger.name_to_value
        terms = {k: float(v) for k, v in values.items() if k.startswith("train/")}
        if not terms:
            return
        check_finite(terms, step=self.num_timesteps, run=self.run)
        recent = [episode["r"] for episode in self.model.ep_info_buffer or []]
        show = {"return": float(np.mean(recent))} if recent else {}
        self.log.log(self.num_timesteps, {**terms, **show}, show=show)
        if self.num_timesteps // self.config.save_every > self.saved:
            self.saved = self.num_timesteps // self.config.save_every
            save_run(self.model, self.config, self.run)


def make_env(config: Sb3Config) -> SoloVecEnv | SelfPlayVecEnv:
    """The games: against opponents if there are any, else in self-play."""
    seed, rules = derive_seed(config.seed, "games") % 2**32, dict[str, Any](config.rules)
    if "reward" in rules:
        raise ConfigError("reward is a setting of the run, not one of its rules")
    if not config.opponents:
        return SelfPlayVecEnv(config.game, config.games, seed=seed, reward=config.reward, **rules)
    return SoloVecEnv(
        config.game,
        config.games,
        opponents=Mix(config.opponents, together=True),
        skip_forced=config.skip_forced,
        seed=seed,
        reward=config.reward,
        **rules,
    )


def make_model(config: Sb3Config, env: SoloVecEnv | SelfPlayVecEnv) -> MaskablePPO:
    """The library's algorithm with the settings of the run."""
    rate = LinearSchedule(config.learning_rate, config.final_learning_rate, 1.0)
    self_play = isinstance(env, SelfPlayVecEnv)
    return MaskablePPO(
        "MlpPolicy",
        ScaledReward(env, config.reward_scale),
        learning_rate=rate,
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.ent_coef,
        vf_coef=config.vf_coef,
        max_grad_norm=config.max_grad_norm,
        rollout_buffer_class=DecisionBuffer if self_play else None,
        policy_kwargs={
            "net_arch": {"pi": list(config.policy), "vf": list(config.value)},
            "activation_fn": nn.Tanh if config.activation == "tanh" else nn.ReLU,
        },
        seed=derive_seed(config.seed, "model") % 2**32,
        device="cpu",
    )


def save_run(model: Any, config: Sb3Config, run: Path, results: Any = None) -> Path:
    """Write the checkpoint ``latest``, and the model as the library's own ``model.zip``."""
    training = {
        "script": "train.sb3",
        "timesteps": model.num_timesteps,
        "config": config.model_dump(mode="json"),
    }
    save_model(run / "latest", model, config.game, training, results)
    model.save(run / "model.zip")
    return run / "latest"


def train(config: Sb3Config) -> Path:
    """Run a training to its end, to Ctrl-C, or to the first loss that is not finite."""
    torch.set_num_threads(config.threads)
    for name in config.fields:
        resolve_opponent(name, config.game)  # a wrong name should not wait for the end
    env = make_env(config)
    model = make_model(config, env)
    run = run_folder("sb3", config.name)
    save_resolved(config, run)
    started = time.process_time()
    with RunLog(run, config.total_timesteps) as log, StopSignal() as stop:
        model.learn(
            config.total_timesteps,
            callback=Progress(config, run, log, stop),
            log_interval=None,  # type: ignore[arg-type]
        )
    print(speed(env, model.num_timesteps, time.process_time() - started))
    save_run(model, config, run)
    # From here on it is the checkpoint that plays, as anybody would load it.
    rules = {**config.rules, **config.evaluate_rules}
    number, game = derive_seed(config.seed, "final"), get_game(config.game)
    agent = load(run / "latest")
    results = against_fields(agent, config.fields, game, rules, config.deals, number)
    path = save_run(model, config, run, {"fields": [result.to_dict() for result in results]})
    print_results(results, path)
    return run


def speed(env: SoloVecEnv | SelfPlayVecEnv, rows: int, seconds: float) -> str:
    """How fast it learnt, in decisions; rows that waited are told apart."""
    decisions = env.decisions if isinstance(env, SelfPlayVecEnv) else rows
    waited = f" (and {rows - decisions:,} rows that waited)" if rows > decisions else ""
    return (
        f"{decisions:,} decisions{waited} in {seconds:.0f} s of processor time:"
        f" {decisions / seconds:,.0f} decisions/s, learning included"
    )


def main() -> None:
    """Read the settings and train."""
    config = load_config(Sb3Config)
    with readable_errors():
        train(config)


if __name__ == "__main__":
    main()
