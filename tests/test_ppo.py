"""PPO: exact repetition and resumption, legal actions, and that it learns."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents
from agents.checkpoint import load
from agents.networks import NetworkSettings
from sixth_env.errors import CheckpointError, ConfigError, SixthEnvError
from train.config import read_config
from train.ppo import Actor, PPOConfig, Table, Trainer, ppo_loss, train
from train.resume import pack, unpack
from train.runs import NonFiniteError, torch_generator
from train.samples import Samples

SMALL = NetworkSettings(
    columns=("phase", "row_sizes", "row_points", "hand", "unseen", "fit_points"),
    products=(("hand", "fit_points"),),
    planes=("hand", "fit_free"),
    width=32,
    depth=1,
    card_width=8,
)


def settings(**changes: Any) -> PPOConfig:
    """A run of a second: self-play, a table with opponents, and one of another size."""
    return PPOConfig(
        **{
            "name": "test",
            "network": SMALL,
            "tables": (
                Table(games=8, rules={"num_players": 4}),
                Table(games=9, rules={"num_players": 3}, opponents=("closest", "past")),
                Table(games=4, rules={"num_players": 6, "row_choice": "cheapest"}),
            ),
            "total_decisions": 4000,
            "rollout_steps": 8,
            "minibatch": 128,
            "past_every": 700,
            "past_selves": 2,
            "save_every": 10**9,
            "evaluate_every": 10**9,
            "final_fields": ("random",),
            "final_deals": 4,
            **changes,
        }
    )


@pytest.fixture(autouse=True)
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def weights(run: Path) -> dict[str, torch.Tensor]:
    return load(run / "latest").tensors


def collected(trainer: Trainer, table: int = 0) -> Samples:
    """One rollout at one of the trainer's tables, without what is still open."""
    trainer.buffer.clear()
    trainer.workers[table].collect(trainer.actor, trainer.buffer)
    samples = trainer.buffer.since()
    return samples.pick(samples.learn.nonzero().squeeze(1))


def assert_same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> None:
    assert a.keys() == b.keys()
    for name in a:
        assert torch.equal(a[name], b[name]), name


def test_one_seed_gives_the_same_weights_and_another_does_not() -> None:
    first = weights(train(settings(name="a")))
    assert_same(first, weights(train(settings(name="b"))))
    other = weights(train(settings(name="c", seed=2)))
    assert any(not torch.equal(first[name], other[name]) for name in first)


def test_a_resumed_run_equals_an_uninterrupted_one() -> None:
    whole = weights(train(settings(name="whole")))
    halves = train(settings(name="halves", stop_after=2000))
    state = load(halves / "latest").trainer_state
    assert 2000 <= state["decisions"] < 4000
    train(settings(name="halves", resume=True))
    assert_same(whole, weights(halves))


def test_resuming_with_other_tables_is_refused() -> None:
    train(settings(name="run", stop_after=500))
    with pytest.raises(ConfigError, match="tables of the run"):
        train(settings(name="run", resume=True, tables=(Table(games=3),)))


def test_a_damaged_state_is_refused() -> None:
    run = train(settings(name="run", stop_after=500))
    trainer = Trainer(settings(name="run", resume=True), run)
    tensors, values = pack(trainer.optimizer, trainer.generators, trainer.past, trainer.workers)
    whole = tensors["games.0"]
    for games in (whole[:-8], torch.full_like(whole, 255)):
        with pytest.raises(CheckpointError, match="does not fit this run"):
            unpack(
                ({**tensors, "games.0": games}, values),
                trainer.optimizer,
                trainer.generators,
                trainer.past,
                trainer.workers,
            )


def test_a_run_that_begins_with_the_weights_of_another() -> None:
    first = train(settings(name="first", stop_after=500))
    trainer = Trainer(settings(name="second", start=str(first / "latest"), seed=9), Path("second"))
    weights = load(first / "latest").tensors
    assert all(torch.equal(weights[k], v) for k, v in trainer.network.state_dict().items())
    run = train(settings(name="second", start=str(first / "latest"), stop_after=500))
    shutil.rmtree(first)  # what has begun needs it no longer
    train(settings(name="second", start=str(first / "latest"), resume=True))
    again = load(run / "latest").tensors
    assert any(not torch.equal(weights[k], again[k]) for k in weights)
    with pytest.raises(ConfigError, match=r"start: .* has another game or network"):
        Trainer(
            settings(name="third", start=str(run / "latest"), network=NetworkSettings(width=8)),
            Path("third"),
        )
    with pytest.raises(CheckpointError, match="nothing"):
        Trainer(settings(name="third", start="nothing"), Path("third"))


def test_games_of_another_layout_are_refused() -> None:
    """Their bytes may have the same number and mean something else."""
    run = train(settings(name="run", stop_after=500))
    trainer = Trainer(settings(name="run", resume=True), run)
    tensors, values = pack(trainer.optimizer, trainer.generators, trainer.past, trainer.workers)
    for other in ({**values, "layouts": ["0" * 16]}, {k: values[k] for k in ("field_steps",)}):
        with pytest.raises(CheckpointError, match="it can be played with, but not be resumed"):
            unpack(
                (tensors, other),
                trainer.optimizer,
                trainer.generators,
                trainer.past,
                trainer.workers,
            )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"final_fields": ("closet",)}, "closet"),
        ({"tables": (Table(rules={"reward": "win"}),)}, "reward is a setting of the run"),
        ({"tables": (Table(rules={"threads": 2}),)}, "threads"),
        ({"tables": (Table(games=4, opponents=("closest", "past")),)}, "too few"),
        ({"network": NetworkSettings(planes=("nope",))}, "nope"),
        ({"game": "poker"}, "poker"),
    ],
)
def test_what_is_wrong_is_said_at_once_and_leaves_no_run(
    change: dict[str, Any], words: str
) -> None:
    with pytest.raises(SixthEnvError, match=words):
        train(settings(name="run", **change))
    assert not Path("runs").exists()


def test_the_saved_settings_repeat_the_run() -> None:
    run = train(settings(name="run", stop_after=500))
    train(settings(name="run", resume=True, stop_after=900))
    again = read_config(PPOConfig, run / "config.json")
    assert (again.resume, again.stop_after) == (False, None)
    assert again.precision in ("float32", "bf16")


def test_an_existing_run_is_not_overwritten() -> None:
    train(settings(name="run", stop_after=500))
    with pytest.raises(ConfigError, match="exists already"):
        train(settings(name="run"))


def test_only_choices_of_the_learner_are_learnt_from() -> None:
    trainer = Trainer(settings(), Path("."))
    for number, worker in enumerate(trainer.workers):
        acting = worker.step.acting.copy()
        samples = collected(trainer, number)
        assert samples.observation.shape == (len(samples.action), trainer.game.observation_size)
        legal = samples.action_mask.gather(1, samples.action[:, None])
        assert bool((legal == 1).all())
        assert bool((samples.action_mask.sum(dim=1) > 1).all()), "there was nothing to choose"
        if worker.field.opponents:
            assert worker.field.learner.sum(axis=1).tolist() == [1] * worker.batch.num_games
        else:
            assert len(samples.action) >= acting.sum()


def test_every_seat_learns_at_tables_with_opponents() -> None:
    trainer = Trainer(settings(tables=(Table(games=8, opponents=("closest",)),)), Path("."))
    assert trainer.workers[0].field.learner.any(axis=0).all()


def test_the_first_epoch_starts_at_ratio_one() -> None:
    trainer = Trainer(settings(), Path("."))
    samples = collected(trainer)
    with torch.no_grad():
        _, terms = ppo_loss(trainer.network, samples, trainer.config)
    assert abs(float(terms["kl"])) < 1e-6
    assert float(terms["clipped"]) == 0


def test_the_buffer_holds_the_rows_of_every_table_in_order() -> None:
    """The same rollout table by table, and of all tables together."""
    one, all_ = Trainer(settings(), Path(".")), Trainer(settings(), Path("."))
    parts = [collected(one, number) for number in range(len(one.workers))]
    all_.buffer.clear()
    for worker in all_.workers:
        worker.collect(all_.actor, all_.buffer)
    together = all_.buffer.since()
    together = together.pick(together.learn.nonzero().squeeze(1))
    for whole, *pieces in zip(together, *parts, strict=True):
        assert torch.equal(whole, torch.cat(pieces))


def test_a_minibatch_of_one_decision_is_finite() -> None:
    trainer = Trainer(settings(), Path("."))
    samples = collected(trainer)
    loss, _ = ppo_loss(trainer.network, Samples(*(part[:1] for part in samples)), settings())
    assert bool(torch.isfinite(loss))


def test_sampled_actions_follow_the_policy() -> None:
    trainer = Trainer(settings(), Path("."))
    observation, mask = trainer.workers[0].rows(np.zeros(1, np.int64))
    many = 20_000
    actor = Actor(trainer.network, "float32", torch_generator(5, "test"))
    action, log_prob, _ = actor.act(observation.expand(many, -1), mask.expand(many, -1))
    logits, _ = trainer.network(observation, mask)
    expected = logits.softmax(dim=1)[0].detach().numpy()
    counts = np.bincount(action.numpy(), minlength=len(expected)) / many
    np.testing.assert_allclose(counts, expected, atol=4 * np.sqrt(0.25 / many))
    assert counts[mask[0].numpy() == 0].sum() == 0
    np.testing.assert_allclose(log_prob.exp().numpy(), expected[action.numpy()], rtol=1e-5)


def test_extreme_logits_and_single_actions_stay_finite() -> None:
    trainer = Trainer(settings(), Path("."))
    with torch.no_grad():
        trainer.network.policy.weight.mul_(1e4 / trainer.network.policy.weight.abs().max())
    observation, mask = trainer.workers[0].rows(np.arange(6))
    mask[0] = 0
    mask[0, 3] = 1
    mask[1] = 0  # nothing legal at all
    action, log_prob, _ = trainer.actor.act(observation, mask)
    assert int(action[0]) == 3
    assert bool(torch.isfinite(log_prob).all())
    part = Samples(observation, mask, action, *(torch.zeros(6) for _ in range(5)))
    loss, terms = ppo_loss(trainer.network, part, settings())
    assert bool(torch.isfinite(loss)) and bool(torch.isfinite(terms["entropy"]))


def test_a_non_finite_loss_stops_with_the_last_checkpoint_kept() -> None:
    run = train(settings(name="run", stop_after=1000))
    kept = weights(run)
    trainer = Trainer(settings(name="run", resume=True), run)
    trainer.restore()
    with torch.no_grad():
        trainer.network.value.bias.fill_(float("nan"))
    with pytest.raises(NonFiniteError):
        trainer.advance()
    assert_same(kept, weights(run))


def test_the_checkpoint_plays_as_an_opponent_and_says_how_it_was_made() -> None:
    run = train(settings())
    agent = agents.load(run / "latest")
    trainer = Trainer(settings(), Path("."))
    step = trainer.workers[0].step
    observation = step.observation.reshape(-1, trainer.game.observation_size)
    mask = step.action_mask.reshape(-1, trainer.game.num_actions)
    seeds = np.arange(len(mask), dtype=np.uint64)
    actions = agent.act(observation, mask, seeds)
    assert actions.dtype == np.int64
    assert (np.take_along_axis(mask, actions[:, None], 1) == 1).all()
    scaled = trainer.game.table.to_float(observation)
    np.testing.assert_array_equal(agent.act(scaled, mask, seeds), actions)
    card = load(run / "latest").card
    assert card.training["decisions"] >= 4000
    assert card.results["fields"][0]["deals"] == 4


def test_a_sampling_agent_depends_on_each_rows_seed_alone() -> None:
    run = train(settings())
    agent = agents.load(run / "latest", greedy=False)
    trainer = Trainer(settings(), Path("."))
    observation, mask = (x.numpy() for x in trainer.workers[0].rows(np.arange(16)))
    seeds = np.arange(16, dtype=np.uint64)
    together = agent.act(observation, mask, seeds)
    alone = [
        agent.act(observation[i : i + 1], mask[i : i + 1], seeds[i : i + 1])[0] for i in range(16)
    ]
    np.testing.assert_array_equal(together, alone)
    assert (agent.act(observation, mask, seeds + np.uint64(1)) != together).any()


def test_a_short_run_learns_to_beat_random() -> None:
    config = settings(
        tables=(Table(games=128, rules={"num_players": 3, "hand_size": 4, "num_rounds": 1}),),
        total_decisions=150_000,
        rollout_steps=16,
        minibatch=512,
        learning_rate=2e-3,
        final_deals=300,
    )
    result = load(train(config) / "latest").card.results["fields"][0]
    learner = result["entrants"][0]["difference"]
    assert learner["high"] < 0, f"not better than random: {learner}"


def test_errors_are_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SixthEnvError) as error:
        train(settings(tables=(Table(rules={"num_player": 4}),)))
    assert re.search("num_player", str(error.value))
