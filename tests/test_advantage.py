"""Advantages against returns worked out by hand, and against a direct sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from train.advantage import advantages, close_window


def column(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)[:, None]


def flags(*values: int) -> NDArray[np.bool_]:
    return np.array(values, np.bool_)[:, None]


def test_rewards_while_waiting_belong_to_the_last_decision() -> None:
    # Decisions at steps 0 and 2; -1 falls at step 0, -2 at step 1 (waiting), -4 at step 2.
    advantage, target = advantages(
        value=column(0.5, 9.0, 0.25),
        reward=column(-1, -2, -4),
        acting=flags(1, 0, 1),
        cut=flags(0, 0, 1),
        last_value=np.array([7.0], np.float32),
        gamma=1.0,
        lam=1.0,
    )
    np.testing.assert_allclose(advantage, column(-7.5, 0, -4.25))
    np.testing.assert_allclose(target, column(-7, 0, -4))


def test_a_cut_separates_what_follows() -> None:
    advantage, _ = advantages(
        value=column(0, 0),
        reward=column(-1, -10),
        acting=flags(1, 1),
        cut=flags(1, 0),
        last_value=np.array([-5.0], np.float32),
        gamma=1.0,
        lam=0.9,
    )
    np.testing.assert_allclose(advantage, column(-1, -15))


def test_the_bootstrap_value_closes_an_open_decision() -> None:
    advantage, _ = advantages(
        value=column(1.0, 0),
        reward=column(-1, -2),
        acting=flags(1, 0),
        cut=flags(0, 0),
        last_value=np.array([4.0], np.float32),
        gamma=0.5,
        lam=0.9,
    )
    np.testing.assert_allclose(advantage, column(-3 + 0.5 * 4 - 1, 0))


def test_a_lane_that_waits_at_the_end_leaves_its_open_decision_out() -> None:
    # Three lanes decide at steps 0 and 1: the first decides again after the rollout, the second
    # waits then, and the third's round was over after its last decision.
    value = np.array([[1, 2, 3], [4, 5, 6], [0, 0, 0]], np.float32)
    reward = np.full((3, 3), -1, np.float32)
    acting = np.array([[1, 1, 1], [1, 1, 1], [0, 0, 0]], np.bool_)
    cut = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0]], np.bool_)
    window = close_window(
        value,
        reward,
        acting,
        cut,
        next_value=np.array([7, 0, 0], np.float32),
        deciding=np.array([1, 0, 0], np.bool_),
    )
    assert window.learn.tolist() == [[1, 1, 1], [1, 0, 1], [0, 0, 0]]
    advantage, _ = advantages(value, window.reward, window.learn, cut, window.last_value, 1, 1)
    expected = [[-1 - 2 + 7 - 1, -1 + 5 - 2, -2 - 3], [-2 + 7 - 4, 0, -1 - 6], [0, 0, 0]]
    np.testing.assert_allclose(advantage, expected)


def direct_sum(
    value: NDArray[np.float32],
    reward: NDArray[np.float32],
    acting: NDArray[np.bool_],
    cut: NDArray[np.bool_],
    last: np.float32,
    gamma: float,
    lam: float,
) -> list[float]:
    """GAE of one lane by its definition: a sum over the decisions that follow until a cut."""
    decisions = [t for t in range(len(value)) if acting[t]]
    deltas, closed = [], []
    for i, t in enumerate(decisions):
        end = decisions[i + 1] if i + 1 < len(decisions) else len(value)
        total, over = 0.0, False
        for u in range(t, end):
            total += float(reward[u])
            if cut[u]:
                over = True
                break
        following = float(value[end]) if end < len(value) else float(last)
        deltas.append(total + (0.0 if over else gamma * following) - float(value[t]))
        closed.append(over)
    result = []
    for i in range(len(decisions)):
        sum_, weight = 0.0, 1.0
        for j in range(i, len(decisions)):
            sum_ += weight * deltas[j]
            if closed[j]:
                break
            weight *= gamma * lam
        result.append(sum_)
    return result


def test_random_lanes_equal_the_definition() -> None:
    rng = np.random.default_rng(3)
    shape = (40, 25)
    value, reward = (rng.normal(size=shape).astype(np.float32) for _ in range(2))
    acting, cut = rng.random(shape) < 0.6, rng.random(shape) < 0.15
    last = rng.normal(size=shape[1]).astype(np.float32)
    advantage, target = advantages(value, reward, acting, cut, last, 0.97, 0.9)
    for lane in range(shape[1]):
        mine = advantage[acting[:, lane], lane]
        expected = direct_sum(
            value[:, lane], reward[:, lane], acting[:, lane], cut[:, lane], last[lane], 0.97, 0.9
        )
        np.testing.assert_allclose(mine, np.array(expected), atol=2e-5)
    np.testing.assert_allclose(target, np.where(acting, advantage + value, 0), atol=1e-6)
