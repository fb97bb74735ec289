"""Positions and views of the chip game: what is read, what is refused, and with which words."""

from __future__ import annotations

import copy
import json
import random
import re

import pytest

from sixth_env.errors import PositionError
from sixth_env.games import GAMES
from sixth_env.notation import encode, schema, validate_position, validate_view, view_of
from tests.cases_chips_build import position, rules
from tests.chips_play import TABLES, Json, engine_of, name_of, positions, reshuffle_hidden, walk
from tests.rows_play import Change, look, put, same_records
from tests.slow_chips_check import check_position


def example() -> Json:
    """Seat 3 has passed when 6C 5D JD 6H 6S could be played, seat 0 when 5S and 7S could, too."""
    return position(
        rules(),
        [
            "AC 2C 3C 4C AD 2D 3D 4D",
            "5C 6C 7C JC QD KD 2H",
            "QC KC 5D JD 3H 4H",
            "5H 7H JH QH KH AS 2S 3S",
            "AH 6H 4S 5S 7S JS QS KS",
        ],
        "D:6-7 S:6-6",
        lacks=["6C 5D JD 6H 5S 7S", "", "", "6C 5D JD 6H 6S", ""],
        chips=[9, 11, 10, 9, 9],
        pot=2,
        dealer=4,
        starter=1,
        to_act=1,
        round=3,
    )


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
    engine, other = engine_of(setup, seed=4), engine_of(setup, seed=4)
    for step in walk(engine, seed=4, steps=120):
        place = json.loads(json.dumps(engine.position()))
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


def test_other_spellings_and_orders_are_read() -> None:
    plain = json.dumps(example())
    for letter, symbol in zip("CDHS", "♣♦♥♠", strict=True):
        plain = re.sub(rf'"([2-7AJQK]){letter}"', rf'"\1{symbol}"', plain)
    assert '"6♥"' in plain
    place = json.loads(plain.replace("A♣", "a♣"))
    for cards in (*place["hands"], *place["lacks"]):
        cards.reverse()
    engine = engine_of(rules())
    engine.set_position(place)
    assert engine.position() == example()


def test_what_play_cannot_reach_is_accepted() -> None:
    """Hand sizes that no order of turns leads to, and uneven chips in round 1."""
    place = {**example(), "round": 1, "to_act": 3}
    validate_position(place)


# --- What is refused ------------------------------------------------------------------------------


REFUSED: list[tuple[str, Change, str]] = [
    ("no object", lambda p: 5, "position: Input should be"),
    ("unknown field", put("colour", "red"), "position colour: Extra inputs"),
    ("missing field", lambda p: p.pop("pot") and None, "position pot: Field required"),
    ("no card", put("hands", 1, 0, "8C"), r"position hands\[1\]\[0\]: '8C' is not one of the 40"),
    ("a number", put("lacks", 0, 0, 7), r"position lacks\[0\]\[0\]: 7 is not one of the 40"),
    ("a list", put("columns", "C", []), "position columns.C: Input should be"),
    ("no column", lambda p: p["columns"].pop("H") or 0, "position columns.H: Field required"),
    ("one end", put("columns", "D", {"low": "6D"}), "position columns.D.high: Field required"),
    ("a float", put("pot", 2.0), "position pot: Input should be a valid integer"),
    ("a truth value", put("dealer", True), "position dealer: Input should be a valid integer"),
    ("phase", put("phase", "deal"), "position phase: Input should be 'play' or 'over'"),
    ("negative", put("chips", 0, -1), r"position chips\[0\]: .*greater than or equal to 0"),
    ("dealer", put("dealer", 5), "dealer must be a seat from 0 to 4"),
    ("to act", put("to_act", 7), "to_act must be a seat from 0 to 4"),
    ("players", put("players", 4), "players is 4, but this game's is 5"),
    ("game", put("game", "sixth_card"), "game is 'sixth_card'"),
    ("rules", put("rules", "starting_chips", 9), "rules.starting_chips is 9, but this game's is"),
    ("bad rules", put("rules", "num_players", 9), "rules are impossible: num_players must be"),
    ("seats", lambda p: p["chips"].pop() and None, "chips must have 5 entries"),
    ("suit", put("columns", "C", {"low": "6D", "high": "6C"}), "columns.C has an end of another"),
    ("ends", put("columns", "D", {"low": "7D", "high": "6D"}), "columns.D from 7D to 6D has no"),
    ("no six", put("columns", "D", {"low": "7D", "high": "JD"}), "has no six in it"),
    ("no 6D", put("columns", "D", None), "columns.S is begun, but the 6D has to be first"),
    ("chips", put("pot", 3), "chips and pot must be 50 chips together, not 51"),
    ("a free pot", put("lacks", [[]] * 5), "pot is 2, but lacks tells that nobody has passed"),
    (
        "broke",
        lambda p: p.update(chips=[9, 11, 0, 19, 9]),
        r"chips\[2\] is 0, but lacks\[2\] tells that the seat has not passed",
    ),
    ("round", put("round", 101), "round is 101, but there are 100 at most"),
    ("over", put("phase", "over"), "pot must be 0 in phase over, not 2"),
    ("large hand", lambda p: p.update(dealer=0, starter=3), r"hands\[3\] can have 7 cards at most"),
    ("twice", put("hands", 1, 0, "6D"), "has the card 6D in 2 places, expected 1"),
    ("twice in a hand", put("hands", 1, 0, "6C"), "has the card 6C in 2 places"),
    ("hand and column", put("columns", "D", "high", "JD"), "has the card JD in 2 places"),
    ("lacks twice", put("lacks", 3, 0, "6S"), r"lacks\[3\] has a card twice"),
    (
        "lacks own",
        put("lacks", 2, ["6C", "5D", "6H"]),
        r"lacks\[2\] has 5D, which is in hands",
    ),
    ("lacks early", put("lacks", 3, 1, "4D"), r"lacks\[3\] has 4D, which could not be played yet"),
    ("lacks less", put("lacks", 3, 0, "7D"), r"lacks\[3\] must have 6C too"),
    (
        "contradiction",
        lambda p: p["lacks"].__setitem__(0, ["6C", "6H", "5S", "7S"]),
        r"lacks\[0\] and lacks\[3\] contradict each other",
    ),
]


@pytest.mark.parametrize(("change", "message"), [case[1:] for case in REFUSED],
                         ids=[case[0] for case in REFUSED])  # fmt: skip
def test_impossible_positions_are_refused(change: Change, message: str) -> None:
    place = copy.deepcopy(example())
    spoiled = change(place)
    engine = engine_of(rules())
    before = engine.save()
    with pytest.raises(PositionError, match=message) as caught:
        engine.set_position(place if spoiled is None or spoiled == 0 else spoiled)
    assert "\n" not in str(caught.value)
    assert same_records(engine.save(), before)


def test_before_the_first_card() -> None:
    place = engine_of(rules(), seed=1).position()
    starter = place["starter"]
    other = (starter + 1) % 5
    for change, message in (
        ({"to_act": other}, "to_act must be starter before the 6D is played"),
        ({"to_act": other, "starter": other}, f"starter is {other}, who does not have the 6D"),
    ):
        with pytest.raises(PositionError, match=message):
            validate_position({**place, **change})


def finished(setup: Json) -> Json:
    """The end of a random match."""
    for place in positions(setup, seed=2, steps=5000):
        if place["phase"] == "over":
            return place
    raise AssertionError("the match did not end")


def test_the_end_of_a_match() -> None:
    place = finished(rules(3, starting_chips=3))
    validate_position(place)
    winner = place["to_act"]
    for change, message in (
        ({"phase": "play"}, "is empty, which ends the round|the match would have ended"),
        ({"to_act": (winner + 1) % 3}, "alone must be empty in phase over"),
        ({"chips": [3, 3, 3]}, "phase is over, but somebody has to be out of chips"),
    ):
        with pytest.raises(PositionError, match=message):
            validate_position({**place, **change})
    validate_position({**place, "chips": [3, 3, 3], "round": 100})


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_spoiled_positions_are_judged_as_by_the_slow_rules(setup: Json) -> None:
    """One field is changed at random. We may refuse more: passes that contradict each other."""
    rng, refused, chain = random.Random(3), 0, 0
    for place in positions(setup, seed=3, steps=120):
        spoiled = copy.deepcopy(place)
        spoil(spoiled, rng)
        ours, theirs = accepted(spoiled), accepted_by_the_slow_rules(spoiled)
        if ours != theirs:
            assert theirs
            with pytest.raises(PositionError, match="contradict each other"):
                validate_position(spoiled)
            chain += 1
        refused += not ours
    assert refused > 40
    assert chain < 20


def spoil(place: Json, rng: random.Random) -> None:
    """Change one thing; hands stay in order."""
    players, seat = place["players"], rng.randrange(place["players"])
    other = (seat + 1) % players
    match rng.randrange(8):
        case 0:
            field = rng.choice(["dealer", "to_act", "starter", "pot", "round"])
            place[field] += rng.choice([-1, 1])
        case 1:
            place["phase"] = "over" if place["phase"] == "play" else "play"
        case 2 if place["hands"][seat]:
            place["hands"][seat].pop(rng.randrange(len(place["hands"][seat])))
        case 3 if place["lacks"][seat]:
            place["lacks"][seat].pop(rng.randrange(len(place["lacks"][seat])))
        case 4 if place["hands"][other]:
            place["lacks"][seat].append(rng.choice(place["hands"][other]))
        case 5:
            place["chips"][seat] += 1
            place["chips"][other] -= 1
        case 6:
            place["columns"][rng.choice("CDHS")] = None
        case _:
            place["lacks"][seat] = list(place["lacks"][other])


# --- Views ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", TABLES, ids=name_of)
def test_a_view_is_the_same_for_all_that_its_player_cannot_tell_apart(setup: Json) -> None:
    rng = random.Random(4)
    for place in positions(setup, seed=6, steps=40):
        player = rng.randrange(place["players"])
        view = view_of(place, player)
        assert view_of(reshuffle_hidden(place, player, rng), player) == view
        validate_view(view)
        completed = GAMES["sixes_chips"].notation.complete(engine_of(setup).rules, view)
        assert view_of(completed, player) == view
        assert json.loads(json.dumps(view)) == view


VIEWS: list[tuple[str, Change, str]] = [
    ("two hands", lambda v: v["hands"].__setitem__(0, ["AC"]), "view hands must be numbers, but"),
    ("no hand", lambda v: v["hands"].__setitem__(2, 6), "view hands must be numbers, but cards"),
    ("counts", lambda v: v["hands"].__setitem__(0, 7), "view hands of the others must be 31 cards"),
    ("player", put("player", 6), "view player must be a seat from 0 to 4"),
    ("no player", lambda v: v.pop("player") and None, "view player: Field required"),
    ("legal", lambda v: v["legal"].pop() and None, "view legal must be"),
    ("card", lambda v: v["hands"][2].__setitem__(0, "9C"), r"view hands\[2\]\[0\]: '9C' is not"),
    ("type", lambda v: v["hands"].__setitem__(0, "AC"), r"view hands\[0\]: Input should be"),
    (
        "own",
        lambda v: v["hands"][2].__setitem__(0, "6D"),
        r"view hands\[2\] has a card twice, or one of the columns: 6D",
    ),
    ("lacks", lambda v: v["lacks"].__setitem__(2, ["6C", "JD", "6H"]), "which is in hands"),
]


@pytest.mark.parametrize(("change", "message"), [case[1:] for case in VIEWS],
                         ids=[case[0] for case in VIEWS])  # fmt: skip
def test_impossible_views_are_refused(change: Change, message: str) -> None:
    view = view_of({**example(), "to_act": 2}, 2)
    assert [entry["name"] for entry in view["legal"]] == ["play 5D", "play JD"]
    change(view)
    with pytest.raises(PositionError, match=message):
        encode(view)


def test_a_view_that_leaves_no_place_for_a_card_is_refused() -> None:
    view = view_of(example(), 2)
    for seat in (0, 1, 3, 4):
        view["lacks"][seat] = ["6C", "5S", "6H", "7S"]
    with pytest.raises(PositionError, match="view lacks and hands leave no place for the 6C"):
        encode(view)


def test_an_event_tells_each_seat_its_own_hand() -> None:
    engine = engine_of(rules(3), seed=1)
    log = engine.new_log()
    engine.reset(1, log=log)
    (deal,) = engine.events(log)
    assert set(deal) == {"type", "round", "dealer", "starter", "hands"}
    for player in range(3):
        seen = GAMES["sixes_chips"].notation.event_view(deal, player)
        sizes = [len(hand) for hand in deal["hands"]]
        assert seen["hands"] == [*sizes[:player], deal["hands"][player], *sizes[player + 1 :]]


@pytest.mark.parametrize("kind", ["position", "view"])
def test_schemas(kind: str) -> None:
    described = schema("sixes_chips", kind)
    assert described["properties"]["game"] == {"const": "sixes_chips"}
    needed = set(example()) - {"rules"} | ({"player"} if kind == "view" else set())
    assert set(described["required"]) == needed
    assert described["additionalProperties"] is False
