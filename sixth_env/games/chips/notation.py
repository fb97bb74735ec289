"""Positions, views and events of Sixes, the chip game, as plain values for JSON.

A position is the whole truth about one game; a view what one seat may know. The kernels' record
is the only state: everything here is read from it or written into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError, PositionError
from sixth_env.games.base import Game
from sixth_env.games.cards import SUITS
from sixth_env.games.chips import kernels
from sixth_env.games.chips.cards import CHIPS_RANKS, NUM_CARDS, chips_name
from sixth_env.games.chips.rules import ChipsRules, chips_rules

PHASES = ("play", "over")
Json = dict[str, Any]


class ChipsNotation:
    """The notation of the game (see :class:`sixth_env.games.base.Notation`)."""

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

    def look(
        self, rules: ChipsRules, state: np.void, player: int
    ) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
        """The observation (D,) and the action mask (A,) of one seat, uncompiled."""
        game, record = _game(), _game().rules_record(rules)
        columns = np.zeros(game.observation_size, np.int16)
        mask = np.zeros(game.num_actions, np.int8)
        kernels.observe_public(state, record, columns)
        kernels.observe_seat(state, record, player, columns)
        kernels.write_mask(state, record, player, mask)
        return columns, mask

    # --- What a seat may know -----------------------------------------------------------------

    def view(self, position: Json, player: int) -> Json:
        """The position with the other seats' hands as numbers: how many cards."""
        hands = [
            hand if seat == player else len(hand) for seat, hand in enumerate(position["hands"])
        ]
        return {**position, "hands": hands, "player": player}

    def complete(self, rules: ChipsRules, view: Json) -> Json:
        """A position that agrees with a view; raises ``PositionError`` if none does.

        Observations and masks of the view's player do not depend on which one it is.
        """
        from sixth_env.games.chips.positions import complete_view

        return complete_view(rules, view)

    def describe(self, observation: NDArray[Any]) -> Json:
        """The view from which an observation (D,) was made, seats counted from the observer.

        The reward mode is not observed and given as the default one.

        Raises:
            PositionError: no view has this observation.
        """
        game, columns = _game(), _columns(observation)
        try:
            rules = _rules_of(columns)
            state, record = np.zeros(1, game.state)[0], game.rules_record(rules).copy()
            with np.errstate(over="ignore"):
                dealt = kernels.determinize(columns, np.uint64(0), record, state)
            if not dealt:
                raise PositionError("no deal agrees with hands, hand_sizes and lacks")
            position = self.position(rules, state)
            self.load(rules, position, state)
            seen, mask = self.look(rules, state, 0)
        except (ConfigError, PositionError, ValueError, IndexError, OverflowError) as error:
            raise PositionError(f"observation contradicts itself: {error}") from None
        differs = seen != columns
        wrong = [name for name in game.table.names if differs[game.table[name]].any()]
        if wrong:
            raise PositionError(f"observation columns contradict the others: {', '.join(wrong)}")
        legal = game.legal(np.flatnonzero(mask).tolist())
        return {**self.view(position, 0), "legal": legal}

    def schema(self, kind: str) -> Json:
        """The JSON Schema of a ``"position"`` or ``"view"``."""
        from sixth_env.games.chips.structure import schema

        return schema(kind)

    # --- Events ----------------------------------------------------------------------------------

    def events(self, log: np.void, after: Json) -> list[Json]:
        """The story of one step or reset from the kernels' log; ``after`` is the new position."""
        from sixth_env.games.chips.events import read_log

        return read_log(log, after)

    def event_view(self, event: Json, player: int) -> Json:
        """An event as ``player`` may know it: of a deal, the own hand and the others' sizes."""
        if event["type"] != "deal":
            return event
        hands = [hand if seat == player else len(hand) for seat, hand in enumerate(event["hands"])]
        return {**event, "hands": hands}

    # --- Into a record ----------------------------------------------------------------------------

    def load(self, rules: ChipsRules, position: Json, state: np.void) -> None:
        """Write a position into ``state``; its stream key stays.

        Raises:
            PositionError: names the field that contradicts the rules or another field.
        """
        from sixth_env.games.chips.positions import load_position

        load_position(rules, position, state)


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


def _game() -> Game:
    from sixth_env.games.chips.game import SIXES_CHIPS

    return SIXES_CHIPS


def _columns(observation: NDArray[Any]) -> NDArray[np.int16]:
    """An observation as integer columns within their bounds."""
    table, array = _game().table, np.asarray(observation)
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


def _rules_of(columns: NDArray[np.int16]) -> ChipsRules:
    """The rule set in an observation."""
    table = _game().table

    def value(name: str) -> int:
        return int(columns[table.start(name)])

    left, before = value("rounds_left"), value("round") - 1
    return chips_rules(
        num_players=value("num_players"),
        starting_chips=value("starting_chips"),
        num_rounds=left + before if left else None,
        max_rounds=value("cap_left") + before,
    )
