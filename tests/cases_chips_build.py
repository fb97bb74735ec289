"""Short forms in which `cases_chips` writes its positions, actions and events."""

from __future__ import annotations

import random
from typing import Any, NotRequired, TypedDict

Event = dict[str, Any]

SUITS = "CDHS"
RANKS = ("A", "2", "3", "4", "5", "6", "7", "J", "Q", "K")
DECK = [rank + suit for suit in SUITS for rank in RANKS]
PASS, WAIT = 40, 41


class Step(TypedDict):
    player: int  # the seat to act
    legal: list[int]
    action: int
    gains: list[int]  # chips won by each seat
    events: list[Event]
    phase: str  # "play", "over", or "deal" when another round has to be dealt
    facts: dict[str, Any]
    truncated: bool  # cut off by the cap on rounds
    rewards: NotRequired[list[float]]  # where they are not the gains


class Case(TypedDict):
    name: str
    position: dict[str, Any]
    steps: list[Step]


def rules(players: int = 5, **changes: Any) -> dict[str, Any]:
    """The whole configuration, with the usual values unless changed."""
    return {
        "game": "sixes_chips",
        "num_players": players,
        "starting_chips": 10,
        "num_rounds": None,
        "max_rounds": 100,
        "reward": "chips",
        **changes,
    }


def columns(text: str) -> dict[str, Any]:
    """ "C:6-K D:A-6" as the columns of a position; suits that are not named have none."""
    found: dict[str, Any] = dict.fromkeys(SUITS)
    for word in text.split():
        suit, ends = word.split(":")
        low, high = ends.split("-")
        found[suit] = {"low": low + suit, "high": high + suit}
    return found


def position(
    rules: dict[str, Any],
    hands: list[str],
    laid: str = "",
    lacks: list[str] | None = None,
    chips: list[int] | None = None,
    pot: int = 0,
    *,
    dealer: int,
    starter: int,
    to_act: int,
    round: int = 1,
) -> dict[str, Any]:
    """A whole position in phase "play"; by default one in which nobody has passed yet."""
    players = rules["num_players"]
    return {
        "game": "sixes_chips",
        "players": players,
        "dealer": dealer,
        "round": round,
        "phase": "play",
        "to_act": to_act,
        "starter": starter,
        "hands": [hand.split() for hand in hands],
        "columns": columns(laid),
        "chips": chips or [rules["starting_chips"]] * players,
        "pot": pot,
        "lacks": [cards.split() for cards in lacks or [""] * players],
        "rules": dict(rules),
    }


def random_deal(
    rules: dict[str, Any], rng: random.Random, dealer: int, round: int, chips: list[int]
) -> dict[str, Any]:
    """The first position of a round, dealt from a shuffled deck, clockwise from the dealer."""
    players, cards = rules["num_players"], list(DECK)
    rng.shuffle(cards)
    hands: list[list[str]] = [[] for _ in range(players)]
    for number, card in enumerate(cards):
        hands[(dealer + 1 + number) % players].append(card)
    starter = next(seat for seat, hand in enumerate(hands) if "6D" in hand)
    texts = [" ".join(sorted(hand, key=DECK.index)) for hand in hands]
    return position(
        rules, texts, chips=chips, dealer=dealer, starter=starter, to_act=starter, round=round
    )


def actions(text: str) -> list[int]:
    """Action numbers of "5D 7D" or "pass"."""
    return [PASS if word == "pass" else DECK.index(word) for word in text.split()]


def step(
    player: int,
    legal: str,
    does: str,
    players: int = 5,
    won: int = 0,
    paid: int = 1,
    ends: list[Event] | None = None,
    phase: str = "play",
    facts: dict[str, Any] | None = None,
    rewards: list[float] | None = None,
    truncated: bool = False,
) -> Step:
    """A step of one seat: it plays a card or passes, and wins so many chips with it."""
    gains = [0] * players
    gains[player] = won
    what = {"type": "play", "player": player, "card": does}
    if does == "pass":
        what = {"type": "pass", "player": player, "paid": paid}
    result: Step = {
        "player": player,
        "legal": actions(legal),
        "action": actions(does)[0],
        "gains": gains,
        "events": [what, *(ends or [])],
        "phase": phase,
        "facts": facts or {},
        "truncated": truncated,
    }
    if rewards is not None:
        result["rewards"] = rewards
    return result


def round_end(winner: int, pot: int, chips: list[int]) -> Event:
    return {"type": "round_end", "winner": winner, "pot": pot, "chips": chips}


def match_end(chips: list[int], winners: list[int]) -> Event:
    return {"type": "match_end", "chips": chips, "winners": winners}
