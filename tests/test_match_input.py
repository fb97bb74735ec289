"""What a match is given: rule sets, line-ups, files and checkpoints that are none; commands."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from sixth_env.cli import app, main
from sixth_env.cli.answers import help_for
from sixth_env.cli.live import LiveMatch
from sixth_env.engine import Engine
from sixth_env.errors import ConfigError, OpponentError
from sixth_env.match import Tournament, play_against, play_field, play_tournament
from sixth_env.match.setup import MAX_DEALS
from sixth_env.opponents import load_opponent
from sixth_env.opponents.custom import resolve_opponent
from train.evaluate import against_fields, print_results

# rich, which prints the tables, draws from `random` when it is imported.
pytestmark = pytest.mark.global_random


class Lowest:
    """The first legal action; as an agent might, it says whether it is greedy."""

    def __init__(self, name: str = "own", greedy: bool = True) -> None:
        self.name, self.greedy = name, greedy

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Any
    ) -> NDArray[np.int64]:
        actions: NDArray[np.int64] = action_mask.argmax(axis=1)
        return actions


def pair() -> list[Any]:
    return [load_opponent("closest"), load_opponent("lowest")]


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence on standard error with which a command ends, exit code 2."""
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    captured = capsys.readouterr()
    assert (stop.value.code, captured.out) == (2, "")
    assert captured.err.startswith("sixth-env: ") and captured.err.count("\n") == 1
    return captured.err


# --- Rule sets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule", ["deals", "seed", "names", "games_at_once", "threads", "game", "first_index",
             "num_games", "progress", "players", "field_size", "specs", "self"]
)  # fmt: skip
def test_what_is_no_rule_cannot_be_set(capsys: pytest.CaptureFixture[str], rule: str) -> None:
    setting = ("--set", f"{rule}=2")
    for command in (
        ("match", "closest", "lowest"),
        ("match", "closest", "--against", "lowest"),
        ("cross", "closest", "lowest"),
        ("tournament", "closest", "lowest"),
        ("watch", "closest", "lowest"),
        ("play", "--opponents", "closest"),
    ):
        assert f"has no option '{rule}'" in error_of(capsys, *command, *setting)


@pytest.mark.parametrize("option", ["threads", "first_index", "num_games"])
def test_options_of_the_engine_are_no_rules(option: str) -> None:
    setting: dict[str, Any] = {option: 2}
    with pytest.raises(ConfigError, match=f"no option '{option}'"):
        play_field("sixth_card", pair(), deals=1, **setting)
    with pytest.raises(ConfigError, match=f"no option '{option}'"):
        LiveMatch("sixth_card", [None, None], 1, setting)


@pytest.mark.parametrize(
    "command",
    [
        ("match", "closest", "lowest"),
        ("watch", "closest", "lowest"),
        ("play", "--opponents", "closest"),
    ],
)
def test_seats_and_players_have_to_agree(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    error = error_of(capsys, *command, "--set", "num_players=3")
    assert "the rules are for 3 players, but 2 sit at the table" in error


def test_rules_that_fit_the_players_alone_are_taken() -> None:
    """Two players need 22 cards here; the default four would need more than there are."""
    result = play_field("sixth_card", pair(), deals=1, num_rounds=1, hand_size=9, cards=22)
    assert result.rules["num_players"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "closest", "lowest", "--set", "cards=--3"], "whole number from 1 to 52, not '"),
        (["match", "closest", "lowest", "--set", f"cards={'9' * 5000}"], "cards must be a whole"),
        (["match", "closest", "lowest", "--deals", str(10**12)], "deals must be at most 1000000"),
        (["watch", "closest", "lowest", "--delay", "inf"], "0 to 60 seconds, not inf"),
        (["watch", "closest", "lowest", "--delay", "nan"], "0 to 60 seconds, not nan"),
        (["watch", "closest", "lowest", "--delay=-1"], "0 to 60 seconds, not -1.0"),
    ],
)
def test_impossible_numbers(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in error_of(capsys, *arguments)


@pytest.mark.parametrize("deals", [1.5, "x", True, None, MAX_DEALS + 1, np.float64(2)])
def test_deals_are_a_whole_number_up_to_a_million(deals: Any) -> None:
    with pytest.raises(ConfigError, match="deals must be"):
        play_field("sixth_card", pair(), deals=deals)


def test_deals_may_be_a_numpy_integer() -> None:
    result = play_field("sixth_card", pair(), deals=np.int16(2), num_rounds=1)  # type: ignore[arg-type]
    assert result.deals == 2


def test_names_are_no_opponents() -> None:
    for line_up in (["closest", "lowest"], "closest", [*pair(), None]):
        with pytest.raises(ConfigError, match="is no opponent, which would have a method act"):
            play_field("sixth_card", line_up, deals=1)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="'closest' is no opponent"):
        play_against("sixth_card", "closest", pair())  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="None is no opponent"):
        play_tournament("sixth_card", [None, *pair()])  # type: ignore[list-item]


@pytest.mark.parametrize("given", ["names", "specs"])
def test_there_are_as_many_names_as_opponents(given: str) -> None:
    one: dict[str, Any] = {given: ["x"]}
    with pytest.raises(ConfigError, match=f"2 opponents need as many {given}, not 1"):
        play_field("sixth_card", pair(), deals=1, **one)
    with pytest.raises(ConfigError, match=f"3 opponents need as many {given}, not 1"):
        play_against("sixth_card", Lowest(), pair(), deals=1, **one)


def test_entrants_are_counted_in_whole_numbers() -> None:
    result = play_field("sixth_card", pair(), deals=1, num_rounds=1)
    assert result.index(np.int64(1)) == 1  # type: ignore[arg-type]
    for entrant in (0.5, 0.0, True, None):
        with pytest.raises(ConfigError, match="no entrant"):
            result.index(entrant)  # type: ignore[arg-type]


# --- The file of a report -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", [["match", "closest", "lowest"], ["tournament", "closest", "lowest"], ["benchmark"]]
)
def test_a_file_that_cannot_be_written_is_refused_before_playing(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
) -> None:
    def played(*arguments: Any, **options: Any) -> None:
        raise AssertionError("played, or measured, before the file was tried")

    monkeypatch.setattr(Engine, "__init__", played)
    for file in (tmp_path / "missing" / "report.json", tmp_path):
        assert "cannot be written" in error_of(capsys, *command, "--json", str(file))


def test_trying_the_file_leaves_it_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text("kept", "utf-8")
    for file in (old, new):
        error_of(capsys, "match", "closest", "clever", "--json", str(file))
    assert old.read_text("utf-8") == "kept" and not new.exists()


# --- Commands that repeat -------------------------------------------------------------------------


def report_of(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    file = tmp_path / "report.json"
    done = CliRunner().invoke(app, [*arguments, "--json", str(file)])
    assert done.exit_code == 0, done.output
    report: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return report


def figures(match: dict[str, Any]) -> list[Any]:
    """What repeats: all but the speed."""
    return [
        {name: value for name, value in entrant.items() if "second" not in name}
        for entrant in match["entrants"]
    ]


def test_an_opponent_among_a_field_of_itself_can_be_repeated(tmp_path: Path) -> None:
    report = report_of(tmp_path, "match", "mc:2", "--against", "mc:2", "--deals", "3")
    [match] = report["matches"]
    assert [entrant["name"] for entrant in match["entrants"]] == ["mc:2", "mc:2#2"]
    again = report_of(tmp_path, *shlex.split(match["command"])[1:])
    assert figures(again["matches"][0]) == figures(match)


def test_only_what_can_be_loaded_is_in_a_command() -> None:
    own, closest, other = Lowest(), load_opponent("closest"), load_opponent("closest")
    assert play_field("sixth_card", [own, closest], deals=1).command is None
    two_of_three = play_field("sixth_card", [closest, other, own], deals=1)
    assert two_of_three.to_dict()["command"] is None
    # Loaded by one spec, the two would be one entrant.
    assert play_field("sixth_card", [closest, closest, other], deals=1).command is None
    given = play_field("sixth_card", [own, closest], deals=1, specs=["own:x", "closest"])
    assert given.command == "sixth-env match own:x closest --game sixth_card --deals 1 --seed 1" \
        " --whole"  # fmt: skip


def test_exact_deck_of_as_many_cards_as_the_whole_ladder() -> None:
    """Ten hands of ten and four rows take all 104 cards, which is also the default."""
    players = [load_opponent("closest", "six_nimmt") for _ in range(10)]
    result = play_field("six_nimmt", players, deals=1, num_rounds=1, exact_deck=True)
    assert result.rules["cards"] == 104
    assert "--set exact_deck=True" in " ".join(result.options)


def test_greedy_or_drawn_is_written_down() -> None:
    line_up = [Lowest("drawn", greedy=False), Lowest("greedy"), load_opponent("closest")]
    entrants = play_field("sixth_card", line_up, deals=1, num_rounds=1).to_dict()["entrants"]
    assert [entrant["greedy"] for entrant in entrants] == [False, True, None]
    assert [entrant["spec"] for entrant in entrants] == [None, None, "closest"]


def test_a_training_says_what_its_table_is_made_of(capsys: pytest.CaptureFixture[str]) -> None:
    game = load_opponent("closest").game  # type: ignore[attr-defined]
    rules = {"num_players": 3, "num_rounds": 1}
    results = against_fields(Lowest(), ["closest", "mc:2"], game, rules, deals=2, seed=7)
    print_results(results, Path("runs/mine/latest"))
    shown = capsys.readouterr().out
    assert "sixth_card, 2 deals, seed 7, 6 games against each field; rules: num_rounds=1" in shown
    assert (
        "sixth-env match runs/mine/latest --against closest --against mc:2 --players 3"
        " --game sixth_card --deals 2 --seed 7 --rounds 1\n"
    ) in shown


# --- Cycles ---------------------------------------------------------------------------------------


def cycles_of(monkeypatch: pytest.MonkeyPatch, *wins: str) -> list[str]:
    """The circles of a table in which the first of each two letters beats the second."""
    names = tuple(sorted(set("".join(wins))))
    monkeypatch.setattr(Tournament, "beats", lambda self, a, b: names[a] + names[b] in wins)
    return ["".join(cycle) for cycle in Tournament(names, "table", ()).cycles]


@pytest.mark.parametrize(
    ("wins", "cycles"),
    [
        (["AB", "BC", "AC"], []),
        (["AB", "BC", "CA"], ["ABC"]),
        (["AC", "CB", "BA"], ["ACB"]),
        (["AB", "BC", "CD", "DA"], ["ABCD"]),
        (["DA", "AB", "BE", "EC", "CD", "FA"], ["ABECD"]),
        (["AB", "BC", "CD", "DA", "CA"], ["ABC", "ABCD"]),
        (["AB", "BA", "CA"], ["AB"]),
        (["AB", "BC", "CA", "CD", "DE", "EF", "FD"], ["ABC", "DEF"]),
    ],
)
def test_circles_of_any_length(
    monkeypatch: pytest.MonkeyPatch, wins: list[str], cycles: list[str]
) -> None:
    assert cycles_of(monkeypatch, *wins) == cycles


# --- Checkpoints ----------------------------------------------------------------------------------

AGENTS = """
class TorchAgent:
    def __init__(self, name): self.name = name
    def act(self, observation, action_mask, seeds): return action_mask.argmax(axis=1)
load = TorchAgent
"""


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A working folder without the package ``agents``."""
    for name in [name for name in sys.modules if name.split(".")[0] == "agents"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if not Path(p, "agents").is_dir()])
    monkeypatch.chdir(tmp_path)
    # An imported stand-in must not stay: undone after the test, whatever the test imported.
    monkeypatch.setitem(sys.modules, "agents", sys)
    monkeypatch.delitem(sys.modules, "agents")
    return tmp_path


def checkpoint(folder: Path) -> str:
    folder.mkdir(parents=True)
    (folder / "card.json").write_text("{}", "utf-8")
    return str(folder)


def test_a_run_is_no_checkpoint_but_holds_one(folder: Path) -> None:
    checkpoint(folder / "run" / "latest")
    with pytest.raises(OpponentError, match=r"run is a folder without card.json.*mean .*latest\?"):
        resolve_opponent("run")
    (folder / "empty").mkdir()
    with pytest.raises(OpponentError, match=r"empty is a folder without card.json.*checkpoint$"):
        resolve_opponent("empty")


def test_checkpoints_are_loaded_in_the_checkout(folder: Path) -> None:
    checkpoint(folder / "best")
    with pytest.raises(OpponentError, match="'agents' loads: run from the root of its checkout"):
        resolve_opponent("best")
    (folder / "agents.py").write_text("def load(argument): raise AssertionError\n", "utf-8")
    with pytest.raises(OpponentError, match=r"another module of that name, .*agents\.py"):
        resolve_opponent("best")


def test_a_checkpoint_is_found_where_an_interrupted_save_left_it(folder: Path) -> None:
    (folder / "agents.py").write_text(AGENTS, "utf-8")
    checkpoint(folder / ".best.old")
    assert resolve_opponent("best").name == "best"


@pytest.mark.parametrize("spec", ["best?sampled", "agents:best?sampled", "best"])
def test_the_loader_is_told_to_sample(folder: Path, spec: str) -> None:
    (folder / "agents.py").write_text(AGENTS, "utf-8")
    checkpoint(folder / "best")
    assert resolve_opponent(spec).name == spec.removeprefix("agents:")


def test_a_folder_does_not_hide_a_built_in_opponent(folder: Path) -> None:
    checkpoint(folder / "random")
    assert resolve_opponent("random").name == load_opponent("random").name


# --- Help -----------------------------------------------------------------------------------------


def test_help_speaks_of_the_cards_of_the_game() -> None:
    views = {game: Engine(game, seed=1).view(0, 0) for game in ("sixth_card", "six_nimmt")}
    assert "7S" in help_for(views["sixth_card"], unicode=True)
    numbers = help_for(views["six_nimmt"], unicode=True)
    assert "the card's number" in numbers and "7S" not in numbers and "place" not in numbers
