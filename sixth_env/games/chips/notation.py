"""Positions, views and events of Sixes, the chip game, as plain values for JSON."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import PositionError
from sixth_env.games.cards import SUITS
from sixth_env.games.chips import kernels
from sixth_env.games.chips.cards import CHIPS_RANKS, NUM_CARDS, chips_name
from sixth_env.games.chips.events import read_log
from sixth_env.games.chips.rules import ChipsRules, chips_rules
from sixth_env.games.notation import Json, Notation, hide_hands

PHASES = ("play", "over")


class ChipsNotation(Notation):
    """The notation of the game."""

    # --- From a record -------------------------------------------------------------------------

    def position(self, rules: ChipsRules, state: np.void) -> Json:
        """The whole truth about one game."""
        players = range(rules.num_players)
        return {
            "game": "sixes_chips",
            "players": rules.num_players,
            "dealer": int(state["dealer"]),
            "round": int(state["round"]),
            "phase": PHASES[state["phase"]],
            "to_act": int(state["to_act"]),
            "starter": int(state["starter"]),
            "hands": [card_names(state["hands"][seat]) for seat in players],
            "columns": {suit: _column(state, number) for number, suit in enumerate(SUITS)},
            "chips": [int(state["totals"][seat]) for seat in players],
            "pot": int(state["pot"]),
            "lacks": [card_names(state["lacks"][seat]) for seat in players],
            "rules": rules.to_dict(),
        }

    # --- What a seat may know -----------------------------------------------------------------

    def view(self, position: Json, player: int) -> Json:
        """The position with the other seats' hands as numbers: how many cards."""
        return {**position, "hands": hide_hands(position["hands"], player), "player": player}

    # --- Events ---------------------------------------------------------------------------------

    def events(self, log: np.void, after: Json) -> list[Json]:
        """The story of one step or reset from the kernels' log; ``after`` is the new position."""
        return read_log(log, after)

    # --- Observations ---------------------------------------------------------------------------

    def rules_of(self, value: Callable[[str], int]) -> ChipsRules:
        """The rule set in an observation."""
        left, before = value("rounds_left"), value("round") - 1
        return chips_rules(
            num_players=value("num_players"),
            starting_chips=value("starting_chips"),
            num_rounds=left + before if left else None,
            max_rounds=value("cap_left") + before,
        )

    def fill(self, columns: NDArray[np.int16], rules: np.void, state: np.void) -> None:
        """Write a position that agrees with an observation into a record."""
        if not kernels.determinize(columns, np.uint64(0), rules, state):
            raise PositionError("no deal agrees with hands, hand_sizes and lacks")

    # --- By modules that import pydantic and the game itself: not before they are needed ----------

    def load(self, rules: ChipsRules, position: Json, state: np.void) -> None:
        """Write a position into a record, whose stream key stays."""
        from sixth_env.games.chips.positions import load_position

        load_position(rules, position, state)

    def load_view(self, rules: ChipsRules, view: Json, state: np.void) -> None:
        """Write a position that agrees with a view into a record, whose stream key stays."""
        from sixth_env.games.chips.positions import load_view

        load_view(rules, view, state)

    def complete(self, rules: ChipsRules, view: Json) -> Json:
        """A position that agrees with a view: nobody gets a card that a pass has told of."""
        from sixth_env.games.chips.positions import complete_view

        return complete_view(rules, view)

    def schema(self, kind: str) -> Json:
        """The JSON Schema of a ``"position"`` or ``"view"``."""
        from sixth_env.games.chips.structure import STRUCTURE

        return STRUCTURE.schema(kind)


def card_names(cards: int) -> list[str]:
    """The names of a set of cards, in the order of their numbers."""
    return [chips_name(card) for card in range(NUM_CARDS) if int(cards) >> card & 1]


def _column(state: np.void, number: int) -> Json | None:
    """The ends of a suit's column, or None before its six lies."""
    low, high = int(state["low"][number]), int(state["high"][number])
    if low == 0:
        return None
    suit = SUITS[number]
    return {"low": CHIPS_RANKS[low - 1] + suit, "high": CHIPS_RANKS[high - 1] + suit}
