"""The training script for Stable-Baselines3, and the measurement beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra sb3")

import agents
from sixth_env import GAMES
from sixth_env.adapters.sb3 import SelfPlayVecEnv, load_model
from sixth_env.errors import ConfigError, OpponentError
from train.config import read_config
from train.runs import NonFiniteError
from train.sb3 import Progress, Sb3Config, ScaledReward, make_env, make_model, train
from train.sb3_speed import OneAgentAfterAnother, learning_rate, ours

pytestmark = pytest.mark.global_random  # SB3 seeds the global generators
ROOT = Path(__file__).resolve().parents[1]


def small(**settings: Any) -> Sb3Config:
    defaults: dict[str, Any] = {
        "total_timesteps": 128, "games": 8, "n_steps": 8, "batch_size": 32, "n_epochs": 1,
        "policy": (16,), "value": (8, 8), "deals": 2, "save_every": 64,
        "rules": {"num_rounds": 1}, "opponents": ("random", "closest"),
    }  # fmt: skip
    return Sb3Config(**{**defaults, **settings})


@pytest.mark.parametrize("game", list(GAMES))
def test_the_settings_of_every_game_are_valid(game: str) -> None:
    config = read_config(Sb3Config, ROOT / f"configs/sb3/{game}.toml")
    assert config.game == game
    env = make_env(config.model_copy(update={"games": 4}))
    assert env.reset().shape == (4, GAMES[game].observation_size)


@pytest.mark.parametrize("opponents", [("random", "closest"), ()])
def test_a_run_ends_with_a_checkpoint_that_plays(
    opponents: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    run = train(small(name="try", opponents=opponents))
    told = capsys.readouterr().out
    assert "decisions/s, learning included" in told
    assert ("rows that waited" in told) == (not opponents)
    assert "sixth-env match runs/sb3/try/latest --against random" in told
    agent = agents.load(run / "latest")
    assert agent.name == "try"
    model = load_model(run / "model.zip", trust=True)
    assert model.num_timesteps >= 128
    card = json.loads((run / "latest" / "card.json").read_text())
    assert card["training"]["script"] == "train.sb3"
    assert card["network"]["policy"] == [16]
    assert card["results"]["fields"]
    assert read_config(Sb3Config, run / "config.json").name == "try"
    with pytest.raises(ConfigError, match="exists already"):
        train(small(name="try"))


def test_mistakes_are_found_before_the_training() -> None:
    with pytest.raises(OpponentError, match="unknown opponent 'nobody'"):
        train(small(fields=("nobody",)))
    with pytest.raises(OpponentError, match="unknown opponent 'nobody'"):
        train(small(opponents=("nobody",)))
    with pytest.raises(ConfigError, match="no option 'num_rouns'"):
        train(small(rules={"num_rouns": 1}))
    with pytest.raises(ConfigError, match="reward is a setting of the run"):
        train(small(rules={"reward": "win"}))


def test_a_loss_that_is_not_finite_stops_the_run(tmp_path: Path) -> None:
    config = small()
    model = make_model(config, make_env(config))
    model.learn(1, log_interval=None)  # type: ignore[arg-type]
    callback = Progress(config, tmp_path, log=None, stop=None)  # type: ignore[arg-type]
    callback.init_callback(model)
    callback.num_timesteps = 64
    model.logger.record("train/loss", float("nan"))
    with pytest.raises(NonFiniteError, match=r"train/loss became NaN or infinite at step 64"):
        callback.on_rollout_start()


def test_rewards_are_scaled_and_returns_are_not() -> None:
    plain, scaled = make_env(small()), ScaledReward(make_env(small()), 0.5)
    plain.reset()
    scaled.reset()
    for _ in range(12):
        actions = np.stack(plain.env_method("action_masks")).argmax(axis=1)
        _, reward, _, infos = plain.step(actions)
        _, half, _, same_infos = scaled.step(actions)
        np.testing.assert_allclose(half, reward * 0.5)
        for info, other in zip(infos, same_infos, strict=True):
            assert info.get("episode", {}).get("r") == other.get("episode", {}).get("r")


def test_the_tutorials_way_shows_one_agent_after_another() -> None:
    env = OneAgentAfterAnother()
    seen, _ = env.reset(seed=1)
    agents_seen, over = [], False
    while not over:
        agents_seen.append(env.aec.agent_selection)
        assert seen in env.observation_space
        seen, _, over, _, _ = env.step(int(env.masks().argmax()))
    assert agents_seen[:4] == ["player_0", "player_1", "player_2", "player_3"]


def test_decisions_are_counted_not_rows() -> None:
    config = small(opponents=(), game="sixes_golf", games=2)
    model, decisions = ours(config)
    assert learning_rate((model, decisions), 1) > 0
    env = model.env.unwrapped  # type: ignore[union-attr]
    assert isinstance(env, SelfPlayVecEnv)
    assert (decisions(), model.num_timesteps) == (16, 64)
