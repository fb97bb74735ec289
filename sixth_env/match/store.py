"""A file of results: JSON lines, the first of which says what it is about.

Lines are appended as jobs are finished. A last line that a crash has torn is dropped.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError
from sixth_env.match.result import Entrant, MatchResult, shared_wins

if TYPE_CHECKING:
    from sixth_env.match.jobs import Job

FORMAT = "sixth_env results 1"


class Store:
    """Results by key, in a file if there is one and in memory.

    Args:
        file: made with its first job; ``None`` keeps results in memory alone.
        settings: plain values that the file's first line must hold.

    Raises:
        ConfigError: the file cannot be read or written, is of other settings, or damaged.
    """

    def __init__(self, file: Path | None, settings: Mapping[str, Any]) -> None:
        self._file, self._stream = file, None
        self._lines: dict[str, bytes] = {}  # as they are in a file: a few bytes for each game
        if file is not None:
            header = {"format": FORMAT, "settings": dict(settings)}
            self._stream = _opened(file, header, self._lines)

    def __contains__(self, key: str) -> bool:
        return key in self._lines

    def add(self, key: str, job: Job, result: MatchResult) -> None:
        """Keep a job's result: one whole line, written at once."""
        line = _text(_to_line(key, job, result))
        if self._stream is not None:
            try:
                self._stream.write(line)
                self._stream.flush()
            except OSError as error:
                raise _unwritable(self._file, error) from error
        self._lines[key] = line

    def get(self, key: str, job: Job) -> MatchResult:
        """The result of a job that is here."""
        try:
            return _from_line(json.loads(self._lines[key]), job)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ConfigError(f"the line {key} of {self._file} is damaged") from error

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()


def _opened(file: Path, header: dict[str, Any], lines: dict[str, bytes]) -> BinaryIO:
    """The file, ready for more lines, once those that it holds are in ``lines``."""
    if file.exists() and not file.is_file() and not file.is_dir():  # such as /dev/zero: no end
        raise ConfigError(f"{file} is no file of results: a device or a pipe keeps nothing")
    try:
        stream = file.open("ab")
        try:
            _lock(stream, file)
            whole = _read(file, header, lines)
            stream.truncate(whole)
            if whole == 0:
                stream.write(_text(header))
                stream.flush()
        except BaseException:
            stream.close()
            raise
    except OSError as error:
        raise _unwritable(file, error) from error
    return stream


def _lock(stream: BinaryIO, file: Path) -> None:
    """Keep other runs out until the file is closed or the process ends, where the system can."""
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ConfigError(f"another run is writing to {file}") from None


def _unwritable(file: Path | None, error: OSError) -> ConfigError:
    return ConfigError(f"results cannot be kept in {file}: {error.strerror}")


def _read(file: Path, header: dict[str, Any], lines: dict[str, bytes]) -> int:
    """Take the whole lines of a file; returns how many bytes they are, 0 if there are none."""
    content = file.read_bytes()
    whole = content.rfind(b"\n") + 1
    rows = content[:whole].splitlines()
    if not whole and _text(header).startswith(content):
        return 0  # new, or torn at once
    if not content.startswith(b'{"format":'):
        raise ConfigError(f"{file} is no file of results: another file, or none yet, is expected")
    for number, row in enumerate(rows, 1):
        try:
            values = json.loads(row)
            if number == 1:
                _check_header(file, values, json.loads(_text(header)))
            else:
                lines[values["key"]] = row
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, ConfigError):
                raise
            raise ConfigError(f"line {number} of {file} is damaged: it is no result") from error
    return whole


def _check_header(file: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    if found["format"] != wanted["format"]:
        raise ConfigError(f"{file} is of format {found['format']!r}, not {wanted['format']!r}")
    difference = _difference(found["settings"], wanted["settings"])
    if difference:
        raise ConfigError(f"{file} holds results of other settings: {difference}")


def _difference(found: Any, wanted: Any, name: str = "") -> str:
    """The first setting that differs, in words; "" if none does."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in {**wanted, **found}:
            inner = f"{name}.{key}" if name else key
            difference = _difference(found.get(key), wanted.get(key), inner)
            if difference:
                return difference
        return ""
    return "" if found == wanted else f"{name} is {found!r} there, not {wanted!r}"


def _text(values: dict[str, Any]) -> bytes:
    return json.dumps(values, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _to_line(key: str, job: Job, result: MatchResult) -> dict[str, Any]:
    """A result as plain values: points by deal, rotation and position are whole numbers."""
    cut_off = np.argwhere(result.wins.sum(axis=-1) == 0)
    return {
        "key": key,
        **job.to_dict(),
        "points": result.points.astype(np.int64).tolist(),
        "rounds": result.rounds.tolist(),
        "cut_off": cut_off.tolist(),
        "turn_points": result.turn_points.astype(np.int64).tolist(),
        "entrants": [
            {
                "greedy": entrant.greedy,
                "decisions": entrant.decisions,
                "seconds": round(entrant.seconds, 6),
                "spec": entrant.spec,
            }
            for entrant in result.entrants
        ],
    }


def _from_line(line: dict[str, Any], job: Job) -> MatchResult:
    """The result that ``_to_line`` made plain."""
    games = len(job.deals), len(job.rotations)
    points = _whole_numbers(line["points"], *games, len(job.line_up)).astype(np.float64)
    wins = shared_wins(points)
    for deal, rotation in line["cut_off"]:
        wins[deal, rotation] = 0.0
    specs = dict(zip(job.names, job.line_up, strict=True))
    line_up = np.array([list(specs).index(name) for name in job.names])
    return MatchResult(
        game=job.game,
        rules=job.rules,
        seed=job.seed,
        entrants=tuple(
            Entrant(
                name,
                seats=int(np.sum(line_up == index)),
                spec=values["spec"],
                greedy=values["greedy"],
                decisions=int(values["decisions"]),
                seconds=float(values["seconds"]),
            )
            for index, (name, values) in enumerate(zip(specs, line["entrants"], strict=True))
        ),
        line_up=line_up,
        points=points,
        wins=wins,
        rounds=_whole_numbers(line["rounds"], *games),
        rotations=job.rotations,
        turn_points=np.array(line["turn_points"], np.float64).reshape(len(specs), -1),
    )


def _whole_numbers(values: Any, *shape: int) -> NDArray[np.int64]:
    """Numbers as they were written; raises ``ValueError`` if they are others."""
    array = np.array(values)
    if array.shape != shape or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"whole numbers of shape {shape} were expected")
    return array.astype(np.int64)
