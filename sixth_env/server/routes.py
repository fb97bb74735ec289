"""What the server does with each request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from sixth_env import notation
from sixth_env.errors import ConfigError, OpponentError
from sixth_env.games import GAMES, get_game
from sixth_env.games.base import Game
from sixth_env.server import acting, bodies
from sixth_env.server.lobby import FullError
from sixth_env.server.matches import HostedMatch, MoveError
from sixth_env.server.service import RefusedError, Service

Json = dict[str, Any]
PERSON = "person"
FOR_WORKERS = 32  # views of a request that is worth the way to another process
KEEP_ALIVE = 15.0  # seconds between signs of life in a stream

router = APIRouter(
    responses={422: {"model": bodies.ProblemAnswer}, 404: {"model": bodies.ProblemAnswer}}
)
Token = Annotated[str | None, Query(max_length=200)]
Authorization = Annotated[str | None, Header(max_length=300)]
Since = Annotated[int, Query(ge=0, le=10**9, description="how many events are known already")]


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _json(value: object, status: int = 200) -> Response:
    return Response(acting.text(value), status, media_type="application/json")


def _game(name: str) -> Game:
    try:
        return get_game(name)
    except ConfigError as error:
        raise RefusedError(404, "game", str(error)) from None


# --- What there is --------------------------------------------------------------------------------


@router.get("/v1/games")
def games(request: Request) -> Response:
    """The games, with their default rules and the names of their actions."""
    about = [_about(game) for game in GAMES.values()]
    return _json({"version": _service(request).settings.version, "games": about})


@router.get("/v1/games/{game}")
def one_game(game: str) -> Response:
    """A game, with the table of its observations too."""
    which = _game(game)
    table = {"hash": which.table.hash, "size": which.table.size, "blocks": which.table.to_dict()}
    return _json({**_about(which), "observation": table})


def _about(game: Game) -> Json:
    return {
        "game": game.id,
        "title": game.title,
        "version": game.version,
        "players": [2, game.max_players],
        "simultaneous": game.simultaneous,
        "unit": game.unit,
        "rules": game.rules().to_dict(),
        "actions": [game.action_name(action) for action in range(game.num_actions)],
    }


@router.get("/v1/schemas/{game}/{kind}")
def json_schema(game: str, kind: str) -> Response:
    """The JSON Schema of a game's ``position``, ``view`` or ``replay``."""
    _game(game)
    try:
        return _json(notation.schema(game, kind))
    except ConfigError as error:
        raise RefusedError(404, "kind", str(error)) from None


@router.get("/v1/opponents")
def opponents(request: Request, game: str | None = None) -> Response:
    """The opponents of a game, or of all."""
    chosen = list(GAMES.values()) if game is None else [_game(game)]
    describe = _service(request).catalogue.describe
    return _json({"opponents": [entry for which in chosen for entry in describe(which)]})


# --- Decisions ------------------------------------------------------------------------------------


@router.post("/v1/act", response_model=bodies.ActAnswer)
async def act(request: Request, body: bodies.ActRequest) -> Response:
    """An opponent's decision for each view. The answer depends on the request alone."""
    service = _service(request)
    if len(body.views or ()) >= FOR_WORKERS and service.workers is not None:
        raw = await request.body()
        done = await run_in_threadpool(service.workers.act, raw)
    else:
        done = await run_in_threadpool(acting.act, service, body)
    return Response(done, media_type="application/json")


# --- Hosted matches -------------------------------------------------------------------------------


@router.post("/v1/matches", status_code=201, response_model=bodies.NewMatch)
def begin(request: Request, body: bodies.MatchRequest) -> Response:
    """Begin a match; each person's token is told now, and never again."""
    service = _service(request)
    game = _game(body.game)
    rules = _rules(game, body)
    seats: list[str | None] = []
    for player, name in enumerate(body.seats):
        try:
            found = None if name == PERSON else service.catalogue.find(game, name)[0]
        except OpponentError as error:
            raise RefusedError(422, f"seats[{player}]", str(error)) from None
        seats.append(found)
    if None not in seats:
        raise RefusedError(422, "seats", "one seat at least must be a 'person'")
    try:
        match, hosted, tokens = service.lobby.begin(game.id, rules.to_dict(), seats, body.seed)
    except FullError as error:
        raise RefusedError(503, "", str(error)) from None
    service.metrics.add("matches", game=game.id)
    taken = [
        {**seat.public(), "player": player, "token": token}
        for player, (seat, token) in enumerate(zip(hosted.record.seats, tokens, strict=True))
    ]
    answer = {"id": match, "game": game.id, "rules": rules.to_dict()}
    return _json({**answer, "seed": hosted.record.seed, "seats": taken}, 201)


def _rules(game: Game, body: bodies.MatchRequest) -> Any:
    """The rule set of a match that is to begin."""
    config = {name: value for name, value in body.rules.items() if name != "game"}
    players = config.setdefault("num_players", len(body.seats))
    if players != len(body.seats):
        raise RefusedError(
            422, "rules", f"num_players is {players!r}, but seats are {len(body.seats)}"
        )
    try:
        return game.make_rules(config)
    except (ConfigError, TypeError) as error:
        raise RefusedError(422, "rules", str(error)) from None


def _seat(
    request: Request, match: str, token: str | None, authorization: str | None
) -> tuple[HostedMatch, int]:
    """The match, and the seat whose token was given."""
    if authorization is not None and authorization.startswith("Bearer "):
        token = authorization.removeprefix("Bearer ")
    if token is None:
        raise RefusedError(
            401, "token", "a token is needed: Authorization: Bearer TOKEN, or ?token="
        )
    hosted = _service(request).lobby.find(match)
    if hosted is None:
        raise RefusedError(404, "match", "there is no such match, or it was forgotten")
    player = hosted.seat_of(token)
    if player is None:
        raise RefusedError(403, "token", "the token is of no seat of this match")
    return hosted, player


@router.get("/v1/matches/{match}", response_model=bodies.State)
def state(
    request: Request,
    match: str,
    since: Since = 0,
    token: Token = None,
    authorization: Authorization = None,
) -> Response:
    """What a seat may know, and the events from number ``since`` on."""
    hosted, player = _seat(request, match, token, authorization)
    return _json({"id": match, **hosted.state(player, since)})


@router.post("/v1/matches/{match}/moves", response_model=bodies.State)
def move(
    request: Request,
    match: str,
    body: bodies.MoveRequest,
    since: Since = 0,
    token: Token = None,
    authorization: Authorization = None,
) -> Response:
    """Make a move; the answer comes when the opponents have moved too."""
    hosted, player = _seat(request, match, token, authorization)
    try:
        hosted.move(player, body.action, body.version)
    except MoveError as error:
        raise RefusedError(409, error.field, str(error)) from None
    _service(request).metrics.add("moves", game=hosted.game.id)
    return _json({"id": match, **hosted.state(player, since)})


@router.get("/v1/matches/{match}/hint", response_model=bodies.HintAnswer)
def hint(
    request: Request,
    match: str,
    opponent: Annotated[str | None, Query(max_length=100)] = None,
    token: Token = None,
    authorization: Authorization = None,
) -> Response:
    """What an opponent would do in this seat, with what it thinks of each legal action."""
    hosted, player = _seat(request, match, token, authorization)
    service, game, version = _service(request), hosted.game, hosted.version
    asked = hosted.question(player)
    if asked is None:
        raise RefusedError(409, "", "this seat has nothing to decide now")
    try:
        name, who = service.catalogue.find(game, opponent or service.settings.hint)
    except OpponentError as error:
        raise RefusedError(404, "opponent", str(error)) from None
    decisions = service.decider.decide(game, name, who, asked, explain=True)
    (decision,) = acting.decisions_of(game, asked, decisions)
    more = {"opponent": name, "unit": game.unit, "note": decisions.note, "version": version}
    return _json({**decision, **more})


@router.get("/v1/matches/{match}/replay")
def replay(
    request: Request, match: str, token: Token = None, authorization: Authorization = None
) -> Response:
    """The whole match with all that was hidden, once it is over."""
    hosted, _ = _seat(request, match, token, authorization)
    told = hosted.replay()
    if told is None:
        raise RefusedError(409, "", "the match is not over: a replay shows all that is hidden")
    return _json(told)


@router.delete("/v1/matches/{match}", status_code=204)
def leave(
    request: Request, match: str, token: Token = None, authorization: Authorization = None
) -> Response:
    """Forget a match; any of its persons may."""
    _seat(request, match, token, authorization)
    _service(request).lobby.forget(match)
    return Response(status_code=204)


@router.get("/v1/matches/{match}/stream")
async def stream(
    request: Request,
    match: str,
    since: Since = 0,
    token: Token = None,
    authorization: Authorization = None,
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """Server-sent events: the state now and after each change, each with the events since."""
    hosted, player = await run_in_threadpool(_seat, request, match, token, authorization)
    if last_event_id is not None and last_event_id.isdecimal():  # a browser comes back
        since = int(last_event_id)
    lobby = _service(request).lobby
    try:
        listener = lobby.listen(match)
    except FullError as error:
        raise RefusedError(503, "", str(error)) from None

    async def states() -> AsyncIterator[str]:
        known, version = since, -1
        try:
            while True:
                told = await run_in_threadpool(hosted.state, player, known)
                if told["version"] != version:
                    known, version = told["next"], told["version"]
                    text = acting.text({"id": match, **told})
                    yield f"id: {known}\ndata: {text}\n\n"
                if told["over"]:
                    return
                while not await listener.wait(KEEP_ALIVE):
                    yield ": still here\n\n"
                if await run_in_threadpool(lobby.find, match) is None:
                    return
        finally:
            lobby.leave(match, listener)

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(states(), media_type="text/event-stream", headers=headers)


# --- For whoever runs the server ------------------------------------------------------------------


@router.get("/healthz")
def healthy() -> Response:
    """The process answers."""
    return _json({"status": "ok"})


@router.get("/readyz")
def ready(request: Request) -> Response:
    """Everything is compiled and loaded, so that decisions are quick."""
    if not _service(request).ready.is_set():
        raise RefusedError(503, "", "the server is warming up")
    return _json({"status": "ready"})


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Counters in Prometheus' text format."""
    service = _service(request)
    return PlainTextResponse(service.metrics.text(hosted_matches=len(service.lobby)))
