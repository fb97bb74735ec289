"""What a seat of Sixes, the chip game, may do and know, as kernels for one game.

Arguments as in :mod:`sixth_env.games.chips.play`; ``obs`` are the integer columns (D,) of one
observation, ``mask`` (A,) an action mask.
"""

from __future__ import annotations

import numpy as np

from sixth_env.games.chips.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, SIX
from sixth_env.games.chips.state import OVER, PASS, PLAY, WAIT
from sixth_env.rng import at, below, kernel

# --- Sets of cards -------------------------------------------------------------------------------


@kernel
def count(cards):
    """How many cards are in a set: sums of ever wider groups of bits."""
    pairs = cards - ((cards >> 1) & 0x5555555555)
    fours = (pairs & 0x3333333333) + ((pairs >> 2) & 0x3333333333)
    bytes_ = (fours + (fours >> 4)) & 0x0F0F0F0F0F
    words = bytes_ + (bytes_ >> 8)
    return (words + (words >> 16) + (bytes_ >> 32)) & 0xFF


@kernel
def lowest(cards):
    """The lowest card of a set that is not empty."""
    return count((cards & -cards) - 1)


# --- What a seat may do --------------------------------------------------------------------------


@kernel
def num_public(r):
    """How many leading columns `observe_public` writes."""
    return r["at_dealer"]


@kernel
def seat_at(s, r, k):
    """The seat of the only row of actions: the one whose turn it is."""
    return np.int64(s["to_act"])


@kernel
def decides(s, r, seat):
    """Whether it is a seat's turn."""
    return s["phase"] == PLAY and seat == s["to_act"]


@kernel
def score(s, r, seat):
    """The seat's result so far, higher is better: its chips."""
    return np.int64(s["totals"][seat])


@kernel
def options(s, seat):
    """The cards that a seat could play now."""
    return s["hands"][at(seat)] & s["playable"]


@kernel
def commit(s, r, seat, action):
    """Note a seat's action for the next step; False, if it is not legal now."""
    if not decides(s, r, seat):
        return action == WAIT
    if not 0 <= action <= PASS:
        return False
    s["action"] = action
    cards = options(s, seat)
    if action == PASS:
        return cards == 0
    return (cards >> action) & 1 == 1


@kernel
def write_mask(s, r, seat, mask):
    """Write the action mask of a seat, (A,) of 0 and 1; one at `wait` if it decides nothing."""
    if not decides(s, r, seat):
        mask[:] = 0
        mask[WAIT] = 1
        return
    cards = options(s, seat)
    write_plane(cards, 0, mask)
    mask[PASS] = 1 if cards == 0 else 0
    mask[WAIT] = 0


@kernel
def random_action(s, r, seat, bits):
    """One of the seat's legal actions, uniformly, from 64 random bits."""
    if not decides(s, r, seat):
        return np.int64(WAIT)
    cards = options(s, seat)
    if cards == 0:
        return np.int64(PASS)
    for _ in range(below(bits, count(cards))):
        cards &= cards - 1
    return lowest(cards)


# --- What a seat may know ------------------------------------------------------------------------


@kernel
def write_plane(cards, start, columns):
    """Write a set of cards as 40 columns of 0 and 1, from ``start`` on."""
    for card in range(NUM_CARDS):
        columns[at(start + card)] = (cards >> card) & 1


@kernel
def observe_public(s, r, obs):
    """Write the columns that every seat sees alike, [0, at_dealer) of the observation table."""
    obs[r["at_num_players"]] = r["num_players"]
    obs[r["at_starting_chips"]] = r["starting_chips"]
    obs[r["at_rounds_left"]] = max(0, r["num_rounds"] - s["round"] + 1)
    obs[r["at_cap_left"]] = r["max_rounds"] - s["round"] + 1
    obs[r["at_round"]] = s["round"]
    obs[r["at_phase"]] = s["phase"] == OVER
    obs[r["at_pot"]] = s["pot"]
    for suit in range(NUM_SUITS):
        obs[at(r["at_column_low"] + suit)] = s["low"][suit]
        obs[at(r["at_column_high"] + suit)] = s["high"][suit]
    write_plane(s["laid"], r["at_laid"], obs)
    write_plane(s["playable"], r["at_playable"], obs)


@kernel
def observe_seat(s, r, seat, obs):
    """Write the columns that depend on the observer, [at_dealer, D)."""
    players = r["num_players"]
    obs[r["at_dealer"]] = relative_seat(s["dealer"], seat, players)
    obs[r["at_starter"]] = relative_seat(s["starter"], seat, players)
    obs[r["at_to_act"]] = relative_seat(s["to_act"], seat, players)
    write_plane(s["hands"][at(seat)], r["at_hand"], obs)
    for suit in range(NUM_SUITS):
        _observe_beyond(s["hands"][at(seat)], s["laid"], NUM_RANKS * suit, r, obs)
    obs[r["at_chips"] :] = 0
    for other in range(players):
        place = relative_seat(other, seat, players)
        obs[at(r["at_chips"] + place)] = s["totals"][other]
        obs[at(r["at_hand_sizes"] + place)] = s["held"][other]
        if s["lacks"][other] != 0:
            write_plane(s["lacks"][other], r["at_lacks"] + NUM_CARDS * place, obs)


@kernel
def _observe_beyond(hand, laid, ace, r, obs):
    """What each card of a suit opens for oneself and for others."""
    steps, others = _observe_side(hand, laid, ace, 1, SIX, r, obs)
    king = ace + NUM_RANKS - 1
    more_steps, more_others = _observe_side(hand, laid, king, -1, NUM_RANKS - 1 - SIX, r, obs)
    _write_beyond(laid, ace + SIX, steps + more_steps, others + more_others, r, obs)


@kernel
def _observe_side(hand, laid, end, inwards, length, r, obs):
    """The same for the cards from an end of the column inwards; returns what the six opens there.

    One card further in, all own cards beyond are one step farther away.
    """
    steps, own, others = 0, 0, 0
    for place in range(length):
        card = end + inwards * place
        _write_beyond(laid, card, steps, others, r, obs)
        mine = (hand >> card) & 1
        own += mine
        steps += own
        others += 1 - mine - ((laid >> card) & 1)
    return steps, others


@kernel
def _write_beyond(laid, card, steps, others, r, obs):
    """The two columns of one card, 0 if it lies on the table."""
    to_come = 1 - ((laid >> card) & 1)
    obs[at(r["at_own_beyond"] + card)] = steps * to_come
    obs[at(r["at_others_beyond"] + card)] = others * to_come


@kernel
def relative_seat(other, seat, players):
    """The place of another seat as counted from this one, clockwise."""
    place = np.int64(other) - seat
    return place + players if place < 0 else place
