"""What Stable-Baselines3 has trained, as a checkpoint of this project, which unpickles nothing.

    python -m agents.from_sb3 model.zip runs/mine --game sixth_card --trust

A model's ``.zip`` is unpickled, which runs whatever code is in it: hence ``--trust``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import nn

from agents.checkpoint import Card
from agents.convert import save_towers, towers_from
from agents.towers import TowersNet
from sixth_env.adapters.sb3 import load_model
from sixth_env.errors import CheckpointError, SixthEnvError
from sixth_env.games import get_game
from sixth_env.games.base import Game


def towers_of(model: Any, game: Game) -> TowersNet:
    """A copy of the network of a ``MaskablePPO``, ``PPO``, ``A2C`` or ``DQN`` model.

    The policy tower of a DQN gives its action values, of which the best is played; it has no value
    of a state, and the value tower is zero.

    Raises:
        CheckpointError: the network is more than an ``MlpPolicy`` over the observation (D,).
    """
    policy = model.policy
    if getattr(model.observation_space, "shape", None) != (game.observation_size,):
        raise CheckpointError(
            f"the model reads {model.observation_space}: only one that reads the"
            f" {game.observation_size} columns of {game.id}, and no masks, can be a checkpoint"
        )
    if hasattr(policy, "q_net"):
        value = nn.Linear(game.observation_size, 1)
        nn.init.zeros_(value.weight)
        nn.init.zeros_(value.bias)
        return towers_from(policy.q_net.q_net, value, game)
    if not hasattr(policy, "mlp_extractor"):
        raise CheckpointError(f"{type(policy).__name__} is no MlpPolicy")
    extractor = policy.mlp_extractor
    return towers_from(
        nn.Sequential(extractor.policy_net, policy.action_net),
        nn.Sequential(extractor.value_net, policy.value_net),
        game,
    )


def save_model(
    path: str | Path,
    model: Any,
    game: str,
    training: dict[str, Any] | None = None,
    results: dict[str, Any] | None = None,
) -> Card:
    """Write a model as a checkpoint folder; see ``towers_of``."""
    kind = get_game(game)
    return save_towers(path, towers_of(model, kind), kind, training, results)


def main(argv: Sequence[str] | None = None) -> None:
    """Convert a file; anything wrong ends the program with one line and exit code 1."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.from_sb3",
        description="Write a Stable-Baselines3 model as a checkpoint of this project.",
    )
    parser.add_argument("model", help="the .zip that model.save has written")
    parser.add_argument("out", help="the checkpoint's folder")
    parser.add_argument("--game", required=True, help="the game that it plays")
    parser.add_argument("--algorithm", default="MaskablePPO", help="MaskablePPO, PPO, A2C or DQN")
    parser.add_argument(
        "--trust", action="store_true", help="load the file although doing so runs code in it"
    )
    options = parser.parse_args(argv)
    try:
        model = load_model(options.model, options.algorithm, trust=options.trust)
        name = {"config": {"name": Path(options.model).stem}}
        save_model(options.out, model, options.game, {"script": "agents.from_sb3", **name})
    except SixthEnvError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    print(f"checkpoint: {options.out}")


if __name__ == "__main__":
    main()
