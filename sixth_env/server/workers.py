"""Requests with many views, decided in processes of their own: Python uses one core in each."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

from sixth_env.server.acting import act
from sixth_env.server.bodies import ActRequest
from sixth_env.server.metrics import Counts, Metrics
from sixth_env.server.service import RefusedError, Service
from sixth_env.server.settings import Settings


class Workers:
    """Processes that are started when they are first needed.

    Each loads the opponents for itself. One that was killed is replaced, and its request made
    again: that changes nothing.

    Args:
        settings: the server's; ``processes`` of it are started.
        metrics: where their decisions are counted too.
    """

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._settings = replace(settings, database=None, processes=1)
        self._metrics = metrics
        self._processes = settings.processes
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None

    def act(self, body: bytes) -> str:
        """The answer to the body of a valid request.

        Raises:
            RefusedError: it cannot be fulfilled.
        """
        try:
            answer, counts = self._running().submit(_act, body).result()
        except BrokenProcessPool:
            self.close()
            answer, counts = self._running().submit(_act, body).result()
        self._metrics.merge(counts)
        if isinstance(answer, str):
            return answer
        raise RefusedError(*answer)

    def close(self) -> None:
        """End the processes."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _running(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    self._processes,
                    multiprocessing.get_context("spawn"),  # a fork would copy running threads
                    _begin,
                    (self._settings,),
                )
            return self._pool


_service: Service  # of a worker


def _begin(settings: Settings) -> None:
    """What a worker does first."""
    global _service
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _service = Service(settings)


def _end_with_parent() -> None:
    """A server that was killed leaves nobody behind."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


def _act(body: bytes) -> tuple[str | tuple[int, str, str], Counts]:
    """An answer, or what a ``RefusedError`` is made of; and what was counted meanwhile."""
    answer: str | tuple[int, str, str]
    try:
        answer = act(_service, ActRequest.model_validate(json.loads(body)))
    except RefusedError as error:
        answer = error.status, error.field, str(error)
    return answer, _service.metrics.take()
