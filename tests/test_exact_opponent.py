"""The opponent that plays perfectly where nothing is hidden."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from sixth_env import GAMES, Batch, load_opponent
from sixth_env.errors import ConfigError, OpponentError
from sixth_env.exact import solve
from sixth_env.opponents import ExactOpponent
from sixth_env.opponents.custom import resolve_opponent
from tests.exact_games import small_engine
from tests.opponent_games import Rows, rounds, some_rows
from tests.rows_play import look

SETUP: dict[str, Any] = {"exact_deck": True, "hand_size": 4, "rows": 2, "row_length": 2}


def exact() -> ExactOpponent:
    return ExactOpponent(GAMES["sixth_card"])


def rows() -> Rows:
    """Decisions of all kinds, waiting seats and finished matches among them."""
    rules = small_engine("sixth_card", {k: v for k, v in SETUP.items() if k != "exact_deck"}).rules
    return some_rows(rules.to_dict(), seed=2)


def test_it_plays_the_solution_of_its_position() -> None:
    seen_mixed = False
    for seed in range(12):
        engine = small_engine("sixth_card", {"hand_size": 4, "rows": 1}, seed=seed)
        while not engine.done()[0]:
            observation, mask = look(engine)
            chances = exact().policy(observation[0], mask[0])
            worth = exact().action_values(observation[0], mask[0], np.zeros(2, np.uint64))
            solution = solve(engine.position())
            for seat in range(2):
                if mask[0, seat].sum() == 1:
                    assert chances[seat].max() == 1
                    continue
                value = solution.value if seat == 0 else -solution.value
                assert np.nanmax(worth[seat]) == pytest.approx(value, abs=1e-9)
                # Every action that is played is worth the value.
                np.testing.assert_allclose(worth[seat][chances[seat] > 0], value, atol=1e-9)
                seen_mixed |= chances[seat].max() < 0.99
            engine.step(engine.sample_actions(seed))
    assert seen_mixed


def test_rows_are_independent_of_their_batch() -> None:
    observation, mask = rows()
    chances = exact().policy(observation, mask)
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-9)
    assert (chances[mask == 0] == 0).all()
    order = np.random.default_rng(1).permutation(len(mask))
    np.testing.assert_array_equal(chances[order], exact().policy(observation[order], mask[order]))
    for row in order[:10]:
        one = exact().policy(observation[[row]], mask[[row]])
        np.testing.assert_array_equal(one[0], chances[row])
    scaled = GAMES["sixth_card"].table.to_float(observation)
    np.testing.assert_array_equal(exact().policy(scaled, mask), chances)


def test_seeds_draw_from_the_mix() -> None:
    observation, mask = rows()
    chances = exact().policy(observation, mask)
    row = int(np.argmin(chances.max(axis=1)))
    assert chances[row].max() < 0.9
    many = 4000
    seeds = np.arange(many, dtype=np.uint64)
    actions = exact().act(observation[[row] * many], mask[[row] * many], seeds)
    shares = np.bincount(actions, minlength=mask.shape[1]) / many
    np.testing.assert_allclose(shares, chances[row], atol=5 * 0.5 / np.sqrt(many))
    again = exact().act(observation[[row] * many], mask[[row] * many], seeds)
    np.testing.assert_array_equal(actions, again)


def test_nobody_gains_on_it() -> None:
    opponent = resolve_opponent("exact")
    for name in ("random", "cautious"):
        points = rounds("sixth_card", [opponent, load_opponent(name)], 150, 1, **SETUP)
        swapped = rounds("sixth_card", [load_opponent(name), opponent], 150, 1, **SETUP)
        gain = np.concatenate([points[:, 1] - points[:, 0], swapped[:, 0] - swapped[:, 1]])
        by_deal = gain.reshape(2, -1).mean(axis=0)
        assert by_deal.mean() > -3 * by_deal.std() / np.sqrt(len(by_deal))
        if name == "random":
            assert by_deal.mean() > 3 * by_deal.std() / np.sqrt(len(by_deal))


def test_it_can_be_pickled() -> None:
    observation, mask = rows()
    opponent = exact()
    chances = opponent.policy(observation, mask)
    twin = pickle.loads(pickle.dumps(opponent))
    np.testing.assert_array_equal(twin.policy(observation, mask), chances)


@pytest.mark.parametrize(
    ("config", "match"),
    [
        ({"num_players": 3, "exact_deck": True, "hand_size": 2}, "with 2 players, not 3"),
        ({"num_players": 2, "hand_size": 3}, "45 cards are unseen here, but the other hand has 3"),
        ({"num_players": 2, "exact_deck": True}, "with up to 7 cards a hand, not 10"),
    ],
)
def test_larger_games_are_refused(config: dict[str, Any], match: str) -> None:
    step = Batch("sixth_card", 1, seed=1, **config).reset()
    with pytest.raises(OpponentError, match=match):
        exact().act(step.observation[0], step.action_mask[0], np.random.default_rng(1))


def test_other_games_and_contradictions_are_refused() -> None:
    for game in ("sixes_chips", "sixes_golf"):
        with pytest.raises(ConfigError, match=f"{game} has no exact solution"):
            load_opponent("exact", game=game)
    observation, mask = rows()
    row = int(np.argmax(mask.sum(axis=1)))
    wrong = mask[[row]].copy()
    wrong[0, :52] = 1 - wrong[0, :52]
    with pytest.raises(OpponentError, match="row 0: the action mask does not fit"):
        exact().policy(observation[[row]], wrong)
    broken = observation[[row]].copy()
    broken[0, GAMES["sixth_card"].table["row_sizes"]] = 0
    with pytest.raises(OpponentError, match="row 0: the observation contradicts itself"):
        exact().policy(broken, mask[[row]])
