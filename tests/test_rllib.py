"""The games as environments of the real RLlib, and what its own episodes hold of them."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="needs the extra rllib")

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.env_context import EnvContext
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from sixth_env.adapters.rllib import MultiAgentMatch, OpponentModule
from sixth_env.batch import Batch
from sixth_env.errors import (
    ConfigError,
    IllegalActionError,
    PositionError,
)
from sixth_env.games import GAMES, get_game
from sixth_env.games.cards import card_index
from sixth_env.opponents import load_opponent
from tests.envs import same
from tests.rllib_modules import QUIET, build, rllib_draws, towers_spec

pytestmark = QUIET

SHORT: dict[str, dict[str, Any]] = {
    "sixth_card": {"num_rounds": 2},
    "six_nimmt": {"num_rounds": 1, "num_players": 3},
    "sixes_chips": {"num_rounds": 2, "reward": "relative"},
    "sixes_golf": {"num_rounds": 1},
}
CUT_OFF: dict[str, dict[str, Any]] = {
    "sixes_chips": {"max_rounds": 1},
    "sixes_golf": {"max_turns": 4, "num_rounds": 1},
}

Json = dict[str, Any]


# --- the environment -----------------------------------------------------------------------------


def choose(env: MultiAgentMatch, observations: Json) -> dict[str, int]:
    """Some legal action for each observed seat, as a function of what it sees."""
    actions = {}
    for agent, seen in observations.items():
        legal = np.flatnonzero(seen["action_mask"])
        mixed = int(np.abs(seen["observations"] * 1000).sum()) + env.possible_agents.index(agent)
        actions[agent] = int(legal[mixed % len(legal)])
    return actions


def play(env: MultiAgentMatch, observations: Json) -> list[Any]:
    """Play on to the end of the match; all that the steps returned."""
    record = []
    while True:
        record.append(env.step(choose(env, observations)))
        observations, _, terminated, truncated, _ = record[-1]
        if terminated["__all__"] or truncated["__all__"]:
            return record


def true_rewards(game: str, rules: Json, totals: list[int]) -> list[float]:
    """What each seat should have been paid in all, from the totals of its finished match."""
    scores = np.array(totals, float)
    if game == "sixes_chips":
        scores = get_game(game).make_rules(rules).starting_chips - scores
    if rules.get("reward") == "relative":
        return list((scores.sum() - scores) / (len(scores) - 1) - scores)
    return list(-scores)


@pytest.mark.parametrize("game", GAMES)
def test_episode_returns_are_the_true_scores(game: str) -> None:
    env = MultiAgentMatch({"game": game, **SHORT[game]})
    shown = set()
    for seed in range(20):
        observations, infos = env.reset(seed=seed)
        assert infos == {agent: {} for agent in observations}
        paid = dict.fromkeys(env.possible_agents, 0.0)
        record = play(env, observations)
        for seen, rewards, *_ in record:
            shown.add(len(seen))
            assert rewards.keys() == seen.keys()
            for agent, reward in rewards.items():
                paid[agent] += reward
        last = record[-1]
        assert list(last[0]) == env.possible_agents
        totals = last[4]["player_0"]["totals"]
        assert list(paid.values()) == pytest.approx(true_rewards(game, SHORT[game], totals))
    assert min(shown) == 1  # turns, or row decisions: the others wait and are left out


@pytest.mark.parametrize("game", GAMES)
def test_observed_are_those_who_decide(game: str) -> None:
    env = MultiAgentMatch({"game": game, **SHORT[game]})
    wait = get_game(game).wait
    observations, _ = env.reset(seed=3)
    record = [(observations,), *play(env, observations)]
    for before, after in pairwise(record):
        assert all(not seen["action_mask"][wait] for seen in before[0].values())
        for agent, seen in after[0].items():
            assert env.get_observation_space(agent).contains(seen)
    assert all(seen["action_mask"][wait] for seen in record[-1][0].values())


@pytest.mark.parametrize("game", GAMES)
def test_deals_are_those_of_the_engine(game: str) -> None:
    env = MultiAgentMatch({"game": game})
    batch = Batch(game, 1, seed=11)
    for seed in (11, None, None):
        env.reset(seed=seed)
        assert env.position() == batch.position()
        batch.reset()


def test_illegal_actions_change_nothing() -> None:
    env = MultiAgentMatch({"num_rounds": 1})
    with pytest.raises(IllegalActionError, match="before reset"):
        env.step({})
    observations, _ = env.reset(seed=1)
    before, good = env.position(), choose(env, observations)
    for bad in (
        {},
        {**good, "player_9": 0},
        {agent: good[agent] for agent in list(good)[1:]},
        {**good, "player_1": 56},
        {**good, "player_1": 1.0},
        {**good, "player_1": True},
    ):
        with pytest.raises(IllegalActionError):
            env.step(bad)
        assert env.position() == before
    play(env, observations)
    with pytest.raises(IllegalActionError, match="over"):
        env.step({})


def test_configuration_is_checked() -> None:
    with pytest.raises(ConfigError, match="colour"):
        MultiAgentMatch({"colour": "red"})
    with pytest.raises(ConfigError, match="chess"):
        MultiAgentMatch({"game": "chess"})
    with pytest.raises(ConfigError, match="seed"):
        MultiAgentMatch().reset(seed=-1)


def test_starts_from_a_position_unless_it_is_over() -> None:
    env = MultiAgentMatch({"num_rounds": 1})
    play(env, env.reset(seed=1)[0])
    over = env.position()
    env.reset(seed=2)
    begun = env.position()
    env.reset(options={"position": begun})
    assert env.position() == begun
    changed = {**begun, "chosen": [begun["hands"][0][0], *begun["chosen"][1:]]}
    with pytest.raises(PositionError, match="committed"):
        env.reset(options={"position": changed})
    assert env.position() == begun  # the match goes on
    env.step(
        {f"player_{seat}": card_index("sixth_card", begun["hands"][seat][0]) for seat in range(4)}
    )
    with pytest.raises(PositionError, match="over"):
        env.reset(options={"position": over})


@pytest.mark.parametrize("game", CUT_OFF)
def test_a_cap_truncates_with_an_observation_for_every_seat(game: str) -> None:
    env = MultiAgentMatch({"game": game, **CUT_OFF[game]})
    cut = 0
    for seed in range(10):
        last = play(env, env.reset(seed=seed)[0])[-1]
        assert list(last[0]) == env.possible_agents
        cut += last[3]["__all__"]
        assert last[2]["__all__"] is not last[3]["__all__"]
    assert cut


@pytest.mark.parametrize("game", GAMES)
def test_rllib_accepts_the_environment(game: str) -> None:
    for _ in range(20):  # its check takes a random step
        check_multiagent_environments(MultiAgentMatch({"game": game}))


def test_deals_differ_between_workers_and_repeat() -> None:
    def deals(worker: int, seed: int) -> list[Json]:
        env = MultiAgentMatch(EnvContext({"num_rounds": 1}, worker_index=worker))
        first = env.reset(seed=seed) and env.position()
        return [first, env.reset() and env.position()]

    # As RLlib seeds: seed + worker index + number of the environment.
    places = [(worker, 5 + worker + number) for worker in range(3) for number in range(3)]
    seen = [deals(*place) for place in places]
    assert len({str(position) for pair in seen for position in pair}) == 2 * len(places)
    assert [deals(*place) for place in places] == seen


def _go_on(data: bytes, observations: Json, answer: Any) -> None:
    answer.put(play(pickle.loads(data), observations))


@pytest.mark.parametrize("game", ["sixth_card", "sixes_golf"])
def test_copies_continue_identically(game: str) -> None:
    env = MultiAgentMatch({"game": game, **SHORT[game]})
    observations, _ = env.reset(seed=4)
    for _ in range(3):
        observations = env.step(choose(env, observations))[0]
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    drawn = [
        [t.get_action_space(agent).sample() for agent in observations for _ in range(5)]
        for t in (env, *twins)
    ]
    assert drawn[0] == drawn[1] == drawn[2]
    data, record = pickle.dumps(env), play(env, observations)
    assert all(same(play(twin, observations), record) for twin in twins)
    following = env.reset()
    assert all(same(twin.reset(), following) for twin in twins)
    for method in multiprocessing.get_all_start_methods():
        context: Any = multiprocessing.get_context(method)
        answer = context.Queue()
        process = context.Process(target=_go_on, args=(data, observations, answer))
        process.start()
        assert same(answer.get(timeout=100), record), method
        process.join()


# --- RLlib's own episodes ------------------------------------------------------------------------


def runner(game: str, rules: Json, specs: dict[str, RLModuleSpec], mapping: Any) -> Any:
    """An env runner in this process, with fragments so short that most matches are cut."""
    config = (
        PPOConfig()
        .environment(MultiAgentMatch, env_config={"game": game, **rules})
        .env_runners(num_envs_per_env_runner=4, rollout_fragment_length=7)
        .multi_agent(policies=set(specs), policy_mapping_fn=mapping, count_steps_by="agent_steps")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=specs))
        .debugging(seed=3)
    )
    return MultiAgentEnvRunner(config=config, worker_index=1)


@rllib_draws
@pytest.mark.parametrize(
    ("game", "rules"), [*SHORT.items(), *CUT_OFF.items()], ids=[*SHORT, "chips-cut", "golf-cut"]
)
def test_rllib_episodes_hold_every_decision_and_the_true_scores(game: str, rules: Json) -> None:
    sampler = runner(game, rules, {"p": towers_spec()}, lambda agent_id, episode, **_: "p")
    paid: dict[tuple[str, str], float] = {}
    decisions: dict[tuple[str, str], int] = {}
    results: dict[str, list[int]] = {}
    for _ in range(40):
        for episode in sampler.sample():
            for agent, part in episode.agent_episodes.items():
                key = (episode.id_, agent)
                paid[key] = paid.get(key, 0.0) + float(np.sum(part.get_rewards()))
                decisions[key] = decisions.get(key, 0) + len(part)
                seen = part.to_numpy() if not part.is_numpy else part
                masks = seen.get_observations(slice(0, len(seen)))["action_mask"]
                actions = seen.get_actions(slice(0, len(seen)))
                assert masks[np.arange(len(seen)), actions].all()
                assert np.isfinite(seen.get_extra_model_outputs(Columns.ACTION_LOGP)).all()
            if episode.is_done:
                [result, *_] = [part.infos[-1] for part in episode.agent_episodes.values()]
                results[episode.id_] = result["totals"]
    sampler.stop()
    assert len(results) > 10
    for match, totals in results.items():
        got = [paid[match, f"player_{seat}"] for seat in range(len(totals))]
        assert got == pytest.approx(true_rewards(game, rules, totals), abs=1e-4)
        if game in ("sixth_card", "six_nimmt"):
            cards = 10 * rules["num_rounds"]
            assert all(decisions[match, f"player_{seat}"] >= cards for seat in range(len(totals)))


@rllib_draws
def test_opponents_are_modules() -> None:
    settings = {"game": "sixth_card", "opponent": "cautious"}
    specs = {"cautious": RLModuleSpec(module_class=OpponentModule, model_config=settings)}
    sampler = runner("sixth_card", {}, specs, lambda agent_id, episode, **_: "cautious")
    cautious, seen = load_opponent("cautious"), 0
    for episode in sampler.sample(num_timesteps=100):
        for part in episode.agent_episodes.values():
            observed = part.get_observations(slice(0, len(part)))
            rows = np.zeros(len(part), np.uint64)
            expected = cautious.act(observed["observations"], observed["action_mask"], rows)
            assert (part.get_actions(slice(0, len(part))) == expected).all()
            seen += len(part)
    sampler.stop()
    assert seen >= 50
    with pytest.raises(ConfigError, match="policies_to_train"):
        build(specs["cautious"]).forward_train({})
