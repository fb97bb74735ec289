"""Smoke test of an installed wheel: run it from another folder, with the interpreter that has it.

What a user who only typed ``pip install sixth_env`` relies on: the import is light, a match can be
played, a built-in opponent loads and plays, and the command is there.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np

import sixth_env


def check_import() -> None:
    """The installed package was imported, of the declared version, without torch or pygame."""
    home = Path(sixth_env.__file__).resolve()
    assert home.is_relative_to(Path(sys.prefix).resolve()), f"{home} is not the installed package"
    assert metadata.version("sixth_env") == sixth_env.__version__
    loaded = {"torch", "pygame"} & set(sys.modules)
    assert not loaded, f"import sixth_env loaded {loaded}"
    print(f"sixth_env {sixth_env.__version__} imported without torch and pygame")


def play_match(spec: str, seed: int) -> dict[str, float]:
    """Play one match of Sixth Card, `spec` as player_0 against random; return the points."""
    opponents = [sixth_env.load_opponent(name) for name in (spec, "random", "random")]
    env = sixth_env.sixth_card_v0.parallel_env(num_players=3)
    observations, _ = env.reset(seed=seed)
    players = dict(zip(env.agents, opponents, strict=True))
    points = dict.fromkeys(players, 0.0)
    rng = np.random.default_rng(seed)
    while env.agents:
        actions = {}
        for agent in env.agents:
            seen = observations[agent]
            row = seen["observation"][None], seen["action_mask"][None]
            actions[agent] = int(players[agent].act(*row, rng)[0])
        observations, rewards, *_ = env.step(actions)
        for agent, reward in rewards.items():
            points[agent] -= reward
    return points


def check_matches() -> None:
    """Matches run to the end: somebody has reached the target of 66 points."""
    for spec in ("random", "closest"):
        points = play_match(spec, seed=0)
        assert max(points.values()) >= 66, f"the match ended early: {points}"
        print(f"{spec} against two random players: {points}")


def check_command() -> None:
    """The console script was installed and explains itself."""
    command = Path(sys.executable).with_name("sixth-env")
    result = subprocess.run([command, "--help"], capture_output=True, text=True, check=True)
    assert "Usage" in result.stdout
    print("sixth-env --help works")


if __name__ == "__main__":
    check_import()
    check_matches()
    check_command()
