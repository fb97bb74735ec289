"""Configuration of Sixes, the chip game: a validated rule set."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sixth_env.errors import ConfigError
from sixth_env.games.checks import whole_number

MIN_PLAYERS, MAX_PLAYERS = 2, 8
MAX_STARTING_CHIPS, MAX_ROUNDS = 999, 999
REWARDS = ("chips", "relative", "win")


@dataclass(frozen=True, slots=True)
class ChipsRules:
    """One rule set: everything that decides how a match is played and rewarded."""

    game: str
    num_players: int
    starting_chips: int
    num_rounds: int | None
    max_rounds: int
    reward: str

    @property
    def num_chips(self) -> int:
        """All chips in the game: they only change hands."""
        return self.num_players * self.starting_chips

    def to_dict(self) -> dict[str, Any]:
        """The whole configuration as plain Python values (the ``"rules"`` of a position)."""
        return asdict(self)


def chips_rules(
    *,
    num_players: int = 5,
    starting_chips: int = 10,
    num_rounds: int | None = None,
    max_rounds: int = 250,
    reward: str = "chips",
) -> ChipsRules:
    """The rules of Sixes, the chip game; the defaults are those of its rules text.

    Args:
        num_players: 2-8; the text plays with 5.
        starting_chips: what everybody begins with.
        num_rounds: the match ends after so many rounds, if nobody is out of chips before.
        max_rounds: a match that would go on after so many rounds is cut off (truncated). Of random
            matches with ten chips each, 999 of 1,000 end within 30 rounds at five players, and
            within 220 at two.
        reward: ``"chips"`` (the change of one's chips in the step), ``"relative"`` (that, less the
            mean change of the others) or ``"win"`` (1 at the end of the match, shared by those
            with the most chips; nothing when it is cut off).

    Raises:
        ConfigError: a value is of the wrong type, out of range, or contradicts another.
    """
    whole_number("num_players", num_players, MIN_PLAYERS, MAX_PLAYERS)
    whole_number("starting_chips", starting_chips, 1, MAX_STARTING_CHIPS)
    whole_number("max_rounds", max_rounds, 1, MAX_ROUNDS)
    if num_rounds is not None:
        whole_number("num_rounds", num_rounds, 1, MAX_ROUNDS)
        if num_rounds > max_rounds:
            raise ConfigError(f"num_rounds={num_rounds} is more than max_rounds={max_rounds}")
    if reward not in REWARDS:
        raise ConfigError(f"reward must be one of {', '.join(REWARDS)}, not {reward!r}")
    return ChipsRules(
        game="sixes_chips",
        num_players=int(num_players),
        starting_chips=int(starting_chips),
        num_rounds=None if num_rounds is None else int(num_rounds),
        max_rounds=int(max_rounds),
        reward=reward,
    )


def hand_size(players: int, dealer: int, seat: int) -> int:
    """How many of the 40 cards a seat is dealt: who is dealt to first may have one more."""
    place = (seat - dealer - 1) % players
    return 40 // players + (place < 40 % players)
