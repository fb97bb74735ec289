"""Export to ONNX: the same numbers as torch, a complete card, and files whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents.export as export_module
from agents import load
from agents.checkpoint import save
from agents.export import export, main
from agents.networks import ILLEGAL_LOGIT, NetworkSettings, PolicyValueNet
from agents.onnx_model import check_equal, real_decisions, to_bytes, to_onnx
from agents.torch_agent import Network, TorchAgent, card_for
from agents.towers import TowerSettings, TowersNet
from sixth_env.errors import CheckpointError, MissingExtraError
from sixth_env.games import GAMES, get_game
from sixth_env.match import play_against
from sixth_env.opponents import load_opponent
from sixth_env.opponents.onnx import OnnxOpponent, read_card
from tests.exported import exported, save_network, small_network, with_weights

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")

ROOT = Path(__file__).resolve().parents[1]


def run(model: bytes, observation: Any, mask: Any) -> list[Any]:
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    inputs = {"observation": observation.astype(np.int32), "action_mask": mask.astype(np.int32)}
    found: list[Any] = session.run(None, inputs)
    return found


# --- Numbers -------------------------------------------------------------------------------------


def networks() -> dict[str, Network]:
    """Networks that differ in everything that the export treats in its own way."""
    table, actions = get_game("sixth_card").table, get_game("sixth_card").num_actions
    settings = {
        "products": NetworkSettings(
            columns=("turn", "hand", "row_sizes"),
            products=(("hand", "fit_free"), ("hand", "fit_points")),
            planes=("hand",),
            width=16,
            depth=3,
        ),
        "plain": NetworkSettings(width=16, depth=1),
    }
    made: dict[str, Network] = {
        name: with_weights(PolicyValueNet(kind, table, actions), 5)
        for name, kind in settings.items()
    }
    towers = {
        "tanh": TowerSettings(policy=(16, 8), value=(12,)),
        "relu": TowerSettings(columns=("hand", "turn"), policy=(), value=(8, 8), activation="relu"),
    }
    made |= {
        name: with_weights(TowersNet(kind, table, actions), 6) for name, kind in towers.items()
    }
    return made


SLOW = [pytest.param(kind, marks=pytest.mark.slow) for kind in ("plain", "relu")]


@pytest.mark.parametrize("kind", ["products", "tanh", *SLOW])
def test_every_kind_of_network_computes_what_torch_does(kind: str) -> None:
    game, network = get_game("sixth_card"), networks()[kind].eval()
    observation, mask = real_decisions(game, 100)
    logits, value = run(to_bytes(to_onnx(network, game)), observation, mask)
    with torch.inference_mode():
        expected = network(torch.from_numpy(observation), torch.from_numpy(mask))
    np.testing.assert_allclose(logits, expected[0].numpy(), atol=1e-4)
    np.testing.assert_allclose(value, expected[1].numpy(), atol=1e-4)
    assert np.ptp(logits[mask != 0]) > 1.0


@pytest.mark.parametrize("game", GAMES)
def test_every_game_in_every_batch_size(game: str) -> None:
    observation, mask = real_decisions(get_game(game), 1000)
    agent = load(exported(game).with_suffix(""))
    logits, value = agent.logits_and_value(observation, mask)
    model = exported(game).read_bytes()
    for rows in (1, 2, 7, 64, 1000):
        found = run(model, observation[-rows:], mask[-rows:])
        np.testing.assert_allclose(found[0], logits[-rows:], atol=1e-4)
        np.testing.assert_allclose(found[1], value[-rows:], atol=1e-4)


def test_masks() -> None:
    game = get_game("sixth_card")
    observation, mask = real_decisions(game, 3)
    mask[0], mask[1] = 0, 1
    logits, _ = run(exported(game.id).read_bytes(), observation, mask)
    assert np.isfinite(logits).all()
    assert (logits[0] == ILLEGAL_LOGIT).all()
    assert (logits[1] > -1e3).all()
    assert ((logits[2] == ILLEGAL_LOGIT) == (mask[2] == 0)).all()


def test_decisions_are_real_ones_of_every_player_count() -> None:
    for game in GAMES.values():
        observation, mask = real_decisions(game, 1000)
        assert len(observation) == len(mask) == 1000
        assert (mask.sum(axis=1) > 0).all()
        players = observation[:, game.table.start("num_players")]
        assert set(players) == set(range(2, game.max_players + 1))
        assert mask.any(axis=0).mean() > 0.9  # nearly all actions are legal somewhere
        assert len(np.unique(observation, axis=0)) > 900


def test_another_network_is_noticed() -> None:
    game = get_game("sixes_golf")
    other = TorchAgent(game, small_network(game.id, seed=2), "other")
    with pytest.raises(CheckpointError, match=r"outputs differ from torch's by .* nothing"):
        check_equal(other, OnnxOpponent(exported(game.id).read_bytes()))


# --- The card ------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_card(game: str) -> None:
    kind, file = get_game(game), exported(game)
    beside, inside = read_card(file.with_suffix(".json")), load_opponent(file).card  # type: ignore[attr-defined]
    assert beside.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert inside == beside.model_copy(update={"sha256": None})
    assert (inside.game, inside.environment_version) == (game, kind.version)
    assert inside.observation_hash == kind.table.hash
    table = [block.model_dump(mode="json") for block in inside.observation_table]
    assert table == kind.table.to_dict()
    assert inside.reads == kind.table.names
    assert inside.actions == tuple(kind.action_name(a) for a in range(kind.num_actions))
    assert (inside.name, inside.license, inside.play.greedy) == ("small", "MIT", True)
    assert inside.checkpoint_sha256 == load_card(file.with_suffix(""))["sha256"]
    assert inside.training["command"] == "python -m train.ppo config.json"


def load_card(checkpoint: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((checkpoint / "card.json").read_text())
    return content


def test_graph_is_plain() -> None:
    model = onnx.load(exported("sixth_card"))
    assert [(opset.domain, opset.version) for opset in model.opset_import] == [("", 18)]
    assert model.ir_version == 8
    graph = model.graph.SerializeToString()
    for trace in (str(ROOT).encode(), b"site-packages", b".py", b"agents."):
        assert trace not in graph
    ports = [*model.graph.input, *model.graph.output]
    names = [port.name for port in ports]
    assert names == ["observation", "action_mask", "logits", "value"]
    assert all(port.type.tensor_type.shape.dim[0].dim_param for port in ports)


def test_columns_that_are_read() -> None:
    game = get_game("sixth_card")
    reads = {
        "products": ("row_sizes", "fit_free", "fit_points", "hand"),
        "relu": ("hand", "turn"),
    }
    for kind, expected in reads.items():
        found = export_module._reads(networks()[kind], game)
        assert set(found) == {*expected, "turn"}
        assert list(found) == sorted(found, key=game.table.start)


def test_strength_comes_from_the_checkpoint_and_from_files(tmp_path: Path) -> None:
    game, network = get_game("sixes_golf"), small_network("sixes_golf")
    agent = TorchAgent(game, network, "mine")
    [match] = play_against(
        game.id, agent, [load_opponent("random", game.id)], players=2, deals=4, num_rounds=1
    )
    results = {"fields": [match.to_dict(), "something else"]}
    card = card_for(game, network, results=results)
    save(tmp_path / "mine", tensors=network.state_dict(), card=card)
    (tmp_path / "suite.json").write_text('{"rank": 1}')
    arguments = [str(tmp_path / "mine"), "--strength", str(tmp_path / "suite.json")]
    main([*arguments, "--command", "make it", "--license", "CC0-1.0", "--name", "Me"])
    card_out = read_card(tmp_path / "mine.json")
    assert card_out.strength["suite"] == {"rank": 1}
    [row] = card_out.strength["after_training"]
    assert (row["against"], row["players"], row["deals"]) == ("random", 2, 4)
    assert row["points_per_round"]["value"] == match.points_per_round(0).value
    assert card_out.training["command"] == "make it"
    assert (card_out.name, card_out.license) == ("Me", "CC0-1.0")


# --- Files and the command -----------------------------------------------------------------------


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return save_network(tmp_path / "net", small_network("sixes_golf"), "sixes_golf")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exporter's part done before, for tests of what is around it."""
    model = onnx.load(exported("sixes_golf"))
    model.ClearField("metadata_props")
    monkeypatch.setattr(export_module, "to_onnx", lambda network, game: model)


def test_the_same_bytes_again_and_no_generator_touched(
    checkpoint: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = torch.random.get_rng_state(), random.getstate(), repr(np.random.get_state())
    main([str(checkpoint)])
    after = torch.random.get_rng_state(), random.getstate(), repr(np.random.get_state())
    assert torch.equal(before[0], after[0]) and before[1:] == after[1:]
    assert checkpoint.with_suffix(".onnx").read_bytes() == exported("sixes_golf").read_bytes()
    said = capsys.readouterr()
    assert said.out == "exported small (sixes_golf), equal to torch on 1000 observations\n"
    assert said.err == ""


@pytest.mark.usefixtures("quick")
def test_play_mode(checkpoint: Path) -> None:
    main([str(checkpoint), "--sampled", "--temperature", "2.5", "--top-p", "0.9"])
    opponent = load_opponent(checkpoint.with_suffix(".onnx"))
    assert isinstance(opponent, OnnxOpponent)
    assert opponent.mode.model_dump() == {"greedy": False, "temperature": 2.5, "top_p": 0.9}
    assert opponent.name == "small" and not opponent.greedy


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "{}/x.pb"], "an exported file must end in .onnx, not 'x.pb'"),
        (["--out", "{}/taken.onnx"], "taken.json, where the card would go, is no card: refusing"),
        (["--out", "{}/folder.onnx"], "folder.onnx is a folder"),
        (["--out", "{}/taken.json/x.onnx"], "x.onnx cannot be written: "),
        (["--temperature", "0"], "temperature: Input should be greater than or equal to 0.01"),
        (["--top-p", "nan"], "top_p: Input should be a finite number"),
        (["--name", "n" * 101], "name: String should have at most 100 characters"),
        (["--strength", "{}/missing.json"], "missing.json cannot be read"),
        (["--strength", "{}/nan.json"], "nan.json cannot be read: NaN is no JSON"),
        (["--strength", "{}/net/policy.safetensors"], "policy.safetensors cannot be read"),
    ],
)
def test_what_is_refused(
    checkpoint: Path,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = checkpoint.parent
    (folder / "taken.json").write_text("{}")
    (folder / "nan.json").write_text('{"points": NaN}')
    (folder / "folder.onnx").mkdir()
    before = sorted(folder.iterdir())
    arguments = [option.format(folder) for option in options]
    with pytest.raises(SystemExit, match="1"):
        main([str(checkpoint), *arguments])
    error = capsys.readouterr().err
    assert message in error and error.startswith("error: ") and error.count("\n") == 1
    assert sorted(folder.iterdir()) == before


def test_no_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path / "none")])
    assert capsys.readouterr().err == f"error: there is no checkpoint at {tmp_path / 'none'}\n"


def test_a_wrong_export_is_not_written(checkpoint: Path, quick: None) -> None:
    other = save_network(checkpoint.parent / "other", small_network("sixes_golf", 2), "sixes_golf")
    with pytest.raises(CheckpointError, match="differ from torch"):
        export(other)
    assert not other.with_suffix(".onnx").exists()


def test_an_interrupted_write_leaves_a_model_that_loads(
    checkpoint: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(checkpoint, name="first")
    file, replace = checkpoint.with_suffix(".onnx"), os.replace
    for fails_on, name in ((".onnx", "first"), (".json", "second")):

        def failing(source: Any, target: Path, on: str = fails_on) -> None:
            if target.suffix == on:
                raise OSError(28, "No space left on device")
            replace(source, target)

        monkeypatch.setattr(os, "replace", failing)
        with pytest.raises(CheckpointError, match="cannot be written: No space left"):
            export(checkpoint, name="second")
        assert load_opponent(file).name == name
        assert sorted(p.name for p in file.parent.iterdir()) == ["net", "net.onnx"]


def test_missing_library(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sixth_env\[export\]'"):
        export(checkpoint)
