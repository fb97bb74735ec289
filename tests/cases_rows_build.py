"""Short forms in which `cases_rows` writes its positions, actions and events."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, NotRequired, TypedDict

Card = str | int
Event = dict[str, Any]

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SIXTH_CARD_DECK: list[Card] = [rank + suit for rank in RANKS for suit in "CDHS"]
SIX_NIMMT_DECK: list[Card] = list(range(1, 105))


class Step(TypedDict):
    actions: list[int]
    points: list[int]
    rows: list[list[Card]]
    events: list[Event]
    phase: str  # "card", "row", "over", or "deal" when another round has to be dealt
    rewards: NotRequired[list[float]]


class Case(TypedDict):
    name: str
    position: dict[str, Any]
    steps: list[Step]


def rules(game: str = "sixth_card", players: int = 4, **changes: Any) -> dict[str, Any]:
    """The whole configuration, with the rules texts' values unless changed."""
    two_decks = game == "sixth_card" and players > 4
    return {
        "game": game,
        "num_players": players,
        "decks": 2 if two_decks else 1,
        "cards": 104 if game == "six_nimmt" else 52,
        "exact_deck": False,
        "target_score": 66,
        "num_rounds": None,
        "row_choice": "player",
        "reward": "penalty",
        "hand_size": 10,
        "rows": 4,
        "row_length": 5,
        **changes,
    }


def cards(text: str) -> list[Card]:
    """ "9S 10C" or "12 24" as a list."""
    return [int(word) if word.isdigit() else word for word in text.split()]


def lists(texts: list[str]) -> list[list[Card]]:
    return [cards(text) for text in texts]


def deck(rules: dict[str, Any]) -> list[Card]:
    """The cards in play, ascending."""
    ladder = SIX_NIMMT_DECK if rules["game"] == "six_nimmt" else SIXTH_CARD_DECK
    return [card for card in ladder[: rules["cards"]] for _ in range(rules["decks"])]


def position(
    rules: dict[str, Any],
    rows: list[str],
    hands: list[str],
    piles: list[str] | None = None,
    dealer: int = 0,
    round: int = 1,
    totals: list[int] | None = None,
) -> dict[str, Any]:
    """A whole position in phase "card": the named cards, with the lowest others filled in.

    Rows start with the dealt cards; the rest of the table was played, so its size gives the turn.
    """
    players, size, order = rules["num_players"], rules["hand_size"], deck(rules)
    table, taken = lists(rows), lists(piles or [""] * players)
    named = lists(hands)
    laid = [card for row in table for card in row[1:]] + [card for pile in taken for card in pile]
    turn, odd = divmod(len(laid), players)
    assert not odd, f"{len(laid)} cards cannot have been played by {players} players"
    played = [laid[seat * turn : (seat + 1) * turn] for seat in range(players)]
    left = Counter(order) - Counter(card for place in [*table, *taken, *named] for card in place)
    stock = sorted(left.elements(), key=order.index)
    for hand in named:
        missing = size - turn - len(hand)
        hand += stock[:missing]
        del stock[:missing]
    return {
        "game": rules["game"],
        "players": players,
        "decks": rules["decks"],
        "dealer": dealer,
        "round": round,
        "turn": turn + 1,
        "phase": "card",
        "hands": [sorted(hand, key=order.index) for hand in named],
        "rows": table,
        "piles": [sorted(pile, key=order.index) for pile in taken],
        "totals": totals or [0] * players,
        "revealed": [],
        "played": played,
        "chosen": [None] * players,
        "stock": stock,
        "rules": dict(rules),
    }


def random_deal(
    rules: dict[str, Any], rng: random.Random, dealer: int, round: int, totals: list[int]
) -> dict[str, Any]:
    """The first position of a round, dealt from a shuffled deck."""
    words = [str(card) for card in deck(rules)]
    rng.shuffle(words)
    size, in_hands = rules["hand_size"], rules["num_players"] * rules["hand_size"]
    hands = [" ".join(words[start : start + size]) for start in range(0, in_hands, size)]
    rows = words[in_hands : in_hands + rules["rows"]]
    return position(rules, rows, hands, dealer=dealer, round=round, totals=totals)


def play(text: str) -> list[int]:
    """Action numbers of "JS KC" or "68 41": one card for each seat."""
    return [
        card - 1 if isinstance(card, int) else SIXTH_CARD_DECK.index(card) for card in cards(text)
    ]


def choose(player: int, row: int, players: int, game: str = "sixth_card") -> list[int]:
    """Action numbers of a step in which one seat takes or chooses a row and the others wait."""
    first_row, wait = (104, 108) if game == "six_nimmt" else (52, 56)
    return [first_row + row if seat == player else wait for seat in range(players)]


def reveal(turn: int, text: str) -> Event:
    """ "2:AH 3:7S": seats and cards in placing order."""
    pairs = [word.split(":") for word in text.split()]
    shown = [{"player": int(seat), "card": cards(card)[0]} for seat, card in pairs]
    return {"type": "reveal", "turn": turn, "cards": shown}


def ask(player: int, card: Card, rows: list[int]) -> Event:
    return {"type": "row_decision", "player": player, "card": card, "rows": rows}


def take(player: int, row: int, text: str, points: int) -> Event:
    return {"type": "take", "player": player, "row": row, "cards": cards(text), "points": points}


def place(player: int, card: Card, row: int) -> Event:
    return {"type": "place", "player": player, "card": card, "row": row}


def round_end(round: int, points: list[int], totals: list[int]) -> Event:
    return {"type": "round_end", "round": round, "points": points, "totals": totals}


def match_end(totals: list[int], winners: list[int]) -> Event:
    return {"type": "match_end", "totals": totals, "winners": winners}


def step(
    actions: list[int],
    points: list[int],
    rows: list[str],
    events: list[Event],
    phase: str = "card",
    rewards: list[float] | None = None,
) -> Step:
    result: Step = {
        "actions": actions,
        "points": points,
        "rows": lists(rows),
        "events": events,
        "phase": phase,
    }
    if rewards is not None:
        result["rewards"] = rewards
    return result
