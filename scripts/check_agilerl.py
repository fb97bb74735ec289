"""What AgileRL does with these environments: ``python -m scripts.check_agilerl``.

Its multi-agent vector environment with random legal actions, its multi-agent algorithms choosing
actions, and a short run of its PPO on the Gymnasium vector environment.

AgileRL takes masks from the infos alone and refuses a mask in a multi-agent observation: hence the
one wrapper here, from SuperSuit, which AgileRL installs itself.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import gymnasium
import numpy as np
import supersuit
import torch
from agilerl.algorithms import IPPO, MADDPG, MATD3, PPO
from agilerl.rollouts.on_policy import collect_rollouts
from agilerl.vector import AsyncPettingZooVecEnv, PzDummyVecEnv
from gymnasium.wrappers.vector import TransformReward
from numpy.typing import NDArray

from sixth_env import GAMES, sixth_card_v0
from sixth_env.match.play import play_field
from sixth_env.opponents import load_opponent

GAME = GAMES["sixth_card"]
RULES: dict[str, Any] = {"num_players": 4, "num_rounds": 1}
LAST = ("last_obs", "last_done", "last_scores", "last_info")  # handed from rollout to rollout


def full() -> Any:
    """Sixth Card with the mask in the observation as well."""
    return sixth_card_v0.parallel_env(**RULES)


def plain() -> Any:
    """Sixth Card with the mask in the infos alone."""
    return supersuit.observation_lambda_v0(
        full(), lambda seen, space: seen["observation"], lambda space: space["observation"]
    )


def check_random(make: Callable[[], Any], steps: int = 1000) -> None:
    """Random legal play in two worker processes; prints the speed of this one."""
    env = AsyncPettingZooVecEnv([make, make])
    _, infos = env.reset(seed=1)
    rng, start = np.random.default_rng(0), process_time()
    for _ in range(steps):
        actions = {
            agent: np.array(
                [rng.choice(np.flatnonzero(row)) for row in infos[agent]["action_mask"]]
            )
            for agent in env.agents
        }
        _, rewards, _, _, infos = env.step(actions)
        assert all(np.isfinite(reward).all() for reward in rewards.values())
    played = steps * 2 * len(env.agents)
    speed = played / (process_time() - start)
    env.close()
    print(f"{make.__name__}, random: {played:,} legal agent-steps, {speed:,.0f} a second")


def check_algorithm(kind: Any, vector: Callable[[], Any], steps: int = 100) -> None:
    """Let an untrained multi-agent algorithm act; prints how far it gets."""
    env = vector()
    agent = kind(
        [env.single_observation_space(name) for name in env.agents],
        [env.single_action_space(name) for name in env.agents],
        agent_ids=env.agents,
    )
    observations, infos = env.reset(seed=1)
    title = f"{kind.__name__}, {type(env).__name__}"
    try:
        for _ in range(steps):
            actions = agent.get_action(observations, infos=infos)[0]
            observations, *_, infos = env.step(actions)
        print(f"{title}: {steps} steps of legal actions")
    except (AssertionError, ValueError) as error:
        print(f"{title}: {type(error).__name__}: {error}")
    finally:
        env.close()


class MaskedIPPO(IPPO):  # type: ignore[misc]  # untyped here
    """IPPO for masks that are arrays; its update still knows nothing of them."""

    def extract_action_masks(self, infos: dict[str, Any]) -> dict[str, torch.Tensor]:
        """The masks (seats, games, A) of the one group that all seats are."""
        masks = np.array([infos[agent]["action_mask"] for agent in self.agent_ids])
        return {group: torch.as_tensor(masks) for group in self.observation_space}


class Learnt:
    """The trained policy as an opponent; AgileRL draws its actions."""

    name = "agilerl"

    def __init__(self, agent: PPO) -> None:
        self.agent = agent

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Any
    ) -> NDArray[np.int64]:
        """See ``sixth_env.Opponent``."""
        if np.issubdtype(observation.dtype, np.integer):
            observation = GAME.table.to_float(observation)
        self.agent.set_training_mode(False)
        seen = {"observation": observation, "action_mask": action_mask}
        actions = self.agent.get_action(seen, action_mask=action_mask)[0]
        return np.asarray(actions, np.int64)


def learn(steps: int = 300_000, num_envs: int = 64) -> None:
    """PPO in one seat against random opponents, then at tables full of one opponent."""
    env: Any = gymnasium.make_vec(
        "sixth_env/SixthCard-v0", num_envs=num_envs, opponents="random", **RULES
    )
    env = TransformReward(env, lambda points: points / 20)  # its value may move by 0.2 an update
    agent = PPO(
        env.single_observation_space,
        env.single_action_space,
        num_envs=num_envs,
        learn_step=num_envs * 64,
        batch_size=1024,
        lr=5e-4,
        gamma=1.0,
        ent_coef=0.01,
    )
    agent.set_training_mode(True)
    last: list[Any] = [None] * len(LAST)
    start = process_time()
    for _ in range(steps // (num_envs * 64)):
        _, *last = collect_rollouts(agent, env, 64, **dict(zip(LAST, last, strict=True)))
        agent.learn()
    print(f"PPO: {steps:,} decisions learnt from, {steps / (process_time() - start):,.0f} a second")
    env.close()
    for field in ("random", "closest"):
        others = [load_opponent(field)] * 3
        result = play_field(GAME.id, [Learnt(agent), *others], deals=500, seed=1, **RULES)
        gap = result.difference(0)
        print(f"points a round above {field}: {gap.value:+.2f} [{gap.low:+.2f}, {gap.high:+.2f}]")


def main() -> None:
    """Run all, a few minutes."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    check_random(full)
    check_random(plain)
    check_algorithm(IPPO, lambda: AsyncPettingZooVecEnv([full]))
    for kind in (MADDPG, MATD3, IPPO, MaskedIPPO):
        check_algorithm(kind, lambda: AsyncPettingZooVecEnv([plain, plain]))
        check_algorithm(kind, lambda: PzDummyVecEnv(plain()))
    learn()


if __name__ == "__main__":
    main()
