"""Stable-Baselines3 and sb3-contrib, the real ones: environments, learning, opponents, files."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra sb3")

import torch
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

from sixth_env import GAMES
from sixth_env.adapters.sb3 import (
    SelfPlayVecEnv,
    SoloVecEnv,
)
from sixth_env.errors import (
    ConfigError,
    IllegalActionError,
)
from sixth_env.solo import SoloEnv
from tests.envs import same

pytestmark = pytest.mark.global_random  # SB3 seeds the global generators
every_game = pytest.mark.parametrize("game", list(GAMES))
SHORT: dict[str, Any] = {"num_rounds": 1}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def act(env: Any, salt: int = 0) -> Any:
    """A legal action for each row, by its mask alone."""
    mask = get_action_masks(env).astype(np.int64)
    number = (mask @ np.arange(1, mask.shape[1] + 1) + salt) % mask.sum(axis=1)
    return ((mask.cumsum(axis=1) > number[:, None]) & (mask > 0)).argmax(axis=1)


def play(env: Any, steps: int) -> list[Any]:
    found = [env.reset()]
    for number in range(steps):
        found.append((*env.step(act(env, number)), get_action_masks(env)))
    return found


# --- Environments --------------------------------------------------------------------------------


def make_solo(game: str, **options: Any) -> SoloVecEnv:
    return SoloVecEnv(game, 6, opponents="random", seed=0, **SHORT, **options)


def make_self_play(game: str, **options: Any) -> SelfPlayVecEnv:
    return SelfPlayVecEnv(game, 3, seed=0, **SHORT, **options)


both_kinds = pytest.mark.parametrize("make", [make_solo, make_self_play])


@both_kinds
@every_game
def test_the_contract_of_a_vector_environment(game: str, make: Callable[..., Any]) -> None:
    env: Any = make(game)
    assert is_masking_supported(env)
    observations, returns, ends = [env.reset()], np.zeros(env.num_envs), 0
    lengths = np.zeros(env.num_envs, int)
    for number in range(80):
        waiting = get_action_masks(env)[:, -1]
        seen, reward, done, infos = env.step(act(env, number))
        assert (seen.dtype, reward.dtype, done.dtype) == (np.float32, np.float32, np.bool_)
        assert get_action_masks(env).any(axis=1).all()
        assert np.isfinite(seen).all()
        observations.append(seen)
        returns += reward
        lengths += ~waiting
        for row in range(env.num_envs):
            assert seen[row] in env.observation_space
            assert done[row] == bool(infos[row])
            if done[row]:
                ends += 1
                assert infos[row]["episode"]["r"] == pytest.approx(returns[row])
                assert infos[row]["episode"]["l"] == lengths[row]
                assert infos[row]["TimeLimit.truncated"] is False
                assert not same(infos[row]["terminal_observation"], seen[row])
                returns[row] = lengths[row] = 0
    assert ends > 3
    assert len({id(array) for array in observations}) == len(observations)
    assert len({id(info) for info in infos}) == env.num_envs


@both_kinds
def test_seeds(make: Callable[..., Any]) -> None:
    env = make("sixth_card")
    first = play(env, 15)
    env.seed(0)
    again = play(env, 15)
    assert same([step[:3] for step in first[1:]], [step[:3] for step in again[1:]])
    assert not same(env.reset(), first[0])  # the stream goes on
    assert len({row.tobytes() for row in first[0]}) == env.num_envs
    env.seed(1)
    assert not same(env.reset(), first[0])


def test_self_play_pays_every_seat_its_own_score() -> None:
    for game in GAMES:
        env = make_self_play(game)
        env.reset()
        last = totals_before_restarts(env)
        paid, ends = np.zeros(env.num_envs), 0
        for number in range(120):
            _, reward, done, _ = env.step(act(env, number))
            paid += reward
            if done.any():
                right = last[-1] - 10 if game == "sixes_chips" else -last[-1]
                assert paid[done] == pytest.approx(right.reshape(-1)[done])
            ends += int(done.sum())
            paid[done] = 0
        assert ends > 10


def totals_before_restarts(env: SelfPlayVecEnv) -> list[Any]:
    """Fills with the totals (B, P) of all games whenever some are about to start anew."""
    restart, players = env.engine.restart, env.engine.num_players
    found: list[Any] = []

    def noted(over: Any) -> None:
        found.append(env.engine.states["totals"][:, :players].copy())
        restart(over)

    env.engine.restart = noted  # type: ignore[assignment]
    return found


def test_rows_that_wait_are_told_apart() -> None:
    env = make_self_play("sixes_golf")
    env.reset()
    played = 0
    for number in range(30):
        acting = ~env.masks[:, -1]
        assert acting.reshape(3, 4).sum(axis=1).tolist() == [1, 1, 1]
        env.step(act(env, number))
        played += 3
        assert env.decisions == played
    wrong = act(env)
    row = int(np.flatnonzero(env.masks[:, -1])[0])
    wrong[row] = 0
    with pytest.raises(IllegalActionError, match=f"player_{row % 4} of game {row // 4} may not"):
        env.step(wrong)
    with pytest.raises(IllegalActionError, match=r"integers of shape \(12,\)"):
        env.step(np.zeros((3, 4), np.int64))


def test_truncation_is_told_apart() -> None:
    env = SoloVecEnv("sixes_golf", 8, opponents="random", seed=0, num_rounds=1, max_turns=2)
    found = play(env, 40)
    ends = [info for step in found[1:] for info in step[3] if info]
    assert {info["TimeLimit.truncated"] for info in ends} >= {True}


@both_kinds
@pytest.mark.parametrize("copier", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_identically(make: Callable[..., Any], copier: Callable[[Any], Any]) -> None:
    env = make("sixth_card")
    play(env, 7)
    twin = copier(env)
    for number in range(30):
        step, other = env.step(act(env, number)), twin.step(act(twin, number))
        assert same(step[:3], other[:3])
        assert same(get_action_masks(env), get_action_masks(twin))


def test_what_rows_do_not_have() -> None:
    env = make_solo("sixth_card")
    assert not env.has_attr("nothing")
    with pytest.raises(AttributeError):
        env.env_method("reset")
    with pytest.raises(AttributeError, match="no 'x' to set"):
        env.set_attr("x", 1)
    assert len(env.env_method("action_masks", indices=[1, 2])) == 2
    with pytest.raises(ConfigError, match="no option 'threads'"):
        SoloVecEnv("sixth_card", 2, threads=2)
    with pytest.raises(ConfigError, match="no option 'first_index'"):
        SelfPlayVecEnv("sixth_card", 2, first_index=2)


class Worker:
    """Makes a single environment; a class, so that spawned workers can unpickle it."""

    def __call__(self) -> SoloEnv:
        return SoloEnv(opponents="random", num_rounds=1)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes(method: str) -> None:
    here = DummyVecEnv([Worker() for _ in range(3)])
    there = SubprocVecEnv([Worker() for _ in range(3)], start_method=method)
    try:
        found = []
        for env in (here, there):
            assert is_masking_supported(env)
            env.seed(11)
            found.append(play(env, 12))
        first = found[0][0]["observation"]
        assert len({row.tobytes() for row in first}) == 3
        assert same(dict(found[0][0]), dict(found[1][0]))
        for a, b in zip(found[0][1:], found[1][1:], strict=True):
            assert a[1].tolist() == b[1].tolist()  # float32 and float64
            assert same((dict(a[0]), a[2], a[4]), (dict(b[0]), b[2], b[4]))
    finally:
        there.close()
