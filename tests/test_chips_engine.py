"""The compiled rules of the chip game against hand-worked cases and the slow rules."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env import Batch
from sixth_env.engine import MATCH_END, ROUND_END, TRUNCATED, Engine
from sixth_env.errors import ConfigError, IllegalActionError
from sixth_env.games import GAMES
from sixth_env.games.chips.cards import chips_index, chips_name
from sixth_env.games.chips.rules import hand_size
from sixth_env.notation import Replay
from tests.cases_chips import CARDS_DEALT, CASES
from tests.cases_chips_build import Case, rules
from tests.chips_play import TABLES, Json, engine_of, name_of, positions, walk
from tests.digest_chips import RUNS, all_digests
from tests.golden_write import FOLDER, GOLDEN
from tests.rows_play import look, same_records
from tests.slow_chips import DECK, PASS, WAIT, SlowChips, action_name, cards_dealt
from tests.test_batch import arrays, assert_same, play
from tests.test_engine_rows import chi_square

ROOT = Path(__file__).resolve().parents[1]


def test_cards_and_actions() -> None:
    game = GAMES["sixes_chips"]
    assert [chips_name(card) for card in range(40)] == DECK
    assert [chips_index(card) for card in ("AC", "6d", "7♦", "KS")] == [0, 15, 16, 39]
    assert [game.action_name(action) for action in range(42)] == [action_name(a) for a in range(42)]
    assert (game.num_actions, game.wait) == (42, WAIT)
    for name in ("8D", "10S", "TC", "6", "", 6, None):
        with pytest.raises(ValueError, match="is not one of the 40 cards"):
            chips_index(name)
    for action in (-1, 42):
        with pytest.raises(IllegalActionError, match="no action"):
            game.action_name(action)


@pytest.mark.parametrize(("players", "dealer", "counts"), CARDS_DEALT)
def test_cards_are_dealt_as_evenly_as_they_go(players: int, dealer: int, counts: list[int]) -> None:
    assert [hand_size(players, dealer, seat) for seat in range(players)] == counts
    engine = engine_of(rules(players), num_games=30)
    deals = [engine.position(index) for index in range(30)]
    assert {tuple(map(len, p["hands"])) for p in deals if p["dealer"] == dealer} == {tuple(counts)}
    for position in deals:
        assert sorted(card for hand in position["hands"] for card in hand) == sorted(DECK)


def without_round(events: list[Json]) -> list[Json]:
    """Events as the slow rules tell them, who leave out which round has ended."""
    return [
        {name: value for name, value in event.items() if name != "round"}
        if event["type"] == "round_end"
        else event
        for event in events
    ]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: Case) -> None:
    engine = engine_of(case["position"]["rules"])
    engine.set_position(case["position"])
    assert engine.position() == case["position"]
    log = engine.new_log()
    for expected in case["steps"]:
        assert engine.position()["to_act"] == expected["player"]
        assert engine.legal_actions(0, expected["player"]) == sorted(expected["legal"])
        outcome = engine.step([[expected["action"]]], log=log)
        events, after = engine.events(log), engine.position()
        if expected["phase"] == "deal":
            assert events.pop()["type"] == "deal"
        assert without_round(events) == expected["events"]
        rewards = expected.get("rewards", expected["gains"])
        assert outcome.reward[0] == pytest.approx(rewards, abs=1e-6)
        assert engine.states["gains"][0, : engine.num_players].tolist() == expected["gains"]
        assert outcome.flags[0] & TRUNCATED == TRUNCATED * expected["truncated"]
        assert after["phase"] == ("over" if expected["phase"] == "over" else "play")
        assert {name: after[name] for name in expected["facts"]} == expected["facts"]


# --- Random matches, step by step beside the slow rules -------------------------------------------


def in_step(engine: Engine, rng: random.Random) -> Counter[str]:
    """Play one match on the engine and the slow rules, and compare everything after each step."""
    slow = SlowChips(engine.position())
    seats, log = range(engine.num_players), engine.new_log()
    seen = Counter[str]()
    while slow.phase != "over":
        legal = [engine.legal_actions(0, seat) for seat in seats]
        assert legal == [sorted(slow.legal(seat)) for seat in seats]
        action = rng.choice(legal[slow.to_act])
        outcome, expected = engine.step([[action]], log=log), slow.step(action)
        assert outcome.reward[0] == pytest.approx(expected.rewards, abs=1e-5)
        ends = ROUND_END * expected.round_ended + MATCH_END * expected.match_over
        assert outcome.flags[0] == ends + TRUNCATED * expected.truncated
        position, events = engine.position(), engine.events(log)
        if slow.phase == "deal":
            slow.next_deal(position)
            fields = {name: position[name] for name in ("round", "dealer", "starter", "hands")}
            assert events.pop() == {"type": "deal", **fields}
        assert without_round(events) == expected.events
        assert position == slow.position()
        seen.update(event["type"] for event in events)
        seen["truncated"] += expected.truncated
    return seen


def play_tables(tables: list[Json], matches: int, changes: Json) -> Counter[str]:
    seen = Counter[str]()
    for number, table in enumerate(tables):
        reward = ("chips", "relative", "win")[number % 3]
        engine = engine_of({**table, "reward": reward, **changes}, seed=number)
        rng = random.Random(number)
        for match in range(matches):
            if match:
                engine.reset()
            seen += in_step(engine, rng)
    return seen


LENGTHS: list[Json] = [
    {"starting_chips": 4},
    {"num_rounds": 2, "reward": "win"},
    {"max_rounds": 2},
    {"num_rounds": 2, "max_rounds": 2, "reward": "relative"},
]


@pytest.mark.parametrize("changes", LENGTHS, ids=["4 chips", "2 rounds", "cap", "both"])
def test_random_matches(changes: Json) -> None:
    seen = play_tables([rules(players) for players in range(2, 9)], 3, changes)
    assert seen["pass"] > 0
    assert (seen["truncated"] > 0) == (changes == {"max_rounds": 2})
    assert seen["match_end"] + seen["truncated"] == 21


@pytest.mark.slow
@pytest.mark.parametrize("reward", ["chips", "relative", "win"])
@pytest.mark.parametrize("table", TABLES, ids=name_of)
def test_many_random_matches(table: Json, reward: str) -> None:
    play_tables([table], 50, {"reward": reward})


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_cards_and_chips_are_conserved(setup: Json) -> None:
    engine = engine_of(setup, seed=2, num_games=50)
    chips, players = setup["num_players"] * setup["starting_chips"], setup["num_players"]
    for step in range(300):
        outcome = engine.step(engine.sample_actions(step))
        states = engine.states
        assert (states["totals"].sum(axis=1) + states["pot"] == chips).all()
        assert (states["totals"] >= 0).all() and (states["pot"] >= 0).all()
        assert (np.bitwise_or.reduce(states["hands"], axis=1) | states["laid"] == 2**40 - 1).all()
        assert (np.bitwise_count(states["hands"]) == states["held"]).all()
        assert (states["held"].sum(axis=1) + np.bitwise_count(states["laid"]) == 40).all()
        assert outcome.reward.shape == (50, players)
        if engine.done().any():
            engine.restart(engine.done())


def test_a_pass_is_legal_only_when_nothing_is_playable_and_somebody_always_can_play() -> None:
    engine = engine_of(rules(8), seed=4, num_games=100)
    passes_in_a_row = np.zeros(100, np.int64)
    for step in range(500):
        mask = look(engine)[1][:, 0]
        assert (mask[:, PASS] == (mask[:, :PASS].sum(axis=1) == 0)).all() and not mask[
            :, WAIT
        ].any()
        actions = engine.sample_actions(step)
        passes_in_a_row = np.where(actions[:, 0] == PASS, passes_in_a_row + 1, 0)
        assert passes_in_a_row.max() < 8
        engine.step(actions)
        if engine.done().any():
            engine.restart(engine.done())


def test_the_holder_of_the_six_of_diamonds_begins_and_deals_next() -> None:
    engine, started = engine_of(rules(4, num_rounds=5), seed=1), []
    for position in [engine.position(), *(engine.position() for _ in walk(engine, 1, 400))]:
        if all(column is None for column in position["columns"].values()):
            assert "6D" in position["hands"][position["starter"]]
            assert engine_at(position).legal_actions(0, position["to_act"]) == [15]
            started.append((position["round"], position["starter"], position["dealer"]))
    for (number, starter, _), (later, _, dealer) in pairwise(started):
        if later == number + 1:
            assert dealer == starter
    assert len(started) > 5


def engine_at(position: Json) -> Engine:
    engine = engine_of(position["rules"])
    engine.set_position(position)
    return engine


# --- Rewards and deals ----------------------------------------------------------------------------


def test_rewards_of_a_match() -> None:
    for reward in ("chips", "relative", "win"):
        engine = engine_of(rules(3, starting_chips=5, num_rounds=4, reward=reward), num_games=20)
        total, over = np.zeros((20, 3)), np.zeros(20, np.bool_)
        for step in range(600):
            outcome = engine.step(engine.sample_actions(step))
            total += outcome.reward
            over |= outcome.flags & MATCH_END > 0
        assert over.all()
        chips = engine.states["totals"][:, :3].astype(float)
        wins = chips == chips.max(axis=1, keepdims=True)
        expected = {
            "chips": chips - 5,
            "relative": (chips - 5) * 1.5,
            "win": wins / wins.sum(axis=1, keepdims=True),
        }
        assert total == pytest.approx(expected[reward], abs=1e-4)


def test_a_win_is_not_paid_when_the_match_is_cut_off() -> None:
    engine = engine_of(rules(2, starting_chips=50, max_rounds=1, reward="win"), num_games=8)
    total, cut = np.zeros((8, 2)), np.zeros(8, np.int64)
    for step in range(200):
        outcome = engine.step(engine.sample_actions(step))
        total += outcome.reward
        cut |= outcome.flags
    assert (cut == ROUND_END | TRUNCATED).all()
    assert not total.any()


def test_the_final_observation_of_a_match_that_is_cut_off() -> None:
    batch = Batch("sixes_chips", 4, seed=1, max_rounds=1)
    table = batch.game.table
    for step in range(100):
        result = batch.step(batch.sample_actions(step))
        if result.truncated.any():
            assert not result.terminated.any()
            assert result.final_observation is not None
            final = result.final_observation[result.truncated, 0]
            assert (final[:, table.start("phase")] == 1).all()
            assert (final[:, table["hand_sizes"]] == 0).any(axis=1).all()
            fresh = result.observation[result.truncated, 0]
            assert (fresh[:, table["laid"]] == 0).all()
            return
    raise AssertionError("no match was cut off")


def test_deals_dealers_and_starters_are_uniform() -> None:
    """Of 5200 deals every card lies in seat 0's hand as often as any other."""
    engine = engine_of(rules(4), seed=3, num_games=5200)
    hands = engine.states["hands"][:, 0]
    counts = [(hands >> card & 1).sum() for card in range(40)]
    # 39 degrees of freedom: above 72 in one of a thousand samples; 3: above 16.3.
    assert sum(counts) == 52000
    assert chi_square(counts, 1300) < 72
    for field in ("dealer", "starter"):
        assert chi_square(np.bincount(engine.states[field], minlength=4), 1300) < 16.3


def test_deals_do_not_depend_on_what_is_played_but_for_the_dealer() -> None:
    """The cards are shuffled alike; who is dealt to first follows from the round before."""
    one, two = (engine_of(rules(4, num_rounds=2), seed=5) for _ in range(2))
    for seed, engine in ((1, one), (2, two)):
        while engine.position()["round"] < 2:
            engine.step(engine.sample_actions(seed))
    a, b = one.position(), two.position()
    assert (a["hands"], a["dealer"]) == (b["hands"], b["dealer"])
    assert a["chips"] != b["chips"]


def test_a_finished_match_stays_finished() -> None:
    for position in positions(rules(2, num_rounds=1), seed=0, steps=100):
        if position["phase"] == "over":
            break
    engine = engine_at(position)
    log = engine.new_log()
    outcome = engine.step([[WAIT]], log=log)
    assert (outcome.flags[0], outcome.reward[0].tolist()) == (0, [0.0, 0.0])
    assert (engine.events(log), engine.position()) == ([], position)
    for action in (0, PASS):
        with pytest.raises(IllegalActionError, match="legal now: \\[41\\]"):
            engine.step([[action]])


# --- Configuration --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"num_players": 1}, "num_players must be from 2 to 8, not 1"),
        ({"num_players": 9}, "num_players must be from 2 to 8, not 9"),
        ({"num_players": 3.0}, "num_players must be a whole number"),
        ({"starting_chips": 0}, "starting_chips must be from 1 to 999"),
        ({"starting_chips": True}, "starting_chips must be a whole number"),
        ({"num_rounds": 0}, "num_rounds must be from 1"),
        ({"max_rounds": None}, "max_rounds must be a whole number"),
        ({"max_rounds": 1000}, "max_rounds must be from 1 to 999"),
        ({"num_rounds": 5, "max_rounds": 4}, "num_rounds=5 is more than max_rounds=4"),
        ({"reward": "points"}, "reward must be one of chips, relative, win"),
        ({"decks": 1}, "sixes_chips has no option 'decks'"),
    ],
)
def test_configurations_that_are_refused(config: Json, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Engine("sixes_chips", **config)


# --- Many games at once ---------------------------------------------------------------------------

CONFIGS: list[Json] = [{}, {"num_players": 2, "starting_chips": 3}, {"num_players": 8}]


@pytest.mark.parametrize("config", CONFIGS)
def test_a_batch_is_its_games_one_by_one(config: Json) -> None:
    whole = play(Batch("sixes_chips", 32, seed=11, **config), 700)
    assert sum(step["terminated"].sum() for step in whole[1:]) >= 32
    for index in (0, 17, 31):
        alone = play(Batch("sixes_chips", 1, seed=11, first_index=index, **config), 700)
        games = [{name: array[index : index + 1] for name, array in s.items()} for s in whole]
        assert_same(games, alone)


def test_floats_are_scaled_integers_and_threads_change_nothing() -> None:
    integers, floats, threads = (
        Batch("sixes_chips", 9, seed=2, dtype=dtype, threads=n)
        for dtype, n in (("int16", 1), ("float32", 1), ("int16", 2))
    )
    table = integers.game.table
    for step in range(100):
        actions = integers.sample_actions(step)
        one, two, three = (arrays(b.step(actions)) for b in (integers, floats, threads))
        assert np.array_equal(table.to_float(one["observation"]), two["observation"])
        assert np.array_equal(table.to_int(two["observation"]), one["observation"])
        assert_same([one], [three])


def test_sampled_actions_are_uniform_among_the_legal() -> None:
    batch = Batch("sixes_chips", 1, seed=3)
    while batch.observe().action_mask.sum() < 3:
        batch.step(batch.sample_actions())
    legal = np.flatnonzero(batch.observe().action_mask[0, 0]).tolist()
    drawn = [int(batch.sample_actions(seed)[0, 0]) for seed in range(3000)]
    counts = [drawn.count(action) for action in legal]
    assert sum(counts) == 3000
    assert chi_square(counts, 3000 / len(legal)) < 13.8 + 3 * (len(legal) - 3)


@pytest.mark.parametrize("action", [-1, PASS, WAIT, 42, 255, 2**16 + 15, 2**32 + 15, -(2**40)])
def test_illegal_actions_are_refused_and_change_nothing(action: Any) -> None:
    batch = Batch("sixes_chips", 3, seed=5)
    before = batch.engine.save()
    actions = batch.sample_actions()
    seat = batch.observe().seat[1, 0]
    actions[1, 0] = action
    with pytest.raises(IllegalActionError) as caught:
        batch.step(actions)
    message = f"player_{seat} of game 1 may not take action {action}; legal now: [15]"
    assert str(caught.value) == message
    assert same_records(batch.engine.save(), before)


# --- Golden replays -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in GOLDEN if GOLDEN[name][0] == "sixes_chips"])
def test_golden_replays_by_the_slow_rules(name: str) -> None:
    """The slow rules, given the deals, tell the same story."""
    replay = Replay.read(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))
    assert replay.story is not None
    slow = SlowChips(replay.position)
    for (engine, _), actions, told in zip(replay.play(), replay.actions, replay.story, strict=True):
        events = slow.step(actions[0]).events
        if slow.phase == "deal":
            slow.next_deal(engine.position())
            assert told[-1]["type"] == "deal"
            told = told[:-1]
        assert events == without_round(told)
    assert slow.phase == "over"


# --- Compiled and interpreted ---------------------------------------------------------------------


def test_interpreted_kernels_do_the_same_without_warnings() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.digest_chips"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    interpreted = run.stdout.split("\n")[:-1]
    assert len(set(interpreted)) == len(RUNS)
    assert interpreted == all_digests()


def test_slow_and_compiled_deals_have_the_same_sizes() -> None:
    for players in range(2, 9):
        for dealer in range(players):
            ours = [hand_size(players, dealer, seat) for seat in range(players)]
            assert ours == cards_dealt(players, dealer)
