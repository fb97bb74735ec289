"""What the routes work with: everything that one server holds."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

import numpy as np

from sixth_env.batch import Batch
from sixth_env.games import GAMES
from sixth_env.opponents.views import observations_of
from sixth_env.server.catalogue import Catalogue
from sixth_env.server.decide import Decider, Questions
from sixth_env.server.lobby import Lobby
from sixth_env.server.metrics import Metrics
from sixth_env.server.settings import Settings

if TYPE_CHECKING:
    from sixth_env.server.workers import Workers

_LOG = logging.getLogger(__name__)


class RefusedError(Exception):
    """A request that is answered with an error.

    Args:
        status: of the answer.
        field: where the request is wrong; empty if that is no single field.
        message: one sentence.
    """

    def __init__(self, status: int, field: str, message: str) -> None:
        super().__init__(message)
        self.status, self.field = status, field


class Service:
    """A server's opponents, matches and counters."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.metrics = settings, Metrics()
        self.catalogue = Catalogue(settings.opponents, settings.max_playouts)
        self.decider = Decider(self.catalogue, settings, self.metrics)
        self.lobby = Lobby(settings, self.decider)
        self.workers: Workers | None = None
        self.ready = threading.Event()

    def warm_up(self) -> None:
        """Compile what decisions need, so that no client has to wait for it."""
        for game in GAMES.values():
            batch = Batch(game.id, num_games=1, seed=0)
            batch.reset()
            view = {**batch.position(0), "player": 0}
            columns, masks = observations_of(game, [view])
            one = np.zeros(1, np.int64)
            asked = Questions(columns, masks, one.astype(np.uint64), one)
            for name in (*self.catalogue.names(game)[:-1], "mc:1"):
                full, opponent = self.catalogue.find(game, name)
                try:
                    opponent.act(columns, masks, asked.seeds)
                except Exception as error:  # whatever an opponent of somebody's own raises
                    _LOG.warning("opponent failed", extra={"opponent": full, "fault": str(error)})
        self.ready.set()

    def close(self) -> None:
        """End all work."""
        self.decider.close()
        self.lobby.close()
        if self.workers is not None:
            self.workers.close()
