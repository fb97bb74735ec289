"""The page in a real browser: whole matches by clicks and keys, replays, opponents that run in it.

Needs playwright and a chromium of the system (Debian: `chromium`); skipped without them.
"""

from __future__ import annotations

import functools
import http.server
import importlib
import importlib.util
import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env.games import GAMES
from sixth_env.server import Settings, create_app
from tests.exported import network
from tests.web_vectors import WEB, played, views

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
needed = ("playwright", "fastapi", "uvicorn")
missing = [name for name in needed if importlib.util.find_spec(name) is None]
if CHROMIUM is None:
    missing.append("chromium")
pytestmark = pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")

ORT = os.environ.get("SIXTH_ENV_ORT")  # a folder with ort.wasm.min.mjs of onnxruntime-web
PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
GAME_VIEWS = 1000


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server of this process, with hints that are quick."""
    import uvicorn

    app = create_app(Settings(hint="mc:4"))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = importlib.import_module("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of a phone's size, on which no script may fail."""
    context = browser.new_context(viewport=PHONE, accept_downloads=True)
    opened, errors = context.new_page(), list[str]()
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.set_default_timeout(30_000)
    yield opened
    context.close()
    assert errors == []


def choose(page: Any, address: str, game: str, rounds: str = "1 round", **fields: str) -> None:
    """Fill in the first screen and begin."""
    page.goto(f"{address}&speed=0" if "?" in address else f"{address}/?speed=0")
    page.locator(f".game:has([value={game}])").click()
    page.wait_for_selector(f"#choices[data-ready={game}]")
    for name, value in fields.items():
        page.select_option(f"[name={name}]", value)
    page.select_option("[name=rounds]", label=rounds)
    page.get_by_role("button", name="Play", exact=True).click()


def waits(page: Any) -> str:
    """What the page waits for once it stands still: "move", "round", "over", or its excuse."""
    found = page.wait_for_function(
        """() => {
            const status = document.querySelector("#status").textContent;
            if (status.startsWith("Sorry")) return status;
            const answer = document.querySelector("dialog[open] [data-answer]");
            if (answer) return answer.dataset.answer === "next" ? "round" : "over";
            return document.querySelector("#status.mine") && "move";
        }"""
    )
    return str(found.json_value())


def play(page: Any, most: int = 10_000) -> int:
    """Make moves by clicks until the match is over, or so many; how many they were."""
    moves = 0
    while moves < most:
        waiting = waits(page)
        if waiting == "over":
            break
        assert not waiting.startswith("Sorry"), waiting
        if waiting == "round":
            page.locator("[data-answer=next]").click()
            continue
        choices = page.locator("#board [data-action]")
        choices.nth(moves % choices.count()).click()
        moves += 1
    return moves


def assert_fits(page: Any) -> None:
    """Nothing is wider than the screen."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_whole_match_of_sixth_card(page: Any, address: str, tmp_path: Path) -> None:
    choose(page, address, "sixth_card", "3 rounds", players="4", opponent="closest")
    assert waits(page) == "move"
    assert page.locator("#status").inner_text() == "Choose a card to play."
    assert page.locator(".hand [data-action]").count() == 10
    assert_fits(page)
    assert play(page) >= 30
    dialog = page.locator("dialog")
    assert "won the match" in dialog.inner_text() or "share the win" in dialog.inner_text()
    totals = [int(text) for text in page.locator("dialog td:last-child").all_inner_texts()]
    assert totals == sorted(totals)
    assert len(totals) == 4
    with page.expect_download() as download:
        page.locator("[data-answer=save]").click()
    file = tmp_path / "replay.json"
    download.value.save_as(file)
    assert json.loads(file.read_text())["position"]["game"] == "sixth_card"


def test_the_replay_of_a_file(page: Any, address: str, tmp_path: Path) -> None:
    file = tmp_path / "replay.json"
    match = played("sixes_golf", {"num_players": 3, "num_rounds": 1}, seed=2**64 - 1, most=40)
    file.write_text(json.dumps(match["replay"]))
    page.goto(address)
    page.wait_for_selector("#choices[data-ready]")
    page.set_input_files("#watch", file)
    steps = len(match["story"])
    page.get_by_text(f"0 / {steps}", exact=True).wait_for()
    page.locator("#forward").click()
    assert page.locator("#step-number").inner_text() == f"1 / {steps}"
    page.keyboard.press("End")
    assert page.locator("#step-number").inner_text() == f"{steps} / {steps}"
    shown = page.locator(".layout .slots .card").count()
    assert shown == 18
    assert_fits(page)
    page.get_by_role("button", name="All games").click()
    file.write_text("{}")
    page.set_input_files("#watch", file)
    page.wait_for_function("document.querySelector('#problem').textContent.includes('no replay')")


@pytest.mark.parametrize("game", ["six_nimmt", "sixes_chips", "sixes_golf"])
def test_rounds_of_the_other_games(page: Any, address: str, game: str) -> None:
    choose(page, address, game, players="5", opponent="random")
    assert waits(page) == "move"
    assert_fits(page)
    assert play(page, most=60) >= 1
    page.set_viewport_size(DESKTOP)
    assert_fits(page)


@pytest.mark.parametrize("game", GAMES)
def test_a_round_against_the_shipped_opponents(page: Any, address: str, game: str) -> None:
    """Whom the page offers first."""
    pytest.importorskip("onnxruntime")
    choose(page, address, game, players="4")
    assert waits(page) == "move"
    assert page.locator("#seats-bar").inner_text().count("strong") == 3
    assert play(page, most=80) >= 3


def test_hints_and_keys(page: Any, address: str) -> None:
    choose(page, address, "sixth_card", players="2", opponent="random")
    waits(page)
    page.keyboard.press("h")
    page.wait_for_selector(".hand .hint.best")
    costs = [float(text) for text in page.locator(".hand .hint").all_inner_texts()]
    assert len(costs) == 10
    assert float(page.locator(".hint.best").first.inner_text()) == min(costs)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.key").startswith("hand")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelectorAll('.hand .card').length === 9")
    waits(page)
    board = page.locator("#board").inner_text()
    page.keyboard.press("1")  # a card, or a row if the first card was too low
    page.wait_for_function(f"document.querySelector('#board').innerText !== {json.dumps(board)}")


def test_a_reload_goes_on(page: Any, address: str) -> None:
    choose(page, address, "sixth_card", players="2", opponent="random")
    play(page, most=2)
    waits(page)
    cards = page.locator(".hand").inner_text()
    page.reload()
    waits(page)
    assert page.locator(".hand").inner_text() == cards


def test_a_server_that_is_gone_is_told(page: Any, address: str) -> None:
    choose(page, address, "sixth_card", players="2", opponent="random")
    waits(page)
    page.route("**/moves*", lambda route: route.abort())
    page.locator(".hand [data-action]").first.click()
    page.get_by_role("button", name="Try again").wait_for()
    page.unroute("**/moves*")
    page.get_by_role("button", name="Try again").click()
    assert waits(page) == "move"
    page.locator(".hand [data-action]").first.click()
    page.wait_for_function("document.querySelectorAll('.hand .card').length === 9")


def test_everything_has_a_name(page: Any, address: str) -> None:
    """What a screen reader is told: every button and field has a name, every card too."""
    choose(page, address, "sixth_card", players="2", opponent="random")
    waits(page)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, [role=img], [role=group]")]
            .filter((e) => !(e.getAttribute("aria-label") ?? e.textContent).trim()).length"""
    )
    assert nameless == 0
    label = page.locator(".hand .card").first.get_attribute("aria-label")
    assert " of " in label
    assert "costs" in label


# --- Without a server -----------------------------------------------------------------------------


class _Files(http.server.SimpleHTTPRequestHandler):
    """Serves the page's folder, onnxruntime-web as ort/ and models as models/."""

    models = Path()

    def translate_path(self, path: str) -> str:
        folder, _, name = path.partition("?")[0].strip("/").partition("/")
        if folder == "ort":
            return str(Path(ORT or "none") / name)
        if folder == "models":
            return str(self.models / name)
        return super().translate_path(path)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A plain file server: its address, and the folder of models."""
    models = tmp_path_factory.mktemp("models")
    handler = type("Handler", (_Files,), {"models": models})
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(handler, directory=str(WEB))
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", models
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("game", GAMES)
def test_a_match_without_a_server(page: Any, files: tuple[str, Path], game: str) -> None:
    address = f"{files[0]}/index.html?offline"
    choose(page, address, game, players="3", opponent="random")
    play(page)
    page.locator("[data-answer=watch]").click()
    page.keyboard.press("End")
    last, _, steps = page.locator("#step-number").inner_text().partition(" / ")
    assert last == steps
    assert int(steps) >= 10


@pytest.mark.skipif(ORT is None, reason="SIXTH_ENV_ORT names no folder of onnxruntime-web")
@pytest.mark.parametrize("kind", ["shipped", "untrained"])
@pytest.mark.parametrize("game", GAMES)
def test_an_exported_opponent_moves_as_in_python(
    page: Any, files: tuple[str, Path], game: str, kind: str
) -> None:
    from sixth_env import load_opponent

    address, models = files
    model = network(game, kind)
    for file in (model, model.with_suffix(".json")):
        shutil.copy(file, models / f"{game}{file.suffix}")
    found, columns, masks = views(game, GAME_VIEWS)
    expected = load_opponent(f"{model}?greedy").act(columns, masks, np.zeros(len(found), np.uint64))
    page.goto(f"{address}/offline.html")
    moves = page.evaluate(
        """async ([game, views]) => {
            const ort = await import("/ort/ort.wasm.min.mjs");
            ort.env.wasm.wasmPaths = new URL("/ort/", location.href).href;
            ort.env.wasm.numThreads = 1;
            const { loadOpponent } = await import("/onnx.js");
            const model = await (await fetch(`/models/${game}.onnx`)).arrayBuffer();
            const card = await (await fetch(`/models/${game}.json`)).json();
            const opponent = await loadOpponent(ort, new Uint8Array(model), card);
            return opponent.greedy(views);
        }""",
        [game, found],
    )
    assert moves == expected.tolist()
    page.goto(f"{address}/index.html?offline&speed=0&model=models/{game}.onnx")
    page.get_by_role("button", name="Play", exact=True).click()
    assert play(page, most=3) == 3
