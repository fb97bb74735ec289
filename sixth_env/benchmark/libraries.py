"""Games of other libraries, next to this package's way of doing the same.

No other library has these games, so a pair is as near as there is: card games of like size, or
this package's own game seen through another library, and the interface of ours that a user of that
library would take instead. Random legal actions everywhere. The libraries are optional, and loaded
when they are measured.
"""

from __future__ import annotations

import contextlib
import importlib
import tempfile
from collections.abc import Callable, Iterator
from importlib import metadata
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from sixth_env.batch import Batch
from sixth_env.benchmark.cases import (
    SEED,
    agents_in_turn,
    decisions_per_step,
    play_aec,
    play_batch,
    play_engine,
    play_parallel,
    play_vector,
)
from sixth_env.benchmark.measure import Work
from sixth_env.engine import Engine
from sixth_env.games import get_game

GAME = "sixth_card"
TOGETHER = 1024


class Pair(NamedTuple):
    """Two pieces of work that are alike, and what they are."""

    library: str
    theirs: str
    their_work: Work
    ours: str
    our_work: Work


class Library(NamedTuple):
    """An optional library: its name, its distribution, and what is measured of it."""

    name: str
    distribution: str
    pairs: Callable[[], Iterator[Pair]]


def find_pairs() -> tuple[list[Pair], dict[str, str]]:
    """Pairs of all libraries that are installed; what is left out, and why."""
    found: list[Pair] = []
    missing: dict[str, str] = {}
    for library in LIBRARIES:
        try:
            found += list(library.pairs())
        except ImportError as error:
            missing[library.name] = f"not installed ({error})"
    return found, missing


def versions() -> dict[str, str]:
    """The versions of the libraries that are installed."""
    known = {}
    for library in LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            known[library.name] = metadata.version(library.distribution)
    return known


# --- OpenSpiel ------------------------------------------------------------------------------------

_GOOFSPIEL = "goofspiel(players=4,num_cards=10,imp_info=true,points_order=random)"


def _open_spiel() -> Iterator[Pair]:
    spiel = importlib.import_module("pyspiel")
    importlib.import_module("open_spiel.python.games")  # registers those written in Python
    importlib.import_module("sixth_env.adapters.open_spiel")
    game, engine = get_game(GAME), _one_game()

    def pair(what: str, theirs: Work, ours: str, our_work: Work) -> Pair:
        return Pair("OpenSpiel", what, theirs, ours, our_work)

    for name, what in (
        (_GOOFSPIEL, "goofspiel, C++, states"),
        ("hearts", "hearts, C++, states"),
        ("python_team_dominoes", "team dominoes, Python, states"),
        ("python_sixth_card(players=4)", "Sixth Card, our adapter, states"),
    ):
        yield pair(what, play_states(spiel, name), "engine, 1 game", engine)
    rl = importlib.import_module("open_spiel.python.rl_environment")
    for name, what, ours, our_work in (
        (_GOOFSPIEL, "goofspiel, rl_environment", "parallel_env", play_parallel(game)),
        ("hearts", "hearts, rl_environment", "env (AEC)", play_aec(game)),
    ):
        yield pair(what, play_rl_environment(rl.Environment(name)), ours, our_work)


def play_states(spiel: ModuleType, name: str) -> Work:
    """Decisions from state to state of an OpenSpiel game, without observations; chance is drawn."""
    game, random = spiel.load_game(name), Random(SEED)
    players = range(game.num_players())
    state = game.new_initial_state()

    def work(steps: int) -> int:
        nonlocal state
        decisions = 0
        while steps > 0:
            if state.is_terminal():
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, chances)[0])
            elif state.is_simultaneous_node():
                legal = [state.legal_actions(player) for player in players]
                state.apply_actions([random.choice(actions) for actions in legal])
                # Who has one legal action waits, unless that goes for all: their last cards.
                decisions += sum(len(actions) > 1 for actions in legal) or len(legal)
                steps -= 1
            else:
                state.apply_action(random.choice(state.legal_actions()))
                decisions, steps = decisions + 1, steps - 1
        return decisions

    return work


def play_rl_environment(env: Any) -> Work:
    """Decisions in OpenSpiel's ``rl_environment``, which gives observations of all players."""
    random = Random(SEED)
    env.seed(SEED)
    now = env.reset()

    def work(steps: int) -> int:
        nonlocal now
        decisions = 0
        for _ in range(steps):
            if now.last():
                now = env.reset()
            legal = now.observations["legal_actions"]
            if now.is_simultaneous_move():
                actions = [random.choice(own) for own in legal]
            else:
                actions = [random.choice(legal[now.current_player()])]
            now = env.step(actions)
            decisions += len(actions)
        return decisions

    return work


# --- RLCard ---------------------------------------------------------------------------------------


def _rlcard() -> Iterator[Pair]:
    rlcard = importlib.import_module("rlcard")
    for name in ("uno", "gin-rummy", "leduc-holdem"):
        env = rlcard.make(name, config={"seed": SEED})
        yield Pair("RLCard", name, play_rlcard(env), "env (AEC)", play_aec(get_game(GAME)))


def play_rlcard(env: Any) -> Work:
    """Decisions in an RLCard environment, which gives the observation of who is to act."""
    random = Random(SEED)
    state, _ = env.reset()

    def work(decisions: int) -> int:
        nonlocal state
        for _ in range(decisions):
            if env.is_over():
                state, _ = env.reset()
            state, _ = env.step(random.choice(list(state["legal_actions"])))
        return decisions

    return work


# --- PettingZoo's own games -----------------------------------------------------------------------


def _pettingzoo() -> Iterator[Pair]:
    for name in ("leduc_holdem_v4", "texas_holdem_no_limit_v6", "hanabi_v5", "connect_four_v3"):
        module = importlib.import_module(f"pettingzoo.classic.{name}")
        theirs = agents_in_turn(module.env())
        yield Pair("PettingZoo", name, theirs, "env (AEC)", play_aec(get_game(GAME)))


# --- PufferLib ------------------------------------------------------------------------------------


def _pufferlib() -> Iterator[Pair]:
    # Importing it puts a link named "resources" into the working folder.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        module = importlib.import_module("pufferlib.ocean.tripletriad.tripletriad")
    game, what = get_game(GAME), f"Triple Triad, C, {TOGETHER:,} games"
    batch = Batch(GAME, TOGETHER, seed=SEED, dtype="float32")
    for ours, our_work in (
        (f"make_vec, {TOGETHER:,}", play_vector(game, TOGETHER)),
        (f"batch, {TOGETHER:,}", play_batch(batch, decisions_per_step(game, {}))),
    ):
        env = module.TripleTriad(num_envs=TOGETHER, report_interval=1 << 30)
        yield Pair("PufferLib", what, play_ocean(env), ours, our_work)


def play_ocean(env: Any) -> Work:
    """The learner's decisions in one of PufferLib's native environments.

    These have no masks: actions are drawn beforehand from all there are.
    """
    actions = np.random.default_rng(SEED).integers(
        env.single_action_space.n, size=(64, env.num_agents), dtype=np.int32
    )
    env.reset(seed=SEED)
    games, played = int(env.num_agents), 0

    def work(steps: int) -> int:
        nonlocal played
        for _ in range(steps):
            played += 1
            env.step(actions[played % len(actions)])
        return steps * games

    return work


def _one_game() -> Work:
    return play_engine(Engine(GAME, 1, seed=SEED), decisions_per_step(get_game(GAME), {}))


LIBRARIES = (
    Library("OpenSpiel", "open_spiel", _open_spiel),
    Library("RLCard", "rlcard", _rlcard),
    Library("PettingZoo", "pettingzoo", _pettingzoo),
    Library("PufferLib", "pufferlib", _pufferlib),
)
