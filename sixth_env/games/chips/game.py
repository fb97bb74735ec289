"""Sixes, the chip game, as a :class:`~sixth_env.games.base.Game` description."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sixth_env.errors import IllegalActionError
from sixth_env.games.base import Game
from sixth_env.games.chips import kernels
from sixth_env.games.chips.cards import NUM_CARDS, chips_name
from sixth_env.games.chips.heuristics import HEURISTICS, sample_world
from sixth_env.games.chips.notation import ChipsNotation
from sixth_env.games.chips.observation import TABLE
from sixth_env.games.chips.records import check_records
from sixth_env.games.chips.rules import MAX_PLAYERS, ChipsRules, chips_rules


@cache
def rules_record(rules: ChipsRules) -> np.void:
    """A rule set for the kernels: its numbers, and the observation's columns."""
    record = np.zeros(1, kernels.RULES)
    for name in ("num_players", "starting_chips", "max_rounds"):
        record[name] = getattr(rules, name)
    record["num_rounds"] = rules.num_rounds or 0
    for name in TABLE.names:
        record[f"at_{name}"] = TABLE.start(name)
    record.flags.writeable = False
    rules_for_kernels: np.void = record[0]
    return rules_for_kernels


def action_name(action: int) -> str:
    """The name of an action: "play 7S", "pass", "wait".

    Raises ``IllegalActionError`` for a number that is no action of the game.
    """
    if 0 <= action < NUM_CARDS:
        return f"play {chips_name(action)}"
    names = {kernels.PASS: "pass", kernels.WAIT: "wait"}
    if action not in names:
        raise IllegalActionError(f"sixes_chips has no action {action}")
    return names[action]


def cut_off(position: dict[str, Any]) -> bool:
    """Whether a match that is over was cut off by the cap on rounds."""
    rules = position["rules"]
    ended = position["round"] == rules["num_rounds"] or min(position["chips"]) == 0
    return position["phase"] == "over" and not ended


SIXES_CHIPS = Game(
    id="sixes_chips",
    title="Sixes (chips)",
    version=0,
    kernels=kernels,
    state=kernels.STATE,
    num_actions=kernels.WAIT + 1,
    simultaneous=False,
    max_players=MAX_PLAYERS,
    table=TABLE,
    rules=chips_rules,
    rules_record=rules_record,
    action_name=action_name,
    notation=ChipsNotation("sixes_chips"),
    heuristics=HEURISTICS,
    sample_world=sample_world,
    check_records=check_records,
    unit="chips lost",
    cut_off=cut_off,
)
