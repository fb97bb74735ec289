"""``sixth-env serve``: the HTTP server on this machine."""

from __future__ import annotations

import importlib
import os
import socket
import sys
from typing import Any

from sixth_env import __version__
from sixth_env.errors import ConfigError, MissingExtraError
from sixth_env.server import Settings, create_app

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(host: str, port: int, **settings: Any) -> None:
    """Serve until interrupted; settings are those of :class:`sixth_env.server.Settings`.

    Raises:
        ConfigError, OpponentError: a setting is wrong, or an opponent cannot be loaded.
        MissingExtraError: FastAPI or uvicorn is not installed.
    """
    if host in LOOPBACK:  # a page elsewhere could have its own name lead here
        settings["hosts"] = LOOPBACK
    app = create_app(Settings(version=__version__, **settings))
    try:
        uvicorn = importlib.import_module("uvicorn")
    except ModuleNotFoundError as error:
        if error.name != "uvicorn":
            raise
        raise MissingExtraError(
            "uvicorn is not installed: pip install 'sixth_env[serve]'"
        ) from error
    from sixth_env.server.gate import log_config

    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=log_config(),
        access_log=False,  # addresses hold tokens; the log of requests is our own
        server_header=False,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=60,
    )
    listening = _listen(host, port)
    shown = listening.getsockname()[1]
    print(f"sixth_env serves http://{_in_url(host)}:{shown}/ (end: Ctrl-C)", file=sys.stderr)
    uvicorn.Server(config).run([listening])


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 means a free one.

    Its protocol is told: without that, asyncio leaves Nagle's algorithm on, and every answer waits
    40 ms for an acknowledgement.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share the port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(2048)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"port {port} of {host} cannot be used: {reason}") from None
    return listening


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
