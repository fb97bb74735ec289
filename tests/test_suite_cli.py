"""The commands ``suite`` and ``leaderboard``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sixth_env.cli import app, main

# rich, which prints the tables, draws from `random` when it is imported.
pytestmark = pytest.mark.global_random

SUITE = """
format = 1
name = "mine"
seed = 1

[[boards]]
id = "rows"
title = "Rows"
game = "sixth_card"
rules = { num_rounds = 1 }

[[boards.tables]]
players = 3
fields = [
  { field = "random", deals = 20, quick = 5 },
  { field = "mc:2", deals = 10 },
]

[[boards]]
id = "golf"
title = "Golf"
game = "sixes_golf"
rules = { num_rounds = 1 }

[[boards.tables]]
players = 2
fields = [{ field = "random", deals = 10, quick = 5 }]
"""


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a suite of one's own."""
    (tmp_path / "mine.toml").write_text(SUITE, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [*arguments, "--suite", "mine.toml"])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_from_a_suite_to_a_leaderboard(folder: Path) -> None:
    shown = run("suite", "cautious", "--out", "out").output
    assert "Rows: cautious" in shown and "golf left out: unknown opponent 'cautious'" in shown
    assert sorted(str(file.relative_to(folder / "out")) for file in folder.rglob("out/**/*.*")) == [
        *("cautious.jsonl", "rows/cautious.json", "rows/cautious.md"),
    ]
    result = json.loads((folder / "out/rows/cautious.json").read_text("utf-8"))
    assert result["opponent"] == {
        **{"name": "cautious", "spec": "cautious", "greedy": None, "file": None},
    }
    assert {"sixth_env", "python", "numpy", "numba"} <= set(result["versions"])
    assert f"Score {result['score']['value']:+.2f}" in shown

    run("suite", "random", "--name", "any", "--out", "out")
    assert (folder / "out/golf/any.json").is_file()
    shown = run("leaderboard", "out").output
    lines = [line.split()[:2] for line in shown.splitlines() if "±" in line]
    assert [line for line in lines if len(line[1]) == 1] == [
        *(["cautious", "1"], ["any", "2"], ["any", "1"]),
    ]
    table = (folder / "out/README.md").read_text("utf-8")
    assert "| [cautious](rows/cautious.md) | 1 | " in table
    assert "## Golf\n" in table and "worst field" in table


def test_the_command_of_a_result_repeats_it(folder: Path) -> None:
    run("suite", "random", "--game", "sixes_golf", "--quick", "--name", "any", "--out", "first")
    first = json.loads((folder / "first/golf/any.quick.json").read_text("utf-8"))
    words = shlex.split(first["command"])
    assert words[:2] == ["sixth-env", "suite"]
    main_result = CliRunner().invoke(app, [*words[1:], "--out", "second"])
    assert main_result.exit_code == 0
    second = json.loads((folder / "second/golf/any.quick.json").read_text("utf-8"))
    for result in (first, second):
        del result["decisions_per_second"]
    assert first == second


def test_check_tells_a_true_result_from_a_false_one(folder: Path) -> None:
    run("suite", "random", "--game", "sixth_card", "--out", "out")
    file = folder / "out/rows/random.json"
    assert "The result is true" in run("suite", "--check", str(file)).output
    other = run("suite", "cautious", "--check", str(file), code=1).output
    assert "NOT that of these games" in other


def test_pages_with_plots(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    run("suite", "random", "--quick", "--out", "out", "--html")
    run("leaderboard", "out", "--html", "out/index.html")
    for page in ("out/rows/random.quick.html", "out/golf/random.quick.html", "out/index.html"):
        assert "<svg" in (folder / page).read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["suite", "clever"], "unknown opponent 'clever' for sixth_card"),
        (["suite", "random", "--suite", "v9"], "no suite 'v9'"),
        (["suite", "random", "--game", "poker"], "the suite v1 has no game 'poker'"),
        (["suite", "random", "--name", "///"], "'///' makes no file name"),
        (["suite", "random", "--processes", "0"], "processes must be at least 1"),
        (["suite", "random", "--out", "mine.toml"], "no results can be kept in mine.toml"),
        (["suite", "--check", "mine.toml"], "mine.toml is no result of a suite"),
        (["leaderboard", "nowhere"], "nowhere holds no results"),
    ],
)
def test_errors_are_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    assert message in captured.err
