"""A server in a thread of the tests' process, and a client that needs no library."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from sixth_env.server import Settings, create_app

Json = dict[str, Any]


class Answer(NamedTuple):
    """What a server answered."""

    status: int
    text: str

    def json(self) -> Any:
        return json.loads(self.text)

    def field(self) -> str:
        """The field that a refused request names."""
        error = self.json()["error"]
        assert set(error) == {"field", "message"} and error["message"]
        assert "Traceback" not in self.text
        field: str = error["field"]
        return field


class Client:
    """One connection to a server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def send(
        self, method: str, path: str, body: object = None, token: str | None = None, **headers: str
    ) -> Answer:
        """A request; a body that is not bytes is sent as JSON."""
        sent = {"Content-Type": "application/json", **headers}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        try:
            self._connection.request(method, path, data, sent)
            response = self._connection.getresponse()
            return Answer(response.status, response.read().decode())
        except BaseException:
            self._connection.close()  # what was asked is not answered to the next one
            raise

    def get(self, path: str, token: str | None = None) -> Answer:
        return self.send("GET", path, token=token)

    def post(self, path: str, body: object, token: str | None = None) -> Answer:
        return self.send("POST", path, body, token)

    def close(self) -> None:
        self._connection.close()


@contextmanager
def serving(**settings: Any) -> Iterator[Client]:
    """A client of a server with these settings."""
    import uvicorn

    app = create_app(Settings(**{"warm_up": False, "processes": 1, **settings}))
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=120,
    )
    server = uvicorn.Server(config)
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    client = Client(listening.getsockname()[1])
    try:
        yield client
    finally:
        client.close()
        server.should_exit = True
        thread.join()
        listening.close()


def stream(port: int, path: str) -> Iterator[Json]:
    """The states of a stream of server-sent events, until it ends."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("GET", path)
    response = connection.getresponse()
    assert response.status == 200, response.read()
    assert response.headers["Content-Type"].startswith("text/event-stream")
    try:
        while line := response.readline():
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))
    finally:
        response.close()
        connection.close()
