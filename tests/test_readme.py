"""Every fenced block of the README and the docs is executed as it stands.

- ``python``: a program of its own.
- ``bash``: one script, in which ``python`` and ``sixth-env`` are those of this interpreter.
- ``json`` and ``toml``: must parse.
- ``text``: shown output, not executed.

The blocks of one document share an empty working folder and run in order, so a later block may
use a file that an earlier one wrote. An HTML comment on the line before a block excuses it, unless
it is Python: ``<!-- ci: NAME -->``, a command that installs the checkout and that CI runs itself,
or ``<!-- not run: REASON -->``, say for one that takes minutes or runs until it is stopped. Where
an excused command calls this project it is still asked for its ``--help``, so that a renamed
command or option is noticed. Another language needs an excuse. A document
with a line ``<!-- needs: MODULE -->`` is about an optional library, and is left out without it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]

FENCED = re.compile(
    r"(?:^<!-- (?P<excuse>(?:ci|not run): [^\n]+) -->\n)?"
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<code>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


NEEDS = re.compile(r"^<!-- needs: (\w+) -->$", re.MULTILINE)


class Block(NamedTuple):
    """One fenced block: where it stands, what it is, and why it is not run (or "")."""

    document: Path
    line: int
    language: str
    code: str
    excuse: str


def blocks(document: Path) -> list[Block]:
    """All fenced blocks of a Markdown file, in order."""
    text = document.read_text("utf-8")
    return [
        Block(
            document=document,
            line=text.count("\n", 0, match.start("language")) + 1,
            language=match["language"],
            code=match["code"],
            excuse=match["excuse"] or "",
        )
        for match in FENCED.finditer(text)
    ]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """The working folder of a document: the checkout's configs, and what its blocks write."""
    folders: dict[Path, Path] = {}

    def folder(document: Path) -> Path:
        if document not in folders:
            folders[document] = tmp_path_factory.mktemp(document.stem)
            (folders[document] / "configs").symlink_to(ROOT / "configs")
        return folders[document]

    return folder


def environment(folder: Path) -> dict[str, str]:
    """This environment, with the checkout importable and its commands on the path."""
    commands = folder / ".bin"
    commands.mkdir(exist_ok=True)
    for name, options in (("python", ""), ("sixth-env", "-m sixth_env")):
        script = commands / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {options} "$@"\n')
        script.chmod(0o755)
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(commands), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
    }


def help_of(code: str) -> str:
    """The lines of a script that call this project, each asked for its help instead."""
    uncommented = re.sub(r"(^|\s)#.*", "", code.replace("\\\n", " "))
    commands = [part.strip(" &") for part in re.split(r"\n|&&", uncommented)]
    ours = re.compile(r"(sixth-env|python -m (sixth_env|agents|train))\b")
    return "\n".join(f"{command} --help" for command in commands if ours.match(command))


def execute(command: list[str], folder: Path) -> None:
    run = subprocess.run(
        command,
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
    )
    assert run.returncode == 0, run.stdout


def run_bash(code: str, folder: Path) -> None:
    execute(["bash", "-euo", "pipefail", "-c", code], folder)


def check(block: Block, folder: Path) -> None:
    """Execute a block, or what its excuse leaves of it."""
    match block:
        case Block(language="bash", excuse=""):
            run_bash(block.code, folder)
        case Block(language="bash"):
            run_bash(help_of(block.code), folder)
        case Block(language="python", excuse=""):
            execute([sys.executable, "-c", block.code], folder)
        case Block(language="json"):
            json.loads(block.code)
        case Block(language="toml"):
            tomllib.loads(block.code)
        case Block(language="text"):
            pass
        case Block(excuse=excuse) if excuse and block.language != "python":
            pass
        case _:
            pytest.fail(f"a {block.language!r} block can be neither executed nor left out unsaid")


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(block, id=f"{document.relative_to(ROOT)}:{block.line}")
        for document in DOCUMENTS
        for block in blocks(document)
    ],
)
def test_block(block: Block, workspace: Callable[[Path], Path]) -> None:
    for module in NEEDS.findall(block.document.read_text("utf-8")):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    check(block, workspace(block.document))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_fence_belongs_to_a_block(document: Path) -> None:
    fences = re.findall(r"^ *```", document.read_text("utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(blocks(document))


def test_readme_has_the_command_that_ci_runs() -> None:
    assert [block for block in blocks(ROOT / "README.md") if block.excuse == "ci: tests"]
