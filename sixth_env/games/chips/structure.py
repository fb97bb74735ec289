"""The shape of positions and views of Sixes, the chip game, and their JSON Schemas.

Only types, names and plain bounds are settled here; ``positions`` checks what the fields say about
each other. Cards are read into their numbers on the way.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from sixth_env.games.chips.cards import NUM_CARDS, chips_index
from sixth_env.games.chips.rules import MAX_PLAYERS, MAX_ROUNDS, MAX_STARTING_CHIPS, MIN_PLAYERS
from sixth_env.games.structure import LegalAction, Strict, Structure

Card = Annotated[
    int,
    BeforeValidator(chips_index),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": "^[2-7AaJjQqKk][CDHScdhs♣♦♥♠]$",
            "description": "rank, then suit, such as '6D'; suit symbols are read too",
        }
    ),
]
Seat = Annotated[int, Field(ge=0, lt=MAX_PLAYERS)]
Chips = Annotated[int, Field(ge=0, le=MAX_PLAYERS * MAX_STARTING_CHIPS)]
Cards = Annotated[list[Card], Field(max_length=NUM_CARDS)]
T = TypeVar("T")
BySeat = Annotated[list[T], Field(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)]


class Column(Strict):
    """The ends of a suit's column: the six itself where it is not built in that direction."""

    low: Card
    high: Card


class Columns(Strict):
    """The column of each suit, null before its six lies."""

    C: Column | None
    D: Column | None
    H: Column | None
    S: Column | None


class Configuration(Strict):
    """The whole rule set, as ``rules.to_dict()`` gives it."""

    game: str
    num_players: int
    starting_chips: int
    num_rounds: int | None
    max_rounds: int
    reward: str


class Table(Strict):
    """What a position and a view share: the public facts."""

    game: str
    players: int = Field(ge=MIN_PLAYERS, le=MAX_PLAYERS)
    dealer: Seat
    round: int = Field(ge=1, le=MAX_ROUNDS)
    phase: Literal["play", "over"]
    to_act: Seat = Field(description="whose turn it is; in phase over, who played the last card")
    starter: Seat = Field(description="who has, or had, the 6♦ in this round")
    columns: Columns
    chips: BySeat[Chips]
    pot: Chips
    lacks: BySeat[Cards] = Field(
        description="for each seat, the cards that its passes of this round have shown it not to"
        " hold: those that could be played then, whoever has played them since"
    )
    rules: Configuration | None = Field(
        None, description="the whole configuration; if left out, it is the environment's"
    )


class Position(Table):
    """The whole truth about one game of Sixes, the chip game."""

    hands: BySeat[Cards]


class View(Table):
    """What one seat may know of a game: hidden hands are numbers, how many cards."""

    hands: BySeat[Annotated[int, Field(ge=0, le=NUM_CARDS)] | Cards]
    player: Seat
    legal: list[LegalAction] | None = None


STRUCTURE = Structure("sixes_chips", Position, View)
