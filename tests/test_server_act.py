"""The server's stateless decisions: what they are, what they depend on, what is refused."""

from __future__ import annotations

import copy
import json
import logging
import multiprocessing
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from sixth_env.errors import ConfigError
from sixth_env.games import GAMES
from sixth_env.match import play_field
from sixth_env.notation import view_of
from sixth_env.opponents import load_opponent
from sixth_env.opponents.views import observations_of
from sixth_env.server.catalogue import Catalogue
from sixth_env.server.gate import JsonLines
from sixth_env.server.metrics import Metrics
from sixth_env.server.service import RefusedError
from sixth_env.server.settings import Settings
from sixth_env.server.workers import Workers
from tests.server_client import Client, Json, serving
from tests.test_remote_views import positions, shuffled

SLEEPER = "tests.server_opponents:sleeps"
BROKEN = "tests.server_opponents:breaks"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    named = (f"sixth_card/sleepy={SLEEPER}", f"broken={BROKEN}")
    with serving(
        opponents=named, decision_seconds=300, request_seconds=300, max_body=200_000, max_views=100
    ) as client:
        yield client


def seated(game: str = "sixth_card", games: int = 1, steps: int = 0, **config: Any) -> list[Json]:
    """Positions with a player each, which serve as views."""
    return positions(game, games, steps, **config)[2]


@pytest.fixture(scope="module")
def view() -> Json:
    position = seated()[1]
    return view_of({k: v for k, v in position.items() if k != "player"}, 1)


# --- Decisions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_decisions_are_those_of_the_opponent_asked(client: Client, game: str) -> None:
    views = seated(game, 3, 5)
    columns, masks = observations_of(GAMES[game], views)
    for name in ("random", list(GAMES[game].heuristics)[-1], "mc:3"):
        seeds = np.arange(len(views), dtype=np.uint64) + np.uint64(2**63)
        body = {"views": views, "opponent": name, "seeds": seeds.tolist()}
        answer = client.post("/v1/act", body).json()
        assert (answer["game"], answer["opponent"], answer["note"]) == (game, name, None)
        actions = [decision["action"] for decision in answer["actions"]]
        assert actions == load_opponent(name, game).act(columns, masks, seeds).tolist()
        for decision, mask in zip(answer["actions"], masks, strict=True):
            assert decision["name"] == GAMES[game].action_name(decision["action"])
            legal = [option["action"] for option in decision["legal"]]
            assert legal == np.flatnonzero(mask).tolist()


def test_probabilities_and_expected_points_are_told(client: Client, view: Json) -> None:
    (drawn,) = client.post("/v1/act", {"view": view, "opponent": "random"}).json()["actions"]
    assert {option["probability"] for option in drawn["legal"]} == {0.1}
    answer = client.post("/v1/act", {"view": view, "opponent": "mc:20"}).json()
    (searched,) = answer["actions"]
    assert answer["unit"] == "points"
    least = min(searched["legal"], key=lambda option: option["expected"])
    assert least["expected"] >= 0 and least["action"] == searched["action"]
    body = {"view": view, "opponent": "mc:20", "explain": False}
    (bare,) = client.post("/v1/act", body).json()["actions"]
    assert bare["action"] == searched["action"]
    assert set(bare["legal"][0]) == {"action", "name"}


def test_the_answer_depends_on_the_request_alone(client: Client) -> None:
    views = seated(games=4)
    for extra in ({}, {"seed": 5}):
        for name in ("random", "mc:5"):
            body = {"views": views, "opponent": name, **extra}
            together = client.post("/v1/act", body).json()["actions"]
            assert client.post("/v1/act", body).json()["actions"] == together
            for view, decision in zip(views, together, strict=True):
                single = {"view": view, "opponent": name, **extra}
                assert client.post("/v1/act", single).json()["actions"] == [decision]
    drawn = {"views": views, "opponent": "random"}
    names = [decision["name"] for decision in client.post("/v1/act", drawn).json()["actions"]]
    assert len(set(names)) > 4


@pytest.mark.parametrize("game", GAMES)
def test_hidden_facts_make_no_difference(client: Client, game: str) -> None:
    views = seated(game, 3, 9)
    hidden = [shuffled(view, random.Random(2)) for view in views]
    assert hidden != views
    bodies = [{"views": given, "opponent": "mc:4"} for given in (views, hidden)]
    assert client.post("/v1/act", bodies[0]).text == client.post("/v1/act", bodies[1]).text


def test_an_opponent_behind_http_plays_as_it_does_here(client: Client) -> None:
    others = [load_opponent(name) for name in ("random", "closest", "random")]
    distant = load_opponent(f"http://127.0.0.1:{client.port}?opponent=mc:2&timeout=30")
    played, expected = (
        play_field("sixth_card", [first, *others], deals=2, num_rounds=1).points
        for first in (distant, load_opponent("mc:2"))
    )
    assert np.array_equal(played, expected)
    distant.close()  # type: ignore[attr-defined]


def test_who_takes_too_long_or_fails_is_stood_in_for(view: Json) -> None:
    named = (f"sleepy={SLEEPER}", f"broken={BROKEN}")
    with serving(opponents=named, decision_seconds=0.1) as client:
        instead = client.post("/v1/act", {"view": view, "opponent": "cautious"}).json()
        for name, reason in (("sleepy", "took longer than 0.1 s"), ("broken", "failed")):
            answer = client.post("/v1/act", {"view": view, "opponent": name}).json()
            assert answer["note"] == f"{name} {reason}: cautious decided instead"
            assert answer["actions"][0]["action"] == instead["actions"][0]["action"]
            assert "secret" not in str(answer)
        fallbacks = 'fallbacks_total{game="sixth_card",opponent="sleepy"} 1'
        assert fallbacks in client.get("/metrics").text


def test_many_clients_are_answered_as_one_would_be(client: Client) -> None:
    views = seated(games=8)
    expected = [client.post("/v1/act", {"view": view, "opponent": "mc:2"}).text for view in views]

    def ask_all(number: int) -> list[str]:
        own = Client(client.port)
        order = range(number % len(views), len(views))
        texts = [own.post("/v1/act", {"view": views[i], "opponent": "mc:2"}).text for i in order]
        own.close()
        return texts

    with ThreadPoolExecutor(8) as pool:
        for number, texts in enumerate(pool.map(ask_all, range(8))):
            assert texts == expected[number % len(views) :]


def test_large_requests_are_answered_by_other_processes(client: Client) -> None:
    views = seated(games=10)
    body = {"views": views, "opponent": "random"}
    expected = client.post("/v1/act", body).text
    with serving(processes=2) as server:
        assert server.post("/v1/act", body).text == expected
        wrong = {"views": [*views, views[0] | {"turn": 0}], "opponent": "random"}
        answer = server.post("/v1/act", wrong)
        assert (answer.status, answer.field()) == (422, "views[40].turn")
        _kill_workers()
        assert server.post("/v1/act", body).text == expected
        counted = 'decisions_total{game="sixth_card",opponent="random"} 80'
        assert counted in server.get("/metrics").text
    assert not multiprocessing.active_children()


def test_requests_in_flight_outlive_their_process_and_disturb_no_other() -> None:
    body = json.dumps({"views": seated(games=10), "opponent": "sleepy"}).encode()
    workers = Workers(Settings(opponents=(f"sleepy={SLEEPER}",), processes=2), Metrics())
    with ThreadPoolExecutor(4) as pool:
        expected = _busy(pool, workers, body, 2)[0].result()
        first, second = multiprocessing.active_children()
        asked = [pool.submit(workers.act, body) for _ in range(4)]  # each takes a second
        time.sleep(0.5)
        first.kill()
        assert [future.result() for future in asked] == [expected] * 4
    left = multiprocessing.active_children()
    assert second in left and first not in left and len(left) == 2
    workers.close()
    assert not multiprocessing.active_children()


def test_the_end_of_the_server_is_not_delayed_by_its_processes() -> None:
    body = json.dumps({"views": seated(games=10), "opponent": "sleepy"}).encode()
    workers = Workers(Settings(opponents=(f"sleepy={SLEEPER}",), processes=2), Metrics())
    with ThreadPoolExecutor(4) as pool:
        _busy(pool, workers, body, 2)
        asked = [pool.submit(workers.act, body) for _ in range(4)]  # two decided, two waiting
        time.sleep(0.5)
        workers.close()
        for future in asked:
            with pytest.raises(RefusedError, match="the server is ending"):
                future.result(timeout=60)
    assert not multiprocessing.active_children()


def test_a_fault_in_another_process_is_told_and_the_process_stays() -> None:
    workers = Workers(Settings(processes=2), Metrics())
    with pytest.raises(RuntimeError, match="JSONDecodeError"):
        workers.act(b"no JSON: the server never hands that over")
    before = multiprocessing.active_children()
    body = {"views": seated(games=10), "opponent": "random"}
    assert json.loads(workers.act(json.dumps(body).encode()))["opponent"] == "random"
    assert multiprocessing.active_children() == before
    workers.close()


def test_opponents_in_other_processes_may_start_processes() -> None:
    body = {"views": seated(games=10), "opponent": "parent"}
    with serving(processes=2, opponents=("parent=tests.server_opponents:starts",)) as server:
        answer = server.post("/v1/act", body).json()
        assert answer["note"] is None
        _kill_workers()  # what they have started holds their pipes
        assert server.post("/v1/act", body).json() == answer


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@pytest.mark.parametrize("opponent", ["random", "sleepy"])
def test_a_killed_server_leaves_no_process(tmp_path: Path, opponent: str) -> None:
    script = (
        "import multiprocessing, sys, threading, time\n"
        "from sixth_env.server.metrics import Metrics\n"
        "from sixth_env.server.settings import Settings\n"
        "from sixth_env.server.workers import Workers\n"
        "if __name__ == '__main__':\n"
        f"    named = ('sleepy={SLEEPER}',)\n"
        "    workers = Workers(Settings(opponents=named, processes=2), Metrics())\n"
        "    body = sys.stdin.buffer.read()\n"
        "    workers.act(body)\n"
        "    threading.Thread(target=workers.act, args=(body,), daemon=True).start()\n"
        "    print(multiprocessing.active_children()[0].pid, flush=True)\n"
        "    time.sleep(60)\n"
    )
    (tmp_path / "script.py").write_text(script, "utf-8")
    body = json.dumps({"views": seated(games=10), "opponent": opponent}).encode()
    command = [sys.executable, str(tmp_path / "script.py")]
    root = Path(__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": str(root)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root, env=environment
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(body)
        server.stdin.close()
        worker = int(server.stdout.readline())
        os.kill(worker, signal.SIGINT)  # as Ctrl-C is for all of them: not the worker's business
        time.sleep(0.2)
        assert _runs(worker)
        server.kill()
    deadline = time.monotonic() + 20
    while _runs(worker):
        assert time.monotonic() < deadline, "the process goes on"
        time.sleep(0.05)


def _runs(process: int) -> bool:
    """Whether a process exists that is not just waiting to be noticed as ended."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # no Linux, or ended meanwhile
        return not Path("/proc/self").exists()
    return state != "Z"


def _busy(
    pool: ThreadPoolExecutor, workers: Workers, body: bytes, processes: int
) -> list[Future[str]]:
    """All processes have been started, and have answered."""
    asked = [pool.submit(workers.act, body) for _ in range(processes)]
    assert all(future.result() for future in asked)
    assert len(multiprocessing.active_children()) == processes
    return asked


def _kill_workers() -> None:
    children = multiprocessing.active_children()
    assert children
    for child in children:
        child.kill()


# --- What there is --------------------------------------------------------------------------------


def test_games_opponents_and_schemas_are_told(client: Client) -> None:
    games = client.get("/v1/games").json()["games"]
    assert [game["game"] for game in games] == list(GAMES)
    assert games[0]["actions"][56] == "wait" and games[0]["players"] == [2, 10]
    one = client.get("/v1/games/sixes_golf").json()
    assert one["observation"]["hash"] == GAMES["sixes_golf"].table.hash
    names = {o["name"] for o in client.get("/v1/opponents?game=sixth_card").json()["opponents"]}
    assert {"sleepy", "broken", "random", "cautious", "mc:<playouts>"} <= names
    others = client.get("/v1/opponents?game=sixes_chips").json()["opponents"]
    assert "sleepy" not in {opponent["name"] for opponent in others}
    everything = client.get("/v1/opponents").json()["opponents"]
    assert sum(opponent["default"] for opponent in everything) == len(GAMES)
    for kind in ("view", "position", "replay"):
        schema = client.get(f"/v1/schemas/six_nimmt/{kind}").json()
        assert schema["type"] == "object"
    described = client.get("/openapi.json").json()
    assert "/v1/act" in described["paths"]
    assert client.get("/healthz").status == client.get("/readyz").status == 200


def test_metrics_count_requests_and_decisions(client: Client, view: Json) -> None:
    client.post("/v1/act", {"views": [view, view], "opponent": "highest"})
    text = client.get("/metrics").text
    line = r'sixth_env_decisions_total\{game="sixth_card",opponent="highest"\} (\d+)'
    found = re.search(line, text)
    assert found is not None and int(found[1]) >= 2
    assert 'sixth_env_requests_total{method="POST",route="/v1/act",status="200"}' in text


# --- What is refused ------------------------------------------------------------------------------

BODIES: list[tuple[Any, int, str]] = [
    (b"", 422, "body"),
    (b"{", 400, "body"),
    (b"nonsense", 400, "body"),
    (b"\xff\xfe", 400, "body"),
    (b"[" * 50_000, 400, "body"),
    (b'{"view": ' * 5_000, 400, "body"),
    (b'{"seed": ' + b"9" * 5_000 + b"}", 400, "body"),
    (b"null", 422, "body"),
    (b"7", 422, "body"),
    (b"[]", 422, "body"),
    (b'"view"', 422, "body"),
    ({}, 422, "view"),
    ({"view": None}, 422, "view"),
    ({"view": {}, "views": [{}]}, 422, "view"),
    ({"views": []}, 422, "views"),
    ({"views": {}}, 422, "views"),
    ({"views": [3]}, 422, "views[0]"),
    ({"views": [{}] * 101}, 422, "views"),
    ({"view": 7}, 422, "view"),
    ({"view": "AC"}, 422, "view"),
    ({"view": []}, 422, "view"),
    ({"view": {}}, 422, "view.game"),
    ({"view": {"game": "whist"}}, 422, "view.game"),
    ({"view": {"game": ["sixth_card"]}}, 422, "view.game"),
    ({"view": {"game": "sixth_card"}}, 422, "view.players"),
]

REQUESTS: list[tuple[Json, str]] = [
    ({"seed": -1}, "seed"),
    ({"seed": 2**64}, "seed"),
    ({"seed": 1.5}, "seed"),
    ({"seed": "1"}, "seed"),
    ({"seed": True}, "seed"),
    ({"seeds": [1, 2]}, "seeds"),
    ({"seeds": [-1]}, "seeds[0]"),
    ({"seeds": 1}, "seeds"),
    ({"seed": 1, "seeds": [1]}, "seeds"),
    ({"opponent": ""}, "opponent"),
    ({"opponent": 7}, "opponent"),
    ({"opponent": "x" * 1000}, "opponent"),
    ({"explain": 1}, "explain"),
    ({"explain": "yes"}, "explain"),
    ({"oponent": "random"}, "oponent"),
]

UNKNOWN = [
    "nobody",
    "mc:0",
    "mc:-1",
    "mc:1001",
    "mc:" + "9" * 90,
    "mc:ten",
    "mc:1e3",
    "exact",
    "../random",
    "agents:runs/best",
    "os:system",
    "subprocess:true",
    "http://localhost:1",
    "runs/best",
    "sixes_golf/careful",
    "/etc/passwd",
]

VIEWS: list[tuple[Json, str]] = [
    ({"player": -1}, "player"),
    ({"player": 4}, "hands"),
    ({"player": 10**30}, "player"),
    ({"player": 1.0}, "player"),
    ({"player": None}, "player"),
    ({"players": 3}, "players"),
    ({"players": "4"}, "players"),
    ({"decks": 2}, "decks"),
    ({"dealer": 7}, "dealer"),
    ({"round": 0}, "round"),
    ({"turn": 0}, "turn"),
    ({"turn": 11}, "turn"),
    ({"turn": 2}, "hands[0]"),
    ({"phase": "sleep"}, "phase"),
    ({"phase": "row"}, "hands[0]"),
    ({"phase": "over"}, "phase"),
    ({"hands": []}, "hands"),
    ({"hands": [10, ["AC"], 10, 10]}, "stock"),
    ({"hands": [10, ["XX"] * 10, 10, 10]}, "hands[1][0]"),
    ({"hands": [10, None, 10, 10]}, "hands[1]"),
    ({"hands": [10, [1] * 10, 10, 10]}, "hands[1][0]"),
    ({"hands": [10, ["AC"] * 10, 10, 10]}, "stock"),
    ({"hands": [10, ["AC"] * 10, 10, 10], "stock": 17}, ""),
    ({"hands": "AC"}, "hands"),
    ({"rows": []}, "rows"),
    ({"rows": [["AC"]]}, "stock"),
    ({"rows": [["AC"], ["2C"], ["3C"], []]}, "rows[3]"),
    ({"rows": [["AC"], ["2C"], ["3C"], [["4C"]]]}, "rows[3][0]"),
    ({"rows": None}, "rows"),
    ({"piles": [[], [], []]}, "piles"),
    ({"piles": [["AC"], [], [], []]}, "stock"),
    ({"totals": [0, 0, 0]}, "totals"),
    ({"totals": [0, 0, 0, -1]}, "totals[3]"),
    ({"totals": [0, 0, 0, 1]}, "totals"),
    ({"totals": [99, 0, 0, 0], "round": 2}, "totals"),
    ({"revealed": [{"player": 0, "card": "AC"}]}, "stock"),
    ({"revealed": [{"player": 0}]}, "revealed[0].card"),
    ({"revealed": {}}, "revealed"),
    ({"played": [[]]}, "played"),
    ({"played": 3}, "played"),
    ({"chosen": [0, 0, 0]}, "hands"),
    ({"chosen": [0, "XX", 0, 0]}, "chosen[1]"),
    ({"chosen": [0, 1, 0, 0]}, "chosen[1]"),
    ({"stock": 3}, "stock"),
    ({"stock": -1}, "stock"),
    ({"stock": "8"}, "stock"),
    ({"rules": {"row_choice": "mine"}}, "rules"),
    ({"rules": {"decks": 7}}, "rules"),
    ({"rules": {"target_score": "66"}}, "rules"),
    ({"rules": {"num_rounds": 10**30}}, "rules"),
    ({"rules": {"colour": 1}}, "rules"),
    ({"rules": []}, "rules"),
    ({"rules": {"game": "six_nimmt"}}, "rules.game"),
    ({"legal": []}, "legal"),
    ({"legal": 7}, "legal"),
    ({"colour": "red"}, "colour"),
]


@pytest.mark.parametrize(("body", "status", "field"), BODIES)
def test_malformed_bodies_are_refused(client: Client, body: Any, status: int, field: str) -> None:
    answer = client.post("/v1/act", body)
    assert (answer.status, answer.field()) == (status, field), answer.text


@pytest.mark.parametrize(("change", "field"), REQUESTS)
def test_malformed_requests_are_refused(
    client: Client, view: Json, change: Json, field: str
) -> None:
    answer = client.post("/v1/act", {"view": view, **change})
    assert (answer.status, answer.field()) == (422, field), answer.text


@pytest.mark.parametrize("name", UNKNOWN)
def test_opponents_that_are_not_offered_are_refused(client: Client, view: Json, name: str) -> None:
    answer = client.post("/v1/act", {"view": view, "opponent": name})
    assert (answer.status, answer.field()) == (404, "opponent"), answer.text


@pytest.mark.parametrize(("change", "field"), VIEWS)
def test_impossible_views_are_refused(client: Client, view: Json, change: Json, field: str) -> None:
    for body, place in (
        ({"view": view | change}, "view"),
        ({"views": [view, view | change]}, "views[1]"),
    ):
        answer = client.post("/v1/act", body)
        wanted = f"{place}.{field}" if field else place
        assert (answer.status, answer.field()) == (422, wanted), answer.text


def test_requests_of_any_other_kind_are_refused(client: Client, view: Json) -> None:
    body = json.dumps({"view": view}).encode()
    assert client.send("POST", "/v1/act", body, **{"Content-Type": "text/plain"}).status == 422
    assert client.post("/v1/act", b" " * 200_001).status == 413
    assert (
        Client(client.port).send("POST", "/v1/act", b"{}", **{"Content-Length": "x"}).status >= 400
    )
    assert client.send("PUT", "/v1/act", {"view": view}).status == 405
    assert client.get("/v1/nothing").status == 404
    assert client.get("/v1/games/whist").field() == "game"
    assert client.get("/v1/opponents?game=whist").field() == "game"
    assert client.get("/v1/schemas/sixth_card/dream").field() == "kind"
    assert client.get("/docs").status == 404


def test_the_server_still_answers_after_all_that(client: Client, view: Json) -> None:
    untouched = copy.deepcopy(view)
    assert client.post("/v1/act", {"view": view}).status == 200
    assert view == untouched
    assert client.get("/healthz").json() == {"status": "ok"}


def test_a_failure_of_the_server_tells_a_client_nothing(
    view: Json, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> Any:
        raise RuntimeError("a secret of the machine")

    with serving() as client, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Catalogue, "find", fail)
        answer = client.post("/v1/act", {"view": view})
        assert (answer.status, answer.field()) == (500, "")
        assert "secret" not in answer.text
        patch.undo()
        assert client.post("/v1/act", {"view": view, "opponent": "lowest"}).status == 200
    assert "a secret of the machine" in caplog.text


def test_the_log_tells_what_was_asked_and_no_token(
    view: Json, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "sixth_env.server"), serving() as client:
        client.get("/v1/matches/some?token=hush")
        client.post("/v1/act", {"view": view, "opponent": "lowest"})
    lines = [json.loads(JsonLines().format(r)) for r in caplog.records if r.msg == "request"]
    assert [(line["route"], line["status"]) for line in lines] == [
        ("/v1/matches/{match}", 404),
        ("/v1/act", 200),
    ]
    assert set(lines[0]) == {"time", "level", "event", "method", "route", "status", "ms"}
    assert "hush" not in str(lines)


@pytest.mark.parametrize("port", [None, 70000])
def test_a_port_that_cannot_be_used_is_named(port: int | None) -> None:
    from sixth_env.cli.serving import serve

    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1] if port is None else port
        with pytest.raises(ConfigError, match=rf"port {number} of 127\.0\.0\.1 cannot be used: "):
            serve("127.0.0.1", number, warm_up=False)


def test_only_hosts_that_are_meant_are_answered() -> None:
    with serving(hosts=("127.0.0.1",)) as client:
        assert client.get("/healthz").status == 200
        for host in ("evil.example", "evil.example:80", "[::1]:80", ""):
            refused = Client(client.port).send("GET", "/healthz", Host=host)
            assert refused.status == 400


def test_other_origins_may_use_it_if_they_are_named() -> None:
    with serving(origins=("https://game.example",)) as client:
        asked = {"Origin": "https://game.example", "Access-Control-Request-Method": "POST"}
        assert client.send("OPTIONS", "/v1/act", **asked).status == 200
        asked["Origin"] = "https://evil.example"
        assert client.send("OPTIONS", "/v1/act", **asked).status == 400
