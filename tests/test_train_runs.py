"""Runs: folders that never mix, seeds, a stop between updates, exact optimizer state, logs."""

from __future__ import annotations

import io
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
    EventAccumulator,
)

from sixth_env.errors import ConfigError
from train.runs import (
    NonFiniteError,
    RunLog,
    StopSignal,
    check_finite,
    derive_seed,
    load_optimizer,
    optimizer_state,
    run_folder,
    torch_generator,
)


@pytest.fixture(autouse=True)
def _torch_generator_untouched() -> Iterator[None]:
    before = torch.random.get_rng_state()
    yield
    assert torch.equal(torch.random.get_rng_state(), before)


# --- folders and seeds ---------------------------------------------------------------------------


def test_a_run_is_never_overwritten(tmp_path: Path) -> None:
    folder = run_folder("ppo", "first", root=tmp_path)
    assert folder == tmp_path / "ppo" / "first"
    assert folder.is_dir()
    with pytest.raises(ConfigError, match="exists already: resume that run, or choose another"):
        run_folder("ppo", "first", root=tmp_path)
    assert run_folder("ppo", "first", root=tmp_path, resume=True) == folder
    assert run_folder("other", "first", root=tmp_path) != folder


def test_resuming_needs_a_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no run to resume at .*first"):
        run_folder("ppo", "first", root=tmp_path, resume=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "a\\b", "/absolute", "a\n"])
def test_a_runs_name_is_one_folder_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="one folder name"):
        run_folder("ppo", name, root=tmp_path)


def test_generators_depend_on_seed_and_purpose_alone() -> None:
    def draw(seed: int, purpose: str) -> list[int]:
        generator = torch_generator(seed, purpose)
        return torch.randint(1 << 30, (4,), generator=generator).tolist()

    assert draw(0, "actions") == draw(0, "actions")
    others = [draw(0, "actions"), draw(1, "actions"), draw(0, "shuffle"), draw(-1, "actions")]
    assert len({tuple(numbers) for numbers in others}) == 4
    assert derive_seed(0, "actions") == 577053601588960977, "a published run must stay repeatable"
    assert all(0 <= derive_seed(seed, "x") < 2**63 for seed in range(100))


# --- stopping ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_first_signal_asks_second_one_acts(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    class EndedError(Exception):
        """What the handler that was there before raises."""

    def handler(*_: object) -> None:
        raise EndedError

    previous = signal.signal(number, handler)
    try:
        with StopSignal() as stop:
            assert not stop.requested
            signal.raise_signal(number)
            assert stop.requested
            with pytest.raises(EndedError):
                signal.raise_signal(number)
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, previous)
    assert "stopping after this update" in capfd.readouterr().err


def test_handlers_are_restored_and_untouched_in_threads() -> None:
    before = signal.getsignal(signal.SIGINT)
    with StopSignal():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before

    flags: list[bool] = []

    def work() -> None:
        with StopSignal() as stop:
            flags.append(stop.requested)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert flags == [False]
    assert signal.getsignal(signal.SIGINT) is before


def test_check_finite_names_what_step_and_where() -> None:
    check_finite({"loss": 1.0, "norm": torch.ones(3)}, step=1, run="runs/ppo/x")
    values: dict[str, float | torch.Tensor] = {
        "loss": float("nan"),
        "entropy": 0.5,
        "norm": torch.tensor([1.0, float("inf")]),
    }
    with pytest.raises(
        NonFiniteError, match=r"^loss, norm became .* at step 128.*none was saved yet"
    ):
        check_finite(values, step=128, run="runs/ppo/x")


# --- resuming ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD])
def test_optimizer_continues_exactly(kind: type[torch.optim.Adam]) -> None:
    def start() -> tuple[torch.nn.Parameter, torch.optim.Optimizer]:
        weights = torch.nn.Parameter(torch.linspace(-1, 1, 6))
        return weights, kind([weights], lr=0.1)

    def train(weights: torch.nn.Parameter, optimizer: torch.optim.Optimizer) -> None:
        for _ in range(3):
            optimizer.zero_grad()
            (weights**2).sum().backward()  # type: ignore[no-untyped-call]
            optimizer.step()

    weights, optimizer = start()
    train(weights, optimizer)
    optimizer.param_groups[0]["lr"] = 0.03
    tensors, values = optimizer_state(optimizer)
    tensors = {name: tensor.clone() for name, tensor in tensors.items()}
    at_save = weights.detach().clone()
    train(weights, optimizer)

    resumed, resumed_optimizer = start()
    with torch.no_grad():
        resumed.copy_(at_save)
    load_optimizer(resumed_optimizer, {**tensors, "generator": torch.zeros(1)}, values)
    train(resumed, resumed_optimizer)
    assert torch.equal(resumed, weights)


# --- logging -------------------------------------------------------------------------------------


def scalars(run: Path, name: str) -> list[tuple[int, float]]:
    events = EventAccumulator(str(run / "tensorboard"))
    events.Reload()
    return [(event.step, event.value) for event in events.Scalars(name)]


def test_scalars_are_written_and_a_resumed_run_hides_what_it_repeats(tmp_path: Path) -> None:
    console = Console(file=io.StringIO())
    with RunLog(tmp_path, 40, console=console) as log:
        for step in (10, 20, 30):
            log.log(step, {"loss": step / 10})
    assert scalars(tmp_path, "loss") == [(10, 1.0), (20, 2.0), (30, 3.0)]
    with RunLog(tmp_path, 40, start=20, console=console) as log:
        log.log(30, {"loss": 9.0})
    assert scalars(tmp_path, "loss")[-1] == (30, 9.0)
    assert (30, 3.0) not in scalars(tmp_path, "loss")


def test_without_a_terminal_lines_are_few(tmp_path: Path) -> None:
    output = io.StringIO()
    with RunLog(tmp_path, 1000, console=Console(file=output), quiet_seconds=3600) as log:
        for step in range(100, 1001, 100):
            log.log(step, {}, show={"points": step / 100})
    assert output.getvalue().count("\n") == 1
    assert output.getvalue().startswith("1,000/1,000 steps")
    assert "points 10" in output.getvalue()
    assert os.listdir(tmp_path) == ["tensorboard"]


def test_on_a_terminal_the_line_is_live(tmp_path: Path) -> None:
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, width=120)
    with RunLog(tmp_path, 1000, console=console) as log:
        log.log(500, {}, show={"points": 4.5})
    assert "500/1,000 steps" in output.getvalue()
    assert "points 4.5" in output.getvalue()
    assert "50%" in output.getvalue()
