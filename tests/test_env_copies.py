"""Copies of the PettingZoo environments go on as the original does, here and in other processes."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env import sixth_card_v0
from tests.envs import actions_of, chooser, same

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("form", ["parallel_env", "env", "raw_env"])
def test_a_copy_goes_on_identically(form: str, copier: Any) -> None:
    env = getattr(sixth_card_v0, form)(num_players=6)
    copier(env)  # before the first reset
    env.reset(seed=8)
    choose = chooser()
    for steps in range(120):
        if not env.agents:
            env.reset()
        if steps % 40 == 33:  # in the AEC form, some seats have committed
            env.unwrapped.events()
            original, env = env, copier(env)
            assert env.unwrapped.events() == original.unwrapped.events()
            for _ in range(100):
                results = [_advance(each, choose) for each in (original, env)]
                assert same(*results)
            spaces = [each.action_space("player_0") for each in (original, env)]
            assert spaces[0].sample() == spaces[1].sample()
        _advance(env, choose)


@pytest.mark.parametrize("form", ["parallel_env", "env"])
def test_copies_of_an_environment_never_started_deal_differently(form: str) -> None:
    """Vectorisers copy or unpickle one template for every worker."""
    template = getattr(sixth_card_v0, form)()
    copies = [copy.deepcopy(template), pickle.loads(pickle.dumps(template)), template]
    for env in copies:
        env.reset()
    hands = [env.unwrapped.position()["hands"] for env in copies]
    assert hands[0] != hands[1] != hands[2] != hands[0]


def _advance(env: Any, choose: Any) -> Any:
    """One step with what it gives; a new match at the end."""
    if not env.agents:
        return env.reset(), env.unwrapped.position()
    if hasattr(env, "agent_selection"):
        seen, _, over, *_ = env.last()
        env.step(None if over else choose(env.agent_selection, seen))
        return (env.last() if env.agents else None), env.rewards, env.infos, env.state()
    views = {agent: {"observation": row} for agent, row in _seen(env).items()}
    for agent, seen in views.items():
        mask = np.zeros(57, np.int8)
        mask[[entry["action"] for entry in env.view(agent)["legal"]]] = 1
        seen["action_mask"] = mask
    return env.step(actions_of(views, choose))


def _seen(env: Any) -> dict[str, Any]:
    players = len(env.possible_agents)
    return dict(zip(env.possible_agents, env.state()[:-players].reshape(players, -1), strict=True))


FRESH_PROCESS = """
import pickle, sys
env, actions = pickle.load(sys.stdin.buffer)
pickle.dump((env.step(actions), env.reset(), env.events()), sys.stdout.buffer)
"""


def test_a_fresh_process_can_unpickle() -> None:
    """As ``spawn`` does, which starts workers without the parent's modules."""
    env = sixth_card_v0.parallel_env()
    observations, _ = env.reset(seed=8)
    actions = actions_of(observations, chooser())
    run = subprocess.run(
        [sys.executable, "-c", FRESH_PROCESS],
        input=pickle.dumps((env, actions)),
        capture_output=True,
        check=True,
        cwd=ROOT,
    )
    assert same(pickle.loads(run.stdout), (env.step(actions), env.reset(), env.events()))


DIGEST = """
import hashlib
from sixth_env import sixth_card_v0
from tests.envs import chooser, play_aec, play_parallel
digest = hashlib.sha256()
env = sixth_card_v0.parallel_env(num_players=5, target_score=10)
for step in play_parallel(env, env.reset(seed=1)[0], chooser()):
    for seen in step[0].values():
        digest.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
    digest.update(repr(step[1:4]).encode())
digest.update(repr(env.events()).encode())
print(digest.hexdigest())
"""


def test_interpreted_and_compiled_matches_are_identical() -> None:
    digests = set()
    for jit in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "NUMBA_DISABLE_JIT": jit},
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        digests.add(run.stdout)
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64
