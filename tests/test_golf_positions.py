"""Positions and views of the golf game: what is read, what is refused, and with which words."""

from __future__ import annotations

import copy
import json
import random
import re

import pytest

from sixth_env.errors import PositionError
from sixth_env.games import GAMES
from sixth_env.notation import encode, schema, validate_position, validate_view, view_of
from tests.cases_golf_build import position, rules
from tests.golf_play import (
    TABLES,
    Json,
    engine_at,
    engine_of,
    name_of,
    position_in,
    positions,
    reshuffle_hidden,
    walk,
)
from tests.rows_play import Change, look, put, same_records
from tests.slow_golf_check import check_position

HANDS = ["2C (3C) 4C (5C) (6C) (7C)", "2D 3D (4D) (5D) 6D (7D)", "AH joker (4H) (5H) 6H (7H)"]


def example() -> Json:
    """Seat 1 has knocked, seat 2 has one of the two last turns and has just drawn 10S."""
    place = position(
        rules(3),
        HANDS,
        "8S 9S",
        dealer=0,
        to_act=2,
        phase="drawn",
        knocker=1,
        last_turns=2,
        turns=5,
        round=3,
        totals=[10, -3, 25],
    )
    place["draw_pile"].remove("10S")
    return {**place, "drawn": "10S"}


def accepted(place: Json) -> bool:
    try:
        validate_position(place)
    except PositionError:
        return False
    return True


def accepted_by_the_slow_rules(place: Json) -> bool:
    try:
        check_position(place)
    except (AssertionError, TypeError, ValueError, IndexError, KeyError):
        return False
    return True


# --- What is read ---------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_positions_come_back_as_they_were_and_play_on_alike(setup: Json) -> None:
    other = engine_of(setup, seed=4)
    for step, (engine, found) in enumerate(walk(setup, seed=4, steps=200)):
        place = json.loads(json.dumps(found))
        other.set_position(place)
        assert other.position() == place
        (ours, our_mask), (theirs, their_mask) = look(engine), look(other)
        assert ours.tobytes() == theirs.tobytes() and our_mask.tobytes() == their_mask.tobytes()
        if place["phase"] != "over" and step % 4 == 0:
            twin = engine.copy()
            other.states["episode"] = engine.states["episode"]
            actions, log = twin.sample_actions(step), twin.new_log()
            told = twin.step(actions, log=log).reward.tolist(), twin.events(log)
            assert told == (other.step(actions, log=log).reward.tolist(), other.events(log))
            assert other.position() == twin.position()


def test_the_worked_position_is_sound() -> None:
    check_position(example())
    validate_position(example())


def test_rules_may_be_left_out_for_an_engine() -> None:
    engine = engine_of(rules())
    engine.set_position({name: v for name, v in example().items() if name != "rules"})
    assert engine.position() == example()


def test_other_spellings_are_read() -> None:
    plain = json.dumps(example())
    for letter, symbol in zip("CDHS", "♣♦♥♠", strict=True):
        plain = re.sub(rf'"(10|[2-9AJQK]){letter}"', rf'"\1{symbol}"', plain)
    assert '"6♥"' in plain
    place = json.loads(plain.replace('"10♠"', '"t♠"').replace("joker", "JOKER"))
    engine = engine_of(rules())
    engine.set_position(place)
    assert engine.position() == example()


def test_what_play_cannot_reach_is_accepted() -> None:
    validate_position({**example(), "turns": 0})
    validate_position({**example(), "refilled": True})


# --- What is refused ------------------------------------------------------------------------------


def face(seat: int, up: str) -> Change:
    """Which slots of a seat lie face up, as 0 and 1."""
    return put("face_up", seat, [flag == "1" for flag in up])


REFUSED: list[tuple[str, Change, str]] = [
    ("no object", lambda p: 5, "position: Input should be"),
    ("unknown field", put("colour", "red"), "position colour: Extra inputs"),
    ("missing field", lambda p: p.pop("turns") and None, "position turns: Field required"),
    ("no card", put("hands", 1, 0, "1C"), r"position hands\[1\]\[0\]: '1C' is not a card"),
    ("a number", put("discard_pile", 0, 7), r"position discard_pile\[0\]: 7 is not a card"),
    ("hidden", put("hands", 1, 2, None), r"position hands\[1\]\[2\]: None is not a card"),
    ("five slots", lambda p: p["hands"][0].pop() and None, r"position hands\[0\]: List should"),
    ("a float", put("turns", 2.0), "position turns: Input should be a valid integer"),
    ("a truth value", put("dealer", True), "position dealer: Input should be a valid integer"),
    ("no truth value", put("face_up", 0, 0, 1), r"position face_up\[0\]\[0\]: Input should be"),
    ("phase", put("phase", "deal"), "position phase: Input should be 'reveal', 'turn'"),
    ("no discards", put("discard_pile", []), "position discard_pile: List should have at least"),
    ("negative", put("turns", -1), "position turns: Input should be greater"),
    ("dealer", put("dealer", 3), "dealer must be a seat from 0 to 2"),
    ("to act", put("to_act", 7), "to_act must be a seat from 0 to 2"),
    ("knocker", put("knocker", 5), "knocker must be a seat from 0 to 2"),
    ("players", put("players", 4), "players is 4, but this game's is 3"),
    ("rounds", put("rounds", 3), "rounds is 3, but this game's is 6"),
    ("game", put("game", "sixes_chips"), "game is 'sixes_chips'"),
    ("rules", put("rules", "max_turns", 9), "rules.max_turns is 9, but this game's is"),
    ("other rules", put("rules", "game", "six_nimmt"), "rules.game is 'six_nimmt'"),
    ("bad rules", put("rules", "num_players", 9), "rules are impossible: num_players must be"),
    ("seats", lambda p: p["totals"].pop() and None, "totals must have 3 entries"),
    ("round", put("round", 7), "round must be from 1 to 6, not 7"),
    ("no practice", put("round", 0), "round must be from 1 to 6, not 0"),
    ("turns", put("turns", 401), "turns must be at most 400"),
    ("the cap", put("turns", 400), "turns has reached 400, the cap: the phase must be over"),
    ("twice", put("hands", 0, 1, "2C"), "has the card 2C 2 times, expected 1"),
    ("jokers", put("hands", 0, 0, "joker"), "has the card 2C 0 times, expected 1"),
    ("missing", lambda p: p["draw_pile"].remove("KS"), "has the card KS 0 times, expected 1"),
    ("phase without", put("phase", "turn"), "drawn is not possible in phase turn"),
    ("nothing drawn", lambda p: {**p, "draw_pile": [*p["draw_pile"], "10S"], "drawn": None},
     "drawn is needed in phase drawn"),
    ("two ends", put("went_out", 0), "has both knocker and went_out"),
    ("no end", put("knocker", None), "last_turns must be null until"),
    ("no last turns", put("last_turns", None), "last_turns must be null until"),
    ("none left", put("last_turns", 0), "last_turns must be from 1 to 2"),
    ("order", put("last_turns", 1), "to_act must be 0 with 1 last turns after seat 1"),
    ("not out", lambda p: p.update(went_out=1, knocker=None), "went_out is 1, who has 3 cards"),
    ("knocker out", face(1, "111111"), "knocker is 1, who went out: all cards are face up"),
    ("one up", face(0, "100000"), r"face_up\[0\] must have two cards up"),
    ("all up", face(0, "111111"), r"face_up\[0\] is all up, which ended the round before"),
    ("over", lambda p: {**p, "phase": "over", "draw_pile": [*p["draw_pile"], "10S"], "drawn": None},
     "phase is over, but neither are last_turns 0 nor turns 400"),
    ("totals", put("round", 1), "totals must be 0 before round 1"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), [case[1:] for case in REFUSED],
                         ids=[case[0] for case in REFUSED])  # fmt: skip
def test_impossible_positions_are_refused(change: Change, message: str) -> None:
    place = copy.deepcopy(example())
    spoiled = change(place)
    engine = engine_of(rules())
    before = engine.save()
    with pytest.raises(PositionError, match=message) as caught:
        engine.set_position(place if spoiled is None else spoiled)
    assert "\n" not in str(caught.value)
    assert same_records(engine.save(), before)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("to_act", 0), r"face_up\[0\] has 2 cards up, but in phase reveal it is seat 0"),
        (put("turns", 1), "phase is reveal, but turns, refilled or discard_pile tell of a turn"),
        (put("refilled", True), "phase is reveal, but turns, refilled or discard_pile"),
        (face(1, "110000"), r"face_up\[1\] has 2 cards up, but in phase reveal it is seat 1"),
        (face(2, "100000"), r"face_up\[2\] has 1 cards up, but in phase reveal it is seat 1"),
        (face(0, "100000"), r"face_up\[0\] has 1 cards up, but in phase reveal it is seat 1"),
        (
            lambda p: p.update(knocker=0, last_turns=2),
            "phase is reveal, where nobody has knocked or gone out yet",
        ),
    ],
)
def test_the_cards_turned_up_at_the_start(change: Change, message: str) -> None:
    hands = ["2C (3C) 4C (5C) (6C) (7C)", "2D (3D) (4D) (5D) (6D) (7D)"]
    place = position(
        rules(3), [*hands, "(AH) (3H) (4H) (5H) (6H) (7H)"], phase="reveal", dealer=0, to_act=1
    )
    validate_position(place)
    change(place)
    with pytest.raises(PositionError, match=message):
        validate_position(place)


def test_knocking() -> None:
    place = position_in("knock")
    for ends in ({"knocker": 0, "last_turns": 1}, {"knocker": place["to_act"], "last_turns": 2}):
        with pytest.raises(PositionError, match="nobody knocks in the last turns"):
            validate_position({**place, **ends})


def finished(setup: Json) -> Json:
    """The end of a random match."""
    for place in positions(setup, seed=2, steps=5000, style=0):
        if place["phase"] == "over":
            return place
    raise AssertionError("the match did not end")


def test_the_end_of_a_match() -> None:
    place = finished(rules(3, num_rounds=1))
    validate_position(place)
    last, totals = place["to_act"], place["totals"]
    for change, message in (
        ({"phase": "turn"}, "last_turns must be from 1 to 2"),
        ({"to_act": (last + 1) % 3}, f"to_act must be {last}, who moved last"),
        ({"totals": [totals[0] + 1, *totals[1:]]}, "totals must be 0 before round 1, and its"),
        ({"face_up": [[True] * 6, [True] * 6, [False] * 6]}, r"face_up\[2\] must be all up"),
    ):
        with pytest.raises(PositionError, match=message):
            validate_position({**place, **change})
    longer = {**place["rules"], "num_rounds": 2}
    with pytest.raises(PositionError, match="phase is over in round 1, but 2 are played"):
        validate_position({**place, "rules": longer, "rounds": 2})


def test_a_match_that_was_cut_off() -> None:
    place = finished(rules(3, max_turns=2))
    assert (place["turns"], place["last_turns"] != 0) == (2, True)
    validate_position(place)
    game = GAMES["sixes_golf"]
    assert game.cut_off(place) and not game.cut_off(finished(rules(3, num_rounds=1)))
    with pytest.raises(PositionError, match="phase is over, but neither are last_turns 0 nor"):
        validate_position({**place, "turns": 1})
    engine = engine_at(place)
    assert engine.position() == place
    assert all(engine.legal_actions(0, seat) == [22] for seat in range(3))


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_spoiled_positions_are_judged_as_by_the_slow_rules(setup: Json) -> None:
    """One thing is changed at random. We refuse two things more: a knocker who went out, and a
    match that was cut off where play could not have gone on."""
    rng, refused, taken = random.Random(3), 0, 0
    for place in positions(setup, seed=3, steps=250):
        spoiled = copy.deepcopy(place)
        spoil(spoiled, rng)
        ours, theirs = accepted(spoiled), accepted_by_the_slow_rules(spoiled)
        if ours != theirs:
            assert theirs, spoiled
            cut_off = spoiled["phase"] == "over" and spoiled["last_turns"] != 0
            message = r"to_act must be|face_up\[\d\]" if cut_off else "who went out: all cards"
            with pytest.raises(PositionError, match=message):
                validate_position(spoiled)
        refused, taken = refused + (not ours), taken + ours
    assert refused > 80 and taken > 20


def spoil(place: Json, rng: random.Random) -> None:
    """Change one thing."""
    seat, slot = rng.randrange(place["players"]), rng.randrange(6)
    match rng.randrange(9):
        case 0:
            place[rng.choice(["dealer", "to_act", "turns", "round"])] += rng.choice([-1, 1])
        case 1:
            place["phase"] = rng.choice(["reveal", "turn", "drawn", "knock", "over"])
        case 2:
            place["face_up"][seat][slot] ^= True
        case 3:
            place["face_up"][seat] = [True] * 6
        case 4:
            place[rng.choice(["knocker", "went_out"])] = rng.choice([seat, None])
        case 5:
            place["last_turns"] = rng.choice([None, 0, 1, 2])
        case 6:
            place["refilled"] ^= True
        case 7:
            place["discard_pile"].append(place["hands"][seat][slot])
        case _:
            place["totals"][seat] += 1


# --- Views ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_a_view_is_the_same_for_all_that_its_player_cannot_tell_apart(setup: Json) -> None:
    rng = random.Random(4)
    for place in positions(setup, seed=5, steps=60):
        player = rng.randrange(place["players"])
        view = view_of(place, player)
        assert view_of(reshuffle_hidden(place, player, rng), player) == view
        validate_view(view)
        completed = GAMES["sixes_golf"].notation.complete(engine_of(setup).rules, view)
        assert view_of(completed, player) == view
        assert json.loads(json.dumps(view)) == view


VIEWS: list[tuple[str, Change, str]] = [
    ("face down", put("hands", 0, 1, "3C"), r"view hands\[0\]\[1\] must be null"),
    ("face up", put("hands", 0, 0, None), r"view hands\[0\]\[0\] must be a card"),
    ("pile", put("draw_pile", 3), "view draw_pile must be 33, which are left"),
    ("player", put("player", 6), "hands, face_up, player and to_act do not agree"),
    ("no player", lambda v: v.pop("player") and None, "view player: Field required"),
    ("legal", lambda v: v["legal"].pop() and None, "view legal must be"),
    ("card", put("hands", 2, 0, "1C"), r"view hands\[2\]\[0\]: '1C' is not a card"),
    ("drawn", put("drawn", "hidden"), "view drawn must be a card for who has drawn it"),
    ("other's", put("player", 1), "view drawn must be 'hidden' from other players"),
    ("nothing drawn", put("drawn", None), "view drawn must be a card"),
    ("twice", put("drawn", "2C"), "view has a card more often than the pack"),
    ("known", put("draw_known", ["KS"]), "view draw_known must be given if refilled"),
    ("unknown", put("refilled", True), "view draw_known must be given if refilled"),
]


@pytest.mark.parametrize(("change", "message"), [case[1:] for case in VIEWS],
                         ids=[case[0] for case in VIEWS])  # fmt: skip
def test_impossible_views_are_refused(change: Change, message: str) -> None:
    view = view_of(example(), 2)
    assert [entry["action"] for entry in view["legal"]] == list(range(13, 20))
    change(view)
    with pytest.raises(PositionError, match=message):
        encode(view)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v["draw_known"].pop(), "draw_known is too short|draw_pile must be"),
        (lambda v: v["draw_known"].append("2C"), "more often than the pack|more cards hidden"),
        (lambda v: v.update(draw_pile=v["draw_pile"] + 1), "view draw_pile must be"),
    ],
)
def test_impossible_views_of_a_refilled_pile_are_refused(change: Change, message: str) -> None:
    place = position_in("drawn", refilled=True)
    view = view_of(place, (place["to_act"] + 1) % 3)
    assert view["drawn"] == "hidden"
    validate_view(view)
    change(view)
    with pytest.raises(PositionError, match=message):
        encode(view)


@pytest.mark.parametrize("kind", ["position", "view"])
def test_schemas(kind: str) -> None:
    described = schema("sixes_golf", kind)
    assert described["properties"]["game"] == {"const": "sixes_golf"}
    needed = set(example()) - {"rules"} | ({"player"} if kind == "view" else set())
    assert set(described["required"]) == needed
    assert described["additionalProperties"] is False
