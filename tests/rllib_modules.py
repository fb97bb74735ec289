"""What the tests of the RLlib adapter share."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from sixth_env.adapters.rllib import MaskedTowers, MultiAgentMatch
from sixth_env.batch import Batch

# Ray and the libraries it loads warn of themselves.
QUIET = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:.*rllib-multi-agent-env-v0 already in registry:UserWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
rllib_draws = pytest.mark.global_random  # RLlib seeds the global generators and draws from them

TOWERS = {"policy": [32], "value": [16, 16], "activation": "tanh"}


def towers_spec() -> RLModuleSpec:
    return RLModuleSpec(module_class=MaskedTowers, model_config=TOWERS)


def build(spec: RLModuleSpec, game: str = "sixth_card") -> Any:
    """A module outside of any algorithm."""
    env = MultiAgentMatch({"game": game})
    spec = copy.copy(spec)
    spec.observation_space = env.get_observation_space("player_0")
    spec.action_space = env.get_action_space("player_0")
    return spec.build()


def rows(game: str, count: int = 40) -> tuple[Any, Any]:
    """Observations (N, D) float32 and masks (N, A) of seats that decide."""
    batch = Batch(game, count, seed=2, dtype="float32")
    for _ in range(5):
        step = batch.step(batch.sample_actions(1))
    acting = step.acting
    return step.observation[acting], step.action_mask[acting]
