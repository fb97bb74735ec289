"""Who sits where while an agent trains."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env import Batch
from train.field import Field


class Marker:
    """An opponent that plays its first legal action and remembers that it was asked."""

    def __init__(self, name: str) -> None:
        self.name, self.rows = name, 0

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Any
    ) -> NDArray[np.int64]:
        self.rows += len(action_mask)
        assert len(np.unique(seeds)) == len(seeds)
        return np.asarray(action_mask.argmax(axis=1), np.int64)


def test_kinds_share_the_games_equally_and_members_the_games_of_their_kind() -> None:
    batch = Batch("sixth_card", 48, seed=1, num_players=4)
    one, first, second = Marker("one"), Marker("first"), Marker("second")
    field = Field(batch, [[one], [first, second]], seed=3)
    assert np.bincount(field.sitting).tolist() == [24, 12, 12]
    for opponent in range(3):  # the learner sits in every seat equally often against each
        seats = field.learner[field.sitting == opponent].sum(axis=0)
        assert len(set(seats.tolist())) == 1
    assert field.learner.sum(axis=1).tolist() == [1] * 48


def test_what_leaves_no_choice_is_played_and_asked_of_nobody() -> None:
    batch = Batch("sixes_chips", 16, seed=1, num_players=4)
    marker = Marker("one")
    field, step, forced = Field(batch, [[marker]], seed=3), batch.observe(), 0
    for _ in range(60):
        choice = step.action_mask.sum(axis=2) > 1
        rows, asked = field.rows(step), marker.rows
        actions = np.full(step.acting.shape, -1, np.int64)
        field.fill(step, actions)
        assert set(rows) <= set(np.flatnonzero(choice))
        assert len(rows) + marker.rows - asked == choice.sum()
        forced += int((~choice).sum())
        actions.flat[rows] = step.action_mask.reshape(16, -1)[rows].argmax(axis=1)
        step = batch.step(actions)  # raises if any row were missing or illegal
    assert forced > 0


def test_everybody_who_acts_is_filled_and_the_learner_left_out() -> None:
    batch = Batch("sixth_card", 24, seed=1, num_players=3)
    marker = Marker("one")
    field = Field(batch, [[marker]], seed=3)
    step = batch.observe()
    for _ in range(60):
        rows = field.rows(step)
        actions = np.full(step.acting.shape, -1, np.int64)
        field.fill(step, actions)
        assert (actions.flat[rows] == -1).all(), "the learner's rows are its own"
        actions.flat[rows] = batch.sample_actions().flat[rows]
        step = batch.step(actions)  # raises if any row were missing or illegal
    assert marker.rows > 0
