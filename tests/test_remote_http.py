"""Opponents behind HTTP: what a server is asked, and every way in which it may fail."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from sixth_env.errors import OpponentError
from sixth_env.match import play_field
from sixth_env.opponents import load_opponent
from sixth_env.opponents.remote_http import BATCH
from tests.test_remote import decisions

Json = dict[str, Any]
Reply = Callable[[BaseHTTPRequestHandler, Json], None]


@contextmanager
def server(reply: Reply) -> Iterator[str]:
    """The address of a server that answers every request by ``reply``."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            assert self.path == "/game/v1/act"
            length = int(self.headers["Content-Length"])
            reply(self, json.loads(self.rfile.read(length)))

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}/game/"
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def send(handler: BaseHTTPRequestHandler, value: object, status: int = 200) -> None:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def first_legal(handler: BaseHTTPRequestHandler, asked: Json) -> None:
    send(handler, {"actions": [{"action": view["legal"][0]["action"]} for view in asked["views"]]})


def test_it_plays_in_matches_over_one_connection() -> None:
    ports = set()

    def reply(handler: BaseHTTPRequestHandler, asked: Json) -> None:
        ports.add(handler.client_address[1])
        first_legal(handler, asked)

    others = [load_opponent(name) for name in ("random", "closest", "random")]
    rules: dict[str, Any] = {"num_rounds": 1, "row_choice": "cheapest"}
    with server(reply) as address:
        distant = load_opponent(address)
        played = play_field("sixth_card", [distant, *others], deals=3, **rules).points
        distant.close()  # type: ignore[attr-defined]
    expected = play_field("sixth_card", [load_opponent("lowest"), *others], deals=3, **rules)
    assert np.array_equal(played, expected.points)
    assert len(ports) == 1


def test_many_decisions_are_asked_together_with_their_seeds() -> None:
    asked_for: list[Json] = []

    def reply(handler: BaseHTTPRequestHandler, asked: Json) -> None:
        asked_for.append(asked)
        first_legal(handler, asked)

    observation, mask, seeds = decisions(games=10)
    with server(reply) as address:
        distant = load_opponent(f"{address}?opponent=strong&timeout=20")
        assert distant.act(observation, mask, seeds).tolist() == mask.argmax(axis=1).tolist()
        distant.close()  # type: ignore[attr-defined]
    assert [len(asked["views"]) for asked in asked_for] == [BATCH, 40 - BATCH]
    assert {asked["opponent"] for asked in asked_for} == {"strong"}
    assert [seed for asked in asked_for for seed in asked["seeds"]] == list(range(40))


def test_a_connection_that_the_server_has_closed_is_opened_again() -> None:
    def reply(handler: BaseHTTPRequestHandler, asked: Json) -> None:
        first_legal(handler, asked)
        handler.close_connection = True

    with server(reply) as address:
        distant = load_opponent(address)
        for _ in range(3):
            distant.act(*decisions(games=1))
        distant.close()  # type: ignore[attr-defined]


def refuse(handler: BaseHTTPRequestHandler, asked: Json) -> None:
    send(handler, {"error": {"field": "opponent", "message": "opponent 'x'\nis unknown"}}, 404)


def hang_up(handler: BaseHTTPRequestHandler, asked: Json) -> None:
    handler.close_connection = True


def talk_on(handler: BaseHTTPRequestHandler, asked: Json) -> None:
    send(handler, b" " * 1_000_000)


FAULTS: list[tuple[Reply, str]] = [
    (refuse, "answered with status 404: opponent 'x' is unknown$"),
    (lambda handler, _: send(handler, {}, 302), "answered with status 302$"),
    (lambda handler, _: send(handler, b"hello"), "with JSON that has an 'actions' list of 4"),
    (lambda handler, _: send(handler, b"[" * 5000), "'actions' list of 4"),
    (lambda handler, _: send(handler, {"actions": [{"action": 1}]}), "'actions' list of 4"),
    (lambda handler, _: send(handler, {"actions": [{"action": 99}] * 4}), "a legal 'action'"),
    (lambda handler, _: send(handler, {"actions": [None] * 4}), "a legal 'action'"),
    (hang_up, "cannot be asked: "),
    (talk_on, r"answered with more than \d+ bytes"),
]


@pytest.mark.parametrize(("reply", "message"), FAULTS)
def test_wrong_answers_are_named(reply: Reply, message: str) -> None:
    with server(reply) as address:
        distant = load_opponent(address)
        with pytest.raises(OpponentError, match=message) as caught:
            distant.act(*decisions(games=1))
        distant.close()  # type: ignore[attr-defined]
    assert "\n" not in str(caught.value)


def drip(handler: BaseHTTPRequestHandler, asked: Json) -> None:
    """Answer byte by byte, each well within the time limit, for ever."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" ")
            time.sleep(0.02)
    except OSError:
        handler.close_connection = True


@pytest.mark.parametrize("reply", [drip, lambda handler, _: time.sleep(2)])
def test_a_late_answer_is_no_answer(reply: Reply) -> None:
    with server(reply) as address:
        distant = load_opponent(f"{address}?timeout=0.1")
        with pytest.raises(OpponentError, match=r"did not answer within 0\.4 s"):
            distant.act(*decisions(games=1))


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    distant = load_opponent(f"http://127.0.0.1:{port}")
    with pytest.raises(
        OpponentError, match=rf"127\.0\.0\.1:{port}/v1/act cannot be asked: .*efused"
    ):
        distant.act(*decisions(games=1))
