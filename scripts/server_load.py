"""Load on a server: many clients at once, whether every answer is right, and how long it takes.

    python scripts/server_load.py --clients 64 --seconds 20
    python scripts/server_load.py --clients 8 --seconds 20 --views 256

Starts a server of its own. The clients ask for decisions of all games by turns, each about views of
its own, and compare every action with what the same opponent does in this process. A wrong answer,
or any status but 200, ends the program with an error.
"""

from __future__ import annotations

import argparse
import http.client
import json
import subprocess
import sys
import threading
import time
from typing import NamedTuple

import numpy as np

from sixth_env import Batch
from sixth_env.games import GAMES
from sixth_env.opponents import load_opponent, shipped_opponents
from sixth_env.opponents.views import views_of


class Question(NamedTuple):
    """The body of a request, and the actions that are right."""

    body: bytes
    actions: list[int]


def questions(game_id: str, name: str, views: int, seed: int, count: int = 8) -> list[Question]:
    """Requests about decisions in random play."""
    game = GAMES[game_id]
    batch = Batch(game_id, num_games=views, seed=seed, num_players=2 + seed % 6)
    step, found = batch.reset(), list[Question]()
    shipped = f"{game_id}/{name}"  # the server takes the short name too
    opponent = load_opponent(shipped if shipped in shipped_opponents(game_id) else name, game_id)
    while len(found) < count:
        step = batch.step(batch.sample_actions(len(found)))
        columns, masks = step.observation[step.acting], step.action_mask[step.acting]
        if len(columns) < views:
            continue
        columns, masks = columns[:views], masks[:views]
        told = views_of(game, columns, masks != 0)
        asked = {"view": told[0]} if views == 1 else {"views": told}
        body = json.dumps({**asked, "opponent": name, "seed": 0}).encode()
        right = opponent.act(columns, masks, np.zeros(views, np.uint64))
        found.append(Question(body, right.tolist()))
    return found


def client(port: int, asked: list[Question], until: float, seconds: list[float]) -> None:
    """Ask until the time has come; how long each answer took."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    number = 0
    while time.monotonic() < until:
        question = asked[number % len(asked)]
        begun = time.perf_counter()
        connection.request("POST", "/v1/act", question.body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        content = response.read()
        seconds.append(time.perf_counter() - begun)
        if response.status != 200:
            raise RuntimeError(f"status {response.status}: {content[:300]!r}")
        answered = [decision["action"] for decision in json.loads(content)["actions"]]
        if answered != question.actions:
            raise RuntimeError("the answer is another question's")
        number += 1


def load(port: int, options: argparse.Namespace) -> None:
    """All clients at once; prints decisions a second and how long answers took."""
    games = [game for game in GAMES if options.game in (None, game)]
    asked = [
        questions(games[i % len(games)], options.opponent, options.views, i)
        for i in range(options.clients)
    ]
    client(port, asked[0], time.monotonic() + 3, [])  # the first requests start what is needed
    times: list[list[float]] = [[] for _ in asked]
    until = time.monotonic() + options.seconds
    threads = [
        threading.Thread(target=client, args=(port, asked[i], until, times[i]))
        for i in range(options.clients)
    ]
    threading.excepthook = lambda fault: failures.append(str(fault.exc_value))
    failures = list[str]()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        sys.exit(f"{len(failures)} clients failed: {failures[0]}")
    took = np.sort(np.concatenate(times)) * 1e3
    print(
        f"{options.clients} clients, {options.seconds:g} s, {options.opponent}:"
        f" {len(took):,} requests of {options.views},"
        f" {len(took) * options.views / options.seconds:,.0f} decisions/s,"
        f" p50 {np.quantile(took, 0.5):.1f} ms, p99 {np.quantile(took, 0.99):.1f} ms; all right"
    )


def main() -> None:
    """Start a server, load it, stop it."""
    parser = argparse.ArgumentParser(description="Put a server under load.")
    parser.add_argument("--clients", type=int, choices=range(1, 1001), default=64, metavar="N")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--views", type=int, default=1, help="in each request")
    parser.add_argument("--opponent", default="strong")
    parser.add_argument("--game", choices=list(GAMES), help="of all games unless named")
    options = parser.parse_args()
    command = [sys.executable, "-m", "sixth_env", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            line = server.stderr.readline()
            if " serves http://" not in line:
                sys.exit(f"the server did not start: {line}")
            address = line.split()[2]
            threading.Thread(target=server.stderr.read, daemon=True).start()
            port = int(address.rstrip("/").rpartition(":")[2])
            while not _ready(port):
                time.sleep(0.2)
            load(port, options)
        finally:
            server.terminate()


def _ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/readyz")
    return connection.getresponse().status == 200


if __name__ == "__main__":
    main()
