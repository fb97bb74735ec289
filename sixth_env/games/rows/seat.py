"""What a seat of a rows game may do and know, as kernels for one game.

Arguments as in :mod:`sixth_env.games.rows.play`; ``obs`` are the integer columns (D,) of one
observation, ``mask`` (A,) an action mask.
"""

from __future__ import annotations

import numpy as np

from sixth_env.games.rows.observation import MAX_TOTAL
from sixth_env.games.rows.play import (
    cheapest_row,
    find_card,
    key_end,
    key_row,
    lane,
    relative_seat,
    seat_after,
)
from sixth_env.games.rows.rules import MAX_HAND, MAX_ROUNDS, MAX_ROW_LENGTH, MAX_ROWS
from sixth_env.games.rows.state import CARD, ROW
from sixth_env.rng import at, below, kernel, mix

# --- What a seat may do --------------------------------------------------------------------------


@kernel
def num_public(r):
    """How many leading columns `observe_public` writes."""
    return r["at_dealer"]


@kernel
def seat_at(s, r, k):
    """The seat of the k-th row of actions: all seats act at once, so row k is seat k."""
    return k


@kernel
def decides(s, r, seat):
    """Whether a seat has something to decide now."""
    if s["phase"] == ROW:
        return seat == seat_after(s, r, s["revealed"][s["next"]] & 15)
    return s["phase"] == CARD


@kernel
def score(s, r, seat):
    """The seat's result so far, higher is better: minus its points of the rounds written down."""
    return -s["totals"][seat]


@kernel
def commit(s, r, seat, action):
    """Note a seat's action for the next step; False, if it is not legal now."""
    ladder = r["ladder"]
    if not 0 <= action <= ladder + MAX_ROWS:  # first of all: the record holds small integers only
        return False
    s["actions"][seat] = action
    if not decides(s, r, seat):
        return action == ladder + MAX_ROWS
    if s["phase"] == ROW:
        row = action - ladder
        return 0 <= row < MAX_ROWS and (s["choices"] >> row) & 1 == 1
    if action >= ladder:
        return False
    slot = find_card(s, seat, action)
    s["slots"][seat] = slot
    return slot >= 0


@kernel
def write_mask(s, r, seat, mask):
    """Write the action mask of a seat, (A,) of 0 and 1; one at `wait` if it decides nothing."""
    ladder = r["ladder"]
    mask[:] = 0
    if not decides(s, r, seat):
        mask[ladder + MAX_ROWS] = 1
    elif s["phase"] == ROW:
        for row in range(MAX_ROWS):
            mask[ladder + row] = (s["choices"] >> row) & 1
    else:
        for i in range(s["held"]):
            mask[s["hands"][seat, i]] = 1


@kernel
def random_action(s, r, seat, bits):
    """One of the seat's legal actions, uniformly, from 64 random bits."""
    if not decides(s, r, seat):
        return r["ladder"] + MAX_ROWS
    if s["phase"] == ROW:
        return r["ladder"] + _nth_bit(s["choices"], bits)
    held = s["held"]
    if r["decks"] == 1:
        return np.int64(s["hands"][seat, below(bits, held)])
    while True:  # a card held twice is drawn twice as often: let half of those draws count
        card = np.int64(s["hands"][seat, below(bits, held)])
        copies = 0
        for i in range(held):
            copies += s["hands"][seat, i] == card
        if copies == 1 or bits & np.uint64(1):
            return card
        bits = mix(bits)


@kernel
def _nth_bit(choices, bits):
    """A uniformly drawn member of a bit set of rows."""
    count = 0
    for row in range(MAX_ROWS):
        count += (choices >> row) & 1
    n = below(bits, count)
    for row in range(MAX_ROWS):
        n -= (choices >> row) & 1
        if n < 0:
            return row
    return -1


# --- What a seat may know ------------------------------------------------------------------------
# Loops over the ladder run over all of it, in 16 bits and with numbers of `r` read beforehand: with
# a known length, narrow types and nothing that a store might change, they become vectors.

_NONE = np.int16(0)


@kernel
def observe_public(s, r, obs):
    """Write the columns that every seat sees alike, [0, at_dealer) of the observation table."""
    obs[: r["at_dealer"]] = 0
    _observe_rules(s, r, obs)
    _observe_rows(s, r, obs)
    _observe_planes(s, r, obs)
    if s["phase"] == ROW:
        first = s["next"]
        for i in range(first, r["num_players"]):
            obs[r["at_revealed_cards"] + i - first] = (s["revealed"][i] >> 4) + 1


@kernel
def _observe_rules(s, r, obs):
    obs[r["at_num_players"]] = r["num_players"]
    obs[r["at_decks"]] = r["decks"]
    obs[r["at_cards"]] = r["cards"]
    obs[r["at_hand_size"]] = r["hand_size"]
    obs[r["at_num_rows"]] = r["rows"]
    obs[r["at_row_length"]] = r["row_length"]
    obs[r["at_cheapest"]] = r["cheapest"]
    obs[r["at_target_score"]] = r["target_score"]
    if r["num_rounds"] > 0:
        obs[r["at_rounds_left"]] = r["num_rounds"] - s["round"] + 1
    obs[r["at_round"]] = min(s["round"], MAX_ROUNDS)
    obs[r["at_turn"]] = s["turn"]
    obs[r["at_phase"]] = s["phase"]


@kernel
def _observe_rows(s, r, obs):
    """Rows as cards, their sizes and points."""
    cards = r["at_row_cards"]
    for row in range(r["rows"]):
        size, points = s["row_size"][row], s["row_points"][row]
        for i in range(MAX_ROW_LENGTH):
            obs[at(cards + i)] = s["rows"][row, i] + 1 if i < size else 0
        cards += MAX_ROW_LENGTH
        obs[at(r["at_row_sizes"] + row)] = size
        obs[at(r["at_row_points"] + row)] = points


@kernel
def _observe_planes(s, r, obs):
    """For each card of the ladder, the free places and points of the row it would go to now.

    A card goes to the row with the greatest key that it reaches (see `play`).
    """
    a, b, c, d = _sorted_keys(s)
    free_a, points_a = _row_facts(s, r, a)
    free_b, points_b = _row_facts(s, r, b)
    free_c, points_c = _row_facts(s, r, c)
    free_d, points_d = _row_facts(s, r, d)
    a, b, c, d = _end(a), _end(b), _end(c), _end(d)
    low = s["row_points"][cheapest_row(s, (1 << r["rows"]) - 1)]
    at_free, at_points = r["at_fit_free"], r["at_fit_points"]
    cards = np.int16(r["cards"])
    for card in range(len(s["seen"])):
        place, free, points = np.int16(card), _NONE, low
        free, points = (free_a, points_a) if place >= a else (free, points)
        free, points = (free_b, points_b) if place >= b else (free, points)
        free, points = (free_c, points_c) if place >= c else (free, points)
        free, points = (free_d, points_d) if place >= d else (free, points)
        obs[at(at_free + card)] = free if place < cards else _NONE
        obs[at(at_points + card)] = points if place < cards else _NONE


@kernel
def _row_facts(s, r, key):
    """Free places and points of a row, known by its key."""
    row = at(key_row(key))
    return np.int16(r["row_length"] - s["row_size"][row]), s["row_points"][row]


@kernel
def _end(key):
    """The last card of a row in 16 bits, above all cards for a row not in use."""
    return np.int16(key_end(key))


@kernel
def _sorted_keys(s):
    """The four row keys, ascending (a sorting network)."""
    keys = s["row_keys"]
    a, b, c, d = lane(keys, 0), lane(keys, 1), lane(keys, 2), lane(keys, 3)
    a, b, c, d = min(a, b), max(a, b), min(c, d), max(c, d)
    a, b, c, d = min(a, c), min(b, d), max(a, c), max(b, d)
    return a, min(b, c), max(b, c), d


@kernel
def observe_seat(s, r, seat, obs):
    """Write the columns that depend on the observer, [at_dealer, D)."""
    players = r["num_players"]
    obs[r["at_dealer"] : r["at_unseen"]] = 0
    obs[r["at_played"] : r["at_taken"]] = 0
    obs[r["at_dealer"]] = relative_seat(s["dealer"], seat, players)
    if s["phase"] == ROW:
        for i in range(s["next"], players):
            owner = seat_after(s, r, s["revealed"][i] & 15)
            obs[r["at_revealed_seats"] + i - s["next"]] = relative_seat(owner, seat, players) + 1
    _observe_seats(s, r, seat, obs)
    _observe_taken(s, r, seat, obs)
    _observe_hand(s, r, seat, obs)
    _observe_between(s, r, obs)


@kernel
def _observe_seats(s, r, seat, obs):
    """Points and played cards of every seat, from the observer's on."""
    players = r["num_players"]
    points, totals, played = r["at_points"], r["at_totals"], r["at_played"]
    for other in range(players):
        place = relative_seat(other, seat, players)
        obs[at(points + place)] = s["points"][other]
        obs[at(totals + place)] = min(s["totals"][other], MAX_TOTAL)
        first = played + place * MAX_HAND
        for turn in range(MAX_HAND):
            obs[at(first + turn)] = (np.int16(s["played"][other, turn]) + 1) & 255


@kernel
def _observe_hand(s, r, seat, obs):
    """The own hand and the unseen copies: those neither seen nor in the hand."""
    cards, decks = np.int16(r["cards"]), np.int16(r["decks"])
    hand, unseen = r["at_hand"], r["at_unseen"]
    for card in range(len(s["seen"])):
        copies = decks if np.int16(card) < cards else _NONE
        obs[at(unseen + card)] = copies - s["seen"][card]
    for i in range(s["held"]):
        card = s["hands"][seat, i]
        obs[at(hand + card)] += 1
        obs[at(unseen + card)] -= 1


@kernel
def _observe_between(s, r, obs):
    """For each card, how many unseen copies would go to its row and come before it.

    A running sum, less its value at the card's row end: the greatest value at an end that the card
    reaches, as the sum never falls.
    """
    cards, unseen, between = np.int16(r["cards"]), r["at_unseen"], r["at_fit_between"]
    total = _NONE
    for card in range(len(s["seen"])):
        obs[at(between + card)] = total
        total += obs[at(unseen + card)]
    keys, last = s["row_keys"], cards - 1
    a, b, c, d = _end(lane(keys, 0)), _end(lane(keys, 1)), _end(lane(keys, 2)), _end(lane(keys, 3))
    sum_a, sum_b = obs[at(between + min(a, last))], obs[at(between + min(b, last))]
    sum_c, sum_d = obs[at(between + min(c, last))], obs[at(between + min(d, last))]
    for card in range(len(s["seen"])):
        place = np.int16(card)
        before = max(sum_a if place >= a else _NONE, sum_b if place >= b else _NONE)
        before = max(before, sum_c if place >= c else _NONE)
        before = max(before, sum_d if place >= d else _NONE)
        count = np.int16(obs[at(between + card)] - before)
        obs[at(between + card)] = count if place < cards else _NONE


@kernel
def _observe_taken(s, r, seat, obs):
    """Both takers of each card's copies as one number, whatever the order of taking."""
    taken = r["at_taken"]
    me, players = np.int16(seat), np.int16(r["num_players"])
    for card in range(len(s["seen"])):
        obs[at(taken + card)] = _taker_code(s["taker"][0, card], me, players)
    if r["decks"] == 2:
        for card in range(len(s["seen"])):
            a, b = obs[at(taken + card)], _taker_code(s["taker"][1, card], me, players)
            obs[at(taken + card)] = max(a, b) + 11 * min(a, b)


@kernel
def _taker_code(taker, seat, players):
    """1 + the place of the taker, given as 1 + seat, as counted from ``seat``; 0 for nobody."""
    place = np.int16(np.int16(taker) - seat)
    place = place if place > 0 else np.int16(place + players)
    return place if taker > 0 else _NONE
