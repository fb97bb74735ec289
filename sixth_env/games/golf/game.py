"""The golf game as a :class:`~sixth_env.games.base.Game` description."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np

from sixth_env.errors import IllegalActionError
from sixth_env.games.base import Game
from sixth_env.games.golf import kernels
from sixth_env.games.golf.cards import NUM_RANKS
from sixth_env.games.golf.heuristics import HEURISTICS, playout, sample_world
from sixth_env.games.golf.notation import GolfNotation
from sixth_env.games.golf.observation import golf_table
from sixth_env.games.golf.records import check_records
from sixth_env.games.golf.rules import MAX_PLAYERS, SLOTS, GolfRules, sixes_golf_rules

ACTIONS = (
    *[f"turn up slot {slot}" for slot in range(SLOTS)],
    *[f"take the discard into slot {slot}" for slot in range(SLOTS)],
    "draw",
    *[f"put the drawn card into slot {slot}" for slot in range(SLOTS)],
    "discard the drawn card",
    "knock",
    "end the turn without knocking",
    "wait",
)


@cache
def rules_record(rules: GolfRules) -> np.void:
    """A rule set for the kernels: its numbers and the observation's columns."""
    record = np.zeros(1, kernels.RULES)
    for name in ("num_players", "decks", "num_rounds", "practice_round", "max_turns"):
        record[name] = getattr(rules, name)
    for a, b in product(range(1, NUM_RANKS + 1), repeat=2):
        record["pair_points"][0, a, b] = kernels.pair_points(a - 1, b - 1)
    for name in golf_table().names:
        record[f"at_{name}"] = golf_table().start(name)
    record.flags.writeable = False
    rules_for_kernels: np.void = record[0]
    return rules_for_kernels


def action_name(action: int) -> str:
    """The name of an action: "turn up slot 3", "draw", "knock" …; slots count from 0.

    Raises ``IllegalActionError`` for a number that is no action of the game.
    """
    if not 0 <= action < len(ACTIONS):
        raise IllegalActionError(f"sixes_golf has no action {action}")
    return ACTIONS[action]


def cut_off(position: dict[str, Any]) -> bool:
    """Whether a position or view in phase "over" was cut off by the cap on turns."""
    return bool(position["phase"] == "over" and position["last_turns"] != 0)


SIXES_GOLF = Game(
    id="sixes_golf",
    title="Sixes (golf)",
    version=0,
    kernels=kernels,
    state=kernels.STATE,
    num_actions=len(ACTIONS),
    simultaneous=False,
    max_players=MAX_PLAYERS,
    table=golf_table(),
    rules=sixes_golf_rules,
    rules_record=rules_record,
    action_name=action_name,
    notation=GolfNotation("sixes_golf"),
    heuristics=HEURISTICS,
    sample_world=sample_world,
    check_records=check_records,
    playout=playout,
    unit="points",
    cut_off=cut_off,
)
