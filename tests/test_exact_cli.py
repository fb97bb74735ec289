"""The command ``exact``: tables, files and refusals."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import sixth_env.cli.exacts  # noqa: F401  # now: rich draws from `random` when first imported
from sixth_env.cli import main
from tests.exact_games import small_engine

SMALL = ("--set", "hand_size=3", "--set", "rows=2")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    with pytest.raises(SystemExit) as stop:
        main(["exact", *arguments])
    output, errors = capsys.readouterr()
    return int(stop.value.code or 0), output, errors


def test_opponents_are_measured(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "exact.json"
    arguments = ("random", "exact", "--deals", "6", *SMALL, "--json", str(file))
    code, output, _ = run(capsys, *arguments)
    assert code == 0
    assert "Sixth Card, 2 players, open hands: 3 cards, 2 rows" in output
    report = json.loads(file.read_text("utf-8"))
    random, exact = report["opponents"]
    assert exact["exploitability"]["value"] == pytest.approx(0, abs=1e-9)
    assert random["exploitability"]["value"] >= random["loss"]["value"] > 0
    assert f"{random['exploitability']['value']:.3f} (" in output
    assert report["command"] in output
    again = tmp_path / "again.json"
    code, _, _ = run(capsys, *shlex.split(report["command"])[2:], "--json", str(again))
    assert code == 0 and json.loads(again.read_text("utf-8")) == report


def test_all_deals(capsys: pytest.CaptureFixture[str]) -> None:
    code, output, _ = run(capsys, "--all", "--set", "hand_size=2", "--set", "rows=1")
    assert code == 0
    assert "30 deals (all)" in output and "+0.000 on average" in output


def position_file(tmp_path: Path, change: dict[str, Any] | None = None) -> str:
    file = tmp_path / "position.json"
    position = small_engine("sixth_card", {"hand_size": 3, "rows": 1}).position()
    file.write_text(json.dumps({**position, **(change or {})}), "utf-8")
    return str(file)


def test_a_position_is_solved(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "solution.json"
    code, output, _ = run(capsys, "--position", position_file(tmp_path), "--json", str(file))
    assert code == 0
    solution = json.loads(file.read_text("utf-8"))
    assert f"player_0 gains {solution['value']:+.4f} points" in output
    for seat, sign in ((0, 1), (1, -1)):
        actions = solution["players"][seat]
        assert sum(action["probability"] for action in actions) == pytest.approx(1)
        best = max(action["worth"] for action in actions)
        assert best == pytest.approx(sign * solution["value"])
        assert all(action["name"] in output for action in actions)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random", "--game", "sixes_golf"), "sixes_golf has no exact solution"),
        (("random", "--set", "num_players=3"), "num_players=2, not 3"),
        (("nobody",), "unknown opponent 'nobody'"),
        (("random", "--deals", "0"), "deals must be from 1"),
        (("--all", "--set", "hand_size=6"), "take a sample"),
        (("--position", "nowhere.json"), "nowhere.json is no position"),
    ],
)
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    code, output, errors = run(capsys, *arguments)
    assert code == 2 and output == ""
    assert message in errors and errors.count("\n") == 1


def test_a_broken_position_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, errors = run(capsys, "--position", position_file(tmp_path, {"turn": 9}))
    assert code == 2 and "turn 9" in errors
