"""Is somebody's result true? Play the same deals again and compare."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

from sixth_env.errors import ConfigError
from sixth_env.match import Runner
from sixth_env.match.jobs import GAMES_AT_ONCE
from sixth_env.match.players import fingerprint
from sixth_env.match.setup import Progress
from sixth_env.match.stats import CONFIDENCE
from sixth_env.suite.definition import Suite
from sixth_env.suite.result import Figure, SuiteResult, check_complete, field_result

# So rarely is a true result called different.
FALSE_ALARM = 0.01

SAME, WITHIN, DIFFERENT = "the same", "within error", "different"


@dataclass(frozen=True)
class FieldCheck:
    """A field of the result, and what playing it again has brought.

    ``verdict``: the same points in each game; or not, but the differences agree within their
    errors; or they do not.
    """

    players: int
    field: str
    deals: int
    claimed: Figure
    again: Figure
    verdict: str


@dataclass(frozen=True)
class Check:
    """All fields that were played again; ``other_file`` if the opponent's file is another one."""

    fields: tuple[FieldCheck, ...]
    other_file: bool

    @property
    def verdict(self) -> str:
        """The worst of the fields' verdicts."""
        found = {field.verdict for field in self.fields}
        return next(verdict for verdict in (DIFFERENT, WITHIN, SAME) if verdict in found)


def check_result(
    result: SuiteResult,
    suite: Suite,
    file: Path,
    *,
    spec: str = "",
    quick: bool = False,
    processes: int = 1,
    games_at_once: int = GAMES_AT_ONCE,
    progress: Progress | None = None,
) -> Check:
    """Play a result's deals again.

    Args:
        result, file: see :func:`~sixth_env.suite.read_result`.
        suite: the one that the result is of.
        spec: what loads the opponent here, if it is not what the result says.
        quick: play the deals of the quick size alone.
        processes, games_at_once, progress: see :func:`~sixth_env.match.play_jobs`.

    Raises:
        ConfigError: the result is of another suite, or not complete.
        OpponentError: the opponent cannot be loaded, or fails.
    """
    board = check_complete(result, suite, file)
    spec, small = spec or result.opponent.spec, quick or result.quick
    fields = board.played(small)
    deals = [field.quick if small else field.deals for field in fields]
    jobs = [
        field.job(spec, result.opponent.name, count)
        for field, count in zip(fields, deals, strict=True)
    ]
    with Runner(processes=processes, games_at_once=games_at_once) as runner:
        matches = runner.play(jobs, progress)
    claims = {(field.players, field.field): field for field in result.fields}
    checks = []
    for field, match in zip(fields, matches, strict=True):
        claim, again = claims[field.key], field_result(field, match)
        if match.deals not in claim.digests:
            raise ConfigError(
                f"{file}: {field.name} has no digest of its first {match.deals} deals"
            )
        same = claim.digests[match.deals] == again.digests[match.deals]
        figures = claim.difference, again.difference
        verdict = SAME if same else WITHIN if agree(*figures, len(fields)) else DIFFERENT
        checks.append(FieldCheck(field.players, field.name, match.deals, *figures, verdict))
    return Check(tuple(checks), (fingerprint(spec) or None) != result.opponent.file)


def agree(claimed: Figure, again: Figure, tests: int) -> bool:
    """Whether two figures differ by no more than chance, when so many pairs are compared."""
    error = math.hypot(claimed.half, again.half) / NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    most = NormalDist().inv_cdf(1 - FALSE_ALARM / (2 * tests))
    return abs(claimed.value - again.value) <= most * error


def verdicts(checks: Sequence[FieldCheck]) -> dict[str, int]:
    """How many fields have which verdict."""
    return {
        verdict: sum(check.verdict == verdict for check in checks)
        for verdict in (SAME, WITHIN, DIFFERENT)
    }
