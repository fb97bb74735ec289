"""What the tests of the rows engine share: engines for a rule set, and walks through matches."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.engine import Engine
from tests.cases_rows_build import rules
from tests.slow_rows_rules import card_index

Json = dict[str, Any]
Change = Callable[[Json], Any]  # of a position or view, in place; or what to use instead

# Every number of players, decks, exact decks, and small games, for walks that look at everything.
TABLES: list[Json] = [
    *[rules(players=players) for players in (2, 4, 5, 10)],
    *[rules("six_nimmt", players) for players in (3, 10)],
    rules(players=2, decks=2),
    rules(players=3, exact_deck=True, cards=34),
    rules(players=3, decks=2, cards=8, hand_size=4, row_length=3, num_rounds=3),
    rules("six_nimmt", 4, cards=24, hand_size=3, rows=2, row_length=2, num_rounds=2),
    rules(players=4, row_choice="cheapest"),
]


def name_of(setup: Json) -> str:
    """A short name of a rule set for test ids."""
    deck = "exact" if setup["exact_deck"] else f"{setup['decks']}x{setup['cards']}"
    return f"{setup['game']}-{setup['num_players']}-{deck}-{setup['row_choice']}"


def engine_of(setup: Json, seed: int = 0, num_games: int = 1, **options: Any) -> Engine:
    """An engine for a rule set written as the ``"rules"`` of a position."""
    config = {name: value for name, value in setup.items() if name != "game"}
    return Engine(setup["game"], num_games, seed=seed, **config, **options)


def look(engine: Engine) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """Observations (B, K, D) and masks (B, K, A) of an engine's games, in fresh arrays."""
    rows = (engine.num_games, engine.seats_per_step)
    observation = np.zeros((*rows, engine.game.observation_size), np.int16)
    mask = np.zeros((*rows, engine.game.num_actions), np.int8)
    engine.observe(observation, mask, np.zeros(rows, np.int64), np.zeros(rows, np.bool_))
    return observation, mask


def same_records(a: NDArray[np.void], b: NDArray[np.void]) -> bool:
    """Whether saved games are equal in every byte that is not padding between fields."""
    names = a.dtype.names or ()
    return a.dtype == b.dtype and all(a[name].tobytes() == b[name].tobytes() for name in names)


def walk(engine: Engine, seed: int, steps: int) -> Iterator[int]:
    """Play an engine's only game at random; yields before each step and at the end of a match."""
    for step in range(steps):
        yield step
        if engine.position()["phase"] == "over":
            engine.reset()
        else:
            engine.step(engine.sample_actions(seed + step))


def positions(setup: Json, seed: int, steps: int) -> Iterator[Json]:
    """Positions of random matches, every phase among them if the rules have it."""
    engine = engine_of(setup, seed)
    for _ in walk(engine, seed, steps):
        yield engine.position()


def reshuffle_hidden(
    position: Json, player: int, rng: random.Random, kept: dict[int, Any] | None = None
) -> Json:
    """Another position that looks the same to ``player``: the cards it cannot see are dealt anew.

    ``kept`` has a card for each other seat that stays where it is.
    """
    game, seats = position["game"], range(position["players"])
    kept = kept or {}
    pool = list(position["stock"])
    for seat in seats:
        if seat != player:
            hand = list(position["hands"][seat])
            if seat in kept:
                hand.remove(kept[seat])
            pool += hand
    rng.shuffle(pool)
    hands = []
    for seat in seats:
        hand = list(position["hands"][seat])
        if seat != player:
            fixed = [kept[seat]] if seat in kept else []
            size = len(hand) - len(fixed)
            hand, pool = fixed + pool[:size], pool[size:]
        hands.append(in_order(game, hand))
    return {**position, "hands": hands, "stock": in_order(game, pool)}


def in_order(game: str, cards: list[Any]) -> list[Any]:
    """Cards along the ladder."""
    return sorted(cards, key=partial(card_index, game))


def rotate(view: Json) -> Json:
    """A view with its seats counted from its player, as ``describe`` gives it."""
    player, players = view["player"], view["players"]
    turned = dict(view)
    for field in ("hands", "piles", "totals", "played", "chosen"):
        turned[field] = view[field][player:] + view[field][:player]
    turned["dealer"] = (view["dealer"] - player) % players
    turned["revealed"] = [
        {**entry, "player": (entry["player"] - player) % players} for entry in view["revealed"]
    ]
    setup = view["rules"]
    needed = players * setup["hand_size"] + setup["rows"]
    exact = setup["decks"] == 1 and setup["cards"] == needed
    turned["rules"] = {**setup, "exact_deck": exact, "reward": "penalty"}
    turned["player"] = 0
    return turned


def example(phase: str = "row", setup: Json | None = None) -> Json:
    """A position of a random match in that phase, from its third round on."""
    for position in positions(setup or rules(players=4, num_rounds=4), seed=3, steps=300):
        full = position["round"] >= 3 and all(position["piles"]) and all(position["hands"])
        if position["phase"] == phase and (full or phase == "over"):
            return position
    raise AssertionError(f"no position in phase {phase}")


def put(*path: Any) -> Change:
    """Set a field, given by its path, to the last value."""
    *way, last, value = path

    def change(position: Json) -> None:
        place: Any = position
        for step in way:
            place = place[step]
        place[last] = value

    return change
