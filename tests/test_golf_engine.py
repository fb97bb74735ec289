"""The compiled rules of the golf game against hand-worked cases and the slow rules."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env import Batch
from sixth_env.engine import MATCH_END, ROUND_END, TRUNCATED, Engine
from sixth_env.errors import ConfigError, IllegalActionError
from sixth_env.games import GAMES
from sixth_env.games.golf.cards import golf_card_index, golf_card_name
from tests.cases_golf import CASES, HANDS, KNOCKS, PAIRS
from tests.cases_golf_build import Case, position, rules
from tests.digest_golf import all_digests
from tests.golf_play import (
    STYLES,
    TABLES,
    Json,
    choose,
    engine_at,
    engine_of,
    name_of,
    position_in,
    positions,
    without_extras,
)
from tests.rows_play import look, same_records
from tests.slow_golf import WAIT, SlowGolf, action_name, check_reachable, deck
from tests.slow_golf_check import CARDS, DRAW, KNOCK, in_order
from tests.test_batch import arrays, assert_same, play
from tests.test_engine_rows import chi_square

ROOT = Path(__file__).resolve().parents[1]
GAME = GAMES["sixes_golf"]


def test_cards_and_actions() -> None:
    assert [golf_card_name(card) for card in range(53)] == CARDS
    names = ("AC", "10h", "T♥", "KS", "Joker", " JOKER ")
    assert [golf_card_index(name) for name in names] == [0, 38, 38, 51, 52, 52]
    assert [GAME.action_name(action) for action in range(23)] == [action_name(a) for a in range(23)]
    assert (GAME.num_actions, GAME.wait) == (23, WAIT)
    for name in ("1C", "10", "", "jokers", 6, None):
        with pytest.raises(ValueError, match="is not a card"):
            golf_card_index(name)
    for action in (-1, 23):
        with pytest.raises(IllegalActionError, match="no action"):
            GAME.action_name(action)


# --- Points ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pair", "score"), PAIRS)
def test_pairs(pair: str, score: int) -> None:
    one, two = (golf_card_index(card) >> 2 for card in pair.split())
    assert GAME.kernels.pair_points(one, two) == GAME.kernels.pair_points(two, one) == score


@pytest.mark.parametrize(("hand", "score"), HANDS)
def test_hands(hand: str, score: int) -> None:
    state = np.zeros(1, GAME.state)[0]
    state["hands"][3] = [golf_card_index(card) for card in hand.split()]
    assert GAME.kernels.hand_points(state, 3) == score


@pytest.mark.parametrize(("raw", "knocker", "points"), KNOCKS)
def test_knocks(raw: list[int], knocker: int | None, points: list[int]) -> None:
    record = np.zeros(1, GAME.kernels.RULES)[0]
    state = np.zeros(1, GAME.state)[0]
    record["num_players"], state["knocker"] = len(raw), -1 if knocker is None else knocker
    for seat, score in enumerate(raw):
        cards = hand_of(score)
        state["hands"][seat] = [golf_card_index(card) for card in cards]
        assert GAME.kernels.hand_points(state, seat) == score
    found = [GAME.kernels.round_points(state, record, seat) for seat in range(len(raw))]
    assert found == points


def hand_of(score: int) -> list[str]:
    """Six cards of this score, worked out by trying; the pack does not matter."""
    pairs = {-4: "joker joker", -3: "joker AC", -2: "AC AD", -1: "AC 9C", 0: "2C 2D", 20: "JC QC"}
    pairs |= {n: f"2C {n - 2}C" for n in (5, 6, 7, 8, 9, 10)}
    for a, one in pairs.items():
        for b, two in pairs.items():
            for c, three in pairs.items():
                if a + b + c == score:
                    return f"{one} {two} {three}".split()
    raise AssertionError(f"no hand of {score}")


# --- Cases ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: Case) -> None:
    engine = engine_at(case["position"])
    assert engine.position() == case["position"]
    log = engine.new_log()
    for expected in case["steps"]:
        assert engine.position()["to_act"] == expected["player"]
        assert engine.legal_actions(0, expected["player"]) == sorted(expected["legal"])
        if "order" in expected:  # the engine has an order of its own: start from the wanted one
            engine.step([[expected["action"]]], log=log)
            events, after = engine.events(log), engine.position()
            drawn, *rest = expected["order"]
            assert in_order([after["drawn"], *after["draw_pile"]]) == in_order(expected["order"])
            engine.set_position({**after, "drawn": drawn, "draw_pile": rest})
            for event in events:
                if event["type"] == "draw":
                    event["card"] = drawn
            rewards, gains, flags = [0.0] * engine.num_players, expected["gains"], 0
        else:
            outcome = engine.step([[expected["action"]]], log=log)
            events, rewards = engine.events(log), outcome.reward[0].tolist()
            gains = engine.states["gains"][0, : engine.num_players].tolist()
            flags = int(outcome.flags[0])
        after = engine.position()
        assert without_extras(events) == expected["events"]
        assert rewards == pytest.approx(expected.get("rewards", expected["gains"]), abs=1e-5)
        assert gains == expected["gains"]
        assert bool(flags & TRUNCATED) == expected["truncated"]
        assert after["phase"] == ("reveal" if expected["phase"] == "deal" else expected["phase"])
        assert {name: after[name] for name in expected["facts"]} == expected["facts"]


# --- Random matches, step by step beside the slow rules -------------------------------------------


def in_step(engine: Engine, rng: random.Random, style: dict[str, float]) -> Counter[str]:
    """Play one match on the engine and the slow rules, and compare everything after each step."""
    slow = SlowGolf(engine.position())
    seats, log = range(engine.num_players), engine.new_log()
    seen = Counter[str]()
    while slow.phase != "over":
        legal = [engine.legal_actions(0, seat) for seat in seats]
        assert legal == [sorted(slow.legal(seat)) for seat in seats]
        action = choose(legal[slow.to_act], slow.phase, style, rng)
        outcome = engine.step([[action]], log=log)
        position, events = engine.position(), engine.events(log)
        if action == DRAW and slow.needs_refill:
            slow.refill([position["drawn"], *position["draw_pile"]])
        expected = slow.step(action)
        assert outcome.reward[0] == pytest.approx(expected.rewards, abs=1e-4)
        ends = ROUND_END * expected.round_ended + MATCH_END * expected.match_over
        assert outcome.flags[0] == ends + TRUNCATED * expected.truncated
        if slow.phase == "deal":
            slow.next_deal(position)
            assert events[-1] == deal_event(position)
        assert without_extras(events) == expected.events
        assert position == slow.position()
        check_reachable(position)
        seen.update(event["type"] for event in events)
    return seen


def deal_event(position: Json) -> Json:
    fields = {name: position[name] for name in ("round", "dealer", "hands")}
    return {"type": "deal", **fields, "discard": position["discard_pile"][0]}


def play_tables(tables: list[Json], matches: int, changes: Json) -> Counter[str]:
    seen = Counter[str]()
    for number, table in enumerate(tables):
        reward = ("points", "relative", "win")[number % 3]
        engine = engine_of({**table, "reward": reward, **changes}, seed=number)
        rng = random.Random(number)
        for match in range(matches):
            if match:
                engine.reset()
            seen += in_step(engine, rng, STYLES[(number + match) % len(STYLES)])
    return seen


ALL_EVENTS = {
    *("turn_up", "take_discard", "swap_drawn", "discard_drawn", "draw", "refill", "knock"),
    *("went_out", "round_end", "match_end", "cut_off", "deal"),
}


@pytest.mark.parametrize("players", range(2, 9))
def test_random_matches(players: int) -> None:
    table = rules(players, num_rounds=2, max_turns=150)
    seen = play_tables([table, {**table, "practice_round": True}], 5, {})
    assert ALL_EVENTS - set(seen) <= {"cut_off"}
    assert seen["match_end"] + seen["cut_off"] == 10


def test_whole_matches_by_the_default_rules() -> None:
    seen = play_tables([rules(players) for players in range(2, 9)], 20, {"max_turns": 60})
    assert seen["match_end"] + seen["cut_off"] == 140
    assert seen["match_end"] > 20 < seen["cut_off"]


@pytest.mark.slow
@pytest.mark.parametrize("reward", ["points", "relative", "win"])
@pytest.mark.parametrize("table", TABLES, ids=name_of)
def test_many_random_matches(table: Json, reward: str) -> None:
    play_tables([table], 100, {"reward": reward})


# --- Refills, caps and rounds ---------------------------------------------------------------------


def used_up(players: int = 3, **fields: Any) -> Json:
    """The draw pile is empty: all cards that are not in the hands have been discarded."""
    hands = ["2C (3C) 4C (5C) (6C) (7C)", "2D (3D) (4D) (5D) 6D (7D)", "2H 3H (4H) (5H) (6H) (7H)"]
    setup = rules(players, num_rounds=2)
    return position(setup, hands, used_up=True, dealer=0, to_act=1, turns=31, **fields)


def test_the_draw_pile_is_refilled_from_all_discards_but_the_top_when_somebody_draws() -> None:
    before = used_up()
    engine = engine_at(before)
    log = engine.new_log()
    engine.step([[DRAW]], log=log)
    after, events = engine.position(), engine.events(log)
    assert [event["type"] for event in events] == ["refill", "draw"]
    assert after["discard_pile"] == before["discard_pile"][:1] and after["refilled"]
    pile = [after["drawn"], *after["draw_pile"]]
    assert in_order(pile) == in_order(before["discard_pile"][1:])
    assert pile != before["discard_pile"][1:]
    # Taking the discard or turning a card up needs no pile.
    for action in (1, 6):
        engine = engine_at(before)
        engine.step([[action]])
        assert engine.position()["draw_pile"] == [] and not engine.position()["refilled"]


def test_a_refill_is_uniform_and_depends_on_the_stream_and_the_turn_alone() -> None:
    before = used_up()
    engines = engine_of(before["rules"], seed=4, num_games=2600)
    for index in range(2600):
        engines.set_position(before, index)
    engines.step(np.full((2600, 1), DRAW))
    counts = np.bincount(engines.states["drawn"], minlength=53)
    cards = [golf_card_index(card) for card in before["discard_pile"][1:]]
    expected = [2600 / len(cards) * cards.count(card) for card in sorted(set(cards))]
    found = counts[sorted(set(cards))]
    assert found.sum() == 2600
    # 34 different cards: above 66 in one of a thousand samples.
    assert (np.square(found - expected) / expected).sum() < 66
    turns = [drawn_after(used_up(), seed=4, turns=turns) for turns in (31, 31, 32)]
    assert turns[0] == turns[1] != turns[2]


def drawn_after(place: Json, seed: int, turns: int) -> list[str]:
    engine = engine_at({**place, "turns": turns}, seed)
    engine.step([[DRAW]])
    pile: list[str] = [engine.position()["drawn"], *engine.position()["draw_pile"]]
    return pile


def test_deals_do_not_depend_on_what_is_played() -> None:
    """Not on refills either: two rounds played differently are followed by the same deal."""
    found = []
    for style in (0, 4):
        for place in positions(rules(4, num_rounds=3, max_turns=400), 6, 2000, style):
            if place["round"] == 2:
                found.append(place)
                break
            last = place
        assert last["refilled"] == (style == 4)
    one, two = found
    for field in ("hands", "draw_pile", "discard_pile", "dealer"):
        assert one[field] == two[field]


def test_deals_and_dealers_are_uniform() -> None:
    """Of 5300 deals every card lies in a slot as often as any other, jokers twice as often."""
    engine = engine_of(rules(4), seed=3, num_games=5400)
    for cards in (engine.states["hands"][:, 0, 0], engine.states["hands"][:, 3, 5]):
        counts = np.bincount(cards, minlength=53)
        counts[52] //= 2
        # 52 degrees of freedom: above 90 in one of a thousand samples; 3: above 16.3.
        assert chi_square(counts, 100) < 90
    assert chi_square(np.bincount(engine.states["dealer"], minlength=4), 1350) < 16.3
    for players in (4, 5):
        place = engine_of(rules(players)).position()
        cards = [c for hand in place["hands"] for c in hand] + place["draw_pile"]
        assert in_order(cards + place["discard_pile"]) == in_order(deck(players))
        assert (len(place["discard_pile"]), place["phase"]) == (1, "reveal")
        assert place["to_act"] == place["dealer"]


def test_the_deal_moves_on_and_the_practice_round_is_not_counted() -> None:
    engine = engine_of(rules(3, num_rounds=2, practice_round=True), seed=2)
    rounds, total = [engine.position()["round"]], np.zeros(3)
    dealers = [engine.position()["dealer"]]
    for step in range(500):
        outcome = engine.step(engine.sample_actions(step))
        total += outcome.reward[0]
        if outcome.flags[0] & MATCH_END:
            break
        if outcome.flags[0] & ROUND_END:
            rounds.append(engine.position()["round"])
            dealers.append(engine.position()["dealer"])
            if rounds == [0, 1]:
                assert not total.any() and engine.position()["totals"] == [0, 0, 0]
    assert rounds == [0, 1, 2]
    assert [(dealer - dealers[0]) % 3 for dealer in dealers] == [0, 1, 2]
    assert total.tolist() == [-points for points in engine.position()["totals"]]


def test_rewards_of_a_match() -> None:
    for reward in ("points", "relative", "win"):
        engine = engine_of(rules(3, num_rounds=3, reward=reward), num_games=20)
        total, over = np.zeros((20, 3)), np.zeros(20, np.bool_)
        for step in range(400):
            outcome = engine.step(engine.sample_actions(step))
            total += outcome.reward
            over |= outcome.flags & MATCH_END > 0
        assert over.all()
        points = engine.states["totals"][:, :3].astype(float)
        wins = points == points.min(axis=1, keepdims=True)
        expected = {
            "points": -points,
            "relative": (points.sum(axis=1, keepdims=True) - 3 * points) / 2,
            "win": wins / wins.sum(axis=1, keepdims=True),
        }
        assert total == pytest.approx(expected[reward], abs=1e-3)


def test_the_cap_cuts_a_match_off_without_paying_anything() -> None:
    for reward in ("points", "relative", "win"):
        engine = engine_of(rules(2, max_turns=2, reward=reward), num_games=50)
        log_of_flags, total = np.zeros(50, np.int64), np.zeros((50, 2))
        for step in range(30):
            outcome = engine.step(engine.sample_actions(step))
            fresh = log_of_flags & (TRUNCATED | MATCH_END) == 0
            log_of_flags |= outcome.flags * fresh
            total += outcome.reward * ((log_of_flags & ROUND_END) == 0)[:, None]
        cut = log_of_flags == TRUNCATED
        assert cut.sum() > 10 and (log_of_flags & ROUND_END).any()
        assert not total[cut].any()


def test_the_final_observation_of_a_match_that_is_cut_off_shows_the_turn_that_never_came() -> None:
    batch = Batch("sixes_golf", 16, seed=1, max_turns=1)
    table = GAME.table
    for step in range(100):
        result = batch.step(batch.sample_actions(step))
        if result.truncated.any():
            assert not (result.terminated & result.truncated).any()
            assert result.final_observation is not None
            final = result.final_observation[result.truncated, 0]
            assert (final[:, table["phase"]] == [0, 1, 0, 0, 0]).all()
            assert (final[:, table["turns_left"]] == 0).all()
            assert (final[:, table["to_act"]] == 0).all()
            fresh = result.observation[result.truncated, 0]
            assert (fresh[:, table["face_down"]][:, :24] == 1).all()
            return
    raise AssertionError("no match was cut off")


@pytest.mark.parametrize("setup", [rules(2, num_rounds=1), rules(2, max_turns=1)])
def test_a_finished_match_stays_finished(setup: Json) -> None:
    for place in positions(setup, seed=3, steps=300, style=0):
        if place["phase"] == "over":
            break
    engine = engine_at(place)
    log = engine.new_log()
    outcome = engine.step([[WAIT]], log=log)
    assert (outcome.flags[0], outcome.reward[0].tolist()) == (0, [0.0, 0.0])
    assert (engine.events(log), engine.position()) == ([], place)
    for action in (0, DRAW, KNOCK):
        with pytest.raises(IllegalActionError, match=r"legal now: \[22\]"):
            engine.step([[action]])


# --- Configuration --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"num_players": 1}, "num_players must be from 2 to 8, not 1"),
        ({"num_players": 9}, "num_players must be from 2 to 8, not 9"),
        ({"num_players": 3.0}, "num_players must be a whole number"),
        ({"num_players": True}, "num_players must be a whole number"),
        ({"num_rounds": 0}, "num_rounds must be from 1"),
        ({"num_rounds": None}, "num_rounds must be a whole number"),
        ({"practice_round": 1}, "practice_round must be True or False"),
        ({"max_turns": 0}, "max_turns must be from 1"),
        ({"reward": "chips"}, "reward must be one of points, relative, win"),
        ({"decks": 1}, "sixes_golf has no option 'decks'"),
    ],
)
def test_configurations_that_are_refused(config: Json, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Engine("sixes_golf", **config)


def test_the_default_rules() -> None:
    expected = {**rules(4), "max_turns": 240}
    assert GAME.rules().to_dict() == expected


# --- Many games at once ---------------------------------------------------------------------------

CONFIGS: list[Json] = [{"num_rounds": 2}, {"num_players": 2, "max_turns": 5}, {"num_players": 8}]


@pytest.mark.parametrize("config", CONFIGS)
def test_a_batch_is_its_games_one_by_one(config: Json) -> None:
    whole = play(Batch("sixes_golf", 32, seed=11, **config), 400)
    ends = sum((step["terminated"] | step["truncated"]).sum() for step in whole[1:])
    assert ends >= 32
    for index in (0, 17, 31):
        alone = play(Batch("sixes_golf", 1, seed=11, first_index=index, **config), 400)
        games = [{name: array[index : index + 1] for name, array in s.items()} for s in whole]
        for step in [*games, *alone]:  # only where this very game was cut off
            if "final_observation" in step and not step["truncated"][0]:
                del step["final_observation"]
        assert_same(games, alone)


def test_floats_are_scaled_integers_and_threads_change_nothing() -> None:
    integers, floats, threads = (
        Batch("sixes_golf", 9, seed=2, dtype=dtype, threads=n)
        for dtype, n in (("int16", 1), ("float32", 1), ("int16", 2))
    )
    table = integers.game.table
    for step in range(100):
        actions = integers.sample_actions(step)
        one, two, three = (arrays(b.step(actions)) for b in (integers, floats, threads))
        assert np.array_equal(table.to_float(one["observation"]), two["observation"])
        assert np.array_equal(table.to_int(two["observation"]), one["observation"])
        assert_same([one], [three])


@pytest.mark.parametrize("phase", ["reveal", "turn", "drawn", "knock"])
def test_sampled_actions_are_uniform_among_the_legal(phase: str) -> None:
    place = position_in(phase)
    batch = Batch("sixes_golf", 4000, seed=3, **_config(place["rules"]))
    for index in range(4000):
        batch.set_position(place, index)
    legal = np.flatnonzero(batch.observe().action_mask[0, 0])
    counts = np.bincount(batch.sample_actions(7)[:, 0], minlength=23)
    assert counts[legal].sum() == 4000
    assert chi_square(counts[legal], 4000 / len(legal)) < 13.8 + 3 * len(legal)


def _config(setup: Json) -> Json:
    return {name: value for name, value in setup.items() if name != "game"}


@pytest.mark.parametrize("action", [-1, DRAW, KNOCK, WAIT, 23, 255, 2**16, 2**32, -(2**40)])
def test_illegal_actions_are_refused_and_change_nothing(action: Any) -> None:
    batch = Batch("sixes_golf", 3, seed=5)
    before = batch.engine.save()
    actions = batch.sample_actions()
    seat = batch.observe().seat[1, 0]
    actions[1, 0] = action
    with pytest.raises(IllegalActionError) as caught:
        batch.step(actions)
    message = f"player_{seat} of game 1 may not take action {action}; legal now: {[*range(6)]}"
    assert str(caught.value) == message
    assert same_records(batch.engine.save(), before)


def test_masks_have_a_legal_action_for_every_seat_and_wait_for_all_but_one() -> None:
    for place in positions(rules(3, num_rounds=2), seed=1, steps=200):
        engine = engine_at(place)
        masks = [GAME.notation.look(engine.rules, engine.states[0], seat)[1] for seat in range(3)]
        acting = {place["to_act"]} - ({place["to_act"]} if place["phase"] == "over" else set())
        assert [seat for seat in range(3) if not masks[seat][WAIT]] == sorted(acting)
        assert all(mask.sum() == 1 for mask in masks if mask[WAIT])
        assert (look(engine)[1][0, 0] == masks[engine.states["to_act"][0]]).all()


# --- Compiled and interpreted ---------------------------------------------------------------------


def test_interpreted_kernels_do_the_same_without_warnings() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.digest_golf"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    interpreted = run.stdout.split("\n")[:-1]
    assert len(set(interpreted)) == 4
    assert interpreted == all_digests()
