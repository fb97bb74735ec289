"""Sixes, the golf game, restated from its rules text, slowly and plainly, for tests only.

Nothing here is shared with the package: the rules are written a second time, on Python lists of
card names, so that the compiled rules have something to be held to. Chance comes from outside:
every new deal, and the order of a draw pile made from the discards.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tests.slow_golf_check import (
    DISCARD,
    DRAW,
    END_TURN,
    KNOCK,
    SLOTS,
    SWAP,
    TAKE,
    TURN_UP,
    WAIT,
    action_name,
    check_position,
    check_reachable,
    deck,
    hand_score,
    in_order,
    pair_score,
    round_points,
)
from tests.slow_turns import Event, Position, SlowResult, rewards_of

__all__ = [
    "WAIT",
    "SlowGolf",
    "action_name",
    "check_position",
    "check_reachable",
    "deck",
    "hand_score",
    "pair_score",
    "round_points",
    "slow_event",
    "slow_view",
]


class SlowGolf:
    """One match, from a given position on.

    Raises AssertionError for an impossible position, deal or refill, ValueError for an illegal
    action.
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
        self.hands: list[list[str]] = position["hands"]
        self.face_up: list[list[bool]] = position["face_up"]
        self.draw_pile: list[str] = position["draw_pile"]
        self.discard_pile: list[str] = position["discard_pile"]
        self.drawn: str | None = position["drawn"]
        self.knocker: int | None = position["knocker"]
        self.went_out: int | None = position["went_out"]
        self.last_turns: int | None = position["last_turns"]
        self.refilled: bool = position["refilled"]
        self.turns: int = position["turns"]
        self.totals: list[int] = position["totals"]
        self.new_pile: list[str] | None = None  # handed in, to be used by the next draw

    def position(self) -> Position:
        """The position now; between two rounds its phase is "deal", which no engine shows.

        After a round everything is face up, and `to_act` stays with the seat that moved last.
        """
        return deepcopy(
            {
                "game": "sixes_golf",
                "players": self.players,
                "dealer": self.dealer,
                "round": self.round,
                "rounds": self.rules["num_rounds"],
                "phase": self.phase,
                "to_act": self.to_act,
                "hands": self.hands,
                "face_up": self.face_up,
                "draw_pile": self.draw_pile,
                "discard_pile": self.discard_pile,
                "drawn": self.drawn,
                "knocker": self.knocker,
                "went_out": self.went_out,
                "last_turns": self.last_turns,
                "refilled": self.refilled,
                "turns": self.turns,
                "totals": self.totals,
                "rules": self.rules,
            }
        )

    def legal(self, seat: int) -> set[int]:
        """Legal action numbers of a seat."""
        assert self.phase != "deal", "the next round has not been dealt"
        if self.phase == "over" or seat != self.to_act:
            return {WAIT}
        face_down = {TURN_UP + slot for slot in SLOTS if not self.face_up[seat][slot]}
        if self.phase == "reveal":
            return face_down
        if self.phase == "turn":
            return face_down | {TAKE + slot for slot in SLOTS} | {DRAW}
        if self.phase == "drawn":
            return {SWAP + slot for slot in SLOTS} | {DISCARD}
        return {KNOCK, END_TURN}

    @property
    def needs_refill(self) -> bool:
        """Whether drawing now would find an empty pile; if so, call `refill` before it."""
        return self.phase == "turn" and not self.draw_pile

    def refill(self, order: list[str]) -> None:
        """Hand in the draw pile, top first, that the next action finds if it is to draw."""
        assert self.needs_refill, "no refill is due"
        same = sorted(order) == sorted(self.discard_pile[1:])
        assert same, "a refill holds the discards without the top one"
        self.new_pile = list(order)

    def step(self, action: int) -> SlowResult:
        """Play the action of the seat to act."""
        if self.phase in ("over", "deal"):
            raise ValueError(f"no step in phase {self.phase}")
        if action not in self.legal(self.to_act):
            raise ValueError(f"seat {self.to_act}: action {action} is not legal")
        result = SlowResult(gains=[0] * self.players)
        if self.phase == "reveal":
            self._turn_up(action - TURN_UP, result)
            self._end_reveal()
        elif action == DRAW:
            self._draw(result)
        elif action in (KNOCK, END_TURN):
            if action == KNOCK:
                self.knocker = self.to_act
                self.last_turns = self.players
                self._tell(result, "knock")
            self._end_turn(result)
        else:
            self._move(action, result)
            self._end_move(result)
        self.new_pile = None
        result.rewards = rewards_of(self.rules["reward"], result)
        return result

    def _tell(self, result: SlowResult, what: str, **fields: Any) -> None:
        result.events.append({"type": what, "player": self.to_act, **fields})

    def _turn_up(self, slot: int, result: SlowResult) -> None:
        self.face_up[self.to_act][slot] = True
        self._tell(result, "turn_up", slot=slot, card=self.hands[self.to_act][slot])

    def _end_reveal(self) -> None:
        """Two cards each, seat by seat from the dealer on; then the dealer takes the first turn."""
        if sum(self.face_up[self.to_act]) == 2:
            self.to_act = (self.to_act + 1) % self.players
            if self.to_act == self.dealer:
                self.phase = "turn"

    def _draw(self, result: SlowResult) -> None:
        if not self.draw_pile:
            assert self.new_pile is not None, "the pile is empty: hand in another with `refill`"
            self.draw_pile = self.new_pile
            self.discard_pile = self.discard_pile[:1]
            self.refilled = True
            result.events.append({"type": "refill"})
        self.drawn = self.draw_pile.pop(0)
        self.phase = "drawn"
        self._tell(result, "draw", card=self.drawn)

    def _move(self, action: int, result: SlowResult) -> None:
        """Everything that ends with the table changed: turn up, take, swap or discard."""
        if action < TAKE:
            self._turn_up(action - TURN_UP, result)
        elif action < DRAW:
            self._swap(action - TAKE, self.discard_pile.pop(0), "take_discard", result)
        else:
            assert self.drawn is not None
            drawn, self.drawn = self.drawn, None
            if action == DISCARD:
                self.discard_pile.insert(0, drawn)
                self._tell(result, "discard_drawn", card=drawn)
            else:
                self._swap(action - SWAP, drawn, "swap_drawn", result)

    def _swap(self, slot: int, card: str, what: str, result: SlowResult) -> None:
        """Put a card face up into a slot, and the one that was there on the discards."""
        hand = self.hands[self.to_act]
        replaced, hand[slot] = hand[slot], card
        self.face_up[self.to_act][slot] = True
        self.discard_pile.insert(0, replaced)
        self._tell(result, what, slot=slot, card=card, replaced=replaced)

    def _end_move(self, result: SlowResult) -> None:
        """After a move its seat may knock, unless these are last turns or it has gone out."""
        if self.last_turns is None and all(self.face_up[self.to_act]):
            self.went_out = self.to_act
            self.last_turns = self.players
            self._tell(result, "went_out")
        if self.last_turns is None:
            self.phase = "knock"
        else:
            self._end_turn(result)

    def _end_turn(self, result: SlowResult) -> None:
        """Count the turn; `last_turns` was set to the number of players by the seat that closed."""
        self.turns += 1
        if self.last_turns is not None:
            self.last_turns -= 1
        if self.last_turns == 0:
            self._end_round(result)
        elif self.turns == self.rules["max_turns"]:
            self.phase = "over"
            result.truncated = True
        else:
            self.phase = "turn"
            self.to_act = (self.to_act + 1) % self.players

    def _end_round(self, result: SlowResult) -> None:
        """Turn everything up and score; the practice round (0) is not counted."""
        self.face_up = [[True] * len(SLOTS) for _ in range(self.players)]
        raw = [hand_score(hand) for hand in self.hands]
        points = round_points(raw, self.knocker)
        if self.round > 0:
            self.totals = [old + new for old, new in zip(self.totals, points, strict=True)]
            result.gains = [-own for own in points]
        score = {"points": points, "raw": raw, "totals": list(self.totals)}
        result.events.append({"type": "round_end", "hands": deepcopy(self.hands), **score})
        result.round_ended = True
        self.phase = "deal"
        if self.round == self.rules["num_rounds"]:
            self.phase = "over"
            result.match_over = True
            least = min(self.totals)
            result.winners = [seat for seat in range(self.players) if self.totals[seat] == least]
            outcome = {"totals": list(self.totals), "winners": result.winners}
            result.events.append({"type": "match_end", **outcome})

    def next_deal(self, position: Position) -> None:
        """Go on from a new round's first position, after checking that it may follow."""
        assert self.phase == "deal", "no deal is due"
        check_position(position)
        dealer = (self.dealer + 1) % self.players
        assert position["rules"] == self.rules, "the rules changed between rounds"
        assert position["round"] == self.round + 1, f"round {self.round + 1} has to follow"
        assert position["dealer"] == dealer, f"the deal passes to the left, to seat {dealer}"
        assert position["totals"] == self.totals, f"totals have to stay {self.totals}"
        assert position["phase"] == "reveal", "a round starts with cards to turn up"
        assert not any(any(ups) for ups in position["face_up"]), "everything lies face down"
        assert position["to_act"] == dealer, "the dealer turns up first"
        self._load(position)


def slow_event(event: Event, player: int) -> Event:
    """What one seat is told: only the drawer learns which card was drawn."""
    if event["type"] == "draw" and event["player"] != player:
        return {**event, "card": None}
    return event


def slow_view(position: Position, player: int) -> Position:
    """What one seat may know: face-down cards, its own too, are null, the draw pile is a number.

    After a refill `draw_known` lists what is in the draw pile or was drawn unseen.
    """
    view = deepcopy(position)
    view["player"] = player
    for seat in range(position["players"]):
        pairs = zip(position["hands"][seat], position["face_up"][seat], strict=True)
        view["hands"][seat] = [card if up else None for card, up in pairs]
    view["draw_pile"] = len(position["draw_pile"])
    unseen = list(position["draw_pile"])
    if position["drawn"] is not None and player != position["to_act"]:
        view["drawn"] = "hidden"
        unseen.append(position["drawn"])
    if position["refilled"]:
        view["draw_known"] = in_order(unseen)
    legal = sorted(SlowGolf(position).legal(player))
    view["legal"] = [{"action": action, "name": action_name(action)} for action in legal]
    return view
