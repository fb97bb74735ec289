"""Matches on equal deals: every deal in all seat rotations, with intervals by deal.

result = play_field("sixth_card", [agent, *[load_opponent("closest")] * 3], num_rounds=1)
result.difference(0)  # points per round of the agent minus those of the field, with interval
"""

from __future__ import annotations

from sixth_env.match.cross import CrossTable, cross_table
from sixth_env.match.play import play_against, play_field, shared_wins
from sixth_env.match.result import Entrant, MatchResult
from sixth_env.match.stats import CONFIDENCE, RESAMPLES, Bootstrap, Estimate

__all__ = [
    "CONFIDENCE",
    "RESAMPLES",
    "Bootstrap",
    "CrossTable",
    "Entrant",
    "Estimate",
    "MatchResult",
    "cross_table",
    "play_against",
    "play_field",
    "shared_wins",
]
