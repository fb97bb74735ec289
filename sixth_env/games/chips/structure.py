"""The shape of positions and views of Sixes, the chip game, and their JSON Schemas.

Only types, names and plain bounds are settled here; ``positions`` checks what the fields say about
each other. Cards are read into their numbers on the way.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from sixth_env.errors import PositionError
from sixth_env.games.chips.cards import NUM_CARDS, chips_index
from sixth_env.games.chips.rules import MAX_PLAYERS, MAX_ROUNDS, MAX_STARTING_CHIPS, MIN_PLAYERS

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


class Strict(BaseModel):
    """No field too many, and no value turned into another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


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


class LegalAction(Strict):
    """An action number with its name."""

    action: int
    name: str


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


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a ``"position"`` or ``"view"``."""
    described = (Position if kind == "position" else View).model_json_schema()
    described["properties"]["game"] = {"const": "sixes_chips"}
    return described


def read_position(position: object) -> Position:
    """A position with its cards as numbers. Raises ``PositionError``."""
    try:
        return Position.model_validate(position)
    except ValidationError as error:
        raise PositionError(_explain("position", error)) from None


def read_view(view: object) -> View:
    """A view with its cards as numbers. Raises ``PositionError``."""
    try:
        return View.model_validate(view)
    except ValidationError as error:
        raise PositionError(_explain("view", error)) from None


def _explain(what: str, error: ValidationError) -> str:
    """One sentence about the first fault, with its place: "position hands[0][2]: …"."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    # A value of two allowed forms brings a fault for each: the deepest one tells most.
    same = [fault for fault in faults if fault["loc"][:2] == faults[0]["loc"][:2]]
    fault = max(same, key=lambda fault: len(fault["loc"]))
    fields = {
        name for model in (View, Columns, Column, Configuration) for name in model.model_fields
    }
    fields |= {"action", "name"}
    if fault["type"] == "extra_forbidden":
        fields.add(str(fault["loc"][-1]))
    path = ""
    for step in fault["loc"]:
        if isinstance(step, int):
            path += f"[{step}]"
        elif step in fields:  # other steps name one of several allowed forms
            path += f".{step}" if path else f" {step}"
    return f"{what}{path}: {fault['msg'].removeprefix('Value error, ')}"
