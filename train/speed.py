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
from sixth_env.errors import ConfigError
from sixth_env.games import GAMES, get_game
from sixth_env.report import check_writable, write_text
from train.config import MAX_THREADS, Config, load_config, read_config, readable_errors
from train.ppo import PPOConfig, Trainer

INTERFACE = "train.ppo, learning, "


class SpeedConfig(Config):
    """Settings of the measurement."""

    games: tuple[str, ...] | None = Setting(default=None, min_length=1)
    """ids; each is trained with configs/ppo/GAME.toml (default: all)"""
    configs: tuple[str, ...] | None = Setting(default=None, min_length=1)
    """settings files of train.ppo to measure instead"""
    threads: int | None = Setting(default=None, ge=1, le=MAX_THREADS)
    """torch threads instead of those in the files"""
    precision: Literal["auto", "float32", "bf16"] | None = None
    """of matrix products, instead of that in the files"""
    repeats: int = Setting(default=3, ge=1)
    """updates that are measured, after a first one that compiles; their median is reported"""
    file: str | None = None
    """takes the rates as JSON"""


def measure(config: PPOConfig, repeats: int, rules: str) -> Row:
    """The rate of some updates with these settings, as a row of the benchmark's report."""
    trainer = Trainer(config, Path("runs"))  # writes there when it saves, which it never does
    alone = config.threads == 1
    clock = time.process_time if alone else time.perf_counter
    rates = []
    for _ in range(repeats + 1):
        before, started = trainer.decisions, clock()
        trainer.advance()
        rates.append((trainer.decisions - before) / (clock() - started))
    return Row(
        **asdict(Rate.of(rates[1:])),
        interface=INTERFACE
        + ("one thread" if alone else f"{config.threads} threads, by the clock"),
        game=config.game,
        rules=rules,
        what=trainer.config.precision,
        batch=sum(table.games for table in config.tables),
    )


def run(config: SpeedConfig) -> list[Row]:
    """Measure all files, print the rates and write them down."""
    out = None if config.file is None else Path(config.file)
    check_writable(out)
    rows = []
    for file, settings in _settings(config):
        row = measure(settings, config.repeats, file.name)
        spread = f"{row.low:,.0f} to {row.high:,.0f}"
        print(
            f"{file}: {row.rate:,.0f} decisions/s ({spread}), {row.what}, {row.batch:,} games,"
            f" {row.interface.removeprefix(INTERFACE)}"
        )
        rows.append(row)
    if out is not None:
        write_text(out, json.dumps([asdict(row) for row in rows]))
    return rows


def _settings(config: SpeedConfig) -> list[tuple[Path, PPOConfig]]:
    """The files to measure, with what they say or the options say instead."""
    if config.games is not None and config.configs is not None:
        raise ConfigError("either games or configs can be given, not both")
    games = [get_game(name).id for name in config.games or GAMES]
    files = config.configs or [f"configs/ppo/{game}.toml" for game in games]
    options = {"threads": config.threads, "precision": config.precision}
    changes = {name: value for name, value in options.items() if value is not None}
    return [(Path(file), read_config(PPOConfig, file).model_copy(update=changes)) for file in files]


def main() -> None:
    """Read the settings and measure."""
    config = load_config(SpeedConfig)
    with readable_errors():
        run(config)


if __name__ == "__main__":
    main()
