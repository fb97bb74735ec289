"""What an exported ONNX file may hold, checked before any runtime sees it.

A model file can name other files, operators of libraries that it wants loaded, or subgraphs that
loop for ever. None of that is in an export of this project, so it is refused: a file passes only
if every field of its protocol buffers is one that the export writes, and every operator one of a
short list. Sizes alone are not weighed: a file from a stranger may still waste memory.

The messages and their field numbers are those of ``onnx.proto`` (version 1 of the format); the
encoding is https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sixth_env.errors import OpponentError

MAX_BYTES = 64 << 20

OPERATORS = {
    *("Add", "Cast", "Concat", "Equal", "Gather", "Gemm", "MatMul", "Mul", "Not", "Pad", "Relu"),
    *("Slice", "Squeeze", "Tanh", "Unsqueeze", "Where"),
}

# For each message the fields that it may have, with the message inside them, if one is looked into.
FIELDS: dict[str, dict[int, str | None]] = {
    "model": {1: None, 2: None, 3: None, 7: "graph", 8: "operator set", 14: "metadata"},
    "graph": {1: "node", 2: None, 5: "tensor", 11: None, 12: None},
    "node": {1: None, 2: None, 3: None, 4: None, 5: "attribute", 7: None},
    "attribute": {1: None, 2: None, 3: None, 4: None, 7: None, 8: None, 9: None, 20: None},
    "tensor": {1: None, 2: None, 8: None, 9: None},
    "operator set": {1: None, 2: None},
    "metadata": {1: None, 2: None},
}
_REFUSED = {
    ("model", 20): "training steps",
    ("model", 25): "functions of its own",
    ("graph", 15): "sparse tensors",
    ("attribute", 6): "a subgraph",
    ("attribute", 11): "subgraphs",
    ("tensor", 13): "a reference to another file",
    ("tensor", 14): "a reference to another file",
}
_GRAPH, _OPERATOR, _DOMAINS = 7, ("node", 4), (("node", 7), ("operator set", 1))


class _DamagedError(Exception):
    """The bytes are no protocol buffers."""


def read_model(file: Path) -> bytes:
    """The bytes of a regular file of up to ``MAX_BYTES``.

    Raises:
        OpponentError: there is no such file, or it is too large to be an export.
    """
    if not file.is_file():
        raise OpponentError(f"there is no file {file}")
    try:
        with file.open("rb") as stream:
            model = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise OpponentError(f"{file} cannot be read: {error.strerror}") from None
    if len(model) > MAX_BYTES:
        raise OpponentError(f"{file} has more than {MAX_BYTES >> 20} MiB: no opponent is so large")
    return model


class ModelContent(NamedTuple):
    """What a model says of itself."""

    metadata: dict[str, str]
    graph_sha256: str
    """of the network, which is all but the metadata"""


def inspect_model(model: bytes, where: str) -> ModelContent:
    """The metadata and digest of a model that holds nothing but what an export writes.

    Args:
        model: the file's content.
        where: what to call it in errors.

    Raises:
        OpponentError: it is no ONNX file, or has something in it that no export has.
    """
    metadata: dict[str, str] = {}
    try:
        _walk(memoryview(model), "model", metadata, where)
        graphs = [_bytes(value) for number, value in _fields(memoryview(model)) if number == _GRAPH]
    except (_DamagedError, UnicodeDecodeError):
        graphs = []
    if len(graphs) != 1:
        raise OpponentError(f"{where} is damaged or no ONNX file")
    return ModelContent(metadata, hashlib.sha256(graphs[0]).hexdigest())


def _walk(data: memoryview, message: str, metadata: dict[str, str], where: str) -> None:
    """Check a message and those inside it; ``metadata`` takes what the model says of itself."""
    entry: dict[int, str] = {}
    for number, value in _fields(data):
        field = (message, number)
        if number not in FIELDS[message]:
            what = _REFUSED.get(field, f"{message} field {number}")
            raise OpponentError(f"{where} has {what}, which no export of this project has")
        inner = FIELDS[message][number]
        if inner is not None:
            _walk(_bytes(value), inner, metadata, where)
        elif field == _OPERATOR and _text(value) not in OPERATORS:
            raise OpponentError(
                f"{where} has the operator {_text(value)!r}, which no export of this project has"
            )
        elif field in _DOMAINS and _text(value) not in ("", "ai.onnx"):
            raise OpponentError(
                f"{where} has operators of {_text(value)!r}, where only those of ONNX are allowed"
            )
        elif message == "metadata":
            entry[number] = _text(value)
    if message == "metadata":
        metadata[entry.get(1, "")] = entry.get(2, "")


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field of a message: an integer, or bytes not copied."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, position = _varint(data, position)
            yield number, value
            continue
        if kind == 2:
            size, position = _varint(data, position)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise _DamagedError
        if number == 0 or position + size > len(data):
            raise _DamagedError
        yield number, data[position : position + size]
        position += size


def _varint(data: memoryview, position: int) -> tuple[int, int]:
    """A number of up to 64 bits in groups of seven, lowest first, and where it ends."""
    number = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            break
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
    raise _DamagedError


def _bytes(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise _DamagedError
    return value


def _text(value: int | memoryview) -> str:
    return str(_bytes(value), "utf-8")
