"""Labels by playouts, and the training on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents
from sixth_env.engine import Engine
from sixth_env.errors import ConfigError
from sixth_env.games import GAMES
from sixth_env.games.base import ROUND_END
from sixth_env.opponents import load_opponent
from sixth_env.rng import below, draw, fold
from train.config import read_config
from train.playouts import Decisions, Playouts
from train.rollouts import RolloutsConfig, Trainer, centred, interleave, train

CONFIG = Path(__file__).parent.parent / "configs/rollouts/sixes_chips.toml"
BASES: dict[str, tuple[str, dict[str, Any]]] = {
    "sixth_card": ("cautious", {"num_players": 3, "hand_size": 4}),
    "six_nimmt": ("closest", {"num_players": 2, "hand_size": 3, "row_choice": "cheapest"}),
    "sixes_chips": ("blocker", {"num_players": 4}),
    "sixes_golf": ("careful", {"num_players": 3, "max_turns": 60}),
}


def supply(game: str, explore: float = 0.3) -> Playouts:
    base, rules = BASES[game]
    return Playouts(GAMES[game], {**rules, "num_rounds": 1}, base, explore)


class Table:
    """A game through the public engine, played by a heuristic through the public opponent."""

    def __init__(self, game: str, stream: int) -> None:
        base, rules = BASES[game]
        self.engine = Engine(game, 1, seed=stream, **{**rules, "num_rounds": 1})
        self.opponent = load_opponent(base, game=game)
        self.engine.reset()
        kinds = self.engine.game
        self.rows = (1, self.engine.seats_per_step)
        self.observation = np.empty((*self.rows, kinds.observation_size), np.int16)
        self.mask = np.empty((*self.rows, kinds.num_actions), np.int8)
        self.seat = np.empty(self.rows, np.int64)
        self.acting = np.empty(self.rows, np.bool_)

    def look(self) -> np.ndarray[Any, Any]:
        """What the heuristic plays in every row, (K,)."""
        self.engine.observe(self.observation, self.mask, self.seat, self.acting)
        seeds = np.zeros(self.rows[1], np.uint64)
        return self.opponent.act(self.observation[0], self.mask[0], seeds)

    def finish(self, actions: np.ndarray[Any, Any], hero: int) -> int:
        """The hero's gain to the end of the round, from some actions on."""
        total, ends = 0, 0
        while not ends:
            _, flags = self.engine.step(actions[None])
            total += int(self.engine.states[0]["gains"][hero])
            ends = int(flags[0])
            actions = self.look()
        return total


@pytest.mark.parametrize("game", BASES)
def test_labels_are_what_the_public_engine_and_opponent_give(game: str) -> None:
    found = supply(game, explore=0.0).decisions(12, 99)
    n, number = 0, 0
    while n < 12:
        with np.errstate(over="ignore"):
            stream = fold(np.uint64(99), number)
            hero = int(below(draw(stream, 0), BASES[game][1]["num_players"]))
        number += 1
        table, ends = Table(game, 0), False
        # The supply keys a round by its stream as (seed, game 0, episode 0).
        table.engine.states[0]["seed"], table.engine.states[0]["episode"] = stream, -1
        table.engine.reset()
        while not ends and n < 12:
            moves = table.look()
            place = np.flatnonzero(table.seat[0] == hero)
            if len(place) and table.mask[0, place[0]].sum() > 1:
                j = int(place[0])
                np.testing.assert_array_equal(found.observation[n], table.observation[0, j])
                np.testing.assert_array_equal(found.action_mask[n], table.mask[0, j])
                assert found.base[n] == moves[j]
                saved = table.engine.save()
                for action in np.flatnonzero(found.action_mask[n]):
                    tried = moves.copy()
                    tried[j] = action
                    assert found.gains[n, action] == table.finish(tried, hero)
                    table.engine.restore(saved)
                table.look()
                n += 1
            _, flags = table.engine.step(moves[None])
            ends = bool(flags[0] & ROUND_END)


@pytest.mark.parametrize("game", BASES)
def test_decisions_have_a_choice_and_depend_on_their_key_alone(game: str) -> None:
    playouts = supply(game)
    first = playouts.decisions(50, 1)
    playouts.decisions(7, 2)
    again, longer = playouts.decisions(50, 1), playouts.decisions(80, 1)
    for name, array in first._asdict().items():
        np.testing.assert_array_equal(array, getattr(again, name))
        np.testing.assert_array_equal(array, getattr(longer, name)[:50])
    assert (first.action_mask.sum(axis=1) > 1).all()
    assert not first.gains[first.action_mask == 0].any()
    assert first.action_mask[np.arange(50), first.base].all()
    assert (playouts.decisions(50, 3).observation != first.observation).any()


def test_exploring_reaches_other_positions() -> None:
    still, moved = supply("sixes_chips", 0.0), supply("sixes_chips", 1.0)
    assert (still.decisions(200, 1).observation != moved.decisions(200, 1).observation).any()


def test_an_unknown_base_is_named() -> None:
    with pytest.raises(ConfigError, match="no heuristic 'careful': expected one of builder"):
        Playouts(GAMES["sixes_chips"], {}, "careful", 0.1)


def test_centred_leaves_differences_of_legal_actions() -> None:
    legal = torch.tensor([[1.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
    values = torch.tensor([[4.0, -1e9, 2.0], [1.0, 2.0, 6.0]])
    expected = torch.tensor([[1.0, 0.0, -1.0], [-2.0, -1.0, 3.0]])
    torch.testing.assert_close(centred(values, legal), expected)


def test_tables_take_turns_by_their_shares() -> None:
    assert interleave([1, 1, 1]) == [0, 1, 2]
    assert interleave([2, 1]) == [0, 1, 0]
    assert sorted(interleave([3, 1, 2])) == [0, 0, 0, 1, 2, 2]


def small(name: str, **changes: Any) -> RolloutsConfig:
    config = read_config(RolloutsConfig, CONFIG)
    network = config.network.model_copy(update={"width": 16, "card_width": 8})
    settings = {
        "name": name, "network": network, "chunk": 512, "minibatch": 128, "total_decisions": 4096,
        "save_every": 1024, "evaluate_every": 10**9, "final_deals": 10,
        "final_fields": ("random", "blocker"),
    }  # fmt: skip
    return config.model_copy(update={**settings, **changes})


def test_a_resumed_run_ends_with_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = agents.load(train(small("whole")) / "latest")
    train(small("parts", stop_after=1500))
    assert "go on with --resume" in capsys.readouterr().out
    parts = agents.load(train(small("parts", resume=True)) / "latest")
    for a, b in zip(whole.network.parameters(), parts.network.parameters(), strict=True):
        assert torch.equal(a, b)
    with pytest.raises(ConfigError, match=r"explore of the run .* was 0\.2, not 0\.5"):
        train(small("parts", resume=True, explore=0.5))


def test_the_network_learns_which_action_gains_more(tmp_path: Path) -> None:
    """Some chunks tell it more than the base knows: lower error than predicting no difference."""
    trainer = Trainer(small("x", chunk=4096, total_decisions=200_000), tmp_path)
    unseen: Decisions = trainer.turns[0].decisions(4096, 12345)
    tensors = [torch.from_numpy(array) for array in unseen]
    legal = (tensors[1] != 0).float()
    with torch.no_grad():
        before = trainer.loss(*tensors)[1]["advantage_error"]
        spread = centred(tensors[2], legal).square().sum() / legal.sum()
        assert before >= spread * 0.99  # it starts without an opinion
    for _ in range(20):
        trainer.advance()
    with torch.no_grad():
        after = trainer.loss(*tensors)[1]["advantage_error"]
    assert after < 0.97 * spread
