"""Requests with many views, decided in processes of their own: Python uses one core in each."""

from __future__ import annotations

import json
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection

from sixth_env.server.acting import act
from sixth_env.server.bodies import ActRequest
from sixth_env.server.metrics import Counts, Metrics
from sixth_env.server.service import RefusedError, Service
from sixth_env.server.settings import Settings

SPAWN = multiprocessing.get_context("spawn")  # a fork would copy running threads

ALIVE_SECONDS = 1.0  # how often to look whether a process that decides is still there
GRACE_SECONDS = 3.0  # for a process to end what it has started

Answer = str | tuple[int, str, str]  # or what a ``RefusedError`` is made of


class Workers:
    """Processes that are started when they are first needed; each takes one request at a time.

    Each loads the opponents for itself. One that was killed is replaced, and its request made
    again: that changes nothing. Nobody else's request is touched, which is why these are plain
    processes at the end of a pipe: in a ``ProcessPoolExecutor`` all fail with the one that dies,
    and a request that comes at that moment may wait forever.

    Args:
        settings: the server's; ``processes`` of it are started.
        metrics: where their decisions are counted too.
    """

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._settings = replace(settings, database=None, processes=1)
        self._metrics = metrics
        self._free: queue.LifoQueue[_Worker | None] = queue.LifoQueue()  # None: not started
        for _ in range(settings.processes):
            self._free.put(None)
        self._lock = threading.Lock()
        self._started: set[_Worker] = set()
        self._closed = False

    def act(self, body: bytes) -> str:
        """The answer to the body of a valid request; waits for a free process.

        Raises:
            RefusedError: it cannot be fulfilled, or the server ends.
        """
        worker = self._free.get()
        try:
            worker = worker or self._start()
            try:
                answer, counts = worker.ask(body)
            except (EOFError, OSError):  # it was killed
                worker = self._start(instead_of=worker)
                answer, counts = worker.ask(body)
        finally:
            self._free.put(worker)
        self._metrics.merge(counts)
        if isinstance(answer, str):
            return answer
        raise RefusedError(*answer)

    def close(self) -> None:
        """End the processes, whatever they do, and what waits for them."""
        with self._lock:
            self._closed = True
            workers, self._started = self._started, set()
        with ThreadPoolExecutor() as pool:  # at once: each may take its grace
            list(pool.map(_Worker.end, workers))

    def _start(self, instead_of: _Worker | None = None) -> _Worker:
        with self._lock:
            if instead_of is not None:
                self._started.discard(instead_of)
            if self._closed:
                raise RefusedError(503, "", "the server is ending")
            worker = _Worker(self._settings)
            self._started.add(worker)
            return worker


class _Worker:
    """A process, seen from the server."""

    def __init__(self, settings: Settings) -> None:
        self._pipe, other = SPAWN.Pipe()
        # A daemon, for this side: one that is left over does not keep the server from ending.
        self._process = SPAWN.Process(target=_serve, args=(other, settings), daemon=True)
        self._process.start()
        other.close()

    def ask(self, body: bytes) -> tuple[Answer, Counts]:
        """The answer to a request.

        Raises:
            EOFError, OSError: the process has ended.
            RuntimeError: it failed; the message is its traceback.
        """
        try:
            self._pipe.send_bytes(body)
            # The end of a process is not always the end of its pipe: what it started may hold it.
            while not self._pipe.poll(ALIVE_SECONDS):
                if not self._process.is_alive():
                    raise EOFError("the process that decides has ended: what it wrote says why")
            failure, answer, counts = self._pipe.recv()
        except BaseException:  # whatever it was, what is left in the pipe answers nothing
            self.end()
            self._pipe.close()
            raise
        if failure:
            raise RuntimeError(failure)
        return answer, counts

    def end(self) -> None:
        """End the process: with what its opponents have started, if it is not stuck."""
        self._process.terminate()
        self._process.join(GRACE_SECONDS)
        self._process.kill()
        self._process.join()


def _serve(pipe: Connection, settings: Settings) -> None:
    """What a worker does: answer until the server is gone."""
    multiprocessing.current_process().daemon = False  # its opponents may start processes
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # ends what was started here, too
    threading.Thread(target=_end_with_parent, daemon=True).start()
    service = Service(settings)
    with suppress(EOFError, OSError):
        while True:
            pipe.send(_reply(service, pipe.recv_bytes()))


def _end_with_parent() -> None:
    """A server that was killed leaves nobody behind, nor one that thinks for long."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        if sys.platform != "win32":  # to the thread that decides: it is to leave what it waits for
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        time.sleep(GRACE_SECONDS)
        os._exit(1)


def _reply(service: Service, body: bytes) -> tuple[str, Answer, Counts]:
    """What failed, if that is a fault of the server's own; the answer; and what was counted."""
    answer: Answer
    try:
        answer = act(service, ActRequest.model_validate(json.loads(body)))
    except RefusedError as error:
        answer = error.status, error.field, str(error)
    except Exception:
        return traceback.format_exc(), "", {}
    return "", answer, service.metrics.take()
