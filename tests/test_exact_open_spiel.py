"""Exact play in OpenSpiel: the same values and exploitabilities by other people's algorithms."""

from __future__ import annotations

from typing import Any

import pytest

from sixth_env import load_opponent
from sixth_env.exact import exploitability, solve
from sixth_env.opponents import Opponent

pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python.algorithms import expected_game_score
from open_spiel.python.algorithms import exploitability as spiel_exploitability

from sixth_env.adapters.open_spiel import OpponentPolicy, native_game, tabulate

RULES: dict[str, Any] = {"hand_size": 2, "rows": 1, "row_length": 2}
NAME = "python_sixth_card_sequential(hand_size=2,rows=1,row_length=2,exact_deck=True)"


@pytest.fixture(scope="module")
def game() -> Any:
    return pyspiel.load_game(NAME)


def cfr_table(game: Any, iterations: int) -> Opponent:
    """What a few iterations of CFR+ have learned."""
    native = native_game(game)
    solver = pyspiel.CFRPlusSolver(native.game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return tabulate(game, native.policy(solver.tabular_average_policy()), name="cfr")


@pytest.mark.parametrize("name", ["exact", "random", "cautious"])
def test_exploitability_is_that_of_openspiel(game: Any, name: str) -> None:
    opponent = load_opponent(name)
    theirs = spiel_exploitability.nash_conv(game, OpponentPolicy(game, opponent))
    ours = exploitability(opponent, deals=None, **RULES).nash_conv.value
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert (ours == pytest.approx(0, abs=1e-9)) == (name == "exact")


def test_a_learner_lies_between(game: Any) -> None:
    table = cfr_table(game, 3)
    found = exploitability(table, deals=None, against_exact=True, **RULES)
    assert found.loss is not None
    random = exploitability(load_opponent("random"), deals=None, **RULES).exploitability.value
    assert 1e-6 < found.exploitability.value < random / 2
    assert found.loss.value <= found.exploitability.value
    theirs = spiel_exploitability.nash_conv(game, OpponentPolicy(game, table))
    assert found.nash_conv.value == pytest.approx(theirs, abs=1e-6)  # its table is in float32


def test_perfect_play_brings_about_the_value_of_each_deal(game: Any) -> None:
    policy = OpponentPolicy(game, load_opponent("exact"))
    values = set()
    for choice in range(4):
        state = game.new_initial_state()
        while state.is_chance_node():
            actions = state.legal_actions()
            state.apply_action(actions[choice % len(actions)])
        tree = state.node.tree
        position = tree.game.notation.position(tree.rules, state.node.scene.states[0])
        value = solve(position).value
        theirs = expected_game_score.policy_value(state, [policy, policy])
        assert theirs == pytest.approx([value, -value], abs=1e-9)
        values.add(value)
    assert len(values) > 1
