"""Who may import whom, what `import sixth_env` may do, and what the package shows.

The import statements themselves are read, wherever they stand in a file: an import inside a
function, or one for type checking alone, still makes one module know of another.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import sixth_env

ROOT = Path(__file__).resolve().parents[1]

# The rooms of sixth_env from the ground up. A module imports its own room and lower ones only.
LAYERS: tuple[set[str], ...] = (
    {"errors", "rng"},
    {"games"},
    {"lift"},
    {"solver"},
    {"engine"},
    {"batch"},
    {"notation"},
    {"opponents", "render"},
    {"envs"},
    {
        "solo",
        "sixth_card_v0",
        "six_nimmt_v0",
        "sixes_chips_v0",
        "sixes_golf_v0",
        "testing",
    },
    {"report"},
    {"match"},
    {"adapters", "exact", "server"},
    {"__init__"},
    {"benchmark", "suite"},
    {"cli"},
    {"__main__"},
)
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}

# Loaded by an adapter that was asked for, and by nothing else.
FOREIGN = {"torch", "tensordict", "torchrl", "stable_baselines3", "sb3_contrib", "ray", "pyspiel"}


def modules(package: str) -> dict[str, Path]:
    """Dotted name and file of every module of one of the checkout's packages."""
    files = sorted((ROOT / package).rglob("*.py"))
    return {".".join(f.relative_to(ROOT).with_suffix("").parts): f for f in files}


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def imported(name: str, source: str) -> set[str]:
    """Dotted names that the import statements of module `name` load."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            # One dot is the module's own folder, each further dot one folder up.
            above = name.split(".")[: -node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                found.add(full if is_module(full) else base)
    return found


def room(name: str) -> str:
    """The part of `sixth_env` that a dotted name lies in; the package itself is `__init__`."""
    return name.split(".")[1] if "." in name else "__init__"


IMPORTS = {
    package: {name: imported(name, file.read_text("utf-8")) for name, file in found.items()}
    for package in ("sixth_env", "agents", "train")
    if (found := modules(package))
}


def crossings(package: str, forbidden: set[str]) -> list[str]:
    """Imports in `package` of anything whose top-level name is forbidden."""
    return [
        f"{name} imports {target}"
        for name, targets in IMPORTS[package].items()
        for target in sorted(targets)
        if target.split(".")[0] in forbidden
    ]


def test_import_statements_are_read() -> None:
    source = "import os.path\nfrom ..errors import ConfigError\nfrom . import rows\n"
    assert imported("sixth_env.games.cards", source) == {
        "os.path",
        "sixth_env.errors",
        "sixth_env.games.rows",
    }


def test_every_module_has_a_place() -> None:
    rooms = {room(name) for name in IMPORTS["sixth_env"]}
    assert rooms <= set(RANK), "give the new module its place in LAYERS"


def test_imports_go_one_way() -> None:
    upward = [
        f"{name} imports {target}"
        for name, targets in IMPORTS["sixth_env"].items()
        for target in sorted(targets)
        if target.split(".")[0] == "sixth_env"
        if room(target) != room(name) and RANK[room(target)] >= RANK[room(name)]
    ]
    assert upward == []


def test_packages_know_those_below_alone() -> None:
    assert crossings("sixth_env", {"agents", "train", "tests"}) == []
    assert crossings("agents", {"train", "tests"}) == []
    assert crossings("train", {"tests"}) == []


def test_foreign_libraries_stay_in_adapters() -> None:
    outside = [line for line in crossings("sixth_env", FOREIGN) if ".adapters." not in line]
    assert outside == []


# Gymnasium, where the environments are registered, sets a variable of its own: it comes first.
PROBE = """
import json, os, random, sys
import gymnasium
import numpy as np

def generators():
    return random.getstate(), repr(np.random.get_state())

environment, drawn = dict(os.environ), generators()
import sixth_env
print(json.dumps({
    "loaded": sorted({"torch", "pygame", "onnxruntime"} & set(sys.modules)),
    "environment_kept": environment == dict(os.environ),
    "generators_kept": drawn == generators(),
}))
"""


def test_import_is_light_and_silent() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stderr == ""
    assert run.stdout.count("\n") == 1, f"printed at import: {run.stdout}"
    assert json.loads(run.stdout) == {
        "loaded": [],
        "environment_kept": True,
        "generators_kept": True,
    }


def declared_names() -> set[str]:
    """What `sixth_env/__init__.py` imports from the package, and so shows to type checkers."""
    source = (ROOT / "sixth_env/__init__.py").read_text("utf-8")
    return {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sixth_env"
        for alias in node.names
    }


def test_all_lists_every_public_name_once() -> None:
    assert sorted(sixth_env.__all__) == sorted(declared_names() | {"__version__"})


@pytest.mark.parametrize("name", sixth_env.__all__)
def test_public_name_resolves(name: str) -> None:
    assert getattr(sixth_env, name) is not None
