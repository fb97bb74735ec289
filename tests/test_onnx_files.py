"""Model files that are refused: damaged, of something else, or made to do harm."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.onnx_model import real_decisions
from scripts.write_docs import ONNX, with_actions
from sixth_env import load_opponent
from sixth_env.errors import OpponentError
from sixth_env.games import GAMES, get_game
from sixth_env.opponents import onnx_file
from sixth_env.opponents.onnx import OnnxOpponent
from sixth_env.opponents.onnx_card import METADATA_KEY
from tests.exported import exported

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")


def edited(change: Callable[[Any], None], *, sign: bool = True) -> bytes:
    """A golf model with a change, and with the card of the changed graph unless not ``sign``."""
    model = onnx.load(exported("sixes_golf"))
    change(model)
    if sign:
        card = model.metadata_props[0].value
        digest = hashlib.sha256(model.graph.SerializeToString(deterministic=True))
        old = OnnxOpponent(exported("sixes_golf").read_bytes()).card.graph_sha256
        model.metadata_props[0].value = card.replace(old, digest.hexdigest())
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def card_with(old: str, new: str) -> bytes:
    def change(model: Any) -> None:
        entry = model.metadata_props[0]
        assert old in entry.value
        entry.value = entry.value.replace(old, new, 1)

    return edited(change)


def external(model: Any) -> None:
    tensor = model.graph.initializer[0]
    tensor.data_location = onnx.TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "/etc/passwd"
    tensor.ClearField("raw_data")


def custom_operator(model: Any) -> None:
    model.graph.node[0].domain = "com.evil"
    model.opset_import.append(onnx.helper.make_opsetid("com.evil", 1))


def loop(model: Any) -> None:
    model.graph.node[0].op_type = "Loop"


def subgraph(model: Any) -> None:
    attribute = onnx.helper.make_attribute("body", onnx.helper.make_graph([], "g", [], []))
    model.graph.node[0].attribute.append(attribute)


def function(model: Any) -> None:
    model.functions.append(
        onnx.helper.make_function("d", "f", [], [], [], [onnx.helper.make_opsetid("", 18)])
    )


def nan_weights(model: Any) -> None:
    tensor = next(t for t in model.graph.initializer if t.name.endswith("policy.bias"))
    tensor.raw_data = np.full(tensor.dims[0], np.nan, np.float32).tobytes()


def no_card(model: Any) -> None:
    model.ClearField("metadata_props")


def short_weights(model: Any) -> None:
    tensor = model.graph.initializer[0]
    tensor.raw_data = tensor.raw_data[:-4]


def other_input(model: Any) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_value += 1


def other_output(model: Any) -> None:
    model.graph.output.reverse()


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "is damaged or no ONNX file"),
    "text": (lambda: b"This is a picture of a cat, not a model.\n", "x.onnx"),
    "pickle": (lambda: pickle.dumps({"weights": [1.0] * 100}), "x.onnx"),
    "zip": (lambda: b"PK\x03\x04" + bytes(1000), "x.onnx"),
    "ort format": (lambda: b"\x18\0\0\0ORTM" + bytes(1000), "x.onnx"),
    "truncated": (lambda: exported("sixes_golf").read_bytes()[:-10], "is damaged or no ONNX"),
    "half": (lambda: exported("sixes_golf").read_bytes()[:20_000], "is damaged or no ONNX"),
    "twice": (lambda: exported("sixes_golf").read_bytes() * 2, "is damaged or no ONNX"),
    "longer": (lambda: exported("sixes_golf").read_bytes() + b"\0\0", "is damaged or no ONNX|fiel"),
    "no card": (lambda: edited(no_card, sign=False), "x.onnx has no card: only files that"),
    "weights changed": (
        lambda: edited(nan_weights, sign=False),
        "is damaged: its network is not the one of its card",
    ),
    "external data": (lambda: edited(external), "has a reference to another file"),
    "custom operator": (lambda: edited(custom_operator), "has operators of 'com.evil'"),
    "loop": (lambda: edited(loop), "has the operator 'Loop', which no export"),
    "subgraph": (lambda: edited(subgraph), "has a subgraph, which no export"),
    "function": (lambda: edited(function), "has functions of its own"),
    "no numbers": (lambda: edited(nan_weights), "gives no finite logits and value"),
    "short weights": (lambda: edited(short_weights), "cannot be run"),
    "other input": (lambda: edited(other_input), "cannot be run|has other inputs"),
    "other output": (lambda: edited(other_output), "has other inputs or outputs"),
    "unknown operator set": (
        lambda: edited(lambda m: setattr(m.opset_import[0], "version", 9999)),
        "cannot be run",
    ),
    "unknown game": (
        lambda: card_with('"game":"sixes_golf"', '"game":"chess"'),
        "plays 'chess', which this version of sixth_env does not know",
    ),
    "wrong game": (lambda: card_with('"game":"sixes_golf"', '"game":"sixth_card"'), "knows 23 act"),
    "newer environment": (
        lambda: card_with('"environment_version":0', '"environment_version":1'),
        "is for version 1 of sixes_golf, but this is version 0",
    ),
    "newer format": (
        lambda: card_with('"format_version":1', '"format_version":2'),
        "has format 2, but this version of sixth_env reads up to 1: upgrade",
    ),
    "no format": (lambda: card_with('"format_version":1', '"format_version":true'), "not 1"),
    "no json": (lambda: card_with("{", "["), "is not valid JSON"),
    "deep json": (lambda: card_with("{", '{"x":' + "[" * 100_000), "is not valid JSON"),
    "unknown key": (lambda: card_with("{", '{"path":"/etc",'), "damaged: path: Extra inputs"),
    "no temperature": (lambda: card_with('"temperature":1.0', '"temperature":0.0'), "temperature"),
    "columns overlap": (lambda: card_with('"start":1,', '"start":0,'), "should start at column 1"),
    "reads nothing known": (
        lambda: card_with('"reads":[', '"reads":["shoe_size",'),
        "reads 'shoe_size', which is not in its observation table",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_refused_with_one_sentence(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make, message = HOSTILE[kind]
    file = tmp_path / "x.onnx"
    file.write_bytes(make())
    with pytest.raises(OpponentError, match=message) as caught:
        load_opponent(file)
    text = str(caught.value)
    assert "x.onnx" in text and "\n" not in text and len(text) < 500
    assert capfd.readouterr() == ("", "")


def test_oversize(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_file, "MAX_BYTES", 1 << 20)
    file = tmp_path / "x.onnx"
    file.write_bytes(bytes((1 << 20) + 1))
    with pytest.raises(OpponentError, match="more than 1 MiB: no opponent is so large"):
        load_opponent(file)


def test_damage_anywhere_is_noticed_or_harmless() -> None:
    good = exported("sixes_golf").read_bytes()
    observation, mask = real_decisions(get_game("sixes_golf"), 5)
    rng, refused = np.random.default_rng(1), 0
    for _ in range(300):
        damaged = bytearray(good)
        damaged[rng.integers(len(good))] ^= 1 << rng.integers(8)
        try:
            opponent = OnnxOpponent(bytes(damaged))
        except OpponentError:
            refused += 1
            continue
        actions = opponent.act(observation, mask, np.arange(5, dtype=np.uint64))
        assert mask[np.arange(5), actions].all()
    assert refused > 250  # what passes has other words in its card


def test_protocol_buffers_are_read_as_the_library_writes_them() -> None:
    model = onnx.load(exported("sixth_card"))
    found = onnx_file.inspect_model(exported("sixth_card").read_bytes(), "it")
    assert found.metadata == {METADATA_KEY: model.metadata_props[0].value}
    graph = model.graph.SerializeToString(deterministic=True)
    assert found.graph_sha256 == hashlib.sha256(graph).hexdigest()


def test_the_documentation_shows_the_actions_as_they_are() -> None:
    text = ONNX.read_text(encoding="utf-8")
    assert text == with_actions(text), "run python scripts/write_docs.py"
    for game in GAMES.values():
        shown = text.split(f"<!-- actions: {game.id} -->")[1].split("<!-- end -->")[0]
        assert shown.count("\n| ") > 2
    for operator in onnx_file.OPERATORS:
        assert operator in text
