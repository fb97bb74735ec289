"""The cards of shipped opponents: one network, several levels, results that are theirs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.levels import main, read_levels, write_cards
from sixth_env import load_opponent
from sixth_env.errors import ConfigError, OpponentError
from sixth_env.opponents import shipped_opponents, zoo
from tests.exported import exported

for library in ("onnx", "onnxruntime", "onnxscript"):
    pytest.importorskip(library)

ROOT = Path(__file__).resolve().parents[1]
SUITE = """
format = 1
name = "tiny"
seed = 1

[[boards]]
id = "golf"
title = "Golf, two players"
game = "sixes_golf"
rules = { num_rounds = 1 }

[[boards.tables]]
players = 2
fields = [{ field = "random", deals = 20, quick = 5 }]
"""
LEVELS = """
suite = "tiny.toml"
results = "results"

[games.sixes_golf.easy]
description = "Draws."
play = { greedy = false, temperature = 4.0 }

[games.sixes_golf.strong]
description = "Never errs."
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a game's network, where the levels are described."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(zoo, "FOLDER", tmp_path / "zoo")
    (tmp_path / "zoo" / "sixes_golf").mkdir(parents=True)
    model = exported("sixes_golf")
    for file in (model, model.with_suffix(".json")):
        (tmp_path / "zoo" / "sixes_golf" / f"network{file.suffix}").write_bytes(file.read_bytes())
    (tmp_path / "tiny.toml").write_text(SUITE)
    (tmp_path / "zoo.toml").write_text(LEVELS)
    return tmp_path


def play_suite(folder: Path, level: str, *options: str) -> None:
    """What the command line would do, with the levels in this folder."""
    program = (
        "import sys; from pathlib import Path; from sixth_env.opponents import zoo\n"
        f"zoo.FOLDER = Path({str(folder / 'zoo')!r})\n"
        "from sixth_env.cli.app import main; main()"
    )
    words = ["suite", level, "--game", "sixes_golf", "--suite", "tiny.toml", *options]
    command = [sys.executable, "-c", program, *words, "--out", "results"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def test_cards_with_results(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["zoo.toml"])
    assert "sixes_golf/easy: no results of the suite yet" in capsys.readouterr().out
    assert shipped_opponents("sixes_golf") == ("sixes_golf/easy", "sixes_golf/strong")
    easy, strong = load_opponent("sixes_golf/easy"), load_opponent("sixes_golf/strong")
    assert (easy.greedy, strong.greedy) == (False, True)  # type: ignore[attr-defined]
    play_suite(folder, "sixes_golf/easy", "--quick")
    play_suite(folder, "sixes_golf/strong")
    main(["zoo.toml"])
    assert "sixes_golf/strong: golf" in capsys.readouterr().out
    strength = zoo.shipped_card("sixes_golf/strong").strength
    result = json.loads((folder / "results/golf/sixes_golf-strong.json").read_text("utf-8"))
    assert (strength["suite"], strength["digest"]) == ("tiny", result["digest"])
    told = strength["boards"]["golf"]
    assert (told["size"], told["unit"], told["score"]) == ("full", "points", result["score"])
    (field,), (played,) = told["fields"], result["fields"]
    assert (field["players"], field["field"], field["deals"]) == (2, "random", 20)
    assert all(field[name] == played[name] for name in field)
    easy_board = zoo.shipped_card("sixes_golf/easy").strength["boards"]["golf"]
    assert easy_board["size"] == "quick"
    card = json.loads((folder / "zoo/sixes_golf/easy.json").read_text("utf-8"))
    assert card["description"] == "Draws."
    write_cards(read_levels(folder / "zoo.toml"))  # results do not make them another opponent


def test_results_of_an_earlier_level_are_refused(folder: Path) -> None:
    levels = read_levels(folder / "zoo.toml")
    write_cards(levels)
    play_suite(folder, "sixes_golf/easy", "--quick")
    (folder / "zoo.toml").write_text(LEVELS.replace("4.0", "5.0"))
    before = (folder / "zoo/sixes_golf/strong.json").read_bytes()
    with pytest.raises(
        ConfigError, match=r"quick\.json is not of sixes_golf/easy as it is now; rep"
    ):
        write_cards(read_levels(folder / "zoo.toml"))
    assert (folder / "zoo/sixes_golf/strong.json").read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"digest": "0" * 16}, "is of the suite tiny"),
        ({"quick": False}, "the fields are not those of golf"),
        ({"opponent": {"spec": "sixes_golf/easy?greedy"}}, "is not of sixes_golf/easy"),
        ({"opponent": {"name": "easy"}}, "is not of sixes_golf/easy"),
    ],
)
def test_results_of_somebody_else_are_refused(
    folder: Path, changes: dict[str, Any], fault: str
) -> None:
    levels = read_levels(folder / "zoo.toml")
    write_cards(levels)
    play_suite(folder, "sixes_golf/easy", "--quick")
    file = folder / "results/golf/sixes_golf-easy.quick.json"
    result = json.loads(file.read_text("utf-8"))
    opponent = {**result["opponent"], **changes.pop("opponent", {})}
    file.write_text(json.dumps({**result, "opponent": opponent, **changes}))
    with pytest.raises(ConfigError, match=fault):
        write_cards(levels)


def test_a_level_that_is_gone_ships_no_longer(folder: Path) -> None:
    write_cards(read_levels(folder / "zoo.toml"))
    (folder / "zoo.toml").write_text(LEVELS.replace("sixes_golf.easy", "sixes_golf.weak"))
    write_cards(read_levels(folder / "zoo.toml"))
    assert shipped_opponents("sixes_golf") == ("sixes_golf/strong", "sixes_golf/weak")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("sixes_golf", "chess", "zoo.toml: there is no game 'chess'"),
        ("4.0", "-1.0", r"games\.sixes_golf\.easy\.play\.temperature: Input should be greater"),
        ("sixes_golf.easy", "sixes_golf.network", "network.json is the card of the network"),
        ("sixes_golf.easy", 'sixes_golf."größe"', "String should match pattern"),
        ("temperature", "heat", r"play\.heat: Extra inputs are not permitted"),
        ('suite = "tiny.toml"', "", "suite: Field required"),
        ("[games", "[games[", "zoo.toml does not describe levels"),
    ],
)
def test_faults_are_named(folder: Path, old: str, new: str, fault: str) -> None:
    (folder / "zoo.toml").write_text(LEVELS.replace(old, new))
    with pytest.raises(ConfigError, match=fault):
        read_levels(folder / "zoo.toml")


def test_a_missing_network(folder: Path) -> None:
    (folder / "zoo/sixes_golf/network.json").unlink()
    with pytest.raises(OpponentError, match=r"network\.json cannot be read"):
        write_cards(read_levels(folder / "zoo.toml"))
    with pytest.raises(SystemExit):
        main(["none.toml"])
