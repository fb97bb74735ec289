"""Matches on equal deals: every deal in all seat rotations, with intervals by deal.

result = play_field("sixth_card", [agent, *[load_opponent("closest")] * 3], num_rounds=1)
result.difference(0)  # points per round of the agent minus those of the field, with interval

``play.py`` one match;  ``tournament.py`` many line-ups;  ``jobs.py`` processes and resuming.
"""

from __future__ import annotations

from sixth_env.match.jobs import Job, Runner, play_jobs
from sixth_env.match.play import play_against, play_field
from sixth_env.match.result import Entrant, MatchResult, shared_wins
from sixth_env.match.standing import Tournament
from sixth_env.match.stats import CONFIDENCE, RESAMPLES, Bootstrap, Estimate
from sixth_env.match.tournament import play_tournament

__all__ = [
    "CONFIDENCE",
    "RESAMPLES",
    "Bootstrap",
    "Entrant",
    "Estimate",
    "Job",
    "MatchResult",
    "Runner",
    "Tournament",
    "play_against",
    "play_field",
    "play_jobs",
    "play_tournament",
    "shared_wins",
]
