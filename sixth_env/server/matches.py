"""One hosted match: persons and opponents at a table, each seat told what it may know."""

from __future__ import annotations

import hashlib
import hmac
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sixth_env.engine import Engine
from sixth_env.games.base import Game
from sixth_env.games.cards import card_name
from sixth_env.notation import Replay
from sixth_env.rng import fold
from sixth_env.server.decide import Decider, Questions

Json = dict[str, Any]
_DECISIONS = 2**63  # the stream of the opponents' seeds: a word that no game index reaches


class MoveError(Exception):
    """A move that cannot be made now; ``field`` is the wrong one of the request."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Seat:
    """Who sits somewhere: an opponent by name, or a person by the digest of a token."""

    opponent: str | None = None
    token: str | None = None

    def to_dict(self) -> Json:
        """As plain values, for the file."""
        return {"opponent": self.opponent, "token": self.token}

    def public(self) -> Json:
        """As anybody may know it."""
        kind = "person" if self.opponent is None else "opponent"
        return {"kind": kind, "opponent": self.opponent}


def digest(token: str) -> str:
    """What is kept of a token: it cannot be read from the file."""
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass
class Record:
    """All that brings a match back, as far as it has come: what a file keeps of it."""

    game: str
    rules: Json
    seed: int
    seats: list[Seat]
    actions: list[list[int]] = field(default_factory=list)
    """(K,) of each step"""
    committed: dict[int, int] = field(default_factory=dict)
    """by seat, the action that a person has chosen and that waits for the others"""
    notes: list[Json] = field(default_factory=list)
    """``{"step", "player", "note"}`` where the fallback stepped in"""


class HostedMatch:
    """A match in progress.

    Args:
        record: what is known of it; its steps are played again.
        decider: asks the opponents.
        max_steps: after so many no move is taken any more.
        changed: called after each change that a reader might see.
    """

    def __init__(
        self,
        record: Record,
        decider: Decider,
        max_steps: int,
        changed: Callable[[HostedMatch], None],
    ) -> None:
        self.record, self.max_steps = record, max_steps
        self._decider, self._changed = decider, changed
        config = {name: value for name, value in record.rules.items() if name != "game"}
        self._engine = engine = Engine(record.game, 1, seed=record.seed, **config)
        self.game: Game = engine.game
        self._log = engine.new_log()
        engine.reset(record.seed, log=self._log)  # the same deal once more, this time with a log
        self._events: list[Json] = engine.events(self._log)
        self._replay = Replay.begin(engine)
        self._over = False
        self._data, self._mover = threading.Lock(), threading.Lock()
        rows = (1, engine.seats_per_step)
        self._arrays = (
            np.zeros((*rows, self.game.observation_size), np.int16),
            np.zeros((*rows, self.game.num_actions), np.int8),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.bool_),
        )
        for actions in record.actions:
            self._step(actions)
        engine.observe(*self._arrays)

    # --- What a seat may know -------------------------------------------------------------------

    def seat_of(self, token: str) -> int | None:
        """Whose token this is."""
        given = digest(token)
        for player, seat in enumerate(self.record.seats):
            if seat.token is not None and hmac.compare_digest(seat.token, given):
                return player
        return None

    @property
    def version(self) -> int:
        """A number that grows with every change."""
        players = len(self.record.seats)
        return len(self.record.actions) * (players + 1) + len(self.record.committed)

    def state(self, player: int, since: int = 0) -> Json:
        """What a seat may know: its view, and the events from number ``since`` on."""
        with self._data:
            view = self._view(player)
            events = self._events[since:]
            event_view = self.game.notation.event_view
            waiting = self._waiting()
            return {
                "version": self.version,
                "player": player,
                "seats": [seat.public() for seat in self.record.seats],
                "view": view,
                "events": [event_view(event, player) for event in events],
                "next": len(self._events),
                "to_move": player in waiting,
                "waiting_for": waiting,
                "over": self._over,
                "result": self._result() if self._over else None,
                "notes": list(self.record.notes),
            }

    def question(self, player: int) -> Questions | None:
        """What a person has to decide now, None if nothing."""
        with self._data:
            if player not in self._waiting():
                return None
            columns, masks, seat, _ = self._arrays
            k = int(np.flatnonzero(seat[0] == player)[0])
            return self._questions([k], columns, masks)

    def replay(self) -> Json | None:
        """The whole truth, once the match is over."""
        with self._data:
            return self._replay.to_dict() if self._over else None

    def _view(self, player: int) -> Json:
        position = self._engine.position()
        if "chosen" in position:
            for seat, action in self.record.committed.items():
                position["chosen"][seat] = card_name(self.game.id, action)
        legal = self._engine.legal_actions(0, player)
        if player in self.record.committed or self._over:
            legal = [self.game.wait]
        return {**self.game.notation.view(position, player), "legal": self.game.legal(legal)}

    def _deciding(self) -> list[int]:
        """The seats that have something to decide."""
        if self._over:
            return []
        _, _, seat, acting = self._arrays
        return [int(player) for player in seat[0][acting[0]]]

    def _waiting(self) -> list[int]:
        """The persons whose decision is waited for."""
        seats, committed = self.record.seats, self.record.committed
        deciding = self._deciding()
        return [p for p in deciding if seats[p].opponent is None and p not in committed]

    def _result(self) -> Json:
        """Totals, and who has won: nobody if the match was cut off."""
        engine, game = self._engine, self.game
        state, players = engine.states[0], range(engine.num_players)
        totals = [int(state["totals"][seat]) for seat in players]
        if game.cut_off(engine.position()):
            return {"totals": totals, "winners": [], "cut_off": True}
        rules = game.rules_record(engine.rules)
        scores = [int(game.kernels.score(state, rules, seat)) for seat in players]
        winners = [seat for seat in players if scores[seat] == max(scores)]
        return {"totals": totals, "winners": winners, "cut_off": False}

    # --- Moves ------------------------------------------------------------------------------------

    def move(self, player: int, action: int | str, version: int | None) -> None:
        """A person's move, and all that follows until a person has to decide again.

        Raises:
            MoveError: it is not legal, or not this seat's turn; nothing has changed.
        """
        with self._mover:
            with self._data:
                self._commit(player, action, version)
            self._changed(self)
            self._play_on()

    def play_on(self) -> None:
        """Let opponents play until a person has to decide."""
        with self._mover:
            self._play_on()

    def _commit(self, player: int, action: int | str, version: int | None) -> None:
        if version is not None and version != self.version:
            raise MoveError("version", f"the match is at version {self.version}, not {version}")
        if self._over:
            raise MoveError("action", "the match is over")
        if len(self.record.actions) >= self.max_steps:
            raise MoveError("action", f"the match has reached {self.max_steps} steps, the limit")
        if player in self.record.committed:
            raise MoveError("action", "this seat has moved already: the others are waited for")
        if player not in self._waiting():
            raise MoveError("action", "it is not this seat's turn")
        legal = self.game.legal(self._engine.legal_actions(0, player))
        for option in legal:
            if action in (option["action"], option["name"]):
                self.record.committed[player] = option["action"]
                return
        options = ", ".join(f"{option['action']} ({option['name']})" for option in legal)
        raise MoveError("action", f"{action!r} is not legal now: legal are {options}")

    def _play_on(self) -> None:
        while not (self._over or self._waiting() or len(self.record.actions) >= self.max_steps):
            actions, notes = self._decide()
            with self._data:
                self.record.notes += notes
                self.record.actions.append(actions)
                self.record.committed.clear()
                self._step(actions)
                self._engine.observe(*self._arrays)
            self._changed(self)

    def _decide(self) -> tuple[list[int], list[Json]]:
        """The actions (K,) of a step: of persons as committed, of opponents as they decide."""
        columns, masks, seat, acting = self._arrays
        actions, notes = [self.game.wait] * seat.shape[1], list[Json]()
        for k, player in enumerate(seat[0].tolist()):
            if not acting[0, k]:
                continue
            name = self.record.seats[player].opponent
            if name is None:
                actions[k] = self.record.committed[player]
                continue
            asked = self._questions([k], columns, masks)
            decision = self._decider.decide_for(self.game, name, asked)
            actions[k] = int(decision.actions[0])
            if decision.note is not None:
                step = len(self.record.actions)
                notes.append({"step": step, "player": player, "note": decision.note})
        return actions, notes

    def _questions(self, rows: Sequence[int], columns: Any, masks: Any) -> Questions:
        """Rows of the step as questions, each with a seed of its own."""
        seats = self._arrays[2][0, rows]
        with np.errstate(over="ignore"):
            stream = fold(fold(np.uint64(self.record.seed), _DECISIONS), len(self.record.actions))
            seeds = np.array([fold(stream, seat) for seat in seats], np.uint64)
        return Questions(columns[0, rows], masks[0, rows], seeds, seats)

    def _step(self, actions: Sequence[int]) -> None:
        self._engine.step([actions], log=self._log)
        self._events += self._engine.events(self._log)
        self._replay.record(actions)
        self._over = bool(self._engine.done()[0])
