"""Positions and views in: what is read, what is refused, and with which words."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from sixth_env.errors import PositionError
from sixth_env.notation import validate_position
from tests.cases_rows import CASES
from tests.cases_rows_build import rules
from tests.rows_play import (
    TABLES,
    Change,
    Json,
    engine_of,
    example,
    in_order,
    look,
    name_of,
    positions,
    put,
    same_records,
    walk,
)
from tests.slow_rows_check import check_position


def accepted(position: Json) -> bool:
    try:
        validate_position(position)
    except PositionError:
        return False
    return True


def accepted_by_the_slow_rules(position: Json) -> bool:
    try:
        check_position(position)
    except (AssertionError, TypeError, ValueError, IndexError, KeyError):
        return False
    return True


# --- What is read ---------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_positions_come_back_as_they_were_and_play_on_alike(setup: Json) -> None:
    engine, other = engine_of(setup, seed=4), engine_of(setup, seed=4)
    for step in walk(engine, seed=4, steps=40):
        position = json.loads(json.dumps(engine.position()))
        other.set_position(position)
        assert other.position() == position
        (ours, our_mask), (theirs, their_mask) = look(engine), look(other)
        assert ours.tobytes() == theirs.tobytes() and our_mask.tobytes() == their_mask.tobytes()
        if position["phase"] != "over" and step % 4 == 0:
            twin = engine.copy()
            other.states["episode"] = engine.states["episode"]
            actions = twin.sample_actions(step)
            log = twin.new_log()
            told = twin.step(actions, log=log).reward.tolist(), twin.events(log)
            assert told == (other.step(actions, log=log).reward.tolist(), other.events(log))
            assert other.position() == twin.position()


def test_rules_may_be_left_out_for_an_engine() -> None:
    position = example()
    engine = engine_of(position["rules"])
    engine.set_position({name: value for name, value in position.items() if name != "rules"})
    assert engine.position() == position


def test_other_spellings_are_read() -> None:
    position = CASES[0]["position"]
    plain = json.dumps(position)
    for letter, symbol in zip("CDHS", "♣♦♥♠", strict=True):
        for rank in ("A", "2", "9", "J", "Q", "K"):
            plain = plain.replace(f'"{rank}{letter}"', f'"{rank}{symbol}"')
        plain = plain.replace(f'"10{letter}"', f'"T{letter}"')
    assert "\\u" in plain or "♣" in plain
    engine = engine_of(position["rules"])
    engine.set_position(json.loads(plain))
    assert engine.position() == position


def test_without_played_cards_those_columns_are_empty() -> None:
    position = example()
    engine, other = engine_of(position["rules"], seed=1), engine_of(position["rules"], seed=1)
    engine.set_position(position)
    other.set_position({name: value for name, value in position.items() if name != "played"})
    waiting = {entry["player"]: entry["card"] for entry in position["revealed"]}
    known = [
        [None] * (len(cards) - 1) + [waiting.get(seat)]
        for seat, cards in enumerate(position["played"])
    ]
    assert other.position() == {**position, "played": known}
    played = engine.game.table["played"]
    ours, theirs = look(engine)[0], look(other)[0]
    gone = ours != theirs
    assert gone.any() and not gone[..., : played.start].any() and not gone[..., played.stop :].any()
    assert (theirs[gone] == 0).all()
    # Such a position is written and read again without loss, and plays on like the other one.
    third = engine_of(position["rules"], seed=1)
    third.set_position(other.position())
    assert third.position() == other.position()
    for step in range(30):
        actions = engine.sample_actions(step)
        for twin in (engine, other, third):
            twin.step(actions)
        assert other.position() == third.position()
    assert engine.position() == other.position()  # a round later, all played cards are known


def test_committed_cards_are_checked_and_left_to_the_environment() -> None:
    position = example("card")
    engine = engine_of(position["rules"])
    hand = position["hands"][1]
    engine.set_position({**position, "chosen": [None, hand[0], None, None]})
    assert engine.position() == position


# --- What is refused ------------------------------------------------------------------------------

REFUSED: list[tuple[str, Change, str]] = [
    ("no object", lambda p: 5, "position: Input should be"),
    ("unknown field", put("colour", "red"), "position colour: Extra inputs"),
    ("missing field", lambda p: p.pop("stock") and None, "position stock: Field required"),
    ("no card", put("hands", 1, 0, "1C"), r"position hands\[1\]\[0\]: '1C' is not a card"),
    ("a number", put("rows", 0, 0, 7), r"position rows\[0\]\[0\]: 7 is not a card"),
    ("null", put("hands", 0, None), r"position hands\[0\]: Input should be a valid list"),
    ("a float", put("turn", 1.0), "position turn: Input should be a valid integer"),
    ("a truth value", put("dealer", True), "position dealer: Input should be a valid integer"),
    ("text", put("totals", 2, "3"), r"position totals\[2\]: Input should be a valid integer"),
    ("phase", put("phase", "deal"), "position phase: Input should be 'card', 'row' or 'over'"),
    ("negative", put("totals", 0, -1), r"position totals\[0\]: .*greater than or equal to 0"),
    ("eleven cards", lambda p: p["hands"][0].extend(["AC"] * 9), r"hands\[0\]: .* at most 10"),
    ("dealer", put("dealer", 4), "dealer must be a seat from 0 to 3"),
    ("players", put("players", 3), "players is 3, but this game's is 4"),
    ("decks", put("decks", 2), "decks is 2, but this game's is 1"),
    ("game", put("game", "six_nimmt"), "six_nimmt|is not a card"),
    ("seats", lambda p: p["hands"].pop() and None, "hands must have 4 entries"),
    ("rows", lambda p: p["rows"].pop() and None, "rows must be 4, not 3"),
    ("hand", lambda p: p["stock"].append(p["hands"][2].pop()), r"hands\[2\] must have . cards"),
    ("turn", put("turn", 9), "turn 9"),
    ("table", lambda p: p["stock"].append(p["piles"][0].pop()), "rows, piles and revealed must"),
    ("twice", lambda p: put("stock", 0, p["hands"][0][0])(p), "in 2 places, expected 1"),
    ("nowhere", lambda p: p["stock"].pop() and None, "in 0 places, expected 1"),
    ("unsorted hand", lambda p: p["hands"][0].reverse(), r"hands\[0\] must ascend"),
    ("unsorted row", lambda p: max(p["rows"], key=len).reverse(), r"rows\[.\] must ascend"),
    ("no reveal", put("revealed", []), "revealed"),
    ("order", lambda p: p["revealed"].reverse(), "revealed must be in placing order"),
    ("two of one", lambda p: put("revealed", 1, "player", p["revealed"][0]["player"])(p), "two"),
    ("no seat", put("revealed", 1, "player", 7), "a player 7, who is no seat"),
    ("no choice", put("phase", "card"), "turn"),
    ("other card", lambda p: p["played"][p["revealed"][0]["player"]].reverse(), r"must end with"),
    ("astray", lambda p: put("played", 0, 0, p["stock"][0])(p), "not in rows and piles"),
    ("unplayed", lambda p: p["played"][0].pop() and None, r"played\[0\] must have"),
    ("match over", put("round", 5), "the match ended with the round before"),
    ("first round", put("round", 1), "totals must be 0 before round 1"),
    ("not over", put("phase", "over"), "phase over needs turn 10"),
    ("chosen", lambda p: put("chosen", 0, p["hands"][0][0])(p), r"chosen\[0\] must be null"),
]


@pytest.mark.parametrize(
    ("change", "message"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED]
)
def test_refusals_name_the_field(change: Change, message: str) -> None:
    position = example()
    engine = engine_of(position["rules"])
    before = engine.save()
    spoiled = copy.deepcopy(position)
    result = change(spoiled)
    with pytest.raises(PositionError, match=message) as caught:
        engine.set_position(spoiled if result is None else result)
    assert "\n" not in str(caught.value)
    assert same_records(engine.save(), before)


def test_a_committed_card_must_be_in_the_hand() -> None:
    position = example("card")
    position["chosen"][0] = position["hands"][1][0]
    with pytest.raises(PositionError, match=r"chosen\[0\] must be in hands\[0\]"):
        engine_of(position["rules"]).set_position(position)


@pytest.mark.parametrize(
    ("setup", "changes", "message"),
    [
        ({}, {"target_score": 44}, "rules.target_score is 44, but this game's is 66"),
        ({}, {"num_rounds": 3}, "rules.target_score is None, but this game's is 66"),
        ({}, {"row_choice": "cheapest"}, "rules.row_choice is 'cheapest'"),
        ({}, {"reward": "win"}, "rules.reward is 'win'"),
        ({}, {"hand_size": 9}, "rules.hand_size is 9"),
        ({}, {"cards": 51}, "rules.cards is 51"),
        ({}, {"exact_deck": True, "cards": 44, "decks": 2}, "exact_deck uses one deck"),
        ({"players": 5}, {"decks": 1}, "needs decks=2, not decks=1"),
        ({}, {"num_players": 11}, "num_players must be from 2 to 10"),
        ({}, {"speed": 3}, "rules.speed: Extra inputs"),
    ],
)
def test_other_rules_are_refused_with_the_difference(
    setup: Json, changes: Json, message: str
) -> None:
    table = rules(**setup)
    engine = engine_of(table)
    position = engine.position()
    position["rules"] = {**table, **changes}
    with pytest.raises(PositionError, match=message):
        engine.set_position(position)


def test_row_decisions_need_rules_that_ask_for_them() -> None:
    position = example()
    position["rules"]["row_choice"] = "cheapest"
    with pytest.raises(PositionError, match="lets nobody choose"):
        validate_position(position)
    setup = rules(players=2, cards=12, hand_size=3, rows=1, num_rounds=1)
    engine = engine_of(setup)
    start = engine.position()
    low = {"player": 0, "card": start["hands"][0].pop(0)}
    high = {"player": 1, "card": start["hands"][1].pop(0)}
    order = in_order("sixth_card", [low["card"], high["card"]])
    revealed = [low, high] if order[0] == low["card"] else [high, low]
    start.update(phase="row", revealed=revealed, played=[[low["card"]], [high["card"]]])
    with pytest.raises(PositionError, match="leaves no choice of row"):
        engine.set_position(start)


# --- The same verdict as the slow rules, over random damage ---------------------------------------


def swap(position: Json, rng: random.Random) -> None:
    """Exchange two cards on the table, in hands or in the stock."""
    piles = [cards for cards in [*stacks(position), position["stock"]] if cards]
    one, two = rng.choice(piles), rng.choice(piles)
    i, j = rng.randrange(len(one)), rng.randrange(len(two))
    one[i], two[j] = two[j], one[i]


def stacks(position: Json) -> list[list[Any]]:
    names = ("hands", "rows", "piles", "played")
    return [cards for name in names for cards in position.get(name, [])]


def move(position: Json, rng: random.Random) -> None:
    """Take a card from one place to another."""
    one = rng.choice([cards for cards in stacks(position) if cards])
    rng.choice(stacks(position)).append(one.pop(rng.randrange(len(one))))


def count(position: Json, rng: random.Random) -> None:
    position[rng.choice(["turn", "round", "dealer", "players", "decks"])] += rng.choice([-1, 1])


def shuffle(position: Json, rng: random.Random) -> None:
    rng.shuffle(position[rng.choice(["hands", "piles", "rows", "revealed", "totals", "stock"])])


def choose(position: Json, rng: random.Random) -> None:
    cards = [card for hand in [*position["hands"], position["rows"][0]] for card in hand]
    position["chosen"][rng.randrange(len(position["chosen"]))] = rng.choice(cards)


def score(position: Json, rng: random.Random) -> None:
    position["totals"][rng.randrange(len(position["totals"]))] = rng.choice([0, 5, 65, 66, 70])


def reveal(position: Json, rng: random.Random) -> None:
    if position["revealed"]:
        entry = rng.choice(position["revealed"])
        entry[rng.choice(["player", "card"])] = rng.choice([0, 1, "5C", 7])


def configure(position: Json, rng: random.Random) -> None:
    position["rules"][rng.choice(["cards", "hand_size", "rows", "decks"])] += 1


def rename(position: Json, rng: random.Random) -> None:
    position["phase"] = rng.choice(["card", "row", "over"])


def forget(position: Json, rng: random.Random) -> None:
    position.pop("played", None)


CHANGES = [swap, swap, move, count, shuffle, choose, score, reveal, configure, rename, forget]


def damaged(position: Json, rng: random.Random) -> Json:
    """The position after a few changes, after which it may well be consistent again."""
    spoiled = copy.deepcopy(position)
    for change in rng.choices(CHANGES, k=rng.choice([1, 1, 2])):
        change(spoiled, rng)
    if rng.random() < 0.8:
        for name in ("hands", "piles"):
            spoiled[name] = [in_order(spoiled["game"], cards) for cards in spoiled[name]]
    return spoiled


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_same_verdict_as_the_slow_rules(setup: Json) -> None:
    rng, verdicts = random.Random(7), {True: 0, False: 0}
    for position in positions(setup, seed=7, steps=60):
        assert accepted(position)
        for _ in range(4):
            spoiled = damaged(position, rng)
            verdict = accepted(spoiled)
            assert verdict == accepted_by_the_slow_rules(spoiled), spoiled
            verdicts[verdict] += 1
    assert min(verdicts.values()) > 20
