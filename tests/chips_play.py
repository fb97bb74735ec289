"""What the tests of the chip game share: engines, walks through matches, and hidden cards."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from sixth_env.engine import Engine
from tests.cases_chips_build import rules
from tests.slow_chips_check import DECK, START, cards_in, in_order, playable_cards

Json = dict[str, Any]

# Every number of players, short and long matches, for walks that look at everything.
TABLES: list[Json] = [
    *[rules(players) for players in range(2, 9)],
    rules(3, starting_chips=2, max_rounds=3),
    rules(5, num_rounds=2),
]


def name_of(setup: Json) -> str:
    """A short name of a rule set for test ids."""
    return f"{setup['num_players']}-chips{setup['starting_chips']}-rounds{setup['num_rounds']}"


def engine_of(setup: Json, seed: int = 0, num_games: int = 1, **options: Any) -> Engine:
    """An engine for a rule set written as the ``"rules"`` of a position."""
    config = {name: value for name, value in setup.items() if name != "game"}
    return Engine("sixes_chips", num_games, seed=seed, **config, **options)


def walk(engine: Engine, seed: int, steps: int) -> Iterator[int]:
    """Play an engine's only game at random; yields before each step and at the end of a match."""
    for step in range(steps):
        yield step
        if engine.position()["phase"] == "over":
            engine.reset()
        else:
            engine.step(engine.sample_actions(seed + step))


def positions(setup: Json, seed: int, steps: int) -> Iterator[Json]:
    """Positions of random matches."""
    engine = engine_of(setup, seed)
    for _ in walk(engine, seed, steps):
        yield engine.position()


def position_with_passes(setup: Json, hidden: int, seed: int = 0) -> tuple[Json, int]:
    """A position and a seat from which ``hidden`` cards are unseen, some lacked by others."""
    for position in positions(setup, seed, 20000):
        for seat in range(position["players"]):
            unseen = sum(map(len, position["hands"])) - len(position["hands"][seat])
            lacked = {
                card
                for other, cards in enumerate(position["lacks"])
                if other != seat
                for card in cards
                if card in playable_cards(position["columns"])
                and card not in position["hands"][seat]
            }
            if unseen == hidden and len(lacked) >= 2:
                return position, seat
    raise AssertionError(f"no such position with {hidden} hidden cards")


def hidden_from(position: Json, player: int) -> list[str]:
    """The cards that a seat does not see."""
    seen = {*cards_in(position["columns"]), *position["hands"][player]}
    return [card for card in DECK if card not in seen]


def may_hold(position: Json, seat: int, card: str) -> bool:
    """Whether public knowledge leaves a card to a seat."""
    if card == START:
        return bool(seat == position["starter"])
    return card not in position["lacks"][seat]


def reshuffle_hidden(
    position: Json, player: int, rng: random.Random, kept: tuple[int, str] | None = None
) -> Json:
    """Another position that looks the same to ``player``: the cards it cannot see are dealt anew.

    ``kept`` is a seat and a card that stays there.
    """
    sizes = [len(hand) for hand in position["hands"]]
    while True:
        hands: list[list[str]] = [[] for _ in sizes]
        hands[player] = list(position["hands"][player])
        unseen = hidden_from(position, player)
        if kept is not None:
            hands[kept[0]].append(kept[1])
            unseen.remove(kept[1])
        rng.shuffle(unseen)
        # Few holders first, or the last cards would seldom find one.
        unseen.sort(
            key=lambda card: sum(may_hold(position, seat, card) for seat in range(len(sizes)))
        )
        for card in unseen:
            free = [
                seat
                for seat, hand in enumerate(hands)
                if seat != player and len(hand) < sizes[seat] and may_hold(position, seat, card)
            ]
            if not free:
                break
            hands[rng.choice(free)].append(card)
        else:
            return {**position, "hands": [in_order(hand) for hand in hands]}


def rotate(view: Json) -> Json:
    """A view with its seats counted from its player, as ``describe`` gives it."""
    player, players = view["player"], view["players"]
    turned = dict(view)
    for field in ("hands", "chips", "lacks"):
        turned[field] = view[field][player:] + view[field][:player]
    for field in ("dealer", "to_act", "starter"):
        turned[field] = (view[field] - player) % players
    turned["rules"] = {**view["rules"], "reward": "chips"}
    turned["player"] = 0
    return turned
