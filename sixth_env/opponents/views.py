"""Observations as views and back, for opponents and front ends that speak JSON.

A view is what one seat may know, as plain values; an observation is the same as integer columns.
Whoever decides behind HTTP or in another process is sent views; a server is sent views and hands
observations to its opponents. Both directions pass through the kernels' record, so that what they
say is what the rules say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError, PositionError
from sixth_env.games.base import Game
from sixth_env.lift import Kernel, compiled

Json = dict[str, Any]


# --- From observations ----------------------------------------------------------------------------


def views_of(game: Game, columns: NDArray[np.int16], legal: NDArray[np.bool_]) -> list[Json]:
    """The view of each of N decisions, the observer as player 0.

    Made from the observation alone, so nothing hidden can be in it. The reward mode is not
    observed, and a deck that is dealt out is called exact.

    Args:
        game: the game played.
        columns: (N, D) integer observations that the engine has made.
        legal: (N, A) the legal actions.

    Raises:
        PositionError: a row contradicts itself so much that no rule set has it.
    """
    rule_sets = [_observed_rules(game, row) for row in columns]
    records, states = _records(game, rule_sets), np.zeros(len(columns), game.state)
    _lift_worlds(game)(columns, records, states)
    notation = game.notation
    return [
        {
            **notation.view(notation.position(rules, state), 0),
            "legal": game.legal(np.flatnonzero(actions).tolist()),
        }
        for rules, state, actions in zip(rule_sets, states, legal, strict=True)
    ]


def _observed_rules(game: Game, row: NDArray[np.int16]) -> Any:
    try:
        return game.notation.rules_of(lambda name: int(row[game.table.start(name)]))
    except ConfigError as error:
        raise PositionError(f"observation contradicts itself: {error}") from None


@cache
def _lift_worlds(game: Game) -> Kernel:
    source, determinize = game.source_hash, game.kernels.determinize

    def worlds(columns: Any, rules: Any, states: Any) -> None:
        """Write a position that agrees with each row of (N, D) into ``states`` (N,).

        ``rules`` (N,) records are overwritten by those in the observations.
        """
        source  # noqa: B018  # part of the cache's key
        for i in range(columns.shape[0]):
            determinize(columns[i], np.uint64(0), rules[i], states[i])

    return compiled(worlds)


# --- From views -----------------------------------------------------------------------------------


class ViewError(PositionError):
    """A view that is malformed or cannot arise.

    Attributes:
        row: which one it is of those given.
        field: where it is wrong, such as ``"hands[0]"``; empty if that is no single field.
    """

    def __init__(self, message: str, row: int) -> None:
        super().__init__(message)
        self.row = row
        match = _FIELD.match(message)
        self.field = match[1] if match else ""


_FIELD = re.compile(r"view (?!has )((?:rules\.)?[a-z_]+(?:\[\d+\]|\.[A-Za-z_]+)*)(?=[:,]? )")


def observations_of(
    game: Game, views: Sequence[object]
) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """The observations (N, D) and action masks (N, A) of the players of N views.

    Of ``"rules"`` what is left out is the default for the view's number of players. Facts that the
    player cannot know, where a position has them, are not looked at: other hands and the stock
    count by their size only, and face-down cards not at all.

    Raises:
        ViewError: a view is malformed, or contradicts itself, its rules or the legal actions that
            it lists.
    """
    states, seats = np.zeros(len(views), game.state), np.zeros(len(views), np.int64)
    rule_sets, committed = [], []
    for row, view in enumerate(views):
        try:
            rules, known = _read(game, view)
            game.notation.load_view(rules, known, states[row])
        except PositionError as error:
            raise ViewError(_of_view(error), row) from None
        seats[row] = known["player"]
        chosen = known.get("chosen")
        committed.append(chosen is not None and chosen[known["player"]] is not None)
        rule_sets.append(rules)
    columns = np.zeros((len(views), game.observation_size), np.int16)
    masks = np.zeros((len(views), game.num_actions), np.int8)
    _lift_look(game)(states, _records(game, rule_sets), seats, columns, masks)
    masks[committed] = np.arange(game.num_actions) == game.wait
    for row, view in enumerate(views):
        _check_legal(game, view, masks[row], row)
    return columns, masks


def _of_view(error: PositionError) -> str:
    """What is wrong with a view, whose hidden cards were filled in to see that."""
    text = str(error)
    return f"view {text.removeprefix('position ')}" if text.startswith("position ") else text


def _read(game: Game, view: object) -> tuple[Any, Json]:
    """A view's rule set, and the view without it and without what its player cannot know."""
    if not isinstance(view, dict):
        raise PositionError(f"view must be an object, not {type(view).__name__}")
    if view.get("game") != game.id:
        raise PositionError(f"view game must be {game.id!r}, not {view.get('game')!r}")
    given = view.get("rules", {})
    if not isinstance(given, dict):
        raise PositionError("view rules must be an object")
    if given.get("game", game.id) != game.id:
        raise PositionError(f"view rules.game must be {game.id!r}, not {given['game']!r}")
    config = {name: value for name, value in given.items() if name != "game"}
    if "num_players" not in config:
        config["num_players"] = players = view.get("players")
        if not isinstance(players, int) or isinstance(players, bool):
            raise PositionError(f"view players must be a whole number, not {players!r}")
    try:
        rules = _rule_set(game, json.dumps(config))
    except (ConfigError, TypeError) as error:
        raise PositionError(f"view rules: {error}") from None
    known = {name: value for name, value in view.items() if name not in ("rules", "legal")}
    return rules, without_hidden(known)


@lru_cache(maxsize=1024)
def _rule_set(game: Game, config: str) -> Any:
    """A rule set from its JSON: of many views with the same rules, they are checked once."""
    return game.make_rules(json.loads(config))


def without_hidden(view: Json) -> Json:
    """A view, or a position with its ``"player"``, without what that player cannot know.

    What has another shape than that of a position stays as it is, for the check of the view.
    """
    player, known = view.get("player"), dict(view)
    if isinstance(view.get("hands"), list):
        known["hands"] = _known_hands(view["hands"], view.get("face_up"), player)
    if isinstance(view.get("chosen"), list):
        known["chosen"] = [
            card if seat == player or _is_flag(card) else int(card is not None)
            for seat, card in enumerate(view["chosen"])
        ]
    if isinstance(view.get("stock"), list):
        known["stock"] = len(view["stock"])
    pile, drawn = view.get("draw_pile"), view.get("drawn")
    hidden = [drawn] if drawn is not None and view.get("to_act") != player else []
    if hidden:
        known["drawn"] = "hidden"
    if isinstance(pile, list):
        known["draw_pile"] = len(pile)
        if view.get("refilled") is True:  # which cards these are is public then, not their order
            known.setdefault("draw_known", [*pile, *hidden])
    return known


def _known_hands(hands: list[Any], face_up: object, player: object) -> list[Any]:
    """Hands by seat: the number of cards of other seats; of the golf game, cards face up."""
    if not isinstance(face_up, list):
        return [
            len(hand) if seat != player and isinstance(hand, list) else hand
            for seat, hand in enumerate(hands)
        ]
    return [
        [None if up is False else card for card, up in zip(hand, ups, strict=True)]
        if isinstance(hand, list) and isinstance(ups, list) and len(hand) == len(ups)
        else hand
        for hand, ups in zip_longest(hands, face_up)
    ]


def _is_flag(value: object) -> bool:
    """Whether a committed card of another seat is given as a view does: by 0 or 1."""
    return isinstance(value, int) and value in (0, 1)


def _check_legal(game: Game, view: object, mask: NDArray[np.int8], row: int) -> None:
    given = view.get("legal") if isinstance(view, dict) else None
    if given is not None:
        legal = game.legal(np.flatnonzero(mask).tolist())
        if given != legal:
            raise ViewError(f"view legal must be {legal}", row)


@cache
def _lift_look(game: Game) -> Kernel:
    source, kernels = game.source_hash, game.kernels
    public, private, write_mask = kernels.observe_public, kernels.observe_seat, kernels.write_mask

    def look(states: Any, rules: Any, seats: Any, columns: Any, masks: Any) -> None:
        """Write what seat ``seats`` (N,) of each game sees (N, D), and may do (N, A)."""
        source  # noqa: B018  # part of the cache's key
        for i in range(states.shape[0]):
            public(states[i], rules[i], columns[i])
            private(states[i], rules[i], seats[i], columns[i])
            write_mask(states[i], rules[i], seats[i], masks[i])

    return compiled(look)


# --- Both -----------------------------------------------------------------------------------------


def _records(game: Game, rule_sets: Sequence[Any]) -> NDArray[np.void]:
    """Rule sets for the kernels, (N,) records that may be written to."""
    places = {rules: place for place, rules in enumerate(dict.fromkeys(rule_sets))}
    records = np.array([game.rules_record(rules) for rules in places])
    chosen: NDArray[np.void] = records[[places[rules] for rules in rule_sets]]
    return chosen
