"""A process that is sent one JSON line a decision and answers each by one."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import weakref
from collections.abc import Sequence

from sixth_env.errors import OpponentError
from sixth_env.opponents.views import Json

MAX_LINE = 1 << 16  # bytes of an answer

_PATIENCE = 2.0  # seconds to end after standard input was closed

Lines = queue.SimpleQueue[bytes | None]


class ProcessLink:
    """Asks a process, which is started when it is first needed, and again after a fault.

    Its standard error is this process's. It has ended soon after :meth:`close`, after the last
    reference to the link is gone, and when this process ends: its standard input is closed, and it
    is killed if it goes on. A forked copy of this process starts its own.

    Args:
        command: what to run, split like a shell would; no shell is involved.
        timeout: seconds until an answer must be there.
    """

    def __init__(self, command: str, timeout: float) -> None:
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise OpponentError(f"the command {command!r} is malformed: {error}") from None
        if not self._arguments or shutil.which(self._arguments[0]) is None:
            raise OpponentError(f"the command {command!r} names no program that can be run")
        self._command, self._timeout = command, timeout
        self._lock = threading.Lock()
        self._process: _Process | None = None

    def answers(self, views: Sequence[Json], seeds: Sequence[int]) -> list[object]:
        """See :class:`~sixth_env.opponents.remote.Link`."""
        with self._lock:
            return [
                self._ask({"view": view, "seed": seed})
                for view, seed in zip(views, seeds, strict=True)
            ]

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            process, self._process = self._process, None
            if process is not None:
                process.close()

    def _ask(self, question: Json) -> object:
        process = self._process
        if process is None or process.owner != os.getpid():
            process = self._process = _Process(self._arguments)
        try:
            answer: object = json.loads(self._line(process, json.dumps(question)))
        except (OpponentError, ValueError, RecursionError) as error:
            self._process = None
            process.kill()
            if isinstance(error, OpponentError):
                raise
            raise OpponentError(f"the answer of {self._command!r} is no JSON: {error}") from None
        return answer

    def _line(self, process: _Process, question: str) -> bytes:
        """The line that answers a line."""
        try:
            line = process.ask(question.encode() + b"\n", self._timeout)
        except queue.Empty:
            raise OpponentError(
                f"the process {self._command!r} did not answer within {self._timeout:g} s"
            ) from None
        if not line:
            raise OpponentError(
                f"the process {self._command!r} {process.end()} where a line with an action was"
                " expected"
            )
        if not line.endswith(b"\n"):
            raise OpponentError(
                f"the process {self._command!r} did not end its answer within {MAX_LINE} bytes"
            )
        return line


class _Process:
    """A running process; a thread talks to it, so that waiting for an answer can end."""

    def __init__(self, arguments: list[str]) -> None:
        self.owner = os.getpid()
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=os.name == "posix",  # to kill its children along with it
            )
        except OSError as error:
            raise OpponentError(f"{arguments[0]!r} cannot be started: {error.strerror}") from None
        self._questions, self._answers = Lines(), Lines()
        talk = threading.Thread(
            target=_talk, args=(self._process, self._questions, self._answers), daemon=True
        )
        talk.start()
        self.close = weakref.finalize(
            self, _end, self.owner, self._process, self._questions, talk, _PATIENCE
        )

    def ask(self, question: bytes, timeout: float) -> bytes | None:
        """The line that answers a line, empty if none will; raises ``queue.Empty`` if late."""
        self._questions.put(question)
        return self._answers.get(timeout=timeout)

    def end(self) -> str:
        """What has become of a process that says nothing more."""
        try:
            return f"has ended with status {self._process.wait(_PATIENCE)}"
        except subprocess.TimeoutExpired:
            return "has closed its output"

    def kill(self) -> None:
        """End it at once, whatever it is doing."""
        _kill(self._process)
        self.close()


def _talk(process: subprocess.Popen[bytes], questions: Lines, answers: Lines) -> None:
    """Pass each question on and its answer back, until there is None or an end."""
    assert process.stdin is not None and process.stdout is not None
    with process.stdout as output:
        while (question := questions.get()) is not None:
            try:
                process.stdin.write(question)
                process.stdin.flush()
            except OSError:
                answers.put(b"")
                break
            answers.put(output.readline(MAX_LINE))


def _end(
    owner: int,
    process: subprocess.Popen[bytes],
    questions: Lines,
    talk: threading.Thread,
    patience: float,
) -> None:
    if owner != os.getpid():
        return  # a forked copy, to which the process does not belong
    questions.put(None)
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        _kill(process)
        process.wait()
    talk.join(patience)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
