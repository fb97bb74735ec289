"""The check of saved records: what the kernels rely on, for many games at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixth_env.games.cards import penalty_table
from sixth_env.games.records import count_cards, expect, expect_bounds
from sixth_env.games.rows.rules import MAX_PLAYERS, MAX_ROWS, RowsRules
from sixth_env.games.rows.state import CARD, EMPTY, HAND_SLOTS, LANE, OVER, ROW


def check_records(rules: RowsRules, states: NDArray[np.void]) -> None:
    """Raise ``PositionError`` unless the kernels may go on from each of the records (B,)."""
    players, last_card = rules.num_players, rules.cards - 1
    expect_bounds(
        states,
        episode=(0, 2**63 - 1),
        round=(1, rules.num_rounds or 2**31 - 1),
        turn=(1, rules.hand_size),
        phase=(CARD, OVER),
        dealer=(0, players - 1),
        held=(0, rules.hand_size),
        next=(0, players - 1),
        choices=(0, (1 << rules.rows) - 1),
        rows=(0, last_card),
        actions=(0, 0),
        slots=(0, 0),
        revealed=(0, 16 * last_card + 15),
        points=(0, 2**15 - 1),
        totals=(0, 2**31 - 1),
        slot=(0, HAND_SLOTS - 1),
        taker=(0, players),
    )
    choosing = states["phase"] == ROW
    expect(choosing == (states["choices"] != 0), "choices must be those of a row decision")
    expect(states["revealed"] & 15 < players, f"revealed must be of {players} seats")
    _check_rows(rules, states)
    _check_cards(rules, states)


def _check_rows(rules: RowsRules, states: NDArray[np.void]) -> None:
    """Sizes, points and keys of the rows are those of their cards; a key is told of in `play`."""
    size, number = states["row_size"].astype(np.int64), np.arange(MAX_ROWS)
    used = number < rules.rows
    expect((size >= used) & (size <= rules.row_length * used), "row_size is no size of a row")
    laid = np.arange(states["rows"].shape[2]) < size[:, :, None]
    points = np.array(penalty_table(rules.game))[states["rows"]]
    expect(states["row_points"] == (points * laid).sum(2), "row_points must be those of the rows")
    end = np.take_along_axis(states["rows"], np.maximum(size - 1, 0)[:, :, None], 2)[:, :, 0]
    keys = (end.astype(np.int64) << 6) + ((7 - size) << 3) + (7 - number)
    keys = np.where(used, keys, LANE) << (16 * number)
    expect(states["row_keys"] == keys.sum(1), "row_keys must be those of the rows")


def _check_cards(rules: RowsRules, states: NDArray[np.void]) -> None:
    """As many cards are in hands and face up as the turn tells, none more often than it exists."""
    players, held = rules.num_players, states["held"].astype(np.int64)
    turns = rules.hand_size - held
    expect(states["turn"] == turns + (states["phase"] == CARD), "turn and held must agree")
    seat, slot = np.arange(MAX_PLAYERS)[:, None], np.arange(HAND_SLOTS)
    full = (seat < players) & (slot < held[:, None, None])
    expect(
        (states["hands"] < rules.cards) & full | (states["hands"] == EMPTY) & ~full,
        f"hands must be the cards of {players} seats",
    )
    taken = np.arange(states["played"].shape[2]) < turns[:, None, None]
    gone = (states["played"] < rules.cards) & taken & (seat < players)
    expect(gone | (states["played"] == EMPTY), f"played must be the cards of {players} seats")
    games = len(states)
    in_hands = count_cards(states["hands"].reshape(games, -1), full.reshape(games, -1))
    ladder = states["seen"].shape[1]
    copies = rules.decks * (np.arange(ladder) < rules.cards)
    seen = states["seen"].astype(np.int64)
    expect(seen + in_hands[:, :ladder] <= copies, "seen and hands have a card too often")
    expect(
        seen.sum(1) == rules.rows + players * turns,
        f"seen must be the cards of {players} seats and {rules.rows} rows",
    )
