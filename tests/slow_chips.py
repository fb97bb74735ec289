"""Sixes, the chip game, restated from its rules text, slowly and plainly, for tests only.

Nothing here is shared with the package: the rules are written a second time, on Python lists of
card names, so that the compiled rules have something to be held to.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tests.slow_chips_check import (
    DECK,
    PASS,
    SUITS,
    WAIT,
    action_name,
    cards_dealt,
    check_position,
    check_reachable,
    in_order,
    is_match_over,
    playable_cards,
)
from tests.slow_turns import Position, SlowResult, rewards_of

__all__ = [
    "DECK",
    "PASS",
    "WAIT",
    "SlowChips",
    "action_name",
    "cards_dealt",
    "check_position",
    "check_reachable",
    "playable_cards",
    "slow_view",
]


class SlowChips:
    """One match, from a given position on; every new deal is handed in from outside.

    Raises AssertionError for an impossible position or deal, ValueError for an illegal action.
    """

    def __init__(self, position: Position) -> None:
        check_position(position)
        self._load(position)

    def _load(self, position: Position) -> None:
        position = deepcopy(position)
        self.rules: dict[str, Any] = position["rules"]
        self.players: int = position["players"]
        self.dealer: int = position["dealer"]
        self.round: int = position["round"]
        self.phase: str = position["phase"]
        self.to_act: int = position["to_act"]
        self.starter: int = position["starter"]
        self.hands: list[list[str]] = position["hands"]
        self.columns: dict[str, Any] = position["columns"]
        self.chips: list[int] = position["chips"]
        self.pot: int = position["pot"]
        self.lacks: list[set[str]] = [set(cards) for cards in position["lacks"]]

    def position(self) -> Position:
        """The position now; between two rounds its phase is "deal", which no engine shows.

        After a round `to_act` stays with the seat that played the last card.
        """
        return deepcopy(
            {
                "game": "sixes_chips",
                "players": self.players,
                "dealer": self.dealer,
                "round": self.round,
                "phase": self.phase,
                "to_act": self.to_act,
                "starter": self.starter,
                "hands": self.hands,
                "columns": self.columns,
                "chips": self.chips,
                "pot": self.pot,
                "lacks": [in_order(cards) for cards in self.lacks],
                "rules": self.rules,
            }
        )

    def legal(self, seat: int) -> set[int]:
        """Legal action numbers of a seat: a playable card must be played, or it has to pass."""
        assert self.phase != "deal", "the next round has not been dealt"
        if self.phase == "over" or seat != self.to_act:
            return {WAIT}
        held = [card for card in playable_cards(self.columns) if card in self.hands[seat]]
        return {DECK.index(card) for card in held} if held else {PASS}

    def step(self, action: int) -> SlowResult:
        """Play the action of the seat to act."""
        if self.phase != "play":
            raise ValueError(f"no step in phase {self.phase}")
        if action not in self.legal(self.to_act):
            raise ValueError(f"seat {self.to_act}: action {action} is not legal")
        result = SlowResult(gains=[0] * self.players)
        if action == PASS:
            self._pass(result)
        else:
            self._play(DECK[action], result)
        if self.hands[self.to_act]:
            self.to_act = (self.to_act + 1) % self.players
        else:
            self._end_round(result)
        result.rewards = rewards_of(self.rules["reward"], result)
        return result

    def _pass(self, result: SlowResult) -> None:
        """Pay a chip, if there is one; everybody learns which cards the seat does not hold."""
        seat = self.to_act
        paid = min(1, self.chips[seat])
        self.chips[seat] -= paid
        self.pot += paid
        self.lacks[seat].update(playable_cards(self.columns))
        result.gains[seat] = -paid
        result.events.append({"type": "pass", "player": seat, "paid": paid})

    def _play(self, card: str, result: SlowResult) -> None:
        self.hands[self.to_act].remove(card)
        suit, column = card[-1], self.columns[card[-1]]
        if column is None:
            self.columns[suit] = {"low": card, "high": card}
        elif DECK.index(card) < DECK.index(column["low"]):
            column["low"] = card
        else:
            column["high"] = card
        result.events.append({"type": "play", "player": self.to_act, "card": card})

    def _end_round(self, result: SlowResult) -> None:
        winner, pot = self.to_act, self.pot
        self.chips[winner] += pot
        self.pot = 0
        result.gains[winner] = pot
        result.round_ended = True
        score = {"winner": winner, "pot": pot, "chips": list(self.chips)}
        result.events.append({"type": "round_end", **score})
        self.phase = "deal"
        if is_match_over(self.rules, self.round, self.chips):
            self.phase = "over"
            result.match_over = True
            most = max(self.chips)
            result.winners = [seat for seat in range(self.players) if self.chips[seat] == most]
            outcome = {"chips": list(self.chips), "winners": result.winners}
            result.events.append({"type": "match_end", **outcome})
        elif self.round == self.rules["max_rounds"]:
            self.phase = "over"
            result.truncated = True

    def next_deal(self, position: Position) -> None:
        """Go on from a new round's first position, after checking that it may follow."""
        assert self.phase == "deal", "no deal is due"
        check_position(position)
        assert position["rules"] == self.rules, "the rules changed between rounds"
        assert position["round"] == self.round + 1, f"round {self.round + 1} has to follow"
        assert position["dealer"] == self.starter, f"seat {self.starter} had the 6D and deals"
        assert position["chips"] == self.chips, f"chips have to stay {self.chips}"
        assert all(position["columns"][suit] is None for suit in SUITS), "no card lies yet"
        self._load(position)


def slow_view(position: Position, player: int) -> Position:
    """What one seat may know: other hands are numbers of cards."""
    view = deepcopy(position)
    view["player"] = player
    for seat in range(position["players"]):
        if seat != player:
            view["hands"][seat] = len(position["hands"][seat])
    legal = sorted(SlowChips(position).legal(player))
    view["legal"] = [{"action": action, "name": action_name(action)} for action in legal]
    return view
