"""The deals that are looked at: all of a small rule set, or a fixed sample of a larger one."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from math import comb, perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.engine import Engine
from sixth_env.errors import ConfigError
from sixth_env.games import get_game
from sixth_env.games.base import Game
from sixth_env.games.rows.play import hold
from sixth_env.games.rows.rules import RowsRules
from sixth_env.lift import Kernel, compiled
from sixth_env.solver import check_game

MAX_DEALS = 1_000_000
HAND_SIZE = 5  # unless the rules say otherwise; the full ten are beyond anybody's reach


def exact_rules(game: str, **config: Any) -> tuple[Game, RowsRules]:
    """A rule set in which nothing is hidden: two players, one round, all cards dealt.

    Args:
        game: ``"sixth_card"`` or ``"six_nimmt"``.
        config: any other rules, such as ``rows``, and ``hand_size``, which is 5 if left out.

    Raises:
        ConfigError: the game has no exact solution here, or the rules say otherwise.
    """
    which = get_game(game)
    fixed = {"num_players": 2, "num_rounds": 1, "exact_deck": True, "reward": "relative"}
    for name, value in fixed.items():
        if config.get(name, value) != value:
            raise ConfigError(f"exact games have {name}={value!r}, not {config[name]!r}")
    check_game(which, which.rules(num_players=2))
    rules = which.make_rules({"hand_size": HAND_SIZE, **config, **fixed})
    check_game(which, rules)
    return which, rules


def num_deals(rules: RowsRules) -> int:
    """How many different deals there are; rows that only differ in order count once if they may."""
    cards, hand, rows = rules.deck_size, rules.hand_size, rules.rows
    orders = perm(rows) if rules.row_choice == "cheapest" else 1
    return comb(cards, hand) * comb(cards - hand, hand) * orders


def all_deals(game: Game, rules: RowsRules) -> NDArray[np.void]:
    """The first position of every deal, (N,); all are equally likely.

    The order of rows matters only where the rules decide between equally cheap ones.

    Raises:
        ConfigError: there are too many.
    """
    count = num_deals(rules)
    if count > MAX_DEALS:
        raise ConfigError(
            f"hand_size={rules.hand_size} and rows={rules.rows} have {count:,} deals, more than"
            f" {MAX_DEALS:,}: take a sample of them"
        )
    states = np.zeros(count, game.state)
    packs = np.fromiter(_packs(rules), np.dtype((np.int64, rules.deck_size)), count)
    _lift_deal(game)(states, np.array([game.rules_record(rules)]), packs)
    return states


def some_deals(game: Game, rules: RowsRules, count: int, seed: int) -> NDArray[np.void]:
    """The first positions of a sample of deals, (count,): those of games 0, 1, … of a seed."""
    if not 1 <= count <= MAX_DEALS:
        raise ConfigError(f"deals must be from 1 to {MAX_DEALS:,}, not {count}")
    config = {name: value for name, value in rules.to_dict().items() if name != "game"}
    return Engine(game.id, count, seed=seed, **config).save()


def _packs(rules: RowsRules) -> Any:
    """The cards of every deal: the first hand, the second, the rows."""
    ladder = range(rules.deck_size)
    for first in combinations(ladder, rules.hand_size):
        left = [card for card in ladder if card not in first]
        for second in combinations(left, rules.hand_size):
            rows = [card for card in left if card not in second]
            orders = permutations(rows) if rules.row_choice == "cheapest" else [rows]
            for order in orders:
                yield *first, *second, *order


@cache
def _lift_deal(game: Game) -> Kernel:
    source, clear_round, start_row = (
        game.source_hash,
        game.kernels.clear_round,
        game.kernels.start_row,
    )

    def deal(states: Any, rules: Any, packs: Any) -> None:
        """Deal the cards ``packs`` (N, cards) as they lie: first hand, second hand, rows."""
        source  # noqa: B018  # part of the cache's key
        r = rules[0]
        held = r["hand_size"]
        for n in range(states.shape[0]):
            s = states[n]
            clear_round(s)
            s["round"], s["held"] = 1, held
            for i in range(held):
                hold(s, 0, i, packs[n, i])
                hold(s, 1, i, packs[n, held + i])
            for row in range(r["rows"]):
                card = packs[n, 2 * held + row]
                start_row(s, r, row, card)
                s["seen"][card] += 1

    return compiled(deal)
