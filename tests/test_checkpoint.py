"""Checkpoints: what comes back, what is refused, and what an interrupted save leaves."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch
from pydantic import ValidationError

from agents import checkpoint
from agents.checkpoint import Card, check_compatible, load, new_card, save
from sixth_env.errors import CheckpointError
from sixth_env.games.table import Block, ObservationTable


@dataclass(frozen=True)
class Game:
    """A game as far as a card knows one."""

    id: str
    table: ObservationTable
    version: int = 0


HAND = Block("hand", (4,), 0, 2, 0.5, "own cards")
ROWS = Block("rows", (2, 3), -1, 9, 1 / 9, "cards of the rows")
TURN = Block("turn", (1,), 0, 10, 0.1, "turn of the round")
GAME = Game("sixth_card", ObservationTable((HAND, ROWS, TURN)))


@pytest.fixture(autouse=True)
def _torch_generator_untouched() -> Iterator[None]:
    before = torch.random.get_rng_state()
    yield
    assert torch.equal(torch.random.get_rng_state(), before)


def card(**network: Any) -> Card:
    return new_card(GAME, network=network, training={"learning_rate": 1e-3})


def tensors(value: float = 1.0) -> dict[str, torch.Tensor]:
    return {"body.0.weight": torch.full((2, 3), value), "body.0.bias": torch.zeros(2)}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "latest"
    save(path, tensors=tensors(), card=card())
    return path


def value_of(path: Path) -> float:
    return float(load(path).tensors["body.0.weight"][0, 0])


# --- what comes back -----------------------------------------------------------------------------


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "new" / "latest"
    given = new_card(
        GAME,
        network={"hidden": (256, 128), "columns": ["hand"]},
        results={"points": np.float32(5.25), "deals": np.int64(100)},
    )
    generator = torch.Generator().manual_seed(5)
    weights = {
        "w": torch.randn(3, 4, generator=generator).T,  # not contiguous
        "half": torch.tensor([1.5], dtype=torch.bfloat16),
        "count": torch.tensor(7),
    }
    weights["tied"] = weights["w"]
    written = save(path, tensors=weights, card=given)

    loaded = load(str(path))
    assert loaded.card == written
    assert loaded.card == given.model_copy(update={"sha256": written.sha256})
    assert loaded.card.network == {"hidden": [256, 128], "columns": ["hand"]}
    assert loaded.card.results == {"points": 5.25, "deals": 100}
    assert loaded.card.observation_table[1].shape == (2, 3)
    assert loaded.card.observation_table[1].scale == 1 / 9
    assert {"python", "torch", "numpy"} <= loaded.card.library_versions.keys()
    assert loaded.tensors.keys() == weights.keys()
    for name, tensor in weights.items():
        assert loaded.tensors[name].dtype == tensor.dtype
        assert torch.equal(loaded.tensors[name], tensor)
    assert sorted(file.name for file in path.iterdir()) == ["card.json", "policy.safetensors"]
    assert os.listdir(path.parent) == ["latest"]


def test_loads_on_the_cpu_whatever_torchs_default_device(saved: Path) -> None:
    with torch.device("meta"):
        weight = load(saved).tensors["body.0.weight"]
    assert weight.device.type == "cpu"
    weight += 1  # an ordinary tensor with memory of its own
    assert float(weight[0, 0]) == 2.0


def test_trainer_state_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "latest"
    moments = {"optimizer.0.exp_avg": torch.tensor([float("inf"), 2.0])}
    state = {"step": 2**70, "names": ["a"], "best": None, "nested": {"x": 0.1}}
    save(path, tensors=tensors(), card=card(), trainer_tensors=moments, trainer_state=state)
    loaded = load(path)
    assert loaded.resumable
    assert loaded.trainer_state == state
    assert torch.equal(loaded.trainer_tensors["optimizer.0.exp_avg"], next(iter(moments.values())))


def test_policy_loads_without_reading_the_trainers_part(tmp_path: Path) -> None:
    path = tmp_path / "latest"
    save(path, tensors=tensors(), card=card(), trainer_state={"step": 1})
    (path / "trainer.json").write_text("{")
    loaded = load(path)
    with pytest.raises(CheckpointError, match=r"trainer\.json is damaged"):
        _ = loaded.trainer_state


def test_a_policy_alone_cannot_be_resumed(saved: Path) -> None:
    loaded = load(saved)
    assert not loaded.resumable
    with pytest.raises(CheckpointError, match="cannot resume"):
        _ = loaded.trainer_tensors


def test_trainer_part_of_another_save_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latest"
    save(path, tensors=tensors(1), card=card(), trainer_state={"step": 1})
    first = load(path)
    save(path, tensors=tensors(2), card=card(), trainer_state={"step": 2})
    with pytest.raises(CheckpointError, match="belongs to another policy"):
        _ = first.trainer_state


# --- what cannot be saved ------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_broken_policy_does_not_replace_a_good_one(saved: Path, bad: float) -> None:
    with pytest.raises(CheckpointError, match=r"'body\.0\.weight' has a NaN or infinity"):
        save(saved, tensors=tensors(bad), card=card())
    assert value_of(saved) == 1.0


def test_card_holds_only_what_json_holds() -> None:
    with pytest.raises(ValidationError, match="not JSON compliant"):
        card(score=float("nan"))
    with pytest.raises(ValidationError, match="Tensor cannot be written as JSON"):
        card(weight=torch.zeros(1))


def test_trainer_state_that_json_cannot_hold_is_refused(saved: Path) -> None:
    with pytest.raises(CheckpointError, match=r"trainer's state: .*set cannot be written as JSON"):
        save(saved, tensors=tensors(), card=card(), trainer_state={"pool": {1}})
    assert value_of(saved) == 1.0


def test_other_folders_and_files_are_not_replaced(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "diary.txt").write_text("keep")
    for path in (notes, notes / "diary.txt"):
        with pytest.raises(CheckpointError, match="refusing to replace it"):
            save(path, tensors=tensors(), card=card())
    assert (notes / "diary.txt").read_text() == "keep"


# --- interrupted saves ---------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for the end of the process."""


def killed_at_call(function: Callable[..., Any], call: int) -> Callable[..., Any]:
    """`function`, which dies instead of doing its work in the call of that number."""
    calls = 0

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            raise Killed
        return function(*args, **kwargs)

    return wrapper


# The steps of a save that replaces a checkpoint, and which one is there if it ends at that step.
STEPS = [
    ("_write", 1, 1.0),  # nothing written yet
    ("_write", 2, 1.0),  # the policy without its card
    ("_sync_folder", 1, 1.0),
    ("os.replace", 1, 1.0),
    ("os.replace", 2, 1.0),  # the old one moved aside, the new one not yet in place
    ("_sync_folder", 2, 2.0),
    ("shutil.rmtree", 1, 2.0),
]


@pytest.mark.parametrize(("step", "call", "expected"), STEPS)
@pytest.mark.parametrize("cleanup", [True, False], ids=["exception", "power cut"])
def test_interrupted_save_leaves_a_whole_checkpoint(
    saved: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    call: int,
    expected: float,
    cleanup: bool,
) -> None:
    module, _, name = step.rpartition(".")
    owner = {"": checkpoint, "os": os, "shutil": shutil}[module]
    with monkeypatch.context() as patch:
        if not cleanup and step != "shutil.rmtree":
            patch.setattr(shutil, "rmtree", lambda *_, **__: None)  # no handler runs any more
        patch.setattr(owner, name, killed_at_call(getattr(owner, name), call))
        with pytest.raises(Killed):
            save(saved, tensors=tensors(2), card=card(), trainer_state={"step": 2})

    assert value_of(saved) == expected
    save(saved, tensors=tensors(3), card=card())
    assert value_of(saved) == 3.0
    assert os.listdir(saved.parent) == ["latest"], "the next save tidies up"


def test_first_save_interrupted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "_write", killed_at_call(checkpoint._write, 2))
    with pytest.raises(Killed):
        save(tmp_path / "latest", tensors=tensors(), card=card())
    assert os.listdir(tmp_path) == []
    with pytest.raises(CheckpointError, match="there is no checkpoint at"):
        load(tmp_path / "latest")


def test_loading_while_the_trainer_saves_gives_the_new_one(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_policy = checkpoint._read_policy

    def save_in_between(file: Path, card_read: Card) -> dict[str, torch.Tensor]:
        monkeypatch.undo()
        save(saved, tensors=tensors(2), card=card())
        return read_policy(file, card_read)

    monkeypatch.setattr(checkpoint, "_read_policy", save_in_between)
    assert value_of(saved) == 2.0


# --- hostile and damaged files -------------------------------------------------------------------


def put_policy(folder: Path, data: bytes) -> None:
    """Replaces the policy's bytes and the card's digest, as an attacker would."""
    (folder / "policy.safetensors").write_bytes(data)
    edit_card(folder, sha256=hashlib.sha256(data).hexdigest())


def edit_card(folder: Path, **changes: Any) -> None:
    content = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps(content | changes))


class Payload:
    """Unpickling it makes a marker file."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, int]]:
        return os.mkdir, (str(self.marker), 0o700)


@pytest.mark.parametrize("name", ["policy.safetensors", "card.json"])
@pytest.mark.parametrize("writer", ["pickle", "torch"])
def test_pickles_are_not_run(saved: Path, tmp_path: Path, name: str, writer: str) -> None:
    marker = tmp_path / "marker"
    if writer == "torch":
        torch.save(Payload(marker), saved / name)
    else:
        (saved / name).write_bytes(pickle.dumps(Payload(marker)))
    data = (saved / name).read_bytes()
    if name == "policy.safetensors":
        put_policy(saved, data)
    with pytest.raises(CheckpointError):
        load(saved)
    assert not marker.exists()


def header(content: object, body: bytes = b"") -> bytes:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return struct.pack("<Q", len(text)) + text + body


HOSTILE_POLICIES = {
    "empty": b"",
    "three bytes": b"abc",
    "2 GB header": struct.pack("<Q", 2 << 30) + b"{}",
    "all ones": b"\xff" * 64,
    "2 GB tensor": header({"w": {"dtype": "F32", "shape": [1 << 29], "data_offsets": [0, 2**31]}}),
    "overflowing shape": header(
        {"w": {"dtype": "F32", "shape": [1 << 40, 1 << 40], "data_offsets": [0, 4]}}, b"1234"
    ),
    "unknown type": header({"w": {"dtype": "X9", "shape": [1], "data_offsets": [0, 4]}}, b"1234"),
    "not JSON": header(b"{{{{{{{{"),
    "deeply nested": header(b"[" * 100_000),
    "offsets outside": header(
        {"w": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}, b"1234"
    ),
    "8-bit float": header(
        {"w": {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [0, 1]}}, b"\x7f"
    ),
    "NaN": safetensors.torch.save({"w": torch.tensor([float("nan")])}),
    "parent folder": safetensors.torch.save({"../../evil": torch.zeros(1)}),
    "absolute path": safetensors.torch.save({"/etc/passwd": torch.zeros(1)}),
    "dots": safetensors.torch.save({"a..b": torch.zeros(1)}),
}


@pytest.mark.parametrize("data", HOSTILE_POLICIES.values(), ids=HOSTILE_POLICIES.keys())
@pytest.mark.timeout(10)
def test_hostile_policy_is_refused_in_one_sentence(saved: Path, data: bytes) -> None:
    put_policy(saved, data)
    with pytest.raises(CheckpointError, match=r"policy\.safetensors") as error:
        load(saved)
    assert "\n" not in str(error.value)


def test_every_truncation_is_refused(saved: Path) -> None:
    whole = (saved / "policy.safetensors").read_bytes()
    header_end = 8 + int.from_bytes(whole[:8], "little")
    for length in range(len(whole)):
        words = "is truncated" if length < header_end else "is damaged.*sha256"
        (saved / "policy.safetensors").write_bytes(whole[:length])
        with pytest.raises(CheckpointError, match=rf"policy\.safetensors {words}"):
            load(saved)


def test_one_changed_byte_is_noticed(saved: Path) -> None:
    data = bytearray((saved / "policy.safetensors").read_bytes())
    data[-1] ^= 1
    (saved / "policy.safetensors").write_bytes(data)
    with pytest.raises(CheckpointError, match="sha256"):
        load(saved)


@pytest.mark.parametrize("name", ["policy.safetensors", "card.json"])
def test_missing_file_is_named(saved: Path, name: str) -> None:
    (saved / name).unlink()
    with pytest.raises(CheckpointError, match=f"not a complete checkpoint: {name} is missing"):
        load(saved)


HOSTILE_CARDS = {
    "empty": b"",
    "half": b'{"format_version": 1, "game": "six',
    "list": b"[1]",
    "binary": b"\xff\xfe\x00",
    "deeply nested": b"[" * 1_000_000,
    "no fields": b'{"format_version": 1}',
}


@pytest.mark.parametrize("data", HOSTILE_CARDS.values(), ids=HOSTILE_CARDS.keys())
@pytest.mark.timeout(10)
def test_damaged_card_is_refused(saved: Path, data: bytes) -> None:
    (saved / "card.json").write_bytes(data)
    with pytest.raises(CheckpointError, match=r"card\.json") as error:
        load(saved)
    assert "\n" not in str(error.value)


def test_oversized_card_is_not_read(saved: Path) -> None:
    with (saved / "card.json").open("ab") as stream:
        stream.truncate((16 << 20) + 1)
    with pytest.raises(CheckpointError, match="expected at most"):
        load(saved)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format_version": 2, "new_field": 1}, "upgrade"),
        ({"format_version": 0}, "format_version should be 1, got 0"),
        ({"format_version": True}, "format_version: Input should be a valid integer"),
        ({"format_version": "1"}, "format_version should be 1, got '1'"),
        ({"surprise": 1}, "surprise"),
        ({"environment_version": "1"}, "environment_version"),
        ({"observation_table": [{"name": "hand"}]}, r"observation_table\.0\.shape"),
        ({"sha256": None}, "lacks the sha256"),
        ({"sha256": "../x"}, "sha256"),
    ],
)
def test_wrong_card_is_refused(saved: Path, changes: dict[str, Any], words: str) -> None:
    edit_card(saved, **changes)
    with pytest.raises(CheckpointError, match=words) as error:
        load(saved)
    assert "card.json" in str(error.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("model.zip", r"SB3.*trust=True"),
        ("model.pt", "pickles are never loaded"),
        ("model.onnx", "load_opponent"),
        ("model.bin", "a checkpoint is a folder"),
    ],
)
def test_a_file_is_not_a_checkpoint(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04")
    with pytest.raises(CheckpointError, match=words):
        load(tmp_path / name)


def test_pipes_and_devices_are_not_opened(saved: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes on this system")
    (saved / "card.json").unlink()
    os.mkfifo(saved / "card.json")
    with pytest.raises(CheckpointError, match=r"card\.json is missing"):
        load(saved)


# --- fitting a game ------------------------------------------------------------------------------


def test_another_game_is_refused_by_both_names() -> None:
    with pytest.raises(CheckpointError, match=r"'sixth_card'.*'six_nimmt'"):
        check_compatible(card(), Game("six_nimmt", GAME.table))


def test_another_version_of_the_environment_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 0 of 'sixth_card', but this is version 1"):
        check_compatible(card(), Game("sixth_card", GAME.table, version=1))


def test_a_grown_and_reordered_table_still_fits() -> None:
    new = Block("new", (5,), 0, 1, 1.0, "an addition")
    check_compatible(card(), Game("sixth_card", ObservationTable((TURN, new, HAND, ROWS))))


@pytest.mark.parametrize(
    "read",
    [{"columns": []}, {"columns": ["hand"], "products": [["hand", "rows"]]}, {"planes": ["rows"]}],
)
def test_every_block_that_is_read_counts(read: dict[str, object]) -> None:
    without_rows = Game("sixth_card", ObservationTable((HAND, TURN)))
    given = new_card(GAME, network={"columns": ["hand"], **read})
    with pytest.raises(CheckpointError, match="'rows'"):
        check_compatible(given, without_rows)


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (None, "'rows', which 'sixth_card' no longer has"),
        (Block("rows", (2, 3), -1, 9, 1 / 10, "rescaled"), r"'rows'.*scale 0\.1.*0\.111"),
        (Block("rows", (3, 2), -1, 9, 1 / 9, "reshaped"), r"'rows'.*\(3, 2\).*\(2, 3\)"),
    ],
)
def test_gone_or_rescaled_matters_only_to_a_network_that_reads_it(
    block: Block | None, words: str
) -> None:
    blocks = (HAND, TURN) if block is None else (HAND, block, TURN)
    game = Game("sixth_card", ObservationTable(blocks))
    with pytest.raises(CheckpointError, match=words):
        check_compatible(card(), game)
    check_compatible(card(columns=["hand", "turn"]), game)


def test_columns_must_be_in_the_cards_own_table() -> None:
    with pytest.raises(CheckpointError, match="'joker'"):
        check_compatible(card(columns=["joker"]), GAME)
    with pytest.raises(CheckpointError, match="must be a list"):
        check_compatible(card(columns="hand"), GAME)
