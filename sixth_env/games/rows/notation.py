"""Positions, views and events of the rows games as plain values for JSON.

A position is the whole truth about one game; a view what one seat may know. The kernels' record
is the only state: everything here is read from it or written into it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError, PositionError
from sixth_env.games.base import Game
from sixth_env.games.cards import Card, card_name
from sixth_env.games.rows import kernels
from sixth_env.games.rows.kernels import EMPTY, ROW
from sixth_env.games.rows.rules import RowsRules

PHASES = ("card", "row", "over")
Json = dict[str, Any]


class RowsNotation:
    """The notation of one rows game (see :class:`sixth_env.games.base.Notation`)."""

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id

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
        others = [seat != player for seat in range(position["players"])]
        return {
            **position,
            "hands": [
                len(hand) if hidden else hand
                for hand, hidden in zip(position["hands"], others, strict=True)
            ],
            "chosen": [
                int(card is not None) if hidden else card
                for card, hidden in zip(position["chosen"], others, strict=True)
            ],
            "stock": len(position["stock"]),
            "player": player,
        }

    def complete(self, rules: RowsRules, view: Json) -> Json:
        """A position that agrees with a view: hidden cards are filled in, lowest first.

        Observations and masks of the view's player do not depend on how they are filled in.

        Raises:
            PositionError: the view is malformed, or its numbers of hidden cards do not add up.
        """
        from sixth_env.games.rows.structure import read_view

        table = read_view(self.game_id, view)
        self._check_hidden(table)
        unseen, own = self._unseen(rules, table), table.player
        hands: list[list[Card]] = []
        for seat, hand in enumerate(table.hands):
            size = hand if isinstance(hand, int) else 0
            hands.append(view["hands"][own] if seat == own else self._names(unseen[:size]))
            del unseen[:size]
        if len(unseen) != table.stock:
            raise PositionError(f"view stock must be {len(unseen)}, which are left unseen")
        chosen = [
            view["chosen"][own] if seat == own else hands[seat][0] if flag else None
            for seat, flag in enumerate(table.chosen)
        ]
        position = {**view, "hands": hands, "chosen": chosen, "stock": self._names(unseen)}
        return {name: position[name] for name in position if name not in ("player", "legal")}

    @staticmethod
    def _check_hidden(table: Any) -> None:
        """What is hidden from the view's player is given as numbers, and nothing else is."""
        own, seats = table.player, len(table.hands)
        if own >= seats or len(table.chosen) != seats:
            raise PositionError("view hands, chosen and player do not agree on the seats")
        for seat, (hand, choice) in enumerate(zip(table.hands, table.chosen, strict=True)):
            if isinstance(hand, int) == (seat == own):
                raise PositionError(f"view hands must be numbers, but cards for player {own}")
            if seat != own and (choice not in (0, 1) or (choice and not hand)):
                raise PositionError(f"view chosen[{seat}] must be 1 if a card lies there, else 0")

    @staticmethod
    def _unseen(rules: RowsRules, table: Any) -> list[int]:
        """The cards that the view's player does not see, ascending."""
        seen = Counter(entry.card for entry in table.revealed)
        for cards in (*table.rows, *table.piles, table.hands[table.player]):
            seen.update(cards)
        return [card for card in range(rules.cards) for _ in range(rules.decks - seen[card])]

    def describe(self, observation: NDArray[Any]) -> Json:
        """The view from which an observation (D,) was made, seats counted from the observer.

        The reward mode is not observed and given as the default one, and a deck that is dealt out
        is called exact. A seat that has committed its card sees what it saw before.

        Raises:
            PositionError: no view has this observation.
        """
        game = self._game
        columns = self._columns(observation)
        try:
            rules = self._rules_of(columns)
            state, record = np.zeros(1, game.state)[0], game.rules_record(rules).copy()
            with np.errstate(over="ignore"):
                kernels.determinize(columns, np.uint64(0), record, state)
            position = self.position(rules, state)
            self.load(rules, position, state)
            seen, mask = self.look(rules, state, 0)
        except (ConfigError, PositionError, ValueError, IndexError, OverflowError) as error:
            raise PositionError(f"observation contradicts itself: {error}") from None
        wrong = [name for name in game.table.names if self._differ(name, seen, columns)]
        if wrong:
            raise PositionError(f"observation columns contradict the others: {', '.join(wrong)}")
        legal = game.legal(np.flatnonzero(mask).tolist())
        return {**self.view(position, 0), "legal": legal}

    def look(
        self, rules: RowsRules, state: np.void, player: int
    ) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
        """The observation (D,) and the action mask (A,) of one seat, uncompiled."""
        game, record = self._game, self._game.rules_record(rules)
        columns = np.zeros(game.observation_size, np.int16)
        mask = np.zeros(game.num_actions, np.int8)
        kernels.observe_public(state, record, columns)
        kernels.observe_seat(state, record, player, columns)
        kernels.write_mask(state, record, player, mask)
        return columns, mask

    def _columns(self, observation: NDArray[Any]) -> NDArray[np.int16]:
        """An observation as integer columns within their bounds."""
        table, array = self._game.table, np.asarray(observation)
        if array.shape != (table.size,) or array.dtype.kind not in "iuf":
            raise PositionError(
                f"observation must be {table.size} numbers, not {array.dtype} of {array.shape}"
            )
        if array.dtype.kind == "f":
            array = np.rint(np.nan_to_num(array / table.scale, nan=np.inf, posinf=np.inf))
        outside = (array < table.low) | (array > table.high)
        wrong = [name for name in table.names if outside[table[name]].any()]
        if wrong:
            raise PositionError(f"observation columns are out of bounds: {', '.join(wrong)}")
        return array.astype(np.int16)

    def _differ(self, name: str, a: NDArray[np.int16], b: NDArray[np.int16]) -> bool:
        columns = self._game.table[name]
        return not np.array_equal(a[columns], b[columns])

    @property
    def _game(self) -> Game:
        from sixth_env.games import get_game

        return get_game(self.game_id)

    def _rules_of(self, columns: NDArray[np.int16]) -> RowsRules:
        """The rule set in an observation."""
        game = self._game

        def value(name: str) -> int:
            return int(columns[game.table.start(name)])

        left, players = value("rounds_left"), value("num_players")
        needed = players * value("hand_size") + value("num_rows")
        rules: RowsRules = game.rules(
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

    def schema(self, kind: str) -> Json:
        """The JSON Schema of a ``"position"`` or ``"view"``."""
        from sixth_env.games.rows.structure import schema

        return schema(self.game_id, kind)

    # --- Events ----------------------------------------------------------------------------------

    def events(self, log: np.void, after: Json) -> list[Json]:
        """The story of one step or reset from the kernels' log; ``after`` is the new position."""
        from sixth_env.games.rows.events import read_log

        return read_log(self.game_id, log, after)

    def event_view(self, event: Json, player: int) -> Json:
        """An event as ``player`` may know it: of a deal, the own hand and the others' sizes."""
        if event["type"] != "deal":
            return event
        hands = [hand if seat == player else len(hand) for seat, hand in enumerate(event["hands"])]
        return {**event, "hands": hands}

    # --- Into a record ----------------------------------------------------------------------------

    def load(self, rules: RowsRules, position: Json, state: np.void) -> None:
        """Write a position into ``state``; its stream key stays.

        Raises:
            PositionError: names the field that contradicts the rules or another field.
        """
        from sixth_env.games.rows.positions import load_position

        load_position(rules, position, state)
