"""Decisions for views: from a request to its answer, in this process or in another one."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from sixth_env.errors import ConfigError, OpponentError
from sixth_env.games import get_game
from sixth_env.games.base import Game
from sixth_env.opponents.views import ViewError, observations_of
from sixth_env.server.bodies import ActRequest
from sixth_env.server.decide import Decisions, Questions
from sixth_env.server.service import RefusedError, Service

Json = dict[str, Any]


def text(value: object) -> str:
    """Plain values as JSON; FastAPI's own encoder takes ten times as long."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def act(service: Service, body: ActRequest) -> str:
    """The answer to a request.

    Raises:
        RefusedError: it cannot be fulfilled.
    """
    game, asked = _asked(service, body)
    try:
        name, opponent = service.catalogue.find(game, body.opponent)
    except OpponentError as error:
        raise RefusedError(404, "opponent", str(error)) from None
    decisions = service.decider.decide(game, name, opponent, asked, body.explain)
    answer = {"game": game.id, "opponent": name, "unit": game.unit, "note": decisions.note}
    return text({**answer, "actions": decisions_of(game, asked, decisions)})


def _asked(service: Service, body: ActRequest) -> tuple[Game, Questions]:
    """The game, and the decisions that are asked for."""
    if (body.view is None) == (body.views is None):
        raise RefusedError(422, "view", "either view or views is needed, and not both")
    views = [body.view] if body.views is None else body.views
    most = service.settings.max_views
    if len(views) > most:
        raise RefusedError(
            422, "views", f"there may be {most} views in a request, not {len(views)}"
        )
    first = "view" if body.views is None else "views[0]"
    assert isinstance(views[0], dict)
    try:
        game = get_game(views[0].get("game"))  # type: ignore[arg-type]
    except ConfigError as error:
        raise RefusedError(422, f"{first}.game", str(error)) from None
    try:
        columns, masks = observations_of(game, views)
    except ViewError as error:
        place = "view" if body.views is None else f"views[{error.row}]"
        field = f"{place}.{error.field}" if error.field else place
        raise RefusedError(422, field, str(error)) from None
    seeds = _seeds(body, columns)
    return game, Questions(columns, masks, seeds, np.zeros(len(views), np.int64))


def _seeds(body: ActRequest, columns: Any) -> Any:
    """The given seeds, or one for each row that its observation alone decides."""
    if body.seeds is not None:
        if body.seed is not None:
            raise RefusedError(422, "seeds", "seed and seeds cannot both be given")
        if len(body.seeds) != len(columns):
            wanted = f"there must be {len(columns)} seeds, one a view, not {len(body.seeds)}"
            raise RefusedError(422, "seeds", wanted)
        return np.array(body.seeds, np.uint64)
    if body.seed is not None:
        return np.full(len(columns), body.seed, np.uint64)
    digests = [hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in columns]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def decisions_of(game: Game, asked: Questions, decisions: Decisions) -> list[Json]:
    """What is answered for each view."""
    return [
        {
            "action": action,
            "name": game.action_name(action),
            "legal": _options(game, asked.masks[row], decisions, row),
        }
        for row, action in enumerate(decisions.actions.tolist())
    ]


def _options(game: Game, mask: Any, decisions: Decisions, row: int) -> list[Json]:
    """The legal actions with what the opponent thinks of them."""
    legal = np.flatnonzero(mask)
    options = game.legal(legal.tolist())
    if decisions.probabilities is not None:
        for option, p in zip(options, decisions.probabilities[row, legal].tolist(), strict=True):
            option["probability"] = round(p, 6)
    if decisions.values is not None:
        for option, value in zip(options, decisions.values[row, legal].tolist(), strict=True):
            option["expected"] = round(-value, 6) + 0.0  # no negative zero
    return options
