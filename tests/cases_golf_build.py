"""Short forms in which `cases_golf` writes its positions, actions and events."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, NotRequired, TypedDict

Event = dict[str, Any]

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
DECK = [rank + suit for rank in RANKS for suit in "CDHS"] + ["joker", "joker"]
WAIT = 22


class Step(TypedDict):
    player: int  # the seat to act
    legal: list[int]
    action: int
    gains: list[int]  # minus the points of each seat when a round ends
    events: list[Event]
    phase: str  # "reveal", "turn", "drawn", "knock", "over", or "deal" when a deal has to follow
    facts: dict[str, Any]
    truncated: bool  # cut off by the cap on turns
    rewards: NotRequired[list[float]]  # where they are not the gains
    order: NotRequired[list[str]]  # the draw pile that a refill brings, before the draw


class Case(TypedDict):
    name: str
    position: dict[str, Any]
    steps: list[Step]


def rules(players: int = 3, **changes: Any) -> dict[str, Any]:
    """The whole configuration, with the usual values unless changed."""
    return {
        "game": "sixes_golf",
        "num_players": players,
        "num_rounds": 6,
        "practice_round": False,
        "max_turns": 400,
        "reward": "points",
        **changes,
    }


def deck(rules: dict[str, Any]) -> list[str]:
    """The cards in play: one deck for up to four players, two from five on."""
    return DECK if rules["num_players"] <= 4 else DECK + DECK


def position(
    rules: dict[str, Any],
    hands: list[str],
    discards: str = "10S",
    draws: str = "",
    *,
    used_up: bool = False,
    **fields: Any,
) -> dict[str, Any]:
    """A whole position; in `hands` a face-down card stands in brackets: "5H (7C) ...".

    `discards` and `draws` name the tops of the two piles; all other cards lie under `draws`, or,
    with `used_up`, under `discards`. `fields` are dealer, to_act and whatever is not usual.
    """
    words = [hand.split() for hand in hands]
    named = [[word.strip("()") for word in hand] for hand in words]
    piles = {"draw_pile": draws.split(), "discard_pile": discards.split()}
    left = Counter(deck(rules))
    left.subtract(card for cards in [*named, *piles.values()] for card in cards)
    assert min(left.values()) >= 0, f"named too often: {[c for c in left if left[c] < 0]}"
    piles["discard_pile" if used_up else "draw_pile"] += left.elements()
    return {
        "game": "sixes_golf",
        "players": rules["num_players"],
        "round": 1,
        "rounds": rules["num_rounds"],
        "phase": "turn",
        "hands": named,
        "face_up": [[not word.startswith("(") for word in hand] for hand in words],
        **piles,
        "drawn": None,
        "knocker": None,
        "went_out": None,
        "last_turns": None,
        "refilled": False,
        "turns": 0,
        "totals": [0] * rules["num_players"],
        "rules": dict(rules),
        **fields,
    }


def random_deal(
    rules: dict[str, Any], rng: random.Random, dealer: int, round: int, totals: list[int]
) -> dict[str, Any]:
    """The first position of a round, dealt from a shuffled deck."""
    cards = list(deck(rules))
    rng.shuffle(cards)
    in_hands = 6 * rules["num_players"]
    hands = [
        " ".join(f"({card})" for card in cards[start : start + 6])
        for start in range(0, in_hands, 6)
    ]
    dealt = position(
        rules,
        hands,
        cards[in_hands],
        " ".join(cards[in_hands + 1 :]),
        phase="reveal",
        dealer=dealer,
        to_act=dealer,
    )
    return {**dealt, "round": round, "totals": list(totals)}


# --- Legal actions --------------------------------------------------------------------------------

DRAWN = list(range(13, 20))  # six slots, or the discard pile
KNOCKING = [20, 21]
DRAW, DISCARD, KNOCK, END_TURN = 12, 19, 20, 21


def turn(*face_down: int) -> list[int]:
    """What a seat with these face-down slots may do: turn one up, take the discard, or draw."""
    return [*face_down, *range(6, 13)]


def take(slot: int) -> int:
    return 6 + slot


def swap(slot: int) -> int:
    return 13 + slot


# --- Events ---------------------------------------------------------------------------------------


def turned(player: int, slot: int, card: str) -> Event:
    return {"type": "turn_up", "player": player, "slot": slot, "card": card}


def took(player: int, slot: int, card: str, replaced: str) -> Event:
    what = {"player": player, "slot": slot, "card": card, "replaced": replaced}
    return {"type": "take_discard", **what}


def swapped(player: int, slot: int, card: str, replaced: str) -> Event:
    return {**took(player, slot, card, replaced), "type": "swap_drawn"}


def drew(player: int, card: str) -> Event:
    return {"type": "draw", "player": player, "card": card}


def discarded(player: int, card: str) -> Event:
    return {"type": "discard_drawn", "player": player, "card": card}


def knocked(player: int) -> Event:
    return {"type": "knock", "player": player}


def out(player: int) -> Event:
    return {"type": "went_out", "player": player}


def round_end(hands: list[str], raw: list[int], points: list[int], totals: list[int]) -> Event:
    cards = [hand.split() for hand in hands]
    return {"type": "round_end", "hands": cards, "points": points, "raw": raw, "totals": totals}


def match_end(totals: list[int], winners: list[int]) -> Event:
    return {"type": "match_end", "totals": totals, "winners": winners}


def step(
    player: int,
    legal: list[int],
    action: int,
    events: list[Event],
    phase: str,
    facts: dict[str, Any] | None = None,
    gains: list[int] | None = None,
    players: int = 3,
    truncated: bool = False,
    rewards: list[float] | None = None,
    order: str | None = None,
) -> Step:
    result: Step = {
        "player": player,
        "legal": legal,
        "action": action,
        "gains": gains or [0] * players,
        "events": events,
        "phase": phase,
        "facts": facts or {},
        "truncated": truncated,
    }
    if rewards is not None:
        result["rewards"] = rewards
    if order is not None:
        result["order"] = order.split()
    return result
