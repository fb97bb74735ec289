"""The page's JavaScript says the same as Python: rules, replays, views, observations, masks."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env.games import GAMES, get_game
from tests.exported import network
from tests.web_vectors import CONFIGS, WEB, played, views

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
ORT = os.environ.get("SIXTH_ENV_ORT")  # a folder with ort.wasm.min.mjs of onnxruntime-web
COUNT = 1000  # views of each game


def faults(tmp_path: Path, **vectors: Any) -> list[str]:
    """What node finds to differ from the vectors."""
    assert NODE is not None
    file = tmp_path / "vectors.json"
    file.write_text(json.dumps(vectors))
    check = Path(__file__).parent / "web_check.mjs"
    done = subprocess.run([NODE, check, WEB, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def matches() -> list[dict[str, Any]]:
    """A random match of each configuration; seeds up to the largest."""
    return [
        played(game, config, seed=n if n % 2 else 2**64 - 1 - n, most=250)
        for n, (game, config) in enumerate(CONFIGS)
    ]


def test_matches_contain_what_could_differ(matches: list[dict[str, Any]]) -> None:
    """Every kind of event, twins, a refilled pile, matches cut off."""
    kinds = {event["type"] for match in matches for step in match["story"] for event in step}
    rows = {"deal", "reveal", "row_decision", "take", "place", "round_end", "match_end"}
    golf = {"turn_up", "draw", "refill", "swap_drawn", "discard_drawn", "take_discard", "knock"}
    assert kinds == rows | golf | {"play", "pass", "went_out", "cut_off"}
    over = [match["last"] for match in matches if match["last"]["phase"] == "over"]
    assert {last["game"] for last in over} == set(GAMES)


@needs_node
def test_replays_are_played_alike(tmp_path: Path, matches: list[dict[str, Any]]) -> None:
    replays = [{**match, "replay": json.dumps(match["replay"])} for match in matches]
    deals = [
        {
            "position": match["replay"]["position"],
            "stream": {**match["replay"]["stream"], "seed": str(match["replay"]["stream"]["seed"])},
        }
        for match in matches
    ]
    assert faults(tmp_path, replays=replays, deals=deals) == []


@needs_node
@pytest.mark.parametrize("game", GAMES)
def test_views_are_observed_alike(tmp_path: Path, game: str) -> None:
    found, columns, masks = views(game, COUNT)
    assert len(found) == COUNT
    assert {view["players"] for view in found} == set(range(2, GAMES[game].max_players + 1))
    assert game != "sixes_golf" or any(view["refilled"] for view in found)
    lists = zip(found, columns.tolist(), masks.tolist(), strict=True)
    examples = [{"view": v, "columns": c, "mask": m} for v, c, m in lists]
    table = GAMES[game].table.to_dict()
    assert faults(tmp_path, views=[{"table": table, "examples": examples}]) == []


@needs_node
@pytest.mark.skipif(ORT is None, reason="SIXTH_ENV_ORT names no folder of onnxruntime-web")
@pytest.mark.parametrize("kind", ["shipped", "untrained"])
@pytest.mark.parametrize("game", GAMES)
def test_an_exported_opponent_moves_as_in_python(tmp_path: Path, game: str, kind: str) -> None:
    from sixth_env import load_opponent

    assert NODE is not None
    assert ORT is not None
    model = network(game, kind)
    found, columns, masks = views(game, COUNT)
    file = tmp_path / "views.json"
    file.write_text(json.dumps(found))
    script = Path(__file__).parent / "web_onnx.mjs"
    command = [NODE, *map(str, (script, WEB, ORT, model, file))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = load_opponent(f"{model}?greedy").act(columns, masks, np.zeros(COUNT, np.uint64))
    assert json.loads(done.stdout) == expected.tolist()


@needs_node
def test_a_page_without_a_server_has_the_same_games(tmp_path: Path) -> None:
    games = [
        {"game": game.id, "title": game.title, "players": [2, game.max_players], "unit": game.unit}
        for game in map(get_game, GAMES)
    ]
    rule_sets = [
        {"chosen": chosen, "rules": game.make_rules({"num_players": players, **chosen}).to_dict()}
        for game in map(get_game, GAMES)
        for players in range(2, game.max_players + 1)
        for chosen in ({}, {"num_rounds": 1}, {"num_rounds": 3})
    ]
    assert faults(tmp_path, games=games, ruleSets=rule_sets) == []


@needs_node
def test_a_difference_is_found(tmp_path: Path) -> None:
    found, columns, masks = views("sixth_card", 1)
    columns[0, GAMES["sixth_card"].table.start("dealer")] += 1
    example = {"view": found[0], "columns": columns[0].tolist(), "mask": masks[0].tolist()}
    table = GAMES["sixth_card"].table.to_dict()
    assert faults(tmp_path, views=[{"table": table, "examples": [example]}]) == [
        "sixth_card, view 0: block dealer"
    ]


def test_the_page_loads_nothing_from_elsewhere() -> None:
    for file in [*WEB.rglob("*.js"), *WEB.glob("*.html"), *WEB.glob("*.css")]:
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z]+\.[a-z]+/", text), file.name
        for module in re.findall(r'from "(\./[^"]+|\.\./[^"]+)"', text):
            assert (file.parent / module).is_file(), f"{file.name} imports {module}"
