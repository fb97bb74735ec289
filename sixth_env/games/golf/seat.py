"""What a seat of the golf game may do and know, as kernels for one game.

Arguments as in :mod:`sixth_env.games.golf.play`; ``obs`` are the integer columns (D,) of one
observation, ``mask`` (A,) an action mask.
"""

from __future__ import annotations

import numpy as np

from sixth_env.games.golf.cards import NUM_CARDS, NUM_RANKS
from sixth_env.games.golf.observation import MAX_TOTAL
from sixth_env.games.golf.play import playing, rank_points
from sixth_env.games.golf.rules import MAX_PLAYERS, SLOTS
from sixth_env.games.golf.state import (
    DISCARD,
    DO_KNOCK,
    DRAW,
    DRAWN,
    END_TURN,
    KNOCK,
    NO_CARD,
    NOBODY,
    PUT,
    TAKE,
    TURN,
    WAIT,
)
from sixth_env.rng import at, below, kernel

# --- What a seat may do --------------------------------------------------------------------------


@kernel
def num_public(r):
    """How many leading columns `observe_public` writes."""
    return r["at_dealer"]


@kernel
def seat_at(s, r, k):
    """The seat of the only row of actions: whose turn it is."""
    return np.int64(s["to_act"])


@kernel
def decides(s, r, seat):
    """Whether a seat has something to decide now."""
    return seat == s["to_act"] and playing(s, r)


@kernel
def score(s, r, seat):
    """The seat's result so far, higher is better: minus its points of the rounds written down."""
    return -s["totals"][seat]


@kernel
def commit(s, r, seat, action):
    """Note a seat's action for the next step; False, if it is not legal now."""
    if not 0 <= action <= WAIT or not _legal(s, r, seat, action):
        return False
    if seat == s["to_act"]:
        s["action"] = action
    return True


@kernel
def _legal(s, r, seat, action):
    if not decides(s, r, seat):
        return action == WAIT
    phase = s["phase"]
    if phase == DRAWN:
        return PUT <= action <= DISCARD
    if phase == KNOCK:
        return DO_KNOCK <= action <= END_TURN
    if action < TAKE:
        return s["shown"][at(seat), at(action)] == 0
    return phase == TURN and action <= DRAW


@kernel
def write_mask(s, r, seat, mask):
    """Write the action mask of a seat, (A,) of 0 and 1; one at `wait` if it decides nothing."""
    mask[:] = 0
    phase = s["phase"]
    if not decides(s, r, seat):
        mask[WAIT] = 1
    elif phase == DRAWN:
        mask[PUT : DISCARD + 1] = 1
    elif phase == KNOCK:
        mask[DO_KNOCK : END_TURN + 1] = 1
    else:
        for slot in range(SLOTS):
            mask[slot] = s["shown"][at(seat), slot] == 0
        if phase == TURN:
            mask[TAKE : DRAW + 1] = 1


@kernel
def random_action(s, r, seat, bits):
    """One of the seat's legal actions, uniformly, from 64 random bits."""
    phase = s["phase"]
    if not decides(s, r, seat):
        return WAIT
    if phase == DRAWN:
        return PUT + below(bits, DISCARD - PUT + 1)
    if phase == KNOCK:
        return DO_KNOCK + below(bits, 2)
    others = DRAW - TAKE + 1 if phase == TURN else 0
    down = 0
    for slot in range(SLOTS):
        down += s["shown"][at(seat), slot] == 0
    n = below(bits, down + others) - others
    if n < 0:
        return DRAW + 1 + n
    for slot in range(SLOTS):
        n -= s["shown"][at(seat), slot] == 0
        if n < 0:
            return slot
    return WAIT


# --- What a seat may know ------------------------------------------------------------------------


@kernel
def observe_public(s, r, obs):
    """Write the columns that every seat sees alike, [0, at_dealer) of the observation table."""
    obs[r["at_num_players"]] = r["num_players"]
    obs[r["at_practice_round"]] = r["practice_round"]
    obs[r["at_round"]] = s["round"]
    obs[r["at_rounds_left"]] = r["num_rounds"] - max(s["round"], 1) + 1
    obs[r["at_max_turns"]] = r["max_turns"]
    obs[r["at_turns_left"]] = r["max_turns"] - s["turns"]
    for phase in range(5):
        obs[at(r["at_phase"] + phase)] = s["phase"] == phase
    obs[r["at_last_turns"]] = max(s["last_turns"], 0)
    obs[r["at_refilled"]] = s["refilled"]
    obs[r["at_draw_pile"]] = s["draw_size"]
    top = np.int64(s["discard_pile"][at(s["discard_size"] - 1)])
    obs[r["at_discard"]] = top + 1
    obs[r["at_discard_points"]] = rank_points(top >> 2)
    discarded = r["at_discarded"]
    for card in range(NUM_CARDS):
        obs[at(discarded + card)] = s["discarded"][card]


@kernel
def relative_seat(other, seat, players):
    """The place of another seat as counted from this one, clockwise."""
    place = np.int64(other) - seat
    return place + players if place < 0 else place


@kernel
def observe_seat(s, r, seat, obs):
    """Write the columns that depend on the observer, [at_dealer, D)."""
    players = np.int64(r["num_players"])
    obs[r["at_dealer"]] = relative_seat(s["dealer"], seat, players)
    obs[r["at_to_act"]] = relative_seat(s["to_act"], seat, players)
    obs[r["at_knocker"]] = _seat_code(s["knocker"], seat, players)
    obs[r["at_went_out"]] = _seat_code(s["went_out"], seat, players)
    drawn = s["drawn"] if seat == s["to_act"] else NO_CARD
    obs[r["at_drawn"]] = drawn + 1 if drawn != NO_CARD else 0
    obs[r["at_drawn_points"]] = rank_points(drawn >> 2) if drawn != NO_CARD else 0
    _observe_hands(s, r, seat, obs)
    _observe_unseen(s, r, drawn, obs)
    _observe_means(r, obs)


@kernel
def _seat_code(other, seat, players):
    return 0 if other == NOBODY else relative_seat(other, seat, players) + 1


@kernel
def _observe_hands(s, r, seat, obs):
    """Totals and cards of every seat, from the observer's on."""
    players, totals, slots = np.int64(r["num_players"]), r["at_totals"], r["at_slots"]
    for place in range(players):
        other = seat + place
        other = other - players if other >= players else other
        obs[at(totals + place)] = min(max(s["totals"][at(other)], -MAX_TOTAL), MAX_TOTAL)
        for slot in range(SLOTS):
            obs[at(slots + slot)] = s["shown"][at(other), slot]
        slots += SLOTS
    for place in range(players, MAX_PLAYERS):
        obs[at(totals + place)] = 0
    used, every = players * SLOTS, MAX_PLAYERS * SLOTS
    slots, down, points = r["at_slots"], r["at_face_down"], r["at_slot_points"]
    obs[slots + used : slots + every] = 0
    for i in range(every):
        obs[at(points + i)] = _code_points(obs[at(slots + i)])
    for i in range(used):
        obs[at(down + i)] = obs[at(slots + i)] == 0
    obs[down + used : down + every] = 0


@kernel
def _code_points(code):
    """Points of a card by its code, 0 for none: 16 bits and no branch, for vectors."""
    rank = np.int16(np.int16(code + 3) >> 2)
    points = min(rank, np.int16(10))
    points = np.int16(-1) if rank == 1 else points
    return np.int16(-2) if rank == 14 else points


@kernel
def _observe_unseen(s, r, drawn, obs):
    """The cards that may be where; the observer knows the card it has just drawn."""
    pile, hidden, known = r["at_draw_ranks"], r["at_hidden_ranks"], r["at_draw_known"]
    for rank in range(NUM_RANKS):
        obs[at(pile + rank)] = s["draw_ranks"][rank]
        obs[at(hidden + rank)] = s["hidden_ranks"][rank]
    for card in range(NUM_CARDS):
        obs[at(known + card)] = s["draw_known"][card]
    if drawn != NO_CARD:
        obs[at(pile + (drawn >> 2))] -= 1
        if s["refilled"]:
            obs[at(known + drawn)] -= 1
        else:
            obs[at(hidden + (drawn >> 2))] -= 1


# --- Expected points -----------------------------------------------------------------------------
# A pair with a hidden card is worth the mean over the cards that may lie there, a pair of two
# hidden cards the mean over all pairs of them. Ranks are coded from 1; code 0 is a hidden card.


@kernel
def rank_code(card_code):
    """The rank's code of a card's code: 0 hidden, 1 the ace … 13 the king, 14 the joker."""
    return (np.int64(card_code) + 3) >> 2


@kernel
def unseen_means(r, obs):
    """What `pair_mean` needs to know of the cards that may lie face down: how many there are, how
    many positive ones, the points of those and of the negative ones, 100 / how many, and the mean
    of a pair of them in hundredths."""
    n, positive, high, low = _pool(obs, r["at_hidden_ranks"])
    both = high * (positive - 1) + low * (n - 1)
    for rank in range(1, NUM_RANKS - 1):
        here = np.int64(obs[at(r["at_hidden_ranks"] + rank)])
        both -= here * (here - 1) * min(rank + 1, 10)
    per_pair = np.divide(200, max(n * (n - 1), 1))
    return n, positive, high, low, np.divide(100, max(n, 1)), per_pair * both


@kernel
def pair_mean(r, obs, a, b, means):
    """Expected points of two cards side by side, given by the codes of ranks, in hundredths."""
    if a > 0 and b > 0:
        return 100.0 * r["pair_points"][at(a), at(b)]
    n, positive, high, low, per_card, both = means
    if a + b == 0:
        return both
    points = rank_points(a + b - 1)
    if points < 0:
        return per_card * (points * n + low)
    same = np.int64(obs[at(r["at_hidden_ranks"] + a + b - 1)])
    return per_card * (points * (positive - 2 * same) + high + low)


@kernel
def _pool(obs, ranks):
    """Of a pool of cards: how many, how many positive, the points of those, of the negative."""
    positive, high = 0, 0
    for rank in range(1, NUM_RANKS - 1):
        here = np.int64(obs[at(ranks + rank)])
        positive += here
        high += here * min(rank + 1, 10)
    aces, jokers = np.int64(obs[at(ranks)]), np.int64(obs[at(ranks + NUM_RANKS - 1)])
    return positive + aces + jokers, positive, high, -aces - 2 * jokers


@kernel
def _observe_means(r, obs):
    """Write the expected points, which follow from the columns of cards."""
    n, _, high, low = _pool(obs, r["at_draw_ranks"])
    obs[r["at_draw_mean"]] = _whole(np.divide(100 * (high + low), max(n, 1)))
    means = unseen_means(r, obs)
    _, _, high, low, per_card, _ = means
    obs[r["at_hidden_mean"]] = _whole(per_card * (high + low))
    players, slots, hand = np.int64(obs[r["at_num_players"]]), r["at_slots"], r["at_hand_mean"]
    for place in range(players):
        points = 0.0
        for slot in range(0, SLOTS, 2):
            a, b = rank_code(obs[at(slots + slot)]), rank_code(obs[at(slots + slot + 1)])
            points += pair_mean(r, obs, a, b, means)
        obs[at(hand + place)] = _whole(points)
        slots += SLOTS
    for place in range(players, MAX_PLAYERS):
        obs[at(hand + place)] = 0
    _observe_swaps(r, obs, means)


@kernel
def _observe_swaps(r, obs, means):
    """For each own slot, what it would change to put the top discard or the drawn card there, and
    how many cards would cancel the one beside it."""
    top, drawn = rank_code(obs[r["at_discard"]]), rank_code(obs[r["at_drawn"]])
    top_alone = pair_mean(r, obs, top, 0, means)
    drawn_alone = pair_mean(r, obs, drawn, 0, means) if drawn > 0 else 0.0
    take, put, mates = r["at_take"], r["at_put"], r["at_mates"]
    for slot in range(0, SLOTS, 2):
        a = rank_code(obs[at(r["at_slots"] + slot)])
        b = rank_code(obs[at(r["at_slots"] + slot + 1)])
        before = pair_mean(r, obs, a, b, means)
        obs[at(take + slot)] = _whole(_swapped(r, top, b, top_alone) - before)
        obs[at(take + slot + 1)] = _whole(_swapped(r, top, a, top_alone) - before)
        obs[at(put + slot)] = 0
        obs[at(put + slot + 1)] = 0
        if drawn > 0:
            obs[at(put + slot)] = _whole(_swapped(r, drawn, b, drawn_alone) - before)
            obs[at(put + slot + 1)] = _whole(_swapped(r, drawn, a, drawn_alone) - before)
        obs[at(mates + slot)] = _mates(r, obs, b)
        obs[at(mates + slot + 1)] = _mates(r, obs, a)


@kernel
def _swapped(r, new, beside, alone):
    """Expected points of a new card beside one that stays, both by codes of ranks."""
    return alone if beside == 0 else 100.0 * r["pair_points"][at(new), at(beside)]


@kernel
def _mates(r, obs, rank):
    """How many cards that a draw may bring would cancel one, given by its rank's code."""
    mates = obs[at(r["at_draw_ranks"] + max(rank, 1) - 1)]
    return mates if 2 <= rank <= 13 else 0


@kernel
def _whole(hundredths):
    """To the nearest integer, halves upwards; of more than -9999."""
    return np.int64(hundredths + 9999.5) - 9999
