"""Learning with TorchRL: single decisions, masks, the training script, and what it leaves."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torchrl")

import torch
from tensordict import TensorDictBase
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import StepCounter, TransformedEnv
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor
from torchrl.objectives.value import GAE

import agents
from agents.convert import towers_from
from agents.from_torchrl import save_checkpoint
from sixth_env import Batch, load_opponent
from sixth_env.adapters.torchrl import GROUP, LearnerEnv, SelfPlayEnv, TorchrlOpponent, decisions
from sixth_env.errors import CheckpointError, OpponentError
from sixth_env.games import get_game
from sixth_env.match.play import play_field
from train.advantage import advantages, close_window

with warnings.catch_warnings():  # torchrl.collectors warns of its own classes
    warnings.filterwarnings("ignore", "Creating .*WeightUpdater", DeprecationWarning)
    from train.torchrl import TorchrlConfig, Trainer, masked_actor, train

CASES: list[tuple[str, dict[str, Any]]] = [
    ("sixth_card", {"num_players": 4, "num_rounds": 1}),
    ("six_nimmt", {"num_players": 3, "target_score": 30, "reward": "relative"}),
    ("sixes_chips", {"num_players": 4, "num_rounds": 1}),
    ("sixes_golf", {"num_players": 3, "num_rounds": 1, "max_turns": 12}),
]


def rollout_of(game: str, config: dict[str, Any], games: int = 5, steps: int = 70) -> Any:
    torch.manual_seed(1)
    env = SelfPlayEnv(game, games, seed=4, **config)
    return env.rollout(steps, break_when_any_done=False)


# --- Decisions -----------------------------------------------------------------------------------


def decisions_one_by_one(rollout: TensorDictBase) -> list[dict[str, Any]]:
    """What ``decisions`` says, told slowly: seat by seat, step by step."""
    games, steps = rollout.batch_size
    found: list[dict[str, Any]] = []
    for game in range(games):
        for seat in range(rollout[GROUP].batch_size[2]):
            lane: list[dict[str, Any]] = []
            pending: dict[str, Any] | None = None
            for t in range(steps):
                now, after = rollout[game, t], rollout["next"][game, t]
                if now[GROUP, "mask"][seat]:
                    if pending is not None:
                        lane.append({**pending, "joined": True, "next": now[GROUP][seat]})
                    pending = {"row": now[GROUP][seat], "reward": 0.0, "terminated": False}
                if pending is None:
                    continue
                pending["reward"] += float(after[GROUP, "reward"][seat])
                known = bool(after["terminated"] | after[GROUP, "mask"][seat])
                if after["done"] or t == steps - 1:
                    pending["terminated"] = bool(after["terminated"])
                    if known:
                        lane.append({**pending, "joined": False, "next": after[GROUP][seat]})
                    elif lane:
                        lane[-1]["joined"] = False
                    pending = None
            found += lane
    return found


@pytest.mark.parametrize(("game", "config"), CASES)
def test_decisions_are_those_found_one_by_one(game: str, config: dict[str, Any]) -> None:
    rollout = rollout_of(game, config)
    found, expected = decisions(rollout), decisions_one_by_one(rollout)
    assert len(found) == len(expected) > 100
    after = found["next", GROUP]
    for i, row in enumerate(expected):
        for name in ("observation", "action_mask", "action"):
            assert torch.equal(found[GROUP, name][i], row["row"][name])
        assert torch.equal(after["observation"][i], row["next"]["observation"])
        assert after["reward"][i].item() == pytest.approx(row["reward"], abs=1e-5)
        assert bool(after["done"][i]) is not row["joined"]
        assert bool(after["terminated"][i]) is row["terminated"]
    assert found[GROUP, "mask"].all()  # nobody who only waits
    assert 0 < after["terminated"].sum() < after["done"].sum()


def test_a_cut_off_match_leaves_out_what_is_unknown() -> None:
    rollout = rollout_of("sixes_golf", {"num_players": 3, "num_rounds": 1, "max_turns": 4})
    assert rollout["next", "truncated"].any()
    found = decisions(rollout)
    assert len(found) < int(rollout[GROUP, "mask"].sum())
    assert len(found) == len(decisions_one_by_one(rollout))


def test_workers_are_more_games() -> None:
    rollouts = [rollout_of("sixth_card", {"num_players": n}, games=2) for n in (3, 3)]
    together = decisions(torch.stack(rollouts))
    parts = torch.cat([decisions(part) for part in rollouts])
    assert bool((together == parts).all())


def test_a_limit_of_steps_goes_on_from_the_position() -> None:
    """TorchRL's own truncation: the match would go on, so its last decision bootstraps."""
    env = SelfPlayEnv("sixth_card", 3, seed=4, num_players=3)
    limited = TransformedEnv(env, StepCounter(5))
    rollout = limited.rollout(20, _legal, break_when_any_done=False)
    assert rollout["next", "truncated"].sum() == 3 * 4
    found = decisions(rollout)
    after = found["next", GROUP]
    assert not after["terminated"].any()
    assert len(decisions_one_by_one(rollout)) == len(found)
    assert after["done"].sum() > 3 * 3


def _legal(td: TensorDictBase) -> TensorDictBase:  # TorchRL goes by the argument's name
    return td.set((GROUP, "action"), td[GROUP, "action_mask"].int().argmax(-1))


@pytest.mark.parametrize(("game", "config"), CASES)
def test_gae_is_that_of_each_seats_own_decisions(game: str, config: dict[str, Any]) -> None:
    """TorchRL's GAE over ``decisions`` equals the project's own, which knows who waits."""
    rollout = rollout_of(game, {k: v for k, v in config.items() if k != "max_turns"})
    size = rollout[GROUP, "observation"].shape[-1]
    weights = torch.linspace(-1, 1, size)
    found = decisions(rollout)
    for part in (found, found["next"]):
        part[GROUP, "state_value"] = (part[GROUP, "observation"] @ weights)[:, None]
    gae = GAE(gamma=0.97, lmbda=0.9, value_network=None, time_dim=0, vectorized=True)
    keys = ("reward", "done", "terminated", "advantage", "value_target")
    gae.set_keys(value=(GROUP, "state_value"), **{key: (GROUP, key) for key in keys})
    gae(found)

    value = _lanes(rollout[GROUP, "observation"] @ weights)
    reward, acting = _lanes(rollout["next", GROUP, "reward"]), _lanes(rollout[GROUP, "mask"])
    cut = np.repeat(rollout["next", "done"].squeeze(-1).numpy().T, acting.shape[1] // 5, axis=1)
    last = rollout["next"][:, -1][GROUP]
    ahead = (last["observation"] @ weights).reshape(-1).numpy()
    window = close_window(value, reward, acting, cut, ahead, last["mask"].reshape(-1).numpy())
    expected, target = advantages(
        value, window.reward, window.learn, cut, window.last_value, 0.97, 0.9
    )
    learn = window.learn.T  # seat by seat
    for name, array in (("advantage", expected), ("value_target", target)):
        ours = found[GROUP, name].squeeze(-1).numpy()
        np.testing.assert_allclose(ours, array.T[learn], atol=2e-4)


def _lanes(tensor: torch.Tensor) -> NDArray[Any]:
    """(B, T, P) or (B, T, P, 1) as (T, B * P)."""
    games, steps = tensor.shape[:2]
    array = tensor.reshape(games, steps, -1).permute(1, 0, 2).reshape(steps, -1)
    return np.ascontiguousarray(array.numpy())


# --- Actors --------------------------------------------------------------------------------------


def towers_for(game: str, scale: float = 1.0, **options: Any) -> tuple[MLP, MLP]:
    kind = get_game(game)
    torch.manual_seed(2)
    options = {"num_cells": [16, 8], "activation_class": nn.Tanh, **options}
    policy = MLP(kind.observation_size, kind.num_actions, **options)
    value = MLP(kind.observation_size, 1, **options)
    with torch.no_grad():
        policy[-1].weight.mul_(scale)
    return policy, value


@pytest.mark.parametrize("scale", [1.0, 1e4])
@pytest.mark.parametrize(("game", "config"), CASES)
def test_masked_policies_stay_legal_and_finite(
    game: str, config: dict[str, Any], scale: float
) -> None:
    """The engine refuses illegal actions, so a rollout that ends was legal throughout."""
    actor = masked_actor(towers_for(game, scale)[0])
    with torch.no_grad():
        rollout = SelfPlayEnv(game, 8, seed=1, **config).rollout(
            80, actor, break_when_any_done=False
        )
    assert rollout[GROUP, "action_log_prob"].isfinite().all()
    assert actor.get_dist(rollout).entropy().isfinite().all()


def test_an_actor_plays_matches_as_its_checkpoint_does(tmp_path: Path) -> None:
    for game, config in CASES:
        policy, value = towers_for(game, 5.0)
        actor = TorchrlOpponent(masked_actor(policy), game, "ours")
        path = tmp_path / game
        save_checkpoint(path, policy, value, game, {"config": {"name": "kept"}})
        kept = agents.load(path)
        assert kept.name == "kept"
        config = {name: config[name] for name in ("num_players",)}
        step = Batch(game, 40, seed=3, **config).observe()
        rows = step.observation.reshape(-1, step.observation.shape[-1])
        mask = step.action_mask.reshape(len(rows), -1)
        ours = actor.act(rows, mask, np.random.default_rng(0))
        assert ours.tolist() == kept.act(rows, mask, np.random.default_rng(0)).tolist()
        alone = [actor.act(rows[[i]], mask[[i]], np.random.default_rng(0))[0] for i in range(9)]
        assert ours[:9].tolist() == alone
        floats = get_game(game).table.to_float(rows)
        assert ours.tolist() == actor.act(floats, mask, np.random.default_rng(0)).tolist()


def test_an_actor_meets_the_built_in_opponents() -> None:
    actor = TorchrlOpponent(masked_actor(towers_for("sixth_card")[0]), "sixth_card", "mine")
    players = [actor, load_opponent("random"), load_opponent("closest")]
    result = play_field("sixth_card", players, deals=3, seed=1, num_rounds=1)
    assert result.entrants[0].name == "mine"


def test_an_actor_of_one_learner_plays_too() -> None:
    policy = towers_for("sixth_card", 5.0)[0]
    actor = ProbabilisticActor(
        TensorDictModule(policy, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    env = LearnerEnv("sixth_card", 4, opponents="closest", seed=1)
    rollout = env.rollout(60, actor, break_when_any_done=False)
    assert rollout["action_log_prob"].isfinite().all()
    rows, mask = (rollout[key].flatten(0, 1).numpy() for key in ("observation", "action_mask"))
    one, grouped = (TorchrlOpponent(a, "sixth_card") for a in (actor, masked_actor(policy)))
    chosen = one.act(rows, mask, np.random.default_rng(0))
    assert chosen.tolist() == grouped.act(rows, mask, np.random.default_rng(0)).tolist()


def test_an_actor_refuses_what_is_no_position() -> None:
    actor = TorchrlOpponent(masked_actor(towers_for("sixth_card")[0]), "sixth_card")
    step = Batch("sixth_card", 1, seed=1).observe()
    rows, mask = step.observation[0], step.action_mask[0]
    with pytest.raises(OpponentError, match="no legal action"):
        actor.act(rows, np.zeros_like(mask), np.random.default_rng(0))
    with pytest.raises(OpponentError, match="observations of sixth_card"):
        actor.act(rows[:, 1:], mask, np.random.default_rng(0))
    with pytest.raises(OpponentError, match="seeds"):
        actor.act(rows, mask, np.zeros(3, np.uint64))


def test_other_networks_are_not_exported() -> None:
    game = get_game("sixth_card")
    policy, value = towers_for("sixth_card")
    towers_from(policy, value, game)
    relu = towers_for("sixth_card", activation_class=nn.ReLU)
    assert towers_from(*relu, game).settings.activation == "relu"
    layers = list(policy)
    normed = nn.Sequential(nn.LayerNorm(game.observation_size), *layers)
    dropped = nn.Sequential(*layers[:-1], nn.Sigmoid(), layers[-1])
    longer, none = nn.Sequential(*layers, nn.Linear(57, 57)), nn.Sequential(nn.Tanh())
    for odd in (normed, dropped, longer, none):
        with pytest.raises(CheckpointError, match="policy network must be linear layers"):
            towers_from(odd, value, game)
    with pytest.raises(CheckpointError, match="both have tanh or both have ReLU"):
        towers_from(relu[0], value, game)


# --- The training script -------------------------------------------------------------------------


def settings(**changes: Any) -> TorchrlConfig:
    """A run of a second."""
    small = {
        "name": "test",
        "games": 16,
        "rules": {"num_players": 3, "num_rounds": 1},
        "total_decisions": 1500,
        "rollout_steps": 12,
        "policy": (16,),
        "value": (16,),
        "minibatch": 128,
        "final_deals": 4,
    }
    return TorchrlConfig(**{**small, **changes})


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("in_empty_folder")
@pytest.mark.parametrize("game", [game for game, _ in CASES])
def test_a_run_leaves_a_checkpoint_that_plays(game: str) -> None:
    run = train(settings(game=game))
    agent = agents.load(run / "latest")
    assert agent.name == "test"
    assert agent.game.id == game
    card = agents.checkpoint.load(run / "latest").card
    assert card.training["decisions"] >= 1500
    assert [field["entrants"][1]["name"] for field in card.results["fields"]] == ["random"]


@pytest.mark.usefixtures("in_empty_folder")
def test_one_seed_gives_the_same_weights_and_another_does_not() -> None:
    def weights(**changes: Any) -> dict[str, torch.Tensor]:
        return agents.checkpoint.load(train(settings(**changes)) / "latest").tensors

    first, again, other = weights(name="a"), weights(name="b"), weights(name="c", seed=2)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert any(not torch.equal(first[name], other[name]) for name in first)


def test_it_learns_to_prefer_what_is_rewarded(tmp_path: Path) -> None:
    """A small game: forty thousand decisions suffice to beat `random` by a clear margin."""
    config = settings(
        games=64,
        rules={"num_players": 3, "num_rounds": 1, "hand_size": 4},
        total_decisions=40_000,
        learning_rate=3e-3,
    )
    trainer = Trainer(config, tmp_path)
    while trainer.seen < config.total_decisions:
        trainer.advance()
    [result] = trainer.strength(200, "test")
    assert result.difference(0).high < -0.3
