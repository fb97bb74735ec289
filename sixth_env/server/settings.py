"""What may be set: whom the server offers, and its limits."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from sixth_env.errors import ConfigError

WEB = Path(__file__).parent / "web"


@dataclass(frozen=True)
class Settings:
    """The server's settings; every limit is part of its interface, see ``docs/server.md``."""

    opponents: tuple[str, ...] = ()
    """further opponents, ``NAME=SPEC``, or ``GAME/NAME=SPEC`` for one game alone"""
    hint: str = "mc:200"
    """whose expected points are a hint to a person"""
    database: Path | None = None
    """an SQLite file that keeps the hosted matches; without one they end with the process"""
    web: Path = WEB
    """a folder of static files for ``/``"""
    origins: tuple[str, ...] = ()
    """other web pages that may use the API (CORS), such as ``https://example.org``"""
    hosts: tuple[str, ...] = ()
    """values of the ``Host`` header that are answered, any if empty"""
    max_body: int = 4 << 20
    """bytes of a request"""
    max_views: int = 1024
    """views of a request"""
    max_playouts: int = 1000
    """k of ``mc:k``"""
    decision_seconds: float = 2.0
    """time limit of a decision, after which the fallback opponent plays"""
    request_seconds: float = 30.0
    """the same for all decisions of a request together"""
    max_matches: int = 1000
    max_idle: float = 24 * 3600.0
    """seconds without a move or a reader after which a hosted match is forgotten"""
    max_steps: int = 5000
    """steps of a hosted match"""
    max_streams: int = 256
    """streams of server-sent events at a time"""
    processes: int = field(default_factory=lambda: min(4, os.cpu_count() or 1))
    """where requests with many views are decided; 1 means in the server itself"""
    version: str = "unknown"
    """the package's, for answers"""
    warm_up: bool = True
    """compile and load everything at the start, so that no client has to wait for it"""
    threads: int = field(default_factory=lambda: max(2, os.cpu_count() or 1))
    """decisions with a time limit that are worked on at a time"""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if number and not value > 0:
                raise ConfigError(f"{name} must be above 0, not {value!r}")
