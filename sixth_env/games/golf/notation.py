"""Positions, views and events of the golf game as plain values for JSON.

A position is the whole truth about one game; a view what one seat may know. The kernels' record
is the only state: everything here is read from it or written into it. Piles are given top first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError, PositionError
from sixth_env.games.base import Game
from sixth_env.games.golf import kernels
from sixth_env.games.golf.cards import golf_card_index, golf_card_name
from sixth_env.games.golf.rules import GolfRules, sixes_golf_rules
from sixth_env.games.golf.state import NO_CARD, NOBODY

PHASES = ("reveal", "turn", "drawn", "knock", "over")
Json = dict[str, Any]


class GolfNotation:
    """The notation of the game (see :class:`sixth_env.games.base.Notation`)."""

    # --- From a record -------------------------------------------------------------------------

    def position(self, rules: GolfRules, state: np.void) -> Json:
        """The whole truth about one game; one that the cap has cut off is in phase "over"."""
        seats = range(rules.num_players)
        over = not kernels.playing(state, _game().rules_record(rules))
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

    def look(
        self, rules: GolfRules, state: np.void, player: int
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

    def complete(self, rules: GolfRules, view: Json) -> Json:
        """A position that agrees with a view; raises ``PositionError`` if none does.

        Observations and masks of the view's player do not depend on which one it is.
        """
        from sixth_env.games.golf.positions import complete_view

        return complete_view(rules, view)

    def describe(self, observation: NDArray[Any]) -> Json:
        """The view from which an observation (D,) was made, seats counted from the observer.

        The reward mode is not observed and given as the default one; nor is the order of the
        discards below the top one, which does not matter any more: they are given ascending.

        Raises:
            PositionError: no view has this observation.
        """
        game, columns = _game(), _columns(observation)
        try:
            rules = _rules_of(columns)
            state, record = np.zeros(1, game.state)[0], game.rules_record(rules).copy()
            with np.errstate(over="ignore"):
                if not game.sample_world(columns, np.uint64(0), record.copy(), state):
                    raise PositionError("cards, seats and phase do not go together")
                kernels.determinize(columns, np.uint64(0), record, state)
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
        from sixth_env.games.golf.structure import schema

        return schema(kind)

    # --- Events ----------------------------------------------------------------------------------

    def events(self, log: np.void, after: Json) -> list[Json]:
        """The story of one step or reset from the kernels' log; ``after`` is the new position."""
        from sixth_env.games.golf.events import read_log

        return read_log(log, after)

    def event_view(self, event: Json, player: int) -> Json:
        """An event as ``player`` may know it: cards dealt or drawn by others are hidden."""
        from sixth_env.games.golf.events import event_view

        return event_view(event, player)

    # --- Into a record ----------------------------------------------------------------------------

    def load(self, rules: GolfRules, position: Json, state: np.void) -> None:
        """Write a position into ``state``; its stream key stays.

        Raises:
            PositionError: names the field that contradicts the rules or another field.
        """
        from sixth_env.games.golf.positions import load_position

        load_position(rules, position, state)


def card_names(cards: Iterable[int]) -> list[str]:
    """The names of cards given by index."""
    return [golf_card_name(int(card)) for card in cards]


def _or_none(value: Any, none: int, read: Any) -> Any:
    """A number of the record read, or None where it stands for nothing."""
    return None if value == none else read(int(value))


def _game() -> Game:
    from sixth_env.games.golf.game import SIXES_GOLF

    return SIXES_GOLF


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


def _rules_of(columns: NDArray[np.int16]) -> GolfRules:
    """The rule set in an observation."""
    table = _game().table

    def value(name: str) -> int:
        return int(columns[table.start(name)])

    return sixes_golf_rules(
        num_players=value("num_players"),
        num_rounds=value("rounds_left") + max(value("round"), 1) - 1,
        practice_round=bool(value("practice_round")),
        max_turns=value("max_turns"),
    )
