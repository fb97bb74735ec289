"""Exploitability: of perfect play none, of others what a walked tree says, merged or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sixth_env import GAMES, load_opponent
from sixth_env.errors import ConfigError, OpponentError
from sixth_env.exact import (
    all_deals,
    exact_rules,
    exploitability,
    num_deals,
    solve_deals,
    some_deals,
    tree,
)
from sixth_env.exact.measure import player_of
from sixth_env.exact.tree import BEST, Player, Tree
from sixth_env.opponents import ExactOpponent
from tests.exact_games import brute_force, small_engine

RULES: dict[str, Any] = {"hand_size": 3, "rows": 2, "row_length": 2}
BUILT_IN = ("random", "closest", "cautious", "mc:20")


class Unwilling:
    """Plays another opponent's probabilities, but decides by history for all anybody knows."""

    name = "unwilling"

    def __init__(self, other: Any) -> None:
        self.act = other.act
        if hasattr(other, "policy"):
            self.policy = other.policy


# --- Deals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "count"),
    [
        ({"hand_size": 2, "rows": 1}, 30),  # 5! / (2! 2! 1!)
        ({"hand_size": 2, "rows": 2}, 90),
        ({"hand_size": 2, "rows": 2, "row_choice": "cheapest"}, 180),
    ],
)
def test_all_deals(config: dict[str, Any], count: int) -> None:
    game, rules = exact_rules("sixth_card", **config)
    deals = all_deals(game, rules)
    assert len(deals) == count == num_deals(rules)
    game.check_records(rules, deals)
    tables = {str(game.notation.position(rules, deal)) for deal in deals}
    assert len(tables) == count
    values = solve_deals("sixth_card", deals=None, **config).value
    assert values.mean() == pytest.approx(0, abs=1e-9)  # seats are alike
    assert values.std() > 0.1


def test_a_sample_is_that_of_its_seed() -> None:
    game, rules = exact_rules("sixth_card", hand_size=4)
    one, two = some_deals(game, rules, 8, seed=3), some_deals(game, rules, 3, seed=3)
    assert one[:3].tobytes() == two.tobytes()
    assert one.tobytes() != some_deals(game, rules, 8, seed=4).tobytes()
    with pytest.raises(ConfigError, match="more than 1,000,000: take a sample"):
        all_deals(*exact_rules("sixth_card", hand_size=6))
    with pytest.raises(ConfigError, match="deals must be from 1"):
        some_deals(game, rules, 0, seed=1)


# --- Exploitability ------------------------------------------------------------------------------


def test_perfect_play_cannot_be_exploited() -> None:
    for config in (RULES, {**RULES, "row_choice": "cheapest"}, {"hand_size": 4, "rows": 3}):
        found = exploitability(load_opponent("exact"), deals=6, against_exact=True, **config)
        assert found.loss is not None
        assert found.exploitability.value == pytest.approx(0, abs=1e-9)
        assert found.loss.value == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", BUILT_IN)
def test_others_can_by_more_than_they_lose_to_perfect_play(name: str) -> None:
    found = exploitability(load_opponent(name), deals=10, against_exact=True, **RULES)
    assert found.exact is not None and found.loss is not None
    assert (found.best.sum(axis=1) >= found.exact.sum(axis=1) - 1e-9).all()
    assert found.exploitability.value >= found.loss.value > 0
    assert found.exploitability.low > 0
    assert found.nash_conv.value == pytest.approx(2 * found.exploitability.value)
    assert found.to_dict()["deals"] == 10


def test_every_deal_leaves_no_doubt() -> None:
    found = exploitability(load_opponent("random"), deals=None, hand_size=2, rows=1)
    assert found.deals == 30 and found.seed is None
    assert found.exploitability.low == found.exploitability.value == found.exploitability.high
    assert found.loss is None


def test_a_walked_tree_says_the_same() -> None:
    """Against random play a best response takes, card by card, the best mean over the other's."""
    engine = small_engine("sixth_card", RULES, seed=1)
    _, rules = exact_rules("sixth_card", **RULES)
    random = player_of(load_opponent("random"), engine.game)
    uniform = brute_force(engine, lambda payoff: float(payoff.mean(axis=1).max()))
    assert exploitability(load_opponent("random"), deals=1, **RULES).best[0, 0] == pytest.approx(
        uniform, abs=1e-9
    )
    found = Tree(engine.game, rules, BEST, random).values(engine.states)
    assert found[0] == pytest.approx(uniform, abs=1e-9)
    uniform = brute_force(engine, lambda payoff: float(payoff.mean(axis=0).min()))
    found = Tree(engine.game, rules, random, BEST).values(engine.states)
    assert found[0] == pytest.approx(uniform, abs=1e-9)
    uniform = brute_force(engine, lambda payoff: float(payoff.mean()))
    found = Tree(engine.game, rules, random, random).values(engine.states)
    assert found[0] == pytest.approx(uniform, abs=1e-9)


@pytest.mark.parametrize("name", [*BUILT_IN, "exact"])
def test_merging_positions_changes_nothing(name: str) -> None:
    opponent = load_opponent(name)
    merged = exploitability(opponent, deals=4, against_exact=True, **RULES)
    apart = exploitability(Unwilling(opponent), deals=4, against_exact=True, **RULES)
    np.testing.assert_allclose(merged.best, apart.best, atol=1e-9)
    assert merged.exact is not None and apart.exact is not None
    np.testing.assert_allclose(merged.exact, apart.exact, atol=1e-9)
    assert name == "random" or merged.positions < apart.positions


def test_levels_are_worked_off_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = exploitability(load_opponent("cautious"), deals=4, **RULES)
    monkeypatch.setattr(tree, "MAX_SUCCESSORS", 5)
    parts = exploitability(load_opponent("cautious"), deals=4, **RULES)
    np.testing.assert_allclose(whole.best, parts.best, atol=1e-9)
    assert parts.positions > whole.positions
    monkeypatch.setattr(tree, "MAX_POSITIONS", 50)
    with pytest.raises(ConfigError, match="more than 50 positions"):
        exploitability(load_opponent("cautious"), deals=4, **RULES)


def test_more_samples_come_closer_to_the_true_search() -> None:
    one = exploitability(load_opponent("mc:2"), deals=10, **RULES)
    many = exploitability(load_opponent("mc:2"), deals=10, samples=16, **RULES)
    assert many.exploitability.value < one.exploitability.value


def test_greedy_agents_are_taken_at_their_best_action() -> None:
    lowest = load_opponent("lowest")

    class Greedy:
        name, greedy = "greedy", True
        act = staticmethod(lowest.act)
        policy = staticmethod(load_opponent("random").policy)  # type: ignore[attr-defined]

    found = exploitability(Greedy(), deals=4, **RULES)
    np.testing.assert_allclose(found.best, exploitability(lowest, deals=4, **RULES).best)


# --- Bad input -----------------------------------------------------------------------------------


def test_what_is_refused() -> None:
    class Wrong:
        name = "wrong"
        act = staticmethod(load_opponent("random").act)

        @staticmethod
        def policy(observation: Any, mask: Any) -> Any:
            return np.full(mask.shape, 1 / mask.shape[1])

    with pytest.raises(OpponentError, match="the policy of wrong gave no probabilities"):
        exploitability(Wrong(), deals=1, **RULES)
    with pytest.raises(ConfigError, match="samples must be from 1"):
        exploitability(load_opponent("mc:2"), deals=1, samples=0, **RULES)
    with pytest.raises(ConfigError, match="use the solver"):
        Tree(*exact_rules("sixth_card"), BEST, BEST)
    with pytest.raises(OpponentError, match="up to 2 cards a hand, not 3"):
        exploitability(ExactOpponent(GAMES["sixth_card"], max_cards=2), deals=1, **RULES)
    assert Player(None) != BEST
