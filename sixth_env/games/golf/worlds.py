"""Hidden worlds of the golf game: from an observation back to positions that agree with it."""

from __future__ import annotations

import numpy as np

from sixth_env.games.golf.cards import NUM_CARDS, NUM_RANKS
from sixth_env.games.golf.play import clear_round, pop, shuffle
from sixth_env.games.golf.rules import SLOTS
from sixth_env.games.golf.state import DRAWN, NOBODY
from sixth_env.rng import fold, kernel


@kernel
def determinize(obs, key, r, s):
    """Sample a full position that agrees with integer columns ``obs`` (D,), observer at seat 0.

    Cards that lie face down, the draw pile and a card that another player has just drawn are
    uniform over what the observer does not see; after a refill, the cards known to be in the draw
    pile are shuffled among its places and the drawn card, the others among those face down. ``r``
    needs the columns (at_…); its rules are overwritten by those in ``obs``. Knows the observation
    alone, so that nothing hidden can leak into a search.
    """
    read_rules(obs, r)
    count_hidden(obs, r, s)
    _gather_hidden(s)
    _read_table(obs, r, s)
    shuffle(s, fold(key, 0))
    for seat in range(r["num_players"]):
        for slot in range(SLOTS):
            code = s["shown"][seat, slot]
            s["hands"][seat, slot] = np.int64(code) - 1 if code > 0 else pop(s)
    if s["refilled"]:
        _gather_known(obs, r, s)
        shuffle(s, fold(key, 1))
    if s["phase"] == DRAWN:
        code = np.int64(obs[r["at_drawn"]])
        s["drawn"] = code - 1 if code > 0 else pop(s)


@kernel
def read_rules(obs, r):
    """The rules in force, from an observation into a rules record."""
    r["num_players"] = obs[r["at_num_players"]]
    r["decks"] = 1 if r["num_players"] <= 4 else 2
    r["num_rounds"] = obs[r["at_rounds_left"]] + max(obs[r["at_round"]], 1) - 1
    r["practice_round"] = obs[r["at_practice_round"]]
    r["max_turns"] = obs[r["at_max_turns"]]


@kernel
def _read_table(obs, r, s):
    """All that an observation tells into a state, seats counted from the observer."""
    size = s["draw_size"]
    clear_round(s, r)
    s["draw_size"] = size
    s["dealer"], s["to_act"] = obs[r["at_dealer"]], obs[r["at_to_act"]]
    s["round"], s["turns"] = obs[r["at_round"]], r["max_turns"] - obs[r["at_turns_left"]]
    for phase in range(5):
        if obs[r["at_phase"] + phase]:
            s["phase"] = phase
    s["knocker"], s["went_out"] = obs[r["at_knocker"]] - 1, obs[r["at_went_out"]] - 1
    if s["knocker"] != NOBODY or s["went_out"] != NOBODY:
        s["last_turns"] = obs[r["at_last_turns"]]
    s["refilled"] = obs[r["at_refilled"]]
    for seat in range(r["num_players"]):
        s["totals"][seat] = obs[r["at_totals"] + seat]
        for slot in range(SLOTS):
            s["shown"][seat, slot] = obs[r["at_slots"] + seat * SLOTS + slot]
    for rank in range(NUM_RANKS):
        s["draw_ranks"][rank] = obs[r["at_draw_ranks"] + rank]
        s["hidden_ranks"][rank] = obs[r["at_hidden_ranks"] + rank]
    _read_discards(obs, r, s)
    if obs[r["at_drawn"]] > 0:
        _forget(s, np.int64(obs[r["at_drawn"]]) - 1)


@kernel
def _read_discards(obs, r, s):
    """The discard pile, the top last; the order below it does not matter to anyone."""
    top = np.int64(obs[r["at_discard"]]) - 1
    size = 0
    for card in range(NUM_CARDS):
        s["discarded"][card] = obs[r["at_discarded"] + card]
        s["draw_known"][card] = obs[r["at_draw_known"] + card]
        for _ in range(obs[r["at_discarded"] + card] - (card == top)):
            s["discard_pile"][size] = card
            size += 1
    s["discard_pile"][size] = top
    s["discard_size"] = size + 1


@kernel
def _forget(s, card):
    """Count the observer's drawn card as the record does, which tells what the others know."""
    s["draw_ranks"][card >> 2] += 1
    if s["refilled"]:
        s["draw_known"][card] += 1
    else:
        s["hidden_ranks"][card >> 2] += 1


@kernel
def count_hidden(obs, r, s):
    """Count the copies of each card that may lie face down into the places of the discard pile,
    which is not in use yet; False if there are fewer than none."""
    decks, drawn = 1 if obs[r["at_num_players"]] <= 4 else 2, np.int64(obs[r["at_drawn"]])
    for card in range(NUM_CARDS):
        copies = (1 if card < NUM_CARDS - 1 else 2) * decks - (drawn == card + 1)
        left = copies - obs[r["at_discarded"] + card] - obs[r["at_draw_known"] + card]
        if left < 0:
            return False
        s["discard_pile"][card] = left
    for i in range(obs[r["at_num_players"]] * SLOTS):
        card = np.int64(obs[r["at_slots"] + i]) - 1
        if card >= 0:
            if s["discard_pile"][card] == 0:
                return False
            s["discard_pile"][card] -= 1
    return True


@kernel
def _gather_hidden(s):
    """Into the draw pile: the cards that `count_hidden` has counted."""
    size = 0
    for card in range(NUM_CARDS):
        for _ in range(s["discard_pile"][card]):
            s["draw_pile"][size] = card
            size += 1
    s["draw_size"] = size


@kernel
def _gather_known(obs, r, s):
    """Into the draw pile: the cards known to be there."""
    size = 0
    for card in range(NUM_CARDS):
        for _ in range(obs[r["at_draw_known"] + card]):
            s["draw_pile"][size] = card
            size += 1
    s["draw_size"] = size
