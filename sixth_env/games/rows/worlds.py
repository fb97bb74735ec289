"""Hidden worlds of the rows games: from an observation back to positions that agree with it."""

from __future__ import annotations

import numpy as np

from sixth_env.games.rows.play import (
    append,
    clear_round,
    deal_hands,
    hold,
    relative_seat,
    row_choices,
    start_row,
)
from sixth_env.games.rows.rules import MAX_HAND, MAX_ROW_LENGTH
from sixth_env.games.rows.state import CARD, ROW
from sixth_env.rng import kernel


@kernel
def determinize(obs, key, r, s):
    """Sample a full position that agrees with integer columns ``obs`` (D,), observer at seat 0.

    The unseen cards are spread uniformly over the other hands and the stock. ``r`` needs the
    game's constants (ladder, penalty, at_…); its rules are overwritten by those in ``obs``. Knows
    the observation alone, so that nothing hidden can leak into a search.
    """
    read_rules(obs, r)
    _read_table(obs, r, s)
    unseen, hand, held, size = r["at_unseen"], r["at_hand"], 0, 0
    for card in range(r["cards"]):
        for _ in range(obs[hand + card]):
            hold(s, 0, held, card)
            held += 1
        for _ in range(obs[unseen + card]):
            s["pack"][size] = card
            size += 1
    deal_hands(s, 1, r["num_players"], held, size, key)


@kernel
def read_rules(obs, r):
    """The rules in force, from an observation into a rules record."""
    r["num_players"] = obs[r["at_num_players"]]
    r["decks"] = obs[r["at_decks"]]
    r["cards"] = obs[r["at_cards"]]
    r["hand_size"] = obs[r["at_hand_size"]]
    r["rows"] = obs[r["at_num_rows"]]
    r["row_length"] = obs[r["at_row_length"]]
    r["cheapest"] = obs[r["at_cheapest"]]
    r["target_score"] = obs[r["at_target_score"]]
    r["num_rounds"] = 0
    if obs[r["at_rounds_left"]] > 0:
        r["num_rounds"] = obs[r["at_rounds_left"]] + obs[r["at_round"]] - 1


@kernel
def _read_table(obs, r, s):
    """All public facts of an observation into a state, seats counted from the observer."""
    clear_round(s)
    s["dealer"] = obs[r["at_dealer"]]
    s["round"], s["turn"] = obs[r["at_round"]], obs[r["at_turn"]]
    s["phase"] = obs[r["at_phase"]]
    s["held"] = r["hand_size"] - s["turn"] + (s["phase"] == CARD)
    for row in range(r["rows"]):
        for i in range(obs[r["at_row_sizes"] + row]):
            card = np.int64(obs[r["at_row_cards"] + row * MAX_ROW_LENGTH + i]) - 1
            if i == 0:
                start_row(s, r, row, card)
            else:
                append(s, r, row, card)
    for card in range(r["cards"]):
        in_hand, unseen = obs[r["at_hand"] + card], obs[r["at_unseen"] + card]
        s["seen"][card] = r["decks"] - in_hand - unseen
        s["taker"][0, card] = obs[r["at_taken"] + card] % 11
        s["taker"][1, card] = obs[r["at_taken"] + card] // 11
    for seat in range(r["num_players"]):
        s["points"][seat] = obs[r["at_points"] + seat]
        s["totals"][seat] = obs[r["at_totals"] + seat]
        for i in range(r["hand_size"] - s["held"]):
            s["played"][seat, i] = obs[r["at_played"] + seat * MAX_HAND + i] - 1
    if s["phase"] == ROW:
        _read_revealed(obs, r, s)


@kernel
def _read_revealed(obs, r, s):
    """The cards waiting to be placed, and the rows that the first one's owner may take."""
    players, count = r["num_players"], 0
    while count < players and obs[r["at_revealed_cards"] + count] > 0:
        count += 1
    s["next"] = players - count
    for i in range(count):
        card = np.int64(obs[r["at_revealed_cards"] + i]) - 1
        owner = np.int64(obs[r["at_revealed_seats"] + i]) - 1
        order = relative_seat(owner, s["dealer"] + 1, players)
        s["revealed"][s["next"] + i] = card * 16 + order
    s["choices"] = row_choices(s, r, s["revealed"][s["next"]] >> 4)
