"""What Tianshou does with these environments, unmodified: ``python -m scripts.check_tianshou``.

Three parts: its AEC wrapper with random legal actions (are masks kept, how much of each seat's
reward is credited to it, how fast), DQN in one seat of that wrapper, and DQN on the Gymnasium
environment. Both learners are written as checkpoints that ``sixth-env match`` plays.

Tianshou hands a seat only the reward that arrives in the step in which that seat acts, and takes
the next seat's observation for its next one. Returns over whole rounds need neither: hence the
horizon of the DQN, which is longer than any round.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from tianshou.algorithm import DQN
from tianshou.algorithm.algorithm_base import OffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from agents.checkpoint import save
from agents.torch_agent import card_for, load
from agents.towers import TowerSettings, TowersNet
from sixth_env import GAMES, sixes_chips_v0, sixth_card_v0
from train.evaluate import against_fields, print_results

GAME = GAMES["sixth_card"]
RULES: dict[str, Any] = {"num_players": 4, "num_rounds": 1}
HORIZON = 64  # steps of a round: 4 x 10 cards and at most 10 row decisions
HIDDEN = (128, 128)
RUNS = Path("runs/tianshou")


class Match(PettingZooEnv):  # type: ignore[misc]  # untyped here
    """Tianshou's wrapper without infos: it cannot stack lists of several lengths.

    Such is the list of ``"winners"`` when matches with one winner and with several end together.
    """

    def step(self, action: Any) -> tuple[dict[str, Any], list[int], bool, bool, dict[str, Any]]:
        """As the wrapper's, with an empty info."""
        observation, rewards, terminated, truncated, _ = super().step(action)
        return observation, rewards, terminated, truncated, {}


def random_seat(env: Any) -> OffPolicyAlgorithm[Any]:
    """Tianshou's own player of random legal actions."""
    return MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)


def check_aec(make: Callable[[], PettingZooEnv], steps: int = 4_000) -> None:
    """Random legal play in four games at once; prints the speed and where the rewards went."""
    env = make()
    players = MultiAgentOffPolicyAlgorithm(
        algorithms=[random_seat(env) for _ in env.agents], env=env
    )
    buffer = VectorReplayBuffer(2 * steps, 4)
    collector = Collector[CollectStats](players, DummyVectorEnv([make] * 4), buffer)
    collector.reset()
    start = process_time()
    collector.collect(n_step=steps)
    speed = steps / (process_time() - start)
    batch = buffer[:]
    assert batch.obs.mask[np.arange(len(batch)), batch.act].all(), "an illegal action was played"
    assert np.isfinite(batch.obs.obs).all()
    seat = np.array([env.agent_idx[agent] for agent in batch.obs.agent_id])
    credited = batch.rew[np.arange(len(batch)), seat].sum()
    print(
        f"{env.env}: {len(batch):,} legal agent-steps, {speed:,.0f} a second; all rewards"
        f" {batch.rew.sum():+,.0f}, credited to the seat that acted {credited:+,.0f}"
    )


def dqn(env: Any, horizon: int) -> DQN[DiscreteQLearningPolicy[Net]]:
    """Double DQN with Monte-Carlo returns if the horizon outlasts an episode."""
    net = Net(state_shape=GAME.observation_size, action_shape=GAME.num_actions, hidden_sizes=HIDDEN)
    policy = DiscreteQLearningPolicy(
        model=net,
        action_space=env.action_space,
        observation_space=env.observation_space,
        eps_training=0.1,
    )
    return DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=5e-4),
        gamma=1.0,
        n_step_return_horizon=horizon,
        target_update_freq=200,
    )


def learn(
    algorithm: OffPolicyAlgorithm[Any], make: Callable[[], Any], epochs: int, epoch_steps: int
) -> None:
    """Train in 16 games at once; prints the speed with learning."""
    collector = Collector[CollectStats](
        algorithm, DummyVectorEnv([make] * 16), VectorReplayBuffer(100_000, 16)
    )
    collector.reset()
    collector.collect(n_step=5_000, random=False)
    start = process_time()
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            test_collector=None,
            max_epochs=epochs,
            epoch_num_steps=epoch_steps,
            collection_step_num_env_steps=64,
            batch_size=512,
            update_step_num_gradient_steps_per_sample=1 / 16,
            show_progress=False,
        )
    )
    steps = epochs * epoch_steps
    print(f"{steps:,} steps learnt from, {steps / (process_time() - start):,.0f} a second")


def keep(net: Net, name: str) -> None:
    """Write the values' network as a checkpoint and let it play tables full of one opponent."""
    towers = TowersNet(
        TowerSettings(policy=HIDDEN, value=(), activation="relu"), GAME.table, GAME.num_actions
    )
    for parameter in towers.value.parameters():
        torch.nn.init.zeros_(parameter)  # DQN has no value of a state of its own
    towers.policy.load_state_dict(net.model.model.state_dict())
    path = RUNS / name / "latest"
    save(path, tensors=towers.state_dict(), card=card_for(GAME, towers))
    agent = load(path)
    print_results(
        against_fields(agent, ("random", "closest"), GAME, RULES, deals=500, seed=1), path
    )


class MaskInside(gymnasium.Wrapper[Any, Any, Any, Any]):
    """The names under which Tianshou looks for an observation and its mask; infos as ``Match``."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        seen = env.observation_space["observation"]  # type: ignore[index]  # a Dict space
        self.observation_space = spaces.Dict(
            {"obs": seen, "mask": spaces.MultiBinary(GAME.num_actions)}
        )

    def reset(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """``{"obs": float32 (D,), "mask": bool (A,)}`` and an empty info."""
        observation, _ = self.env.reset(**options)
        return self._renamed(observation), {}

    def step(self, action: Any) -> Any:
        """As the wrapped environment's, with the observation of ``reset``."""
        observation, reward, terminated, truncated, _ = self.env.step(action)
        return self._renamed(observation), reward, terminated, truncated, {}

    def _renamed(self, seen: Any) -> dict[str, Any]:
        return {"obs": seen["observation"], "mask": seen["action_mask"] != 0}


def aec() -> Match:
    """Sixth Card, seat by seat."""
    return Match(sixth_card_v0.env(**RULES))


def chips() -> Match:
    """The chip game."""
    return Match(sixes_chips_v0.env(num_players=4))


def solo() -> gymnasium.Env[Any, Any]:
    """One seat of Sixth Card against random opponents."""
    return MaskInside(gymnasium.make("sixth_env/SixthCard-v0", opponents="random", **RULES))


def learn_aec() -> None:
    """DQN in one seat, random players in the others."""
    env = aec()
    learner = dqn(env, HORIZON)
    seats = [learner, *(random_seat(env) for _ in env.agents[1:])]
    learn(MultiAgentOffPolicyAlgorithm(algorithms=seats, env=env), aec, 2, 20_000)
    keep(learner.policy.model, "aec")


def learn_solo() -> None:
    """DQN on the Gymnasium environment, where a round is at most 20 decisions."""
    learner = dqn(solo(), 20)
    learn(learner, solo, 1, 20_000)
    keep(learner.policy.model, "solo")


def main() -> None:
    """Run all parts, a few minutes."""
    logging.getLogger("tianshou").setLevel(logging.ERROR)  # it warns of a reward for each seat
    torch.set_num_threads(1)
    torch.manual_seed(1)
    np.random.seed(1)  # Tianshou explores with the global generator
    check_aec(aec)
    check_aec(chips)
    learn_aec()
    learn_solo()


if __name__ == "__main__":
    main()
