"""All hosted matches: begun, found by their id, kept in a file, forgotten when nobody comes."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import Sequence
from typing import Any

from sixth_env.engine import random_seed
from sixth_env.server.decide import Decider
from sixth_env.server.matches import HostedMatch, Record, Seat, digest
from sixth_env.server.settings import Settings
from sixth_env.server.store import Store

_LOG = logging.getLogger(__name__)
_SWEEP = 60.0  # seconds between looks for matches to forget


class FullError(Exception):
    """The server has reached one of its limits; try again later."""


class Lobby:
    """The matches of one server; any thread may use it.

    Args:
        settings: the limits, and the file.
        decider: asks the opponents.
    """

    def __init__(self, settings: Settings, decider: Decider) -> None:
        self._settings, self._decider = settings, decider
        self._lock = threading.Lock()
        self._store = None if settings.database is None else Store(settings.database)
        self._touched: dict[str, float] = {} if self._store is None else self._store.ids()
        self._matches: dict[str, HostedMatch] = {}
        self._listeners: dict[str, set[_Listener]] = {}
        self._swept = 0.0

    def __len__(self) -> int:
        return len(self._touched)

    def begin(
        self, game: str, rules: dict[str, Any], seats: Sequence[str | None], seed: int | None
    ) -> tuple[str, HostedMatch, list[str | None]]:
        """Begin a match; its id, itself, and a token for each person.

        Args:
            game: a game's id.
            rules: the whole rule set.
            seats: for each, an opponent's name, or None for a person.
            seed: of the deals and the opponents; drawn unless given.

        Raises:
            FullError: there are too many matches.
        """
        self._sweep()
        with self._lock:
            if len(self._touched) >= self._settings.max_matches:
                raise FullError(f"the server holds {self._settings.max_matches} matches, its limit")
            match = secrets.token_urlsafe(12)
            self._touched[match] = time.time()
        tokens = [None if name is not None else secrets.token_urlsafe(24) for name in seats]
        seated = [
            Seat(name, None if token is None else digest(token))
            for name, token in zip(seats, tokens, strict=True)
        ]
        seed = random_seed() if seed is None else seed
        try:
            hosted = self._open(match, Record(game, rules, seed, seated))
            self._save(match, hosted)
        except Exception:
            self.forget(match)
            raise
        hosted.play_on()
        return match, hosted, tokens

    def find(self, match: str) -> HostedMatch | None:
        """A match by its id, brought back from the file if need be."""
        self._sweep()
        with self._lock:
            if match not in self._touched:
                return None
            self._touched[match] = time.time()
            hosted = self._matches.get(match)
        if hosted is None and self._store is not None:
            hosted = self._open(match, self._store.load(match))
            hosted.play_on()
        return hosted

    def forget(self, match: str) -> None:
        """Forget a match."""
        with self._lock:
            self._touched.pop(match, None)
            self._matches.pop(match, None)
        if self._store is not None:
            self._store.delete(match)
        self._tell(match)

    def close(self) -> None:
        """Close the file."""
        if self._store is not None:
            self._store.touch(self._touched)
            self._store.close()

    def _open(self, match: str, record: Record) -> HostedMatch:
        hosted = HostedMatch(
            record,
            self._decider,
            self._settings.max_steps,
            lambda hosted: self._changed(match, hosted),
        )
        with self._lock:  # of two threads that bring back the same match, the first one does
            return self._matches.setdefault(match, hosted)

    def _changed(self, match: str, hosted: HostedMatch) -> None:
        self._save(match, hosted)
        self._tell(match)

    def _save(self, match: str, hosted: HostedMatch) -> None:
        if self._store is not None and match in self._touched:
            self._store.save(match, hosted.record, self._touched[match])

    def _sweep(self) -> None:
        """Forget the matches that nobody has come to for long."""
        now = time.time()
        with self._lock:
            if now - self._swept < min(_SWEEP, self._settings.max_idle):
                return
            self._swept = now
            before = now - self._settings.max_idle
            old = [match for match, touched in self._touched.items() if touched < before]
            current = dict(self._touched)
        if self._store is not None:
            self._store.touch(current)
        for match in old:
            self.forget(match)
        if old:
            _LOG.info("matches forgotten", extra={"count": len(old)})

    # --- Readers that wait for changes ------------------------------------------------------------

    def listen(self, match: str) -> _Listener:
        """Somebody who waits for changes of a match, in the running event loop."""
        listener = _Listener(asyncio.get_running_loop())
        with self._lock:
            if sum(map(len, self._listeners.values())) >= self._settings.max_streams:
                raise FullError(f"the server has {self._settings.max_streams} streams, its limit")
            self._listeners.setdefault(match, set()).add(listener)
        return listener

    def leave(self, match: str, listener: _Listener) -> None:
        """Nobody waits any more."""
        with self._lock:
            waiting = self._listeners.get(match, set())
            waiting.discard(listener)
            if not waiting:
                self._listeners.pop(match, None)

    def _tell(self, match: str) -> None:
        with self._lock:
            waiting = list(self._listeners.get(match, ()))
        for listener in waiting:
            listener.tell()


class _Listener:
    """Wakes a coroutine from any thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._event = loop, asyncio.Event()

    def tell(self) -> None:
        """There is something new."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self, seconds: float) -> bool:
        """Whether there was something new within the time."""
        try:
            await asyncio.wait_for(self._event.wait(), seconds)
        except TimeoutError:
            return False
        self._event.clear()
        return True
