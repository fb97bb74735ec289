"""SuperSuit on the PettingZoo environments: vector environments keep the mask, wrappers too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from sixth_env import sixes_chips_v0, sixth_card_v0
from sixth_env.errors import IllegalActionError

supersuit = pytest.importorskip("supersuit")

# SuperSuit forks its workers, of which Python 3.12 and later warn where torch has threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")

PLAYERS, GAMES = 4, 2
ROWS = PLAYERS * GAMES


@pytest.fixture(
    params=[("gymnasium", 1), ("gymnasium", 2), ("stable_baselines3", 1), ("stable_baselines3", 2)]
)
def vector(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Two games in one vector environment, in this process or in two others."""
    base_class, cpus = request.param
    if base_class == "stable_baselines3":
        pytest.importorskip("stable_baselines3")
    env = supersuit.concat_vec_envs_v1(
        supersuit.pettingzoo_env_to_vec_env_v1(parallel_env()),
        GAMES,
        num_cpus=cpus,
        base_class=base_class,
    )
    yield env
    env.close()


def parallel_env() -> Any:
    return sixth_card_v0.parallel_env(num_players=PLAYERS, num_rounds=1)


def first(vector: Any, seed: int) -> dict[str, NDArray[Any]]:
    """The first observations of a seed; SuperSuit's SB3 class cannot pass one on."""
    observations: dict[str, NDArray[Any]] = getattr(vector, "venv", vector).reset(seed=seed)[0]
    return observations


def legal(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def test_masks_and_ends_reach_the_learner_for_1000_steps(vector: Any) -> None:
    rng = np.random.default_rng(0)
    observations, ends = first(vector, seed=3), 0
    for _ in range(1000):
        masks = observations["action_mask"]
        assert masks.shape == (ROWS, 57)
        assert masks.any(axis=1).all()
        observations, rewards, *done, infos = vector.step(legal(masks, rng))
        for row in range(ROWS):
            np.testing.assert_array_equal(
                infos[row]["action_mask"], observations["action_mask"][row]
            )
            if any(flag[row] for flag in done):
                ends += 1
                assert sum(infos[row]["totals"]) > 0
        assert np.isfinite(observations["observation"]).all()
        assert (rewards <= 0).all()
    assert ends >= 60 * PLAYERS


def test_games_of_one_seed_differ_and_repeat(vector: Any) -> None:
    observations = first(vector, seed=5)["observation"].copy()
    again = first(vector, seed=5)["observation"]
    np.testing.assert_array_equal(observations, again)
    assert not np.array_equal(observations[:PLAYERS], observations[PLAYERS:])


@pytest.mark.parametrize(
    "wrap",
    [
        supersuit.pad_action_space_v0,
        supersuit.clip_reward_v0,
        lambda env: supersuit.reward_lambda_v0(env, lambda reward: reward / 10),
        lambda env: supersuit.observation_lambda_v0(
            env, lambda seen, space: seen["observation"], lambda space: space["observation"]
        ),
    ],
    ids=["pad_action_space", "clip_reward", "reward_lambda", "observation_lambda"],
)
@pytest.mark.parametrize(
    "make", [parallel_env, lambda: sixes_chips_v0.env(num_players=PLAYERS)], ids=["rows", "chips"]
)
def test_wrappers_that_leave_the_mask_alone(
    wrap: Callable[[Any], Any], make: Callable[[], Any]
) -> None:
    env, rng = wrap(make()), np.random.default_rng(0)
    play = play_parallel if isinstance(env, ParallelEnv) else play_aec
    seen = play(env, rng)
    assert env.observation_space("player_0").contains(seen)


def play_parallel(env: Any, rng: np.random.Generator) -> Any:
    observations, infos = env.reset(seed=1)
    while env.agents:
        actions = {a: int(legal(infos[a]["action_mask"][None], rng)[0]) for a in env.agents}
        observations, *_, infos = env.step(actions)
    return observations["player_0"]


def play_aec(env: Any, rng: np.random.Generator) -> Any:
    env.reset(seed=1)
    for _ in env.agent_iter():
        seen, _, terminated, truncated, info = env.last()
        done = terminated or truncated
        env.step(None if done else int(legal(info["action_mask"][None], rng)[0]))
    return seen


def test_masked_learners_need_the_native_vector_environment() -> None:
    """Why this project has one: SuperSuit's hides the question that MaskablePPO asks."""
    contrib = pytest.importorskip("sb3_contrib")
    env = supersuit.concat_vec_envs_v1(
        supersuit.pettingzoo_env_to_vec_env_v1(parallel_env()), 1, base_class="stable_baselines3"
    )
    with pytest.raises(AttributeError, match="has_attr"):
        contrib.MaskablePPO("MultiInputPolicy", env, n_steps=8, batch_size=8).learn(8)


def test_an_unmasked_learner_is_refused_and_not_repaired() -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    env = supersuit.concat_vec_envs_v1(
        supersuit.pettingzoo_env_to_vec_env_v1(parallel_env()), 1, base_class="stable_baselines3"
    )
    with pytest.raises(IllegalActionError, match="legal now"):
        sb3.PPO("MultiInputPolicy", env, n_steps=64, batch_size=64).learn(64)
