"""Positions, views and events of the rows games as plain values for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.games.cards import Card, card_name
from sixth_env.games.notation import Json, Notation, hide_hands
from sixth_env.games.rows.events import read_log
from sixth_env.games.rows.kernels import EMPTY, ROW
from sixth_env.games.rows.rules import RowsRules

PHASES = ("card", "row", "over")


class RowsNotation(Notation):
    """The notation of one rows game.

    In the view of an observation, a deck that is dealt out is called exact; a seat that has
    committed its card sees what it saw before.
    """

    # --- From a record -------------------------------------------------------------------------

    def position(self, rules: RowsRules, state: np.void) -> Json:
        """The whole truth about one game."""
        players = range(rules.num_players)
        hands = [self._hand(state, seat) for seat in players]
        played = self._played(rules, state)
        return {
            "game": self.game_id,
            "players": rules.num_players,
            "decks": rules.decks,
            "dealer": int(state["dealer"]),
            "round": int(state["round"]),
            "turn": int(state["turn"]),
            "phase": PHASES[state["phase"]],
            "hands": [self._names(hand) for hand in hands],
            "rows": [
                self._names(state["rows"][row, : state["row_size"][row]])
                for row in range(rules.rows)
            ],
            "piles": [self._names(self._pile(state, seat)) for seat in players],
            "totals": [int(total) for total in state["totals"][: rules.num_players]],
            "revealed": self._revealed(rules, state),
            "played": [self._names_or_null(cards) for cards in played],
            "chosen": [None] * rules.num_players,
            "stock": self._names(self._stock(rules, state, hands)),
            "rules": rules.to_dict(),
        }

    def _names(self, cards: Any) -> list[Any]:
        return [card_name(self.game_id, int(card)) for card in cards]

    def _names_or_null(self, cards: Any) -> list[Card | None]:
        """Cards of which some are unknown: those played before a position that left them out."""
        return [None if card == EMPTY else card_name(self.game_id, int(card)) for card in cards]

    @staticmethod
    def _hand(state: np.void, seat: int) -> list[int]:
        return sorted(int(card) for card in state["hands"][seat, : state["held"]])

    @staticmethod
    def _played(rules: RowsRules, state: np.void) -> NDArray[np.uint8]:
        cards: NDArray[np.uint8] = state["played"][: rules.num_players]
        return cards[:, : rules.hand_size - state["held"]]

    @staticmethod
    def _pile(state: np.void, seat: int) -> list[int]:
        _, cards = np.nonzero(state["taker"] == seat + 1)
        return sorted(int(card) for card in cards)

    @staticmethod
    def _stock(rules: RowsRules, state: np.void, hands: list[list[int]]) -> list[int]:
        held = Counter(card for hand in hands for card in hand)
        left = {c: rules.decks - int(state["seen"][c]) - held[c] for c in range(rules.cards)}
        return [card for card in range(rules.cards) for _ in range(left[card])]

    def _revealed(self, rules: RowsRules, state: np.void) -> list[Json]:
        if state["phase"] != ROW:
            return []
        return [
            {
                "player": (int(state["dealer"]) + 1 + int(code & 15)) % rules.num_players,
                "card": card_name(self.game_id, int(code >> 4)),
            }
            for code in state["revealed"][state["next"] : rules.num_players]
        ]

    # --- What a seat may know -----------------------------------------------------------------

    def view(self, position: Json, player: int) -> Json:
        """The position with what is hidden from ``player`` left out, hidden cards as counts."""
        return {
            **position,
            "hands": hide_hands(position["hands"], player),
            "chosen": [
                card if seat == player else int(card is not None)
                for seat, card in enumerate(position["chosen"])
            ],
            "stock": len(position["stock"]),
            "player": player,
        }

    # --- Events ---------------------------------------------------------------------------------

    def events(self, log: np.void, after: Json) -> list[Json]:
        """The story of one step or reset from the kernels' log; ``after`` is the new position."""
        return read_log(self.game_id, log, after)

    # --- Observations ---------------------------------------------------------------------------

    def rules_of(self, value: Callable[[str], int]) -> RowsRules:
        """The rule set in an observation."""
        left, players = value("rounds_left"), value("num_players")
        needed = players * value("hand_size") + value("num_rows")
        rules: RowsRules = self.game.rules(
            num_players=players,
            decks=value("decks"),
            exact_deck=value("decks") == 1 and value("cards") == needed,
            target_score=value("target_score") or None,
            num_rounds=left + value("round") - 1 if left else None,
            row_choice="cheapest" if value("cheapest") else "player",
            hand_size=value("hand_size"),
            rows=value("num_rows"),
            row_length=value("row_length"),
            cards=value("cards"),
        )
        return rules

    # --- By modules that import pydantic and the game itself: not before they are needed ----------

    def load(self, rules: RowsRules, position: Json, state: np.void) -> None:
        """Write a position into a record, whose stream key stays."""
        from sixth_env.games.rows.positions import load_position

        load_position(rules, position, state)

    def load_view(self, rules: RowsRules, view: Json, state: np.void) -> None:
        """Write a position that agrees with a view into a record, whose stream key stays."""
        from sixth_env.games.rows.positions import load_view

        load_view(rules, view, state)

    def complete(self, rules: RowsRules, view: Json) -> Json:
        """A position that agrees with a view: hidden cards are filled in, lowest first."""
        from sixth_env.games.rows.positions import complete_view

        return complete_view(rules, view)

    def schema(self, kind: str) -> Json:
        """The JSON Schema of a ``"position"`` or ``"view"``."""
        from sixth_env.games.rows.structure import STRUCTURES

        return STRUCTURES[self.game_id].schema(kind)
