"""Test vectors for the page's JavaScript: replays and their stories, views and observations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sixth_env
from sixth_env.engine import Engine
from sixth_env.games import GAMES
from sixth_env.notation import Replay
from sixth_env.opponents.views import observations_of

Json = dict[str, Any]
DRAW, DISCARD, END_TURN = 12, 19, 21  # actions of the golf game
WEB = Path(sixth_env.__file__).parent / "server" / "web"
# Every player count, and all rules that change what is possible or observed.
CONFIGS: list[tuple[str, Json]] = [
    *[("sixth_card", {"num_players": n}) for n in range(2, 11)],
    ("sixth_card", {"num_players": 4, "row_choice": "cheapest", "num_rounds": 3}),
    ("sixth_card", {"num_players": 3, "hand_size": 4, "cards": 20, "rows": 2, "row_length": 3}),
    *[("six_nimmt", {"num_players": n}) for n in range(2, 11)],
    ("six_nimmt", {"num_players": 3, "exact_deck": True, "num_rounds": 2}),
    *[("sixes_chips", {"num_players": n}) for n in range(2, 9)],
    ("sixes_chips", {"num_players": 3, "max_rounds": 1, "starting_chips": 40}),
    ("sixes_chips", {"num_players": 4, "num_rounds": 2, "starting_chips": 40}),
    *[("sixes_golf", {"num_players": n, "num_rounds": 2}) for n in range(2, 9)],
    ("sixes_golf", {"num_players": 2, "practice_round": True, "num_rounds": 1}),
    ("sixes_golf", {"num_players": 3, "max_turns": 8}),
    ("sixes_golf", {"num_players": 8, "num_rounds": 1}),
]


def played(game: str, config: Json, seed: int, most: int) -> Json:
    """A random match of at most that many steps: replay, events, last position and its views."""
    engine = Engine(game, 1, seed=seed, **config)
    replay, log, story = Replay.begin(engine), engine.new_log(), []
    rng = np.random.default_rng(seed)
    for _ in range(most):
        if engine.done()[0]:
            break
        actions = _actions(engine, rng)
        engine.step([actions], log=log)
        replay.record(actions)
        story.append(engine.events(log))
    seats = range(engine.num_players)
    seen = [engine_view(engine, seat) for seat in seats]
    return {"replay": replay.to_dict(), "story": story, "last": engine.position(), "seen": seen}


def engine_view(engine: Engine, seat: int) -> Json:
    """What a seat may know now, with its legal actions."""
    legal = engine.game.legal(list(engine.legal_actions(0, seat)))
    return {**engine.game.notation.view(engine.position(), seat), "legal": legal}


def _actions(engine: Engine, rng: np.random.Generator) -> list[int]:
    """A random legal action of each acting row.

    In the golf game few knock, and at even tables most draw, so that piles run out; at odd ones
    somebody goes out.
    """
    if engine.game.simultaneous:
        seats = list(range(engine.num_players))
    else:
        seats = [int(engine.states["to_act"][0])]
    legal = [list(engine.legal_actions(0, seat)) for seat in seats]
    if engine.game.id == "sixes_golf":
        dull = [action for action in legal[0] if action in (DRAW, DISCARD, END_TURN)]
        often = 0.97 if END_TURN in dull or engine.num_players % 2 == 0 else 0.3
        legal = [dull if dull and rng.random() < often else legal[0]]
    return [int(rng.choice(actions)) for actions in legal]


def views(game: str, count: int) -> tuple[list[Json], NDArray[np.int16], NDArray[np.int8]]:
    """Views of decisions spread over the game's configurations, their observations and masks."""
    configs = [config for name, config in CONFIGS if name == game]
    found: list[Json] = []
    for number, config in enumerate(configs):
        share, wanted = list[Json](), -(-count // len(configs))
        for match in range(20):
            if len(share) >= wanted:
                break
            share += _decisions(game, config, seed=100 * match + number)
        chosen = np.linspace(0, len(share) - 1, wanted).astype(int)
        found += [share[i] for i in chosen]
    plain = json.loads(json.dumps(found[:count]))
    return plain, *observations_of(GAMES[game], plain)


def _decisions(game: str, config: Json, seed: int) -> list[Json]:
    engine, rng, found = Engine(game, 1, seed=seed, **config), np.random.default_rng(seed), []
    notation = engine.game.notation
    for _ in range(300):
        position = engine.position()
        for seat in range(engine.num_players):
            legal = engine.legal_actions(0, seat)
            if engine.game.wait not in legal or rng.random() < 0.05:
                view = notation.view(position, seat)
                found.append({**view, "legal": engine.game.legal(list(legal))})
        if engine.done()[0]:
            break
        engine.step([_actions(engine, rng)])
    return found
