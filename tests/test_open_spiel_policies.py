"""OpenSpiel's algorithms on small rule sets, its policies at our tables, our opponents in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env import load_opponent
from sixth_env.errors import ConfigError, OpponentError
from sixth_env.match import play_field
from sixth_env.opponents.custom import resolve_opponent

pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python import policy as spiel_policy
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, ismcts, mcts

from sixth_env.adapters.open_spiel import (
    NativeGame,
    OpponentBot,
    OpponentPolicy,
    native_game,
    tabulate,
)
from sixth_env.adapters.policy_table import PolicyTable, load

SMALL = "python_sixth_card_sequential(hand_size=2,rows=1,cards=6)"
AT_ONCE = "python_sixth_card(hand_size=2,rows=1,cards=6)"
TWO_ROWS = "python_sixth_card_sequential(hand_size=2,rows=2,row_length=2,cards=6)"
RULES: dict[str, Any] = {"num_rounds": 1, "hand_size": 2, "rows": 2, "row_length": 2, "cards": 6}


@pytest.fixture(scope="module")
def native() -> NativeGame:
    return native_game(pyspiel.load_game(TWO_ROWS))


@pytest.fixture(scope="module")
def table(native: NativeGame) -> PolicyTable:
    """What a minute of CFR+ finds, near enough to an equilibrium."""
    solver = pyspiel.CFRPlusSolver(native.game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    found = native.policy(solver.tabular_average_policy())
    return tabulate(pyspiel.load_game(TWO_ROWS), found, name="cfr")


# --- Its algorithms ------------------------------------------------------------------------------


def test_all_forms_of_a_game_are_equally_exploitable() -> None:
    """One by one and at once, in Python and C++, turned by the library, and as a native game."""
    one_by_one, at_once = pyspiel.load_game(SMALL), pyspiel.load_game(AT_ONCE)
    native = native_game(one_by_one).game
    python = [
        exploitability.nash_conv(game, spiel_policy.UniformRandomPolicy(game)) / 2
        for game in (one_by_one, at_once)
    ]
    turned = pyspiel.convert_to_turn_based(at_once)
    in_c = [
        pyspiel.exploitability(game, pyspiel.UniformRandomPolicy(game))
        for game in (one_by_one, turned, native)
    ]
    assert python + in_c == pytest.approx([8 / 15] * 5)


def test_counterfactual_regret_minimisation_comes_near_an_equilibrium() -> None:
    game = pyspiel.load_game(SMALL)
    found = {}
    for name, solver in (("python", cfr.CFRSolver(game)), ("c++", pyspiel.CFRSolver(game))):
        for _ in range(10):
            solver.evaluate_and_update_policy()
        found[name] = pyspiel.exploitability(game, _in_c(solver.average_policy()))
    assert found["python"] == pytest.approx(found["c++"])
    assert found["c++"] < 0.1


def _in_c(policy: Any) -> Any:
    if isinstance(policy, spiel_policy.TabularPolicy):
        return spiel_policy.python_policy_to_pyspiel_policy(policy)
    return policy


def test_a_native_game_is_solved_alike(native: NativeGame) -> None:
    game = pyspiel.load_game(TWO_ROWS)
    solvers = [pyspiel.CFRPlusSolver(game), pyspiel.CFRPlusSolver(native.game)]
    for solver in solvers:
        for _ in range(3):
            solver.evaluate_and_update_policy()
    here = solvers[0].tabular_average_policy().policy_table()
    there = native.policy(solvers[1].tabular_average_policy())
    assert here.keys() == there.keys()
    for name, chances in here.items():
        assert dict(there[name]) == pytest.approx(dict(chances))


def test_sampling_solvers_run() -> None:
    game = pyspiel.load_game(SMALL)
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, 3)
    for _ in range(100):
        solver.run_iteration()
    assert pyspiel.exploitability(game, solver.average_policy()) < 0.5


def searching(game: Any) -> Any:
    draws = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, draws)
    return ismcts.ISMCTSBot(game, evaluator, uct_c=2.0, max_simulations=30, random_state=draws)


def test_information_set_search_samples_its_worlds_from_the_state() -> None:
    """As it does unless told otherwise; a world that the player could tell apart, it refuses."""
    for name in ("python_sixes_golf(players=2)", "python_six_nimmt_sequential(players=3)"):
        game = pyspiel.load_game(name)
        state, rng = game.new_initial_state(), np.random.default_rng(3)
        for _ in range(60):
            if state.is_terminal():
                break
            searches = not state.is_chance_node() and rng.random() < 0.2
            action = searching(game).step(state) if searches else rng.choice(state.legal_actions())
            assert action in state.legal_actions()
            state.apply_action(int(action))


def test_information_set_search_beats_random() -> None:
    """With worlds from a callback."""
    game = pyspiel.load_game("python_sixth_card_sequential(hand_size=3,rows=2,cards=8)")
    bot, rng = searching(game), np.random.default_rng(1)
    bot.set_resampler(lambda state, player: state.resample(player, int(rng.integers(2**63))))
    gains = []
    for number in range(24):
        state, own = game.new_initial_state(), number % 2
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                action = rng.choice(outcomes, p=chances)
            elif state.current_player() == own:
                action = bot.step(state)
            else:
                action = rng.choice(state.legal_actions())
            state.apply_action(int(action))
        gains.append(state.returns()[own])
    assert np.mean(gains) > 0.5


@pytest.mark.parametrize("name", ["python_sixth_card(players=3)", "python_sixes_golf(players=2)"])
def test_the_environment_for_learners_runs(name: str) -> None:
    """Every action legal, every number finite, rewards adding up to the returns."""
    env = rl_environment.Environment(pyspiel.load_game(name), enable_legality_check=True)
    env.seed(1)
    rng = np.random.default_rng(1)
    for _ in range(3):
        time_step, total = env.reset(), np.zeros(env.num_players)
        while not time_step.last():
            legal = time_step.observations["legal_actions"]
            current = time_step.observations["current_player"]
            acting = [current] if env.is_turn_based else range(env.num_players)
            time_step = env.step([int(rng.choice(legal[player])) for player in acting])
            total += time_step.rewards
            assert np.isfinite(time_step.observations["info_state"]).all()
        assert total.tolist() == pytest.approx(env.get_state.returns())


# --- Its policies at our tables ------------------------------------------------------------------


def test_a_tabular_policy_plays_a_match_as_well_as_openspiel_says(table: PolicyTable) -> None:
    """The mean that OpenSpiel computes over all deals lies within the match's interval."""
    game = pyspiel.load_game(TWO_ROWS)
    random = load_opponent("random")
    policies = [OpponentPolicy(game, table), OpponentPolicy(game, random)]
    value = expected_game_score.policy_value(game.new_initial_state(), policies)
    assert value.sum() == pytest.approx(0)
    result = play_field("sixth_card", [table, random], deals=3000, seed=1, num_players=2, **RULES)
    points = [result.points_per_round(entrant).value for entrant in range(2)]
    assert value[0] > 0.3
    assert points[1] - points[0] == pytest.approx(value[0], abs=0.1)


def test_a_table_is_near_an_equilibrium_at_every_seat(table: PolicyTable) -> None:
    """One player's strategy at both seats is as little exploitable as both players' together."""
    game = pyspiel.load_game(TWO_ROWS)
    assert exploitability.exploitability(game, OpponentPolicy(game, table)) < 0.02


def test_a_table_holds_every_decision_once(native: NativeGame, table: PolicyTable) -> None:
    own = [name for name in native.actions if name.startswith("player 0")]
    assert len(table) == len(own) == len(native.actions) / 2


def test_a_saved_table_is_an_entrant(table: PolicyTable, tmp_path: Path) -> None:
    table.save(tmp_path / "cfr.npz")
    spec = f"sixth_env.adapters.policy_table:{tmp_path / 'cfr.npz'}"
    loaded = resolve_opponent(spec, "sixth_card")
    results = [
        play_field(
            "sixth_card", [who, load_opponent("lowest")], deals=50, seed=2, num_players=2, **RULES
        )
        for who in (table, loaded)
    ]
    assert np.array_equal(results[0].points, results[1].points)
    assert len(load(tmp_path / "cfr.npz")) == len(table)


def test_policies_of_python_and_c_give_the_same_table() -> None:
    game = pyspiel.load_game(SMALL)
    solvers = [cfr.CFRSolver(game), pyspiel.CFRSolver(game)]
    for solver in solvers:
        for _ in range(3):
            solver.evaluate_and_update_policy()
    tables = [
        tabulate(game, solvers[0].average_policy()),
        tabulate(game, solvers[1].tabular_average_policy()),
    ]
    node = next(n for n in _line(game) if n.acting and n.acting[0] == 0)
    columns, _, mask = game.tree.look(node.scene)
    first, second = (t.policy(columns[:1], mask[:1]) for t in tables)
    assert first == pytest.approx(second)
    assert len(tables[0]) == len(tables[1]) == 420


def _line(game: Any) -> Any:
    """The nodes of one line of a game."""
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state.node
        state.apply_action(state.legal_actions()[-1])


@pytest.mark.parametrize(
    "name",
    [
        "python_sixth_card(hand_size=2,rows=1,cards=6)",
        "python_sixes_golf",
        f"{SMALL[:-1]},num_rounds=2)",
    ],
)
def test_what_no_table_can_hold_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="small sequential game of one round"):
        tabulate(pyspiel.load_game(name), {})


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ConfigError, match="object is no tabular policy"):
        tabulate(pyspiel.load_game(SMALL), object())


@pytest.mark.parametrize(
    ("name", "match"), [(AT_ONCE, "_sequential"), ("python_six_nimmt_sequential", "fewer cards")]
)
def test_what_is_no_native_game_is_refused(name: str, match: str) -> None:
    with pytest.raises(ConfigError, match=match):
        native_game(pyspiel.load_game(name))


# --- Our opponents in OpenSpiel ------------------------------------------------------------------


def test_opponents_are_policies() -> None:
    game = pyspiel.load_game(SMALL)
    values = {
        name: exploitability.exploitability(game, OpponentPolicy(game, load_opponent(name)))
        for name in ("random", "lowest", "cautious")
    }
    assert values["random"] == pytest.approx(8 / 15)
    assert 0.1 < values["cautious"] < values["random"]
    assert values["lowest"] == pytest.approx(0)  # with two cards and one row nothing else matters


@pytest.mark.parametrize("name", ["python_sixth_card", "python_sixes_golf(players=2)"])
def test_opponents_are_bots(name: str) -> None:
    game = pyspiel.load_game(name)
    spec = "cautious" if "card" in name else next(iter(game.tree.game.heuristics))
    names = (spec, "random")
    bots = [
        OpponentBot(player, load_opponent(names[player], game.tree.game.id), seed=1)
        for player in range(2)
    ]
    gains = [pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)[0] for seed in range(40)]
    assert np.mean(gains) > 0


def test_an_opponent_that_answers_nonsense_is_refused() -> None:
    class Stubborn:
        name = "stubborn"

        def act(self, observation: Any, action_mask: Any, seeds: Any) -> Any:
            return np.full(len(observation), 51)

    game = pyspiel.load_game(SMALL)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(OpponentError, match="stubborn answered 51, which is not legal"):
        OpponentBot(0, Stubborn()).step(state)
