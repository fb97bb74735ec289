"""Whoever plays the jobs of one process: loads opponents, seats them at tables."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sixth_env.match.result import MatchResult
from sixth_env.match.setup import names_of, specs_of
from sixth_env.match.table import Table
from sixth_env.opponents import is_exported
from sixth_env.opponents.base import Opponent
from sixth_env.opponents.custom import CARD, resolve_opponent
from sixth_env.opponents.zoo import shipped_files

if TYPE_CHECKING:
    from sixth_env.match.jobs import Job
    from sixth_env.opponents.onnx_card import PlayMode


class Players:
    """Plays jobs in this process, and loads each opponent once.

    Args:
        given: opponents for some specs, instead of loading them.
    """

    def __init__(self, given: Mapping[str, Opponent] | None = None) -> None:
        self._given = dict(given or {})
        names_of(list(self._given.values()), None)  # refuses what is no opponent
        self._loaded: dict[tuple[str, str], Opponent] = {}
        self._warm: set[tuple[str, str]] = set()

    def play(self, jobs: Sequence[Job]) -> Iterator[tuple[int, MatchResult]]:
        """Each job's place and result, as they are finished."""
        for place, job in enumerate(jobs):
            yield place, self.play_one(job)

    def play_one(self, job: Job) -> MatchResult:
        """The result of a job.

        Raises:
            OpponentError: an opponent cannot be loaded, fails or gives no legal answer.
        """
        line_up = [self._load(job.game, spec) for spec in job.line_up]
        specs = [self._spec(spec) for spec in job.line_up]
        config = {"num_players": len(line_up), **job.config}
        table = Table(job.game, line_up, job.names, specs, job.seed, config)
        with _one_thread():
            if not {(job.game, spec) for spec in job.line_up} <= self._warm:
                table.warm_up()
                self._warm |= {(job.game, spec) for spec in job.line_up}
            return table.play(job.deals, job.rotations)

    def close(self) -> None:
        """Forget the opponents that were loaded; those that hold something open are told.

        One that fails at it takes no result with it.
        """
        for opponent in self._loaded.values():
            close = getattr(opponent, "close", None)
            if callable(close):
                with suppress(Exception):
                    close()
        self._loaded.clear()

    def _load(self, game: str, spec: str) -> Opponent:
        if spec in self._given:
            return self._given[spec]
        if (game, spec) not in self._loaded:
            self._loaded[game, spec] = resolve_opponent(spec, game)
        return self._loaded[game, spec]

    def _spec(self, spec: str) -> str | None:
        """What loads an opponent at the command line."""
        return specs_of([self._given[spec]], None)[0] if spec in self._given else spec


def fingerprint(spec: str) -> str:
    """A digest of the checkpoint, file or shipped opponent that a spec names, "" if of none.

    Of a module's code nothing is known: a file of results does not notice that it has changed.
    """
    text = spec.partition("?")[0]  # without the way of playing, such as ?sampled
    if is_exported(text):
        return _of_exported(text)
    for path in (Path(text), Path(text.partition(":")[2])):
        if path.is_file():
            return _digest([path])
        if (path / CARD).is_file():
            return _digest(sorted(file for file in path.iterdir() if file.is_file()))
    return ""


def _of_exported(text: str) -> str:
    """Of a network and of how the card beside it plays: what else a card says changes nothing."""
    from sixth_env.opponents.onnx import read_card  # brings pydantic

    network, card = shipped_files(text) or (Path(text), Path(text).with_suffix(".json"))
    return fingerprint_of(network, read_card(card).play if card.is_file() else None)


def fingerprint_of(network: Path, play: PlayMode | None) -> str:
    """The digest of a network that is played in some way."""
    how = "" if play is None else play.model_dump_json()
    return hashlib.sha256((_digest([network]) + how).encode()).hexdigest()


def _digest(files: Sequence[Path]) -> str:
    total = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            total.update(file.name.encode() + hashlib.file_digest(stream, "sha256").digest())
    return total.hexdigest()


@contextmanager
def _one_thread() -> Iterator[None]:
    """PyTorch on one thread, if it is there: sums in the same order in every process."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
