"""The PettingZoo environments of the games played in turns: Sixes with chips, and golf."""

from __future__ import annotations

import copy
import json
import pickle
from types import ModuleType
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.conversions import aec_to_parallel

from sixth_env import Batch, sixes_chips_v0, sixes_golf_v0
from sixth_env.engine import Engine
from sixth_env.envs.parallel import ParallelMatch
from sixth_env.errors import ConfigError, IllegalActionError, PositionError
from sixth_env.notation import Replay
from tests.envs import Json, chooser, play_aec, same

MODULES: dict[str, ModuleType] = {"sixes_chips": sixes_chips_v0, "sixes_golf": sixes_golf_v0}
TABLES = [(game, players) for game in MODULES for players in range(2, 9)]
SHORT: dict[str, Json] = {"sixes_chips": {"starting_chips": 3}, "sixes_golf": {"num_rounds": 2}}
# Nobody runs out of 90 chips in two rounds, and no round of four players is over in three turns.
CAPPED: dict[str, Json] = {
    "sixes_chips": {"starting_chips": 90, "max_rounds": 2},
    "sixes_golf": {"max_turns": 3},
}
WAIT = {"sixes_chips": 41, "sixes_golf": 22}
WINS = {"sixes_chips": max, "sixes_golf": min}

dict_remarks = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
)
both_games = pytest.mark.parametrize("game", MODULES)
both_forms = pytest.mark.parametrize("form", ["env", "raw_env"])


def played(env: Any, seed: int, steps: int, salt: int = 0) -> Any:
    """The environment after that many steps of a match, which must go on after them."""
    env.reset(seed=seed)
    choose = chooser(salt)
    for _ in range(steps):
        seen, _, terminated, truncated, _ = env.last()
        assert not terminated and not truncated
        env.step(choose(env.agent_selection, seen))
    return env


# --- PettingZoo's own suites, every warning an error ----------------------------------------------


@dict_remarks
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_api(game: str, players: int) -> None:
    api_test(MODULES[game].env(num_players=players, **SHORT[game]), num_cycles=40)


@dict_remarks
@both_games
def test_raw_api(game: str) -> None:
    api_test(MODULES[game].raw_env(), num_cycles=40)


@both_games
def test_seeds(game: str) -> None:
    seed_test(MODULES[game].env, num_cycles=200)


@both_games
def test_render(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    render_test(MODULES[game].env)


@both_games
def test_there_is_no_parallel_form(game: str) -> None:
    module = MODULES[game]
    assert not hasattr(module, "parallel_env")
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(module.env())
    with pytest.raises(ConfigError, match="is played in turns: it has an AEC environment only"):
        ParallelMatch(game)


@both_games
@both_forms
def test_metadata(game: str, form: str) -> None:
    env = getattr(MODULES[game], form)()
    assert str(env) == env.metadata["name"] == f"{game}_v0"
    assert not env.metadata["is_parallelizable"]


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27")
@both_games
def test_registry(game: str) -> None:
    env = pettingzoo.make("aec", f"sixth_env/{game}_v0", num_players=3)
    assert str(env) == f"{game}_v0"
    assert len(env.possible_agents) == 3


# --- Whole matches --------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_a_match(game: str, players: int) -> None:
    """Whose turn it is, masks, flags, rewards and infos, over a whole match."""
    env = MODULES[game].raw_env(num_players=players, **SHORT[game])
    env.reset(seed=players)
    choose, paid = chooser(), dict.fromkeys(env.agents, 0.0)
    while not any(env.terminations.values()):
        agent = env.agent_selection
        assert env.agents == env.possible_agents
        assert not any(env.truncations.values())
        assert agent == f"player_{env.position()['to_act']}"
        for other in env.agents:
            seen = env.observe(other)
            assert seen in env.observation_space(other)
            assert same(seen["action_mask"], env.infos[other]["action_mask"])
            legal = seen["action_mask"].nonzero()[0].tolist()
            assert (legal == [WAIT[game]]) == (other != agent)
        env.step(choose(agent, env.observe(agent)))
        for other, reward in env.rewards.items():
            paid[other] += reward
    assert all(env.terminations.values())
    position = env.position()
    if game == "sixes_chips":
        totals = position["chips"]
        assert list(paid.values()) == [chips - 3 for chips in totals]
    else:
        totals = position["totals"]
        assert list(paid.values()) == [-total for total in totals]
    for info in env.infos.values():
        assert info["action_mask"].nonzero()[0].tolist() == [WAIT[game]]
        assert json.loads(json.dumps(info["totals"])) == totals
        best = WINS[game](totals)
        assert info["winners"] == [seat for seat, own in enumerate(totals) if own == best]
    assert env.events()[-1]["winners"] == env.infos["player_0"]["winners"]


@both_games
def test_the_cap_truncates(game: str) -> None:
    """A match cut off is truncated and not terminated, and nobody has won it."""
    env = MODULES[game].env(reward="win", **CAPPED[game])
    env.reset(seed=1)
    _, paid = play_aec(env, chooser())
    assert set(paid.values()) == {0.0}
    env.reset(seed=1)
    choose = chooser()
    while not any(env.truncations.values()):
        assert not any(env.terminations.values())
        env.step(choose(env.agent_selection, env.last()[0]))
    assert all(env.truncations.values()) and not any(env.terminations.values())
    position = env.unwrapped.position()
    totals = position["chips" if game == "sixes_chips" else "totals"]
    assert position["phase"] == "over"
    for info in env.infos.values():
        assert (info["totals"], info["winners"]) == (totals, [])
    assert "match_end" not in [event["type"] for event in env.unwrapped.events()]


@both_games
def test_the_last_position_of_either_kind_of_match(game: str) -> None:
    """It is over from the start, as it was when it was reached, and says who won."""
    for config in (SHORT[game], CAPPED[game]):
        env = MODULES[game].env(**config)
        env.reset(seed=1)
        play_aec(env, chooser())
        other = MODULES[game].env(**config)
        other.reset(options={"position": env.unwrapped.position()})
        cut_off = config is CAPPED[game]
        assert set(other.truncations.values()) == {cut_off}
        assert set(other.terminations.values()) == {not cut_off}
        for info in other.infos.values():
            assert bool(info["winners"]) != cut_off


@both_games
@pytest.mark.parametrize("reward", ["relative", "win"])
def test_rewards(game: str, reward: str) -> None:
    env = MODULES[game].env(num_players=3, reward=reward, **SHORT[game])
    env.reset(seed=2)
    _, paid = play_aec(env, chooser())
    end = env.unwrapped.events()[-1]
    scores = np.array(end["chips"] if game == "sixes_chips" else [-n for n in end["totals"]])
    expected = scores - (scores.sum() - scores) / 2
    if reward == "win":
        expected = (scores == scores.max()) / np.sum(scores == scores.max())
    assert list(paid.values()) == pytest.approx(expected)


@both_games
def test_a_match_is_game_0_of_a_batch(game: str) -> None:
    env, batch = MODULES[game].raw_env(), Batch(game, 3, seed=9, dtype="float32")
    env.reset(seed=9)
    step, choose = batch.reset(seed=9), chooser()
    for number in range(300):
        agent = env.agent_selection
        seen = env.observe(agent)
        assert agent == f"player_{step.seat[0, 0]}"
        assert seen["observation"].tobytes() == step.observation[0, 0].tobytes()
        assert seen["action_mask"].tolist() == step.action_mask[0, 0].tolist()
        actions = batch.sample_actions(number)
        actions[0, 0] = choose(agent, seen)
        env.step(int(actions[0, 0]))
        step = batch.step(actions)
        assert list(env.rewards.values()) == step.reward[0].tolist()
        if any(env.terminations.values()):
            assert step.terminated[0]
            env.reset()


# --- What is hidden, and what is refused ----------------------------------------------------------


@both_games
def test_a_seat_sees_nothing_that_it_cannot_know(game: str) -> None:
    """Another truth behind the same view gives the seat the same bytes, and the same pictures."""
    env, twin = MODULES[game].raw_env(), MODULES[game].raw_env()
    notation, changed = env._game.notation, 0
    for steps in range(3, 33, 3):
        played(env, steps, steps)
        for agent in env.agents:
            view = {k: v for k, v in env.view(agent).items() if k != "legal"}
            truth = notation.complete(env.rules, view)
            changed += truth != env.position()
            twin.reset(seed=1, options={"position": truth})
            assert same(twin.observe(agent), env.observe(agent))
            assert same(twin.infos[agent], env.infos[agent])
            assert twin.view(agent) == env.view(agent)
            for each in (env, twin):
                each.render_mode, each.render_as = "ansi", agent
            assert twin.render() == env.render()
    assert changed > 20


def test_chips_events_hide_the_hands_that_are_dealt() -> None:
    env = played(sixes_chips_v0.raw_env(), 3, 20)
    whole, own = env.events(), env.events(agent="player_1")
    assert own[0]["hands"] == [8, whole[0]["hands"][1], 8, 8, 8]
    assert own[1:] == whole[1:]


def test_golf_events_hide_cards_dealt_and_cards_drawn_by_others() -> None:
    env = sixes_golf_v0.raw_env()
    env.reset(seed=3)
    draw, discard, end = 12, 19, 21
    for _ in range(40):
        legal = env.last()[0]["action_mask"].nonzero()[0]
        env.step(next((a for a in (draw, discard, end) if a in legal), legal[0]))
    whole, own = env.events(), env.events(agent="player_1")
    assert [event["type"] for event in own] == [event["type"] for event in whole]
    assert own[0]["hands"] == [[None] * 6] * 4
    draws = [events for events in zip(whole, own, strict=True) if events[0]["type"] == "draw"]
    assert {event["player"] for event, _ in draws} == {0, 1, 2, 3}
    for event, seen in draws:
        assert seen["card"] == (event["card"] if event["player"] == 1 else "hidden")


@both_games
def test_state_is_all_observations(game: str) -> None:
    env = played(MODULES[game].raw_env(), 3, 7)
    state = env.state()
    assert state in env.state_space
    seen = np.concatenate([env.observe(agent)["observation"] for agent in env.agents])
    assert state.tolist() == [*seen.tolist(), *[0.0] * len(env.agents)]


@both_games
@pytest.mark.parametrize("action", [-1, 10**9, 2**70, 1.0, "1", True, None])
def test_bad_actions_are_refused(game: str, action: Any) -> None:
    env = played(MODULES[game].raw_env(), 3, 4)
    before = env.position()
    with pytest.raises(IllegalActionError, match=rf"{env.agent_selection}.*legal now: \["):
        env.step(action)
    with pytest.raises(IllegalActionError, match=r"\(wait\); legal now"):
        env.step(WAIT[game])
    assert env.position() == before
    assert played(env, 3, 5).position() != before


@both_games
def test_the_engine_refusing_names_the_seat_that_acts(game: str) -> None:
    env = played(MODULES[game].raw_env(), 3, 4)
    with pytest.raises(
        IllegalActionError, match=rf"{env.agent_selection} may not take action {2**70}; legal now"
    ):
        env._play([2**70])


# --- Positions and copies -------------------------------------------------------------------------


@both_games
def test_a_match_goes_on_from_its_position(game: str) -> None:
    """Also from JSON: both matches go on alike to the end of the round."""
    env, twin = MODULES[game].env(num_rounds=1), MODULES[game].env(num_rounds=1)
    for steps in (0, 1, 9, 14):
        played(env, 5, steps)
        position = env.unwrapped.position()
        twin.reset(seed=5, options={"position": json.loads(json.dumps(position))})
        assert twin.unwrapped.position() == position
        for agent in env.agents:
            assert twin.unwrapped.view(agent) == env.unwrapped.view(agent)
            assert same(twin.observe(agent), env.observe(agent))
        assert twin.agent_selection == env.agent_selection
        assert play_aec(twin, chooser())[0] == play_aec(env, chooser())[0]
        assert twin.unwrapped.position() == env.unwrapped.position()


@both_games
def test_a_replay_gives_the_match_again(game: str) -> None:
    env = MODULES[game].raw_env(**SHORT[game])
    env.reset(seed=4)
    play_aec(env, chooser())
    replay = Replay.read(json.loads(json.dumps(env.replay())))
    steps = [event for step in replay.events() for event in step]
    assert steps == env.events(since=1)  # the first deal is the replay's position
    assert replay.verify() == env.position()


@both_games
def test_an_impossible_position_changes_nothing(game: str) -> None:
    env = played(MODULES[game].env(), 5, 9)
    before = env.unwrapped.position()
    with pytest.raises(PositionError, match="dealer must be a seat"):
        env.reset(options={"position": {**before, "dealer": 7}})
    with pytest.raises(PositionError):
        env.reset(options={"position": Engine("sixth_card").position()})
    assert env.unwrapped.position() == before


@both_games
@both_forms
@pytest.mark.parametrize("copier", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_identically(game: str, form: str, copier: Any) -> None:
    env = getattr(MODULES[game], form)(**SHORT[game])
    copier(env)  # before the first reset
    twin = copier(played(env, 8, 12))
    assert twin.unwrapped.events() == env.unwrapped.events()
    for match in range(3):
        if match:
            env.reset()
            twin.reset()
        assert same(play_aec(twin, chooser(match)), play_aec(env, chooser(match)))
        assert twin.unwrapped.position() == env.unwrapped.position()
        assert twin.unwrapped.events() == env.unwrapped.events()
    spaces = [each.action_space("player_0") for each in (env, twin)]
    assert spaces[0].sample() == spaces[1].sample()
