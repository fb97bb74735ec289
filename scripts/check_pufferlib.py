"""What PufferLib does with these environments: ``python -m scripts.check_pufferlib``.

Its emulation with random legal actions (are masks kept, do games differ, how fast), then a short
self-play run of its trainer, kept as a checkpoint that ``sixth-env match`` plays.

PufferLib packs observation and mask into one array of bytes; its policies unpack them and have to
mask their logits themselves. Its trainer cuts every reward to [-1, 1].
Its worker i starts its game j from seed + i + j, so that games of several workers share deals.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Any

import gymnasium
import numpy as np
import pufferlib.pytorch
import pufferlib.vector
import torch
from pettingzoo.utils.wrappers import BaseParallelWrapper
from pufferlib.emulation import GymnasiumPufferEnv, PettingZooPufferEnv
from pufferlib.pufferl import PuffeRL
from torch import Tensor, nn

from agents.checkpoint import save
from agents.torch_agent import card_for, load
from agents.towers import TowerSettings, TowersNet
from sixth_env import GAMES, sixth_card_v0
from train.evaluate import against_fields, print_results

GAME = GAMES["sixth_card"]
RULES: dict[str, Any] = {"num_players": 4, "num_rounds": 1}
RUNS = Path("runs/pufferlib")
TRAINER = {
    "seed": 1,
    "torch_deterministic": True,
    "cpu_offload": False,
    "device": "cpu",
    "use_rnn": False,
    "compile": False,
    "precision": "float32",
    "optimizer": "adam",
    "learning_rate": 1e-3,
    "anneal_lr": True,
    "adam_beta1": 0.9,
    "adam_beta2": 0.999,
    "adam_eps": 1e-8,
    "total_timesteps": 400_000,
    "batch_size": "auto",
    "bptt_horizon": 16,
    "minibatch_size": 1024,
    "max_minibatch_size": 1024,
    "update_epochs": 2,
    "gamma": 1.0,
    "gae_lambda": 0.95,
    "clip_coef": 0.2,
    "vf_coef": 0.5,
    "vf_clip_coef": 0.2,
    "max_grad_norm": 0.5,
    "ent_coef": 0.01,
    "vtrace_rho_clip": 1.0,
    "vtrace_c_clip": 1.0,
    "prio_alpha": 0.0,
    "prio_beta0": 1.0,
    "checkpoint_interval": 10**9,
    "data_dir": str(RUNS / "trainer"),
}


class Training(BaseParallelWrapper):  # type: ignore[misc]  # PettingZoo has no types
    """Rewards small enough not to be cut, and no infos, all of which PufferLib would log."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """As the wrapped environment's."""
        observations, _ = self.env.reset(seed=seed, options=options)
        return observations, {}

    def step(self, actions: dict[str, Any]) -> Any:
        """As the wrapped environment's, with rewards of 1 for 20 points."""
        observations, rewards, terminations, truncations, _ = self.env.step(actions)
        small = {agent: reward / 20 for agent, reward in rewards.items()}
        return observations, small, terminations, truncations, {}


def parallel(buf: Any = None, seed: int = 0) -> PettingZooPufferEnv:
    """Sixth Card, every seat an agent."""
    return PettingZooPufferEnv(env=sixth_card_v0.parallel_env(**RULES), buf=buf, seed=seed)


def solo(buf: Any = None, seed: int = 0) -> GymnasiumPufferEnv:
    """One seat against random opponents."""
    env = gymnasium.make("sixth_env/SixthCard-v0", opponents="random", **RULES)
    return GymnasiumPufferEnv(env=env, buf=buf, seed=seed)


def training(buf: Any = None, seed: int = 0) -> PettingZooPufferEnv:
    """What the trainer plays."""
    env = Training(sixth_card_v0.parallel_env(reward="relative", **RULES))
    return PettingZooPufferEnv(env=env, buf=buf, seed=seed)


def check(make: Any, backend: Any, steps: int, **options: Any) -> None:
    """Random legal play in four games at once; prints the speed."""
    vector = pufferlib.vector.make(make, backend=backend, num_envs=4, **options)
    packed, _ = vector.reset(seed=7)
    deals = len({game.tobytes() for game in packed.reshape(4, -1)})
    layout = vector.driver_env.emulated["emulated_observation_dtype"]
    rng = np.random.default_rng(0)
    ended, start = 0, process_time()
    for _ in range(steps):
        seen = packed.view(layout).reshape(-1)
        assert np.isfinite(seen["observation"]).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in seen["action_mask"]])
        packed, _, terminals, _, _ = vector.step(actions)
        ended += int(terminals.sum())
    speed = steps * len(packed) / (process_time() - start)
    vector.close()
    print(
        f"{make.__name__}, {backend.__name__}: {steps * len(packed):,} legal agent-steps, {ended}"
        f" ends, {deals} deals in 4 games of one seed, {speed:,.0f} a second of this process"
    )


class Policy(nn.Module):
    """Unpacks bytes (N, n) to observation and mask for two towers."""

    def __init__(self, emulated: dict[str, Any]) -> None:
        super().__init__()
        settings = TowerSettings(policy=(128, 128), value=(128, 128))
        self.towers = TowersNet(settings, GAME.table, GAME.num_actions)
        self.layout = pufferlib.pytorch.nativize_dtype(emulated)
        for parameter in self.parameters():
            if parameter.ndim == 2:
                nn.init.orthogonal_(parameter)
            else:
                nn.init.zeros_(parameter)

    def forward(self, packed: Tensor, state: Any = None) -> tuple[Tensor, Tensor]:
        """Masked logits (N, A) and value (N,)."""
        seen = pufferlib.pytorch.nativize_tensor(packed, self.layout)
        logits, value = self.towers(seen["observation"], seen["action_mask"])
        return logits, value

    forward_eval = forward


class Quiet(PuffeRL):  # type: ignore[misc]  # PufferLib has no types
    """The trainer without its dashboard."""

    def print_dashboard(self, *args: Any, **options: Any) -> None:
        """Print nothing."""


def learn() -> None:
    """Self-play in 64 games, then the network as a checkpoint at tables full of one opponent."""
    torch.manual_seed(1)
    vector = pufferlib.vector.make(training, backend=pufferlib.vector.Serial, num_envs=64)
    policy = Policy(vector.driver_env.emulated)
    trainer = Quiet(dict(TRAINER), vector, policy)
    start = process_time()
    while trainer.global_step < TRAINER["total_timesteps"]:
        trainer.evaluate()
        trainer.train()
    speed = trainer.global_step / (process_time() - start)
    trainer.utilization.stop()
    vector.close()
    print(f"{trainer.global_step:,} agent-steps learnt from, {speed:,.0f} a second")
    path = RUNS / "latest"
    save(path, tensors=policy.towers.state_dict(), card=card_for(GAME, policy.towers))
    fields = ("random", "closest")
    print_results(against_fields(load(path), fields, GAME, RULES, deals=500, seed=1), path)


def main() -> None:
    """Run all, a few minutes."""
    torch.set_num_threads(1)
    for make in (parallel, solo):
        make().reset(seed=0)  # compiled before it is measured
        check(make, pufferlib.vector.Serial, steps=1000)
        check(make, pufferlib.vector.Multiprocessing, steps=100, num_workers=2)
    learn()


if __name__ == "__main__":
    main()
