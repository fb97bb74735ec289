"""The single-agent environments as Gymnasium finds, checks, vectorises and copies them."""

from __future__ import annotations

import copy
import itertools
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import sixth_env  # noqa: F401  # registers the environments
from sixth_env import GAMES, sixth_card_v0
from sixth_env.errors import ConfigError, IllegalActionError, PositionError
from sixth_env.notation import Replay
from sixth_env.solo import Mix, SoloEnv, SoloVectorEnv
from sixth_env.testing import LegalSolo
from tests.envs import chooser, same, seek

ROOT = Path(__file__).resolve().parents[1]
IDS = {
    "sixth_card": "sixth_env/SixthCard-v0",
    "six_nimmt": "sixth_env/SixNimmt-v0",
    "sixes_chips": "sixth_env/SixesChips-v0",
    "sixes_golf": "sixth_env/SixesGolf-v0",
}
every_id = pytest.mark.parametrize("name", IDS.values())


@pytest.fixture(autouse=True)
def _headless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def play(env: Any, steps: int, seed: int | None = 0, salt: int = 0) -> list[Any]:
    """Everything that resets and steps gave; a new match after each end."""
    choose, found = chooser(salt), [env.reset(seed=seed)]
    seen = found[0][0]
    for _ in range(steps):
        found.append(env.step(choose("player_0", seen)))
        seen = found[-1][0]
        if found[-1][2] or found[-1][3]:
            found.append(env.reset())
            seen = found[-1][0]
    return found


# --- Found and checked ---------------------------------------------------------------------------


def test_every_game_has_an_id() -> None:
    assert IDS.keys() == GAMES.keys()
    for game, name in IDS.items():
        env = gymnasium.make(name)
        assert env.unwrapped.match.engine.game.id == game  # type: ignore[attr-defined]


PROBE = """
import json, sys, time
import numpy, gymnasium  # loaded by everybody who uses the environments
start = time.perf_counter()
import sixth_env
seconds = time.perf_counter() - start
loaded = [name for name in ("numba", "torch", "pygame", "sixth_env.solo") if name in sys.modules]
spec = gymnasium.spec("sixth_env/SixthCard-v0")
print(json.dumps([seconds, loaded, spec.id]))
"""


def test_registering_loads_next_to_nothing() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    seconds, loaded, found = json.loads(run.stdout)
    assert (loaded, found) == ([], "sixth_env/SixthCard-v0")
    assert seconds < 0.5


def test_an_id_with_the_package_needs_no_import() -> None:
    code = 'import gymnasium; print(gymnasium.make("sixth_env:sixth_env/SixesGolf-v0").spec.id)'
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "sixth_env/SixesGolf-v0"


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version.*:UserWarning")
@every_id
def test_gymnasiums_own_checks(name: str) -> None:
    """They send illegal actions on purpose, hence the wrapper."""
    check_env(LegalSolo(gymnasium.make(name, render_mode="ansi").unwrapped))


@every_id
def test_make_and_its_wrappers(name: str) -> None:
    env = gymnasium.make(name, opponents="random", num_players=3)
    for seen, *_, info in play(env, 60):
        assert seen in env.observation_space
        assert same(seen["action_mask"], info["action_mask"])
        assert 0 <= info["seat"] < 3
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == bool
    assert same(masks, seen["action_mask"] != 0)


# --- One game ------------------------------------------------------------------------------------


def test_matches_repeat_from_a_seed_and_go_on_without() -> None:
    env = gymnasium.make(IDS["sixth_card"], opponents=Mix(["random", "closest"]), num_rounds=1)
    first = play(env, 40, seed=0)
    assert same(play(env, 40, seed=0), first)
    assert not same(play(env, 40, seed=1), first)
    starts = [entry for entry in first if len(entry) == 2]
    assert len({start[0]["observation"].tobytes() for start in starts}) == len(starts)
    fresh = [play(gymnasium.make(IDS["sixth_card"]), 0, None)[0] for _ in range(2)]
    assert not same(*fresh)


def test_the_seat_is_fixed_drawn_or_given() -> None:
    assert {play(SoloEnv(seat=2), 0, seed)[0][1]["seat"] for seed in range(5)} == {2}
    drawn = [play(SoloEnv(), 0, seed)[0][1]["seat"] for seed in range(40)]
    assert set(drawn) == {0, 1, 2, 3}
    env = SoloEnv(seat=2)
    assert env.reset(seed=1, options={"seat": 3})[1]["seat"] == 3
    assert env.reset(seed=1)[1]["seat"] == 2
    with pytest.raises(ConfigError, match=r"options\['seat'\] must be from 0 to 3, not 4"):
        env.reset(options={"seat": 4})


@pytest.mark.parametrize("game", IDS)
def test_the_end_tells_totals_and_winners_and_the_story_is_a_replay(game: str) -> None:
    env = SoloEnv(game, opponents="random", num_rounds=1)
    seen, _ = env.reset(seed=4)
    choose, over, cut = chooser(), False, False
    info: dict[str, Any] = {}
    while not (over or cut):
        seen, _, over, cut, info = env.step(choose("player_0", seen))
    totals = info["totals"]
    best = max(totals) if game == "sixes_chips" else min(totals)
    assert info["winners"] == [seat for seat, total in enumerate(totals) if total == best]
    replay = Replay.model_validate(env.replay())
    last = [event for step in replay.events() for event in step if event["type"] == "match_end"]
    assert last[-1]["chips" if game == "sixes_chips" else "totals"] == totals
    assert env.position()["phase"] == "over"
    with pytest.raises(IllegalActionError, match="no match is in progress: call reset"):
        env.step(0)


@pytest.mark.parametrize("wrong", [57, -1, True, 1.0, np.nan, None, "0", np.array([3, 4]), 56])
def test_an_illegal_action_names_seat_action_and_what_was_legal(wrong: Any) -> None:
    env, twin = SoloEnv(), SoloEnv()
    with pytest.raises(IllegalActionError, match="no match is in progress"):
        env.step(0)
    seen, info = env.reset(seed=1)
    twin.reset(seed=1)
    legal = np.flatnonzero(seen["action_mask"]).tolist()
    with pytest.raises(IllegalActionError) as caught:
        env.step(wrong)
    assert f"player_{info['seat']} may not take action" in str(caught.value)
    assert f"legal now: {legal}" in str(caught.value)
    assert same(env.step(legal[0]), twin.step(legal[0]))


def test_the_mask_that_was_given_can_be_written_into() -> None:
    env = SoloEnv()
    seen, _ = env.reset(seed=1)
    kept = env.action_masks()
    seen["action_mask"][:] = 0
    assert same(env.action_masks(), kept)


def test_a_match_can_start_from_a_position() -> None:
    position = seek("sixth_card", 4, "row", turn=3)
    chooser_seat = position["revealed"][0]["player"]
    env = SoloEnv(opponents="closest", seat=chooser_seat)
    seen, _ = env.reset(options={"position": position})
    assert np.flatnonzero(seen["action_mask"]).tolist() == [52, 53, 54, 55]
    assert env.position() == position
    other = SoloEnv(opponents="closest", seat=(chooser_seat + 1) % 4)
    seen, _ = other.reset(options={"position": position})
    assert seen["action_mask"][:52].any()  # the row was taken by an opponent, and it is card time
    over = {**position, "phase": "over"}
    with pytest.raises(PositionError):
        env.reset(options={"position": over})


def test_a_position_without_a_decision_for_the_learner_is_refused() -> None:
    env = sixth_card_v0.parallel_env(num_players=2, num_rounds=1)
    seen, _ = env.reset(seed=0)
    choose = chooser()
    while env.agents:
        last = env.position()
        seen = env.step({agent: choose(agent, seen[agent]) for agent in env.agents})[0]
    solo = SoloEnv(num_players=2, num_rounds=1, seat=0)
    with pytest.raises(PositionError, match="nothing to decide"):
        solo.reset(options={"position": env.position()})
    assert last["phase"] != "over"
    with pytest.raises(IllegalActionError, match="no match is in progress"):
        solo.step(0)


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("game", IDS)
def test_a_copy_goes_on_identically(game: str, copier: Any) -> None:
    env, choose = gymnasium.make(IDS[game], opponents=Mix(["random", "mc:2"])), chooser()
    copier(env)  # before the first reset
    seen = play(env, 15)[-1][0]
    twin = copier(env)
    assert env.action_space.sample() == twin.action_space.sample()
    for _ in range(30):
        action = choose("player_0", seen)
        step, other = env.step(action), twin.step(action)
        assert same(step, other)
        seen = step[0]
        if step[2] or step[3]:
            start = env.reset()
            assert same(start, twin.reset())
            seen = start[0]
    assert env.unwrapped.events() == twin.unwrapped.events()  # type: ignore[attr-defined]


# --- Pictures ------------------------------------------------------------------------------------


def test_text_shows_what_the_learner_may_see() -> None:
    env = SoloEnv(render_mode="ansi", seat=1)
    env.reset(seed=1)
    shown = {who: _text(who) for who in ("learner", None, "all")}
    own = sixth_card_v0.parallel_env(render_mode="ansi", render_as="player_1")
    own.reset(seed=1)
    assert shown["learner"] == env.render() == own.render()
    assert len({*shown.values()}) == 3
    with pytest.raises(ConfigError, match="render_as must be"):
        SoloEnv(render_as="somebody")
    with pytest.raises(ConfigError, match="render_mode must be"):
        SoloEnv(render_mode="film")


def test_the_window_never_shows_the_seat_of_the_match_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = SoloEnv("sixes_golf", num_rounds=1)
    seen: set[tuple[str | None, int]] = set()
    refresh = lambda: seen.add((env.match.render_as, env.seat))  # noqa: E731
    monkeypatch.setattr(env.match, "_refresh_window", refresh)
    for seed in range(8):
        env.reset(seed=seed)
        assert env.match.render_as == f"player_{env.seat}"
    assert {seat for _, seat in seen} == {0, 1, 2, 3}
    assert all(shown in (None, f"player_{seat}") for shown, seat in seen)


def test_matches_without_a_choice_are_passed_over() -> None:
    """With one card each, the owner of a card that is too low alone has a choice: the row."""
    rules: dict[str, Any] = {"num_players": 2, "num_rounds": 1, "hand_size": 1}
    env = SoloEnv(skip_forced=True, **rules)
    envs = SoloVectorEnv(num_envs=2, skip_forced=True, **rules)
    for seed in range(5):
        seen, _ = env.reset(seed=seed)
        many, _ = envs.reset(seed=seed)
        for _ in range(4):
            assert np.flatnonzero(seen["action_mask"]).tolist() == [52, 53, 54, 55]
            assert same(seen["observation"], many["observation"][0])
            assert env.step(54)[2]
            seen, _ = env.reset()
            many = envs.step(np.array([54, 52]))[0]


def _text(who: str | None) -> str:
    env = SoloEnv(render_mode="ansi", render_as=who, seat=1)
    env.reset(seed=1)
    return str(env.render())


# --- Many games ----------------------------------------------------------------------------------


def vector_play(envs: Any, steps: int, seed: Any = 0) -> list[Any]:
    found = [envs.reset(seed=seed)]
    for number in range(steps):
        mask = found[-1][-1]["action_mask"]
        legal = mask.sum(axis=1)
        pick = (mask @ np.arange(1, mask.shape[1] + 1) + number) % legal
        actions = ((mask.cumsum(axis=1) > pick[:, None]) & (mask > 0)).argmax(axis=1)
        found.append(envs.step(actions))
    return found


@every_id
def test_the_native_vector_environment(name: str) -> None:
    envs = gymnasium.make_vec(name, num_envs=5, opponents="random", num_rounds=1)
    assert isinstance(envs, SoloVectorEnv)
    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    found = vector_play(envs, 80)
    ends = 0
    for seen, *flags, info in found:
        assert seen in envs.observation_space
        assert same(seen["action_mask"], info["action_mask"])
        assert (seen["action_mask"][:, -1] == 0).all()  # nobody waits
        if not flags:
            continue
        ended = flags[1] | flags[2]
        assert ended.any() == ("final_obs" in info)
        for i in np.flatnonzero(ended):
            ends += 1
            assert info["final_obs"][i] in envs.single_observation_space
            assert info["final_obs"][i]["action_mask"].nonzero()[0].tolist() == [
                envs.single_action_space.n - 1  # type: ignore[attr-defined]
            ]
            assert info["final_info"]["winners"][i].any()
        if ended.any():
            assert same(info["_final_obs"], ended)
    assert ends > 5
    again = vector_play(envs, 80)
    assert same([step[:-1] for step in found], [step[:-1] for step in again])
    told = [[step[-1].get("final_info") for step in each] for each in (found, again)]
    assert same(*told)
    arrays = [id(array) for seen, *_ in found for array in seen.values()]
    assert len(set(arrays)) == len(arrays)


@every_id
def test_game_0_is_the_single_environments(name: str) -> None:
    env = gymnasium.make(name, opponents="random", num_rounds=1)
    envs = gymnasium.make_vec(name, num_envs=3, opponents="random", num_rounds=1)
    vector = vector_play(envs, 60, seed=7)
    seen, info = env.reset(seed=7)
    for number, (now, after) in enumerate(itertools.pairwise(vector)):
        assert same(seen["observation"], now[0]["observation"][0])
        assert info["seat"] == now[-1]["seat"][0]
        mask = seen["action_mask"]
        pick = (mask @ np.arange(1, len(mask) + 1) + number) % mask.sum()
        action = int(((mask.cumsum() > pick) & (mask > 0)).argmax())
        seen, reward, over, cut, info = env.step(action)
        assert (reward, over, cut) == tuple(array[0] for array in after[1:4])
        if over or cut:
            final = after[4]["final_info"]
            assert final["totals"][0].tolist() == info["totals"]
            assert np.flatnonzero(final["winners"][0]).tolist() == info["winners"]
            assert final["seat"][0] == info["seat"]
            assert same(after[4]["final_obs"][0]["observation"], seen["observation"])
            seen, info = env.reset()


def test_gymnasiums_own_vector_environments_work_too() -> None:
    """One process each: deals differ between workers, and repeat from one seed."""
    options: dict[str, Any] = {"opponents": "random", "num_rounds": 1}
    name = IDS["sixth_card"]
    envs = gymnasium.make_vec(name, 3, vectorization_mode="sync", **options)
    here = vector_play(envs, 15, seed=5)
    for context in ("fork", "spawn"):
        workers = gymnasium.make_vec(
            f"sixth_env:{name}", 3, "async", vector_kwargs={"context": context}, **options
        )
        there = vector_play(workers, 15, seed=5)
        workers.close()
        for a, b in zip(here, there, strict=True):
            assert same(a[0], b[0])
            assert same(a[-1]["action_mask"], b[-1]["action_mask"])
    first = here[0][0]["observation"]
    assert len({row.tobytes() for row in first}) == 3


def test_what_the_vector_environment_refuses() -> None:
    envs = gymnasium.make_vec(IDS["sixth_card"], num_envs=2)
    envs.reset(seed=1)
    with pytest.raises(IllegalActionError, match="of game 0 may not take action 56"):
        envs.step(np.array([56, 56]))
    with pytest.raises(ConfigError, match="no option 'threads'"):
        gymnasium.make_vec(IDS["sixth_card"], num_envs=2, threads=2)
    with pytest.raises(ConfigError, match="no option 'first_index'"):
        SoloEnv(first_index=2)


FRESH = """
import pickle, sys
env, action = pickle.load(sys.stdin.buffer)
pickle.dump((env.step(action), env.unwrapped.events()), sys.stdout.buffer)
"""


def test_a_fresh_process_can_unpickle() -> None:
    env = gymnasium.make(IDS["sixth_card"], opponents="cautious")
    seen, _ = env.reset(seed=2)
    action = int(np.flatnonzero(seen["action_mask"])[0])
    run = subprocess.run(
        [sys.executable, "-c", FRESH],
        input=pickle.dumps((env, action)),
        capture_output=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    step, events = pickle.loads(run.stdout)
    assert same(step, env.step(action))
    assert events == env.unwrapped.events()  # type: ignore[attr-defined]
