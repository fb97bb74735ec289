"""TorchRL environments: the games of the engine, held at their end, in TorchRL's own layout."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torchrl")

import torch
from tensordict import TensorDictBase
from torchrl.envs import (
    ActionMask,
    ParallelEnv,
    PettingZooWrapper,
    SerialEnv,
    TransformedEnv,
    check_env_specs,
)

from sixth_env import Batch, sixes_golf_v0, sixth_card_v0
from sixth_env.adapters.torchrl import GROUP, LearnerEnv, SelfPlayEnv
from sixth_env.errors import IllegalActionError
from sixth_env.solo import SoloVectorEnv
from tests.rows_play import same_records

CASES: list[tuple[str, dict[str, Any]]] = [
    ("sixth_card", {"num_players": 4, "num_rounds": 1}),
    ("six_nimmt", {"num_players": 3, "target_score": 30, "reward": "relative"}),
    ("sixes_chips", {"num_players": 4, "starting_chips": 4}),
    ("sixes_golf", {"num_players": 3, "num_rounds": 1}),
]
ENVS = [SelfPlayEnv, LearnerEnv]
MASKS = {"action_key": (GROUP, "action"), "mask_key": (GROUP, "action_mask")}


def play(env: Any, steps: int) -> TensorDictBase:
    """Random legal steps (B, T) from where the environment stands after a reset of all games."""
    torch.manual_seed(5)
    rollout: TensorDictBase = env.rollout(steps, break_when_any_done=False)
    return rollout


def same(a: TensorDictBase, b: TensorDictBase) -> bool:
    return bool((a == b).all())


# --- Specs and layout ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ENVS)
@pytest.mark.parametrize(("game", "config"), CASES)
def test_specs_hold(game: str, config: dict[str, Any], kind: Any) -> None:
    check_env_specs(kind(game, 5, seed=1, **config), break_when_any_done="both")
    check_env_specs(kind(game, 5, **config), seed=3)


def test_layout_is_that_of_multi_agent_environments() -> None:
    env = SelfPlayEnv("sixth_card", 6, seed=1, num_players=3)
    size, actions = env.game.observation_size, env.game.num_actions
    assert env.group_map == {"agents": ["player_0", "player_1", "player_2"]}
    rollout = env.rollout(7)
    assert rollout.batch_size == (6, 7)
    shapes = {"observation": (size,), "action_mask": (actions,), "mask": (), "action": ()}
    for name, shape in shapes.items():
        assert rollout[GROUP, name].shape == (6, 7, 3, *shape)
    assert rollout["next", GROUP, "reward"].shape == (6, 7, 3, 1)
    assert rollout["next", "done"].shape == (6, 7, 1)


def test_masks_reach_a_transformed_environment() -> None:
    for game, config in CASES:
        env = TransformedEnv(SelfPlayEnv(game, 4, seed=1, **config), ActionMask(**MASKS))
        check_env_specs(env)
        rollout = play(env, 60)
        taken = rollout[GROUP, "action_mask"].gather(-1, rollout[GROUP, "action"][..., None])
        assert taken.all()


# --- The games are the engine's ------------------------------------------------------------------


@pytest.mark.parametrize(("game", "config"), CASES)
def test_a_rollout_is_the_batch_match_after_match(game: str, config: dict[str, Any]) -> None:
    """No match is lost or skipped, and a reward belongs to the match of its step."""
    rollout = play(SelfPlayEnv(game, 6, seed=9, **config), 250)
    assert rollout["next", "done"].sum() >= 6
    batch = Batch(game, 6, seed=9, dtype="float32", **config)
    step, games = batch.observe(), np.arange(6)[:, None]
    for t in range(250):
        now = rollout[:, t]
        agents = {name: now[GROUP, name].numpy() for name in ("observation", "action_mask")}
        acting = now[GROUP, "mask"].numpy()
        assert np.array_equal(step.observation, agents["observation"][games, step.seat])
        assert np.array_equal(step.action_mask != 0, agents["action_mask"][games, step.seat])
        assert np.array_equal(step.acting, acting[games, step.seat])
        assert acting.sum() == step.acting.sum()
        assert not now["done"].any()
        step = batch.step(now[GROUP, "action"].numpy()[games, step.seat])
        following = now["next"]
        assert np.array_equal(step.reward, following[GROUP, "reward"].squeeze(-1).numpy())
        assert np.array_equal(step.terminated, following["terminated"].squeeze(-1).numpy())
        assert np.array_equal(step.truncated, following["truncated"].squeeze(-1).numpy())


@pytest.mark.parametrize(("game", "config"), CASES)
def test_rewards_are_the_scores_of_the_seats(game: str, config: dict[str, Any]) -> None:
    reward = {"sixes_chips": "chips", "sixes_golf": "points"}.get(game, "penalty")
    env = SelfPlayEnv(game, 5, seed=2, **{**config, "reward": reward})
    shown, paid, ended = env.reset(), np.zeros((5, env.num_players)), 0
    start = config.get("starting_chips", 0)
    for _ in range(250):
        shown = env.step(env.rand_action(shown))["next"]
        paid += shown[GROUP, "reward"].squeeze(-1).numpy()
        over = shown["done"].squeeze(-1)
        for index in over.nonzero().squeeze(-1).tolist():
            position = env.engine.position(index)
            assert position["phase"] == "over"
            scores = position["chips"] if start else [-n for n in position["totals"]]
            assert (paid[index] + start).tolist() == scores
            paid[index], ended = 0.0, ended + 1
        shown = env.maybe_reset(shown)
    assert ended >= 5


@pytest.mark.parametrize("kind", ENVS)
@pytest.mark.parametrize(("game", "config"), CASES)
def test_a_finished_match_stands_still_until_its_reset(
    game: str, config: dict[str, Any], kind: Any
) -> None:
    env = kind(game, 4, seed=3, **config)
    shown, keys = env.reset(), [*env.observation_keys, *env.done_keys]
    torch.manual_seed(0)
    random = env.sample_actions if kind is SelfPlayEnv else env.rand_action
    while not shown["done"].all():  # finished games are stepped on, with `wait`
        before = shown.clone()
        shown = env.step(random(shown))["next"]
        held = before["done"].squeeze(-1)
        assert same(shown.select(*keys)[held], before.select(*keys)[held])
        assert (shown[env.reward_key][held] == 0).all()
    assert env.engine.states["episode"].tolist() == [0] * 4
    shown["_reset"] = torch.tensor([True, False, True, False])[:, None]
    again = env.reset(shown.clone())
    assert again["done"].squeeze(-1).tolist() == [False, True, False, True]
    assert env.engine.states["episode"].tolist() == [1, 0, 1, 0]
    kept = torch.tensor([1, 3])
    assert same(again[kept].exclude("_reset"), shown[kept].exclude("_reset"))


@pytest.mark.parametrize("kind", ENVS)
def test_a_reset_may_break_off_any_games(kind: Any) -> None:
    env, twin = (kind("sixth_card", 3, seed=3, num_players=3) for _ in range(2))
    shown, other = env.reset(), twin.reset()
    for _ in range(4):
        shown = env.rand_action(shown)
        other.update(shown.select(*twin.action_keys))
        shown, other = env.step(shown)["next"], twin.step(other)["next"]
    shown["_reset"] = torch.tensor([False, True, False])[:, None]
    shown = env.reset(shown)
    rest = torch.tensor([0, 2])
    keys = list(env.observation_spec.keys(True, True))
    assert same(shown.select(*keys)[rest], other.select(*keys)[rest])
    assert not same(shown.select(*keys)[1:2], other.select(*keys)[1:2])
    assert env.engine.states["episode"].tolist() == [0, 1, 0]


@pytest.mark.parametrize("kind", ENVS)
@pytest.mark.parametrize(("game", "config"), CASES)
def test_a_step_may_be_for_some_games(game: str, config: dict[str, Any], kind: Any) -> None:
    env = kind(game, 3, seed=3, **config)
    shown, keys = env.reset(), [*env.observation_keys, *env.done_keys]
    torch.manual_seed(0)
    for _ in range(5):
        before = shown.clone()
        shown["_step"] = torch.tensor([True, False, True])
        shown = env.step(env.rand_action(shown))["next"]
        assert same(shown[1:2].select(*keys), before[1:2].select(*keys))
        assert shown[env.reward_key][1].count_nonzero() == 0
        assert not same(shown[::2].select(*keys), before[::2].select(*keys))


# --- Seeds and workers ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ENVS)
def test_a_seed_repeats_and_another_does_not(kind: Any) -> None:
    first = play(kind("six_nimmt", 4, seed=7), 40)
    env = kind("six_nimmt", 4)
    for seed, equal in ((7, True), (8, False), (7, True)):
        env.set_seed(seed)
        assert same(play(env, 40), first) is equal
    assert not same(play(env, 40), first)  # the stream goes on


def test_workers_share_one_stream_of_games() -> None:
    def worker(index: int) -> SelfPlayEnv:
        return SelfPlayEnv("sixth_card", 3, seed=4, first_index=3 * index, num_players=3)

    whole = SelfPlayEnv("sixth_card", 6, seed=4, num_players=3).reset()
    parts = SerialEnv(2, [lambda: worker(0), lambda: worker(1)]).reset()
    assert same(parts.reshape(6), whole)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_play_what_one_process_plays(method: str) -> None:
    def make() -> SelfPlayEnv:
        return SelfPlayEnv("sixes_golf", 2, num_rounds=1)

    played = []
    for env in (SerialEnv(2, make), ParallelEnv(2, make, mp_start_method=method)):
        env.set_seed(6)
        played.append(_first_legal(env, 60))
        env.close()
    assert same(*played)
    deals = played[0][GROUP, "observation"]
    assert not torch.equal(deals[0], deals[1]), "two workers have the same deals"


def _first_legal(env: Any, steps: int) -> TensorDictBase:
    def policy(td: TensorDictBase) -> TensorDictBase:  # TorchRL goes by the argument's name
        return td.set((GROUP, "action"), td[GROUP, "action_mask"].int().argmax(-1))

    rollout: TensorDictBase = env.rollout(steps, policy, break_when_any_done=False).clone()
    return rollout


@pytest.mark.parametrize("kind", ENVS)
@pytest.mark.parametrize(("game", "config"), CASES)
def test_copies_go_on_alike(game: str, config: dict[str, Any], kind: Any) -> None:
    env = kind(game, 3, seed=1, **config)
    play(env, 20)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    expected = play(env, 60)
    for twin in twins:
        assert same(play(twin, 60), expected)


def _send_digest(env: SelfPlayEnv, pipe: Any) -> None:
    torch.set_num_threads(1)
    pipe.send(float(play(env, 30)[GROUP, "observation"].double().sum()))


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_process_goes_on_with_what_it_was_given(method: str) -> None:
    env = SelfPlayEnv("sixth_card", 2, seed=1)
    play(env, 10)
    context: Any = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=_send_digest, args=(copy.deepcopy(env), theirs))
    process.start()
    assert ours.poll(120)
    assert ours.recv() == float(play(env, 30)[GROUP, "observation"].double().sum())
    process.join(60)


# --- Illegal input -------------------------------------------------------------------------------


def test_an_illegal_action_is_named_and_changes_nothing() -> None:
    env = SelfPlayEnv("sixth_card", 2, seed=1)
    shown = env.rand_action(env.reset())
    before = env.engine.save()
    shown[GROUP, "action"][1, 2] = env.game.wait
    with pytest.raises(IllegalActionError, match="player_2 of game 1 may not take action 56"):
        env.step(shown)
    assert same_records(env.engine.save(), before)


def test_a_seat_whose_turn_it_is_not_may_only_wait() -> None:
    env = SelfPlayEnv("sixes_chips", 2, seed=1, num_players=3)
    shown = env.rand_action(env.reset())
    waiting = int((~shown[GROUP, "mask"][1]).nonzero()[0])
    before = env.engine.save()
    shown[GROUP, "action"][1, waiting] = 7
    with pytest.raises(IllegalActionError, match=f"player_{waiting} of game 1 .* legal now"):
        env.step(shown)
    assert same_records(env.engine.save(), before)


# --- One learner ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "config"), CASES)
def test_a_learner_plays_the_matches_of_the_vector_environment(
    game: str, config: dict[str, Any]
) -> None:
    options: dict[str, Any] = {"opponents": "random", **config}
    env, vector = LearnerEnv(game, 5, **options), SoloVectorEnv(game, num_envs=5, **options)
    env.set_seed(11)
    shown, (observation, _), ends = env.reset(), vector.reset(seed=11), 0
    for _ in range(80):
        assert np.array_equal(shown["observation"], observation["observation"])
        assert np.array_equal(shown["action_mask"], observation["action_mask"] != 0)
        whole, shown = env.step_and_maybe_reset(env.rand_action(shown))
        actions: NDArray[np.int64] = whole["action"].numpy()
        observation, reward, terminated, truncated, info = vector.step(actions)
        after = whole["next"]
        assert np.array_equal(after["reward"].squeeze(-1), reward.astype(np.float32))
        assert np.array_equal(after["terminated"].squeeze(-1), terminated)
        assert np.array_equal(after["truncated"].squeeze(-1), truncated)
        for index in np.flatnonzero(terminated | truncated):
            last, ends = info["final_obs"][index], ends + 1
            assert np.array_equal(after["observation"][index], last["observation"])
            assert np.array_equal(after["action_mask"][index], last["action_mask"] != 0)
    assert ends >= 5


# --- TorchRL's own wrapper -----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using:UserWarning")
@pytest.mark.parametrize("on_any", [True, False])
def test_torchrls_pettingzoo_wrapper_takes_our_environments(on_any: bool) -> None:
    parallel = sixth_card_v0.parallel_env(num_players=3, num_rounds=1)
    check_env_specs(PettingZooWrapper(parallel, done_on_any=on_any))
    aec = sixes_golf_v0.env(num_players=3, num_rounds=1)
    check_env_specs(PettingZooWrapper(aec, use_mask=True, done_on_any=on_any))
