"""The events of a match, told on demand.

A match is kept as what a replay needs: where it began and the actions. When its events are asked
for it is played again, on an engine that then waits for the next question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixth_env.engine import Engine
from sixth_env.notation import Replay


class Story:
    """The events of one match, from its first position on.

    Args:
        engine: an engine of one game whose match has just begun.
        dealt: the match began with a deal (which is its first event), not from a position.
    """

    def __init__(self, engine: Engine, dealt: bool) -> None:
        self._first = engine.save()
        self._dealt = dealt
        self._actions: list[Sequence[int]] = []
        self._events: list[dict[str, Any]] = []
        self._teller: Engine | None = None
        self._told = 0  # actions that the teller has played

    def add(self, actions: Sequence[int]) -> None:
        """Note the actions of a step, (K,)."""
        self._actions.append(actions)

    def replay(self, engine: Engine) -> dict[str, Any]:
        """The match so far as a replay."""
        start = engine.copy()
        start.restore(self._first)
        replay = Replay.begin(start)
        for actions in self._actions:
            replay.record(actions)
        return replay.to_dict()

    def events(self, engine: Engine) -> list[dict[str, Any]]:
        """Everything that has happened so far, hidden cards included; do not change it."""
        teller = self._teller or self._begin(engine)
        log = teller.new_log()
        for actions in self._actions[self._told :]:
            teller.step([actions], log=log)
            self._events += teller.events(log)
        self._told = len(self._actions)
        return self._events

    def _begin(self, engine: Engine) -> Engine:
        teller = self._teller = engine.copy()
        teller.restore(self._first)
        if self._dealt:
            log = teller.new_log()
            teller.states["episode"] -= 1  # the same deal once more, this time with a log
            teller.restart(np.ones(1, np.bool_), log)
            self._events += teller.events(log)
        return teller
