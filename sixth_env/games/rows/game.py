"""The two rows games as :class:`~sixth_env.games.base.Game` descriptions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from sixth_env.errors import IllegalActionError
from sixth_env.games.base import Game
from sixth_env.games.cards import card_name, penalty_table
from sixth_env.games.rows import kernels
from sixth_env.games.rows.heuristics import HEURISTICS, sample_world
from sixth_env.games.rows.notation import RowsNotation
from sixth_env.games.rows.observation import rows_table
from sixth_env.games.rows.records import check_records
from sixth_env.games.rows.rules import (
    MAX_PLAYERS,
    MAX_ROWS,
    RowsRules,
    six_nimmt_rules,
    sixth_card_rules,
)


@cache
def rules_record(rules: RowsRules) -> np.void:
    """A rule set for the kernels: its numbers, the penalty table, the observation's columns."""
    record = np.zeros(1, kernels.RULES)
    for name in ("num_players", "decks", "cards", "hand_size", "rows", "row_length"):
        record[name] = getattr(rules, name)
    record["cheapest"] = rules.row_choice == "cheapest"
    record["target_score"] = rules.target_score or 0
    record["num_rounds"] = rules.num_rounds or 0
    penalty = penalty_table(rules.game)
    record["ladder"] = len(penalty)
    record["penalty"][0, : len(penalty)] = penalty
    table = rows_table(len(penalty))
    for name in table.names:
        record[f"at_{name}"] = table.start(name)
    record.flags.writeable = False
    rules_for_kernels: np.void = record[0]
    return rules_for_kernels


def _action_name(game_id: str, action: int) -> str:
    """The name of an action: "play 7S", "take row 2" (counted from 0, as in JSON), "wait".

    Raises ``IllegalActionError`` for a number that is no action of the game.
    """
    ladder = len(penalty_table(game_id))
    if 0 <= action < ladder:
        return f"play {card_name(game_id, action)}"
    if ladder <= action < ladder + MAX_ROWS:
        return f"take row {action - ladder}"
    if action != ladder + MAX_ROWS:
        raise IllegalActionError(f"{game_id} has no action {action}")
    return "wait"


def _game(game_id: str, title: str, rules: Callable[..., Any]) -> Game:
    ladder = len(penalty_table(game_id))
    return Game(
        id=game_id,
        title=title,
        version=0,
        kernels=kernels,
        state=kernels.state_type(ladder),
        num_actions=ladder + MAX_ROWS + 1,
        simultaneous=True,
        max_players=MAX_PLAYERS,
        table=rows_table(ladder),
        rules=rules,
        rules_record=rules_record,
        action_name=partial(_action_name, game_id),
        notation=RowsNotation(game_id),
        heuristics=HEURISTICS,
        sample_world=sample_world,
        check_records=check_records,
    )


SIXTH_CARD = _game("sixth_card", "Sixth Card", sixth_card_rules)
SIX_NIMMT = _game("six_nimmt", "6 nimmt!", six_nimmt_rules)
