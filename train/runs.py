"""What every training run needs besides its algorithm: folder, seeds, logging, a clean stop."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from torch import Tensor

from sixth_env.errors import ConfigError, MissingExtraError, SixthEnvError

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

__all__ = [
    "NonFiniteError",
    "RunLog",
    "StopSignal",
    "check_finite",
    "derive_seed",
    "load_optimizer",
    "optimizer_state",
    "passed",
    "run_folder",
    "torch_generator",
]


# --- folders and seeds ---------------------------------------------------------------------------


def run_folder(script: str, name: str, *, resume: bool = False, root: str | Path = "runs") -> Path:
    """The folder ``root/script/name`` of a run: a new one, or with ``resume`` an existing one.

    Raises ``ConfigError`` rather than mix two runs: for a new run whose folder exists already,
    and for a resumed one whose folder does not.
    """
    if not re.fullmatch(r"[\w][\w.+=-]*", name):
        raise ConfigError(f"a run's name is one folder name such as 'first-try', got {name!r}")
    folder = Path(root) / script / name
    if resume:
        if not folder.is_dir():
            raise ConfigError(f"there is no run to resume at {folder}")
        return folder
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ConfigError(
            f"{folder} exists already: resume that run, or choose another name"
        ) from None
    return folder


def derive_seed(seed: int, purpose: str) -> int:
    """A seed in [0, 2**63) for one purpose of a run, independent of those of other purposes."""
    digest = hashlib.sha256(f"{seed}/{purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1


def torch_generator(seed: int, purpose: str, device: str | torch.device = "cpu") -> torch.Generator:
    """A generator of its own for one purpose of a run; torch's global one is left alone."""
    return torch.Generator(device).manual_seed(derive_seed(seed, purpose))


def passed(before: int, after: int, every: int) -> bool:
    """Whether a multiple of ``every`` lies between two counts of decisions."""
    return after // every > before // every


# --- stopping ------------------------------------------------------------------------------------


class StopSignal:
    """Turns Ctrl-C (or SIGTERM) into a flag, so that a run stops between two updates.

        with StopSignal() as stop:
            while not stop.requested:
                update()

    A second signal acts as usual: it interrupts at once. Handlers are restored on leaving; outside
    the main thread, where Python has no signal handlers, ``requested`` just stays false.
    """

    _SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.requested = False
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> StopSignal:
        if threading.current_thread() is threading.main_thread():
            self._previous = {s: signal.signal(s, self._on_signal) for s in self._SIGNALS}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._restore()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            self._restore()
            signal.raise_signal(number)
            return
        self.requested = True
        # Not print(): a handler may interrupt a print, whose buffer cannot be entered twice.
        os.write(2, b"\nstopping after this update; once more to stop at once\n")

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous = {}


class NonFiniteError(SixthEnvError, FloatingPointError):
    """A loss or gradient became NaN or infinite; the run stops and its last checkpoint stays."""


def check_finite(values: Mapping[str, float | Tensor], *, step: int, run: str | Path) -> None:
    """Raises ``NonFiniteError``, which names the values, the step and the run, unless all are
    finite. Call it before the optimizer's step: the weights are then still good.
    """
    bad = [name for name, value in values.items() if not _is_finite(value)]
    if bad:
        kept = Path(run) / "latest"
        where = f"the last good checkpoint is {kept}" if kept.exists() else "none was saved yet"
        raise NonFiniteError(
            f"{', '.join(bad)} became NaN or infinite at step {step}: training stopped before the"
            f" update, and {where} (try a lower learning rate)"
        )


def _is_finite(value: float | Tensor) -> bool:
    return bool(torch.isfinite(torch.as_tensor(value)).all())


# --- resuming ------------------------------------------------------------------------------------


def optimizer_state(
    optimizer: torch.optim.Optimizer, name: str = "optimizer"
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """An optimizer's state as a checkpoint stores it: tensors by name, and JSON values.

    Tensors are called ``NAME.<parameter number>.<moment>``.
    """
    state = optimizer.state_dict()
    tensors = {
        f"{name}.{number}.{key}": torch.as_tensor(value)
        for number, moments in state["state"].items()
        for key, value in moments.items()
        if value is not None
    }
    return tensors, {name: state["param_groups"]}


def load_optimizer(
    optimizer: torch.optim.Optimizer,
    tensors: Mapping[str, Tensor],
    values: Mapping[str, Any],
    name: str = "optimizer",
) -> None:
    """Puts back what ``optimizer_state`` gave; other entries of both mappings are ignored."""
    moments: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        owner, _, rest = key.partition(".")
        if owner == name:
            number, _, moment = rest.partition(".")
            moments.setdefault(int(number), {})[moment] = tensor.clone()
    groups = [
        {key: tuple(value) if key == "betas" else value for key, value in group.items()}
        for group in values[name]
    ]
    optimizer.load_state_dict({"state": moments, "param_groups": groups})


# --- logging -------------------------------------------------------------------------------------


class RunLog:
    """TensorBoard scalars in ``run/tensorboard``, and progress on standard error.

    On a terminal the progress is one live line, elsewhere a plain line every ``quiet_seconds``.
    ``start`` is the step a resumed run goes on from: what an interrupted process had logged past
    it is hidden. Raises ``MissingExtraError`` without the package tensorboard.
    """

    def __init__(
        self,
        run: str | Path,
        total_steps: int,
        *,
        start: int = 0,
        quiet_seconds: float = 30.0,
        console: Console | None = None,
    ) -> None:
        self.total_steps = total_steps
        self._console = console or Console(stderr=True)
        self._quiet_seconds = quiet_seconds
        self._started = self._last_line = time.monotonic()
        self._start = start
        self._writer = _summary_writer(Path(run) / "tensorboard", start)
        self._progress = Progress(
            BarColumn(),
            TextColumn("{task.percentage:3.0f}%"),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._progress.add_task("", total=total_steps, completed=start)

    def __enter__(self) -> RunLog:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()
        self._writer.close()

    def log(
        self, step: int, scalars: Mapping[str, float], show: Mapping[str, float] | None = None
    ) -> None:
        """Writes ``scalars`` (name to value) for ``step``, and shows progress with ``show``."""
        for name, value in scalars.items():
            self._writer.add_scalar(name, value, step)
        speed = (step - self._start) / max(time.monotonic() - self._started, 1e-9)
        shown = "  ".join(f"{name} {value:.4g}" for name, value in (show or {}).items())
        line = f"{step:,}/{self.total_steps:,} steps  {speed:,.0f}/s  {shown}".rstrip()
        if self._console.is_terminal:
            self._progress.update(self._task, completed=step, description=line)
        elif self._is_due(step):
            self._console.print(line, highlight=False, soft_wrap=True)

    def _is_due(self, step: int) -> bool:
        now = time.monotonic()
        due = now - self._last_line >= self._quiet_seconds or step >= self.total_steps
        if due:
            self._last_line = now
        return due


def _summary_writer(folder: Path, start: int) -> SummaryWriter:
    # Imported late: it costs a second, and only rank 0 of a distributed run logs.
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise MissingExtraError(
            "logging needs the package tensorboard: pip install 'sixth_env[train]'"
        ) from None
    return SummaryWriter(str(folder), purge_step=start if start > 0 else None)
