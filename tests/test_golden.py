"""Matches written down once, played again: rules, action numbers and deals have not changed."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sixth_env import Batch
from sixth_env.errors import PositionError
from sixth_env.games import GAMES
from sixth_env.notation import Replay, schema
from tests.golden_write import FOLDER, GOLDEN, dump, played
from tests.slow_rows import SlowRows

FILES = {file.stem: file for file in sorted(FOLDER.glob("*.json"))}
Json = dict[str, Any]


def text_of(name: str) -> str:
    return FILES[name].read_text("utf-8")


def replay_of(name: str) -> Replay:
    return Replay.read(json.loads(text_of(name)))


def test_every_game_has_a_golden_replay() -> None:
    assert {replay_of(name).position["game"] for name in FILES} == set(GAMES)
    assert set(FILES) == set(GOLDEN)


@pytest.mark.parametrize("name", FILES)
def test_golden_replay(name: str) -> None:
    replay = replay_of(name)
    assert dump(replay) == text_of(name)
    assert replay.story is not None and len(replay.story) == len(replay.actions)
    for step, events in enumerate(replay.events()):
        assert events == replay.story[step], f"step {step}"
    assert replay.verify()["phase"] == "over"
    assert replay.story[-1][-1]["type"] == "match_end"


@pytest.mark.parametrize(
    "name", [name for name in FILES if GOLDEN[name][0] in ("sixth_card", "six_nimmt")]
)
def test_golden_replay_by_the_slow_rules(name: str) -> None:
    """The slow rules, given the deals, tell the same story."""
    replay = replay_of(name)
    assert replay.story is not None
    slow, seen = SlowRows(replay.position), Counter[str]()
    for (engine, _), actions, told in zip(replay.play(), replay.actions, replay.story, strict=True):
        events = slow.step(actions).events
        if slow.phase == "deal":
            slow.next_deal(engine.position())
            told = told[:-1]
        assert events == told
        seen.update(event["type"] for event in told)
    assert seen["take"] and seen["match_end"] == 1
    assert bool(seen["row_decision"]) == ("cheapest" not in name)


# --- Replays --------------------------------------------------------------------------------------


def test_a_replay_of_one_game_of_a_batch_from_the_middle() -> None:
    """Later deals follow from the stream's key, whatever the batch."""
    batch = Batch("sixth_card", 5, seed=2**64 - 1, first_index=7, num_players=3, num_rounds=3)
    number = 0
    while number < 60 or batch.position(3)["round"] != 1:
        batch.step(batch.sample_actions(number))
        number += 1
    replay = Replay.begin(batch.engine, 3)
    assert (replay.stream.seed, replay.stream.game) == (2**64 - 1, 10)
    assert replay.stream.episode == batch.engine.key(3)[2] > 0
    for number in range(1000, 1100):
        actions = batch.sample_actions(number)
        ended = batch.step(actions).terminated[3]
        replay.record(actions[3])
        if ended:
            break
        assert replay.verify() == batch.position(3)
    assert [event["type"] for step in replay.events() for event in step].count("deal") == 2
    assert Replay.read(json.loads(json.dumps(replay.to_dict()))) == replay


def test_a_replay_ends_with_its_match() -> None:
    replay = played("sixth_card", {"num_players": 2, "hand_size": 2, "num_rounds": 1})
    assert replay.verify()["phase"] == "over"
    replay.record(np.array([56, 56]))
    with pytest.raises(PositionError, match=r"story must tell of \d+ steps"):
        replay.verify()
    replay.story = None
    with pytest.raises(PositionError, match=r"actions\[\d+\] comes after the end of the match"):
        replay.verify()
    assert "story" not in replay.to_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r["actions"][3].__setitem__(0, 60), r"replay actions\[3\]: player_0 may not"),
        (lambda r: r["actions"][3].append(1), r"replay actions\[3\]: actions must be integers"),
        (lambda r: r["stream"].update(seed=67), r"replay story\[\d+\] differs"),
        (lambda r: r["stream"].update(game=1), r"replay story\[\d+\] differs"),
        (lambda r: r["stream"].update(episode=1), r"replay story\[\d+\] differs"),
        (lambda r: r["story"][5].pop(), r"replay story\[5\] differs"),
        (lambda r: r["story"].pop(), "replay story must tell of"),
        (lambda r: r["position"]["stock"].pop(), "in 0 places"),
        (lambda r: r["position"].pop("rules"), "replay position must be an object with its"),
        (lambda r: r["stream"].update(seed=-1), "replay stream.seed: "),
        (lambda r: r["stream"].update(seed=2**64), "replay stream.seed: "),
        (lambda r: r["stream"].update(game=2**63), "replay stream.game: "),
        (lambda r: r["stream"].update(episode=2**63), "replay stream.episode: "),
        (lambda r: r["actions"].append([-1]), r"replay actions\.\d+\.0: "),
        (lambda r: r["actions"].append([1.0]), r"replay actions\.\d+\.0: "),
        (lambda r: r.pop("stream"), "replay stream: Field required"),
        (lambda r: r.update(speed=1), "replay speed: Extra inputs"),
    ],
)
def test_replays_that_do_not_fit_are_refused(change: Callable[[Json], Any], message: str) -> None:
    value = copy.deepcopy(json.loads(text_of("sixth_card")))
    change(value)
    with pytest.raises(PositionError, match=message):
        Replay.read(value).verify()
    with pytest.raises(PositionError, match="replay"):
        Replay.read([value])


@pytest.mark.parametrize("game", GAMES)
def test_the_schema_of_a_replay(game: str) -> None:
    described = schema(game, "replay")
    assert set(described["properties"]) == {"position", "stream", "actions", "story"}
    assert described["properties"]["position"]["properties"]["game"] == {"const": game}
    references = {part.split('"')[0] for part in json.dumps(described).split("#/$defs/")[1:]}
    assert references <= set(described["$defs"])
