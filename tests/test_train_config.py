"""Run settings: files, options over files, and errors that name file, key and expectation."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field, ValidationError, model_validator

from sixth_env.errors import CheckpointError, ConfigError
from train.config import Config, load_config, read_config, readable_errors, save_resolved

# Under pytest, tyro checks a random tenth of its cache hits, drawn by the global generator.
pytestmark = pytest.mark.global_random


class Table(Config):
    """One table of the run."""

    players: int = Field(default=4, ge=2, le=10)
    games: int = 32


class Network(Config):
    """The network's shape."""

    hidden: tuple[int, ...] = (256, 256)
    kind: Literal["mlp", "entity"] = "mlp"


class Settings(Config):
    """A run of the example."""

    seed: int = 0
    """Keys all randomness."""
    learning_rate: float = Field(default=3e-4, gt=0)
    name: str | None = None
    out: Path = Path("runs")
    anneal: bool = True
    opponents: tuple[str, ...] = ("random", "mc:100")
    tables: tuple[Table, ...] = (Table(),)
    network: Network = Network()
    judge: Network | None = None

    @model_validator(mode="after")
    def _seed_is_free(self) -> Settings:
        if self.seed == 13:
            raise ValueError("seed 13 is taken")
        return self


TOML = """
seed = 7
learning_rate = 1
opponents = ["lowest"]

[network]
hidden = [64]

[[tables]]
players = 3

[[tables]]
players = 5
games = 8
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(TOML)
    return path


# --- what is read --------------------------------------------------------------------------------


def test_without_a_file_the_defaults_hold() -> None:
    assert load_config(Settings, []) == Settings()


def test_file_then_defaults(file: Path) -> None:
    settings = load_config(Settings, [str(file)])
    assert settings == Settings(
        seed=7,
        learning_rate=1.0,
        opponents=("lowest",),
        network=Network(hidden=(64,)),
        tables=(Table(players=3), Table(players=5, games=8)),
    )
    assert settings == read_config(Settings, file)
    assert isinstance(settings.learning_rate, float)


def test_options_beat_the_file(file: Path) -> None:
    options = "--seed 3 --network.kind entity --tables.1.players 6 --no-anneal --out elsewhere"
    settings = load_config(
        Settings, [str(file), *options.split(), "--opponents", "closest", "mc:5"]
    )
    assert settings == Settings(
        seed=3,
        learning_rate=1.0,
        out=Path("elsewhere"),
        anneal=False,
        opponents=("closest", "mc:5"),
        network=Network(hidden=(64,), kind="entity"),
        tables=(Table(players=3), Table(players=6, games=8)),
    )


def test_options_without_a_file_and_either_dash() -> None:
    assert load_config(Settings, ["--learning-rate", "1e-2"]).learning_rate == 0.01
    assert load_config(Settings, ["--learning_rate", "1e-2"]).learning_rate == 0.01


def test_settings_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Settings().seed = 1


def test_saved_settings_repeat_the_run(file: Path, tmp_path: Path) -> None:
    settings = load_config(Settings, [str(file), "--learning-rate", "0.1", "--name", "x"])
    saved = save_resolved(settings, tmp_path)
    assert saved == tmp_path / "config.json"
    assert json.loads(saved.read_text())["judge"] is None, "defaults are written out too"
    assert load_config(Settings, [str(saved)]) == settings
    assert sorted(os.listdir(tmp_path)) == ["config.json", "run.toml"]


def test_interrupted_saving_keeps_the_old_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = save_resolved(Settings(seed=1), tmp_path)

    def fails(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="disk full"):
        save_resolved(Settings(seed=2), tmp_path)
    assert read_config(Settings, saved) == Settings(seed=1)


# --- what is refused -----------------------------------------------------------------------------

WRONG_FILES = [
    ("sed = 3", "there is no setting 'sed'; did you mean 'seed'?"),
    ("xyzzy = 3", "there is no setting 'xyzzy'"),
    ("[network]\nhiden = [3]", "there is no setting 'network.hiden'; did you mean 'hidden'?"),
    ("[[tables]]\n[[tables]]\nplayer = 3", "there is no setting 'tables.1.player'"),
    ('seed = "3"', "'seed' should be a valid integer, got '3'"),
    ("seed = 3.0", "'seed' should be a valid integer, got 3.0"),
    ("seed = true", "'seed' should be a valid integer, got True"),
    ("seed = 2020-01-01", "'seed' should be a valid integer, got '2020-01-01'"),
    ("anneal = 1", "'anneal' should be a valid boolean, got 1"),
    ("learning_rate = inf", "'learning_rate' should be a finite number"),
    ("learning_rate = 0", "'learning_rate' should be greater than 0, got 0"),
    ("network = 3", "'network' should be an object, got 3"),
    ("[network]\nhidden = [3.5]", "'network.hidden.0' should be a valid integer"),
    ('[network]\nkind = "cnn"', "'network.kind' should be 'mlp' or 'entity', got 'cnn'"),
    ("[[tables]]\nplayers = 11", "'tables.0.players' should be less than or equal to 10, got 11"),
    ("seed = 13", "seed 13 is taken"),
    ("seed = 1.5\nname = 2", "got 1.5 (and 1 more)"),
    ("seed =", "is not valid TOML: Invalid value"),
    ("seed = 1\nseed = 2", "is not valid TOML"),
    ("name = '\udcff'", "is not valid TOML"),
]


@pytest.mark.parametrize(("content", "words"), WRONG_FILES, ids=[c for c, _ in WRONG_FILES])
def test_wrong_file_is_one_sentence_with_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, words: str
) -> None:
    file = tmp_path / "run.toml"
    file.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(ConfigError, match=re.escape(words)) as error:
        read_config(Settings, file)
    assert str(error.value).startswith(str(file))

    with pytest.raises(SystemExit) as end:
        load_config(Settings, [str(file)])
    assert end.value.code == 2
    assert capsys.readouterr().err == f"error: {error.value}\n"


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no settings file .*none\.toml"):
        read_config(Settings, tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_config(Settings, tmp_path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--sed 1", "--seed"),
        ("--seed x", "--seed"),
        ("--seed 1.0", "--seed"),
        ("--seed", "--seed"),
        ("--network.kind cnn", "--network.kind"),
        ("--tables.0.players 11", "'tables.0.players' should be less than or equal to 10"),
        ("--tables.1.players 4", "--tables.1.players"),
        ("--learning-rate -1", "command line: 'learning_rate' should be greater than 0"),
        ("--learning-rate nan", "'learning_rate' should be a finite number"),
        ("--seed 13", "command line: seed 13 is taken"),
        ("--seed 1 run.toml", "run.toml"),
    ],
)
def test_wrong_option_is_named(
    capsys: pytest.CaptureFixture[str], options: str, words: str
) -> None:
    with pytest.raises(SystemExit) as end:
        load_config(Settings, options.split())
    assert end.value.code == 2
    printed = capsys.readouterr()
    assert words in printed.err
    assert "pydantic" not in printed.err
    assert printed.out == ""


def test_help_shows_meanings_and_the_files_values(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        load_config(Settings, [str(file), "--help"])
    assert end.value.code == 0
    shown = capsys.readouterr().out
    for words in ("A run of the example.", "settings file", "Keys all randomness. (default: 7)",
                  "--tables.1.players", "The network's shape."):  # fmt: skip
        assert words in shown


@pytest.mark.parametrize(
    ("error", "code"), [(ConfigError("no such game"), 2), (CheckpointError("damaged"), 1)]
)
def test_errors_raised_on_purpose_end_in_one_line(
    capsys: pytest.CaptureFixture[str], error: Exception, code: int
) -> None:
    with pytest.raises(SystemExit) as end, readable_errors():
        raise error
    assert end.value.code == code
    assert capsys.readouterr().err == f"error: {error}\n"


def test_other_errors_keep_their_traceback() -> None:
    with pytest.raises(ZeroDivisionError), readable_errors():
        _ = 1 // 0


def test_a_script_ends_without_traceback(tmp_path: Path) -> None:
    script = (
        "from train.config import Config, load_config\n"
        "class Settings(Config):\n    seed: int = 0\n"
        "print(load_config(Settings).seed)\n"
    )
    file = tmp_path / "run.toml"
    file.write_text("seed = 5")
    root = Path(__file__).resolve().parents[1]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", script, *arguments]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)

    assert run(str(file)).stdout == "5\n"
    assert run(str(file), "--seed", "6").stdout == "6\n"
    failed = run(str(file), "--seeds", "6")
    assert failed.returncode == 2
    assert "--seed" in failed.stderr
    assert "Traceback" not in failed.stderr
