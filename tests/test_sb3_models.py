"""Models of Stable-Baselines3: what they learn, and as opponents and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra sb3")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import VecCheckNan, VecEnv

import agents
from agents import from_sb3
from sixth_env import GAMES, load_opponent
from sixth_env.adapters.sb3 import (
    DecisionBuffer,
    ReplaceIllegal,
    Sb3Opponent,
    SelfPlayVecEnv,
    SoloVecEnv,
    load_model,
)
from sixth_env.errors import (
    CheckpointError,
    ConfigError,
    OpponentError,
)
from sixth_env.match.play import play_field
from sixth_env.solo import SoloEnv
from tests.envs import same
from tests.test_sb3 import SHORT, act, make_self_play, make_solo, play

pytestmark = pytest.mark.global_random  # SB3 seeds the global generators


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


# --- Learning ------------------------------------------------------------------------------------


def by_hand(buffer: Any, row: int, last: float, done: bool) -> dict[int, float]:
    """Advantages of one row's decisions, from the definition: sums of discounted errors."""
    steps = range(buffer.buffer_size)
    acting = [t for t in steps if buffer.action_masks[t, row, -1] == 0]
    ends = {t for t in steps[:-1] if buffer.episode_starts[t + 1, row]} | (
        {buffer.buffer_size - 1} if done else set()
    )
    advantages: dict[int, float] = {}
    for t in reversed(acting):
        later = [u for u in acting if u > t]
        until = later[0] if later else buffer.buffer_size
        span = range(t, until)
        cut = next((u for u in span if u in ends), None)
        paid = sum(buffer.rewards[u, row] for u in span if cut is None or u <= cut)
        value = buffer.values[later[0], row] if later else last
        following = advantages[later[0]] if later else 0.0
        on = cut is None
        error = paid + on * buffer.gamma * value - buffer.values[t, row]
        advantages[t] = error + on * buffer.gamma * buffer.gae_lambda * following
    return advantages


def filled(kind: type[MaskableRolloutBuffer], waits: float) -> tuple[Any, Any, Any]:
    env, generator = make_self_play("sixes_golf"), np.random.default_rng(1)
    buffer = kind(
        12, env.observation_space, env.action_space, "cpu", gamma=0.9, gae_lambda=0.8, n_envs=5
    )
    buffer.reset()
    for name in ("rewards", "values"):
        getattr(buffer, name)[:] = generator.normal(size=(12, 5))
    buffer.episode_starts[:] = generator.random((12, 5)) < 0.2
    buffer.action_masks[:] = 0
    buffer.action_masks[:, :, -1] = generator.random((12, 5)) < waits
    buffer.full = True
    last, dones = torch.tensor(generator.normal(size=5)), generator.random(5) < 0.5
    buffer.compute_returns_and_advantage(last, dones)
    return buffer, last, dones


def test_advantages_go_from_decision_to_decision() -> None:
    buffer, last, dones = filled(DecisionBuffer, waits=0.5)
    for row in range(5):
        for t, advantage in by_hand(buffer, row, float(last[row]), bool(dones[row])).items():
            assert buffer.advantages[t, row] == pytest.approx(advantage, abs=1e-5)
    decisions = int((buffer.action_masks[:, :, -1] == 0).sum())
    batches = list(buffer.get(7))
    assert sum(len(batch.actions) for batch in batches) == decisions
    assert all((batch.action_masks[:, -1] == 0).all() for batch in batches)


def test_without_waiting_the_buffer_is_the_librarys() -> None:
    ours, theirs = filled(DecisionBuffer, 0.0)[0], filled(MaskableRolloutBuffer, 0.0)[0]
    np.testing.assert_allclose(ours.advantages, theirs.advantages, atol=1e-5)
    np.testing.assert_allclose(ours.returns, theirs.returns, atol=1e-5)


def small_model(env: VecEnv, **options: Any) -> MaskablePPO:
    settings: dict[str, Any] = {
        "n_steps": 16, "batch_size": 1024, "n_epochs": 2, "gamma": 1.0, "seed": 1,
        "device": "cpu", "learning_rate": 1e-3,
    }  # fmt: skip
    return MaskablePPO("MlpPolicy", env, **{**settings, **options})


@pytest.fixture(scope="module")
def learnt() -> MaskablePPO:
    """A short run on Sixth Card, against random."""
    env = SoloVecEnv("sixth_card", 256, opponents="random", seed=1, reward="relative", **SHORT)
    model = small_model(env, vf_coef=0.005)
    return model.learn(120_000)


def margin(
    opponent: Any, game: str, rival: str = "random", deals: int = 150
) -> tuple[float, float]:
    """Points per round minus the rivals', and the upper end of its interval."""
    others = [load_opponent(rival, game)] * 3
    result = play_field(game, [opponent, *others], deals=deals, num_rounds=1)
    difference = result.difference(0)
    return difference.value, difference.high


def test_a_short_run_beats_random_clearly(learnt: MaskablePPO) -> None:
    value, high = margin(Sb3Opponent(learnt, "sixth_card"), "sixth_card")
    assert value < -2.5
    assert high < -1.5
    assert not any(torch.isnan(p).any() for p in learnt.policy.parameters())
    recent = np.mean([episode["r"] for episode in learnt.ep_info_buffer or []])
    assert recent > 1.0  # relative to three of random, in the environment's own account


def test_self_play_learns_without_the_rows_that_wait() -> None:
    env = SelfPlayVecEnv("sixes_golf", 4, seed=1, **SHORT)
    model = small_model(env, rollout_buffer_class=DecisionBuffer, n_steps=64)
    model.learn(2 * 64 * env.num_envs)
    assert env.decisions == 2 * 64 * 4
    assert model.num_timesteps == 4 * env.decisions


def test_the_ratio_is_one_in_the_first_epoch() -> None:
    """The mask of the rollout is that of the update."""
    model = small_model(make_solo("sixth_card"), n_steps=8)
    model.learn(1)  # one rollout; what follows collects another
    model._last_obs = model.env.reset()  # type: ignore[union-attr, assignment]
    callback = model._setup_learn(1)[1]
    model.collect_rollouts(model.env, callback, model.rollout_buffer, 8)  # type: ignore[arg-type]
    for batch in model.rollout_buffer.get(48):
        _, log_prob, _ = model.policy.evaluate_actions(
            batch.observations, batch.actions.long().flatten(), action_masks=batch.action_masks
        )
        torch.testing.assert_close(log_prob, batch.old_log_prob, atol=1e-5, rtol=1e-4)


def test_the_librarys_evaluation_runs(learnt: MaskablePPO) -> None:
    """As in training, masks are used; a Monitor would add nothing to the infos."""
    env = SoloVecEnv("sixth_card", 8, opponents="random", seed=3, reward="relative", **SHORT)
    mean: Any = evaluate_policy(learnt, env, n_eval_episodes=40)[0]
    assert mean > 1.0
    assert is_masking_supported(VecCheckNan(env))


# --- Without masks -------------------------------------------------------------------------------


def test_illegal_choices_are_replaced_counted_and_paid_for() -> None:
    env = ReplaceIllegal(make_solo("sixth_card"), penalty=5.0, seed=1)
    twin = ReplaceIllegal(make_solo("sixth_card"), penalty=5.0, seed=1)
    plain = make_solo("sixth_card")
    assert same(env.reset(), twin.reset())
    plain.reset()
    mask = get_action_masks(plain)
    actions = act(plain)
    actions[1] = 56
    actions[4] = int(np.flatnonzero(~mask[4])[0])
    step: Any = env.step(actions)
    again = twin.step(actions)
    assert same(step[:3], again[:3])
    assert [info.get("illegal_action") for info in step[3]] == [
        None, actions[1], None, None, actions[4], None
    ]  # fmt: skip
    assert (env.choices, env.illegal) == (6, 2)
    expected: Any = plain.step(act(plain))
    legal_rows = [0, 2, 3, 5]
    assert same(step[0][legal_rows], expected[0][legal_rows])
    assert same(step[1][legal_rows], expected[1][legal_rows])
    assert (step[1][[1, 4]] <= -5.0).all()


def test_replacements_are_uniform_among_the_legal() -> None:
    env = ReplaceIllegal(SoloVecEnv("sixth_card", 2000, seed=1, **SHORT), seed=2)
    env.reset()
    masks = np.stack(env.env_method("action_masks"))
    env.step_async(np.full(2000, 56))
    played = env.venv._actions  # type: ignore[attr-defined]
    assert masks[np.arange(2000), played].all()
    place = (masks.cumsum(axis=1) - 1)[np.arange(2000), played]
    assert np.bincount(place, minlength=10) == pytest.approx(200, abs=60)


@pytest.mark.parametrize("algorithm", [DQN, A2C, PPO])
def test_algorithms_without_masks_run_and_play_legally(algorithm: Any) -> None:
    env = ReplaceIllegal(make_solo("sixth_card"), penalty=1.0)
    options: dict[str, Any] = {"n_steps": 5} if algorithm is not DQN else {"learning_starts": 30}
    if algorithm is PPO:
        options["batch_size"] = 30
    model = algorithm("MlpPolicy", env, seed=1, device="cpu", **options)
    model.learn(120)
    assert env.illegal > 0
    assert env.choices == 120
    for greedy in (True, False):
        opponent = Sb3Opponent(model, "sixth_card", greedy=greedy)
        play_field("sixth_card", [opponent, *[load_opponent("random")] * 3], deals=4, num_rounds=1)


# --- Opponents and files -------------------------------------------------------------------------


def positions(game: str = "sixth_card") -> tuple[Any, Any, Any]:
    """Observations as integers and floats, and masks, of some decisions."""
    env = make_solo(game)
    found = play(env, 12)
    floats = np.concatenate([step[0] for step in found[1:]])
    masks = np.concatenate([step[4] for step in found[1:]]).astype(np.int8)
    return GAMES[game].table.to_int(floats).astype(np.int16), floats, masks


def test_an_opponent_decides_each_row_by_itself(learnt: MaskablePPO) -> None:
    columns, floats, masks = positions()
    seeds = np.arange(len(columns), dtype=np.uint64)
    for greedy in (True, False):
        opponent = Sb3Opponent(learnt, "sixth_card", greedy=greedy)
        whole = opponent.act(columns, masks, seeds)
        assert masks[np.arange(len(masks)), whole].all()
        assert same(whole, opponent.act(floats, masks, seeds))
        alone = [opponent.act(columns[i : i + 1], masks[i : i + 1], seeds[i : i + 1])[0]
                 for i in range(len(columns))]  # fmt: skip
        assert whole.tolist() == alone
    greedy_actions = Sb3Opponent(learnt, "sixth_card").act(columns, masks, seeds)
    predicted, _ = learnt.predict(floats, action_masks=masks, deterministic=True)
    assert same(greedy_actions, np.asarray(predicted, np.int64))


def test_sampled_play_follows_the_policy(learnt: MaskablePPO) -> None:
    columns, _, masks = positions()
    opponent = Sb3Opponent(learnt, "sixth_card", greedy=False)
    row = int(np.argmax(masks.sum(axis=1)))
    many = 6000
    actions = opponent.act(
        np.repeat(columns[row : row + 1], many, axis=0),
        np.repeat(masks[row : row + 1], many, axis=0),
        np.random.default_rng(1),
    )
    shares = np.bincount(actions, minlength=57) / many
    wanted = opponent.policy(columns[row : row + 1], masks[row : row + 1])[0]
    assert wanted.sum() == pytest.approx(1)
    assert np.abs(shares - wanted).max() < 0.03


def test_a_model_on_the_dictionary_of_the_gymnasium_environment_plays_too() -> None:
    env = SoloEnv(num_rounds=1)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=32, batch_size=32, seed=1, device="cpu")
    model.learn(32)
    columns, _, masks = positions()
    opponent = Sb3Opponent(model, "sixth_card")
    actions = opponent.act(columns, masks, np.zeros(len(columns), np.uint64))
    assert masks[np.arange(len(masks)), actions].all()
    with pytest.raises(CheckpointError, match="only one that reads the 493 columns"):
        from_sb3.towers_of(model, GAMES["sixth_card"])


def test_models_of_another_game_are_refused(learnt: MaskablePPO) -> None:
    with pytest.raises(OpponentError, match="six_nimmt has 805 columns and 109 actions"):
        Sb3Opponent(learnt, "six_nimmt")
    with pytest.raises(CheckpointError, match="805"):
        from_sb3.save_model("unused", learnt, "six_nimmt")


def test_a_checkpoint_plays_as_the_model(learnt: MaskablePPO, tmp_path: Path) -> None:
    from_sb3.save_model(tmp_path / "mine", learnt, "sixth_card", {"config": {"name": "mine"}})
    agent = agents.load(tmp_path / "mine")
    columns, floats, masks = positions()
    seeds = np.zeros(len(columns), np.uint64)
    assert agent.name == "mine"
    assert same(
        agent.act(columns, masks, seeds),
        Sb3Opponent(learnt, "sixth_card").act(columns, masks, seeds),
    )
    with torch.no_grad():
        values = learnt.policy.predict_values(torch.from_numpy(floats)).squeeze(1)
    np.testing.assert_allclose(agent.logits_and_value(columns, masks)[1], values, atol=1e-4)


def test_a_dqn_becomes_a_checkpoint_of_its_values(tmp_path: Path) -> None:
    model = DQN("MlpPolicy", ReplaceIllegal(make_solo("sixes_golf")), seed=1, device="cpu")
    from_sb3.save_model(tmp_path / "dqn", model, "sixes_golf")
    columns, _, masks = positions("sixes_golf")
    seeds = np.zeros(len(columns), np.uint64)
    actions = agents.load(tmp_path / "dqn").act(columns, masks, seeds)
    assert same(actions, Sb3Opponent(model, "sixes_golf").act(columns, masks, seeds))


class Trap:
    """What a hostile file would hold: unpickling it leaves a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


def test_a_zip_is_loaded_only_by_those_who_trust_it(
    learnt: MaskablePPO, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out, mark = tmp_path / "model.zip", tmp_path / "out", tmp_path / "mark"
    model = small_model(make_solo("sixth_card"))
    model.trap = Trap(mark)  # type: ignore[attr-defined]
    model.save(file)
    command = [str(file), str(out), "--game", "sixth_card"]
    with pytest.raises(CheckpointError, match="unpickled, which runs any code"):
        load_model(file)
    with pytest.raises(SystemExit):
        from_sb3.main(command)
    assert "say that you trust the file (trust=True, or --trust)" in capsys.readouterr().err
    assert not mark.exists()
    assert not out.exists()
    learnt.save(file)
    from_sb3.main([*command, "--trust"])
    assert agents.load(out).name == "model"


def test_files_that_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="there is no file"):
        load_model(tmp_path / "none.zip", trust=True)
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    with pytest.raises(CheckpointError, match="holds no MaskablePPO"):
        load_model(tmp_path / "bad.zip", trust=True)
    with pytest.raises(ConfigError, match="has an algorithm 'Magic'"):
        load_model(tmp_path / "bad.zip", "Magic", trust=True)
