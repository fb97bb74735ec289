"""Positions, views and events of the golf game as plain values for JSON. Piles are top first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import PositionError
from sixth_env.games.golf import kernels
from sixth_env.games.golf.cards import golf_card_index, golf_card_name
from sixth_env.games.golf.events import read_log
from sixth_env.games.golf.rules import SLOTS, GolfRules, sixes_golf_rules
from sixth_env.games.golf.state import NO_CARD, NOBODY
from sixth_env.games.notation import Json, Notation

PHASES = ("reveal", "turn", "drawn", "knock", "over")


class GolfNotation(Notation):
    """The notation of the game.

    The order of the discards below the top one does not matter any more, and is not observed: in
    the view of an observation they ascend.
    """

    # --- From a record -------------------------------------------------------------------------

    def position(self, rules: GolfRules, state: np.void) -> Json:
        """The whole truth about one game; one that the cap has cut off is in phase "over"."""
        seats = range(rules.num_players)
        over = not kernels.playing(state, self.game.rules_record(rules))
        draw_pile = state["draw_pile"][: state["draw_size"]]
        discard_pile = state["discard_pile"][: state["discard_size"]]
        return {
            "game": "sixes_golf",
            "players": rules.num_players,
            "dealer": int(state["dealer"]),
            "round": int(state["round"]),
            "rounds": rules.num_rounds,
            "phase": "over" if over else PHASES[state["phase"]],
            "to_act": (int(state["to_act"]) - over) % rules.num_players,
            "hands": [card_names(state["hands"][seat]) for seat in seats],
            "face_up": [[bool(code) for code in state["shown"][seat]] for seat in seats],
            "draw_pile": card_names(draw_pile[::-1]),
            "discard_pile": card_names(discard_pile[::-1]),
            "drawn": _or_none(state["drawn"], NO_CARD, golf_card_name),
            "knocker": _or_none(state["knocker"], NOBODY, int),
            "went_out": _or_none(state["went_out"], NOBODY, int),
            "last_turns": _or_none(state["last_turns"], NOBODY, int),
            "refilled": bool(state["refilled"]),
            "turns": int(state["turns"]),
            "totals": [int(state["totals"][seat]) for seat in seats],
            "rules": rules.to_dict(),
        }

    # --- What a seat may know -----------------------------------------------------------------

    def view(self, position: Json, player: int) -> Json:
        """The position with face-down cards null, the draw pile a number, a drawn card hidden.

        Nobody sees face-down cards, the own ones neither. Once the draw pile was made from the
        discards, ``draw_known`` lists what is in it, or was just drawn unseen.
        """
        rows = zip(position["hands"], position["face_up"], strict=True)
        hands = [[card if up else None for card, up in zip(*row, strict=True)] for row in rows]
        view = {**position, "hands": hands, "draw_pile": len(position["draw_pile"])}
        unseen = list(position["draw_pile"])
        if position["drawn"] is not None and position["to_act"] != player:
            view["drawn"] = "hidden"
            unseen.append(position["drawn"])
        if position["refilled"]:
            view["draw_known"] = card_names(sorted(map(golf_card_index, unseen)))
        return {**view, "player": player}

    # --- Events ---------------------------------------------------------------------------------

    def events(self, log: np.void, after: Json) -> list[Json]:
        """The story of one step or reset from the kernels' log; ``after`` is the new position."""
        return read_log(log, after)

    def event_view(self, event: Json, player: int) -> Json:
        """An event as ``player`` may know it: cards dealt or drawn by others are hidden."""
        if event["type"] == "deal":
            return {**event, "hands": [[None] * SLOTS for _ in event["hands"]]}
        if event["type"] == "draw" and event["player"] != player:
            return {**event, "card": "hidden"}
        return event

    # --- Observations ---------------------------------------------------------------------------

    def rules_of(self, value: Callable[[str], int]) -> GolfRules:
        """The rule set in an observation."""
        return sixes_golf_rules(
            num_players=value("num_players"),
            num_rounds=value("rounds_left") + max(value("round"), 1) - 1,
            practice_round=bool(value("practice_round")),
            max_turns=value("max_turns"),
        )

    def fill(self, columns: NDArray[np.int16], rules: np.void, state: np.void) -> None:
        """Write a position that agrees with an observation into a record."""
        if not self.game.sample_world(columns, np.uint64(0), rules.copy(), state):
            raise PositionError("cards, seats and phase do not go together")
        kernels.determinize(columns, np.uint64(0), rules, state)

    # --- By modules that import pydantic and the game itself: not before they are needed ----------

    def load(self, rules: GolfRules, position: Json, state: np.void) -> None:
        """Write a position into a record, whose stream key stays."""
        from sixth_env.games.golf.positions import load_position

        load_position(rules, position, state)

    def load_view(self, rules: GolfRules, view: Json, state: np.void) -> None:
        """Write a position that agrees with a view into a record, whose stream key stays."""
        from sixth_env.games.golf.positions import load_view

        load_view(rules, view, state)

    def complete(self, rules: GolfRules, view: Json) -> Json:
        """A position that agrees with a view: hidden cards are filled in, lowest first."""
        from sixth_env.games.golf.positions import complete_view

        return complete_view(rules, view)

    def schema(self, kind: str) -> Json:
        """The JSON Schema of a ``"position"`` or ``"view"``."""
        from sixth_env.games.golf.structure import STRUCTURE

        return STRUCTURE.schema(kind)


def card_names(cards: Iterable[int]) -> list[str]:
    """The names of cards given by index."""
    return [golf_card_name(int(card)) for card in cards]


def _or_none(value: Any, none: int, read: Any) -> Any:
    """A number of the record read, or None where it stands for nothing."""
    return None if value == none else read(int(value))
