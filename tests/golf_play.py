"""What the tests of the golf game share: engines, walks through matches, and hidden cards."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from sixth_env.engine import Engine
from tests.cases_golf_build import rules
from tests.slow_golf_check import DISCARD, DRAW, KNOCK, TAKE, in_order

Json = dict[str, Any]

# Every number of players, short and long matches, for walks that look at everything.
TABLES: list[Json] = [
    *[rules(players, max_turns=240) for players in range(2, 9)],
    rules(3, num_rounds=2, practice_round=True, max_turns=12),
    rules(2, num_rounds=1, max_turns=3),
]


def name_of(setup: Json) -> str:
    """A short name of a rule set for test ids."""
    practice = "-practice" if setup["practice_round"] else ""
    return f"{setup['num_players']}-rounds{setup['num_rounds']}-cap{setup['max_turns']}{practice}"


def engine_of(setup: Json, seed: int = 0, num_games: int = 1, **options: Any) -> Engine:
    """An engine for a rule set written as the ``"rules"`` of a position."""
    config = {name: value for name, value in setup.items() if name != "game"}
    return Engine("sixes_golf", num_games, seed=seed, **config, **options)


def engine_at(position: Json, seed: int = 0) -> Engine:
    """An engine that stands at a position."""
    engine = engine_of(position["rules"], seed)
    engine.set_position(position)
    return engine


# How much more often an action is taken than at random, so that every part of the game is reached:
# rounds that end at once, by a knock or without, and rounds in which the draw pile is used up.
STYLES: list[dict[str, float]] = [
    {},
    {"knock": 0.1},
    {"knock": 0, "turn_up": 3},
    {"knock": 0, "turn_up": 0.05, "draw": 20, "discard": 20},
    {"knock": 0, "turn_up": 0, "draw": 40, "discard": 40},
]


def choose(legal: list[int], phase: str, style: dict[str, float], rng: random.Random) -> int:
    """One of the legal actions."""
    kinds = {DRAW: "draw", DISCARD: "discard", KNOCK: "knock"}
    weights = []
    for action in legal:
        kind = "turn_up" if action < TAKE and phase == "turn" else kinds.get(action, "")
        weights.append(style.get(kind, 1))
    return rng.choices(legal, weights)[0]


def walk(
    setup: Json, seed: int, steps: int, style: int | None = None
) -> Iterator[tuple[Engine, Json]]:
    """An engine that plays matches at random, at every step, with its position."""
    engine, rng, log = engine_of(setup, seed), random.Random(seed), None
    for step in range(steps):
        position = engine.position()
        yield engine, position
        if position["phase"] == "over":
            engine.reset()
            continue
        chosen = STYLES[(seed + position["round"]) % len(STYLES) if style is None else style]
        legal = engine.legal_actions(0, position["to_act"])
        engine.step([[choose(legal, position["phase"], chosen, rng)]], log=log)
        assert step < steps


def positions(setup: Json, seed: int, steps: int, style: int | None = None) -> Iterator[Json]:
    """Positions of random matches."""
    for _, position in walk(setup, seed, steps, style):
        yield position


def position_in(phase: str, refilled: bool = False, players: int = 3) -> Json:
    """A position of a random match in a phase, with face-down cards left."""
    style = 4 if refilled else 1
    for position in positions(rules(players, num_rounds=2), seed=1, steps=4000, style=style):
        if position["phase"] == phase and position["refilled"] == refilled:
            return position
    raise AssertionError(f"no position in phase {phase}")


def hidden_places(position: Json, player: int) -> list[tuple[str, int, int]]:
    """Where the cards lie that a seat does not see: (field, seat or place, slot)."""
    places = [("draw_pile", place, 0) for place in range(len(position["draw_pile"]))]
    if position["drawn"] is not None and player != position["to_act"]:
        places.append(("drawn", 0, 0))
    return places + face_down(position)


def face_down(position: Json) -> list[tuple[str, int, int]]:
    return [
        ("hands", seat, slot)
        for seat, ups in enumerate(position["face_up"])
        for slot, up in enumerate(ups)
        if not up
    ]


def reshuffle_hidden(position: Json, player: int, rng: random.Random) -> Json:
    """Another position that looks the same to ``player``: what it cannot see is dealt anew.

    Once the draw pile was made from the discards, its cards stay apart from those face down.
    """
    after: Json = {
        **position,
        "hands": [list(hand) for hand in position["hands"]],
        "draw_pile": list(position["draw_pile"]),
    }
    down = face_down(position)
    pile = [place for place in hidden_places(position, player) if place not in down]
    for places in [down, pile] if position["refilled"] else [down + pile]:
        cards = [card_at(position, *place) for place in places]
        rng.shuffle(cards)
        for place, card in zip(places, cards, strict=True):
            put_at(after, card, *place)
    return after


def card_at(position: Json, field: str, seat: int, slot: int) -> str:
    card: str = position["drawn"]
    if field == "hands":
        card = position["hands"][seat][slot]
    elif field == "draw_pile":
        card = position["draw_pile"][seat]
    return card


def put_at(position: Json, card: str, field: str, seat: int, slot: int) -> None:
    if field == "hands":
        position["hands"][seat][slot] = card
    elif field == "draw_pile":
        position["draw_pile"][seat] = card
    else:
        position["drawn"] = card


def rotate(view: Json) -> Json:
    """A view with its seats counted from its player and its lower discards in order, as
    ``describe`` gives it."""
    player, players = view["player"], view["players"]
    turned = dict(view)
    for field in ("hands", "face_up", "totals"):
        turned[field] = view[field][player:] + view[field][:player]
    for field in ("dealer", "to_act", "knocker", "went_out"):
        seat = view[field]
        turned[field] = None if seat is None else (seat - player) % players
    top, *lower = view["discard_pile"]
    turned["discard_pile"] = [top, *in_order(lower)[::-1]]
    turned["rules"] = {**view["rules"], "reward": "points"}
    turned["player"] = 0
    return turned


def without_extras(events: list[Json]) -> list[Json]:
    """Events as the slow rules tell them: without deals, cut-offs, and which round has ended."""
    return [
        {name: value for name, value in event.items() if name != "round"}
        for event in events
        if event["type"] not in ("deal", "cut_off")
    ]
