"""Cards, scores and actions of Sixes, the golf game, and what must hold in every position of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.slow_turns import Position

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
CARDS = [rank + suit for rank in RANKS for suit in "CDHS"] + ["joker"]
SLOTS = range(6)  # three horizontal rows of two: 0, 1 / 2, 3 / 4, 5
TURN_UP, TAKE, DRAW, SWAP, DISCARD, KNOCK, END_TURN, WAIT = 0, 6, 12, 13, 19, 20, 21, 22
PHASES = ("reveal", "turn", "drawn", "knock", "over")

RULE_KEYS = {"game", "num_players", "num_rounds", "practice_round", "max_turns", "reward"}
POSITION_KEYS = {
    *("game", "players", "dealer", "round", "rounds", "phase", "to_act", "hands", "face_up"),
    *("draw_pile", "discard_pile", "drawn", "knocker", "went_out", "last_turns", "refilled"),
    *("turns", "totals", "rules"),
}


def action_name(action: int) -> str:
    """Words for an action number."""
    for first, words in ((SWAP, "put the drawn card into"), (TAKE, "take the discard into")):
        if first <= action < first + 6:
            return f"{words} slot {action - first}"
    if action < 6:
        return f"turn up slot {action}"
    names = {
        DRAW: "draw",
        DISCARD: "discard the drawn card",
        KNOCK: "knock",
        END_TURN: "end the turn without knocking",
        WAIT: "wait",
    }
    return names[action]


def deck(players: int) -> list[str]:
    """54 cards with two jokers for up to four players, twice that from five on."""
    one = [*CARDS, "joker"]
    return one if players <= 4 else one + one


def in_order(cards: list[str]) -> list[str]:
    """Cards by rank, then suit, jokers last."""
    return sorted(cards, key=CARDS.index)


def rank(card: str) -> str:
    return card if card == "joker" else card[:-1]


def value(card: str) -> int:
    """What a card counts by itself."""
    special = {"joker": -2, "A": -1, "J": 10, "Q": 10, "K": 10}
    return special.get(rank(card)) or int(rank(card))


def pair_score(one: str, two: str) -> int:
    """Score of two cards side by side.

    Equal positive ranks cancel; a negative card cancels the positive one beside it and keeps its
    own value; two negative ones add, equal or not.
    """
    values = value(one), value(two)
    if max(values) < 0:
        return sum(values)
    if min(values) < 0:
        return min(values)
    return 0 if rank(one) == rank(two) else sum(values)


def hand_score(hand: list[str]) -> int:
    """Score of six cards: the horizontal pairs 0-1, 2-3 and 4-5."""
    return sum(pair_score(hand[slot], hand[slot + 1]) for slot in (0, 2, 4))


def round_points(raw: list[int], knocker: int | None) -> list[int]:
    """Points of a round: a knocker above the lowest adds the raw scores of all others."""
    points = list(raw)
    if knocker is not None and raw[knocker] > min(raw):
        points[knocker] += sum(raw) - raw[knocker]
    return points


def first_round(rules: dict[str, Any]) -> int:
    """The practice round, if there is one, is round 0."""
    return 0 if rules["practice_round"] else 1


def check_position(position: Position) -> None:
    """Raise AssertionError, saying what is wrong, unless the position is consistent."""
    missing = POSITION_KEYS - set(position)
    assert not missing, f"position lacks {sorted(missing)}"
    assert set(position) <= POSITION_KEYS, f"unknown keys {sorted(set(position) - POSITION_KEYS)}"
    rules = position["rules"]
    _check_rules(rules)
    for key, same in (("game", "game"), ("players", "num_players"), ("rounds", "num_rounds")):
        assert position[key] == rules[same], f"{key} differs from the rules"
    seats = range(rules["num_players"])
    for key in ("hands", "face_up", "totals"):
        assert len(position[key]) == len(seats), f"{key} needs one entry a seat"
    for key in ("dealer", "to_act"):
        assert position[key] in seats, f"{key} is not a seat"
    for key in ("knocker", "went_out"):
        assert position[key] is None or position[key] in seats, f"{key} is not a seat"
    assert position["phase"] in PHASES, f"unknown phase {position['phase']!r}"
    _check_cards(position)
    _check_round(position)
    if position["phase"] == "reveal":
        _check_reveal(position)
    elif position["phase"] == "over":
        _check_over(position)
    else:
        assert position["turns"] in range(rules["max_turns"]), "the cap on turns is reached"
        _check_turn(position)


def _check_rules(rules: dict[str, Any]) -> None:
    assert set(rules) == RULE_KEYS, f"rules differ in {sorted(set(rules) ^ RULE_KEYS)}"
    assert rules["game"] == "sixes_golf", f"unknown game {rules['game']!r}"
    assert 2 <= rules["num_players"] <= 8, "2 to 8 players"
    assert rules["num_rounds"] >= 1 and rules["max_turns"] >= 1, "at least one round and turn"
    assert type(rules["practice_round"]) is bool, "practice_round is true or false"
    assert rules["reward"] in ("points", "relative", "win"), "unknown reward"


def _check_cards(position: Position) -> None:
    """Every card of the deck is in exactly one place; the discard pile is never empty."""
    for seat, (hand, ups) in enumerate(zip(position["hands"], position["face_up"], strict=True)):
        assert len(hand) == len(ups) == len(SLOTS), f"seat {seat} has six slots"
        assert {type(up) for up in ups} == {bool}, "face_up is true or false"
    assert (position["drawn"] is not None) == (position["phase"] == "drawn"), "drawn and phase"
    assert position["discard_pile"], "the discard pile is never empty"
    found = Counter(card for hand in position["hands"] for card in hand)
    found.update(position["draw_pile"] + position["discard_pile"])
    if position["drawn"] is not None:
        found[position["drawn"]] += 1
    whole = Counter(deck(position["players"]))
    wrong = sorted(card for card in found | whole if found[card] != whole[card])
    assert not wrong, f"cards missing or too many: {wrong}"


def _check_round(position: Position) -> None:
    rules, round_number = position["rules"], position["round"]
    low, high = first_round(rules), rules["num_rounds"]
    assert low <= round_number <= high, f"round {round_number} does not exist"
    counted = position["phase"] == "over" and position["last_turns"] == 0
    if round_number <= 1 and not counted:
        assert not any(position["totals"]), "nobody has points before the first counted round ends"


def _ups(position: Position) -> list[int]:
    """How many cards each seat has face up."""
    return [sum(ups) for ups in position["face_up"]]


def _closer(position: Position) -> int | None:
    """The seat that knocked or went out."""
    knocker, went_out = position["knocker"], position["went_out"]
    assert knocker is None or went_out is None, "a round is ended by one seat"
    closer: int | None = went_out if knocker is None else knocker
    assert (closer is None) == (position["last_turns"] is None), "last turns follow a knock or exit"
    assert went_out is None or all(position["face_up"][went_out]), "who went out is all face up"
    return closer


def _check_reveal(position: Position) -> None:
    """Seat by seat from the dealer on, each turns up two cards."""
    players, ups = position["players"], _ups(position)
    in_turn = [(position["dealer"] + place) % players for place in range(players)]
    place = in_turn.index(position["to_act"])
    assert all(ups[seat] == 2 for seat in in_turn[:place]), "two cards each are turned up"
    assert ups[position["to_act"]] < 2, "the seat to act has turned up its cards"
    assert not any(ups[seat] for seat in in_turn[place + 1 :]), "cards are turned up in turn"
    assert _closer(position) is None, "nobody knocks or goes out before the first turn"
    assert position["turns"] == 0 and not position["refilled"], "no turn was taken"
    assert len(position["discard_pile"]) == 1, "one card begins the discard pile"


def _check_turn(position: Position) -> None:
    ups, closer, last_turns = _ups(position), _closer(position), position["last_turns"]
    players = position["players"]
    assert min(ups) >= 2, "two cards each are turned up before the first turn"
    if closer is None:
        assert max(ups) < 6, "the sixth card face up ends the round"
        return
    assert position["phase"] != "knock", "nobody knocks in the last turns"
    assert last_turns in range(1, players), f"{last_turns} last turns"
    due = [(closer - left) % players for left in range(last_turns, 0, -1)]
    assert position["to_act"] == due[0], f"the last turn is that of seat {due[0]}"
    assert all(ups[seat] < 6 for seat in due), "the sixth card face up ended the round before"


def _check_over(position: Position) -> None:
    rules, closer = position["rules"], _closer(position)
    if position["last_turns"] == 0:
        assert position["round"] == rules["num_rounds"], "more rounds have to follow"
        assert _ups(position) == [6] * position["players"], "everything is turned up at the end"
        assert position["turns"] in range(position["players"], rules["max_turns"] + 1), "turns"
    else:
        assert position["turns"] == rules["max_turns"], "only the cap cuts a round off"
        assert closer is None or position["last_turns"] in range(1, position["players"]), "turns"


def check_reachable(position: Position) -> None:
    """Raise AssertionError unless the turns taken can have led from a deal to this position.

    Turns go round from the dealer. In a turn at most one card of its seat is turned up, at most one
    is drawn, and only a drawn card adds to the discards.
    """
    check_position(position)
    if position["phase"] in ("reveal", "over"):
        return
    players, dealer, turns = position["players"], position["dealer"], position["turns"]
    assert position["to_act"] == (dealer + turns) % players, "turns go round from the dealer"
    moved = turns + (position["phase"] == "knock")
    for seat, up in enumerate(_ups(position)):
        taken = len(range((seat - dealer) % players, moved, players))
        assert up - 2 <= taken, f"seat {seat} has turned up more than a card a turn"
    if position["last_turns"] is not None:
        assert turns >= players - position["last_turns"], "last turns follow a turn"
    drawn_before = moved + (position["phase"] == "drawn")
    if position["refilled"]:
        first_pile = len(deck(players)) - 6 * players - 1
        assert drawn_before > first_pile, "the first draw pile cannot be used up yet"
    else:
        assert len(position["discard_pile"]) - 1 <= moved, "more discards than turns"
