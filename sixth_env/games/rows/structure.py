"""The shape of positions and views of the rows games, and their JSON Schemas.

Only types, names and plain bounds are settled here; ``positions`` checks what the fields say about
each other. Cards are read into ladder indices on the way.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from sixth_env.games.cards import card_index
from sixth_env.games.rows.rules import MAX_DECK, MAX_HAND, MAX_PLAYERS, MAX_ROW_LENGTH, MAX_ROWS
from sixth_env.games.structure import LegalAction, Strict, Structure

MOST = 1_000_000  # rounds and totals stay far below

LadderCard = Annotated[
    int,
    BeforeValidator(partial(card_index, "sixth_card")),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": "^(10|[2-9AaTtJjQqKk])[CDHScdhs♣♦♥♠]$",
            "description": "rank, then suit, such as '10H'; 'T' and suit symbols are read too",
        }
    ),
]
NumberCard = Annotated[
    int,
    BeforeValidator(partial(card_index, "six_nimmt")),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": 104}),
]
C = TypeVar("C")
Seat = Annotated[int, Field(ge=0, lt=MAX_PLAYERS)]
T = TypeVar("T")
BySeat = Annotated[list[T], Field(min_length=2, max_length=MAX_PLAYERS)]
Hand = Annotated[list[T], Field(max_length=MAX_HAND)]
Stack = Annotated[list[T], Field(max_length=MAX_DECK)]
Row = Annotated[list[T], Field(min_length=1, max_length=MAX_ROW_LENGTH)]
Count = Annotated[int, Field(ge=0, le=MAX_DECK)]


class Revealed(Strict, Generic[C]):
    """A card that was revealed this turn and is not placed yet."""

    player: Seat
    card: C


class Configuration(Strict):
    """The whole rule set, as ``rules.to_dict()`` gives it."""

    game: str
    num_players: int
    decks: int
    cards: int
    exact_deck: bool
    target_score: int | None
    num_rounds: int | None
    row_choice: str
    reward: str
    hand_size: int
    rows: int
    row_length: int


class Table(Strict, Generic[C]):
    """What a position and a view share: the public facts."""

    game: str
    players: int = Field(ge=2, le=MAX_PLAYERS)
    decks: int = Field(ge=1, le=2)
    dealer: Seat
    round: int = Field(ge=1, le=MOST)
    turn: int = Field(ge=1, le=MAX_HAND)
    phase: Literal["card", "row", "over"]
    rows: Annotated[list[Row[C]], Field(min_length=1, max_length=MAX_ROWS)]
    piles: BySeat[Stack[C]] = Field(description="this round's taken cards, ascending")
    totals: BySeat[Annotated[int, Field(ge=0, le=MOST)]] = Field(
        description="points of the rounds before; in phase over, of this one too"
    )
    revealed: Annotated[list[Revealed[C]], Field(max_length=MAX_PLAYERS)] = Field(
        description="this turn's cards not yet placed, in placing order; in phase row only"
    )
    played: BySeat[Hand[C | None]] | None = Field(
        None,
        description="each seat's cards of this round in order, revealed ones included; optional,"
        " and null where a card is not known: observations then have none in its place",
    )
    rules: Configuration | None = Field(
        None, description="the whole configuration; if left out, it is the environment's"
    )


class Position(Table[C], Generic[C]):
    """The whole truth about one game."""

    hands: BySeat[Hand[C]] = Field(description="ascending")
    chosen: BySeat[C | None] = Field(
        description="committed cards not yet revealed, still in the hands"
    )
    stock: Stack[C] = Field(description="the cards not in use")


class View(Table[C], Generic[C]):
    """What one seat may know: hidden cards are numbers, how many."""

    hands: BySeat[Count | Hand[C]]
    chosen: BySeat[int | str | None] = Field(
        description="the own card or null; of others, 1 if a card is committed, else 0"
    )
    stock: Count
    player: Seat
    legal: list[LegalAction] | None = None


class SixthCardPosition(Position[LadderCard]):
    """The whole truth about one game of Sixth Card."""


class SixthCardView(View[LadderCard]):
    """What one seat may know of a game of Sixth Card: hidden cards are numbers, how many."""


class SixNimmtPosition(Position[NumberCard]):
    """The whole truth about one game of 6 nimmt!"""


class SixNimmtView(View[NumberCard]):
    """What one seat may know of a game of 6 nimmt!: hidden cards are numbers, how many."""


STRUCTURES: dict[str, Structure[Position[int], View[int]]] = {
    "sixth_card": Structure("sixth_card", SixthCardPosition, SixthCardView),
    "six_nimmt": Structure("six_nimmt", SixNimmtPosition, SixNimmtView),
}
