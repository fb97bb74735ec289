"""The command line: reports that can be repeated, a person at the terminal, readable errors."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import sixth_env
from sixth_env.cli import app, main
from sixth_env.cli.answers import read_action
from sixth_env.cli.story import Storyteller
from sixth_env.engine import Engine
from sixth_env.errors import OpponentError
from sixth_env.match import play_field
from sixth_env.opponents import load_opponent
from sixth_env.opponents.custom import resolve_opponent

ROOT = Path(__file__).resolve().parents[1]

# rich, which prints the tables, draws from `random` when it is imported.
pytestmark = pytest.mark.global_random


def run(*arguments: str, typed: str = "") -> Result:
    """The outcome of a command that must succeed."""
    result = CliRunner().invoke(app, list(arguments), input=typed)
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence on standard error with which a command ends, exit code 2."""
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("sixth-env: ") and captured.err.count("\n") == 1
    return captured.err


# --- match and cross -----------------------------------------------------------------------


def test_match_reports_and_can_be_repeated(tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    shown = run(
        *("match", "closest", "random", "random", "--deals", "20", "--seed", "5"),
        *("--set", "hand_size=4", "--row-choice", "cheapest", "--json", str(first)),
    ).output
    assert "3 players: 20 deals in 3 rotations, 60 games, 60 rounds, seed 5" in shown
    assert "random x2" in shown
    report = json.loads(first.read_text("utf-8"))
    assert report["command"] in shown
    run(*shlex.split(report["command"])[1:], "--json", str(second))
    again = json.loads(second.read_text("utf-8"))
    for entrant in (*report["entrants"], *again["entrants"]):
        del entrant["seconds"], entrant["decisions_per_second"]
    assert again == report


def test_match_agrees_with_the_library(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    run("match", "lowest", "highest", "--deals", "10", "--rounds", "2", "--json", str(file))
    line_up = [load_opponent("lowest"), load_opponent("highest")]
    expected = play_field("sixth_card", line_up, deals=10, seed=1, num_rounds=2)
    report = json.loads(file.read_text("utf-8"))
    assert report["rounds"] == 2 * 20
    for entrant, name in zip(report["entrants"], ("lowest", "highest"), strict=True):
        assert entrant["points_per_round"] == expected.points_per_round(name).to_dict()


@pytest.mark.parametrize("options", [["--whole"], ["--target", "20"]])
def test_whole_matches(tmp_path: Path, options: list[str]) -> None:
    file = tmp_path / "report.json"
    run("match", "closest", "lowest", "--deals", "3", *options, "--json", str(file))
    report = json.loads(file.read_text("utf-8"))
    assert report["rules"]["num_rounds"] is None
    assert report["rules"]["target_score"] == (20 if "20" in options else 66)
    assert report["rounds"] > report["games"]


def test_match_against_fields(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    shown = run(
        *("match", "closest", "--against", "random", "--against", "closest", "--players", "3"),
        *("--deals", "30", "--game", "six_nimmt", "--json", str(file)),
    ).output
    report = json.loads(file.read_text("utf-8"))
    assert [match["line_up"] for match in report["matches"]] == [
        ["closest", "random", "random"],
        ["closest", "closest#2", "closest#2"],
    ]
    assert report["command"] in shown
    assert report["matches"][0]["entrants"][0]["difference"]["high"] < 0
    assert report["matches"][1]["entrants"][0]["difference"]["value"] == pytest.approx(0)


def test_cross_shows_everybody_against_everybody(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    shown = run(
        *("cross", "random", "closest", "--players", "2", "--deals", "60", "--json", str(file))
    ).output
    assert "No cycle" in shown
    report = json.loads(file.read_text("utf-8"))
    assert report["command"] in shown
    pairs = {(d["entrant"], d["other"]): d["value"] for d in report["differences"]}
    assert pairs["closest", "random"] < 0 < pairs["random", "closest"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "closest", "clever"], "unknown opponent 'clever'"),
        (["match", "closest"], "num_players must be from 2 to 10, not 1"),
        (["match", "closest", "random", "--players", "4"], "4 players need 4 entrants, not 2"),
        (["match", "closest", "random", "--against", "lowest"], "--against is for one entrant"),
        (["match", "closest", "random", "--game", "poker"], "unknown game 'poker'"),
        (["match", "closest", "random", "--rounds", "2", "--whole"], "--rounds plays that many"),
        (["match", "closest", "random", "--rounds", "0"], "num_rounds must be from 1"),
        (["match", "closest", "random", "--deals", "0"], "deals must be at least 1"),
        (["match", "closest", "random", "--seed", "-1"], "seed must be from 0"),
        (["match", "closest", "random", "--row-choice", "mine"], "row_choice must be one of"),
        (["match", "closest", "random", "--set", "hand_size"], "--set takes RULE=VALUE"),
        (["match", "closest", "random", "--set", "num_rounds=2"], "each rule once"),
        (["match", "closest", "random", "--set", "color=red"], "no option 'color'"),
        (["match", "closest", "random", "--set", "hand_size=ten"], "hand_size must be a whole"),
        (["cross", "random"], "at least two entrants"),
        (["play", "--opponents", "closest", "--seat", "2"], "seat must be from 0 to 1, not 2"),
        (["watch", "closest"], "num_players must be from 2 to 10"),
        (["opponents", "--game", "poker"], "unknown game 'poker'"),
    ],
)
def test_errors_are_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in error_of(capsys, *arguments)


def test_report_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "missing" / "report.json")
    with pytest.raises(SystemExit) as stop:
        main(["match", "closest", "random", "--deals", "1", "--json", target])
    assert stop.value.code == 2
    assert "cannot be written" in capsys.readouterr().err


# --- lists, version, entry points -----------------------------------------------------------


def test_version() -> None:
    assert run("--version").output == f"sixth_env {sixth_env.__version__}\n"


def test_help_names_every_command() -> None:
    shown = run("--help").output
    for command in (
        "match",
        "tournament",
        "cross",
        "play",
        "watch",
        "benchmark",
        "games",
        "opponents",
    ):
        assert command in shown


def test_games_and_opponents_are_listed() -> None:
    shown = run("games").output
    assert "sixth_card" in shown and "6 nimmt!" in shown
    shown = run("opponents").output
    for name in ("random", "lowest", "highest", "closest", "cautious", "mc:", "MODULE:ARGUMENT"):
        assert name in shown


def python_m(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """``python -m sixth_env`` in a process of its own, without input."""
    return subprocess.run(
        [sys.executable, "-m", "sixth_env", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_python_m_on_a_terminal_without_unicode() -> None:
    done = python_m("watch", "closest", "lowest", "--rounds", "1", "--delay", "0", "--seed", "1",
                    PYTHONIOENCODING="ascii")  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode("ascii")
    assert "Round 1" in text and "The match is over." in text and "The seed was 1." in text
    assert "\x1b" not in text


def test_python_m_ends_an_error_without_a_traceback() -> None:
    done = python_m("match", "closest", "clever")
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"sixth-env: unknown opponent 'clever'")


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom sixth_env.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'numba', 'torch', 'pygame', 'pettingzoo'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("[]\n")


# --- play -------------------------------------------------------------------------------------


def play(typed: str, *options: str) -> str:
    """What a person sees who types that."""
    return run("play", "--opponents", "closest,lowest", *options, typed=typed).output


def test_play_to_the_end_by_places() -> None:
    """The first card always, and row 1 when a row is to be chosen."""
    shown = play("1\n" * 40, "--rounds", "1", "--seed", "3", "--seat", "1")
    assert "player_0: closest, player_1: you, player_2: lowest" in shown
    assert "turn 10 of 10" in shown
    assert "The match is over." in shown and "Goodbye" not in shown
    assert shown.count("Revealed: ") == 10
    assert "  1. " in shown and "The seed was 3." in shown


def test_play_never_shows_other_hands() -> None:
    shown = play("1\n1\nq\n", "--rounds", "1", "--seed", "3")
    engine = Engine("sixth_card", seed=3, num_players=3, num_rounds=1)
    hands = engine.position()["hands"]
    assert "hand of" not in shown
    first_table = shown.split("Revealed")[0]
    own = [line for line in first_table.splitlines() if line.startswith("  hand ")]
    assert len(own) == 1
    names = own[0].translate({ord(a): b for a, b in zip("♣♦♥♠", "CDHS", strict=True)}).split()[1:]
    assert names == hands[0]


def test_play_asks_again_until_the_answer_is_legal() -> None:
    engine = Engine("sixth_card", seed=3, num_players=3, num_rounds=1)
    own, other = engine.position()["hands"][:2]
    shown = play(f"banana\n11\n{other[0]}\n\n{own[4].lower()}\nq\n", "--rounds", "1", "--seed", "3")
    assert "'banana' is not a card: type a rank and a suit, such as 7S." in shown
    assert "Your hand has places 1 to 10, not 11." in shown
    assert f"{other[0]} is not in your hand." in shown
    assert shown.count("Revealed: ") == 1
    assert "Goodbye." in shown


def test_play_helps_and_hints() -> None:
    shown = play("?\nh\nt\nq\n", "--rounds", "1", "--seed", "3")
    assert "this help" in shown
    assert "Expected points to the end of the round:" in shown
    hints = [line for line in shown.splitlines() if "  play " in line and "." in line]
    values = [float(line.split()[0]) for line in hints]
    assert len(values) == 10 and values == sorted(values) and values[0] >= 0
    assert shown.count("turn 1 of 10") == 2
    assert "Revealed" not in shown


@pytest.mark.parametrize("typed", ["", "1\n", "q\n", "Q\n"])
def test_play_ends_politely(typed: str) -> None:
    shown = play(typed, "--seed", "3")
    assert "Goodbye.\nThe seed was 3.\n" in shown


def test_play_names_an_opponent_that_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module(monkeypatch, tmp_path, "sleepy", "def act(self, observation, action_mask, seeds): pass")
    monkeypatch.setattr("builtins.input", lambda prompt: "1")
    with pytest.raises(SystemExit):
        main(["play", "--opponents", "sleepy:x", "--rounds", "1"])
    assert "sleepy:x (player_1) answered None" in capsys.readouterr().err


def view_of(game: str, **changes: Any) -> dict[str, Any]:
    return {**Engine(game, seed=3, num_players=3).view(0, 0), **changes}


@pytest.mark.parametrize("spell", [str, str.lower, lambda c: c.replace("10", "T"),
                                   lambda c: c[:-1] + "♣♦♥♠"["CDHS".index(c[-1])]])  # fmt: skip
def test_cards_by_name(spell: Any) -> None:
    view = view_of("sixth_card")
    for place, entry in enumerate(view["legal"], start=1):
        card = entry["name"].removeprefix("play ")
        assert read_action(view, spell(card)) == entry["action"]
        assert read_action(view, str(place)) == entry["action"]


def test_cards_by_number() -> None:
    view = view_of("six_nimmt")
    for card in view["hands"][0]:
        assert read_action(view, str(card)) == card - 1
    missing = next(n for n in range(1, 105) if n not in view["hands"][0])
    with pytest.raises(ValueError, match=f"{missing} is not in your hand"):
        read_action(view, str(missing))
    with pytest.raises(ValueError, match="type its number"):
        read_action(view, "7S")


def test_rows_by_number() -> None:
    legal = [{"action": 53, "name": "take row 1"}, {"action": 55, "name": "take row 3"}]
    view = view_of("sixth_card", phase="row", legal=legal)
    assert [read_action(view, answer) for answer in ("2", "4")] == [53, 55]
    for answer in ("1", "0", "5", "7S", "-1"):
        with pytest.raises(ValueError, match="is not one of the rows 2, 4"):
            read_action(view, answer)


# --- watch and its story --------------------------------------------------------------------------


def test_watch_tells_the_whole_match() -> None:
    shown = run("watch", "closest", "random", "--rounds", "2", "--seed", "2", "--delay", "0").output
    assert shown.count("Revealed: ") == 20
    assert "hand of player_0" in shown and "hand of player_1" in shown
    assert "Round 2: " in shown and "The match is over." in shown


def test_story_by_hand() -> None:
    """The example of the rules text, from the reveal on."""
    cards = [(2, "AH"), (3, "7S"), (0, "JS"), (1, "KC")]
    events: list[dict[str, Any]] = [
        {"type": "reveal", "turn": 9, "cards": [{"player": p, "card": c} for p, c in cards]},
        {"type": "row_decision", "player": 2, "card": "AH", "rows": [0, 1, 2, 3]},
        {"type": "take", "player": 2, "row": 2, "cards": ["2C"], "points": 1},
        {"type": "place", "player": 2, "card": "AH", "row": 2},
        {"type": "place", "player": 3, "card": "7S", "row": 3},
        {"type": "round_end", "round": 1, "points": [0, 13, 1, 0], "totals": [5, 13, 1, 5]},
        {"type": "match_end", "totals": [5, 13, 1, 5], "winners": [2]},
    ]
    told = Storyteller(["you", "Ben", "Carla", "Dan"], unicode=True).tell(events)
    assert told == [
        "Revealed: A♥ Carla, 7♠ Dan, J♠ you, K♣ Ben.",
        "  Carla may choose row 1, 2, 3 or 4 for A♥.",
        "  Carla: A♥ takes row 3 with 2♣, 1 point.",
        "  Dan: 7♠ goes to row 4.",
        "Round 1 ends: you +0 = 5, Ben +13 = 13, Carla +1 = 1, Dan +0 = 5.",
        "The match is over.",
        "  1. Carla: 1 point",
        "  2. you: 5 points",
        "  2. Dan: 5 points",
        "  4. Ben: 13 points",
    ]
    plain = Storyteller(["you", "Ben", "Carla", "Dan"], unicode=False).tell(events)
    assert all(line.isascii() for line in plain) and "AH Carla" in plain[0]


# --- opponents of one's own ----------------------------------------------------------------------


def module(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, body: str) -> None:
    """A module in the working folder whose ``load`` gives an opponent with that body."""
    source = f"class Own:\n    def __init__(self, name): self.name = name\n    {body}\nload = Own\n"
    (folder / f"{name}.py").write_text(source, "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.delitem(sys.modules, name, raising=False)


FIRST = "def act(self, observation, action_mask, seeds): return action_mask.argmax(axis=1)"


def test_own_opponent_from_the_working_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module(monkeypatch, tmp_path, "own_first", FIRST)
    path = sys.path.copy()
    opponent = resolve_opponent("own_first:some argument")
    assert opponent.name == "some argument"
    assert sys.path == path
    shown = run("match", "own_first:x", "lowest", "--deals", "5", "--row-choice", "cheapest").output
    assert "own_first:x" in shown and "+0.00" in shown


def test_folder_of_a_checkpoint_is_loaded_by_agents(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module(monkeypatch, tmp_path, "agents", FIRST)
    with (tmp_path / "agents.py").open("a") as source:
        source.write("TorchAgent = Own\n")
    for name in [name for name in sys.modules if name.startswith("agents.")]:
        monkeypatch.delitem(sys.modules, name)
    folder = tmp_path / "best"
    folder.mkdir()
    (folder / "card.json").write_text("{}", "utf-8")
    assert resolve_opponent(str(folder)).name == str(folder)
    monkeypatch.delitem(sys.modules, "agents")


def test_built_in_names_are_no_modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module(monkeypatch, tmp_path, "mc", FIRST)
    assert resolve_opponent("mc:3").name == "mc:3"
    with pytest.raises(OpponentError, match="'mc:x' must be mc: and a whole number"):
        resolve_opponent("mc:x")


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        (
            "own_fails",
            "def __new__(cls, name): raise RuntimeError('no weights')",
            r"own_fails.load\('x'\) failed with RuntimeError: no weights",
        ),
        ("own_dumb", "pass", r"returned Own, which has no method act"),
        (
            "own_other",
            f"game = 'six_nimmt'\n    {FIRST}",
            "own_other:x plays six_nimmt, not sixth_card",
        ),
        ("own_needs", "import not_installed", "module 'own_needs' cannot be imported: No mod"),
    ],
)
def test_bad_modules_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, body: str, message: str
) -> None:
    module(monkeypatch, tmp_path, name, body)
    with pytest.raises(OpponentError, match=message):
        resolve_opponent(f"{name}:x")


def test_missing_modules_and_functions_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OpponentError, match="no module 'own_missing'"):
        resolve_opponent("own_missing:x")
    with pytest.raises(OpponentError, match=r"module 'colorsys' has no function load"):
        resolve_opponent("colorsys:x")
