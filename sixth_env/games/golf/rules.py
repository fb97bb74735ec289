"""Configuration of the golf game: validated rule sets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sixth_env.errors import ConfigError
from sixth_env.games.checks import whole_number

MAX_PLAYERS, SLOTS, MAX_PACK = 8, 6, 108
MAX_ROUNDS, MAX_TURNS = 999, 9999
REWARDS = ("points", "relative", "win")


@dataclass(frozen=True, slots=True)
class GolfRules:
    """One rule set: everything that decides how a match is played and rewarded."""

    game: str
    num_players: int
    num_rounds: int
    practice_round: bool
    max_turns: int
    reward: str

    @property
    def decks(self) -> int:
        """Packs of 54 cards in play: one for up to four players, two from five on."""
        return 1 if self.num_players <= 4 else 2

    def to_dict(self) -> dict[str, Any]:
        """The whole configuration as plain Python values (the ``"rules"`` of a position)."""
        return asdict(self)


def sixes_golf_rules(
    *,
    num_players: int = 4,
    num_rounds: int = 6,
    practice_round: bool = False,
    max_turns: int = 240,
    reward: str = "points",
) -> GolfRules:
    """The rules of Sixes, the golf game; the defaults are those of its rules text.

    Args:
        num_players: 2-8; one pack of 54 cards for up to four, two packs from five on.
        num_rounds: rounds that count (the text offers 3, 6 and 9).
        practice_round: begin with a round 0 that is played like any other, but neither counted
            nor rewarded; the deal moves on after it.
        max_turns: a round in which so many turns were taken, by all players together, without
            coming to its end cuts the match off (truncation): drawing and discarding for ever is
            legal. The default leaves each of eight players thirty turns.
        reward: ``"points"`` (minus the points of a round at its end), ``"relative"`` or ``"win"``.

    Raises:
        ConfigError: a value is of the wrong type or out of range.
    """
    whole_number("num_players", num_players, 2, MAX_PLAYERS)
    whole_number("num_rounds", num_rounds, 1, MAX_ROUNDS)
    whole_number("max_turns", max_turns, 1, MAX_TURNS)
    if not isinstance(practice_round, bool):
        raise ConfigError(f"practice_round must be True or False, not {practice_round!r}")
    if reward not in REWARDS:
        raise ConfigError(f"reward must be one of {', '.join(REWARDS)}, not {reward!r}")
    return GolfRules(
        game="sixes_golf",
        num_players=int(num_players),
        num_rounds=int(num_rounds),
        practice_round=practice_round,
        max_turns=int(max_turns),
        reward=reward,
    )
