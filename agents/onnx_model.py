"""A network as the content of an ONNX file, and the check that it computes the same."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.dense import DenseNet
from agents.torch_agent import Network, TorchAgent
from sixth_env.adapters import require
from sixth_env.batch import Batch
from sixth_env.errors import CheckpointError
from sixth_env.games.base import Game
from sixth_env.opponents import HeuristicOpponent, Opponent, RandomOpponent
from sixth_env.opponents.onnx import OnnxOpponent
from sixth_env.opponents.onnx_card import METADATA_KEY

OPSET = 18
_IR_VERSION = 8  # the oldest that goes with the opset: more runtimes read it

TOLERANCE = 1e-4  # of logits and values, relative above 1
BATCHES = (1, 2, 7, 64)
OBSERVATIONS = 1000


def to_onnx(network: Network, game: Game) -> Any:
    """The network as an ``onnx.ModelProto`` without metadata.

    The graph takes ``observation`` (N, D) and ``action_mask`` (N, A), both int32, and gives
    ``logits`` (N, A) and ``value`` (N,), both float32.
    """
    onnx = require("onnx", extra="export")
    require("onnxscript", extra="export")
    batch = torch.export.Dim("N")
    examples = (
        torch.zeros(2, game.observation_size, dtype=torch.int32),
        torch.ones(2, game.num_actions, dtype=torch.int32),
    )
    with _quiet():
        program = torch.onnx.export(
            DenseNet(network).eval(),
            examples,
            dynamo=True,
            opset_version=OPSET,
            input_names=["observation", "action_mask"],
            output_names=["logits", "value"],
            dynamic_shapes=({0: batch}, {0: batch}),
            verbose=False,
        )
    assert program is not None  # None is for the exporter that writes files itself
    model = program.model_proto
    _strip(model)
    model.ir_version = _IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    return model


def to_bytes(model: Any, card: str | None = None) -> bytes:
    """The content of the file of an ``onnx.ModelProto``, with the card as metadata."""
    if card is not None:
        require("onnx", extra="export").helper.set_model_props(model, {METADATA_KEY: card})
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def check_equal(agent: TorchAgent, exported: OnnxOpponent) -> float:
    """The largest difference of the exported network's logits and values from torch's.

    Compared are real observations of every player count, in batches of several sizes; differences
    of numbers above 1 are relative.

    Raises:
        CheckpointError: it is above ``TOLERANCE``.
    """
    observation, mask = real_decisions(agent.game, OBSERVATIONS)
    expected = np.column_stack(agent.logits_and_value(observation, mask))
    worst = 0.0
    for size in BATCHES:
        chunks = [slice(start, start + size) for start in range(0, len(observation), size)]
        found = np.concatenate(
            [
                np.column_stack(exported.logits_and_value(observation[chunk], mask[chunk]))
                for chunk in chunks
            ]
        )
        difference = np.abs(found - expected) / np.maximum(1.0, np.abs(expected))
        worst = max(worst, float(difference.max()))
    if not worst <= TOLERANCE:
        raise CheckpointError(
            f"the exported network's outputs differ from torch's by {worst:.2g}: at most"
            f" {TOLERANCE:g} is allowed, so nothing was written"
        )
    return worst


def real_decisions(game: Game, rows: int) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """Observations (rows, D) and masks (rows, A) of decisions in play, always the same ones.

    They are of every player count, with ``random`` and the game's heuristics at the tables.
    """
    players = range(2, game.max_players + 1)
    found = [_decisions(game, count, -(-rows // len(players))) for count in players]
    observation, mask = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return observation[:rows], mask[:rows]


def _decisions(game: Game, players: int, rows: int) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """That many decisions spread over the first rounds of tables of ``players``."""
    opponents: list[Opponent] = [RandomOpponent(game)]
    opponents += [HeuristicOpponent(game, name) for name in game.heuristics]
    batch = Batch(game.id, len(opponents), seed=players, num_players=players)
    step, observations, masks = batch.reset(), [], []
    rng = np.random.default_rng(players)
    for _ in range(200):
        observations.append(step.observation[step.acting])
        masks.append(step.action_mask[step.acting])
        actions = [
            opponent.act(step.observation[i], step.action_mask[i], rng)
            for i, opponent in enumerate(opponents)
        ]
        step = batch.step(np.stack(actions))
    observation, mask = np.concatenate(observations), np.concatenate(masks)
    chosen = np.linspace(0, len(observation) - 1, rows).astype(int)
    return observation[chosen], mask[chosen]


def _strip(model: Any) -> None:
    """Remove what the exporter notes about this machine's source files, and needless names."""
    model.graph.ClearField("value_info")
    model.graph.ClearField("doc_string")
    parts = [*model.graph.node, *model.graph.initializer, *model.graph.input, *model.graph.output]
    for part in [model, model.graph, *parts]:
        part.ClearField("metadata_props")
        part.ClearField("doc_string")


@contextmanager
def _quiet() -> Iterator[None]:
    """Neither warnings nor log lines about the exporter's own affairs."""
    disabled = logging.root.manager.disable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(disabled)
