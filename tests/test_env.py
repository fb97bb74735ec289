"""The PettingZoo environments: what they promise beyond PettingZoo's own suites."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env import Batch, sixth_card_v0
from sixth_env.errors import ConfigError
from sixth_env.notation import Replay
from tests.envs import MODULES, TABLES, actions_of, chooser, play_aec, play_parallel, same

ROOT = Path(__file__).resolve().parents[1]
WAIT = 56


# --- Whole matches --------------------------------------------------------------------------------


@pytest.mark.global_random
@pytest.mark.parametrize("game", MODULES)
def test_twenty_matches_are_determined_by_the_seed(game: str) -> None:
    """Two environments in step, with draws from the global generators between the steps."""
    envs = [MODULES[game].parallel_env(num_players=5) for _ in range(2)]
    choose, rounds, finals = chooser(), 0, []
    for match in range(20):
        seed = 11 if match == 0 else None
        first, second = (env.reset(seed=seed) for env in envs)
        assert same(first, second)
        while envs[0].agents:
            random.random()
            np.random.random()
            actions = actions_of(first[0], choose)
            first, second = (env.step(actions) for env in envs)
            assert same(first, second)
        positions = [env.position() for env in envs]
        assert positions[0] == positions[1]
        rounds += positions[0]["round"]
        finals.append(tuple(positions[0]["totals"]))
    assert rounds > 40
    assert len(set(finals)) > 15


@pytest.mark.parametrize("form", ["parallel_env", "raw_env"])
def test_the_stream_of_deals(form: str) -> None:
    """No seed goes on with the stream, a seed starts it again, and 0 is a seed like any other."""
    env, other = getattr(sixth_card_v0, form)(), getattr(sixth_card_v0, form)()

    def deals(first: int) -> list[Any]:
        env.reset(seed=first)
        hands = [env.position()["hands"]]
        for _ in range(4):
            env.reset()
            hands.append(env.position()["hands"])
        return hands

    zero, one = deals(0), deals(1)
    assert len({str(hands) for hands in zero + one}) == 10
    assert deals(0) == zero
    other.reset(seed=0)
    assert other.position()["hands"] == zero[0]
    other.reset(seed=np.int64(1))
    assert other.position()["hands"] == one[0]


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True])
def test_a_bad_seed_is_refused(seed: Any) -> None:
    env = sixth_card_v0.parallel_env()
    env.reset(seed=1)
    before = env.position()
    with pytest.raises(ConfigError, match="seed"):
        env.reset(seed=seed)
    assert env.position() == before


@pytest.mark.parametrize("row_choice", ["player", "cheapest"])
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_both_forms_play_the_same_match(game: str, players: int, row_choice: str) -> None:
    config = {"num_players": players, "row_choice": row_choice, "reward": "relative"}
    parallel, turns = MODULES[game].parallel_env(**config), MODULES[game].env(**config)
    observations, _ = parallel.reset(seed=players)
    record = play_parallel(parallel, observations, chooser())
    turns.reset(seed=players)
    order, paid = play_aec(turns, chooser())
    for agent in parallel.possible_agents:
        assert sum(step[1][agent] for step in record) == pytest.approx(paid[agent])
    assert turns.unwrapped.position() == parallel.position()
    assert turns.unwrapped.events() == parallel.events()
    asked = [event["player"] for event in parallel.events() if event["type"] == "row_decision"]
    turns_played = 10 * parallel.position()["round"]
    assert len(record) == turns_played + len(asked)
    assert len(order) == players * turns_played + len(asked)
    assert (asked == []) == (row_choice == "cheapest")


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_a_match(game: str, players: int) -> None:
    """Masks, waiting seats, flags, rewards and infos at every step of a match."""
    env = MODULES[game].parallel_env(num_players=players)
    observations, infos = env.reset(seed=0)
    wait = env.action_space("player_0").n - 1
    paid, choose = dict.fromkeys(env.agents, 0.0), chooser()
    while env.agents:
        assert env.agents == list(observations) == list(infos) == env.possible_agents
        acting = [a for a in env.agents if not observations[a]["action_mask"][wait]]
        for agent, seen in observations.items():
            assert seen in env.observation_space(agent)
            assert same(seen["action_mask"], infos[agent]["action_mask"])
            assert seen["action_mask"].sum() == 1 or agent in acting
        assert len(acting) in (1, players)
        observations, rewards, ended, cut, infos = env.step(actions_of(observations, choose))
        for agent in rewards:
            paid[agent] += rewards[agent]
        assert len(set(ended.values())) == 1
        assert not any(cut.values())
    assert all(ended.values())
    totals = env.position()["totals"]
    assert list(paid.values()) == [-total for total in totals]
    assert max(totals) >= 66
    for agent, info in infos.items():
        assert observations[agent]["action_mask"].nonzero()[0].tolist() == [wait]
        assert json.loads(json.dumps(info["totals"])) == totals
        assert info["winners"] == [s for s in range(players) if totals[s] == min(totals)]


@pytest.mark.parametrize("reward", ["penalty", "relative", "win"])
def test_rewards(reward: str) -> None:
    env = sixth_card_v0.parallel_env(num_players=3, reward=reward, target_score=20)
    observations, _ = env.reset(seed=2)
    steps = [list(step[1].values()) for step in play_parallel(env, observations, chooser())]
    paid, totals = np.sum(steps, axis=0), np.array(env.position()["totals"])
    if reward == "penalty":
        assert paid.tolist() == (-totals).tolist()
    elif reward == "relative":
        assert paid == pytest.approx((totals.sum() - totals) / 2 - totals)
        assert np.sum(steps, axis=1) == pytest.approx(0, abs=1e-5)
    else:
        winners = totals == totals.min()
        assert steps[-1] == pytest.approx(winners / winners.sum())
        assert not np.any(steps[:-1])


def test_a_match_is_game_0_of_a_batch() -> None:
    env, batch = sixth_card_v0.parallel_env(), Batch("sixth_card", 3, seed=9, dtype="float32")
    observations, _ = env.reset(seed=9)
    step = batch.reset(seed=9)
    choose = chooser()
    for _ in range(200):
        seen = np.array([o["observation"] for o in observations.values()])
        assert seen.tobytes() == step.observation[0].tobytes()
        actions = actions_of(observations, choose)
        observations, rewards, *_ = env.step(actions)
        draws = batch.sample_actions()
        draws[0] = list(actions.values())
        step = batch.step(draws)
        assert list(rewards.values()) == step.reward[0].tolist()
        if not env.agents:
            assert step.terminated[0]
            observations, _ = env.reset()


# --- What is handed out ---------------------------------------------------------------------------


def test_the_caller_owns_what_it_gets() -> None:
    """Arrays of earlier steps keep their values, and scribbling on one changes nothing."""
    env, twin = sixth_card_v0.parallel_env(), sixth_card_v0.parallel_env()
    seen, _ = env.reset(seed=4)
    expected, _ = twin.reset(seed=4)
    old, choose = [], chooser()
    while twin.agents:
        actions = actions_of(expected, choose)
        for agent in seen:
            old.append((seen[agent], copy.deepcopy(seen[agent])))
        seen = env.step(actions)[0]
        expected = twin.step(actions)[0]
        assert same(seen, expected)
    assert all(same(kept, copied) for kept, copied in old)
    seen, _ = env.reset(seed=4)
    expected, _ = twin.reset(seed=4)
    actions = actions_of(expected, choose)
    for given in seen.values():
        given["observation"][:] = 7
        given["action_mask"][:] = 1
    assert same(env.step(actions), twin.step(actions))
    assert same(env.state(), twin.state())


def test_the_caller_owns_what_the_aec_form_gives() -> None:
    env, twin = sixth_card_v0.raw_env(), sixth_card_v0.raw_env()
    env.reset(seed=4)
    twin.reset(seed=4)
    for _ in range(30):
        agent, seen = env.agent_selection, twin.observe(twin.agent_selection)
        for given in (env.observe(agent), env.last()[0]):
            given["observation"][:] = 7
            given["action_mask"][:] = 1
        for info in env.infos.values():
            info["action_mask"][:] = 1
        env.position()["hands"].clear()
        env.events().clear()
        action = chooser()(agent, seen)
        env.step(action)
        twin.step(action)
        assert same(env.last(), twin.last())
        assert env.position() == twin.position()
        assert env.events() == twin.events()


def test_spaces_are_one_object_an_agent() -> None:
    env = sixth_card_v0.parallel_env()
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
    first, second = (env.action_space(agent) for agent in env.possible_agents[:2])
    first.seed(1)
    second.seed(1)
    assert [first.sample() for _ in range(9)] == [second.sample() for _ in range(9)]


def test_state_holds_every_seat_and_committed_cards() -> None:
    parallel, turns = sixth_card_v0.parallel_env(), sixth_card_v0.env()
    observations, _ = parallel.reset(seed=6)
    turns.reset(seed=6)
    seats = np.concatenate([seen["observation"] for seen in observations.values()])
    assert same(parallel.state(), np.concatenate([seats, np.zeros(4, np.float32)]))
    card = chooser()("player_0", turns.last()[0])
    turns.step(card)
    committed = turns.state()[-4:]
    assert committed.tolist() == [np.float32(card + 1) / np.float32(57), 0, 0, 0]
    assert turns.state() in turns.unwrapped.state_space
    while turns.agent_selection != "player_0":
        turns.step(chooser()(turns.agent_selection, turns.last()[0]))
    assert turns.state()[-4:].tolist() == [0, 0, 0, 0]


def test_events_are_numbered_and_filtered() -> None:
    env = sixth_card_v0.parallel_env(num_players=5)
    observations, _ = env.reset(seed=1)
    choose, piecewise = chooser(), [env.events()]
    while env.agents:
        observations = env.step(actions_of(observations, choose))[0]
        piecewise.append(env.events(since=sum(map(len, piecewise))))
    events = env.events()
    assert events == [event for piece in piecewise for event in piece]
    assert json.loads(json.dumps(events)) == events
    assert events[0]["type"] == "deal"
    assert events[-1] == {"type": "match_end", "totals": env.position()["totals"],
                          "winners": events[-1]["winners"]}  # fmt: skip
    for seat, agent in enumerate(env.possible_agents):
        for told, event in zip(env.events(agent=agent), events, strict=True):
            if event["type"] == "deal":
                hands = [hand if s == seat else 10 for s, hand in enumerate(event["hands"])]
                event = {**event, "hands": hands}
            assert told == event
    env.reset()
    assert [event["type"] for event in env.events()] == ["deal"]


@pytest.mark.parametrize("form", ["parallel_env", "env"])
def test_a_replay_gives_the_match_again(form: str) -> None:
    env = getattr(sixth_card_v0, form)(num_players=5)
    given = env.reset(seed=1)
    if form == "parallel_env":
        play_parallel(env, given[0], chooser())
    else:
        play_aec(env, chooser())
    replay = Replay.read(json.loads(json.dumps(env.unwrapped.replay())))
    steps = [event for step in replay.events() for event in step]
    assert steps == env.unwrapped.events(since=1)  # the first deal is the replay's position
    assert replay.verify() == env.unwrapped.position()
