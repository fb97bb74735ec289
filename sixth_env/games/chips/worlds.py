"""Hidden worlds of Sixes, the chip game: from an observation back to deals that agree with it.

What is known of other hands is how many cards they hold, who has the 6♦ before it is played, and
which cards each seat has shown by passing not to hold. Of the latter only cards that can be played
now are still in some hand, and whoever passed after such a card became playable lacks it. So of two
of them, the seats that lack the one are among those that lack the other: the sets of seats that may
hold them form a chain. Dealing the card with the fewest possible holders first, each to one of the
free places of its possible holders, then gives every deal that agrees with the observation the
same probability: the free places for a card are the same in number, whatever was dealt before.
"""

from __future__ import annotations

import numpy as np

from sixth_env.games.chips.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, SIX, SIX_OF_DIAMONDS
from sixth_env.games.chips.play import clear_round, give, next_card, playable_on
from sixth_env.games.chips.seat import count, lowest
from sixth_env.games.chips.state import ALL_CARDS, FIRST_CARD
from sixth_env.rng import below, draw, kernel


@kernel
def determinize(obs, key, r, s):
    """Sample a full position that agrees with integer columns ``obs`` (D,), observer at seat 0.

    Uniform over the deals in which nobody holds what its passes have shown it to lack; what the
    others chose to play is not taken for a hint. ``r`` needs the game's constants (at_…); its rules
    are overwritten by those in ``obs``. Knows the observation alone, so that nothing hidden can
    leak into a search. False, with ``s`` written in part, if no deal agrees with the observation.
    """
    read_rules(obs, r)
    if not _read_table(obs, r, s):
        return False
    unseen, n = ALL_CARDS & ~s["laid"] & ~s["hands"][0], 0
    if s["laid"] == 0 and unseen & FIRST_CARD:
        give(s, s["starter"], SIX_OF_DIAMONDS)
        unseen &= ~FIRST_CARD
    for lacking in range(r["num_players"] - 1, 0, -1):
        left = unseen & _ever_lacked(s, r)
        while left != 0:
            card = lowest(left)
            left &= left - 1
            if _num_lacking(s, r, card) == lacking:
                if not _deal_one(s, r, card, draw(key, n)):
                    return False
                unseen &= ~(np.int64(1) << card)
                n += 1
    return _deal_rest(s, r, unseen, key, n)


@kernel
def read_rules(obs, r):
    """The rules in force, from an observation into a rules record."""
    before = obs[r["at_round"]] - 1
    r["num_players"] = obs[r["at_num_players"]]
    r["starting_chips"] = obs[r["at_starting_chips"]]
    r["max_rounds"] = obs[r["at_cap_left"]] + before
    r["num_rounds"] = 0
    if obs[r["at_rounds_left"]] > 0:
        r["num_rounds"] = obs[r["at_rounds_left"]] + before


@kernel
def _read_table(obs, r, s):
    """All public facts and the own hand into a state, seats counted from the observer.

    False if seats or columns are impossible, so that no play could follow.
    """
    clear_round(s)
    players = r["num_players"]
    s["round"], s["phase"], s["pot"] = obs[r["at_round"]], obs[r["at_phase"]], obs[r["at_pot"]]
    s["dealer"], s["starter"] = obs[r["at_dealer"]], obs[r["at_starter"]]
    s["to_act"] = obs[r["at_to_act"]]
    s["totals"][:] = 0
    for seat in range(players):
        s["totals"][seat] = obs[r["at_chips"] + seat]
        s["held"][seat] = obs[r["at_hand_sizes"] + seat]
        s["lacks"][seat] = read_plane(obs, r["at_lacks"] + NUM_CARDS * seat)
    s["hands"][0] = read_plane(obs, r["at_hand"])
    seated = s["dealer"] < players and s["starter"] < players and s["to_act"] < players
    return _read_columns(obs, r, s) and seated and s["held"][0] == count(s["hands"][0])


@kernel
def _read_columns(obs, r, s):
    """The columns and what can be played next; False unless each begun one has its six."""
    laid = np.int64(0)
    for suit in range(NUM_SUITS):
        low, high = obs[r["at_column_low"] + suit], obs[r["at_column_high"] + suit]
        s["low"][suit], s["high"][suit] = low, high
        if low > 0 or high > 0:
            if not 0 < low <= SIX + 1 <= high:
                return False
            ranks = (np.int64(1) << high) - (np.int64(1) << (low - 1))
            laid |= ranks << (NUM_RANKS * suit)
    s["laid"], s["playable"] = laid, playable_on(laid)
    return laid == 0 or laid & FIRST_CARD != 0


@kernel
def read_plane(columns, start):
    """The set of cards in 40 columns of 0 and 1."""
    cards = np.int64(0)
    for card in range(NUM_CARDS):
        cards |= np.int64(columns[start + card]) << card
    return cards


@kernel
def _ever_lacked(s, r):
    """The cards that some other seat is known to lack."""
    cards = 0
    for seat in range(1, r["num_players"]):
        cards |= s["lacks"][seat]
    return cards


@kernel
def _num_lacking(s, r, card):
    """How many other seats are known to lack a card."""
    lacking = 0
    for seat in range(1, r["num_players"]):
        lacking += (s["lacks"][seat] >> card) & 1
    return lacking


@kernel
def _room(s, seat, card):
    """How many cards a seat still needs, 0 if it cannot have this one."""
    if (s["lacks"][seat] >> card) & 1:
        return 0
    return max(0, s["held"][seat] - count(s["hands"][seat]))


@kernel
def _deal_one(s, r, card, bits):
    """Deal a card to one of the free places of the seats that may hold it; False if none is."""
    places = 0
    for seat in range(1, r["num_players"]):
        places += _room(s, seat, card)
    place = below(bits, places)
    for seat in range(1, r["num_players"]):
        place -= _room(s, seat, card)
        if place < 0:
            give(s, seat, card)
            return True
    return False


@kernel
def _deal_rest(s, r, cards, key, n):
    """Deal cards that anybody may hold to all free places; False unless they come out even."""
    size, dealt = 0, 0
    while cards != 0:
        s["pack"][size] = lowest(cards)
        cards &= cards - 1
        size += 1
    for seat in range(1, r["num_players"]):
        needs = s["held"][seat] - count(s["hands"][seat])
        if not 0 <= needs <= size - dealt:
            return False
        for _ in range(needs):
            give(s, seat, next_card(s, dealt, size, draw(key, n + dealt)))
            dealt += 1
    return dealt == size
