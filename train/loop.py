"""The course of a run, whatever is learnt in it: evaluate, log, save, stop and end."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from sixth_env.match.result import MatchResult
from train.evaluate import margins, print_results
from train.runs import RunLog, StopSignal, passed


class Learner(Protocol):
    """A training between two updates."""

    decisions: int

    def advance(self) -> dict[str, float]:
        """One update; gives the averages of its terms."""

    def save(self, results: dict[str, Any] | None = None) -> Path:
        """Write the checkpoint ``latest``."""

    def strength(self, fields: tuple[str, ...], deals: int, seed: str) -> list[MatchResult]:
        """Matches against a table full of each opponent."""


class Course(Protocol):
    """The settings that say when to do what; see ``PPOConfig``."""

    @property
    def total_decisions(self) -> int: ...
    @property
    def stop_after(self) -> int | None: ...
    @property
    def save_every(self) -> int: ...
    @property
    def evaluate_every(self) -> int: ...
    @property
    def evaluate_deals(self) -> int: ...
    @property
    def fields(self) -> tuple[str, ...]: ...
    @property
    def final_fields(self) -> tuple[str, ...]: ...
    @property
    def final_deals(self) -> int: ...


def learn(learner: Learner, config: Course, run: Path) -> None:
    """Go on to the run's end, to Ctrl-C, or to the first non-finite loss."""
    strength: dict[str, float] = {}
    stop_at = min(config.total_decisions, config.stop_after or config.total_decisions)
    with RunLog(run, config.total_decisions, start=learner.decisions) as log, StopSignal() as stop:
        while learner.decisions < stop_at and not stop.requested:
            before = learner.decisions
            terms = learner.advance()
            if passed(before, learner.decisions, config.evaluate_every):
                results = learner.strength(config.fields, config.evaluate_deals, "evaluation")
                strength = margins(results)
                terms.update({f"strength/{name}": value for name, value in strength.items()})
            log.log(learner.decisions, terms, show=strength)
            if passed(before, learner.decisions, config.save_every):
                learner.save()
    learner.save()
    if learner.decisions < config.total_decisions:
        print(f"stopped at {learner.decisions:,} decisions; go on with --resume")
        return
    results = learner.strength(config.final_fields, config.final_deals, "final")
    path = learner.save({"fields": [result.to_dict() for result in results]})
    print_results(results, path)
