"""How far an opponent can be beaten: a learner trained against frozen copies of it.

    python -m train.best_response configs/best_response/cautious.toml

The copies sit in all other seats, so the learner faces an environment that does not change, and
whatever it gains over a copy in its place bounds the opponent's exploitability from below (an
approximate best response: Timbers et al., "Approximate Exploitability", 2022). PPO does the
learning: the run, its log and its checkpoints are those of ``train.ppo``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field as Setting
from rich.console import Console
from rich.table import Table as Shown

from agents.checkpoint import load
from agents.networks import PolicyValueNet
from agents.torch_agent import load as load_agent
from sixth_env.errors import ConfigError
from sixth_env.games import get_game
from sixth_env.match.play import play_field
from sixth_env.match.players import fingerprint
from sixth_env.match.stats import Bootstrap, Estimate
from sixth_env.opponents import Opponent
from sixth_env.opponents.custom import resolve_opponent
from sixth_env.report import write_report
from train.config import load_config, readable_errors
from train.ppo import PPOConfig, Trainer, train
from train.runs import derive_seed, run_folder

RESULT = "best_response.json"


class BestResponseConfig(PPOConfig):
    """Settings of a run: those of PPO, and against whom."""

    name: str = "best_response"
    """name of the run: its folder is runs/ppo/NAME"""
    opponent: str = "cautious"
    """who sits in all other seats of every table: a built-in, or a checkpoint folder"""
    start: str | None = None
    """a checkpoint to start from, with its network; the opponent's own is a good start"""
    deals: int = Setting(default=5000, ge=2)
    """fresh deals of the final comparison, each played in every rotation of the seats"""


class Comparison(NamedTuple):
    """A responder among copies of an opponent, and the copies among themselves, on equal deals.

    Points are per round and seat, as in matches: fewer is better.

    Attributes:
        alone: the responder's points.
        others: the points of the copies around it.
        self_play: the copies' points among themselves.
        gain: ``self_play - alone``: what the responder gains over a copy in its place, when own
            points are what counts.
        lead: ``others - alone``: the same when what counts is the lead over the others, which is
            0 in self-play (reward ``"relative"``).
    """

    alone: Estimate
    others: Estimate
    self_play: Estimate
    gain: Estimate
    lead: Estimate


def compare(
    responder: Opponent,
    opponent: Opponent,
    game: str,
    rules: dict[str, Any],
    deals: int,
    seed: int,
) -> Comparison:
    """Play both line-ups on the same deals, in all rotations of the seats; intervals by deal.

    ``rules`` are the game's options, such as ``num_players``.
    """
    players = get_game(game).make_rules(rules).num_players
    copies = [opponent] * (players - 1)
    names = ["responder"] + ["opponent"] * (players - 1)
    mixed = play_field(game, [responder, *copies], names=names, deals=deals, seed=seed, **rules)
    alike = play_field(
        game, [opponent, *copies], names=names[1:] + names[-1:], deals=deals, seed=seed, **rules
    )
    # (deals, 6): points and rounds by deal of the responder, of those around it, of self-play.
    blocks = np.concatenate([mixed.blocks[..., :2], alike.blocks[..., :2]], axis=1)
    bootstrap = Bootstrap(blocks.reshape(len(blocks), -1))

    def estimate(statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Estimate:
        return bootstrap.estimate(lambda sums: statistic(sums[..., 0::2] / sums[..., 1::2]))

    return Comparison(
        alone=estimate(lambda mean: mean[..., 0]),
        others=estimate(lambda mean: mean[..., 1]),
        self_play=estimate(lambda mean: mean[..., 2]),
        gain=estimate(lambda mean: mean[..., 2] - mean[..., 0]),
        lead=estimate(lambda mean: mean[..., 1] - mean[..., 0]),
    )


def respond(config: BestResponseConfig) -> Path:
    """Train, or go on, then compare on fresh deals; gives the run's folder.

    A run that was stopped before its end is not compared.
    """
    config = seated(config)
    if config.start is not None and not config.resume:
        config = begin(config, config.start)
    run = train(config)
    checkpoint = load(run / "latest")
    if checkpoint.card.training["decisions"] >= config.total_decisions:
        rules, seed = single_rounds(config), derive_seed(config.seed, "best response")
        opponent = resolve_opponent(config.opponent, config.game)
        responder = load_agent(run / "latest")
        comparison = compare(responder, opponent, config.game, rules, config.deals, seed)
        report(config, comparison, run / RESULT)
    return run


def seated(config: BestResponseConfig) -> BestResponseConfig:
    """The settings with the opponent at every table, and as the only field to evaluate against."""
    for table in config.tables:
        if table.opponents not in ((), (config.opponent,)):
            raise ConfigError(
                f"a best response has {config.opponent} in all other seats: its tables name no"
                f" opponents, but got {', '.join(table.opponents)}"
            )
    if config.opponent == "past":
        raise ConfigError("the opponent of a best response is frozen: it cannot be 'past'")
    tables = tuple(
        table.model_copy(update={"opponents": (config.opponent,)}) for table in config.tables
    )
    fields = (config.opponent,)
    changes: dict[str, Any] = {"tables": tables, "fields": fields, "final_fields": fields}
    if config.start is not None:
        changes["network"] = started(config, config.start).settings
    return config.model_copy(update=changes)


def started(config: BestResponseConfig, start: str) -> PolicyValueNet:
    """The network of the checkpoint to start from."""
    agent = load_agent(start)
    if agent.game.id != config.game:
        raise ConfigError(f"{start} plays {agent.game.id}, not {config.game}")
    if not isinstance(agent.network, PolicyValueNet):
        raise ConfigError(f"{start} holds a network of another kind than those PPO trains")
    return agent.network


def begin(config: BestResponseConfig, start: str) -> BestResponseConfig:
    """Save a run of no decisions that has the weights of a checkpoint; training resumes it."""
    trainer = Trainer(config, Path("runs") / "ppo" / config.name)
    trainer.network.load_state_dict(started(config, start).state_dict())
    run_folder("ppo", config.name)
    trainer.save()
    return config.model_copy(update={"resume": True})


def single_rounds(config: PPOConfig) -> dict[str, Any]:
    """The rules of the comparison: those of the first table, in single rounds."""
    return {**config.tables[0].rules, "num_rounds": 1}


def report(config: BestResponseConfig, found: Comparison, file: Path) -> None:
    """Print the comparison and write it down."""
    shown = Shown(title="points per round, fewer is better", title_justify="left")
    for heading in ("", "value", "95 %"):
        shown.add_column(heading, justify="left" if not heading else "right")
    lines = {
        "responder": found.alone,
        f"{config.opponent} around it": found.others,
        f"{config.opponent} among copies": found.self_play,
        "gain over self-play": found.gain,
        "lead over the others": found.lead,
    }
    for name, estimate in lines.items():
        interval = f"[{estimate.low:+.2f}, {estimate.high:+.2f}]"
        shown.add_row(name, f"{estimate.value:+.2f}", interval)
    console = Console(highlight=False, markup=False)
    console.print(shown)
    console.print(_sentence(config.opponent, found.gain), soft_wrap=True)
    values = {name: estimate.to_dict() for name, estimate in found._asdict().items()}
    about = {
        "game": config.game,
        "rules": single_rounds(config),
        "opponent": config.opponent,
        "opponent_digest": fingerprint(config.opponent) or None,
        "decisions": config.total_decisions,
        "deals": config.deals,
        "seed": derive_seed(config.seed, "best response"),
    }
    write_report(file, {**about, **values})
    console.print(f"written to {file}", soft_wrap=True)


def _sentence(opponent: str, gain: Estimate) -> str:
    """What the gain says of the opponent: a copy gains nothing, so no bound is below zero."""
    if gain.low <= 0:
        return f"This responder does not show that {opponent} can be beaten: a longer run may."
    return f"{opponent} can be beaten by at least {gain.low:.2f} points a round (97.5 % sure)."


def main() -> None:
    """Read the settings, train and compare."""
    config = load_config(BestResponseConfig)
    with readable_errors():
        respond(config)


if __name__ == "__main__":
    main()
