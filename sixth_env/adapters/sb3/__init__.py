"""Stable-Baselines3 and sb3-contrib: environments, and trained models as opponents.

``vec_env.py``   :class:`SoloVecEnv`, a learner against opponents; :class:`SelfPlayVecEnv`, in which
                 every seat is a row; :class:`DecisionBuffer`, which learns from no row that waits
``maskless.py``  :class:`ReplaceIllegal`, for algorithms that know no action masks
``opponent.py``  :class:`Sb3Opponent`, and :func:`load_model`
"""

from sixth_env.adapters import require

require("sb3_contrib", extra="sb3")

from sixth_env.adapters.sb3.maskless import ReplaceIllegal  # noqa: E402
from sixth_env.adapters.sb3.opponent import Sb3Opponent, load_model  # noqa: E402
from sixth_env.adapters.sb3.vec_env import (  # noqa: E402
    DecisionBuffer,
    SelfPlayVecEnv,
    SoloVecEnv,
)

__all__ = [
    "DecisionBuffer",
    "ReplaceIllegal",
    "Sb3Opponent",
    "SelfPlayVecEnv",
    "SoloVecEnv",
    "load_model",
]
