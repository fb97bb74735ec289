"""RLlib modules of the games: masked, as opponents, as checkpoints; and the training script."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="needs the extra rllib")

import ray
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from agents.convert import save_towers
from agents.from_rllib import towers_from_state
from agents.torch_agent import TorchAgent, load
from sixth_env.adapters.rllib import OpponentModule, RllibOpponent
from sixth_env.errors import CheckpointError, ConfigError, OpponentError
from sixth_env.games import GAMES, get_game
from tests.rllib_modules import QUIET, build, rllib_draws, rows, towers_spec
from train import rllib as script
from train.evaluate import against_fields
from train.runs import NonFiniteError

ROOT = Path(__file__).resolve().parents[1]

Json = dict[str, Any]
pytestmark = QUIET


@rllib_draws
@pytest.mark.parametrize("game", GAMES)
def test_illegal_actions_have_no_probability(game: str) -> None:
    module = build(towers_spec(), game)
    with torch.no_grad():
        module.policy[-1].weight *= 1e6  # as large logits as no training reaches
    observation, mask = rows(game)
    seen = {"observations": torch.tensor(observation), "action_mask": torch.tensor(mask)}
    logits = module.forward_exploration({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
    policy = module.get_exploration_action_dist_cls().from_logits(logits)
    assert bool((policy._dist.probs[torch.tensor(mask) == 0] == 0).all())
    assert bool(policy.entropy().isfinite().all())
    actions = torch.stack([policy.sample() for _ in range(100)]).numpy()
    assert mask[np.arange(len(mask)), actions].all()


@rllib_draws
@pytest.mark.parametrize("game", GAMES)
def test_a_module_exports_and_plays_as_it_does_in_rllib(game: str, tmp_path: Path) -> None:
    module, (observation, mask) = build(towers_spec(), game), rows(game)
    network = towers_from_state(module.get_state(), get_game(game), "tanh")
    save_towers(tmp_path / "latest", network, get_game(game))
    agent, opponent = load(tmp_path / "latest"), RllibOpponent(module, game)
    seeds = np.arange(len(mask), dtype=np.uint64)
    assert agent.game is opponent.game
    actions = opponent.act(observation, mask, seeds)
    assert (agent.act(observation, mask, seeds) == actions).all()
    integers = get_game(game).table.to_int(observation)
    assert (opponent.act(integers, mask, np.random.default_rng(0)) == actions).all()
    seen = {"observations": torch.tensor(observation), "action_mask": torch.tensor(mask)}
    batch = {Columns.OBS: seen}
    logits, value = agent.logits_and_value(observation, mask)
    assert module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS].numpy() == pytest.approx(
        logits, abs=1e-4
    )
    assert module.compute_values(batch).detach().numpy() == pytest.approx(value, abs=1e-4)


@rllib_draws
def test_sampled_opponents_follow_the_policy_row_by_row() -> None:
    module, (observation, mask) = build(towers_spec()), rows("sixth_card")
    with torch.no_grad():
        module.policy[-1].weight *= 100  # far from uniform
    opponent = RllibOpponent(module, greedy=False)
    many = 4000
    one = np.repeat(observation[:1], many, axis=0), np.repeat(mask[:1], many, axis=0)
    seeds = np.arange(many, dtype=np.uint64)
    actions = opponent.act(*one, seeds)
    policy = TorchAgent(
        opponent.game, towers_from_state(module.get_state(), opponent.game, "tanh"), "x"
    ).policy(observation[:1], mask[:1])[0]
    frequency = np.bincount(actions, minlength=len(policy)) / many
    assert np.abs(frequency - policy).max() < 5 * (0.25 / many) ** 0.5
    assert (opponent.act(one[0][7:9], one[1][7:9], seeds[7:9]) == actions[7:9]).all()


@rllib_draws
def test_what_is_no_such_module_is_refused() -> None:
    observation, mask = rows("sixth_card", 2)
    settings = {"game": "sixth_card", "opponent": "random"}
    heuristic = build(RLModuleSpec(module_class=OpponentModule, model_config=settings))
    opponent = RllibOpponent(heuristic, name="heuristic")
    with pytest.raises(OpponentError, match="heuristic gives no logits"):
        opponent.act(observation, mask, np.zeros(len(mask), np.uint64))
    with pytest.raises(OpponentError, match="float32"):
        RllibOpponent(build(towers_spec())).act(observation[:, 1:], mask, np.random.default_rng(0))
    state = build(towers_spec()).get_state()
    with pytest.raises(CheckpointError, match="six_nimmt"):
        towers_from_state(state, get_game("six_nimmt"), "tanh")
    acting = {name: array for name, array in state.items() if not name.startswith("value")}
    with pytest.raises(CheckpointError, match="value"):
        towers_from_state(acting, get_game("sixth_card"), "tanh")


@rllib_draws
@pytest.mark.parametrize("shared", [False, True])
def test_rllibs_own_masked_module_plays_and_exports(shared: bool) -> None:
    from ray.rllib.algorithms.ppo.ppo_catalog import PPOCatalog
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    spec = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config=DefaultModelConfig(fcnet_hiddens=[32, 24], vf_share_layers=shared),
        catalog_class=PPOCatalog,
    )
    module, (observation, mask) = build(spec), rows("sixth_card")
    network = towers_from_state(module.get_state(), get_game("sixth_card"), "tanh")
    agent = TorchAgent(get_game("sixth_card"), network, "exported")
    seeds = np.zeros(len(mask), np.uint64)
    actions = RllibOpponent(module).act(observation, mask, seeds)
    assert (agent.act(observation, mask, seeds) == actions).all()
    batch = {Columns.OBS: {"observations": torch.tensor(observation), "action_mask": None}}
    values = module.compute_values(batch).detach().numpy()
    assert values == pytest.approx(agent.logits_and_value(observation, mask)[1], abs=1e-4)


def test_without_rllib_the_extra_is_named() -> None:
    code = "import sys; sys.modules['ray'] = None; import sixth_env.adapters.rllib"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert "MissingExtraError: ray is not installed: pip install 'sixth_env[rllib]'" in run.stderr


# --- the training script -------------------------------------------------------------------------


def settings(**changes: Any) -> script.RllibConfig:
    given: Json = {
        "name": "tiny",
        "rules": {"num_players": 3, "num_rounds": 1},
        "num_env_runners": 0,
        "envs_per_env_runner": 8,
        "total_decisions": 600,
        "train_batch": 512,
        "minibatch": 256,
        "pool": ("past", "random"),
        "past_selves": 2,
        "network": {"policy": (32,), "value": (32,), "activation": "relu"},
        "final_deals": 10,
    }
    return script.RllibConfig(**{**given, **changes})


def test_line_ups_follow_the_settings() -> None:
    seating = script.Seating(4, 0.25, [["past_0", "past_1"], ["random"]], seed=3)
    line_ups = [seating.line_up(f"1-{number}") for number in range(4000)]
    assert line_ups == [seating.line_up(f"1-{number}") for number in range(4000)]
    alone = [line_up.count("learner") == 4 for line_up in line_ups]
    assert np.mean(alone) == pytest.approx(0.25, abs=0.04)
    others = [line_up for line_up, all_own in zip(line_ups, alone, strict=True) if not all_own]
    assert all(line_up.count("learner") == 1 and len(set(line_up)) == 2 for line_up in others)
    for seat in range(4):
        own = np.mean([line_up[seat] == "learner" for line_up in others])
        assert own == pytest.approx(0.25, abs=0.04)
    for module, share in (("past_0", 0.25), ("past_1", 0.25), ("random", 0.5)):
        assert np.mean([module in line_up for line_up in others]) == pytest.approx(share, abs=0.05)


def test_settings_are_checked_before_anything_runs() -> None:
    with pytest.raises(OpponentError, match="somebody"):
        script.ppo(settings(pool=("somebody",)))
    with pytest.raises(ConfigError, match="reward is a setting of the run"):
        script.ppo(settings(rules={"reward": "win"}))
    with pytest.raises(ConfigError, match="colour"):
        script.ppo(settings(rules={"colour": 1}))


@rllib_draws
def test_two_env_runners_and_snapshots(tmp_path: Path) -> None:
    def deals(runner: Any) -> list[Any]:
        return (
            [env.unwrapped.replay()["stream"]["seed"] for env in runner.env.envs]
            if runner.env
            else []
        )

    def weights(runner: Any) -> dict[str, float]:
        return {
            name: float(runner.module[name].state_dict()["policy.0.weight"].double().sum())
            for name in ("learner", "past_0", "past_1")
        }

    config = settings(num_env_runners=2)
    with script.running(config) as algorithm:
        run = script.Run(config, tmp_path, algorithm)
        run.advance()
        seeds = list(chain(*algorithm.env_runner_group.foreach_env_runner(deals)))
        run.keep_self()
        everywhere = algorithm.env_runner_group.foreach_env_runner(weights)
        learner = RllibOpponent(algorithm.get_module("learner"))
        played = learner.act(*rows("sixth_card"), np.random.default_rng(0))
        agent = TorchAgent(run.game, run.network(), "export")
    assert len(set(seeds)) == 16
    assert len(everywhere) == 3
    assert len({each["past_0"] for each in everywhere}) == 1
    assert all(each["past_0"] == each["learner"] != each["past_1"] for each in everywhere)
    assert (agent.act(*rows("sixth_card"), np.random.default_rng(0)) == played).all()


@rllib_draws
def test_a_cluster_with_too_few_cores_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 1.0})
    with (
        pytest.raises(ConfigError, match="num_env_runners is 2, but the cluster has 1 cores"),
        script.running(settings(num_env_runners=2)),
    ):
        pass
    assert not ray.is_initialized()


@rllib_draws
def test_a_short_training_learns_and_its_checkpoint_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    config = settings(
        rules={"num_players": 4, "num_rounds": 1},
        envs_per_env_runner=64,
        total_decisions=30_000,
        train_batch=4096,
        minibatch=512,
        learning_rate=1e-3,
        self_play=0.8,
        past_every=10_000,
        final_deals=200,
        network=script.Network(),
    )
    folder = script.train(config)
    assert "at a table of" in capsys.readouterr().out
    agent = load(folder / "latest")
    [result] = against_fields(agent, ["random"], agent.game, config.rules, 200, 5)
    assert result.difference(0).high < 0
    command = "match runs/rllib/tiny/latest random random random --deals 5 --rounds 1"
    run = subprocess.run(
        [sys.executable, "-m", "sixth_env", *command.split()],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "tiny" in run.stdout


@rllib_draws
def test_a_non_finite_loss_stops_the_run(tmp_path: Path) -> None:
    config = settings(learning_rate=1e30)
    with script.running(config) as algorithm:
        run = script.Run(config, tmp_path, algorithm)
        with pytest.raises(NonFiniteError, match="NaN"):
            advance(run)


def advance(run: script.Run) -> None:
    for _ in range(4):
        run.advance()
