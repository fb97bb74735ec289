"""The games as OpenSpiel games, asked by the real library."""

from __future__ import annotations

import copy
import itertools
import pickle
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env import Engine, determinize
from sixth_env.errors import ConfigError
from sixth_env.games import GAMES

pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python.algorithms import get_all_states

import sixth_env.adapters.open_spiel  # noqa: F401  # registers the games

SMALL = "python_sixth_card_sequential(hand_size=2,rows=1,cards=6)"
TWO_ROWS = "python_sixth_card_sequential(hand_size=2,rows=2,row_length=2,cards=6)"
TWO_DECKS = "python_sixth_card_sequential(hand_size=2,rows=2,cards=3,decks=2)"
FULL = (
    "python_sixth_card",
    "python_sixth_card(players=5,num_rounds=2)",
    "python_sixth_card(players=4,num_rounds=0,target_score=20)",
    "python_sixth_card_sequential(players=3,hand_size=4)",
    "python_six_nimmt(players=4,reward=penalty)",
    "python_six_nimmt_sequential",
    "python_sixes_chips",
    "python_sixes_chips(players=3,num_rounds=3,reward=win)",
    "python_sixes_golf(players=2)",
    "python_sixes_golf(players=3,num_rounds=2,practice_round=true,reward=points)",
    "python_sixes_golf(players=2,max_turns=3)",
)


def advance(state: Any, rng: np.random.Generator) -> list[int]:
    """Make one uniformly random move, of chance as it says; returns what was chosen."""
    if state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        choice = [int(rng.choice(outcomes, p=chances))]
        state.apply_action(choice[0])
    elif state.is_simultaneous_node():
        players = range(state.num_players())
        choice = [int(rng.choice(state.legal_actions(player))) for player in players]
        state.apply_actions(choice)
    else:
        choice = [int(rng.choice(state.legal_actions()))]
        state.apply_action(choice[0])
    return choice


def reach(game: Any, rng: np.random.Generator, stop: float = 0.1) -> Any:
    """Some decision of a random match."""
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node() and rng.random() < stop:
                return state
            advance(state, rng)


def walk(state: Any) -> Iterator[Any]:
    """All states from one on, parents first."""
    yield state
    for action in state.legal_actions():
        yield from walk(state.child(action))


# --- The library's own tests ---------------------------------------------------------------------


@pytest.mark.parametrize("name", FULL)
def test_the_random_simulation_test_passes(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", [SMALL, TWO_DECKS])
def test_all_states_of_a_small_game_are_found(name: str) -> None:
    game = pyspiel.load_game(name)
    states = get_all_states.get_all_states(game, include_terminals=True, include_chance_states=True)
    assert len(states) == len({state.history_str() for state in walk(game.new_initial_state())})


def test_a_program_that_loaded_a_game_ends_without_a_crash() -> None:
    code = (
        "import pyspiel, sixth_env.adapters.open_spiel\n"
        "pyspiel.load_game('python_sixes_golf').new_initial_state().clone()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


# --- Chance --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "deals"), [(SMALL, 180), (TWO_ROWS, 180), (TWO_DECKS, None)])
def test_every_deal_is_as_likely_as_any_other(name: str, deals: int | None) -> None:
    """Of physical cards, that is: with two decks some deals look alike."""

    def dealt(state: Any, chance: float) -> Iterator[tuple[Any, float]]:
        if not state.is_chance_node():
            yield state, chance
            return
        outcomes = state.chance_outcomes()
        assert sum(p for _, p in outcomes) == pytest.approx(1, abs=1e-12)
        for outcome, p in outcomes:
            yield from dealt(state.child(outcome), chance * p)

    found = list(dealt(pyspiel.load_game(name).new_initial_state(), 1.0))
    chances = [chance for _, chance in found]
    assert sum(chances) == pytest.approx(1)
    assert max(chances) == pytest.approx(min(chances))
    if deals is not None:
        positions = {str(state) for state, _ in found}
        assert len(positions) == len(found) == deals


def test_a_drawn_card_is_any_of_the_pile() -> None:
    """Golf: the outcomes of a draw are the cards that nobody has seen and no slot holds."""
    rng = np.random.default_rng(3)
    game = pyspiel.load_game("python_sixes_golf(players=2)")
    state = game.new_initial_state()
    while not (state.is_chance_node() and state.node.tree.deal.draws(state.node.scene.states[0])):
        state = game.new_initial_state() if state.is_terminal() else state
        advance(state, rng)
    record = state.node.scene.states[0]
    pile = [*record["draw_pile"][: record["draw_size"]].tolist(), int(record["drawn"])]
    outcomes = dict(state.chance_outcomes())
    assert outcomes == {c: pytest.approx(pile.count(c) / len(pile)) for c in set(pile)}
    for card in outcomes:
        child = state.child(card)
        after = child.node.scene.states[0]
        assert after["drawn"] == card
        left = [*after["draw_pile"][: after["draw_size"]].tolist(), card]
        assert sorted(left) == sorted(pile)


# --- Rewards -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "python_sixth_card(players=3,num_rounds=2,reward=penalty)",
        "python_sixth_card_sequential(players=4,reward=penalty)",
        "python_six_nimmt(players=4,num_rounds=0,target_score=30,reward=penalty)",
        "python_sixes_chips(reward=chips,num_rounds=2)",
        "python_sixes_golf(reward=points,num_rounds=2)",
    ],
)
def test_returns_are_the_true_scores(name: str) -> None:
    """The totals that the engine writes down at the end of the match."""
    rng, game = np.random.default_rng(5), pyspiel.load_game(name)
    for _ in range(10):
        state = game.new_initial_state()
        while not state.is_terminal():
            advance(state, rng)
        totals = state.node.scene.states[0]["totals"][: game.num_players()].astype(int)
        chips = "chips" in name
        assert state.returns() == (totals - 10 if chips else -totals).tolist()


@pytest.mark.parametrize("name", ["python_sixth_card(players=4)", "python_sixes_chips"])
def test_a_match_is_the_one_that_the_engine_plays(name: str) -> None:
    """The same deal and actions bring the same rewards and last position there."""
    rng, game = np.random.default_rng(7), pyspiel.load_game(name)
    tree = game.tree
    state = game.new_initial_state()
    while state.is_chance_node():
        advance(state, rng)
    config = {k: v for k, v in tree.rules.to_dict().items() if k != "game"}
    engine, rewards = Engine(tree.game.id, seed=1, **config), np.zeros(game.num_players())
    engine.set_position(tree.game.notation.position(tree.rules, state.node.scene.states[0]))
    while not state.is_terminal():
        seats = range(game.num_players()) if tree.game.simultaneous else [state.current_player()]
        for seat in seats:
            assert state.legal_actions(seat) == engine.legal_actions(0, seat)
        actions = advance(state, rng)
        reward = engine.step([actions]).reward[0]
        assert state.rewards() == pytest.approx(reward.tolist(), abs=1e-5)
        rewards += reward
    assert state.returns() == pytest.approx(rewards.tolist(), abs=1e-4)
    last = tree.game.notation.position(tree.rules, state.node.scene.states[0])
    assert engine.position() == last


def test_a_golf_round_is_the_one_that_the_engine_plays_with_that_pile() -> None:
    rng, game = np.random.default_rng(11), pyspiel.load_game("python_sixes_golf(players=2)")
    tree, notation = game.tree, game.tree.game.notation
    state = game.new_initial_state()
    while state.is_chance_node():
        advance(state, rng)
    position = notation.position(tree.rules, state.node.scene.states[0])
    drawn: list[int] = []
    actions: list[int] = []
    while not state.is_terminal():
        drawing = state.is_chance_node()
        (drawn if drawing else actions).append(advance(state, rng)[0])
    last = notation.position(tree.rules, state.node.scene.states[0])
    assert not last["refilled"], "choose another seed: the pile was shuffled anew"
    names = [tree.deal.card_name(card) for card in drawn]
    rest = list(position["draw_pile"])
    for name in names:
        rest.remove(name)
    config = {k: v for k, v in tree.rules.to_dict().items() if k != "game"}
    engine = Engine("sixes_golf", seed=1, **config)
    engine.set_position({**position, "draw_pile": [*names, *rest]})
    for action in actions:
        reward = engine.step([[action]]).reward[0]
    assert {**engine.position(), "draw_pile": None} == {**last, "draw_pile": None}
    assert sorted(engine.position()["draw_pile"]) == sorted(last["draw_pile"])
    assert state.returns() == pytest.approx(reward.tolist())


def test_rewards_of_a_round_wait_for_the_decision_after_the_next_deal() -> None:
    rng = np.random.default_rng(13)
    state = pyspiel.load_game("python_sixth_card(hand_size=2,num_rounds=3)").new_initial_state()
    told = np.zeros(2)
    while not state.is_terminal():
        told += 0 if state.is_chance_node() else np.array(state.rewards())
        advance(state, rng)
    assert (told + state.rewards()).tolist() == pytest.approx(state.returns())


# --- Information ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [SMALL, TWO_ROWS, TWO_DECKS])
def test_players_remember_what_they_saw_and_did(name: str) -> None:
    """An information state tells the whole line of the player's own ones before, and the actions
    taken in them; it tells what is legal, and what the observation shows."""
    lines: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    tensors: dict[bytes, str] = {}

    def visit(state: Any, line: tuple[tuple[Any, ...], ...]) -> None:
        if state.is_terminal():
            return
        if state.is_chance_node():
            for action in state.legal_actions():
                visit(state.child(action), line)
            return
        player = state.current_player()
        text = state.information_state_string()
        fact = (state.legal_actions(), state.observation_tensor(), state.observation_string())
        assert lines.setdefault(text, line[player]) == line[player]
        assert facts.setdefault(text, fact) == fact
        tensor = np.array([player, *state.information_state_tensor()]).tobytes()
        assert tensors.setdefault(tensor, text) == text
        for action in state.legal_actions():
            own = (*line[player], (text, action))
            visit(state.child(action), (own, line[1]) if player == 0 else (line[0], own))

    visit(pyspiel.load_game(name).new_initial_state(), ((), ()))
    assert len(lines) == len(tensors) > 100


@pytest.mark.parametrize("name", FULL)
def test_observations_are_those_of_the_environments(name: str) -> None:
    rng, game = np.random.default_rng(17), pyspiel.load_game(name)
    tree = game.tree
    config = {k: v for k, v in tree.rules.to_dict().items() if k != "game"}
    engine = Engine(tree.game.id, seed=1, **config)
    for _ in range(5):
        state = reach(game, rng)
        record = state.node.scene.states[0]
        engine.set_position(tree.game.notation.position(tree.rules, record))
        for player in range(game.num_players()):
            columns, mask = tree.game.notation.look(tree.rules, engine.states[0], player)
            shown = np.array(state.observation_tensor(player), np.float32)
            assert np.array_equal(shown, tree.game.table.to_float(columns))
            legal = np.flatnonzero(mask).tolist()
            assert state.legal_actions(player) in ([], legal)


@pytest.mark.parametrize("name", FULL)
def test_a_resampled_state_is_one_that_the_player_cannot_tell_from_the_real_one(name: str) -> None:
    rng, game = np.random.default_rng(19), pyspiel.load_game(name)
    worlds: dict[str, set[str]] = defaultdict(set)
    for _ in range(6):
        state = reach(game, rng)
        player = max(state.current_player(), 0)  # at once: any
        before = str(state)
        for seed in range(2):
            other = state.resample(player, seed)
            for view in ("information_state_string", "observation_string", "observation_tensor"):
                assert getattr(other, view)(player) == getattr(state, view)(player)
            assert other.legal_actions(player) == state.legal_actions(player)
            assert other.current_player() == state.current_player()
            worlds[before].add(str(other))
            while not other.is_terminal():  # the rules can go on from it
                advance(other, rng)
        assert str(state) == before
    assert any(len(found) > 1 for found in worlds.values())


def test_resampling_is_determinize_and_depends_on_the_players_knowledge_alone() -> None:
    rng, game = np.random.default_rng(23), pyspiel.load_game("python_sixth_card(players=3)")
    tree = game.tree
    for _ in range(10):
        state = reach(game, rng)
        player = int(rng.integers(3))
        other = state.resample(player, 5)
        columns, _, _ = tree.look(state.node.scene)
        world = determinize(tree.game.id, columns[player], 5)
        position = tree.game.notation.position(tree.rules, other.node.scene.states[0])
        turned = [world["hands"][(seat - player) % 3] for seat in range(3)]
        assert (position["hands"], position["stock"]) == (turned, world["stock"])
        again = state.resample(player, 6).resample(player, 5)
        assert str(again) == str(other)


def test_cards_committed_by_others_are_drawn_from_their_new_hands() -> None:
    rng = np.random.default_rng(29)
    state = pyspiel.load_game("python_six_nimmt_sequential(players=3)").new_initial_state()
    while state.is_chance_node():
        advance(state, rng)
    advance(state, rng)
    advance(state, rng)
    assert state.current_player() == 2
    seen = set()
    for seed in range(20):
        node = state.resample(2, seed).node
        legal = node.tree.legal(node.scene)
        assert all(card in legal[seat] for seat, card in enumerate(node.committed))
        seen.add(node.committed)
    assert len(seen) > 15
    assert "play" in state.information_state_string(0)
    assert state.information_state_string(0) != state.resample(2, 1).information_state_string(0)


# --- Copies --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FULL)
def test_copies_go_on_identically(name: str) -> None:
    rng, game = np.random.default_rng(31), pyspiel.load_game(name)
    for _ in range(3):
        state = reach(game, rng)
        twins = [state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
        seed = int(rng.integers(1000))
        ends = []
        for twin in (state, *twins):
            draws = np.random.default_rng(seed)
            while not twin.is_terminal():
                advance(twin, draws)
            ends.append((str(twin), twin.history(), twin.returns()))
        assert all(end == ends[0] for end in ends)


def test_a_state_goes_on_identically_in_a_fresh_process(tmp_path: Path) -> None:
    state = reach(pyspiel.load_game("python_sixes_golf(players=2)"), np.random.default_rng(37))
    (tmp_path / "state.pickle").write_bytes(pickle.dumps(state))
    code = (
        "import pickle, sys\n"
        "state = pickle.load(open(sys.argv[1], 'rb'))\n"
        "while not state.is_terminal(): state.apply_action(state.legal_actions()[-1])\n"
        "print(state)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "state.pickle")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[-1])
    assert run.stdout == f"{state}\n"


# --- Errors --------------------------------------------------------------------------------------


def test_rules_that_make_no_sense_are_refused() -> None:
    with pytest.raises(Exception, match="hand_size must be from 1 to 10, not 11"):
        pyspiel.load_game("python_sixth_card(hand_size=11)")
    with pytest.raises(Exception, match="nknown parameter"):
        pyspiel.load_game("python_sixth_card(bluff=1)")


def test_illegal_choices_are_refused() -> None:
    state = pyspiel.load_game(SMALL).new_initial_state()
    with pytest.raises(Exception, match="chance may not bring 99"):
        state.apply_action(99)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    illegal = next(card for card in range(6) if card not in state.legal_actions())
    with pytest.raises(Exception, match=f"may not take action {illegal}"):
        state.apply_action(illegal)


def test_an_observer_of_everything_is_refused() -> None:
    game = pyspiel.load_game(SMALL)
    everything = pyspiel.PrivateInfoType.ALL_PLAYERS
    kind = pyspiel.IIGObservationType(perfect_recall=False, private_info=everything)
    with pytest.raises(ConfigError, match="what one player sees"):
        game.make_py_observer(kind)


def test_every_game_of_the_package_is_there() -> None:
    names = {f"python_{game}" for game in GAMES}
    names |= {f"python_{name}_sequential" for name, game in GAMES.items() if game.simultaneous}
    assert names <= set(pyspiel.registered_names())
    forms = {name: pyspiel.load_game(name).get_type().dynamics for name in names}
    at_once = pyspiel.GameType.Dynamics.SIMULTANEOUS
    assert [name for name in sorted(names) if forms[name] == at_once] == [
        "python_six_nimmt",
        "python_sixth_card",
    ]
    assert all(len(list(itertools.islice(walk_down(name), 3))) == 3 for name in names)


def walk_down(name: str) -> Iterator[Any]:
    """The states of one line of a game."""
    state = pyspiel.load_game(name).new_initial_state()
    rng = np.random.default_rng(0)
    while not state.is_terminal():
        yield state
        advance(state, rng)
