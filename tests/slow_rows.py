"""Sixth Card and 6 nimmt! restated from their rules texts, slowly and plainly, for tests only.

Nothing here is shared with the package: cards, penalties, placing, scoring and the checks are
written a second time, on Python lists, so that the compiled rules have something to be held to.
A position is the JSON form of the whole truth; inside, a card is its place on the ladder, from 0.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from tests.slow_rows_check import check_position
from tests.slow_rows_rules import (
    Card,
    Event,
    Position,
    action_name,
    card_index,
    card_name,
    is_match_over,
    penalty,
    places_after_dealer,
    row_action,
    rows_open_to,
    wait_action,
)

__all__ = [
    "SlowResult",
    "SlowRows",
    "action_name",
    "card_index",
    "card_name",
    "check_position",
    "penalty",
    "row_action",
    "slow_view",
    "wait_action",
]


@dataclass
class SlowResult:
    """What one step did; `points` are those taken in it, `winners` is empty until the end."""

    points: list[int]
    rewards: list[float] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    round_ended: bool = False
    match_over: bool = False
    winners: list[int] = field(default_factory=list)


class SlowRows:
    """One match, from a given position on; every new deal is handed in from outside.

    Raises AssertionError for an impossible position or deal, ValueError for an illegal action.
    """

    def __init__(self, position: Position) -> None:
        check_position(position)
        assert not any(position["chosen"]), "a position between two commitments has no step"
        self._load(position)

    def _load(self, position: Position) -> None:
        self.rules: dict[str, Any] = deepcopy(position["rules"])
        self.game: str = self.rules["game"]
        self.players: int = self.rules["num_players"]
        self.dealer: int = position["dealer"]
        self.round: int = position["round"]
        self.turn: int = position["turn"]
        self.phase: str = position["phase"]
        self.hands = [self._indices(hand) for hand in position["hands"]]
        self.rows = [self._indices(row) for row in position["rows"]]
        self.piles = [self._indices(pile) for pile in position["piles"]]
        self.played = [self._indices(cards) for cards in position["played"]]
        self.stock = self._indices(position["stock"])
        self.totals: list[int] = list(position["totals"])
        self.revealed = [
            (entry["player"], card_index(self.game, entry["card"]))
            for entry in position["revealed"]
        ]

    def _indices(self, cards: list[Card]) -> list[int]:
        return [card_index(self.game, card) for card in cards]

    def _names(self, cards: list[int]) -> list[Card]:
        return [card_name(self.game, card) for card in cards]

    def _points(self, cards: list[int]) -> int:
        return sum(penalty(self.game, card) for card in self._names(cards))

    def position(self) -> Position:
        """The position now; between two rounds its phase is "deal", which no engine shows."""
        return {
            "game": self.game,
            "players": self.players,
            "decks": self.rules["decks"],
            "dealer": self.dealer,
            "round": self.round,
            "turn": self.turn,
            "phase": self.phase,
            "hands": [self._names(hand) for hand in self.hands],
            "rows": [self._names(row) for row in self.rows],
            "piles": [self._names(pile) for pile in self.piles],
            "totals": list(self.totals),
            "revealed": [
                {"player": player, "card": card_name(self.game, card)}
                for player, card in self.revealed
            ],
            "played": [self._names(cards) for cards in self.played],
            "chosen": [None] * self.players,
            "stock": self._names(self.stock),
            "rules": deepcopy(self.rules),
        }

    def legal(self, seat: int) -> set[int]:
        """Legal action numbers of a seat."""
        assert self.phase != "deal", "the next round has not been dealt"
        if self.phase == "card":
            return set(self.hands[seat])
        if self.phase == "row" and self.revealed[0][0] == seat:
            choices = rows_open_to(self.rows, self.revealed[0][1])
            return {row_action(self.game, row) for row in choices}
        return {wait_action(self.game)}

    def step(self, actions: list[int]) -> SlowResult:
        """Play one step; `actions` holds one action number for each seat."""
        if self.phase in ("over", "deal") or len(actions) != self.players:
            raise ValueError(f"no step of {len(actions)} actions in phase {self.phase}")
        for seat, action in enumerate(actions):
            if action not in self.legal(seat):
                raise ValueError(f"seat {seat}: {action_name(self.game, action)} is not legal")
        result = SlowResult(points=[0] * self.players)
        if self.phase == "card":
            self._reveal(actions, result)
        else:
            chooser = self.revealed[0][0]
            self._place_first(actions[chooser] - row_action(self.game, 0), result)
        self._place_until_asked(result)
        if not self.revealed:
            self._end_turn(result)
        result.rewards = self._rewards(result)
        return result

    def _reveal(self, cards: list[int], result: SlowResult) -> None:
        for seat, card in enumerate(cards):
            self.hands[seat].remove(card)
            self.played[seat].append(card)
        self.revealed = sorted(
            enumerate(cards),
            key=lambda entry: (entry[1], places_after_dealer(self.dealer, entry[0], self.players)),
        )
        shown = [{"player": p, "card": card_name(self.game, c)} for p, c in self.revealed]
        result.events.append({"type": "reveal", "turn": self.turn, "cards": shown})

    def _place_until_asked(self, result: SlowResult) -> None:
        """Place revealed cards in order until none is left or an owner has to choose a row."""
        while self.revealed:
            player, card = self.revealed[0]
            choices = rows_open_to(self.rows, card)
            if len(choices) > 1 and self.rules["row_choice"] == "player":
                self.phase = "row"
                asked = {"player": player, "card": card_name(self.game, card), "rows": choices}
                result.events.append({"type": "row_decision", **asked})
                return
            cheapest = min(choices, key=lambda row: (self._points(self.rows[row]), row))
            self._place_first(cheapest, result)

    def _place_first(self, row: int, result: SlowResult) -> None:
        player, card = self.revealed.pop(0)
        too_low = all(card < other[-1] for other in self.rows)
        if too_low or len(self.rows[row]) == self.rules["row_length"]:
            taken = self.rows[row]
            points = self._points(taken)
            result.points[player] += points
            what = {"row": row, "cards": self._names(taken), "points": points}
            result.events.append({"type": "take", "player": player, **what})
            self.piles[player] = sorted(self.piles[player] + taken)
            self.rows[row] = []
        self.rows[row].append(card)
        where = {"card": card_name(self.game, card), "row": row}
        result.events.append({"type": "place", "player": player, **where})

    def _end_turn(self, result: SlowResult) -> None:
        if any(self.hands):
            self.turn += 1
            self.phase = "card"
            return
        points = [self._points(pile) for pile in self.piles]
        self.totals = [old + new for old, new in zip(self.totals, points, strict=True)]
        score = {"points": points, "totals": list(self.totals)}
        result.events.append({"type": "round_end", "round": self.round, **score})
        result.round_ended = True
        self.phase = "deal"
        if is_match_over(self.rules, self.round, self.totals):
            self.phase = "over"
            result.match_over = True
            result.winners = [s for s, t in enumerate(self.totals) if t == min(self.totals)]
            outcome = {"totals": list(self.totals), "winners": result.winners}
            result.events.append({"type": "match_end", **outcome})

    def _rewards(self, result: SlowResult) -> list[float]:
        points = result.points
        if self.rules["reward"] == "penalty":
            return [float(-own) for own in points]
        if self.rules["reward"] == "relative":
            return [(sum(points) - own) / (self.players - 1) - own for own in points]
        winners = result.winners
        return [1 / len(winners) if seat in winners else 0.0 for seat in range(self.players)]

    def next_deal(self, position: Position) -> None:
        """Go on from a new round's first position, after checking that it may follow."""
        assert self.phase == "deal", "no deal is due"
        check_position(position)
        dealer = (self.dealer + 1) % self.players
        assert position["rules"] == self.rules, "the rules changed between rounds"
        assert position["round"] == self.round + 1, f"round {self.round + 1} has to follow"
        assert position["dealer"] == dealer, f"the deal passes to the left, to seat {dealer}"
        assert position["totals"] == self.totals, f"totals have to stay {self.totals}"
        assert (position["phase"], position["turn"]) == ("card", 1), "a round starts with turn 1"
        assert not any(position["chosen"]), "nobody has chosen when a round starts"
        self._load(position)


def slow_view(position: Position, player: int) -> Position:
    """What one seat may know: the rest of the hands, choices and the stock are numbers."""
    game = position["game"]
    view = deepcopy(position)
    view["player"] = player
    for seat in range(position["players"]):
        if seat != player:
            view["hands"][seat] = len(position["hands"][seat])
            view["chosen"][seat] = int(position["chosen"][seat] is not None)
    view["stock"] = len(position["stock"])
    committed = position["chosen"][player] is not None
    table = SlowRows({**position, "chosen": [None] * position["players"]})
    legal = [wait_action(game)] if committed else sorted(table.legal(player))
    view["legal"] = [{"action": action, "name": action_name(game, action)} for action in legal]
    return view
