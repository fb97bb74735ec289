"""Tournaments: everybody's points, who beats whom, ratings, from line-ups on the same deals.

table = play_tournament("sixth_card", ["random", "lowest", "closest", "cautious"], processes=2)
table.difference("cautious", "closest")  # points per round at the tables where both sat
table.rating("cautious"), table.cycles
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sixth_env.errors import ConfigError
from sixth_env.match.jobs import GAMES_AT_ONCE, Job, Runner
from sixth_env.match.schedule import LineUp, make_schedule
from sixth_env.match.settle import Settling
from sixth_env.match.setup import (
    MAX_DEALS,
    Progress,
    check_whole,
    distinct,
    names_of,
    rule_set,
)
from sixth_env.match.standing import Tournament
from sixth_env.opponents.base import Opponent


def play_tournament(
    game: str,
    entrants: Sequence[str | Opponent],
    *,
    players: int = 4,
    deals: int = 1000,
    seed: int = 1,
    names: Sequence[str] | None = None,
    format: str = "table",
    line_ups: int | None = None,
    rotations: int | None = None,
    until_settled: bool = False,
    within: float = 0.0,
    file: Path | str | None = None,
    processes: int = 1,
    games_at_once: int = GAMES_AT_ONCE,
    progress: Progress | None = None,
    **config: Any,
) -> Tournament:
    """Play every line-up of a tournament on the same deals.

    Args:
        game: a game's id.
        entrants: N of them: specs as on the command line, or opponents, which play in one process.
        players: P, the seats at a table.
        deals: how many are dealt; each is played in every line-up and each of its rotations.
        seed: of the deals and of the opponents' own randomness.
        names: one for each entrant, its spec or own name by default.
        format, line_ups, rotations: who sits with whom, and where; see
            :func:`~sixth_env.match.schedule.make_schedule`.
        until_settled: stop as soon as all differences are settled; ``deals`` is the most then. See
            :mod:`sixth_env.match.settle` for the rule.
        within: points per round that make no difference to ``until_settled``.
        file, processes, games_at_once, progress: see :func:`~sixth_env.match.jobs.play_jobs`. A
            file serves more entrants or deals later on.
        config: the rule set; ``num_rounds=1`` plays single rounds, the default whole matches.

    Raises:
        ConfigError: entrants, options or rules do not fit, or the file is of other settings.
        OpponentError: an opponent cannot be loaded, fails or gives no legal answer.
    """
    deals = check_whole("deals", deals, MAX_DEALS)
    schedule = make_schedule(
        len(entrants), players, format=format, line_ups=line_ups, rotations=rotations
    )
    labels, specs, given = _named(entrants, names)
    config = rule_set(game, players, config)

    def jobs(some: range) -> list[Job]:
        return [_job(game, line_up, labels, specs, some, seed, config) for line_up in schedule]

    settings = {"game": game, "rules": jobs(range(1))[0].rules, "seed": seed}
    comparisons = len(entrants) * (len(entrants) - 1) // (1 if format == "field" else 2)
    rule = Settling(comparisons, deals, within) if until_settled else None
    with Runner(
        file,
        processes=processes,
        settings=settings,
        opponents=given,
        games_at_once=games_at_once,
    ) as runner:
        if rule is None:
            return Tournament(labels, format, tuple(runner.play(jobs(range(deals)), progress)))
        return _until_settled(runner, jobs, rule, Tournament(labels, format, (), rule), progress)


def _until_settled(
    runner: Runner,
    jobs: Callable[[range], list[Job]],
    rule: Settling,
    table: Tournament,
    progress: Progress | None,
) -> Tournament:
    """Play to one look after another, and stop at the first at which all is settled."""
    before = 0
    for look in rule.looks:
        more = runner.play(jobs(range(before, look)), _share(progress, before, look, rule.deals))
        table = table.joined(more)
        before = look
        if table.settled:
            break
    return table


def _share(progress: Progress | None, before: int, look: int, deals: int) -> Progress | None:
    """The progress from one look to the next as that of all deals."""
    if progress is None:
        return None
    report = progress

    def share(done: int, total: int) -> None:
        a_deal = total // (look - before)
        report(before * a_deal + done, deals * a_deal)

    return share


def _named(
    entrants: Sequence[str | Opponent], names: Sequence[str] | None
) -> tuple[tuple[str, ...], list[str], dict[str, Opponent]]:
    """Each entrant's name and spec, and the opponents by spec that need no loading."""
    own = [e if isinstance(e, str) else names_of([e], None)[0] for e in entrants]
    if names is not None and len(names) != len(entrants):
        raise ConfigError(f"{len(entrants)} entrants need as many names, not {len(names)}")
    labels = tuple(distinct(own if names is None else names))
    specs, given = [], {}
    for entrant, label in zip(entrants, labels, strict=True):
        if isinstance(entrant, str):
            specs.append(entrant)
        else:
            specs.append(f"<{label}>")  # like no spec that could be loaded
            given[specs[-1]] = entrant
    return labels, specs, given


def _job(
    game: str,
    line_up: LineUp,
    labels: Sequence[str],
    specs: Sequence[str],
    deals: range,
    seed: int,
    config: Mapping[str, Any],
) -> Job:
    return Job(
        game,
        tuple(specs[entrant] for entrant in line_up.entrants),
        deals,
        seed=seed,
        config=config,
        rotations=line_up.rotations,
        names=tuple(labels[entrant] for entrant in line_up.entrants),
    )
