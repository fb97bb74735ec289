"""What every request passes: allowed hosts, a limit of size, failures, the log, the metrics."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import TYPE_CHECKING, Any

from sixth_env.server.metrics import Metrics
from sixth_env.server.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOG = logging.getLogger("sixth_env.server")
_PATIENCE = 8  # times the allowed size
_STANDARD = set(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
    "color_message",
}


class Gate:
    """An ASGI middleware.

    Args:
        app: what is behind it.
        settings: the limits.
        metrics: where requests are counted.
    """

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics
        self._max_body, self._hosts = settings.max_body, settings.hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, note how it ended."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._answer(scope, receive, noting)
        except Exception:
            LOG.exception("failed")
            if not status:
                await _refuse(noting, 500, "the server failed: its log says why")
        finally:
            self._note(scope, status, time.perf_counter() - begun)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await self._body(receive)
        if self._hosts and _host(scope) not in self._hosts:
            await _refuse(send, 400, f"the host must be one of {', '.join(self._hosts)}")
        elif body is None:
            await _refuse(send, 413, f"a request may have {self._max_body} bytes")
        else:
            await self._app(scope, _replayed(body, receive), send)

    async def _body(self, receive: Receive) -> bytes | None:
        """The whole body, or None if it is too large.

        More than is allowed is read and forgotten, up to a point: whoever is cut off while sending
        does not get to read the answer.
        """
        chunks, size = [], 0
        while size <= _PATIENCE * self._max_body:
            message = await receive()
            if message["type"] != "http.request":
                break
            chunk = message.get("body", b"")
            size += len(chunk)
            if size <= self._max_body:
                chunks.append(chunk)
            if not message.get("more_body", False):
                break
        return b"".join(chunks) if size <= self._max_body else None

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "") or "other"
        self._metrics.add("requests", method=scope["method"], route=route, status=str(status))
        self._metrics.add("request_seconds", seconds, route=route)
        if LOG.isEnabledFor(logging.INFO):
            known = {"method": scope["method"], "route": route, "status": status}
            LOG.info("request", extra={**known, "ms": round(1000 * seconds, 2)})


def _host(scope: Scope) -> str:
    """The host that a request is meant for, without its port."""
    host: str = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
    if host.startswith("["):  # IPv6
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Gives a body that was read already, then whatever comes."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _refuse(send: Send, status: int, message: str) -> None:
    body = json.dumps({"error": {"field": "", "message": message}}).encode()
    length = (b"content-length", str(len(body)).encode())
    headers = [(b"content-type", b"application/json"), length, (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class JsonLines(logging.Formatter):
    """Log records as one JSON object a line; no tokens, views or addresses are ever in them."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _STANDARD}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def log_config() -> dict[str, Any]:
    """For ``logging.config.dictConfig``: the server's and uvicorn's log as JSON lines."""
    names = {"sixth_env.server": "INFO", "uvicorn": "INFO", "uvicorn.access": "WARNING"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonLines}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler", "formatter": "json", "stream": sys.stderr
            }
        },
        "loggers": {
            name: {"handlers": ["stderr"], "level": level, "propagate": False}
            for name, level in names.items()
        },
    }  # fmt: skip
