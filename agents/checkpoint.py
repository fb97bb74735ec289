"""Checkpoints: a folder of plain tensors and JSON, safe to load from anybody.

    policy.safetensors    the network's tensors
    card.json             what they are: game, observation table, settings, results (``Card``)
    trainer.safetensors   optional, to resume training: optimizer moments, generator states, …
    trainer.json          optional: step counter, schedules, … and the digests of both tensor files

Nothing here unpickles, so loading runs no code from the files; tensors always land on the CPU.

A checkpoint appears whole or not at all. ``save`` writes and syncs a hidden sibling folder, then
swaps it in with two renames:

    .NAME.new   complete and on disk
    NAME     -> .NAME.old      until the next line, NAME is missing and .NAME.old is the checkpoint
    .NAME.new -> NAME          from here on, the new one is the checkpoint
    .NAME.old deleted

A folder called NAME is therefore always complete. If the process dies between the renames,
``load`` finds the previous checkpoint in .NAME.old, and the next ``save`` tidies up. One process
writes a checkpoint; any number may load it meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import safetensors.torch
import torch
from pydantic import BaseModel, ValidationError
from torch import Tensor

from agents.card import (
    FORMAT_VERSION,
    Card,
    Column,
    Digest,
    Settings,
    Strict,
    check_compatible,
    new_card,
)
from sixth_env.errors import CheckpointError

__all__ = [
    "FORMAT_VERSION",
    "Card",
    "Checkpoint",
    "Column",
    "check_compatible",
    "load",
    "new_card",
    "save",
]

POLICY, CARD = "policy.safetensors", "card.json"
TRAINER_TENSORS, TRAINER = "trainer.safetensors", "trainer.json"

_MAX_JSON_BYTES = 16 << 20  # a damaged or hostile file must not cost memory or time
_MAX_HEADER_BYTES = 16 << 20
_TENSOR_NAME = re.compile(r"[A-Za-z0-9_]+([.-][A-Za-z0-9_]+)*")
_FLOATS = {torch.float16, torch.bfloat16, torch.float32, torch.float64}
_INTEGERS = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool}
_DTYPES = _FLOATS | _INTEGERS

Model = TypeVar("Model", bound=BaseModel)


class _Trainer(Strict):
    """trainer.json: the digests tie it to its tensors and to the policy it was saved with."""

    policy_sha256: Digest
    tensors_sha256: Digest
    state: Settings


@dataclass(frozen=True)
class Checkpoint:
    """A loaded checkpoint; the trainer's part is read when it is first asked for."""

    path: Path
    card: Card
    tensors: dict[str, Tensor]

    @property
    def resumable(self) -> bool:
        """Whether a trainer's state was saved with it."""
        return (self.path / TRAINER).is_file()

    @property
    def trainer_tensors(self) -> dict[str, Tensor]:
        """The trainer's tensors. Raises ``CheckpointError`` when missing or damaged."""
        return self._trainer[0]

    @property
    def trainer_state(self) -> dict[str, Any]:
        """The trainer's JSON state. Raises ``CheckpointError`` when missing or damaged."""
        return self._trainer[1]

    @cached_property
    def _trainer(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        if not self.resumable:
            raise CheckpointError(
                f"{self.path} holds a policy but no {TRAINER}, so training cannot resume from it"
            )
        file = self.path / TRAINER
        trainer = _parse(_Trainer, file, _read(file, limit=_MAX_JSON_BYTES))
        if trainer.policy_sha256 != self.card.sha256:
            raise CheckpointError(
                f"{file} belongs to another policy: the checkpoint was replaced"
                " after it was loaded, or its files were mixed; load it again"
            )
        return _read_tensors(self.path / TRAINER_TENSORS, trainer.tensors_sha256), trainer.state


def save(
    path: str | Path,
    *,
    tensors: Mapping[str, Tensor],
    card: Card,
    trainer_tensors: Mapping[str, Tensor] | None = None,
    trainer_state: Mapping[str, Any] | None = None,
) -> Card:
    """Writes a checkpoint folder, whole or not at all, and returns the card with its digest.

    A checkpoint already at ``path`` is replaced as a whole; whatever else is there is refused.
    Tensors may be on any device. Raises ``CheckpointError`` for a NaN or infinity in the policy,
    a name or value that the files cannot hold, and a ``path`` that is not a checkpoint.
    """
    target = Path(os.path.realpath(path))
    _check_replaceable(target)
    files = _serialize(tensors, card, trainer_tensors, trainer_state)

    target.parent.mkdir(parents=True, exist_ok=True)
    new, old = _new(target), _old(target)
    if new.exists():  # left behind by a process that died
        shutil.rmtree(new)
    try:
        new.mkdir()
        for name, data in files.items():
            _write(new / name, data)
        _sync_folder(new)
        _swap(new, target, old)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    _sync_folder(target.parent)
    shutil.rmtree(old, ignore_errors=True)
    return Card.model_validate_json(files[CARD])


def load(path: str | Path) -> Checkpoint:
    """Reads a checkpoint folder onto the CPU, without running anything it contains.

    Raises ``CheckpointError``, one sentence, for what is missing, damaged, of a newer format or
    not a checkpoint at all.
    """
    while True:
        folder = _find(Path(path))
        before = _identity(folder)
        try:
            card = _read_card(folder / CARD)
            return Checkpoint(folder, card, _read_policy(folder / POLICY, card))
        except CheckpointError:
            # A trainer may have swapped in the next checkpoint between two reads: read that one.
            if _identity(_find(Path(path))) == before:
                raise


# --- writing -------------------------------------------------------------------------------------


def _serialize(
    tensors: Mapping[str, Tensor],
    card: Card,
    trainer_tensors: Mapping[str, Tensor] | None,
    trainer_state: Mapping[str, Any] | None,
) -> dict[str, bytes]:
    policy = _tensor_bytes(tensors)
    _check_finite(tensors, where="the checkpoint")
    digest = hashlib.sha256(policy).hexdigest()
    files = {POLICY: policy, CARD: _json_bytes(card.model_copy(update={"sha256": digest}))}
    if trainer_tensors is not None or trainer_state is not None:
        data = files[TRAINER_TENSORS] = _tensor_bytes(trainer_tensors or {})
        try:
            trainer = _Trainer(
                policy_sha256=digest,
                tensors_sha256=hashlib.sha256(data).hexdigest(),
                state=dict(trainer_state or {}),
            )
        except ValidationError as error:
            raise CheckpointError(f"the trainer's {_first_problem(error)}") from None
        files[TRAINER] = _json_bytes(trainer)
    return files


def _tensor_bytes(tensors: Mapping[str, Tensor]) -> bytes:
    _check_plain(tensors, where="the checkpoint")
    # Copies, because safetensors takes neither strides nor tensors that share their memory.
    plain = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
    return safetensors.torch.save(plain)


def _json_bytes(model: BaseModel) -> bytes:
    return (model.model_dump_json(indent=2) + "\n").encode()


def _check_replaceable(target: Path) -> None:
    """Replacing deletes the folder that was there, so it has to be a checkpoint."""
    if target.is_dir() and not (target / CARD).is_file() and any(target.iterdir()):
        raise CheckpointError(f"{target} is a folder without {CARD}: refusing to replace it")
    if target.exists() and not target.is_dir():
        raise CheckpointError(f"{target} is a file: refusing to replace it with a checkpoint")


def _check_finite(tensors: Mapping[str, Tensor], *, where: str) -> None:
    for name, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise CheckpointError(f"{where}: the policy's tensor {name!r} has a NaN or infinity")


def _write(file: Path, data: bytes) -> None:
    with file.open("xb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _swap(new: Path, target: Path, old: Path) -> None:
    """Puts ``new`` in the place of ``target``, which stays available as ``old`` until then."""
    if target.exists():
        if old.exists():
            shutil.rmtree(old)
        os.replace(target, old)
    os.replace(new, target)


def _sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable; Windows has no such call and needs none."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _new(target: Path) -> Path:
    return target.with_name(f".{target.name}.new")


def _old(target: Path) -> Path:
    return target.with_name(f".{target.name}.old")


# --- reading -------------------------------------------------------------------------------------


def _find(path: Path) -> Path:
    """The folder to read: ``path``, or its predecessor if a save was interrupted."""
    target = Path(os.path.realpath(path))
    for folder in (target, _old(target), target):  # again, for a swap between the first two looks
        if folder.is_dir():
            return folder
    if not path.exists():
        raise CheckpointError(f"there is no checkpoint at {path}")
    hints = {
        ".zip": "; a .zip of SB3 unpickles, so only the SB3 adapter loads it, with trust=True",
        ".onnx": "; an exported .onnx is an opponent for sixth_env.load_opponent",
    }
    pickles = dict.fromkeys((".pt", ".pth", ".pkl", ".ckpt"), "; pickles are never loaded")
    hint = (hints | pickles).get(path.suffix.lower(), "")
    raise CheckpointError(f"{path} is a file, but a checkpoint is a folder with {CARD}{hint}")


def _identity(folder: Path) -> tuple[int, int]:
    try:
        status = folder.stat()
    except OSError:
        return (0, 0)
    return (status.st_ino, status.st_mtime_ns)


def _read_card(file: Path) -> Card:
    data = _read(file, limit=_MAX_JSON_BYTES)
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise CheckpointError(f"{file} is damaged: it is not valid JSON") from None
    version = content.get("format_version") if isinstance(content, dict) else None
    if type(version) is int and version > FORMAT_VERSION:
        raise CheckpointError(
            f"{file} has checkpoint format {version}, but this version reads up to"
            f" {FORMAT_VERSION}: upgrade to load it"
        )
    if version != FORMAT_VERSION:
        raise CheckpointError(f"{file}: format_version should be {FORMAT_VERSION}, got {version!r}")
    return _parse(Card, file, data)


def _read_policy(file: Path, card: Card) -> dict[str, Tensor]:
    if card.sha256 is None:
        raise CheckpointError(f"{file.parent / CARD} lacks the sha256 of {POLICY}")
    tensors = _read_tensors(file, card.sha256)
    _check_finite(tensors, where=str(file))
    return tensors


def _parse(model: type[Model], file: Path, data: bytes) -> Model:
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        raise CheckpointError(f"{file} is damaged: {_first_problem(error)}") from None


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in problem["loc"]) or "content"
    return f"{place}: {problem['msg']}"


def _read_tensors(file: Path, digest: str) -> dict[str, Tensor]:
    data = _read(file, header=True)
    if hashlib.sha256(data).hexdigest() != digest:
        raise CheckpointError(
            f"{file} is damaged or was exchanged: its sha256 is not the recorded one"
        )
    try:
        tensors = safetensors.torch.load(data)
    except Exception as error:  # the parser raises various types on hostile headers
        raise CheckpointError(f"{file} is damaged: {error}") from None
    _check_plain(tensors, where=str(file))
    return tensors


def _read(file: Path, *, limit: int | None = None, header: bool = False) -> bytes:
    """The bytes of a regular file; its size and safetensors header are checked before reading."""
    if not file.is_file():
        raise CheckpointError(f"{file.parent} is not a complete checkpoint: {file.name} is missing")
    try:
        with file.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if limit is not None and size > limit:
                raise CheckpointError(f"{file} is damaged: {size} bytes, expected at most {limit}")
            if header:
                claimed = int.from_bytes(stream.read(8), "little")
                if size < 8 or claimed > min(size - 8, _MAX_HEADER_BYTES):
                    raise CheckpointError(
                        f"{file} is truncated or not a safetensors file: its header does not fit"
                    )
                stream.seek(0)
            return stream.read()
    except OSError as error:
        raise CheckpointError(f"{file} cannot be read: {error.strerror}") from None


def _check_plain(tensors: Mapping[str, Tensor], *, where: str) -> None:
    """Names are Python attribute paths; anything else ("../x") is a mistake or an attack."""
    for name, tensor in tensors.items():
        if not _TENSOR_NAME.fullmatch(name):
            raise CheckpointError(f"{where}: {name!r} is not a tensor name such as 'body.0.weight'")
        if tensor.dtype not in _DTYPES:
            raise CheckpointError(
                f"{where}: the tensor {name!r} has the type {tensor.dtype}; expected a standard"
                " float, an integer or bool"
            )
