"""Opponents elsewhere: behind HTTP, or in a process of their own, in any language.

- ``http://HOST:PORT`` or ``https://…`` is asked by ``POST /v1/act``, many decisions in a request:
  ``{"opponent": NAME, "views": [...], "seeds": [...]}``, answered by ``{"actions": [{"action": n},
  ...]}``. ``sixth-env serve`` is such a server. ``?opponent=NAME`` says which of its opponents.
- ``subprocess:COMMAND`` is started once and sent one JSON line a decision, ``{"view": …, "seed":
  …}``, which it answers by a line ``{"action": n}``.

An action is given by number or by name. Views are those of ``docs/server.md``, the observer as
player 0. Where there is nothing to decide nobody is asked. ``timeout=SECONDS`` sets the time limit
of a decision: ``http://HOST?timeout=2``, ``subprocess?timeout=2:COMMAND``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import OpponentError
from sixth_env.games.base import Game
from sixth_env.opponents.base import Seeds, integer_columns, legal_actions, row_seeds
from sixth_env.opponents.views import Json, views_of

DEFAULT_TIMEOUT, MAX_TIMEOUT = 5.0, 3600.0  # seconds a decision

_SUBPROCESS = re.compile(r"subprocess(?:\?timeout=(?P<timeout>[^:]*))?:(?P<command>.*)", re.DOTALL)


class Link(Protocol):
    """How an opponent elsewhere is reached."""

    def answers(self, views: Sequence[Json], seeds: Sequence[int]) -> Sequence[object]:
        """What it says to each of N views, objects with an ``"action"``.

        Raises:
            OpponentError: it cannot be reached, takes too long, or says something else.
        """

    def close(self) -> None:
        """End the process or connection, if there is one."""


class RemoteOpponent:
    """Plays what somebody elsewhere answers to the view of each decision.

    Args:
        game: the game to be played.
        name: for reports.
        link: whom to ask.
    """

    def __init__(self, game: Game, name: str, link: Link) -> None:
        self.game, self.name, self._link = game, name, link

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """See :meth:`Opponent.act`; raises ``OpponentError`` too for a wrong answer, or none."""
        columns = integer_columns(self.game, observation)
        legal = legal_actions(self.game, action_mask, len(columns))
        keys = row_seeds(seeds, len(columns))
        actions: NDArray[np.int64] = legal.argmax(axis=1)
        asked = np.flatnonzero(legal.sum(axis=1) > 1)
        if len(asked):
            views = views_of(self.game, columns[asked], legal[asked])
            answers = self._link.answers(views, keys[asked].tolist())
            pairs = zip(answers, views, strict=True)
            actions[asked] = [_read_action(answer, view["legal"]) for answer, view in pairs]
        return actions

    def close(self) -> None:
        """End the process or connection; the next decision begins a new one."""
        self._link.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it is made of: each process has its own connection."""
        return load_remote, (self.name, self.game)

    def __deepcopy__(self, memo: dict[int, Any]) -> RemoteOpponent:
        """Itself: nothing is kept from one decision to the next."""
        return self


def _read_action(answer: object, legal: list[Json]) -> int:
    """The number of the legal action that an answer gives by number or name."""
    given = answer.get("action") if isinstance(answer, dict) else None
    if not isinstance(given, bool):
        for option in legal:
            if given in (option["action"], option["name"]) and not isinstance(given, float):
                return int(option["action"])
    options = ", ".join(f"{option['action']} ({option['name']})" for option in legal)
    raise OpponentError(
        f"the answer {_short(answer)} is no object with a legal 'action': legal were {options}"
    )


def _short(answer: object) -> str:
    text = repr(answer)
    return text if len(text) <= 100 else f"{text[:100]}…"


# --- Specs ----------------------------------------------------------------------------------------


def is_remote(spec: str) -> bool:
    """Whether a spec names an opponent elsewhere."""
    return spec.startswith(("http://", "https://", "subprocess:", "subprocess?"))


def load_remote(spec: str, game: Game) -> RemoteOpponent:
    """The opponent that a spec with :func:`is_remote` stands for; nobody is asked yet.

    Raises:
        OpponentError: the address or command is malformed, or there is no such command.
    """
    link = _process_link(spec) if spec.startswith("subprocess") else _http_link(spec)
    return RemoteOpponent(game, spec, link)


def _process_link(spec: str) -> Link:
    from sixth_env.opponents.remote_process import ProcessLink

    match = _SUBPROCESS.fullmatch(spec)
    if match is None:
        raise OpponentError(f"{spec!r} must be subprocess:COMMAND or subprocess?timeout=2:COMMAND")
    return ProcessLink(match["command"], _timeout(spec, match["timeout"]))


def _http_link(spec: str) -> Link:
    from sixth_env.opponents.remote_http import HttpLink

    try:
        url = urlsplit(spec)
        address = url.hostname, url.port
    except ValueError as error:
        raise OpponentError(f"{spec!r} is no address: {error}") from None
    if not address[0] or url.username is not None or url.fragment:
        raise OpponentError(f"{spec!r} must be like http://localhost:8000?opponent=NAME&timeout=2")
    options = dict(parse_qsl(url.query, keep_blank_values=True))
    timeout, opponent = options.pop("timeout", None), options.pop("opponent", None)
    if options:
        raise OpponentError(
            f"{spec!r} has an unknown option {next(iter(options))!r}: expected opponent or timeout"
        )
    return HttpLink(url.scheme, address[0], address[1], url.path, opponent, _timeout(spec, timeout))


def _timeout(spec: str, given: str | None) -> float:
    if given is None:
        return DEFAULT_TIMEOUT
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_TIMEOUT:
        raise OpponentError(
            f"{spec!r}: timeout must be above 0 and up to {MAX_TIMEOUT:g} seconds, not {given!r}"
        )
    return seconds
