"""PettingZoo's own suites and conversions, every warning an error.

Two remarks are let through, both about observations that are a dict with a mask: that is what
PettingZoo itself asks of games with illegal actions.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.state_test import state_test
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec

from sixth_env import six_nimmt_v0, sixth_card_v0
from sixth_env.testing import LegalAEC, LegalParallel, legal_action
from tests.envs import MODULES, TABLES, chooser, play_aec, play_parallel

dict_remarks = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
)
both_games = pytest.mark.parametrize("module", [sixth_card_v0, six_nimmt_v0])


@pytest.mark.global_random  # by the suite itself, before PettingZoo 1.27
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_parallel_api(game: str, players: int) -> None:
    parallel_api_test(MODULES[game].parallel_env(num_players=players), num_cycles=200)


@dict_remarks
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_aec_api(game: str, players: int) -> None:
    api_test(MODULES[game].env(num_players=players, num_rounds=2), num_cycles=60)


@dict_remarks
@both_games
def test_raw_aec_api(module: ModuleType) -> None:
    api_test(module.raw_env(), num_cycles=100)


@both_games
def test_seeds(module: ModuleType) -> None:
    seed_test(module.env, num_cycles=200)
    parallel_seed_test(lambda: LegalParallel(module.parallel_env()), num_cycles=200)


@both_games
def test_state(module: ModuleType) -> None:
    state_test(LegalAEC(module.env()), module.parallel_env())


@both_games
def test_render(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    render_test(module.env)


@both_games
def test_random_play_with_the_spaces_samples(module: ModuleType) -> None:
    env = module.parallel_env(num_players=3)
    for agent in env.possible_agents:
        env.action_space(agent).seed(5)
    observations, _ = env.reset(seed=5)
    while env.agents:
        actions = {
            agent: env.action_space(agent).sample(seen["action_mask"])
            for agent, seen in observations.items()
        }
        observations, rewards, *_ = env.step(actions)
        for agent, seen in observations.items():
            assert seen in env.observation_space(agent)
            assert type(rewards[agent]) is float


@both_games
def test_parallel_to_aec_plays_the_same_match(module: ModuleType) -> None:
    parallel, converted = module.parallel_env(), parallel_to_aec(module.parallel_env())
    observations, _ = parallel.reset(seed=3)
    paid = dict.fromkeys(parallel.agents, 0.0)
    for step in play_parallel(parallel, observations, chooser()):
        for agent, reward in step[1].items():
            paid[agent] += reward
    converted.reset(seed=3)
    assert play_aec(converted, chooser())[1] == paid


def test_parallel_to_aec_keeps_choices_hidden() -> None:
    seen = []
    for pick in (0, -1):
        env = parallel_to_aec(sixth_card_v0.parallel_env())
        env.reset(seed=3)
        legal = np.flatnonzero(env.last()[0]["action_mask"])
        env.step(int(legal[pick]))
        seen.append(env.last()[0]["observation"].tobytes())
    assert seen[0] == seen[1]


@both_games
def test_aec_to_parallel_is_refused(module: ModuleType) -> None:
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(module.env())


@both_games
def test_metadata(module: ModuleType) -> None:
    name = module.__name__.removeprefix("sixth_env.")
    parallel, turns = module.parallel_env(), module.env()
    assert parallel.metadata["is_parallelizable"]
    assert not turns.metadata["is_parallelizable"]
    for env in (parallel, turns, module.raw_env()):
        assert str(env) == env.metadata["name"] == name
        assert set(env.metadata["render_modes"]) == {"human", "ansi", "rgb_array"}
        assert env.render_mode is None


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27")
@pytest.mark.parametrize("name", ["sixth_card_v0", "six_nimmt_v0"])
def test_registry(name: str) -> None:
    parallel = pettingzoo.make("parallel", f"sixth_env/{name}", num_players=3)
    turns = pettingzoo.make("aec", f"sixth_env/{name}", num_players=5)
    assert str(parallel) == str(turns) == name
    assert len(parallel.possible_agents) == 3
    assert len(turns.possible_agents) == 5


def test_legal_action_keeps_what_is_legal() -> None:
    mask = np.array([0, 1, 0, 1, 0], np.int8)
    assert [legal_action(action, mask) for action in range(5)] == [1, 1, 1, 3, 1]


def test_wrappers_replace_illegal_actions_alone() -> None:
    plain, wrapped = sixth_card_v0.parallel_env(), LegalParallel(sixth_card_v0.parallel_env())
    observations, _ = plain.reset(seed=1)
    wrapped.reset(seed=1)
    choose = chooser()
    while plain.agents:
        actions = {agent: choose(agent, observations[agent]) for agent in plain.agents}
        observations, paid, *_ = plain.step(actions)
        _, also_paid, *_ = wrapped.step(actions)
        assert paid == also_paid
    wrapped.reset(seed=1)
    wrapped.step(dict.fromkeys(wrapped.agents, 56))
    turns: Any = LegalAEC(sixth_card_v0.env())
    turns.reset(seed=1)
    turns.step(56)
    assert turns.agent_selection == "player_1"
