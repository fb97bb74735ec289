"""Hosted matches: what a seat is told, whose turn it is, limits, and what a kill leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from sixth_env.errors import ConfigError, OpponentError
from sixth_env.games import GAMES
from sixth_env.notation import Replay
from sixth_env.server import Settings, create_app
from sixth_env.server.store import Store
from tests.server_client import Client, Json, serving, stream

ROOT = Path(__file__).resolve().parents[1]
LIMITS = {"decision_seconds": 60.0, "max_matches": 60, "max_steps": 600, "max_streams": 3}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with serving(**LIMITS) as client:
        yield client


class Player:
    """A person at a seat of a match."""

    def __init__(self, client: Client, match: Json, seat: int) -> None:
        self.client, self.id, self.seat = client, match["id"], seat
        self.token: str = match["seats"][seat]["token"]
        self.events: list[Json] = []
        self.state: Json = {}

    def get(self, more: str = "", query: str = "") -> Any:
        return self.client.get(f"/v1/matches/{self.id}{more}{query}", self.token)

    def look(self) -> Json:
        return self._take(self.get(query=f"?since={len(self.events)}"))

    def move(self, action: int | str | None = None) -> Json:
        """The first legal action, unless another one is given."""
        if action is None:
            action = self.look()["view"]["legal"][0]["action"]
        path = f"/v1/matches/{self.id}/moves?since={len(self.events)}"
        return self._take(self.client.post(path, {"action": action}, self.token))

    def _take(self, answer: Any) -> Json:
        assert answer.status == 200, answer.text
        self.state = answer.json()
        self.events += self.state["events"]
        assert len(self.events) == self.state["next"]
        return self.state


def begin(client: Client, *seats: str, **more: Any) -> list[Player]:
    """A new match; its persons."""
    answer = client.post("/v1/matches", {"seats": seats, **more})
    assert answer.status == 201, answer.text
    match = answer.json()
    assert [seat["token"] is not None for seat in match["seats"]] == [s == "person" for s in seats]
    return [Player(client, match, seat) for seat, name in enumerate(seats) if name == "person"]


def play_out(player: Player) -> Json:
    while not player.look()["over"]:
        assert player.state["to_move"]
        player.move()
    return player.state


SHORT: dict[str, Json] = {
    "sixth_card": {"num_rounds": 2},
    "six_nimmt": {"num_rounds": 1, "row_choice": "cheapest"},
    "sixes_chips": {"num_rounds": 2},
    "sixes_golf": {"num_rounds": 1, "max_turns": 40},
}


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_to_its_end(client: Client, game: str) -> None:
    rules = {"game": game, "rules": SHORT[game], "seed": 4}
    (player,) = begin(client, "random", "person", "mc:1", **rules)
    assert player.look()["player"] == 1
    assert player.get("/replay").status == 409
    state = play_out(player)
    assert state["result"]["totals"] and not state["waiting_for"]
    assert player.events[0]["type"] == "deal"
    assert player.client.post(f"/v1/matches/{player.id}/moves", {"action": 0}).status == 401
    refused = client.post(f"/v1/matches/{player.id}/moves", {"action": 0}, player.token)
    assert (refused.status, refused.field()) == (409, "action")
    replay = Replay.read(player.get("/replay").json())
    last = replay.verify()
    assert last["rules"] == state["view"]["rules"] and last["phase"] == state["view"]["phase"]
    assert replay.stream.seed == 4


def test_the_seed_decides_everything(client: Client) -> None:
    rules = {"rules": SHORT["sixth_card"], "seed": 11}
    stories = []
    for _ in range(2):
        (player,) = begin(client, "person", "random", "mc:2", **rules)
        play_out(player)
        stories.append(player.events)
    assert stories[0] == stories[1]


def test_a_seat_is_told_nothing_that_is_hidden(client: Client) -> None:
    first, second = begin(client, "person", "person", "closest", seed=2)
    before = second.look()
    own = first.look()["view"]
    assert [isinstance(hand, int) for hand in own["hands"]] == [False, True, True]
    assert own["stock"] == before["view"]["stock"] == 18
    card = own["legal"][3]["name"]
    after = first.move(card)
    assert after["waiting_for"] == [1] and not after["to_move"]
    assert after["view"]["chosen"] == [card.removeprefix("play "), 0, 0]
    assert [option["name"] for option in after["view"]["legal"]] == ["wait"]
    told = second.look()
    assert told["view"]["chosen"] == [1, None, 0] and told["view"]["hands"][0] == 10
    assert told["events"] == [] and card not in str(told["view"]["chosen"])
    refused = client.post(f"/v1/matches/{first.id}/moves", {"action": card}, first.token)
    assert (refused.status, refused.field()) == (409, "action")
    second.move()
    assert first.look()["view"]["turn"] == 2 or first.state["view"]["phase"] == "row"
    hands = [event["hands"] for event in (first.events[0], second.events[0])]
    assert hands[0][1:] == [10, 10] and hands[1][::2] == [10, 10]


def test_a_drawn_card_is_its_drawers_alone(client: Client) -> None:
    first, second = begin(client, "person", "person", game="sixes_golf", seed=1)
    players = {0: first, 1: second}
    for _ in range(4):
        players[first.look()["waiting_for"][0]].move()
    drawer = players[first.look()["waiting_for"][0]]
    drawer.move("draw")
    watcher = players[1 - drawer.seat]
    assert drawer.state["view"]["drawn"] not in (None, "hidden")
    assert watcher.look()["view"]["drawn"] == "hidden"
    assert watcher.events[-1]["card"] == "hidden"


def test_moves_are_made_by_name_or_number_and_once(client: Client) -> None:
    (player,) = begin(client, "person", "lowest", seed=6)
    path = f"/v1/matches/{player.id}/moves"
    legal = player.look()["view"]["legal"]
    for wrong in (99, -1, "play ZZ", "wait", 10**30):
        refused = client.post(path, {"action": wrong}, player.token)
        assert (refused.status, refused.field()) == (409, "action")
    for body, field in (({}, "action"), ({"action": 1.5}, "action"), ({"action": None}, "action")):
        refused = client.post(path, body, player.token)
        assert refused.status == 422 and refused.field().startswith(field)
    assert player.look()["version"] == 0
    body = {"action": legal[0]["name"], "version": 0}
    assert client.post(path, body, player.token).status == 200
    again = client.post(path, body, player.token)
    assert (again.status, again.field()) == (409, "version")


def test_a_hint_tells_what_each_action_may_cost(client: Client) -> None:
    (player,) = begin(client, "person", "lowest", seed=6)
    hint = player.get("/hint?opponent=mc:30").json()
    assert hint["opponent"] == "mc:30" and hint["unit"] == "points" and hint["version"] == 0
    assert {option["action"] for option in hint["legal"]} == {
        option["action"] for option in player.look()["view"]["legal"]
    }
    best = min(hint["legal"], key=lambda option: option["expected"])
    assert best["action"] == hint["action"]
    assert player.get("/hint?opponent=nobody").field() == "opponent"
    play_out(player)
    assert player.get("/hint").status == 409


def test_tokens_open_their_own_seat_alone(client: Client) -> None:
    first, second = begin(client, "person", "person")
    (stranger,) = begin(client, "person", "lowest")
    path = f"/v1/matches/{first.id}"
    assert client.get(path).status == 401
    assert client.get(path, "nonsense").status == 403
    assert client.get(path, stranger.token).status == 403
    assert client.get(f"{path}?token={second.token}").json()["player"] == 1
    assert client.get("/v1/matches/nothing", first.token).status == 404
    for more in ("/hint", "/replay", "/stream"):
        assert client.get(path + more, stranger.token).status == 403
    assert client.send("DELETE", path, token=stranger.token).status == 403
    assert client.get(f"{path}?since=-1", first.token).field() == "since"
    assert client.get(f"{path}?since=x", first.token).field() == "since"
    assert client.send("DELETE", path, token=second.token).status == 204
    assert client.get(path, first.token).status == 404


REQUESTS: list[tuple[Json, int, str]] = [
    ({}, 422, "seats"),
    ({"seats": []}, 422, "seats"),
    ({"seats": ["person"]}, 422, "seats"),
    ({"seats": ["person"] * 11}, 422, "seats"),
    ({"seats": "person"}, 422, "seats"),
    ({"seats": ["lowest", "highest"]}, 422, "seats"),
    ({"seats": ["person", "nobody"]}, 422, "seats[1]"),
    ({"seats": ["person", "subprocess:true"]}, 422, "seats[1]"),
    ({"seats": ["person", 7]}, 422, "seats[1]"),
    ({"seats": ["person", "lowest"], "game": "whist"}, 404, "game"),
    ({"seats": ["person", "lowest"], "game": 7}, 422, "game"),
    ({"seats": ["person", "lowest"], "seed": -1}, 422, "seed"),
    ({"seats": ["person", "lowest"], "rules": {"decks": 9}}, 422, "rules"),
    ({"seats": ["person", "lowest"], "rules": {"num_players": 3}}, 422, "rules"),
    ({"seats": ["person", "lowest"], "rules": {"colour": 1}}, 422, "rules"),
    ({"seats": ["person", "lowest"], "rules": 3}, 422, "rules"),
    ({"seats": ["person", "lowest"], "colour": 3}, 422, "colour"),
]


@pytest.mark.parametrize(("body", "status", "field"), REQUESTS)
def test_impossible_matches_are_refused(
    client: Client, body: Json, status: int, field: str
) -> None:
    answer = client.post("/v1/matches", body)
    assert (answer.status, answer.field()) == (status, field), answer.text


# --- Streams --------------------------------------------------------------------------------------


def test_a_stream_tells_of_every_change(client: Client) -> None:
    rules = {"num_rounds": 1, "row_choice": "cheapest"}
    first, second = begin(client, "person", "person", "random", rules=rules)
    told: list[Json] = []
    path = f"/v1/matches/{first.id}/stream?token={first.token}"
    reader = threading.Thread(target=lambda: told.extend(stream(client.port, path)))
    reader.start()
    while not told:
        time.sleep(0.01)
    while not second.look()["over"]:
        for player in (first, second):
            player.move()
    reader.join(60)
    assert told[-1]["over"] and {state["player"] for state in told} == {0}
    versions = [state["version"] for state in told]
    assert versions == sorted(set(versions)) and len(versions) > 5
    events = [event for state in told for event in state["events"]]
    first.look()
    assert events == first.events
    assert any(state["view"]["chosen"][0] is not None for state in told)


def test_streams_are_limited(client: Client) -> None:
    (player,) = begin(client, "person", "lowest")
    path = f"/v1/matches/{player.id}/stream?token={player.token}"
    readers = [stream(client.port, path) for _ in range(3)]
    for reader in readers:
        assert next(reader)["version"] == 0
    assert client.get(path).status == 503
    for reader in readers:
        reader.close()  # type: ignore[attr-defined]
    client.send("DELETE", f"/v1/matches/{player.id}", token=player.token)


# --- Limits ---------------------------------------------------------------------------------------


def test_matches_and_their_steps_are_limited() -> None:
    with serving(max_matches=2, max_steps=3) as client:
        (player,) = begin(client, "person", "lowest", rules={"row_choice": "cheapest"})
        for _ in range(3):
            player.move()
        refused = client.post(f"/v1/matches/{player.id}/moves", {"action": 0}, player.token)
        assert refused.status == 409 and "3 steps, the limit" in refused.text
        begin(client, "person", "lowest")
        full = client.post("/v1/matches", {"seats": ["person", "lowest"]})
        assert full.status == 503 and full.field() == ""
        client.send("DELETE", f"/v1/matches/{player.id}", token=player.token)
        begin(client, "person", "lowest")


def test_matches_that_nobody_comes_to_are_forgotten(tmp_path: Path) -> None:
    with serving(max_idle=0.2, database=tmp_path / "db") as client:
        (player,) = begin(client, "person", "lowest")
        player.look()
        time.sleep(0.5)
        assert player.get().status == 404
        assert "sixth_env_hosted_matches 0" in client.get("/metrics").text


def test_slow_opponents_are_stood_in_for_and_that_is_told() -> None:
    with serving(
        opponents=("slow=tests.server_opponents:sleeps",), decision_seconds=0.05
    ) as client:
        (player,) = begin(client, "person", "slow", rules={"row_choice": "cheapest"})
        player.move()
        (note,) = player.state["notes"]
        assert (note["player"], note["step"]) == (1, 0) and "cautious decided" in note["note"]


def test_many_matches_at_once_are_not_mixed(client: Client) -> None:
    rules = {"num_rounds": 1, "row_choice": "cheapest"}

    def play(seed: int) -> list[Json]:
        own = Client(client.port)
        (player,) = begin(own, "person", "random", "mc:1", rules=rules, seed=seed)
        play_out(player)
        own.close()
        return player.events

    alone = [play(seed) for seed in range(6)]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(play, range(6))) == alone
    assert len({str(events) for events in alone}) == 6


def test_two_moves_of_one_seat_at_once_are_one(client: Client) -> None:
    first, second = begin(client, "person", "person", rules={"row_choice": "cheapest"})
    legal = first.look()["view"]["legal"]

    def move(option: Json) -> int:
        own = Client(client.port)
        body = {"action": option["action"], "version": 0}
        status = own.post(f"/v1/matches/{first.id}/moves", body, first.token).status
        own.close()
        return status

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(move, legal[:4])) == [200, 409, 409, 409]
    second.move()
    assert first.look()["view"]["turn"] == 2


# --- What a kill leaves ---------------------------------------------------------------------------


class Process:
    """A server in a process of its own."""

    def __init__(self, database: Path) -> None:
        command = [sys.executable, "-m", "sixth_env", "serve", "--port", "0", "--no-warm-up"]
        self._process = subprocess.Popen(
            [*command, "--database", str(database), "--decision-seconds", "60"],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr is not None
        first = self._process.stderr.readline()
        assert "sixth_env serves http://127.0.0.1:" in first, first + self._process.stderr.read()
        self.client = Client(int(first.split("127.0.0.1:")[1].split("/")[0]))
        self._log = threading.Thread(target=self._process.stderr.read)
        self._log.start()

    def end(self, how: signal.Signals) -> int:
        self.client.close()
        self._process.send_signal(how)
        code = self._process.wait(60)
        self._log.join()
        assert self._process.stderr is not None
        self._process.stderr.close()
        return code


def test_after_a_kill_in_mid_match_it_goes_on(tmp_path: Path) -> None:
    database = tmp_path / "matches.sqlite"
    server = Process(database)
    first, second = begin(server.client, "person", "person", "random", seed=8)
    for _ in range(2):
        for player in (first, second):
            if player.look()["to_move"]:
                player.move()
    committed = first if first.look()["to_move"] else second
    committed.move()
    states = [player.look() for player in (first, second)]
    events = [list(player.events) for player in (first, second)]
    server.end(signal.SIGKILL)
    server = Process(database)
    for player in (first, second):
        player.client, player.events = server.client, []
    assert [without_events(player.look()) for player in (first, second)] == [
        without_events(state) for state in states
    ]
    assert [player.events for player in (first, second)] == events
    while not first.look()["over"]:
        for player in (first, second):
            if player.look()["to_move"]:
                player.move()
    Replay.read(first.get("/replay").json()).verify()
    assert database.read_bytes().find(first.token.encode()) < 0
    assert server.end(signal.SIGINT) in (0, -signal.SIGINT, 130)


def without_events(state: Json) -> Json:
    return {name: value for name, value in state.items() if name != "events"}


def test_an_opponent_that_is_gone_after_a_restart_is_stood_in_for(tmp_path: Path) -> None:
    database, rules = tmp_path / "db", {"rules": {"row_choice": "cheapest"}}
    with serving(opponents=("mine=lowest",), database=database) as client:
        (player,) = begin(client, "person", "mine", **rules)
        player.move()
    with serving(database=database) as client:
        player.client = client
        player.move()
        assert "mine is not offered any more" in player.state["notes"][0]["note"]


def test_files_of_something_else_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, whatever it is called\n" * 100)
    with pytest.raises(ConfigError, match="cannot be used for hosted matches"):
        Store(tmp_path / "text")
    with pytest.raises(ConfigError, match="cannot be used for hosted matches"):
        Store(tmp_path / "no" / "folder")
    store = Store(tmp_path / "db")
    with pytest.raises(ConfigError, match=r"cannot be used for hosted matches: .*locked"):
        Store(tmp_path / "db")
    store._file.execute("PRAGMA user_version = 99")
    store.close()
    with pytest.raises(ConfigError, match="no file of hosted matches of this version"):
        Store(tmp_path / "db")


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(ConfigError, match="max_matches must be above 0, not 0"):
        Settings(max_matches=0)
    for named in ("lowest", "=lowest", "mine="):
        with pytest.raises(OpponentError, match="must be NAME=SPEC"):
            create_app(Settings(opponents=(named,)))
    with pytest.raises(OpponentError, match="'mine=nobody': unknown opponent"):
        create_app(Settings(opponents=("mine=nobody",)))
