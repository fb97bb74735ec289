"""The benchmark counts what it says it counts; how fast is not tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sixth_env import GAMES, Batch, Engine, benchmark
from sixth_env.benchmark import Plan, Report, measure
from sixth_env.errors import ConfigError

TINY = Plan(batches=(1, 3), repeats=3, seconds=0.0, monte_carlo="mc:2")


@pytest.fixture(scope="module")
def report() -> Report:
    return measure(["sixth_card"], TINY)


def test_every_interface_is_measured(report: Report) -> None:
    lines = {(row.interface, row.rules, row.what, row.batch) for row in report.rows}
    assert len(lines) == len(report.rows)
    for rules in ("default", "cheapest row"):
        for games in TINY.batches:
            assert {
                ("engine", rules, "none", games),
                ("batch", rules, "int16", games),
                ("batch", rules, "float32", games),
            } <= lines
    assert ("parallel_env", "default", "float32", 1) in lines
    assert ("env (AEC)", "default", "float32", 1) in lines
    opponents = {interface for interface, *_ in lines if interface.startswith("opponent ")}
    names = ("random", "mc:2", *GAMES["sixth_card"].heuristics)
    assert opponents == {f"opponent {name}" for name in names}


def test_rates_are_medians_within_their_range(report: Report) -> None:
    for row in report.rows:
        assert 0 < row.low <= row.rate <= row.high


def test_report_as_plain_values(report: Report) -> None:
    values = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert len(values["rows"]) == len(report.rows)
    assert values["rows"][0]["rate"] == report.rows[0].rate
    assert values["machine"]["python"]


def test_games_are_chosen_by_id() -> None:
    plan = Plan(batches=(1,), repeats=1, seconds=0.0, monte_carlo="mc:1")
    assert {row.game for row in measure(["six_nimmt"], plan).rows} == {"six_nimmt"}
    with pytest.raises(ConfigError, match="unknown game 'poker'"):
        measure(["poker"], plan)


# --- What is counted ------------------------------------------------------------------------------


def test_waiting_seats_are_not_counted() -> None:
    game, free = GAMES["sixth_card"], {"num_players": 3}
    batch = Batch("sixth_card", 20, seed=benchmark.SEED, num_players=3)
    step, acting = batch.reset(), 0
    for _ in range(50):
        acting += int(step.acting.sum())
        step = batch.step(batch.sample_actions())
    assert benchmark._decisions(game, free, games=20, steps=50) == acting / (20 * 50)
    assert benchmark._decisions(game, {"row_choice": "cheapest"}, games=4, steps=11) == 4.0


def test_engine_and_batch_report_the_decisions_of_their_steps() -> None:
    engine = Engine("sixth_card", 5, seed=1)
    assert benchmark._play(engine, 1.7)(12) == round(12 * 5 * 1.7)
    assert engine.key(0) == (1, 0, 0) and engine.position(0)["turn"] > 1
    batch = Batch("sixth_card", 5, seed=1, dtype="float32")
    assert benchmark._step(batch, 1.7)(12) == round(12 * 5 * 1.7)
    assert batch.position(0)["turn"] > 1


def test_environments_count_decisions_alone() -> None:
    game = GAMES["sixth_card"]
    assert benchmark._agents_in_turn(game)(700) == 700  # beyond the end of a match
    decisions = benchmark._parallel(game)(300)
    assert 300 < decisions < 4 * 300  # in some of the steps only one of the four seats decides


def test_opponents_are_asked_real_decisions() -> None:
    game = GAMES["sixth_card"]
    observation, mask = benchmark._some_decisions(game, 64)
    assert observation.shape == (64, game.observation_size) and mask.shape == (64, game.num_actions)
    assert not mask[:, game.wait].any()
    turns = observation[:, game.table["turn"]]
    assert set(turns.ravel()) == set(range(1, 11))
    assert benchmark._decide(game, "closest", 64)(3) == 3 * 64


# --- The command ----------------------------------------------------------------------------------


def test_run_prints_and_writes_the_report(
    report: Report,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(benchmark, "measure", lambda games, plan: report)
    file = tmp_path / "report.json"
    assert benchmark.run(["sixth_card"], quick=True, json=file) is report
    shown = capsys.readouterr().out
    assert "Sixth Card" in shown and "opponent closest" in shown
    assert json.loads(file.read_text("utf-8")) == report.to_dict()


def test_report_that_cannot_be_written(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark, "measure", lambda games, plan: report)
    with pytest.raises(ConfigError, match="cannot be written"):
        benchmark.run(json=tmp_path / "missing" / "report.json")
