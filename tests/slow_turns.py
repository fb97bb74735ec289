"""What the slow rules of the two turn games share: the result of a step, and its rewards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Position = dict[str, Any]
Event = dict[str, Any]


@dataclass
class SlowResult:
    """What one step did.

    `gains` are what each seat won in it: chips, or points with the sign turned. `match_over` is a
    real end; a cap sets `truncated` instead, and then `winners` stays empty.
    """

    gains: list[int]
    rewards: list[float] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    round_ended: bool = False
    match_over: bool = False
    truncated: bool = False
    winners: list[int] = field(default_factory=list)


def rewards_of(reward: str, result: SlowResult) -> list[float]:
    """Rewards of a step: the gains, those against the mean of the others', or the shared win."""
    gains, players = result.gains, len(result.gains)
    if reward == "win":
        winners = result.winners
        return [1 / len(winners) if seat in winners else 0.0 for seat in range(players)]
    if reward == "relative":
        return [own - (sum(gains) - own) / (players - 1) for own in gains]
    return [float(own) for own in gains]
