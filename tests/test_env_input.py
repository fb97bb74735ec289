"""Illegal actions and bad configurations of the PettingZoo environments: refused by name."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from sixth_env import sixth_card_v0
from sixth_env.errors import ConfigError, IllegalActionError, PositionError
from tests.envs import actions_of, chooser, play_aec, play_parallel, same

WAIT = 56


# --- Illegal input --------------------------------------------------------------------------------

NO_INTEGERS: list[Any] = [
    None,
    1.0,
    float("nan"),
    "7",
    [3],
    np.array([3]),
    True,
    np.True_,
    np.float32(3),
    {},
]
NOT_LEGAL = [-1, 57, 10**30, -(10**30), 52, WAIT]


def held(env: Any) -> tuple[int, int]:
    """A card that player_0 holds, and one that it does not."""
    legal = env.unwrapped.view("player_0")["legal"]
    numbers = [entry["action"] for entry in legal]
    return numbers[0], next(n for n in range(52) if n not in numbers)


@pytest.mark.parametrize("form", ["parallel", "aec"])
@pytest.mark.parametrize("bad", [*NO_INTEGERS, *NOT_LEGAL, "not held"], ids=repr)
def test_an_illegal_action_is_refused_and_changes_nothing(form: str, bad: Any) -> None:
    env: Any = sixth_card_v0.parallel_env() if form == "parallel" else sixth_card_v0.env()
    env.reset(seed=0)
    good, other = held(env)
    bad = other if bad == "not held" else bad
    twin = copy.deepcopy(env)
    actions = {a: env.unwrapped.view(a)["legal"][0]["action"] for a in env.possible_agents}
    with pytest.raises(IllegalActionError) as error:
        env.step({**actions, "player_0": bad} if form == "parallel" else bad)
    assert "player_0" in str(error.value)
    assert repr(bad) in str(error.value)
    assert f"legal now: [{good}," in str(error.value)
    assert env.unwrapped.position() == twin.unwrapped.position()
    action = actions if form == "parallel" else good
    assert same(env.step(action), twin.step(action))
    assert same(env.state(), twin.state())
    assert env.unwrapped.events() == twin.unwrapped.events()


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64, np.array, int])
def test_integers_of_any_kind_are_taken(kind: Any) -> None:
    for env in (sixth_card_v0.parallel_env(), sixth_card_v0.env()):
        env.reset(seed=0)
        card = kind(held(env)[0])
        rest = {a: env.unwrapped.view(a)["legal"][0]["action"] for a in env.possible_agents[1:]}
        env.step({"player_0": card, **rest} if hasattr(env, "_read") else card)


def test_the_error_names_the_first_offender_and_its_cards() -> None:
    env = sixth_card_v0.parallel_env()
    observations, _ = env.reset(seed=0)
    actions = actions_of(observations, chooser())
    legal = observations["player_2"]["action_mask"].nonzero()[0].tolist()
    missing = next(card for card in range(52) if card not in legal)
    with pytest.raises(IllegalActionError) as error:
        env.step({**actions, "player_2": missing})
    name = env._game.action_name(missing)
    expected = f"player_2 may not take action {missing} ({name}); legal now: {legal}"
    assert str(error.value) == expected


def test_missing_and_unknown_agents_are_refused() -> None:
    env = sixth_card_v0.parallel_env()
    observations, _ = env.reset(seed=0)
    actions = actions_of(observations, chooser())
    without = {agent: action for agent, action in actions.items() if agent != "player_1"}
    before = env.position()
    with pytest.raises(IllegalActionError, match=r"player_1 sent no action; legal now: \[\d"):
        env.step(without)
    with pytest.raises(IllegalActionError, match="unknown agent 'player_9' sent action 3"):
        env.step({**actions, "player_9": 3})
    with pytest.raises(IllegalActionError, match="player_1 sent no action"):
        env.step({**without, "player_9": 3})
    no_actions: list[Any] = [{}, None, list(actions.values()), 5]
    for none in no_actions:
        with pytest.raises(IllegalActionError):
            env.step(none)
    assert env.position() == before
    env.step(actions)


def test_a_step_needs_a_match_in_progress() -> None:
    parallel, turns, raw = (getattr(sixth_card_v0, f)() for f in ("parallel_env", "env", "raw_env"))
    for env in (parallel, turns, raw):
        for action in ({"player_0": 0}, 0, None):
            with pytest.raises(IllegalActionError, match="before reset"):
                env.step(action)
    for ask in (parallel.position, parallel.events, parallel.state, raw.position, raw.events):
        with pytest.raises(PositionError, match="reset"):
            ask()
    with pytest.raises(PositionError, match="reset"):
        raw.observe("player_0")
    observations, _ = parallel.reset(seed=0)
    actions = actions_of(observations, chooser())
    play_parallel(parallel, observations, chooser())
    for env in (turns, raw):
        env.reset(seed=0)
        play_aec(env, chooser())
        assert env.agents == []
        with pytest.raises(IllegalActionError, match="over"):
            env.step(3)
    final = parallel.position()
    with pytest.raises(IllegalActionError, match="over"):
        parallel.step(actions)
    assert parallel.position() == final


def test_a_finished_agent_takes_none_alone() -> None:
    env = sixth_card_v0.env(num_rounds=1)
    env.reset(seed=0)
    choose = chooser()
    while not env.terminations[env.agent_selection]:
        env.step(choose(env.agent_selection, env.last()[0]))
    with pytest.raises(IllegalActionError, match="player_0 may not take action 56"):
        env.step(WAIT)
    assert env.agents == env.possible_agents
    for left in range(3, -1, -1):
        env.step(None)
        assert len(env.agents) == left


def test_unknown_agents_are_named() -> None:
    env = sixth_card_v0.raw_env()
    env.reset(seed=0)
    for ask in (env.view, env.observe, lambda agent: env.events(agent=agent)):
        with pytest.raises(ConfigError, match=r"'player_4'.*player_0, .*player_3"):
            ask("player_4")


# --- Configuration --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"num_players": 1}, "num_players"),
        ({"num_players": 11}, "num_players"),
        ({"num_players": 5, "decks": 1}, "decks=2"),
        ({"num_players": 5, "exact_deck": True}, "exact_deck"),
        ({"reward": "points"}, "reward"),
        ({"row_choice": "random"}, "row_choice"),
        ({"target_score": "66"}, "target_score"),
        ({"players": 4}, "no option 'players'"),
        ({"max_cycles": 9}, "no option 'max_cycles'"),
        ({"num_games": 2}, "no option 'num_games'"),
        ({"seed": 2}, "no option 'seed'"),
        ({"threads": 2}, "no option 'threads'"),
        ({"render_mode": "text"}, "render_mode"),
        ({"render_as": "player_4"}, "render_as"),
        ({"render_as": ["player_1"]}, "render_as"),
    ],
    ids=str,
)
@pytest.mark.parametrize("form", ["parallel_env", "env", "raw_env"])
def test_a_bad_configuration_is_refused(form: str, config: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        getattr(sixth_card_v0, form)(**config)


@pytest.mark.parametrize("form", ["parallel_env", "env", "raw_env"])
def test_options_are_a_dict(form: str) -> None:
    env = getattr(sixth_card_v0, form)()
    for options in ([1], [], "x", "", 5, 0, False):
        with pytest.raises(ConfigError, match="options must be None or a dict"):
            env.reset(options=options)
    env.reset(seed=0, options={"unknown": 1})
    first = env.unwrapped.position()
    env.reset(seed=0, options=None)
    assert env.unwrapped.position() == first


def test_events_are_counted_in_whole_numbers() -> None:
    env: Any = sixth_card_v0.parallel_env()
    env.reset(seed=0)
    assert env.events(since=0) == env.events(since=np.int64(0)) and env.events(since=1) == []
    for since in ("a", 1.0, None, True, -1):
        with pytest.raises(ConfigError, match="since must be a whole number"):
            env.events(since=since)


def test_rules_are_those_asked_for() -> None:
    env = sixth_card_v0.env(num_players=3, exact_deck=True, target_score=44)
    assert env.unwrapped.rules.to_dict()["cards"] == 34
    assert env.unwrapped.rules.target_score == 44
