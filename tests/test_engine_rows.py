"""The compiled rules of the rows games against hand-worked cases and the slow rules."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from sixth_env.engine import MATCH_END, ROUND_END, Engine
from sixth_env.games import GAMES
from sixth_env.games.cards import card_points, penalty_table
from tests.cases_rows import CASES, SIX_NIMMT_POINTS, SIXTH_CARD_POINTS
from tests.cases_rows_build import Case, rules
from tests.rows_play import Json, engine_of, look, name_of
from tests.slow_rows import SlowRows, action_name
from tests.test_slow_rows import FULL_TABLES, SMALL_TABLES

# A single row leaves no choice; two of them end in twins quite often.
NARROW_TABLES = [
    rules(players=2, cards=9, hand_size=3, rows=1, row_length=2),
    rules(players=3, decks=2, cards=6, hand_size=3, rows=1, row_length=3),
    rules("six_nimmt", 4, cards=104, hand_size=5, rows=2, row_length=1),
    rules(players=2, decks=2, cards=8, hand_size=4, row_length=3),
]


def test_penalty_tables() -> None:
    sixth = [points for row in SIXTH_CARD_POINTS.values() for points in row]
    numbers = [points for row in SIX_NIMMT_POINTS for points in row]
    assert list(penalty_table("sixth_card")) == sixth
    assert list(penalty_table("six_nimmt")) == numbers
    assert card_points("sixth_card", "QS") == 5
    assert [card_points("six_nimmt", card) for card in (55, 100, 40, 15, 11)] == [7, 3, 3, 2, 5]


@pytest.mark.parametrize("game", GAMES)
def test_action_names(game: str) -> None:
    if game in ("sixth_card", "six_nimmt"):
        known = [action_name(game, action) for action in range(GAMES[game].num_actions)]
        assert [GAMES[game].action_name(action) for action in range(len(known))] == known


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: Case) -> None:
    engine = engine_of(case["position"]["rules"])
    engine.set_position(case["position"])
    assert engine.position() == {**case["position"], "rules": engine.rules.to_dict()}
    log = engine.new_log()
    for expected in case["steps"]:
        outcome = engine.step([expected["actions"]], log=log)
        events = engine.events(log)
        dealt = [event for event in events if event["type"] == "deal"]
        assert events == expected["events"] + dealt
        if engine.rules.reward == "penalty":
            assert (-outcome.reward[0]).tolist() == expected["points"]
        if "rewards" in expected:
            assert outcome.reward[0] == pytest.approx(expected["rewards"], abs=1e-6)
        after = engine.position()
        if expected["phase"] == "deal":
            assert outcome.flags[0] == ROUND_END
            assert (after["phase"], after["turn"], len(dealt)) == ("card", 1, 1)
        else:
            assert outcome.flags[0] == (ROUND_END | MATCH_END) * (expected["phase"] == "over")
            assert (after["phase"], after["rows"]) == (expected["phase"], expected["rows"])
            assert dealt == []


# --- Random matches, step by step beside the slow rules -------------------------------------------


def in_step(engine: Engine, rng: random.Random) -> Counter[str]:
    """Play one match on the engine and the slow rules, and compare everything after each step."""
    slow = SlowRows(engine.position())
    seats, log = range(engine.num_players), engine.new_log()
    seen = Counter[str]()
    while slow.phase != "over":
        legal = [engine.legal_actions(0, seat) for seat in seats]
        assert legal == [sorted(slow.legal(seat)) for seat in seats]
        actions = [rng.choice(options) for options in legal]
        outcome, expected = engine.step([actions], log=log), slow.step(actions)
        assert outcome.reward[0] == pytest.approx(expected.rewards, abs=1e-5)
        ends = ROUND_END * expected.round_ended + MATCH_END * expected.match_over
        assert outcome.flags[0] == ends
        position, events = engine.position(), engine.events(log)
        if slow.phase == "deal":
            slow.next_deal(position)
            assert events.pop() == deal_event(position)
        assert events == expected.events
        assert position == slow.position()
        seen.update(event["type"] for event in events)
    return seen


def deal_event(position: Json) -> Json:
    fields = {name: position[name] for name in ("round", "dealer", "rows", "hands")}
    return {"type": "deal", **fields}


def play_tables(tables: list[Json], matches: int, changes: Json) -> Counter[str]:
    seen = Counter[str]()
    for number, table in enumerate(tables):
        reward = ("penalty", "relative", "win")[number % 3]
        setup = {**table, "reward": reward, **changes}
        engine, rng = engine_of(setup, seed=number), random.Random(number)
        for match in range(matches):
            if match:
                engine.reset()
            seen += in_step(engine, rng)
    return seen


LENGTHS: list[Json] = [{}, {"target_score": 44}, {"num_rounds": 3, "target_score": None}]


@pytest.mark.parametrize("row_choice", ["player", "cheapest"])
@pytest.mark.parametrize("length", LENGTHS, ids=["66", "44", "3 rounds"])
def test_random_matches(length: Json, row_choice: str) -> None:
    seen = play_tables(FULL_TABLES, 1, {**length, "row_choice": row_choice})
    assert seen["take"] > 0
    assert (seen["row_decision"] > 0) == (row_choice == "player")


@pytest.mark.parametrize("row_choice", ["player", "cheapest"])
def test_random_small_matches(row_choice: str) -> None:
    changes = {"row_choice": row_choice, "target_score": 20}
    seen = play_tables(SMALL_TABLES + NARROW_TABLES, 10, changes)
    assert (seen["row_decision"] > 0) == (row_choice == "player")


def test_one_row_leaves_no_choice() -> None:
    assert play_tables(NARROW_TABLES[:2], 20, {"target_score": 20})["row_decision"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("row_choice", ["player", "cheapest"])
@pytest.mark.parametrize("table", FULL_TABLES + SMALL_TABLES + NARROW_TABLES, ids=name_of)
def test_many_random_matches(table: Json, row_choice: str) -> None:
    play_tables([table], 60, {"row_choice": row_choice})


# --- Rewards and deals ----------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 4, 7])
def test_penalty_rewards_of_a_match_are_minus_the_points(players: int) -> None:
    engine = engine_of(rules(players=players), num_games=20)
    total, over = np.zeros((20, players)), np.zeros(20, np.bool_)
    for step in range(400):
        outcome = engine.step(engine.sample_actions(step))
        total += outcome.reward
        over |= (outcome.flags & MATCH_END) > 0
        if over.all():
            break
    assert over.all()
    assert (total == -engine.states["totals"][:, :players]).all()


def test_relative_and_win_rewards_of_a_match() -> None:
    for reward, sums in (("relative", 0.0), ("win", 1.0)):
        engine = engine_of(rules(players=3, reward=reward), num_games=10)
        total = np.zeros((10, 3))
        for step in range(300):
            total += engine.step(engine.sample_actions(step)).reward
        assert engine.states["phase"].tolist() == [2] * 10
        assert total.sum(axis=1) == pytest.approx([sums] * 10, abs=1e-4)
        if reward == "win":
            totals = engine.states["totals"][:, :3]
            wins = totals == totals.min(axis=1, keepdims=True)
            assert total == pytest.approx(wins / wins.sum(axis=1, keepdims=True))


def chi_square(counts: Any, expected: float) -> float:
    return float(((np.asarray(counts) - expected) ** 2).sum() / expected)


def test_deals_and_dealers_are_uniform() -> None:
    """Of 5200 deals every card lies in seat 0's hand and on a row as often as any other."""
    engine = engine_of(rules(players=4), seed=3, num_games=5200)
    observation, table = look(engine)[0][:, 0], engine.game.table
    hands = observation[:, table["hand"]].sum(axis=0)
    rows = np.bincount(observation[:, table["row_cards"]].ravel(), minlength=53)[1:]
    dealers = np.bincount(observation[:, table.start("dealer")], minlength=4)
    # 51 degrees of freedom: above 87 in one of a thousand samples; 3: above 16.3.
    assert (hands.sum(), rows.sum()) == (52000, 20800)
    assert chi_square(hands, 1000) < 87
    assert chi_square(rows, 400) < 87
    assert chi_square(dealers, 1300) < 16.3


def test_deals_do_not_depend_on_what_is_played() -> None:
    one, two = (engine_of(rules(players=3, num_rounds=3), seed=5) for _ in range(2))
    for seed, engine in ((1, one), (2, two)):
        while engine.position()["round"] < 3:
            engine.step(engine.sample_actions(seed))
    a, b = one.position(), two.position()
    assert (a["hands"], a["rows"], a["dealer"]) == (b["hands"], b["rows"], b["dealer"])
    assert a["totals"] != b["totals"]


def test_dealer_moves_left_and_everything_is_dealt_anew() -> None:
    engine = engine_of(rules(players=5, num_rounds=4), seed=8)
    log, deals = engine.new_log(), []
    engine.reset(8, log=log)
    deals += engine.events(log)
    while engine.position()["phase"] != "over":
        engine.step(engine.sample_actions(1), log=log)
        deals += [event for event in engine.events(log) if event["type"] == "deal"]
    assert [event["round"] for event in deals] == [1, 2, 3, 4]
    first = deals[0]["dealer"]
    assert [event["dealer"] for event in deals] == [(first + i) % 5 for i in range(4)]
    assert len({str(event["hands"]) for event in deals}) == 4


def test_a_finished_match_stays_finished() -> None:
    engine = engine_of(rules(players=2, hand_size=1, num_rounds=1))
    while engine.position()["phase"] != "over":
        engine.step(engine.sample_actions(0))
    before, log = engine.position(), engine.new_log()
    outcome = engine.step([[56, 56]], log=log)
    assert (outcome.flags[0], outcome.reward[0].tolist()) == (0, [0.0, 0.0])
    assert (engine.events(log), engine.position()) == ([], before)
