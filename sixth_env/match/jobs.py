"""Jobs: line-ups on ranges of deals, played in several processes, kept in a file as they finish.

jobs = [Job("sixth_card", ("closest", *[other] * 3), range(1000)) for other in ("random", "mc:100")]
for result in play_jobs(jobs, file="results.jsonl", processes=2):
    print(result.difference(0))

A job names its opponents, so that any process can load them. It is played in parts, which are fixed
by the job and ``games_at_once``: results are the same bit for bit in any number of processes,
whether or not they were interrupted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

from sixth_env.engine import check_seed, is_whole
from sixth_env.errors import ConfigError
from sixth_env.games import get_game
from sixth_env.match.players import Players, fingerprint
from sixth_env.match.result import MatchResult
from sixth_env.match.setup import MAX_DEALS, Progress, check_whole, chunks, rule_set
from sixth_env.match.store import Store
from sixth_env.match.workers import Workers
from sixth_env.opponents.base import Opponent

GAMES_AT_ONCE = 512
# A part's deals are a power of two up to this: a job that is extended keeps its parts.
MAX_PART = 128


@dataclass(frozen=True, eq=False)
class Job:
    """A line-up on some deals, in some rotations.

    Args:
        game: a game's id.
        line_up: (P,) specs as on the command line; see
            :func:`~sixth_env.opponents.custom.resolve_opponent`.
        deals: indices of the deals, such as ``range(1000)``; the step is 1.
        seed: of the deals and of the opponents' own randomness.
        config: the rule set but for the players; ``{"num_rounds": 1}`` by default, single rounds.
        rotations: (R,) different numbers from 0 to P - 1, all by default.
        names: (P,) what to call them, the specs by default; positions that share a name are one
            entrant, and have one spec.

    Raises:
        ConfigError: something does not fit the game, or is no such value.
    """

    game: str
    line_up: tuple[str, ...]
    deals: range
    seed: int = 1
    config: Mapping[str, Any] = field(default_factory=lambda: {"num_rounds": 1})
    rotations: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        players = len(self.line_up)
        if not all(isinstance(spec, str) for spec in self.line_up):
            raise ConfigError(f"a job names its opponents by specs, not {list(self.line_up)!r}")
        if "reward" in self.config:
            raise ConfigError("a match counts points, whatever is rewarded: leave reward out")
        config = rule_set(self.game, players, dict(self.config))
        values: dict[str, Any] = {
            "line_up": tuple(self.line_up),
            "deals": _checked_deals(self.deals),
            "seed": check_seed(self.seed),
            "config": {rule: value for rule, value in config.items() if rule != "num_players"},
            "rotations": _checked_rotations(self.rotations, players),
            "names": _checked_names(self.names, self.line_up),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @cached_property
    def rules(self) -> dict[str, Any]:
        """The whole rule set, as in a position."""
        config = {"num_players": len(self.line_up), **self.config}
        rules: dict[str, Any] = get_game(self.game).make_rules(config).to_dict()
        return rules

    @property
    def games(self) -> int:
        """How many games it takes."""
        return len(self.deals) * len(self.rotations)

    @cached_property
    def key(self) -> str:
        """A digest of all that decides the result, but for what the specs stand for."""
        values = [
            *(self.game, get_game(self.game).version, self.rules, self.seed),
            *(self.line_up, self.names, self.deals.start, self.deals.stop, self.rotations),
        ]
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]

    def parts(self, games_at_once: int = GAMES_AT_ONCE) -> list[Job]:
        """The same deals in jobs of at most about so many games."""
        most = min(MAX_PART, max(1, games_at_once // len(self.rotations)))
        size = 1 << (most.bit_length() - 1)
        return [replace(self, deals=part) for part in chunks(self.deals, size)]

    def to_dict(self) -> dict[str, Any]:
        """The job as plain values for JSON."""
        return {
            "game": self.game,
            "rules": self.rules,
            "seed": self.seed,
            "line_up": list(self.line_up),
            "names": list(self.names),
            "deals": [self.deals.start, self.deals.stop],
            "rotations": list(self.rotations),
        }


def _checked_deals(deals: object) -> range:
    if not isinstance(deals, range) or deals.step != 1 or len(deals) == 0:
        raise ConfigError(f"deals must be a range of step 1 such as range(1000), not {deals!r}")
    if deals.start < 0 or deals.stop > MAX_DEALS:
        raise ConfigError(f"deals must be from 0 to {MAX_DEALS}, not {deals.start}-{deals.stop}")
    return deals


def _checked_rotations(rotations: Sequence[int], players: int) -> tuple[int, ...]:
    chosen = tuple(rotations) or tuple(range(players))
    whole = all(is_whole(rotation, 0, players - 1) for rotation in chosen)
    if not whole or len(set(chosen)) < len(chosen):
        raise ConfigError(
            f"rotations must be different numbers from 0 to {players - 1}, not {list(chosen)}"
        )
    return tuple(int(rotation) for rotation in chosen)


def _checked_names(names: Sequence[str], line_up: Sequence[str]) -> tuple[str, ...]:
    chosen = tuple(names) or tuple(line_up)
    if len(chosen) != len(line_up):
        raise ConfigError(f"{len(line_up)} opponents need as many names, not {len(chosen)}")
    specs = dict(zip(chosen, line_up, strict=True))
    for name, spec in zip(chosen, line_up, strict=True):
        if specs[name] != spec:
            raise ConfigError(f"{name!r} cannot be both {spec!r} and {specs[name]!r}")
    return chosen


def play_jobs(
    jobs: Sequence[Job],
    file: Path | str | None = None,
    *,
    processes: int = 1,
    progress: Progress | None = None,
    settings: Mapping[str, Any] | None = None,
    opponents: Mapping[str, Opponent] | None = None,
    games_at_once: int = GAMES_AT_ONCE,
) -> list[MatchResult]:
    """Play jobs; one result for each, in their order.

    Args:
        jobs: what to play.
        file: takes a JSON line for every part as it is finished, and is read first: what it holds
            already is not played again. So an interrupted run goes on where it stopped.
        processes: how many play at a time; 1 plays in this process.
        progress: called with the games played so far and all games, those in the file included.
        settings: plain values that describe the file in its first line; a file with others is
            refused. By default what all jobs share of game, rules and seed.
        opponents: those of these specs, instead of loading them; for one process alone.
        games_at_once: how many games are played together; bounds memory and the work that an
            interruption may lose.

    Raises:
        ConfigError: the file is of other settings, or damaged; or an argument is wrong.
        OpponentError: an opponent cannot be loaded, fails or gives no legal answer.
    """
    with Runner(
        file,
        processes=processes,
        settings=_shared(jobs) if settings is None else settings,
        opponents=opponents,
        games_at_once=games_at_once,
    ) as runner:
        return runner.play(jobs, progress)


def _shared(jobs: Sequence[Job]) -> dict[str, Any]:
    """What all jobs have in common of game, rules and seed."""
    every = [{"game": job.game, "rules": job.rules, "seed": job.seed} for job in jobs]
    return {
        name: value
        for name, value in (every[0] if every else {}).items()
        if all(other[name] == value for other in every)
    }


class Runner:
    """Plays jobs with one set of processes and one file; see :func:`play_jobs`. Close it."""

    def __init__(
        self,
        file: Path | str | None = None,
        *,
        processes: int = 1,
        settings: Mapping[str, Any] | None = None,
        opponents: Mapping[str, Opponent] | None = None,
        games_at_once: int = GAMES_AT_ONCE,
    ) -> None:
        processes = check_whole("processes", processes)
        if opponents and processes > 1:
            raise ConfigError(
                f"{processes} processes load their opponents by spec: opponents that were"
                " handed over play in one process"
            )
        self._opponents = dict(opponents or {})
        self._games_at_once = check_whole("games_at_once", games_at_once)
        self._store = Store(None if file is None else Path(file), dict(settings or {}))
        self._workers = Workers(processes) if processes > 1 else Players(self._opponents)

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes and close the file."""
        self._workers.close()
        self._store.close()

    def play(self, jobs: Sequence[Job], progress: Progress | None = None) -> list[MatchResult]:
        """One result for each job, in their order."""
        split = [job.parts(self._games_at_once) for job in jobs]
        contents = self._contents(jobs)
        parts = {_key(part, contents): part for job in split for part in job}
        total = sum(part.games for part in parts.values())
        todo = [key for key in parts if key not in self._store]
        done = total - sum(parts[key].games for key in todo)
        if progress is not None:
            progress(done, total)
        for place, result in self._workers.play([parts[key] for key in todo]):
            self._store.add(todo[place], parts[todo[place]], result)
            done += parts[todo[place]].games
            if progress is not None:
                progress(done, total)
        return [
            MatchResult.join([self._store.get(_key(part, contents), part) for part in job])
            for job in split
        ]

    def _contents(self, jobs: Sequence[Job]) -> dict[str, str]:
        """Digests of the files that specs stand for: a new checkpoint is another opponent."""
        specs = {spec for job in jobs for spec in job.line_up}
        return {spec: fingerprint(spec) for spec in specs if spec not in self._opponents}


def _key(job: Job, contents: Mapping[str, str]) -> str:
    """A job's key, changed by what files its specs stand for."""
    files = [contents.get(spec, "") for spec in job.line_up]
    if not any(files):
        return job.key
    return hashlib.sha256("".join([job.key, *files]).encode()).hexdigest()[:32]
