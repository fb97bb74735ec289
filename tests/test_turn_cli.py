"""The command line for the games played in turns: their stories, answers and reports."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from sixth_env.cli import app
from sixth_env.cli.answers import label, menu, read_action
from sixth_env.cli.turn_stories import storyteller
from sixth_env.engine import Engine
from sixth_env.match import play_field
from sixth_env.opponents import load_opponent

GAMES = ("sixes_chips", "sixes_golf")
NAMES = ["you", "Ben"]

# rich, which prints the tables, draws from `random` when it is imported.
pytestmark = pytest.mark.global_random


def run(*arguments: str, typed: str = "") -> str:
    """What a command that must succeed prints."""
    result = CliRunner().invoke(app, list(arguments), input=typed)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def play(game: str, typed: str, *options: str) -> str:
    """What a person at seat 0 sees who types that."""
    return run(
        *("play", "--game", game, "--opponents", "random,random", "--seed", "3", *options),
        typed=typed,
    )


# --- Stories --------------------------------------------------------------------------------------


def test_chips_story() -> None:
    events: list[dict[str, Any]] = [
        {"type": "deal", "round": 2, "dealer": 0, "starter": 1, "hands": [20, 20]},
        {"type": "play", "player": 1, "card": "6D"},
        {"type": "pass", "player": 0, "paid": 1},
        {"type": "pass", "player": 1, "paid": 0},
        {"type": "round_end", "round": 2, "winner": 1, "pot": 1, "chips": [19, 1]},
        {"type": "match_end", "chips": [19, 1], "winners": [0]},
    ]
    assert storyteller("sixes_chips", NAMES, unicode=True).tell(events) == [
        "Round 2: dealer you, the 6♦ is with Ben.",
        "  Ben: 6♦",
        "  you: pass, a chip paid",
        "  Ben: pass, no chip left to pay",
        "Round 2 ends: the pot, 1 chip, to Ben. Chips: you 19, Ben 1.",
        "The match is over.",
        "  1. you: 19 chips",
        "  2. Ben: 1 chip",
    ]
    plain = storyteller("sixes_chips", NAMES, unicode=False).tell(events)
    assert plain[1] == "  Ben: 6D"
    assert all(line.isascii() for line in plain)


def test_golf_story() -> None:
    hand = ["5H", "5C", "joker", "AS", "QD", "JD"]
    end = {"type": "round_end", "hands": [hand, hand], "raw": [17, 17], "totals": [1, 5]}
    events: list[dict[str, Any]] = [
        {"type": "deal", "round": 1, "dealer": 1, "hands": [[None] * 6] * 2, "discard": "8H"},
        {"type": "turn_up", "player": 0, "slot": 3, "card": "5H"},
        {"type": "take_discard", "player": 1, "slot": 0, "card": "8H", "replaced": "KD"},
        {"type": "refill"},
        {"type": "draw", "player": 0, "card": "2C"},
        {"type": "swap_drawn", "player": 0, "slot": 5, "card": "2C", "replaced": "joker"},
        {"type": "draw", "player": 1, "card": "hidden"},
        {"type": "discard_drawn", "player": 1, "card": "9S"},
        {"type": "knock", "player": 0},
        {"type": "went_out", "player": 1},
        {**end, "round": 1, "points": [-3, 17]},
        {"type": "cut_off", "turns": 240},
        {"type": "match_end", "totals": [1, 5], "winners": [0]},
    ]
    assert storyteller("sixes_golf", NAMES, unicode=True).tell(events) == [
        "Round 1: dealer Ben, first discard 8♥.",
        "  you: slot 4 turned up, 5♥",
        "  Ben: 8♥ from the discards into slot 1, K♦ discarded",
        "  The discards are shuffled and become the draw pile.",
        "  you: 2♣ drawn",
        "  you: 2♣ into slot 6, joker discarded",
        "  Ben: a card drawn",
        "  Ben: 9♠ discarded",
        "  you: knock",
        "  Ben: all cards are face up",
        "Round 1 ends:",
        "  you: 5♥ 5♣ / joker A♠ / Q♦ J♦, 17 points",
        "  Ben: 5♥ 5♣ / joker A♠ / Q♦ J♦, 17 points",
        "Written down: you -3 = 1, Ben +17 = 5.",
        "The round does not end within 240 turns.",
        "The match is over.",
        "  1. you: 1 point",
        "  2. Ben: 5 points",
    ]


def test_golf_practice_round() -> None:
    scores = {"hands": [["AC"] * 6] * 2, "raw": [-6, -6], "points": [-6, -6], "totals": [0, 0]}
    events = [
        {"type": "deal", "round": 0, "dealer": 0, "hands": [], "discard": "8H"},
        {"type": "round_end", "round": 0, **scores},
    ]
    assert storyteller("sixes_golf", NAMES, unicode=False).tell(events) == [
        "Practice round: dealer you, first discard 8H.",
        "The practice round ends:",
        "  you: AC AC / AC AC / AC AC, -6 points",
        "  Ben: AC AC / AC AC / AC AC, -6 points",
        "Nothing is written down.",
    ]


@pytest.mark.parametrize("game", GAMES)
def test_every_event_is_told(game: str) -> None:
    """A match at random: no event is left out, and every card laid or turned up is named."""
    engine = Engine(game, seed=5)
    log, names = engine.new_log(), [f"player_{seat}" for seat in range(engine.num_players)]
    teller = storyteller(game, names, unicode=False)
    engine.reset(5, log=log)
    events = engine.events(log)
    while engine.position()["phase"] != "over":
        engine.step(engine.sample_actions(), log=log)
        events += engine.events(log)
    assert events[-1]["type"] == "match_end"
    for event in events:
        lines = teller.tell([event])
        assert lines and all(lines)
        assert event.get("card", "") in lines[0]


# --- Answers --------------------------------------------------------------------------------------


def test_slots_and_rows_are_counted_from_one() -> None:
    assert label("take the discard into slot 0") == "take the discard into slot 1"
    assert label("take row 3") == "take row 4"
    assert label("play 10H") == "play 10H"


@pytest.mark.parametrize("game", GAMES)
def test_every_legal_action_can_be_typed(game: str) -> None:
    """By its number, and by the name in the menu; nothing that is not legal is taken."""
    engine, kinds = Engine(game, seed=2), set()
    for step in range(60):
        view = engine.view(0, engine.position()["to_act"])
        lines = menu(view, unicode=True)
        assert len(lines) == len(view["legal"])
        for number, (line, entry) in enumerate(zip(lines, view["legal"], strict=True), start=1):
            shown = line.split(maxsplit=1)
            assert shown[0] == str(number)
            names = {shown[1], shown[1].upper(), label(entry["name"]), str(number)}
            if entry["name"].startswith("play "):
                names |= {shown[1].removeprefix("play "), entry["name"][5:].lower()}
            for name in names:
                assert read_action(view, name) == entry["action"]
            kinds.add(entry["name"].split()[0])
        legal = {label(entry["name"]) for entry in view["legal"]}
        for action in range(engine.game.num_actions):
            name = label(engine.game.action_name(action))
            if name not in legal:
                with pytest.raises(ValueError, match="none of your moves"):
                    read_action(view, name)
        engine.step(engine.sample_actions(step))
    assert len(kinds) > 1


@pytest.mark.parametrize("game", GAMES)
def test_answers_that_mean_nothing(game: str) -> None:
    engine = Engine(game, seed=2)
    view = engine.view(0, engine.position()["to_act"])
    count = len(view["legal"])
    for answer in ("0", str(count + 1), "99"):
        with pytest.raises(ValueError, match=f"numbers 1 to {count}, not {answer}"):
            read_action(view, answer)
    for answer in ("banana", "-1", "8H", "1.0", "wait"):
        with pytest.raises(ValueError, match=f"'{answer}' is none of your moves"):
            read_action(view, answer)


# --- play and watch -------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_play_to_the_end(game: str) -> None:
    shown = play(game, "1\n" * 60, "--rounds", "1")
    assert "player_0: you, player_1: random, player_2: random" in shown
    assert "Round 1 ends" in shown and "The match is over." in shown
    assert "Goodbye" not in shown
    assert shown.endswith("The seed was 3.\n")


@pytest.mark.parametrize("game", GAMES)
def test_play_helps_hints_and_asks_again(game: str) -> None:
    shown = play(game, "?\nh\nt\nbanana\n0\n\n1\nq\n")
    assert "the move with that number" in shown
    assert "to the end of the round:" in shown
    assert "'banana' is none of your moves" in shown
    assert "The moves have numbers 1 to" in shown
    assert "Goodbye." in shown
    unit = "chips lost" if game == "sixes_chips" else "points"
    hints = shown.partition(f"Expected {unit}")[2].splitlines()[1:]
    assert re.match(r" +-?\d+\.\d  \w", hints[0])


@pytest.mark.parametrize(
    ("game", "others"),
    [
        ("sixth_card", "player_1: closest, player_2: cautious, player_3: mc:100"),
        ("sixes_chips", "player_1: builder, player_2: blocker, player_3: mc:100"),
        ("sixes_golf", "player_1: careful, player_2: mc:100"),
    ],
)
def test_play_without_naming_opponents(game: str, others: str) -> None:
    assert f"player_0: you, {others}\n" in run("play", "--game", game, typed="q\n")


def test_play_chips_shows_no_other_hand() -> None:
    shown = play("sixes_chips", "1\nq\n")
    engine = Engine("sixes_chips", seed=3, num_players=3)
    assert "hand of" not in shown
    hand = next(line for line in shown.splitlines() if line.startswith("  hand "))
    names = hand.translate({ord(a): b for a, b in zip("♣♦♥♠", "CDHS", strict=True)}).split()[1:]
    assert names == engine.position()["hands"][0]


def test_play_golf_shows_no_card_that_others_draw() -> None:
    """The others draw whenever they may; the person alone is told what was drawn."""
    shown = run(
        *("play", "--game", "sixes_golf", "--opponents", "careful,careful", "--seed", "3"),
        typed="1\n1\n" + "draw\ndiscard the drawn card\nend the turn without knocking\n" * 9,
    )
    drawn = re.findall(r"^(?:Your move \(\? for help\): )? *(\w+): (.*) drawn$", shown, re.M)
    others = [card for name, card in drawn if name != "you"]
    own = [card for name, card in drawn if name == "you"]
    assert set(others) == {"a card"}
    assert own and "a card" not in own
    assert "*" not in shown


@pytest.mark.parametrize("game", GAMES)
def test_watch(game: str) -> None:
    shown = run("watch", "random", "random", "--game", game, "--rounds", "1", "--seed", "2",
                "--delay", "0")  # fmt: skip
    title = Engine(game).game.title
    assert shown.count(title) > 2
    assert "The match is over." in shown and shown.endswith("The seed was 2.\n")


def test_a_match_cut_off_says_so() -> None:
    for game, cap in (("sixes_golf", "max_turns=1"), ("sixes_chips", "max_rounds=1")):
        more = ["--set", "starting_chips=99"] if game == "sixes_chips" else []
        shown = run("watch", "random", "random", "--game", game, "--delay", "0", "--seed", "2",
                    "--set", cap, *more)  # fmt: skip
        assert "The match is cut off: nobody has won.\nThe seed was 2.\n" in shown
        assert "The match is over." not in shown


# --- Reports --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "good"), [("sixes_chips", "blocker"), ("sixes_golf", "careful")])
def test_match(game: str, good: str, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    shown = run(*("match", good, "random", "random", "--game", game),
                *("--deals", "60", "--json", str(first)))  # fmt: skip
    assert "3 players: 60 deals in 3 rotations, 180 games, 180 rounds" in shown
    if game == "sixes_chips":
        assert "chips lost/round" in shown and "Chips lost, fewer is better" in shown
    else:
        assert "points/round" in shown and "Points, fewer is better" in shown
    report = json.loads(first.read_text("utf-8"))
    better, worse = report["entrants"]
    assert better["difference"]["high"] < 0 < worse["difference"]["low"]
    run(*report["command"].split()[1:], "--json", str(second))
    again = json.loads(second.read_text("utf-8"))
    assert again["entrants"][0]["points_per_round"] == better["points_per_round"]


@pytest.mark.parametrize("game", GAMES)
def test_whole_matches_can_be_repeated(game: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    run("match", "random", "random", "--game", game, "--deals", "3", "--whole", "--json", str(file))
    report = json.loads(file.read_text("utf-8"))
    assert report["command"].endswith("--whole")
    assert report["rounds"] > report["games"]


def test_chips_are_conserved_in_a_report() -> None:
    line_up = [load_opponent(name, game="sixes_chips") for name in ("builder", "blocker", "random")]
    result = play_field("sixes_chips", line_up, deals=20)
    assert np.all(result.points.sum(axis=2) == 0)
    best = result.points.min(axis=2, keepdims=True) == result.points
    assert np.array_equal(result.wins > 0, best)
    assert np.all(result.wins.sum(axis=2) == pytest.approx(1))


def test_nobody_wins_a_match_that_is_cut_off() -> None:
    line_up = [
        load_opponent("random", game="sixes_golf"),
        load_opponent("careful", game="sixes_golf"),
    ]
    result = play_field("sixes_golf", line_up, deals=5, max_turns=1)
    assert not result.wins.any()
    assert result.win_share("careful").value == 0


def test_lists() -> None:
    shown = run("games")
    assert "Sixes (chips)" in shown and "Sixes (golf)" in shown
    assert "blocker" in run("opponents", "--game", "sixes_chips")
    assert "careful" in run("opponents", "--game", "sixes_golf")
