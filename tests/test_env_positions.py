"""Starting from positions, and what a seat may not learn there."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import numpy as np
import pytest

from sixth_env import sixth_card_v0
from sixth_env.errors import PositionError
from sixth_env.games.cards import card_index
from tests.envs import MODULES, TABLES, actions_of, chooser, play_aec, play_parallel, same, seek

Json = dict[str, Any]
PHASES = ["card", "row", "over"]


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_a_position_is_taken_up_in_every_phase(game: str, players: int, phase: str) -> None:
    """Same position, same observations, and with the same seed the same rest of the match."""
    env, other = (MODULES[game].parallel_env(num_players=players) for _ in range(2))
    turns = MODULES[game].env(num_players=players)
    position = json.loads(json.dumps(seek(game, players, phase, turn=2)))
    options = {"position": position, "unknown": 1}
    first = env.reset(seed=5, options=options)
    assert env.position() == position
    assert env.events() == []
    assert same(first, other.reset(seed=5, options=options))
    turns.reset(seed=5, options=options)
    assert turns.unwrapped.position() == position
    over = phase == "over"
    assert env.agents == ([] if over else env.possible_agents)
    for agent in env.possible_agents:
        assert same(turns.observe(agent), first[0][agent])
        assert same(turns.infos[agent], first[1][agent])
        assert turns.terminations[agent] == over
    record = play_parallel(env, first[0], chooser())
    assert same(record, play_parallel(other, first[0], chooser()))
    play_aec(turns, chooser())
    assert turns.unwrapped.position() == env.position() == other.position()
    assert turns.unwrapped.events() == env.events()


@pytest.mark.parametrize("game", MODULES)
def test_play_continues_as_where_the_position_was_taken(game: str) -> None:
    """Deals depend on the stream and the round alone, so even later rounds are the same."""
    env, other = MODULES[game].parallel_env(), MODULES[game].parallel_env()
    observations, _ = env.reset(seed=3)
    choose = chooser()
    for _ in range(15):
        observations = env.step(actions_of(observations, choose))[0]
    start = env.position()
    seen, _ = other.reset(seed=3, options={"position": start})
    assert same(seen, observations)
    assert same(play_parallel(env, observations, choose), play_parallel(other, seen, choose))
    assert env.position() == other.position()
    assert env.position()["round"] > start["round"]


def test_a_bad_position_changes_nothing() -> None:
    for env in (sixth_card_v0.parallel_env(), sixth_card_v0.raw_env()):
        env.reset(seed=1)
        twin, before = copy.deepcopy(env), env.position()
        good = seek("sixth_card", 4, "card", turn=3)
        changes: list[Json] = [
            {"rows": []},
            {"turn": 9},
            {"players": 5},
            {"phase": "row"},
            {"x": 1},
        ]
        for change in changes:
            with pytest.raises(PositionError, match="position"):
                env.reset(seed=2, options={"position": {**good, **change}})
        no_positions: list[Any] = [7, "position", [], {}]
        for junk in no_positions:
            with pytest.raises(PositionError, match="position"):
                env.reset(seed=2, options={"position": junk})
        other = {**good, "rules": {**good["rules"], "target_score": 44}}
        with pytest.raises(PositionError, match="target_score"):
            env.reset(options={"position": other})
        assert env.position() == before
        env.reset()
        twin.reset()
        assert env.position() == twin.position()


# --- Committed cards (AEC) ------------------------------------------------------------------------


def committed(game: str = "sixth_card", seats: tuple[int, ...] = (0, 2)) -> Json:
    """A position in which these seats of four have committed their lowest card."""
    position = seek(game, 4, "card", turn=4)
    position["chosen"] = [position["hands"][s][0] if s in seats else None for s in range(4)]
    return position


@pytest.mark.parametrize("game", MODULES)
def test_commitments_are_taken_up(game: str) -> None:
    position = committed(game)
    env: Any = MODULES[game].env()
    env.reset(options={"position": position})
    assert env.unwrapped.position() == position
    waits = [env.observe(agent)["action_mask"][-1] for agent in env.agents]
    assert waits == [1, 0, 1, 0]
    assert env.unwrapped.view("player_2")["legal"] == [
        {"action": env.action_space("player_2").n - 1, "name": "wait"}
    ]
    for agent in ("player_1", "player_3"):
        assert env.agent_selection == agent
        env.step(chooser()(agent, env.observe(agent)))
    reveal = env.unwrapped.events()[0]
    assert reveal["type"] == "reveal"
    for seat in (0, 2):
        assert {"player": seat, "card": position["chosen"][seat]} in reveal["cards"]
    assert env.unwrapped.position()["chosen"] == [None] * 4


def test_commitments_are_refused_where_they_cannot_be() -> None:
    position = committed()
    with pytest.raises(PositionError, match=r"chosen\[0\].*one step"):
        sixth_card_v0.parallel_env().reset(options={"position": position})
    env = sixth_card_v0.env()
    with pytest.raises(PositionError, match="chosen"):
        env.reset(options={"position": committed(seats=(0, 1, 2, 3))})
    for card in (position["hands"][1][0], 7, "11H"):
        with pytest.raises(PositionError, match="chosen"):
            env.reset(options={"position": {**position, "chosen": [card, None, None, None]}})


@pytest.mark.parametrize("game", MODULES)
def test_a_position_between_commits_round_trips(game: str) -> None:
    env: Any = MODULES[game].raw_env(num_players=5)
    env.reset(seed=2)
    choose = chooser()
    for step in range(60):
        copied: Any = MODULES[game].raw_env(num_players=5)
        copied.reset(options={"position": json.loads(json.dumps(env.position()))})
        assert copied.position() == env.position(), step
        assert copied.agent_selection == env.agent_selection
        for agent in env.agents:
            assert same(copied.observe(agent), env.observe(agent))
            assert same(copied.infos[agent], env.infos[agent])
            assert copied.view(agent) == env.view(agent)
        env.step(choose(env.agent_selection, env.last()[0]))


# --- Hidden information ---------------------------------------------------------------------------


def reshuffled(position: Json, seat: int, kept: dict[int, Any], rng: random.Random) -> Json:
    """The position as it might be for all that ``seat`` knows: other hands and stock dealt anew.

    ``kept`` maps seats to a card that stays in their hand.
    """
    position = copy.deepcopy(position)
    game, others = position["game"], [s for s in range(position["players"]) if s != seat]
    sizes = {s: len(position["hands"][s]) for s in others}
    pool = [card for s in others for card in position["hands"][s]] + position["stock"]
    for card in kept.values():
        pool.remove(card)
    rng.shuffle(pool)
    for s in others:
        hand = [kept[s]] if s in kept else []
        hand += [pool.pop() for _ in range(sizes[s] - len(hand))]
        position["hands"][s] = sorted(hand, key=lambda card: card_index(game, card))
    position["stock"] = sorted(pool, key=lambda card: card_index(game, card))
    return position


def knowledge(env: Any, agent: str, seen: Any, info: Any) -> list[Any]:
    """All that the environment gives to one agent."""
    env = env.unwrapped
    return [seen, info, env.view(agent), env.events(agent=agent), env.render()]


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
@pytest.mark.parametrize("phase", ["card", "row"])
@pytest.mark.parametrize("game", MODULES)
def test_hidden_cards_reach_nobody(game: str, phase: str, mode: str) -> None:
    """Before and after a step, for every observer; the cards played are the same in both."""
    position, rng = seek(game, 4, phase, turn=3), random.Random(1)
    module = MODULES[game]
    for seat in range(4):
        agent = f"player_{seat}"
        envs = [module.parallel_env(render_mode=mode, render_as=agent) for _ in range(2)]
        observations, infos = envs[0].reset(options={"position": position})
        actions = actions_of(observations, chooser())
        names = {a: envs[0]._game.action_name(n) for a, n in actions.items()}
        kept = {
            s: next(c for c in position["hands"][s] if f"play {c}" == names[f"player_{s}"])
            for s in range(4)
            if s != seat and phase == "card"
        }
        hidden = reshuffled(position, seat, kept, rng)
        assert hidden["hands"] != position["hands"]
        others, other_infos = envs[1].reset(options={"position": hidden})
        first = knowledge(envs[0], agent, observations[agent], infos[agent])
        second = knowledge(envs[1], agent, others[agent], other_infos[agent])
        assert same(first, second)
        assert not same(envs[0].state(), envs[1].state())
        results = [env.step(actions) for env in envs]
        (o1, r1, *_, i1), (o2, r2, *_, i2) = results
        assert r1 == r2
        assert same(
            knowledge(envs[0], agent, o1[agent], i1[agent]),
            knowledge(envs[1], agent, o2[agent], i2[agent]),
        )


@pytest.mark.parametrize("game", MODULES)
def test_commitments_reach_nobody(game: str) -> None:
    """Before the reveal an observer sees who has committed and not a trace of what."""
    rng, module = random.Random(2), MODULES[game]
    position = committed(game, seats=(1, 2))
    for seat in (0, 3):
        agent, gained = f"player_{seat}", []
        variants = [reshuffled(position, seat, {}, rng) for _ in range(4)]
        for hidden in variants:
            hidden["chosen"] = [hidden["hands"][s][-1] if s in (1, 2) else None for s in range(4)]
            env: Any = module.env(render_mode="ansi", render_as=agent)
            env.reset(options={"position": hidden})
            gained.append(knowledge(env, agent, env.observe(agent), env.infos[agent]))
            gained[-1] += [env.agent_selection, env.rewards, env.terminations, env.agents]
        assert len({str(hidden["chosen"]) for hidden in variants}) == 4
        assert all(same(gained[0], other) for other in gained[1:])
        assert gained[0][2]["chosen"][1:3] == [1, 1]


@pytest.mark.parametrize("game", MODULES)
def test_committing_shows_who_and_nothing_else(game: str) -> None:
    """One seat commits each of its cards in turn; the next seat's picture is always the same."""
    start: Any = MODULES[game].raw_env(render_mode="ansi")
    start.reset(seed=3)
    legal = np.flatnonzero(start.observe("player_0")["action_mask"])
    gained, own = [], []
    for card in legal:
        env = copy.deepcopy(start)
        env.step(card)
        assert env.agent_selection == "player_1"
        own.append(env.view("player_0")["chosen"][0])
        env.render_as = "player_1"
        gained.append(knowledge(env, "player_1", env.observe("player_1"), env.infos["player_1"]))
        assert env.position()["chosen"] == [own[-1], None, None, None]
    assert all(same(gained[0], other) for other in gained)
    assert len(set(own)) == len(legal) == 10


def test_infos_hold_the_own_mask_alone() -> None:
    env = sixth_card_v0.env()
    env.reset(seed=0)
    choose = chooser()
    while env.agents and not env.terminations[env.agent_selection]:
        for agent, info in env.infos.items():
            assert info.keys() == {"action_mask"}
            assert same(info["action_mask"], env.observe(agent)["action_mask"])
        env.step(choose(env.agent_selection, env.last()[0]))
    assert env.infos["player_0"].keys() == {"action_mask", "totals", "winners"}
