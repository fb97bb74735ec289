"""Opponents that a server has trouble with, as ``tests.server_opponents:NAME``."""

from __future__ import annotations

import multiprocessing
import os
import time
from typing import Any


class _Bad:
    """Takes its time, or fails."""

    def __init__(self, name: str) -> None:
        self.name = name

    def act(self, observation: Any, action_mask: Any, seeds: Any) -> Any:
        if self.name == "breaks":
            raise RuntimeError("a secret of the machine")
        if self.name == "starts":
            child = multiprocessing.get_context("spawn").Process(target=print)
            child.start()
            child.join()
            os.system("sleep 3 &")  # inherits what is open
            return action_mask.argmax(axis=1)
        time.sleep(1.0)
        return action_mask.argmax(axis=1)


def load(argument: str) -> _Bad:
    return _Bad(argument)
