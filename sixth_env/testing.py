"""For tests alone: wrappers for suites that send illegal actions on purpose.

The environments refuse an illegal action. Gymnasium's ``check_env`` and PettingZoo's
``parallel_seed_test`` and ``state_test`` sample from the action space without the mask; they run on
an environment in one of these wrappers, which replaces each illegal number by a legal one, always
the same for the same number and mask.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray
from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper

__all__ = ["LegalAEC", "LegalParallel", "LegalSolo", "legal_action"]


def legal_action(action: int, mask: NDArray[np.int8]) -> int:
    """``action`` if ``mask`` (A,) allows it, else one of the allowed actions."""
    if mask[action]:
        return int(action)
    legal = np.flatnonzero(mask)
    return int(legal[int(action) % len(legal)])


class LegalParallel(BaseParallelWrapper):  # type: ignore[misc]
    """A parallel environment in which every action number is taken for a legal one."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """As the wrapped environment's."""
        self.seen, infos = self.env.reset(seed=seed, options=options)
        return self.seen, infos

    def step(self, actions: dict[str, int]) -> Any:
        """As the wrapped environment's, with legal actions."""
        legal = {a: legal_action(n, self.seen[a]["action_mask"]) for a, n in actions.items()}
        self.seen, *rest = self.env.step(legal)
        return self.seen, *rest


class LegalAEC(BaseWrapper):  # type: ignore[misc]
    """An AEC environment in which every action number is taken for a legal one."""

    def step(self, action: int | None) -> None:
        """As the wrapped environment's, with a legal action; ``None`` stays."""
        if action is not None:
            action = legal_action(action, self.env.observe(self.env.agent_selection)["action_mask"])
        self.env.step(action)


class LegalSolo(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """A single-agent environment in which every action number is taken for a legal one."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)  # so that the environment's spec can be made again
        super().__init__(env)

    def step(self, action: Any) -> Any:
        """As the wrapped environment's, with a legal action."""
        return self.env.step(legal_action(int(action), self.env.get_wrapper_attr("action_masks")()))
