"""The shape of positions and views of the golf game, and their JSON Schemas.

Only types, names and plain bounds are settled here; ``positions`` checks what the fields say about
each other. Cards are read into card indices on the way.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from sixth_env.games.golf.cards import golf_card_index
from sixth_env.games.golf.rules import MAX_PACK, MAX_PLAYERS, MAX_ROUNDS, MAX_TURNS, SLOTS
from sixth_env.games.structure import LegalAction, Strict, Structure

FARTHEST = 1_000_000  # totals stay far within, on both sides

Card = Annotated[
    int,
    BeforeValidator(golf_card_index),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": "^((10|[2-9AaTtJjQqKk])[CDHScdhs♣♦♥♠]|joker)$",
            "description": "rank, then suit, such as '10H', or 'joker'; 'T' and suit symbols are"
            " read too",
        }
    ),
]
T = TypeVar("T")
Seat = Annotated[int, Field(ge=0, lt=MAX_PLAYERS)]
BySeat = Annotated[list[T], Field(min_length=2, max_length=MAX_PLAYERS)]
Hand = Annotated[list[T], Field(min_length=SLOTS, max_length=SLOTS)]
Pile = Annotated[list[Card], Field(max_length=MAX_PACK)]


class Configuration(Strict):
    """The whole rule set, as ``rules.to_dict()`` gives it."""

    game: str
    num_players: int
    num_rounds: int
    practice_round: bool
    max_turns: int
    reward: str


class Table(Strict):
    """What a position and a view share: the public facts."""

    game: str
    players: int = Field(ge=2, le=MAX_PLAYERS)
    dealer: Seat
    round: int = Field(ge=0, le=MAX_ROUNDS, description="from 1; 0 is the practice round")
    rounds: int = Field(ge=1, le=MAX_ROUNDS, description="rounds that count")
    phase: Literal["reveal", "turn", "drawn", "knock", "over"]
    to_act: Seat = Field(description="whose turn it is; in phase over, who moved last")
    face_up: BySeat[Hand[bool]]
    discard_pile: Annotated[Pile, Field(min_length=1)] = Field(description="top first")
    knocker: Seat | None
    went_out: Seat | None = Field(description="whose sixth card face up ended the round")
    last_turns: Annotated[int, Field(ge=0, lt=MAX_PLAYERS)] | None = Field(
        description="turns to come after somebody knocked or went out, the one in progress included"
    )
    refilled: bool = Field(description="whether the draw pile was made from the discards")
    turns: int = Field(ge=0, le=MAX_TURNS, description="turns taken this round")
    totals: BySeat[Annotated[int, Field(ge=-FARTHEST, le=FARTHEST)]] = Field(
        description="points of the rounds before; at the end of the match, of all rounds"
    )
    rules: Configuration | None = Field(
        None, description="the whole configuration; if left out, it is the environment's"
    )


class Position(Table):
    """The whole truth about one game of Sixes, the golf game."""

    hands: BySeat[Hand[Card]] = Field(description="slots 0, 1 / 2, 3 / 4, 5 are the pairs")
    draw_pile: Pile = Field(description="top first")
    drawn: Card | None


class View(Table):
    """What one seat may know of a game: hidden cards are null, or numbers, how many."""

    hands: BySeat[Hand[Card | None]]
    draw_pile: int = Field(ge=0, le=MAX_PACK)
    drawn: Literal["hidden"] | Card | None
    draw_known: Pile | None = Field(
        None,
        description="once refilled, the cards in the draw pile or just drawn unseen, ascending",
    )
    player: Seat
    legal: list[LegalAction] | None = None


STRUCTURE = Structure("sixes_golf", Position, View)
