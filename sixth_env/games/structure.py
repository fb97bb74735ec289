"""What the shapes of positions and views of all games share.

A game's own ``structure`` module writes two models, of types, names and plain bounds; what the
fields say about each other is for its ``positions`` to check.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sixth_env.errors import PositionError


class Strict(BaseModel):
    """No field too many, and no value turned into another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class LegalAction(Strict):
    """An action number with its name."""

    action: int
    name: str


M = TypeVar("M", bound=Strict)
P = TypeVar("P", bound=Strict)
V = TypeVar("V", bound=Strict)


@dataclass(frozen=True)
class Structure(Generic[P, V]):
    """The models of a game's positions and views, in which cards are read into their numbers."""

    game: str
    position: type[P]
    view: type[V]

    def schema(self, kind: str) -> dict[str, Any]:
        """The JSON Schema of a ``"position"`` or ``"view"``."""
        model: type[Strict] = self.position if kind == "position" else self.view
        described = model.model_json_schema()
        described["properties"]["game"] = {"const": self.game}
        return described

    def read_position(self, position: object) -> P:
        """A position of the right shape. Raises ``PositionError``."""
        return self._read("position", self.position, position)

    def read_view(self, view: object) -> V:
        """A view of the right shape. Raises ``PositionError``."""
        return self._read("view", self.view, view)

    def _read(self, what: str, model: type[M], value: object) -> M:
        try:
            return model.model_validate(value)
        except ValidationError as error:
            raise PositionError(f"{what}{self._fault(error)}") from None

    def _fault(self, error: ValidationError) -> str:
        """The first fault with its place: " hands[0][2]: …"."""
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        # A value of two allowed forms brings a fault for each: the deepest one tells most.
        same = [fault for fault in faults if fault["loc"][:2] == faults[0]["loc"][:2]]
        fault = max(same, key=lambda fault: len(fault["loc"]))
        fields = self._fields()
        if fault["type"] == "extra_forbidden":
            fields.add(str(fault["loc"][-1]))
        path = ""
        for step in fault["loc"]:
            if isinstance(step, int):
                path += f"[{step}]"
            elif step in fields:  # other steps name one of several allowed forms
                path += f".{step}" if path else f" {step}"
        return f"{path}: {fault['msg'].removeprefix('Value error, ')}"

    def _fields(self) -> set[str]:
        """The names of all fields of a view, which has those of a position, and of their parts."""
        described = self.view.model_json_schema()
        models = [described, *described["$defs"].values()]
        return {name for model in models for name in model["properties"]}
