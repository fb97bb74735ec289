"""Processes that play jobs."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any

from sixth_env.errors import OpponentError
from sixth_env.match.players import Players
from sixth_env.match.result import MatchResult

if TYPE_CHECKING:
    from sixth_env.match.jobs import Job

# What NumPy, PyTorch and Numba read as they are loaded: a process each, a thread each.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Workers:
    """Processes that play jobs as :class:`~sixth_env.match.players.Players` does in its own.

    They are started afresh ("spawn") by the first jobs, so that they share no threads and no locks
    with this process, and stay until ``close``. As with all of Python's processes, a script that
    uses them starts under ``if __name__ == "__main__":``.

    Args:
        count: how many, at least 1.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pipes: dict[Connection, BaseProcess] = {}

    def play(self, jobs: Sequence[Job]) -> Iterator[tuple[int, MatchResult]]:
        """Each job's place and result, as they are finished.

        Raises:
            OpponentError: a process has died.
            SixthEnvError: whatever playing a job raises.
        """
        self._start(min(self._count, len(jobs)))
        left = iter(enumerate(jobs))
        busy: dict[Connection, Job] = {}
        for pipe in self._pipes:
            _hand_out(pipe, left, busy)
        whole = False
        try:
            while busy:
                ready = wait(list(busy))
                for pipe in [pipe for pipe in busy if pipe in ready]:
                    place, result = self._receive(pipe, busy.pop(pipe))
                    _hand_out(pipe, left, busy)
                    yield place, result
            whole = True
        finally:
            if not whole:  # what they would still answer is nobody's question any more
                self._end(patience=0.0)

    def close(self) -> None:
        """End the processes."""
        self._end(patience=5.0)

    def _end(self, patience: float) -> None:
        """Let processes end by themselves, for so many seconds."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._pipes.values():
            if patience:
                process.join(patience)
            process.terminate()
        for process in self._pipes.values():
            process.join()
        self._pipes.clear()

    def _start(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        with _one_thread_each():
            while len(self._pipes) < count:
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs,), daemon=True)
                process.start()
                theirs.close()
                self._pipes[ours] = process

    def _receive(self, pipe: Connection, job: Job) -> tuple[int, MatchResult]:
        try:
            place, answer = pipe.recv()
        except (EOFError, ConnectionError) as error:
            process = self._pipes[pipe]
            process.join()
            raise OpponentError(
                f"the process that played {', '.join(dict.fromkeys(job.line_up))} has died"
                f" (exit code {process.exitcode}); what was finished before is kept"
            ) from error
        if isinstance(answer, BaseException):
            raise answer
        return place, answer


def _hand_out(
    pipe: Connection, left: Iterator[tuple[int, Job]], busy: dict[Connection, Job]
) -> None:
    """Give a process the next job, if there is one."""
    for place, job in left:
        busy[pipe] = job
        with suppress(ConnectionError):  # it has died, which is told when it is listened to
            pipe.send((place, job))
        return


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """An environment in which a process starts with one thread; put back afterwards."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _work(pipe: Connection) -> None:
    """Play what comes until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process ends it
    players = Players()
    while True:
        try:
            place, job = pipe.recv()
        except EOFError:
            players.close()
            return
        answer: Any
        try:
            answer = players.play_one(job)
        except Exception as error:
            answer = _told(error)
        try:
            pipe.send((place, answer))
        except ConnectionError:
            return


def _told(error: Exception) -> Exception:
    """An error as another process can read it; a foreign one may not survive the way."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return OpponentError(f"{type(error).__name__}: {error}")
    return error
