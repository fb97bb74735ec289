"""How fast PPO learns on this machine, game by game: ``python -m train.speed``.

Rates are decisions learnt from in a second, rollouts and updates included, with the settings of
configs/ppo: of processor time, or of the clock where several threads share the work.
``sixth-env benchmark`` shows them too, if run from the checkout.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from pydantic import Field as Setting

from sixth_env.benchmark import Rate, Row
from sixth_env.games import GAMES, get_game
from train.config import Config, load_config, read_config, readable_errors
from train.ppo import PPOConfig, Trainer


class SpeedConfig(Config):
    """Settings of the measurement."""

    games: tuple[str, ...] = tuple(GAMES)
    """ids; each is trained with configs/ppo/GAME.toml"""
    configs: tuple[str, ...] = ()
    """settings files of train.ppo to measure instead"""
    threads: int = Setting(default=1, ge=1)
    """torch threads"""
    precision: Literal["auto", "float32", "bf16"] = "auto"
    """of matrix products, as in train.ppo"""
    repeats: int = Setting(default=3, ge=1)
    """updates that are measured, after a first one that compiles; their median is reported"""
    file: str | None = None
    """takes the rates as JSON"""


def measure(config: PPOConfig, repeats: int, rules: str) -> Row:
    """The rate of some updates with these settings, as a row of the benchmark's report."""
    trainer = Trainer(config, Path("runs"))  # writes there when it saves, which it never does
    clock = time.process_time if config.threads == 1 else time.perf_counter
    rates = []
    for _ in range(repeats + 1):
        before, started = trainer.decisions, clock()
        trainer.advance()
        rates.append((trainer.decisions - before) / (clock() - started))
    return Row(
        **asdict(Rate.of(rates[1:])),
        interface="train.ppo, learning",
        game=config.game,
        rules=rules,
        what=trainer.config.precision,
        batch=sum(table.games for table in config.tables),
    )


def run(config: SpeedConfig) -> list[Row]:
    """Measure all games, print the rates and write them down."""
    rows = []
    own = [f"configs/ppo/{get_game(name).id}.toml" for name in config.games]
    changes = {"threads": config.threads, "precision": config.precision}
    for file in map(Path, config.configs or own):
        settings = read_config(PPOConfig, file).model_copy(update=changes)
        row = measure(settings, config.repeats, file.name)
        spread = f"{row.low:,.0f} to {row.high:,.0f}"
        print(f"{file}: {row.rate:,.0f} decisions/s ({spread}), {row.what}, {row.batch:,} games")
        rows.append(row)
    if config.file is not None:
        Path(config.file).write_text(json.dumps([asdict(row) for row in rows]), "utf-8")
    return rows


def main() -> None:
    """Read the settings and measure."""
    config = load_config(SpeedConfig)
    with readable_errors():
        run(config)


if __name__ == "__main__":
    main()
