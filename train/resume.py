"""The state of a training between two updates, as a checkpoint stores it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from agents.checkpoint import Card
from sixth_env.batch import Batch, Step
from sixth_env.errors import CheckpointError, ConfigError, SixthEnvError
from train.config import Config
from train.field import Field
from train.past import PastSelves
from train.runs import load_optimizer, optimizer_state

State = tuple[dict[str, Tensor], dict[str, Any]]


class Seated(Protocol):
    """A table of a run: its games, who sits there, and where they stand."""

    batch: Batch
    field: Field
    step: Step


def check_same(card: Card, config: Config, fixed: Sequence[str], run: Path) -> None:
    """Raise ``ConfigError`` if a setting that a run cannot change differs from its checkpoint's."""
    then, now = card.training.get("config", {}), config.model_dump(mode="json")
    for name in fixed:
        if name not in then or then[name] != now[name]:
            was = then.get(name, "not there")
            raise ConfigError(f"{name} of the run {run} was {was}, not {now[name]}")


def pack(
    optimizer: torch.optim.Optimizer,
    generators: Mapping[str, torch.Generator],
    past: PastSelves,
    tables: Sequence[Seated],
) -> State:
    """Tensors and plain values from which ``unpack`` goes on exactly."""
    tensors, values = optimizer_state(optimizer)
    past_tensors, past_values = past.state()
    for name, generator in generators.items():
        tensors[f"generator.{name}"] = generator.get_state()
    for number, table in enumerate(tables):
        games = table.batch.engine.save().view(np.uint8).reshape(-1)
        tensors[f"games.{number}"] = torch.from_numpy(games)
    steps = [table.field.steps for table in tables]
    layouts = [_layout(table.batch) for table in tables]
    return {**tensors, **past_tensors}, {
        **values,
        **past_values,
        "field_steps": steps,
        "layouts": layouts,
    }


def _layout(batch: Batch) -> str:
    """A digest of the fields of a game's record, whose bytes mean nothing without them."""
    kind = batch.engine.states.dtype
    fields = [(name, str(kind[name].base), kind[name].shape) for name in kind.names or ()]
    return hashlib.sha256(repr((kind.itemsize, fields)).encode()).hexdigest()[:16]


def unpack(
    state: State,
    optimizer: torch.optim.Optimizer,
    generators: Mapping[str, torch.Generator],
    past: PastSelves,
    tables: Sequence[Seated],
) -> None:
    """Put back what ``pack`` gave. Raises ``CheckpointError`` if it does not fit."""
    tensors, values = state
    if values.get("layouts") != [_layout(table.batch) for table in tables]:
        raise CheckpointError(
            "the run was saved by a version of sixth_env whose records of games have another"
            " layout, or do not tell it: it can be played with, but not be resumed"
        )
    try:
        load_optimizer(optimizer, tensors, values)
        past.restore(tensors, values)
        for name, generator in generators.items():
            generator.set_state(tensors[f"generator.{name}"])
        for number, table in enumerate(tables):
            engine = table.batch.engine
            engine.restore(tensors[f"games.{number}"].numpy().view(engine.states.dtype))
            table.field.steps = int(values["field_steps"][number])
            table.step = table.batch.observe()
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError, SixthEnvError) as error:
        raise CheckpointError(f"the trainer's state does not fit this run: {error}") from None
