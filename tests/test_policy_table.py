"""Policy tables: NumPy alone, whoever made them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env import Batch
from sixth_env.adapters.policy_table import PolicyTable, load, observation_key, rule_places
from sixth_env.errors import MissingExtraError, OpponentError

RULES: dict[str, Any] = {"num_players": 2, "num_rounds": 1, "hand_size": 3, "cards": 12}


def batch_and_table(**changes: Any) -> tuple[Batch, PolicyTable]:
    """Some first decisions, and a table that knows half of them: always the highest card."""
    batch = Batch("sixth_card", 8, seed=1, **{**RULES, **changes})
    step = batch.reset()
    columns = step.observation.reshape(16, -1)
    rows = {}
    for own, mask in zip(columns[:8], step.action_mask.reshape(16, -1), strict=False):
        chances = np.zeros(batch.num_actions, np.float32)
        chances[np.flatnonzero(mask)[-1]] = 1
        rows[observation_key(batch.game, own)] = chances
    rules = tuple(int(value) for value in columns[0, rule_places(batch.game)])
    return batch, PolicyTable(batch.game, rules, rows, name="highest")


def asked(batch: Batch) -> tuple[Any, Any]:
    step = batch.observe()
    return step.observation.reshape(16, -1), step.action_mask.reshape(16, -1)


def test_known_observations_are_answered_from_the_table_and_others_uniformly() -> None:
    batch, table = batch_and_table()
    columns, mask = asked(batch)
    chances = table.policy(columns, mask)
    assert (chances[:8].max(axis=1) == 1).all()
    assert np.allclose(chances[8:], mask[8:] / 3)
    actions = table.act(columns, mask, np.arange(16, dtype=np.uint64))
    assert (actions[:8] == [np.flatnonzero(m)[-1] for m in mask[:8]]).all()


def test_draws_follow_the_probabilities_and_a_row_depends_on_itself_alone() -> None:
    batch, table = batch_and_table()
    columns, mask = asked(batch)
    row, legal = np.repeat(columns[8:9], 3000, 0), np.repeat(mask[8:9], 3000, 0)
    seeds = np.arange(3000, dtype=np.uint64)
    actions = table.act(row, legal, seeds)
    counts = np.bincount(actions, minlength=batch.num_actions)
    assert (counts[mask[8] == 0] == 0).all()
    assert np.allclose(counts[mask[8] == 1] / 3000, 1 / 3, atol=0.04)
    assert (table.act(row[::-7], legal[::-7], seeds[::-7]) == actions[::-7]).all()
    assert (table.act(batch.game.table.to_float(row), legal, seeds) == actions).all()


def test_the_dealer_of_a_single_deck_makes_no_difference() -> None:
    batch, _ = batch_and_table()
    columns, _ = asked(batch)
    other = columns[0].copy()
    other[batch.game.table["dealer"]] ^= 1
    assert observation_key(batch.game, other) == observation_key(batch.game, columns[0])
    two = Batch("sixth_card", 1, seed=1, **{**RULES, "decks": 2}).reset().observation[0, 0]
    other = two.copy()
    other[batch.game.table["dealer"]] ^= 1
    assert observation_key(batch.game, other) != observation_key(batch.game, two)


@pytest.mark.parametrize(
    "changes", [{"hand_size": 4}, {"num_rounds": 2}, {"row_choice": "cheapest"}]
)
def test_other_rules_are_refused(changes: dict[str, Any]) -> None:
    _, table = batch_and_table()
    other, _ = batch_and_table(**changes)
    columns, mask = asked(other)
    with pytest.raises(OpponentError, match="highest plays num_players=2"):
        table.policy(columns, mask)


def test_a_file_brings_the_table_back(tmp_path: Path) -> None:
    batch, table = batch_and_table()
    columns, mask = asked(batch)
    table.save(tmp_path / "highest.npz")
    again = load(tmp_path / "highest.npz")
    assert (again.name, len(again)) == ("highest", 8)
    assert np.array_equal(again.policy(columns, mask), table.policy(columns, mask))


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    _, table = batch_and_table()
    path = tmp_path / "table.npz"
    with pytest.raises(OpponentError, match=r"table\.npz is no policy table"):
        load(path)
    path.write_bytes(b"PK nonsense")
    with pytest.raises(OpponentError, match=r"table\.npz is no policy table"):
        load(path)
    table.save(path)
    with np.load(path) as file:
        arrays = dict(file)
    for name, value, match in [
        ("keys", arrays["keys"][:-1], "do not fit together"),
        ("probabilities", -arrays["probabilities"], "below 0 or not finite"),
        ("card", np.array('{"format": 2, "game": "sixth_card", "table": ""}'), "another version"),
        ("card", np.array([{"format": 1}], object), "is no policy table"),
    ]:
        np.savez(path, **{**arrays, name: value})
        with pytest.raises(OpponentError, match=match):
            load(path)


def test_without_openspiel_tables_play_and_its_adapter_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    adapter = "sixth_env.adapters.open_spiel"
    for name in [name for name in sys.modules if name.startswith(adapter)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingExtraError, match=r"pyspiel is not installed: .*\[openspiel\]"):
        importlib.import_module(adapter)
    batch, table = batch_and_table()
    columns, mask = asked(batch)
    assert mask[np.arange(16), table.act(columns, mask, np.random.default_rng(1))].all()
