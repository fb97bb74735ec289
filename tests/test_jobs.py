"""Jobs: the same results in any number of processes, whole or interrupted, from a file or not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixth_env.errors import ConfigError, OpponentError
from sixth_env.match import Job, MatchResult, Runner, play_field, play_jobs
from sixth_env.match.players import fingerprint
from sixth_env.opponents import load_opponent

ROOT = Path(__file__).resolve().parents[1]

# Three kinds of job: cheap ones, random ones in few rotations, whole matches.
JOBS = (
    Job("sixth_card", ("closest", "lowest", "random", "cautious"), range(300)),
    Job("sixth_card", ("random", "mc:2", "random"), range(5, 25), seed=7, rotations=(2, 0)),
    Job("sixes_golf", ("random", "careful"), range(20), config={"num_rounds": 2}),
)


def same(one: Sequence[MatchResult], two: Sequence[MatchResult]) -> bool:
    """Whether results are equal bit for bit, but for the seconds that decisions took."""
    arrays = ("points", "wins", "rounds", "line_up", "turn_points")
    return all(
        all(np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays)
        and (a.entrants, a.rules, a.rotations) == (b.entrants, b.rules, b.rotations)
        for a, b in zip(one, two, strict=True)
    )


class Stub:
    """Plays its first legal action, and may break off in a call."""

    def __init__(self, breaks_at: int = -1) -> None:
        self.name, self.calls, self.breaks_at = "stub", 0, breaks_at

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Any
    ) -> NDArray[np.int64]:
        self.calls += 1
        if self.calls == self.breaks_at:
            raise KeyboardInterrupt
        return np.asarray(action_mask.argmax(axis=1), np.int64)


@pytest.fixture(scope="module")
def expected() -> list[MatchResult]:
    return play_jobs(JOBS)


# --- Results ---------------------------------------------------------------------------------


def test_a_job_is_a_match(expected: list[MatchResult]) -> None:
    line_up = [load_opponent(spec) for spec in JOBS[0].line_up]
    match = play_field("sixth_card", line_up, deals=300, num_rounds=1)
    assert same([match], expected[:1])
    assert expected[1].points.shape == (20, 2, 3)
    assert expected[1].command == (
        "sixth-env match random mc:2 random --game sixth_card --deals 20 --seed 7 --rounds 1"
    )


def test_some_deals_and_rotations_are_those_of_the_whole(expected: list[MatchResult]) -> None:
    part = replace(JOBS[0], deals=range(100, 140), rotations=(3, 1))
    [found] = play_jobs([part])
    assert np.array_equal(found.points, expected[0].points[100:140][:, [3, 1]])


def test_any_number_of_processes_gives_the_same(
    expected: list[MatchResult], tmp_path: Path
) -> None:
    before = dict(os.environ)
    assert same(play_jobs(JOBS, tmp_path / "two.jsonl", processes=2), expected)
    assert os.environ == before
    assert same(play_jobs(JOBS, tmp_path / "two.jsonl"), expected)  # now from the file alone


@pytest.mark.parametrize("games_at_once", [1, 40, 10**6])
def test_any_parts_give_the_same(expected: list[MatchResult], games_at_once: int) -> None:
    jobs = [replace(job, deals=job.deals[:20]) for job in JOBS]
    parts = play_jobs(jobs, games_at_once=games_at_once)
    for part, whole in zip(parts, expected, strict=True):
        assert np.array_equal(part.points, whole.points[:20])


def test_points_by_turn_are_the_points(expected: list[MatchResult]) -> None:
    for result in expected[:2]:
        for index, entrant in enumerate(result.entrants):
            turns = result.by_turn(index)
            assert len(turns) == 10
            assert turns.sum() == pytest.approx(result.points_per_round(entrant.name).value)
    assert expected[2].by_turn(0).shape == (0,)


def test_positions_that_share_a_name_are_one_entrant() -> None:
    names = ("closest", "other", "other")
    [result] = play_jobs([Job("sixth_card", ("closest",) * 3, range(4), names=names)])
    assert [(e.name, e.seats, e.spec) for e in result.entrants] == [
        ("closest", 1, "closest"),
        ("other", 2, "closest"),
    ]


def test_opponents_may_be_handed_over() -> None:
    job = Job("sixth_card", ("mine", "lowest"), range(3))
    [result] = play_jobs([job], opponents={"mine": Stub()})
    assert [entrant.spec for entrant in result.entrants] == [None, "lowest"]
    with pytest.raises(ConfigError, match="handed over play in one process"):
        play_jobs([job], opponents={"mine": Stub()}, processes=2)


def test_equal_jobs_are_played_once() -> None:
    stub = Stub()
    one, two = play_jobs([Job("sixth_card", ("s", "s"), range(3))] * 2, opponents={"s": stub})
    calls = stub.calls
    play_jobs([Job("sixth_card", ("s", "s"), range(3))], opponents={"s": stub})
    assert stub.calls == 2 * calls
    assert same([one], [two])


def test_only_parts_of_one_match_can_be_joined(expected: list[MatchResult]) -> None:
    for parts in ([], expected[:2]):
        with pytest.raises(ConfigError, match="only results of one line-up"):
            MatchResult.join(parts)


def test_progress_counts_games_and_begins_with_what_the_file_holds(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    file, job = tmp_path / "a.jsonl", Job("sixth_card", ("lowest", "closest"), range(300))
    play_jobs([replace(job, deals=range(128))], file)
    play_jobs([job], file, progress=lambda done, total: told.append((done, total)))
    assert told == [(256, 600), (512, 600), (600, 600)]


# --- Files and interruptions -----------------------------------------------------------------


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    file, jobs = tmp_path / "a.jsonl", [Job("sixth_card", ("s", "lowest"), range(400))]
    with pytest.raises(KeyboardInterrupt):
        play_jobs(jobs, file, opponents={"s": Stub(breaks_at=30)})
    kept = file.read_bytes()
    assert 2 <= kept.count(b"\n") < 5
    stub = Stub()
    resumed = play_jobs(jobs, file, opponents={"s": stub})
    assert file.read_bytes().startswith(kept)
    whole = Stub()
    assert same(resumed, play_jobs(jobs, opponents={"s": whole}))
    assert stub.calls < whole.calls


@pytest.mark.parametrize("torn", [b'{"key":"0', b"\xff\x00", b""])
def test_a_torn_last_line_is_played_again(tmp_path: Path, torn: bytes) -> None:
    file, jobs = tmp_path / "a.jsonl", [Job("sixth_card", ("lowest", "closest"), range(300))]
    results = play_jobs(jobs, file)
    lines = file.read_bytes().splitlines(keepends=True)
    half = lines[-1][: len(lines[-1]) // 2]
    file.write_bytes(b"".join(lines[:-1]) + (torn or half))
    assert same(play_jobs(jobs, file), results)
    assert len(file.read_bytes().splitlines()) == len(lines)
    for line in file.read_text("utf-8").splitlines():
        json.loads(line)


def test_a_killed_run_goes_on_in_other_numbers_of_processes(tmp_path: Path) -> None:
    """Two processes are killed half-way; one goes on, and finds what one alone finds."""
    job = Job("sixth_card", ("random", "mc:2", "closest", "cautious"), range(1500))
    file = tmp_path / "a.jsonl"
    program = (
        "from sixth_env.match import Job, play_jobs\n"
        f"job = Job('sixth_card', {job.line_up}, range(1500))\n"
        f"play_jobs([job], {str(file)!r}, processes=2)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", program], env=environment) as running:
        until = time.monotonic() + 60
        while time.monotonic() < until and running.poll() is None:
            if file.exists() and file.read_bytes().count(b"\n") >= 3:
                break
            time.sleep(0.02)
        running.send_signal(signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL, "it ended before it could be killed"
    kept = file.read_bytes().count(b"\n")
    assert 3 <= kept < 12
    few = replace(job, deals=range(600))
    assert same(play_jobs([few], file), play_jobs([few]))


def test_a_torn_first_line_is_written_again(tmp_path: Path) -> None:
    file, jobs = tmp_path / "a.jsonl", [Job("sixth_card", ("lowest", "closest"), range(2))]
    play_jobs(jobs, file)
    whole = file.read_bytes()
    file.write_bytes(whole[:40])
    play_jobs(jobs, file)
    assert file.read_bytes().splitlines()[0] == whole.splitlines()[0]


def test_a_line_that_is_not_whole_is_damaged(tmp_path: Path) -> None:
    file, jobs = tmp_path / "a.jsonl", [Job("sixth_card", ("lowest", "closest"), range(2))]
    play_jobs(jobs, file)
    file.write_text(file.read_text("utf-8").replace('"points"', '"pints"'), "utf-8")
    with pytest.raises(ConfigError, match=r"the line [0-9a-f]+ of .*a\.jsonl is damaged"):
        play_jobs(jobs, file)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("points", [[[1]]]),
        ("points", [[[1.5, 2.0]] * 2] * 2),
        ("rounds", [1]),
        ("cut_off", [[9, 0]]),
        ("turn_points", [1]),
        ("entrants", [{"greedy": None, "decisions": "many", "seconds": 0, "spec": None}] * 2),
    ],
)
def test_a_line_of_another_shape_is_damaged(tmp_path: Path, name: str, value: Any) -> None:
    file, jobs = tmp_path / "a.jsonl", [Job("sixth_card", ("lowest", "closest"), range(2))]
    play_jobs(jobs, file)
    head, line = map(json.loads, file.read_text("utf-8").splitlines())
    file.write_text(f"{json.dumps(head)}\n{json.dumps({**line, name: value})}\n", "utf-8")
    with pytest.raises(ConfigError, match=r"the line [0-9a-f]+ of .*a\.jsonl is damaged"):
        play_jobs(jobs, file)


def test_a_longer_run_takes_over_a_shorter_one(tmp_path: Path) -> None:
    file, stub = tmp_path / "a.jsonl", Stub()
    job = Job("sixth_card", ("s", "lowest"), range(128))
    play_jobs([job], file, opponents={"s": stub})
    before = stub.calls
    longer = replace(job, deals=range(256))
    result = play_jobs([longer], file, opponents={"s": stub})
    assert stub.calls < 2.2 * before  # the first half was not played again
    assert same(result, play_jobs([longer], opponents={"s": Stub()}))


def test_lines_say_what_they_are_of(tmp_path: Path, expected: list[MatchResult]) -> None:
    file = tmp_path / "a.jsonl"
    play_jobs([JOBS[1]], file)
    head, *lines = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    assert head["settings"]["game"] == "sixth_card" and head["settings"]["seed"] == 7
    [line] = lines
    assert (line["line_up"], line["rotations"], line["deals"]) == (
        ["random", "mc:2", "random"],
        [2, 0],
        [5, 25],
    )
    assert np.array_equal(line["points"], expected[1].points)
    assert all(isinstance(p, int) for deal in line["points"] for game in deal for p in game)


def test_a_match_that_a_cap_cuts_off_has_no_winner_in_the_file_either(tmp_path: Path) -> None:
    job = Job("sixes_golf", ("random", "random"), range(3), config={"max_turns": 1})
    file = tmp_path / "a.jsonl"
    [played], [read] = play_jobs([job], file), play_jobs([job], file)
    assert played.wins.sum() == 0
    assert same([played], [read])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 2}, "a.jsonl holds results of other settings: seed is 1 there, not 2"),
        ({"config": {"num_rounds": 2}}, "rules.num_rounds is 1 there, not 2"),
        ({"config": {"num_rounds": 1, "hand_size": 5}}, "rules.hand_size is 10 there, not 5"),
    ],
)
def test_a_file_of_other_settings_is_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    file, job = tmp_path / "a.jsonl", Job("sixth_card", ("lowest", "closest"), range(2))
    play_jobs([job], file)
    before = file.read_bytes()
    with pytest.raises(ConfigError, match=message):
        play_jobs([replace(job, **change)], file)
    assert file.read_bytes() == before


def test_settings_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    play_jobs([], file, settings={"suite": 1, "cells": (1, 2)})
    play_jobs([], file, settings={"suite": 1, "cells": (1, 2)})
    with pytest.raises(ConfigError, match="suite is 1 there, not 2"):
        play_jobs([], file, settings={"suite": 2, "cells": (1, 2)})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("points,rounds\n1,2\n", "is no file of results"),
        ("{}\n", "is no file of results"),
        ('{"format":"sixth_env results 0","settings":{}}\n', "is of format 'sixth_env results 0'"),
        ('{"format":\n', "line 1 of .* is damaged"),
        ('{"format":"sixth_env results 1","settings":{}}\nx\n', "line 2 of .* is damaged"),
        ('{"format":"sixth_env results 1","settings":{}}\n{}\n', "line 2 of .* is damaged"),
    ],
)
def test_other_files_are_refused_and_left_alone(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(content, "utf-8")
    with pytest.raises(ConfigError, match=message):
        play_jobs([], file)
    assert file.read_text("utf-8") == content


def test_a_file_that_cannot_be_kept(tmp_path: Path) -> None:
    for file in (tmp_path, tmp_path / "missing" / "a.jsonl"):
        with pytest.raises(ConfigError, match="results cannot be kept in"):
            play_jobs([], file)


@pytest.mark.skipif(sys.platform == "win32", reason="devices are files elsewhere alone")
def test_a_device_without_an_end_is_not_read() -> None:
    with pytest.raises(ConfigError, match="/dev/zero is no file of results"):
        play_jobs([], "/dev/zero")


@pytest.mark.skipif(sys.platform == "win32", reason="there files are not locked")
def test_one_run_at_a_time_writes_to_a_file(tmp_path: Path) -> None:
    file, job = tmp_path / "a.jsonl", Job("sixth_card", ("lowest", "closest"), range(2))
    with Runner(file, settings={"a": 1}) as runner:
        with pytest.raises(ConfigError, match=r"another run is writing to .*a\.jsonl"):
            play_jobs([job], file, settings={"a": 1})
        runner.play([job])
    kept = file.read_bytes()
    play_jobs([job], file, settings={"a": 1})
    assert file.read_bytes() == kept


# --- Opponents by spec -----------------------------------------------------------------------

BOTS = """
import os
from sixth_env.errors import OpponentError

class Lost(OpponentError):
    def __init__(self, one, two):
        super().__init__(f"lost {one} and {two}")

class Bot:
    name = "bot"
    def __init__(self, does):
        self.does = does
        if does == "loses":
            raise Lost(1, 2)
    def close(self):
        if self.does == "breaks":
            raise ValueError
        open(self.does + ".closed", "w").close()
    def act(self, observation, action_mask, seeds):
        if self.does == "dies":
            os._exit(7)
        return None if self.does == "nothing" else action_mask.argmax(axis=1)

load = Bot
"""


def test_what_goes_wrong_in_a_process_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bots_of_jobs.py").write_text(BOTS, "utf-8")
    monkeypatch.chdir(tmp_path)

    def play(spec: str) -> Job:
        return Job("sixth_card", (f"bots_of_jobs:{spec}", "lowest"), range(2))

    with Runner(processes=2) as runner:
        with pytest.raises(OpponentError, match=r"bots_of_jobs:nothing .* answered None"):
            runner.play([play("nothing"), play("plays")])
        [result] = runner.play([play("plays")])  # by processes started anew
        assert result.entrants[0].spec == "bots_of_jobs:plays"
        message = r"that played bots_of_jobs:dies, lowest has died \(exit code 7\)"
        with pytest.raises(OpponentError, match=message):
            runner.play([play("dies")])
        with pytest.raises(OpponentError, match="Lost: lost 1 and 2"):
            runner.play([play("loses")])
        runner.play([replace(play("plays"), seed=2)])
    assert Path("plays.closed").exists()
    Path("plays.closed").unlink()
    play_jobs([play("plays")])
    assert Path("plays.closed").exists()
    assert play_jobs([play("breaks")])[0].games == 4  # what closing brings takes nothing away


def test_a_changed_checkpoint_is_another_opponent(tmp_path: Path) -> None:
    folder = tmp_path / "latest"
    folder.mkdir()
    assert fingerprint(str(folder)) == fingerprint("closest") == ""
    found = []
    for content in ("1", "2"):
        (folder / "card.json").write_text(content, "utf-8")
        found.append(fingerprint(str(folder)))
        assert fingerprint(f"{folder}?sampled") == fingerprint(f"agents:{folder}") == found[-1]
    assert found[0] != found[1] and "" not in found
    (tmp_path / "net.onnx").write_bytes(b"1")
    assert fingerprint(f"mine:{tmp_path / 'net.onnx'}") != ""


# --- Jobs ------------------------------------------------------------------------------------


def test_keys_tell_jobs_apart_and_nothing_else() -> None:
    job = JOBS[1]
    others = [
        replace(job, seed=8),
        replace(job, deals=range(5, 26)),
        replace(job, rotations=(0, 2)),
        replace(job, config={}),
        replace(job, line_up=("random", "mc:2", "mc:2"), names=()),
        replace(job, names=("random", "mc", "random")),
        replace(job, game="six_nimmt"),
    ]
    assert len({other.key for other in [job, *others]}) == 8
    assert replace(job, config={"num_rounds": 1, "row_choice": "player"}).key == job.key


def test_parts_are_the_same_however_long_the_job_is() -> None:
    job = replace(JOBS[0], deals=range(1000))
    longer = replace(job, deals=range(2000))
    assert [part.deals for part in longer.parts()][:7] == [part.deals for part in job.parts()][:7]
    assert sum(part.games for part in longer.parts()) == longer.games == 8000
    assert {len(part.deals) for part in longer.parts(100)} == {16}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"line_up": ("lowest",)}, "num_players must be from 2 to 10, not 1"),
        ({"line_up": ("lowest", Stub())}, "names its opponents by specs, not"),
        ({"deals": range(0)}, "deals must be a range of step 1"),
        ({"deals": range(0, 9, 2)}, "deals must be a range of step 1"),
        ({"deals": 100}, "deals must be a range of step 1"),
        ({"deals": range(-1, 3)}, "deals must be from 0 to 1000000"),
        ({"deals": range(10**6 + 1)}, "deals must be from 0 to 1000000"),
        ({"rotations": (0, 2)}, "different numbers from 0 to 1, not"),
        ({"rotations": (1, 1)}, "different numbers from 0 to 1, not"),
        ({"names": ("a",)}, "2 opponents need as many names, not 1"),
        ({"names": ("a", "a")}, "'a' cannot be both 'lowest' and 'closest'"),
        ({"config": {"reward": "win"}}, "leave reward out"),
        ({"config": {"color": "red"}}, "no option 'color'"),
        ({"seed": -1}, "seed must be from 0"),
        ({"game": "poker"}, "unknown game 'poker'"),
    ],
)
def test_jobs_that_cannot_be_played_are_refused(change: dict[str, Any], message: str) -> None:
    job: dict[str, Any] = {
        "game": "sixth_card",
        "line_up": ("lowest", "closest"),
        "deals": range(2),
    }
    with pytest.raises(ConfigError, match=message):
        Job(**{**job, **change})


@pytest.mark.parametrize("number", [0, -1, 1.5, None])
def test_numbers_of_processes_that_make_no_sense(number: Any) -> None:
    with pytest.raises(ConfigError, match="processes must be"):
        play_jobs([JOBS[0]], processes=number)
    with pytest.raises(ConfigError, match="games_at_once must be"):
        play_jobs([JOBS[0]], games_at_once=number)
