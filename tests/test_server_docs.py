"""The clients in docs/embedding.md, against a server."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from tests.server_client import Client, serving

PAGE = (Path(__file__).resolve().parents[1] / "docs/embedding.md").read_text("utf-8")


def block(language: str, beginning: str) -> str:
    """The code of the page's only block that begins so."""
    found = re.findall(rf"^```{language}\n({re.escape(beginning)}.*?)^```$", PAGE, re.M | re.S)
    assert len(found) == 1
    code: str = found[0]
    return code


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with serving() as client:
        yield client


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("client")
    (folder / "view.json").write_text(block("json", "{"))
    return folder


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_client_gets_an_action_or_a_reason(client: Client, folder: Path) -> None:
    import json

    names: dict[str, Any] = {}
    code = block("python", "# A client")
    assert code.count("\n") <= 20
    exec(code, names)
    server = f"http://127.0.0.1:{client.port}"
    view = json.loads((folder / "view.json").read_text())
    assert names["ask"](view, "lowest", server) == "play 4C"
    assert names["ask"](view, "highest", server) == "play QS"
    with pytest.raises(ValueError, match="view turn"):
        names["ask"]({**view, "turn": 0}, "lowest", server)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_javascript_client_gets_the_same(client: Client, folder: Path) -> None:
    code = block("javascript", "// A client").replace("localhost:8000", f"127.0.0.1:{client.port}")
    assert code.count("\n") <= 20
    (folder / "client.mjs").write_text(code)
    assert run(["node", "client.mjs"], folder) in ("play 4C\n", "play QS\n")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_gets_the_same(client: Client, folder: Path) -> None:
    code = block("bash", "# view.json").replace("localhost:8000", f"127.0.0.1:{client.port}")
    answer = run(["bash", "-euo", "pipefail", "-c", code], folder)
    assert '"opponent":"cautious"' in answer and '"name":"play ' in answer
