"""Decisions within a time limit, with somebody quick to step in."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import OpponentError
from sixth_env.games.base import Game
from sixth_env.opponents import HeuristicOpponent, Opponent, RandomOpponent
from sixth_env.opponents.ask import ask
from sixth_env.opponents.onnx import OnnxOpponent
from sixth_env.server.catalogue import Catalogue
from sixth_env.server.metrics import Metrics
from sixth_env.server.settings import Settings

INSTANT = (HeuristicOpponent, OnnxOpponent, RandomOpponent)  # take microseconds, whatever they see
_LOG = logging.getLogger(__name__)


class Decisions(NamedTuple):
    """What N decisions are, and why."""

    actions: NDArray[np.int64]  # (N,)
    probabilities: NDArray[Any] | None  # (N, A)
    values: NDArray[Any] | None  # (N, A), higher is better
    note: str | None  # if somebody else decided


class Questions(NamedTuple):
    """N decisions to be made."""

    columns: NDArray[np.int16]  # (N, D)
    masks: NDArray[np.int8]  # (N, A)
    seeds: NDArray[np.uint64]  # (N,)
    seats: NDArray[np.int64]  # (N,) for errors


class Decider:
    """Asks opponents, each within its time.

    A thread cannot be stopped: an opponent that takes too long goes on, its answer is not waited
    for, and meanwhile it takes one of the threads. If all are taken, waiting counts as time.
    """

    def __init__(self, catalogue: Catalogue, settings: Settings, metrics: Metrics) -> None:
        self._catalogue, self._settings, self._metrics = catalogue, settings, metrics
        self._pool = ThreadPoolExecutor(settings.threads, "decide")

    def close(self) -> None:
        """Wait for nobody."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def decide(
        self, game: Game, name: str, opponent: Opponent, asked: Questions, explain: bool
    ) -> Decisions:
        """The opponent's decisions, or those of the game's fallback with a note that says why."""
        rows = len(asked.columns)
        self._metrics.add("decisions", rows, game=game.id, opponent=name)
        if isinstance(opponent, INSTANT):
            return _decide(game, name, opponent, asked, explain)
        limit = min(self._settings.decision_seconds * rows, self._settings.request_seconds)
        future = self._pool.submit(_decide, game, name, opponent, asked, explain)
        try:
            return future.result(limit)
        except TimeoutError:
            future.cancel()
            reason = f"took longer than {limit:g} s"
        except Exception as error:  # whatever an opponent of somebody's own raises
            _LOG.warning("opponent failed", extra={"opponent": name, "fault": str(error)})
            reason = "failed"
        return self._instead(game, name, reason, asked, explain)

    def decide_for(self, game: Game, name: str, asked: Questions) -> Decisions:
        """As ``decide``, by name; an opponent that is not offered any more has failed."""
        try:
            name, opponent = self._catalogue.find(game, name)
        except OpponentError:
            return self._instead(game, name, "is not offered any more", asked, explain=False)
        return self.decide(game, name, opponent, asked, explain=False)

    def _instead(
        self, game: Game, name: str, reason: str, asked: Questions, explain: bool
    ) -> Decisions:
        """The fallback's decisions."""
        self._metrics.add("fallbacks", len(asked.columns), game=game.id, opponent=name)
        instead, quick = self._catalogue.fallback(game)
        decisions = _decide(game, instead, quick, asked, explain)
        return decisions._replace(note=f"{name} {reason}: {instead} decided instead")


def _decide(
    game: Game, name: str, opponent: Opponent, asked: Questions, explain: bool
) -> Decisions:
    columns, masks, seeds, seats = asked
    actions = ask(opponent, name, game, seats, columns, masks, seeds)
    policy = getattr(opponent, "policy", None) if explain else None
    values = getattr(opponent, "action_values", None) if explain else None
    return Decisions(
        actions,
        None if policy is None else policy(columns, masks),
        None if values is None else values(columns, masks, seeds),
        None,
    )
