"""One learner against opponents: what it sees, when it is asked, and what it is paid."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixth_env import GAMES, Batch, load_opponent
from sixth_env.engine import Engine
from sixth_env.envs.aec import AECMatch
from sixth_env.errors import ConfigError, IllegalActionError, OpponentError
from sixth_env.solo import Mix, Solo, SoloEnv, SoloStep
from sixth_env.solo.seats import Seats
from tests.envs import chooser, same

ROOT = Path(__file__).resolve().parents[1]
GAME_IDS = list(GAMES)
every_game = pytest.mark.parametrize("game", GAME_IDS)
# Matches that are short, so that many end within a test.
SHORT: dict[str, dict[str, Any]] = {
    "sixth_card": {"num_rounds": 1},
    "six_nimmt": {"num_rounds": 1},
    "sixes_chips": {"num_rounds": 2},
    "sixes_golf": {"num_rounds": 2},
}


def solo(game: str, games: int = 16, opponents: Any = "random", **options: Any) -> Solo:
    own = {name: options.pop(name) for name in ("seat", "skip_forced") if name in options}
    return Solo(Engine(game, games, **{**SHORT[game], **options}), opponents, **own)


def pick(mask: NDArray[np.int8], salt: int = 0) -> NDArray[np.int64]:
    """A legal action for each row (N, A); mixed, and a function of mask and salt alone."""
    legal = mask.sum(axis=1)
    number = (mask @ np.arange(1, mask.shape[1] + 1) * 31 + salt * 7) % legal
    return np.asarray(((mask.cumsum(axis=1) > number[:, None]) & (mask > 0)).argmax(axis=1))


def trace(games: Solo, steps: int, seed: int | None = 3) -> list[SoloStep]:
    found = [games.reset(seed)]
    for number in range(steps):
        found.append(games.step(pick(found[-1].action_mask, number)))
    return found


# --- Stepping some games -------------------------------------------------------------------------


def raw(engine: Engine) -> NDArray[np.uint8]:
    """The bytes of every game, (B, bytes); a copy of records would leave out what pads them."""
    return engine.states.view(np.uint8).reshape(engine.num_games, -1)


@pytest.mark.parametrize(
    ("game", "threads"), [*((game, 1) for game in GAME_IDS), ("sixth_card", 2)]
)
def test_games_left_out_keep_every_bit(game: str, threads: int) -> None:
    engine, whole = (Engine(game, 12, seed=1, threads=threads) for _ in range(2))
    for number in range(60):
        actions = engine.sample_actions(number)
        games = np.arange(12) % 3 == number % 3
        before = raw(engine).copy()
        raw(whole)[:] = before
        reward, flags = (array.copy() for array in whole.step(actions))
        ignored = actions.copy()
        ignored[~games] = -5  # not looked at
        outcome = engine.step(ignored, games=games)
        np.testing.assert_array_equal(raw(engine)[~games], before[~games])
        for name in engine.states.dtype.names:
            moved = engine.states[name][games], whole.states[name][games]
            np.testing.assert_array_equal(*moved)
        np.testing.assert_array_equal(outcome.reward, np.where(games[:, None], reward, 0))
        np.testing.assert_array_equal(outcome.flags, np.where(games, flags, 0))
        assert engine.any(7) == bool((outcome.flags != 0).any())
        engine.restart(engine.done())


@every_game
def test_an_illegal_action_in_a_game_that_moves_moves_none(game: str) -> None:
    engine = Engine(game, 4, seed=1)
    actions, before = engine.sample_actions(1), raw(engine).copy()
    actions[2, 0] = engine.game.wait
    with pytest.raises(IllegalActionError, match="of game 2 may not take"):
        engine.step(actions, games=np.array([True, False, True, False]))
    np.testing.assert_array_equal(raw(engine), before)
    engine.step(actions, games=np.array([True, True, False, True]))
    with pytest.raises(ConfigError, match="games must be"):
        engine.step(actions, games=np.ones(3, np.bool_))


@every_game
def test_a_batch_shows_games_that_did_not_move_as_they_were(game: str) -> None:
    batch = Batch(game, 6, seed=1)
    before = copy.deepcopy(batch.reset())
    games = np.array([True, False] * 3)
    step = batch.step(batch.sample_actions(1), games=games)
    assert same(step.observation[~games], before.observation[~games])
    assert same(step.action_mask[~games], before.action_mask[~games])
    assert (step.reward[~games] == 0).all()
    assert not same(step.observation[games], before.observation[games])


# --- When the learner is asked, and what it is paid -----------------------------------------------


def reference(game: str, seat: int, opponent: str, seed: int, **config: Any) -> list[Any]:
    """The learner's story in PettingZoo's environment: (what it saw, what it was paid after)."""
    env, choose = AECMatch(game, **config), chooser()
    other = load_opponent(opponent, game)
    env.reset(seed=seed)
    story: list[Any] = []
    for agent in env.agent_iter():
        seen, _, over, cut, _ = env.last()
        if agent == f"player_{seat}" and not over and not cut:
            story.append([seen, 0.0])
            action = choose("player_0", seen)
        elif over or cut:
            break
        else:
            observation, mask = seen["observation"][None], seen["action_mask"][None]
            action = int(other.act(observation, mask, np.zeros(1, np.uint64))[0])
        env.step(action)
        # What comes before the learner's first decision is paid with it.
        if not story:
            story.append([None, 0.0])
        story[-1][1] += env.rewards[f"player_{seat}"]
    if story[0][0] is None:
        story[1][1] += story.pop(0)[1]
    return story


@pytest.mark.parametrize("reward", ["default", "relative", "win"])
@pytest.mark.parametrize("seat", [0, 2])
@every_game
def test_the_learner_sees_and_gets_what_its_seat_does(game: str, seat: int, reward: str) -> None:
    opponent = {"sixes_chips": "lowest", "sixes_golf": None}.get(game, "closest")
    opponent = (
        opponent if opponent in GAMES[game].heuristics else next(iter(GAMES[game].heuristics))
    )
    config = {**SHORT[game]} if reward == "default" else {**SHORT[game], "reward": reward}
    env, choose = SoloEnv(game, opponents=opponent, seat=seat, **config), chooser()
    for seed in range(3):
        seen, info = env.reset(seed=seed)
        assert info["seat"] == seat
        for expected, paid in reference(game, seat, opponent, seed, **config):
            assert same(seen, expected)
            seen, got, over, cut, info = env.step(choose("player_0", seen))
            assert got == pytest.approx(paid, abs=1e-5)
        assert over or cut
        assert seen["action_mask"].nonzero()[0].tolist() == [GAMES[game].wait]


@every_game
@pytest.mark.parametrize("skip_forced", [False, True])
def test_returns_are_the_true_scores(game: str, skip_forced: bool) -> None:
    games = solo(
        game, 32, Mix(["random", next(iter(GAMES[game].heuristics))]), skip_forced=skip_forced
    )
    step = games.reset(5)
    paid, ends = np.zeros(32), 0
    start = games.engine.rules.to_dict().get("starting_chips", 0)
    for number in range(150):
        seats = step.seat
        step = games.step(pick(step.action_mask, number))
        paid += step.reward
        for i in np.flatnonzero(step.terminated | step.truncated):
            assert step.final is not None
            total = int(step.final.totals[i, seats[i]])
            assert paid[i] == pytest.approx(total - start if start else -total)
            paid[i], ends = 0.0, ends + 1
    assert ends > 30


@every_game
def test_relative_and_win_rewards_are_of_the_learners_seat(game: str) -> None:
    for reward in ("relative", "win"):
        games = solo(game, 32, reward=reward)
        step, paid, ends = games.reset(5), np.zeros(32), 0
        for number in range(150):
            seats = step.seat
            step = games.step(pick(step.action_mask, number))
            paid += step.reward
            for i in np.flatnonzero(step.terminated):
                assert step.final is not None
                winners, totals = step.final.winners[i], step.final.totals[i].astype(float)
                own, others = totals[seats[i]], np.delete(totals, seats[i])
                sign = 1 if game == "sixes_chips" else -1
                win = winners[seats[i]] / winners.sum()
                right = win if reward == "win" else sign * (own - others.mean())
                assert paid[i] == pytest.approx(right, abs=1e-3)
                paid[i], ends = 0.0, ends + 1
        assert ends > 20


@every_game
def test_nobody_waits(game: str) -> None:
    games = solo(game)
    wait = GAMES[game].wait
    for step in trace(games, 60):
        assert (step.action_mask[:, wait] == 0).all()
        assert (step.action_mask.sum(axis=1) >= 1).all()
        if step.final is not None:
            ended = step.terminated | step.truncated
            assert (step.final.action_mask[ended].argmax(axis=1) == wait).all()
            assert (step.final.action_mask[ended].sum(axis=1) == 1).all()


def test_forced_decisions_can_be_left_out() -> None:
    masks = np.concatenate([s.action_mask for s in trace(solo("sixes_chips"), 60)])
    assert (masks.sum(axis=1) == 1).mean() > 0.3
    skipping = trace(solo("sixes_chips", skip_forced=True), 60)
    assert all((step.action_mask.sum(axis=1) > 1).all() for step in skipping)


def test_a_cap_truncates() -> None:
    games = solo("sixes_golf", max_turns=3)
    ends = [step for step in trace(games, 60) if step.final is not None]
    assert any(step.truncated.any() for step in ends)
    for step in ends:
        assert step.final is not None
        assert not (step.terminated & step.truncated).any()
        assert not step.final.winners[step.truncated].any()


# --- Chance --------------------------------------------------------------------------------------


@every_game
def test_a_game_is_the_same_in_any_number_of_games(game: str) -> None:
    mix = Mix(["random", *GAMES[game].heuristics])
    many = trace(solo(game, 8, mix), 80)
    one = trace(solo(game, 1, mix, first_index=5), 80)
    for step, alone in zip(many, one, strict=True):
        assert same([array[5:6] for array in step[:-1]], list(alone[:-1]))


@every_game
def test_seeds(game: str) -> None:
    games = solo(game)
    first, again, other = (trace(games, 30, seed) for seed in (0, 0, 1))
    assert same(first, again)
    assert not same(first, other)
    games.reset(0)
    later = games.reset()
    assert not same(later.observation, first[0].observation)  # the stream goes on
    games.reset(0)
    assert same(games.reset(), later)


def test_seats_are_drawn_evenly_and_repeatably() -> None:
    seats = Seats(GAMES["sixth_card"], 5, "random", None)
    keys = np.arange(5000, dtype=np.uint64)
    learner, sitting = seats.deal(keys)
    assert same((learner, sitting), seats.deal(keys))
    assert np.bincount(learner, minlength=5) == pytest.approx(1000, abs=120)
    assert (sitting[np.arange(5000), learner] == -1).all()
    assert (np.sort(sitting, axis=1) == [-1, 0, 0, 0, 0]).all()
    assert (seats.deal(keys, seat=3)[0] == 3).all()


def test_one_opponent_for_each_seat_from_the_learners_left() -> None:
    seats = Seats(GAMES["sixth_card"], 4, ["lowest", "closest", "lowest"], 2)
    assert [opponent.name for opponent in seats.opponents] == ["lowest", "closest"]
    _, sitting = seats.deal(np.arange(3, dtype=np.uint64))
    assert (sitting == [1, 0, -1, 0]).all()


def test_a_mix_is_drawn_for_each_match() -> None:
    keys = np.arange(4000, dtype=np.uint64)
    mix = Mix(["lowest", "closest", "highest"], weights=[1, 3, 0])
    _, sitting = Seats(GAMES["sixth_card"], 3, mix, 0).deal(keys)
    assert np.bincount(sitting[:, 1]) == pytest.approx([1000, 3000], abs=120)
    assert 0.3 < (sitting[:, 1] != sitting[:, 2]).mean() < 0.45  # 2 x 1/4 x 3/4
    together = Mix(["lowest", "closest"], together=True)
    _, sitting = Seats(GAMES["sixth_card"], 3, together, 0).deal(keys)
    assert (sitting[:, 1] == sitting[:, 2]).all()
    assert sitting[:, 1].mean() == pytest.approx(0.5, abs=0.05)


# --- Copies --------------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("copier", [copy.deepcopy, lambda games: pickle.loads(pickle.dumps(games))])
def test_a_copy_goes_on_identically(game: str, copier: Callable[[Solo], Solo]) -> None:
    games = solo(game, 4, Mix(["random", "mc:2"]))
    step = trace(games, 7)[-1]
    twin = copier(games)
    for number in range(40):
        actions = pick(step.action_mask, number)
        step, other = games.step(actions), twin.step(actions)
        assert same(step, other)
    assert same(games.reset(), twin.reset())


DIGEST = """
import hashlib, numpy as np
from tests.test_solo import GAME_IDS, solo, trace
from sixth_env.solo import Mix
digest = hashlib.sha256()
for game in GAME_IDS:
    for step in trace(solo(game, 3, Mix(["random", "random"])), 25):
        for array in (*step[:-1], *(step.final or ())):
            digest.update(np.ascontiguousarray(array).tobytes())
print(digest.hexdigest())
"""


def test_interpreted_and_compiled_games_are_identical() -> None:
    digests = set()
    for jit in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "NUMBA_DISABLE_JIT": jit},
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        digests.add(run.stdout)
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64


# --- What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opponents", "error", "says"),
    [
        ("nobody", OpponentError, "unknown opponent 'nobody'"),
        (["random"], ConfigError, "one for each of 3, not 1: a Mix"),
        (17, ConfigError, "17 is no opponent"),
        ([17, "random", "random"], ConfigError, "17 is no opponent"),
    ],
)
def test_opponents_that_do_not_fit(opponents: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        solo("sixth_card", opponents=opponents)


@pytest.mark.parametrize("seat", [-1, 4, 1.0, True])
def test_seats_that_there_are_not(seat: Any) -> None:
    with pytest.raises(ConfigError, match="seat must be None or from 0 to 3"):
        solo("sixth_card", seat=seat)


@pytest.mark.parametrize("weights", [[1], [0, 0], [1, -1], [1, np.nan]])
def test_weights_that_are_none(weights: Any) -> None:
    with pytest.raises(ConfigError, match="weights of a Mix"):
        Mix(["random", "lowest"], weights=weights)
    with pytest.raises(ConfigError, match="of several opponents"):
        Mix("random")


@pytest.mark.parametrize("wrong", [-1, 57, 2**40, 56])
def test_an_illegal_action_changes_nothing(wrong: int) -> None:
    games, twin = solo("sixth_card", 4), solo("sixth_card", 4)
    step = games.reset(1)
    assert same(step, twin.reset(1))
    actions = pick(step.action_mask)
    bad = actions.copy()
    bad[2] = wrong
    with pytest.raises(IllegalActionError, match=rf"player_{step.seat[2]} of game 2 .* {wrong}"):
        games.step(bad)
    for malformed in (actions[:3], actions.astype(float), actions[:, None]):
        with pytest.raises(IllegalActionError, match="actions must be integers of shape"):
            games.step(malformed)
    assert same(games.step(actions), twin.step(actions))


class Faulty:
    name = "faulty"

    def act(self, observation: Any, action_mask: Any, seeds: Any) -> Any:
        return np.full(len(observation), -3)


def test_an_opponent_at_fault_is_named() -> None:
    games = solo("sixth_card", 2, ["random", Faulty(), "random"], seat=0)
    step = games.reset(1)
    with pytest.raises(OpponentError, match=r"faulty \(player_2\) answered action -3"):
        games.step(pick(step.action_mask))
