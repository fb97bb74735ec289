"""What requests hold and answers say, for validation and for the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sixth_env.engine import MAX_SEED

Json = dict[str, Any]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]


class _Strict(BaseModel):
    """No field too many, and no value turned into another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


# --- Requests -------------------------------------------------------------------------------------


class ActRequest(_Strict):
    """Decisions to be made; either ``view`` or ``views``."""

    view: Json | None = Field(None, description="one view; see the schemas of the games")
    views: Annotated[list[Json], Field(min_length=1)] | None = Field(
        None, description="several views of one game"
    )
    opponent: Name | None = Field(None, description="who decides; the game's default if left out")
    seed: Seed | None = Field(
        None,
        description="for opponents that draw lots, the same for each view; if left out, drawn from"
        " what the player knows",
    )
    seeds: list[Seed] | None = Field(None, description="instead of seed, one for each view")
    explain: bool = Field(True, description="whether to tell probabilities and expected results")


class MatchRequest(_Strict):
    """A match to be begun."""

    game: Name = "sixth_card"
    seats: Annotated[list[Name], Field(min_length=2, max_length=10)] = Field(
        description="who sits where: 'person', or an opponent's name"
    )
    rules: Json = Field(default={}, description="what differs from the game's default rules")
    seed: Seed | None = Field(None, description="of the deals and the opponents' lots")


class MoveRequest(_Strict):
    """A person's move."""

    action: int | Name = Field(description="a legal action's number or name")
    version: int | None = Field(
        None, description="the version of the match that was looked at: refused if it has changed"
    )


# --- Answers --------------------------------------------------------------------------------------


class Problem(BaseModel):
    """What is wrong with a request."""

    field: str = Field(description="where, such as 'views[0].rows[2]'; empty if no single field")
    message: str


class ProblemAnswer(BaseModel):
    """The answer to a request that cannot be fulfilled."""

    error: Problem


class Option(BaseModel):
    """A legal action."""

    action: int
    name: str
    probability: float | None = Field(None, description="where the opponent has a policy")
    expected: float | None = Field(
        None,
        description="where the opponent estimates it: what the action costs on average to the end"
        " of the round, in the game's unit; less is better",
    )


class Decision(BaseModel):
    """What an opponent does."""

    action: int
    name: str
    legal: list[Option]


class ActAnswer(BaseModel):
    """Decisions, one for each view."""

    game: str
    opponent: str
    unit: str = Field(description="what 'expected' counts")
    note: str | None = Field(description="if the fallback decided, and why")
    actions: list[Decision]


class HintAnswer(Decision):
    """What an opponent would do in a person's place."""

    opponent: str
    unit: str
    note: str | None
    version: int


class SeatAnswer(BaseModel):
    """Who sits at a seat."""

    kind: str = Field(description="person or opponent")
    opponent: str | None


class TakenSeat(SeatAnswer):
    """A seat of a new match; a person's has a token."""

    player: int
    token: str | None = Field(description="a person's key to the seat; nobody is told it again")


class NewMatch(BaseModel):
    """A match that has begun."""

    id: str
    game: str
    rules: Json
    seed: int
    seats: list[TakenSeat]


class Result(BaseModel):
    """How a match ended."""

    totals: list[int]
    winners: list[int]
    cut_off: bool = Field(description="by a cap on rounds or turns: nobody has won")


class State(BaseModel):
    """What a seat may know of a match."""

    id: str
    version: int = Field(description="grows with every change")
    player: int = Field(description="the seat")
    seats: list[SeatAnswer]
    view: Json
    events: list[Json] = Field(description="those from number 'since' on")
    next: int = Field(description="how many events there are: the next 'since'")
    to_move: bool
    waiting_for: list[int] = Field(description="persons whose move is waited for")
    over: bool
    result: Result | None
    notes: list[Json] = Field(description="where the fallback decided: step, player, note")
