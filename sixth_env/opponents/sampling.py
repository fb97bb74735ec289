"""Choosing from logits: softmax, temperature, top-p and draws by a row's seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixth_env.rng import draw

ILLEGAL_LOGIT = -1e9  # large and finite: a row without legal actions stays uniform, never NaN


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities (N, A) of logits (N, A)."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: NDArray[np.float32] = shifted / shifted.sum(axis=1, keepdims=True)
    return probabilities


def reshaped(logits: NDArray[np.float32], temperature: float, top_p: float) -> NDArray[np.float32]:
    """Logits (N, A) of the policy at a temperature, without its least probable actions.

    Kept are the fewest most probable actions that together have the probability ``top_p`` (nucleus
    sampling: Holtzman et al., "The curious case of neural text degeneration", 2020).
    """
    if temperature != 1.0:
        logits = logits / np.float32(temperature)
    if top_p < 1.0:
        probabilities = softmax(logits)
        order = np.argsort(-probabilities, axis=1, kind="stable")
        ranked = np.take_along_axis(probabilities, order, axis=1)
        before = np.cumsum(ranked, axis=1) - ranked
        dropped = np.empty(logits.shape, np.bool_)
        np.put_along_axis(dropped, order, before >= top_p, axis=1)
        logits = np.where(dropped, np.float32(ILLEGAL_LOGIT), logits)
    return logits


def gumbel(seeds: NDArray[np.uint64], num_actions: int) -> NDArray[np.float32]:
    """Gumbel noise (N, A): the argmax of logits plus noise is a draw from the policy."""
    numbers = np.arange(num_actions, dtype=np.uint64)
    bits = draw(seeds[:, None], numbers[None, :])
    uniform = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    noise: NDArray[np.float32] = -np.log(-np.log(uniform)).astype(np.float32)
    return noise
