"""One learner against opponents: the core of the single-agent environments.

``seats.py``   who sits where: the learner's seat and the opponents, drawn for each match
``core.py``    :class:`Solo`: many games that stop wherever their learner has to decide
``env.py``     :class:`SoloEnv`: one game, for ``gymnasium.make``
``vector.py``  :class:`SoloVectorEnv`: many games, for ``gymnasium.make_vec``
"""

from sixth_env.solo.core import Final, Solo, SoloStep
from sixth_env.solo.env import SoloEnv
from sixth_env.solo.seats import Mix, Opponents
from sixth_env.solo.vector import SoloVectorEnv

__all__ = ["Final", "Mix", "Opponents", "Solo", "SoloEnv", "SoloStep", "SoloVectorEnv"]
