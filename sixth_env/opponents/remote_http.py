"""A server that is sent views by ``POST /v1/act`` and answers with actions."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from sixth_env.errors import OpponentError
from sixth_env.opponents.views import Json

BATCH = 32  # views in a request

_MAX_ANSWER = 1 << 14  # bytes for each view


class HttpLink:
    """Asks a server over one connection, which is opened when it is first needed.

    Redirects are not followed, and no proxy is used.

    Args:
        scheme: ``"http"`` or ``"https"``.
        host, port: of the server; the scheme's port unless given.
        path: what comes before ``/v1/act``, if anything.
        opponent: which opponent of the server is asked, unless its default one.
        timeout: seconds a decision; a request of n views may take n times that.
    """

    def __init__(
        self,
        scheme: str,
        host: str,
        port: int | None,
        path: str,
        opponent: str | None,
        timeout: float,
    ) -> None:
        secure = scheme == "https"
        self._kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self._host, self._port, self._timeout = host, port, timeout
        self._path = path.rstrip("/") + "/v1/act"
        self._address = f"{scheme}://{host}" + (f":{port}" if port else "") + self._path
        self._whom = {} if opponent is None else {"opponent": opponent}
        self._lock = threading.Lock()
        self._connection: http.client.HTTPConnection | None = None
        self._owner = os.getpid()

    def answers(self, views: Sequence[Json], seeds: Sequence[int]) -> list[object]:
        """See :class:`~sixth_env.opponents.remote.Link`."""
        answers: list[object] = []
        with self._lock:
            for i in range(0, len(views), BATCH):
                part = slice(i, i + BATCH)
                answers += self._ask(views[part], seeds[part])
        return answers

    def close(self) -> None:
        """Close the connection, if there is one."""
        with self._lock:
            self._disconnect()

    def _ask(self, views: Sequence[Json], seeds: Sequence[int]) -> list[object]:
        question = json.dumps({**self._whom, "views": views, "seeds": seeds}).encode()
        status, body = self._exchange(question, self._timeout * len(views), len(views))
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        if status != 200:
            raise OpponentError(f"{self._address} answered with status {status}{_reason(answer)}")
        actions = answer.get("actions") if isinstance(answer, dict) else None
        if not isinstance(actions, list) or len(actions) != len(views):
            raise OpponentError(
                f"{self._address} did not answer with JSON that has an 'actions' list of"
                f" {len(views)}"
            )
        return actions

    def _exchange(self, question: bytes, seconds: float, rows: int) -> tuple[int, bytes]:
        """Status and body of the answer to a request.

        A connection that was kept may have been closed by the server meanwhile: asking again
        changes nothing, so that is done once.
        """
        if self._owner != os.getpid():  # a forked copy: the connection is not its own
            self._connection, self._owner = None, os.getpid()
        kept = self._connection is not None
        late, limit = threading.Event(), (rows + 4) * _MAX_ANSWER
        try:
            with self._time_limit(seconds, late) as connection:
                connection.request(
                    "POST", self._path, question, {"Content-Type": "application/json"}
                )
                response = connection.getresponse()
                body = response.read(limit + 1)
            if late.is_set():  # what was read is not all
                raise TimeoutError
        except (OSError, http.client.HTTPException) as error:
            self._disconnect()
            if late.is_set() or isinstance(error, TimeoutError):
                raise OpponentError(
                    f"{self._address} did not answer within {seconds:g} s"
                ) from None
            if kept:
                return self._exchange(question, seconds, rows)
            raise OpponentError(f"{self._address} cannot be asked: {_fault(error)}") from None
        if len(body) > limit:
            self._disconnect()
            raise OpponentError(f"{self._address} answered with more than {limit} bytes")
        return response.status, body

    @contextlib.contextmanager
    def _time_limit(
        self, seconds: float, late: threading.Event
    ) -> Iterator[http.client.HTTPConnection]:
        """The connection, whose socket is shut when the time is over; ``late`` tells so.

        A socket's own time limit is for each piece of an answer: it alone would wait for ever for
        a server that sends byte by byte.
        """
        connection = self._connection
        if connection is None:
            connection = self._kind(self._host, self._port, timeout=seconds)
            self._connection = connection
        connection.timeout = seconds  # for connecting
        if connection.sock is not None:
            connection.sock.settimeout(seconds)

        def stop() -> None:
            late.set()
            if connection.sock is not None:
                with contextlib.suppress(OSError):
                    connection.sock.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            yield connection
        finally:
            timer.cancel()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _fault(error: Exception) -> str:
    """What went wrong, in a few words."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _reason(answer: Any) -> str:
    """What a server says about a request that it refuses."""
    error = answer.get("error", answer) if isinstance(answer, dict) else None
    message = error.get("message", "") if isinstance(error, dict) else error
    text = " ".join(str(message or "").split())[:300]
    return f": {text}" if text else ""
