"""Many games at once are the same games as one by one; illegal input changes nothing."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from sixth_env import Batch, Step, lift
from sixth_env.errors import ConfigError, IllegalActionError, PositionError
from sixth_env.games import get_game
from sixth_env.lift import Lifted
from tests.rows_play import Json, same_records

CONFIGS: list[tuple[str, Json]] = [
    ("sixth_card", {"num_players": 4}),
    ("sixth_card", {"num_players": 6, "target_score": 44}),
    ("six_nimmt", {"num_players": 3, "reward": "relative"}),
    ("sixth_card", {"num_players": 2, "decks": 2, "cards": 8, "hand_size": 3, "num_rounds": 2}),
]


def arrays(step: Step) -> dict[str, Any]:
    """The arrays of a step, copied."""
    return {name: value.copy() for name, value in step._asdict().items() if value is not None}


def sight(step: Step) -> dict[str, Any]:
    """What the seats see, copied, without what the last step brought."""
    brought = ("reward", "terminated", "truncated", "round_end", "final_observation")
    return {name: array for name, array in arrays(step).items() if name not in brought}


def play(batch: Batch, steps: int, seed: int = 0) -> list[dict[str, Any]]:
    """What ``steps`` random steps bring, the first observation included."""
    seen = [sight(batch.observe())]
    for number in range(steps):
        seen.append(arrays(batch.step(batch.sample_actions(seed + number))))
    return seen


def assert_same(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> None:
    assert len(a) == len(b)
    for number, (one, two) in enumerate(zip(a, b, strict=True)):
        for name in one:
            assert np.array_equal(one[name], two[name]), f"{name} differs in step {number}"


def differ(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> bool:
    return any(
        not np.array_equal(one["observation"], two["observation"])
        for one, two in zip(a, b, strict=True)
    )


# --- The same games -------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "config"), CONFIGS)
def test_a_batch_is_its_games_one_by_one(game: str, config: Json) -> None:
    steps = 150  # whole matches, and the next ones
    whole = play(Batch(game, 64, seed=11, **config), steps)
    assert sum(step["terminated"].sum() for step in whole[1:]) >= 64
    for index in (0, 17, 63):
        alone = play(Batch(game, 1, seed=11, first_index=index, **config), steps)
        games = [{name: array[index : index + 1] for name, array in s.items()} for s in whole]
        assert_same(games, alone)


@pytest.mark.parametrize(("game", "config"), CONFIGS[:2])
def test_threads_change_nothing(game: str, config: Json) -> None:
    for dtype in ("int16", "float32"):
        one, two = (Batch(game, 33, seed=1, dtype=dtype, threads=n, **config) for n in (1, 2))
        assert_same(play(one, 60), play(two, 60))


def test_threads_are_as_many_as_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    most = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    for threads in (0, most + 1, 2.0, True, "2"):
        with pytest.raises(ConfigError, match=f"threads must be a whole number from 1 to {most}"):
            Batch("sixth_card", 4, threads=threads)  # type: ignore[arg-type]
    used: list[int] = []
    loops = Lifted(*(lambda *_: used.append(numba.get_num_threads()) for _ in Lifted._fields))
    monkeypatch.setattr(lift, "_lift", lambda game, parallel: loops)
    for threads in range(2, most + 1):
        before = numba.get_num_threads()
        lift.lift(get_game("sixth_card"), threads).play()
        assert used.pop() == threads and numba.get_num_threads() == before


@pytest.mark.parametrize(("game", "config"), CONFIGS)
def test_floats_are_scaled_integers(game: str, config: Json) -> None:
    integers, floats = (
        play(Batch(game, 9, seed=2, dtype=dtype, **config), 100) for dtype in ("int16", "float32")
    )
    table = Batch(game, 1, seed=0, **config).game.table
    for one, two in zip(integers, floats, strict=True):
        assert two["observation"].dtype == np.float32
        assert np.array_equal(table.to_float(one["observation"]), two["observation"])
        assert np.array_equal(table.to_int(two["observation"]), one["observation"])
        del one["observation"], two["observation"]
    assert_same(integers, floats)


def test_steps_write_into_the_callers_arrays() -> None:
    batch, twin = (Batch("sixth_card", 5, seed=4, num_players=3) for _ in range(2))
    out = batch.empty_step()
    batch.reset(4, out=out)
    step = batch.step(batch.sample_actions(0), out=out)
    expected = twin.reset(4)
    expected = twin.step(twin.sample_actions(0))
    assert step.observation is out.observation
    assert_same([arrays(step)], [arrays(expected)])


def test_terminated_games_show_the_next_match() -> None:
    batch = Batch("sixth_card", 8, seed=6, num_players=2, hand_size=2, num_rounds=1)
    turn, table = batch.game.table.start("turn"), batch.game.table
    batch.reset()
    for number in range(12):
        step = batch.step(batch.sample_actions(number))
        assert not step.truncated.any() and step.final_observation is None
        fresh = step.observation[step.terminated]
        assert (fresh[:, :, turn] == 1).all() and (fresh[:, :, table["totals"]] == 0).all()
        assert (step.round_end == step.terminated).all()


def other_arrays(good: NDArray[Any]) -> list[Any]:
    """What is not such an array: shapes, types, layouts, and no array at all."""
    frozen = good.copy()
    frozen.flags.writeable = False
    wrong: list[Any] = [good[:-1], good[None], np.zeros((*good.shape, 1), good.dtype), frozen]
    wrong += [np.repeat(good, 2, axis=-1)[..., ::2], good.astype(np.float64), good.tolist(), None]
    if good.ndim > 1:
        wrong += [np.asfortranarray(good), good[:, :1], np.zeros(good.shape[::-1], good.dtype)]
    return wrong


@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_other_arrays_are_refused_before_anything_moves(dtype: str) -> None:
    batch = Batch("sixth_card", 5, seed=4, num_players=3, dtype=dtype)
    actions, before = batch.sample_actions(0), batch.engine.save()
    for name in Step._fields[:-1]:
        good = batch.empty_step()
        for array in other_arrays(getattr(good, name)):
            bad = good._replace(**{name: array})
            expected = f"out.{name} must be a C-contiguous"
            with pytest.raises(ConfigError, match=expected):
                batch.step(actions, out=bad)
            with pytest.raises(ConfigError, match=expected):
                batch.reset(out=bad)
    other = Batch("sixth_card", 4, seed=4, num_players=3, dtype=dtype)
    with pytest.raises(ConfigError, match=r"shape \(5, 3, "):
        batch.step(actions, out=other.empty_step())
    with pytest.raises(ConfigError, match="out must be a Step"):
        batch.step(actions, out=np.zeros(3))  # type: ignore[arg-type]
    assert same_records(batch.engine.save(), before)
    for array in other_arrays(actions):
        if array is not None:  # which asks for a new one
            with pytest.raises(ConfigError, match="out must be a C-contiguous, writeable array of"):
                batch.sample_actions(0, out=array)


def test_the_engine_checks_its_arrays() -> None:
    batch = Batch("sixth_card", 5, seed=4, num_players=3)
    engine, good = batch.engine, batch.empty_step()
    arrays: list[Any] = [good.observation, good.action_mask, good.seat, good.acting]
    for place, name in enumerate(("observation", "mask", "seat", "acting")):
        for array in other_arrays(arrays[place]):
            with pytest.raises(ConfigError, match=f"{name} must be a C-contiguous"):
                engine.observe(*[*arrays[:place], array, *arrays[place + 1 :]])
    for chosen in other_arrays(np.ones(5, np.bool_)):
        with pytest.raises(ConfigError, match="chosen must be"):
            engine.restart(chosen)
    alone = Batch("sixth_card", 1, seed=0).engine
    other = Batch("sixes_chips", 1).engine.new_log()
    logs: list[Any] = [np.zeros(1), np.zeros(2, alone.new_log().dtype), other, "log"]
    for log in logs:
        with pytest.raises(ConfigError, match="log must be"):
            alone.reset(log=log)
    log = alone.new_log()
    alone.reset(log=log)
    with pytest.raises(ConfigError, match="log must be empty"):
        alone.step(alone.sample_actions(0), log=log)
    alone.events(log)
    alone.step(alone.sample_actions(0), log=log)


# --- Copies and seeds -----------------------------------------------------------------------------


def through_pickle(batch: Batch) -> Batch:
    twin: Batch = pickle.loads(pickle.dumps(batch))
    return twin


@pytest.mark.parametrize("twin_of", [Batch.copy, copy.deepcopy, through_pickle])
def test_copies_go_on_alike_and_apart(twin_of: Callable[[Batch], Batch]) -> None:
    batch = Batch("sixth_card", 6, seed=3, num_players=5, num_rounds=2)
    play(batch, 25)
    twin, before = twin_of(batch), batch.engine.save()
    played = play(twin, 60, seed=100)
    assert same_records(batch.engine.save(), before)
    assert_same(play(batch, 60, seed=100), played)
    # Without seeds, too: the streams of deals and of sampled actions go on from one place.
    assert np.array_equal(batch.sample_actions(), twin.sample_actions())
    assert_same([sight(batch.reset())], [sight(twin.reset())])


def test_saved_games_go_on_from_where_they_were() -> None:
    batch = Batch("six_nimmt", 6, seed=3, num_players=4)
    play(batch, 25)
    saved = batch.engine.save()
    played = play(batch, 60)
    batch.engine.restore(saved)
    assert_same(play(batch, 60), played)
    batch.engine.restore(saved[2:4], [2, 4])  # one by one, in any place
    assert same_records(batch.engine.save([2, 4]), saved[2:4])
    with pytest.raises(PositionError, match="saved games"):
        batch.engine.restore(np.zeros(6))  # type: ignore[arg-type]


def test_seeds() -> None:
    one = Batch("sixth_card", 3, seed=1)
    first = play(one, 5)
    assert differ(first, play(Batch("sixth_card", 3, seed=2), 5))
    going_on = sight(one.reset())
    assert differ([first[0]], [going_on])
    assert_same([first[0]], [sight(one.reset(1))])
    assert_same([going_on], [sight(one.reset())])
    zero = sight(one.reset(0))
    assert_same([zero], [sight(Batch("sixth_card", 3, seed=0).observe())])
    assert differ([zero], [first[0]])
    largest = 2**64 - 1
    assert_same(
        play(Batch("sixth_card", 1, seed=largest), 3), play(Batch("sixth_card", 1, seed=largest), 3)
    )
    assert differ(play(Batch("sixth_card", 3), 1), play(Batch("sixth_card", 3), 1))
    for seed in (-1, 2**64, 1.0, True, "1"):
        with pytest.raises(ConfigError, match="seed"):
            one.reset(seed)  # type: ignore[arg-type]


def test_positions_of_one_game_leave_the_others_alone() -> None:
    batch, other = (Batch("sixth_card", 3, seed=seed, num_players=3) for seed in (1, 2))
    play(other, 7)
    before = batch.engine.save([0, 2])
    batch.set_position(other.position(1), 1)
    assert batch.position(1) == other.position(1)
    assert same_records(batch.engine.save([0, 2]), before)
    shown = batch.observe()
    assert np.array_equal(shown.observation[1], other.observe().observation[1])


def test_sampled_actions_are_uniform_among_the_legal() -> None:
    batch = Batch("sixth_card", 1, seed=3, num_players=2, decks=2, cards=4, hand_size=3, rows=1)
    while len(set(batch.position()["hands"][0])) != 2:  # twins in hand: two actions, not three
        batch.reset()
    legal = np.flatnonzero(batch.observe().action_mask[0, 0]).tolist()
    drawn = [int(batch.sample_actions(seed)[0, 0]) for seed in range(2000)]
    counts = [drawn.count(action) for action in legal]
    assert sum(counts) == 2000
    assert abs(counts[0] - 1000) < 100  # 4.5 standard deviations
    stream = [batch.sample_actions()[0, 0] for _ in range(50)]
    assert len(set(stream)) == 2


# --- Illegal input --------------------------------------------------------------------------------


def three_games() -> Batch:
    """Three games, of which the last waits for a row decision."""
    batch = Batch("sixth_card", 3, seed=5, num_players=3)
    for number in range(200):
        batch.step(batch.sample_actions(number))
        if [batch.position(i)["phase"] for i in range(3)] == ["card", "card", "row"]:
            return batch
    raise AssertionError("no such moment in 200 steps")


FAR = [-1, -(2**40), 57, 99, 255, 256, 2**15, 65536, 2**31, 2**32, 2**40, 2**63 - 1]


@pytest.mark.parametrize("action", FAR)
def test_numbers_beyond_the_actions_are_refused(action: int) -> None:
    check_refused(three_games(), 1, 2, action)


def check_refused(batch: Batch, game: int, seat: int, action: int) -> None:
    actions, before = batch.sample_actions(0), batch.engine.save()
    actions[game, seat] = action
    seen = sight(batch.observe())
    legal = np.flatnonzero(seen["action_mask"][game, seat]).tolist()
    with pytest.raises(IllegalActionError) as caught:
        batch.step(actions)
    message = str(caught.value)
    assert f"player_{seat} of game {game} may not take action {action};" in message
    assert message.endswith(f"legal now: {legal}")
    assert same_records(batch.engine.save(), before)
    assert_same([seen], [sight(batch.observe())])


def test_every_action_that_is_not_legal_is_refused() -> None:
    batch = three_games()
    mask = batch.observe().action_mask
    for game in range(3):
        for seat in range(3):
            for action in np.flatnonzero(mask[game, seat] == 0).tolist():
                check_refused(batch, game, seat, action)
            for action in np.flatnonzero(mask[game, seat]).tolist():
                for wrap in (256, 65536, -256, -65536, 2**32):
                    check_refused(batch, game, seat, action + wrap)


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros((3, 3)),
        np.full((3, 3), np.nan),
        np.zeros((3, 3), np.bool_),
        np.zeros((3, 2), np.int64),
        np.zeros((2, 3), np.int64),
        np.zeros(9, np.int64),
        np.zeros((3, 3, 1), np.int64),
        [[0, 1, 2], [3, 4]],
        [["0", "1", "2"]] * 3,
        [[2**70, 0, 0]] * 3,
        None,
        "wait",
    ],
)
def test_malformed_actions_are_refused(actions: Any) -> None:
    batch = three_games()
    before = batch.engine.save()
    with pytest.raises(IllegalActionError, match="actions must be"):
        batch.step(actions)
    assert same_records(batch.engine.save(), before)


def test_any_integer_type_and_plain_lists_will_do() -> None:
    for dtype in (np.int8, np.uint8, np.int32, np.uint64):
        batch, twin = three_games(), three_games()
        actions = batch.sample_actions(0)
        one = arrays(batch.step(actions.astype(dtype)))
        assert_same([one], [arrays(twin.step(actions.tolist()))])


def test_a_huge_unsigned_action_is_refused() -> None:
    batch = three_games()
    actions = batch.sample_actions(0).astype(np.uint64)
    actions[1, 1] = 2**64 - 1
    with pytest.raises(IllegalActionError, match="player_1 of game 1"):
        batch.step(actions)
    with pytest.raises(IllegalActionError, match=f"may not take action {2**64 - 1};"):
        batch.step(actions)


def test_positions_go_to_games_that_exist() -> None:
    batch = Batch("sixth_card", 3, seed=0)
    before, position = batch.engine.save(), batch.position(1)
    for index in (3, 99, -1, 1.0, True, None, "0", 2**70):
        with pytest.raises(PositionError, match=f"one of 3 games, not {index}"):
            batch.set_position(position, index)  # type: ignore[arg-type]
    assert same_records(batch.engine.save(), before)
    batch.set_position(position, np.int64(2))  # type: ignore[arg-type]
    assert batch.position(2) == position


def test_configuration_is_checked() -> None:
    for index in (-1, 2**63, 2**63 - 3, 10**30, 1.0):
        with pytest.raises(ConfigError, match="first_index must be a whole number from 0 to"):
            Batch("sixth_card", 4, first_index=index)  # type: ignore[arg-type]
    assert Batch("sixth_card", 4, first_index=2**63 - 5).engine.key(3)[1] == 2**63 - 2
    for count in (0, -1, 2.0, True, 10**30):
        with pytest.raises(ConfigError, match="num_games"):
            Batch("sixth_card", count)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="dtype"):
        Batch("sixth_card", 1, dtype="float64")
    with pytest.raises(ConfigError, match="unknown game"):
        Batch("whist", 1)
    with pytest.raises(ConfigError, match="no option 'players'"):
        Batch("sixth_card", 1, players=4)
    log = Batch("sixth_card", 1, seed=0).engine.new_log()
    engine = Batch("sixth_card", 2, seed=0).engine
    with pytest.raises(ConfigError, match="a single game, not 2"):
        engine.reset(log=log)
