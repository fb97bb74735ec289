"""Records from outside reach no kernel unchecked: those of real games are taken, others refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixth_env.engine import Engine
from sixth_env.errors import PositionError
from sixth_env.games import get_game
from tests.rows_play import Json, same_records

CONFIGS: list[tuple[str, Json]] = [
    ("sixth_card", {"num_players": 4, "target_score": 20}),
    ("sixth_card", {"num_players": 6, "num_rounds": 2}),
    ("sixth_card", {"num_players": 2, "decks": 2, "cards": 6, "hand_size": 3, "rows": 2}),
    ("six_nimmt", {"num_players": 3, "num_rounds": 1}),
    ("sixes_chips", {"num_players": 3, "starting_chips": 4, "max_rounds": 3}),
    ("sixes_golf", {"num_players": 2, "num_rounds": 2, "practice_round": True}),
    ("sixes_golf", {"num_players": 5, "num_rounds": 1, "max_turns": 90}),
]


def moments(game: str, config: Json, steps: int = 400) -> list[NDArray[np.void]]:
    """The records (4,) after every step of random matches, up to their ends."""
    engine = Engine(game, 4, seed=8, **config)
    saved = [engine.save()]
    for step in range(steps):
        engine.step(engine.sample_actions(step))
        saved.append(engine.save())
        engine.restart(engine.done() & (np.arange(4) > 0))  # the first game stays at its end
    return saved


@pytest.mark.parametrize(("game", "config"), CONFIGS)
def test_what_play_brings_is_taken_back(game: str, config: Json) -> None:
    engine = Engine(game, 4, seed=0, **config)
    phases = set()
    for saved in moments(game, config):
        engine.restore(saved)
        assert same_records(engine.save(), saved)
        phases |= set(saved["phase"].tolist())
    assert len(phases) >= 2  # a match that golf's cap cuts off stays in its phase


@pytest.mark.parametrize(("game", "config"), CONFIGS)
def test_positions_are_taken_back(game: str, config: Json) -> None:
    engine, source = (Engine(game, 1, seed=0, **config) for _ in range(2))
    for saved in moments(game, config)[::7]:
        source.restore(saved[1:2])
        source.set_position(source.position())
        engine.restore(source.save())
        assert same_records(engine.save(), source.save())


@pytest.mark.parametrize(("game", "config"), CONFIGS)
def test_noise_is_refused(game: str, config: Json) -> None:
    engine, random = Engine(game, 4, seed=0, **config), np.random.default_rng(0)
    before, size = engine.save(), engine.states.dtype.itemsize
    noises = [random.integers(0, 256, (4, size), np.uint8) for _ in range(20)]
    for noise in (*noises, np.zeros((4, size), np.uint8), np.full((4, size), 255, np.uint8)):
        with pytest.raises(PositionError, match=r"saved game \d: "):
            engine.restore(noise.view(engine.states.dtype)[:, 0])
        assert same_records(engine.save(), before)


@pytest.mark.parametrize(("game", "config"), CONFIGS)
def test_a_changed_record_is_refused_or_playable(game: str, config: Json) -> None:
    engine, random = Engine(game, 1, seed=0, **config), np.random.default_rng(1)
    saved, refused = moments(game, config, 60), 0
    for trial in range(300):
        record = saved[trial % 60][1:2].copy()
        flat = record.view(np.uint8)
        flat[random.integers(len(flat))] ^= 1 << random.integers(8)
        try:
            engine.restore(record)
        except PositionError:
            refused += 1
            continue
        for step in range(20):
            engine.step(engine.sample_actions(step))
            engine.restore(engine.save())
    assert refused > 100


NEAR: list[tuple[str, str, Any, str]] = [
    ("sixth_card", "phase", 3, "phase must be from 0 to 2"),
    ("sixth_card", "phase", 1, "choices"),
    ("sixth_card", "dealer", 4, "dealer must be from 0 to 3"),
    ("sixth_card", "dealer", -1, "dealer must be from 0 to 3"),
    ("sixth_card", "held", 11, "held must be from 0 to 10"),
    ("sixth_card", "held", 9, "turn and held"),
    ("sixth_card", "next", 4, "next must be"),
    ("sixth_card", "row_size", 6, "row_size"),
    ("sixth_card", "row_points", -1, "row_points"),
    ("sixth_card", "row_keys", 0, "row_keys"),
    ("sixth_card", "rows", 52, "rows must be from 0 to 51"),
    ("sixth_card", "revealed", 15, "revealed must be of 4 seats"),
    ("sixth_card", "hands", 60, "hands must be the cards of 4 seats"),
    ("sixth_card", "hands", 3, "hands must be the cards of 4 seats"),
    ("sixth_card", "slot", 16, "slot must be from 0 to 15"),
    ("sixth_card", "played", 60, "played"),
    ("sixth_card", "seen", 2, "too often"),
    ("sixth_card", "seen", 0, "seen must be"),
    ("sixth_card", "taker", 5, "taker must be from 0 to 4"),
    ("sixes_chips", "to_act", 5, "to_act must be from 0 to 4"),
    ("sixes_chips", "hands", 1 << 40, "hands must be from 0"),
    ("sixes_chips", "hands", 1, "hands must be those of 5 seats"),
    ("sixes_chips", "laid", 1, "every card once"),
    ("sixes_chips", "held", 3, "held must be the sizes"),
    ("sixes_chips", "low", 3, "low and high"),
    ("sixes_chips", "playable", 1, "playable"),
    ("sixes_chips", "pot", 1, "50 chips together"),
    ("sixes_golf", "to_act", 4, "to_act must be from 0 to 3"),
    ("sixes_golf", "draw_size", 109, "draw_size must be"),
    ("sixes_golf", "draw_size", 2, "must be 1 pack"),
    ("sixes_golf", "discard_size", 0, "discard_size must be from 1"),
    ("sixes_golf", "hands", 53, "hands must be from 0 to 52"),
    ("sixes_golf", "shown", 54, "shown"),
    ("sixes_golf", "drawn", 3, "drawn"),
    ("sixes_golf", "draw_ranks", 9, "draw_ranks"),
    ("sixes_golf", "hidden_ranks", 9, "hidden_ranks"),
    ("sixes_golf", "draw_known", 1, "draw_known"),
    ("sixes_golf", "discarded", 3, "discarded"),
]


@pytest.mark.parametrize(("game", "field", "value", "message"), NEAR)
def test_each_field_is_checked(game: str, field: str, value: Any, message: str) -> None:
    engine = Engine(game, 3, seed=0)
    saved = engine.save()
    saved[field][1] = value
    with pytest.raises(PositionError, match=f"saved game 1: .*{message}"):
        engine.restore(saved)


def test_records_of_other_rules_are_refused() -> None:
    for game in ("sixth_card", "six_nimmt", "sixes_chips", "sixes_golf"):
        records = {}
        for players in range(2, get_game(game).max_players + 1):
            engine = Engine(game, 2, seed=0, num_players=players)
            played = [engine.save()]
            for step in range(9):
                engine.step(engine.sample_actions(step))
                played.append(engine.save())
            records[players] = played
        for players in records:
            engine = Engine(game, 2, seed=0, num_players=players)
            for others in set(records) - {players}:
                for saved in records[others]:
                    with pytest.raises(PositionError, match=r"saved game \d: "):
                        engine.restore(saved)
    small = Engine("sixth_card", 2, seed=0, num_players=2, hand_size=4)
    with pytest.raises(PositionError, match=r"saved game \d: "):
        small.restore(Engine("sixth_card", 2, seed=0, num_players=2).save())


def test_there_is_one_record_for_each_game() -> None:
    engine = Engine("sixes_chips", 3, seed=0)
    saved = engine.save()
    wrong: list[tuple[Any, Any]] = [
        (saved[:2], slice(None)),
        (saved[:1], slice(None)),
        (saved[0], slice(None)),
        (saved[None], slice(None)),
        (saved[:0], [0]),
        (saved, [0, 1]),
    ]
    for records, games in wrong:
        with pytest.raises(PositionError, match="saved games must be of shape"):
            engine.restore(records, games)
    for records in (None, [1, 2, 3], Engine("sixes_golf", 3).save(), np.zeros(3)):
        with pytest.raises(PositionError, match="saved games of sixes_chips are expected"):
            engine.restore(records)  # type: ignore[arg-type]
    engine.restore(saved[1:2], 2)
    assert same_records(engine.save(2), saved[1:2])
