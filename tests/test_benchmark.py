"""The benchmark counts what it says it counts; how fast is not tested."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env import GAMES, Batch, Engine
from sixth_env.benchmark import Plan, Rate, Report, Versus, cases, command, libraries, measure, run
from sixth_env.benchmark.libraries import Library, Pair
from sixth_env.benchmark.measure import rates
from sixth_env.benchmark.report import machine
from sixth_env.benchmark.training import measure_training
from sixth_env.errors import ConfigError

TINY = Plan(batches=(1, 3), repeats=3, seconds=0.0, monte_carlo="mc:2")


@pytest.fixture(scope="module")
def report() -> Report:
    return measure(["sixth_card"], TINY)


def test_every_interface_is_measured(report: Report) -> None:
    lines = {(row.interface, row.rules, row.what, row.batch) for row in report.rows}
    assert len(lines) == len(report.rows)
    for games in TINY.batches:
        assert ("make_vec", "others random", "float32", games) in lines
        for rules in ("default", "cheapest row"):
            assert {
                ("engine", rules, "none", games),
                ("batch", rules, "int16", games),
                ("batch", rules, "float32", games),
            } <= lines
    assert ("parallel_env", "default", "float32", 1) in lines
    assert ("env (AEC)", "default", "float32", 1) in lines
    assert ("gymnasium make", "others random", "float32", 1) in lines
    opponents = {interface for interface, *_ in lines if interface.startswith("opponent ")}
    names = ("random", "mc:2", *GAMES["sixth_card"].heuristics)
    assert opponents == {f"opponent {name}" for name in names}


def test_rates_are_medians_within_their_range(report: Report) -> None:
    assert Rate.of([3.0, 1.0, 7.0]) == Rate(3.0, 1.0, 7.0)
    for row in report.rows:
        assert 0 < row.low <= row.rate <= row.high


def test_report_as_plain_values(report: Report) -> None:
    values = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert len(values["rows"]) == len(report.rows)
    assert values["rows"][0]["rate"] == report.rows[0].rate
    assert values["machine"]["python"] and values["machine"]["processor"]


def test_games_are_chosen_by_id() -> None:
    plan = Plan(batches=(1,), repeats=1, seconds=0.0, monte_carlo="mc:1")
    assert {row.game for row in measure(["six_nimmt"], plan).rows} == {"six_nimmt"}
    with pytest.raises(ConfigError, match="unknown game 'poker'"):
        measure(["poker"], plan)


def test_repeats_go_round_all_work() -> None:
    done = []

    def work(name: str) -> Any:
        def some(n: int) -> int:
            done.append(name)
            return n

        return some

    found = rates([work("a"), work("b")], Plan(repeats=3, seconds=0.0))
    assert [len(own) for own in found] == [3, 3]
    assert done[-6:] == ["a", "b"] * 3


# --- What is counted ------------------------------------------------------------------------------


def test_waiting_seats_are_not_counted() -> None:
    game, free = GAMES["sixth_card"], {"num_players": 3}
    batch = Batch("sixth_card", 20, seed=cases.SEED, num_players=3)
    step, acting = batch.reset(), 0
    for _ in range(50):
        acting += int(step.acting.sum())
        step = batch.step(batch.sample_actions())
    assert cases.decisions_per_step(game, free, games=20, steps=50) == acting / (20 * 50)
    assert cases.decisions_per_step(game, {"row_choice": "cheapest"}, games=4, steps=11) == 4.0


def test_engine_and_batch_report_the_decisions_of_their_steps() -> None:
    engine = Engine("sixth_card", 5, seed=1)
    assert cases.play_engine(engine, 1.7)(12) == round(12 * 5 * 1.7)
    assert engine.key(0) == (1, 0, 0) and engine.position(0)["turn"] > 1
    batch = Batch("sixth_card", 5, seed=1, dtype="float32")
    assert cases.play_batch(batch, 1.7)(12) == round(12 * 5 * 1.7)
    assert batch.position(0)["turn"] > 1


def test_environments_count_decisions_alone() -> None:
    game = GAMES["sixth_card"]
    assert cases.play_aec(game)(700) == 700  # beyond the end of a match
    decisions = cases.play_parallel(game)(300)
    assert 300 < decisions < 4 * 300  # in some of the steps only one of the four seats decides
    assert cases.play_solo(game)(300) == 300  # the learner's, and nobody else's
    assert cases.play_vector(game, 7)(100) == 700


def test_opponents_are_asked_real_decisions() -> None:
    game = GAMES["sixth_card"]
    observation, mask = cases.some_decisions(game, 64)
    assert observation.shape == (64, game.observation_size) and mask.shape == (64, game.num_actions)
    assert not mask[:, game.wait].any()
    turns = observation[:, game.table["turn"]]
    assert set(turns.ravel()) == set(range(1, 11))
    assert cases.ask(game, "closest", 64)(3) == 3 * 64


# --- Other libraries ------------------------------------------------------------------------------


def test_libraries_that_are_missing_are_named_and_the_others_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def there() -> Iterator[Pair]:
        yield Pair("Slow", "a game", lambda n: n, "ours", lambda n: 1000 * n)

    def missing() -> Iterator[Pair]:
        yield Pair("Gone", "a game", lambda n: n, "ours", lambda n: n)
        raise ModuleNotFoundError("No module named 'gone'")

    found = (Library("Slow", "numpy", there), Library("Gone", "no-such-distribution", missing))
    monkeypatch.setattr(libraries, "LIBRARIES", found)
    report = command.compare(TINY)
    assert report.left_out == {"Gone": "not installed (No module named 'gone')"}
    assert report.machine["Slow"] == np.__version__ and "Gone" not in report.machine
    (pair,) = report.versus
    assert (pair.library, pair.theirs, pair.ours) == ("Slow", "a game", "ours")
    values = json.loads(json.dumps(report.to_dict()))
    assert values["versus"][0]["ratio"]["rate"] == pair.ratio.rate


def test_ratios_are_taken_within_a_repeat() -> None:
    # The machine is ten times as fast in the second repeat, for both.
    pair = Versus.of("Other", "game", [1.0, 10.0, 2.0], "ours", [3.0, 30.0, 6.0])
    assert pair.ratio == Rate(3.0, 3.0, 3.0)
    assert pair.their_rate == Rate(2.0, 1.0, 10.0)


def test_open_spiel_counts_decisions() -> None:
    spiel = pytest.importorskip("pyspiel")
    assert libraries.play_states(spiel, "leduc_poker")(200) == 200
    goofspiel = libraries.play_states(spiel, "goofspiel(players=3,num_cards=10,imp_info=true)")
    assert goofspiel(20) == 20 * 3
    importlib.import_module("sixth_env.adapters.open_spiel")
    ours = libraries.play_states(spiel, "python_sixth_card(players=3)")
    assert 200 < ours(200) < 3 * 200  # rows are chosen by one seat alone
    from open_spiel.python import rl_environment

    assert libraries.play_rl_environment(rl_environment.Environment("leduc_poker"))(200) == 200


class FakeCards:
    """An RLCard environment of rounds of three decisions."""

    def __init__(self) -> None:
        self.left, self.resets = 3, 0

    def reset(self) -> tuple[dict[str, Any], int]:
        self.left, self.resets = 3, self.resets + 1
        return {"legal_actions": {0: None, 2: None}}, 0

    def step(self, action: int) -> tuple[dict[str, Any], int]:
        assert action in (0, 2) and self.left > 0
        self.left -= 1
        return {"legal_actions": {0: None, 2: None}}, 0

    def is_over(self) -> bool:
        return self.left == 0


def test_rlcards_environments_start_anew_when_they_are_over() -> None:
    env = FakeCards()
    assert libraries.play_rlcard(env)(10) == 10
    assert env.resets == 4


# --- Training -------------------------------------------------------------------------------------


def test_training_needs_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows, left_out = measure_training(["sixth_card"])
    assert rows == [] and "from the root of a checkout" in left_out["training"]


@pytest.mark.parametrize(
    ("script", "rows", "reason"),
    [
        (
            "import json, sys\nfile, games = sys.argv[2], sys.argv[4:]\n"
            "open(file, 'w').write(json.dumps([{'game': game} for game in games]))\n",
            [{"game": "sixth_card"}, {"game": "six_nimmt"}],
            "",
        ),
        ("raise SystemExit('no torch here')", [], "no torch here"),
    ],
)
def test_the_checkouts_script_measures_training(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    rows: list[dict[str, str]],
    reason: str,
) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "train/__init__.py").touch()  # else an installed checkout's comes first
    (tmp_path / "train/speed.py").write_text(script, "utf-8")
    monkeypatch.chdir(tmp_path)
    found, left_out = measure_training(["sixth_card", "six_nimmt"])
    assert found == rows
    assert left_out == ({"training": f"not measured ({reason})"} if reason else {})


def test_training_speed_is_a_row_of_the_report() -> None:
    pytest.importorskip("torch")
    from agents.networks import NetworkSettings
    from train.ppo import PPOConfig, Table
    from train.speed import measure as measure_ppo

    table = Table(games=8, rules={"num_players": 2})
    network = NetworkSettings(columns=("hand",), width=16, depth=1)
    config = PPOConfig(tables=(table,), rollout_steps=4, past_selves=1, network=network)
    row = measure_ppo(config, 1, "two players")
    assert (row.game, row.rules, row.batch) == ("sixth_card", "two players", 8)
    assert 0 < row.low <= row.rate <= row.high


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Settings of a training, which name threads and precision."""
    file = tmp_path / "small.toml"
    file.write_text(
        'threads = 2\nprecision = "float32"\ntables = [{ games = 24 }]\n'
        'network = { columns = ["hand"], width = 16, depth = 1 }\n',
        "utf-8",
    )
    return file


@pytest.mark.parametrize(
    ("options", "measured"),
    [
        ({}, "float32, 24 games, 2 threads, by the clock"),
        ({"threads": 1, "precision": "bf16"}, "bf16, 24 games, one thread"),
    ],
)
def test_training_speed_of_a_settings_file(
    small: Path, capsys: pytest.CaptureFixture[str], options: dict[str, Any], measured: str
) -> None:
    torch = pytest.importorskip("torch")
    from train.speed import SpeedConfig, run

    before, out = torch.get_num_threads(), small.with_suffix(".json")
    try:
        (row,) = run(SpeedConfig(configs=(str(small),), repeats=1, file=str(out), **options))
    finally:
        torch.set_num_threads(before)
    assert row.rules == "small.toml" and row.rate > 0
    assert json.loads(out.read_text("utf-8"))[0]["rate"] == row.rate
    assert measured in capsys.readouterr().out


def test_training_speed_refuses_what_it_cannot_do(small: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from train.speed import SpeedConfig, run

    with pytest.raises(ConfigError, match="either games or configs"):
        run(SpeedConfig(games=("sixth_card",), configs=(str(small),)))
    with pytest.raises(ConfigError, match=r"cannot be written to .*no_folder"):
        run(SpeedConfig(configs=(str(small),), file=str(tmp_path / "no_folder" / "x.json")))
    for wrong in ({"configs": ()}, {"games": ()}, {"threads": 0}, {"threads": 100_000}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            SpeedConfig(**wrong)


# --- The command ----------------------------------------------------------------------------------


def test_run_prints_and_writes_the_report(
    report: Report,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    versus = Versus.of("Other", "a game", [2.0], "our way", [8.0])
    more = Report(machine(), versus=(versus,), left_out={"Third": "not installed (gone)"})
    monkeypatch.setattr(command, "measure", lambda games, plan, training: report)
    monkeypatch.setattr(command, "compare", lambda plan: more)
    file = tmp_path / "report.json"
    found = run(["sixth_card"], quick=True, libraries=True, json=file)
    shown = capsys.readouterr().out
    assert "Sixth Card" in shown and "opponent closest" in shown
    assert "our way" in shown and "4-4" in shown and "Third: not installed (gone)." in shown
    assert json.loads(file.read_text("utf-8")) == json.loads(json.dumps(found.to_dict()))
    assert found.rows == report.rows and found.versus == (versus,)


def test_report_that_cannot_be_written(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "measure", lambda games, plan, training: report)
    with pytest.raises(ConfigError, match="cannot be written"):
        run(json=tmp_path / "missing" / "report.json")


@pytest.mark.skipif(find_spec("pyspiel") is None, reason="compares with OpenSpiel")
def test_importing_the_benchmark_loads_no_other_library() -> None:
    probe = (
        "import sys, sixth_env.benchmark; print({'pyspiel', 'torch', 'rlcard'} & {*sys.modules})"
    )
    shown = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    ).stdout
    assert shown.strip() == "set()"
