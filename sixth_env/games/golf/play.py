"""The rules of the golf game as kernels for one game, compiled by Numba: the deal and a step.

``s`` is one record of :data:`~sixth_env.games.golf.state.STATE`, changed in place; ``r`` one record
of :data:`~sixth_env.games.golf.state.RULES`, only read. Nothing here allocates. The engine lifts
these functions over a batch.

A turn is one of three moves (take the discard, draw, turn up a card), then the decision to knock or
not. A round ends when everybody has had one last turn after somebody knocked or went out. The text
lets players rearrange their face-down cards unseen: since nobody knows any of them, that changes
nothing that anyone can know, and it is left out.
"""

from __future__ import annotations

import numpy as np

from sixth_env.games.base import MATCH_END, ROUND_END, TRUNCATED
from sixth_env.games.golf.rules import SLOTS
from sixth_env.games.golf.state import (
    DISCARD,
    DO_KNOCK,
    DRAW,
    DRAWN,
    KNOCK,
    LOG_CAP,
    LOG_DEAL,
    LOG_DISCARD,
    LOG_DRAW,
    LOG_HAND,
    LOG_KNOCK,
    LOG_MATCH,
    LOG_OUT,
    LOG_PLACE,
    LOG_REFILL,
    LOG_SCORE,
    LOG_TAKE,
    LOG_TURN_UP,
    NO_CARD,
    NOBODY,
    OVER,
    PUT,
    REVEAL,
    TAKE,
    TURN,
)
from sixth_env.rng import DEAL, DEALER, REFILL, at, below, draw, fold, kernel, rare, stream


@kernel
def _log(log, kind, seat, card, value):
    """Append to the public story of a step, if somebody keeps one."""
    if log["on"]:
        _write_log(log, kind, seat, card, value)


@rare
def _write_log(log, kind, seat, card, value):
    n = log["count"]
    log["kind"][n], log["seat"][n], log["card"][n], log["value"][n] = kind, seat, card, value
    log["count"] = n + 1


# --- Points ------------------------------------------------------------------------------------


@kernel
def rank_points(rank):
    """Points of a rank, 0 the ace … 12 the king, 13 the joker."""
    if rank == 0:
        return -1
    return -2 if rank == 13 else min(rank + 1, 10)


@kernel
def pair_points(a, b):
    """Points of two cards side by side, given by rank.

    Equal positive ranks cancel; a negative card cancels a positive one and keeps its own points.
    """
    x, y = rank_points(a), rank_points(b)
    if x < 0 or y < 0:
        return min(x, 0) + min(y, 0)
    return 0 if a == b else x + y


@kernel
def hand_points(s, seat):
    """The raw score of a hand, face-down cards included."""
    points = 0
    for slot in range(0, SLOTS, 2):
        a, b = np.int64(s["hands"][seat, slot]), np.int64(s["hands"][seat, slot + 1])
        points += pair_points(a >> 2, b >> 2)
    return points


@kernel
def _others_points(s, r, seat):
    """The sum of all other raw scores, and the lowest of them."""
    total, lowest = 0, 1000
    for other in range(r["num_players"]):
        if other != seat:
            points = hand_points(s, other)
            total += points
            lowest = min(lowest, points)
    return total, lowest


@kernel
def round_points(s, r, seat):
    """What a seat writes down: its raw score; a knocker who is not lowest adds all the others'."""
    points = hand_points(s, seat)
    if s["knocker"] == seat:
        total, lowest = _others_points(s, r, seat)
        points += total if lowest < points else 0
    return points


# --- Dealing -----------------------------------------------------------------------------------


@kernel
def new_match(s, r, log):
    """Start a match: its first dealer is drawn, and the first round dealt."""
    key = stream(s["seed"], s["game"], s["episode"], 0, DEALER)
    s["dealer"] = below(draw(key, 0), r["num_players"])
    s["round"] = 1 - r["practice_round"]
    s["totals"][:] = 0
    deal(s, r, log)


@rare
def deal(s, r, log):
    """Shuffle everything and deal a round: six cards each, and the first discard."""
    clear_round(s, r)
    size = 54 * r["decks"]
    for i in range(size):
        s["draw_pile"][i] = min(i >> (r["decks"] - 1), 52)  # the jokers come last
    s["draw_size"] = size
    shuffle(s, stream(s["seed"], s["game"], s["episode"], s["round"], DEAL))
    for seat in range(r["num_players"]):
        for slot in range(SLOTS):
            s["hands"][seat, slot] = pop(s)
    card = pop(s)
    see_unseen(s, card)
    lay_down(s, card)
    _log(log, LOG_DEAL, s["dealer"], card, s["round"])


@kernel
def clear_round(s, r):
    """An empty table before the deal: all cards are unseen."""
    s["turns"], s["phase"], s["to_act"] = 0, REVEAL, s["dealer"]
    s["knocker"], s["went_out"], s["last_turns"] = NOBODY, NOBODY, NOBODY
    s["refilled"], s["drawn"], s["draw_size"], s["discard_size"] = 0, NO_CARD, 0, 0
    s["hands"][:] = 0
    s["shown"][:] = 0
    s["discarded"][:] = 0
    s["draw_known"][:] = 0
    for rank in range(14):
        copies = 4 * r["decks"] if rank < 13 else 2 * r["decks"]
        s["draw_ranks"][rank] = copies
        s["hidden_ranks"][rank] = copies


@kernel
def shuffle(s, key):
    """Shuffle the draw pile (Fisher-Yates)."""
    for i in range(s["draw_size"] - 1, 0, -1):
        j = below(draw(key, i), i + 1)
        card = s["draw_pile"][at(j)]
        s["draw_pile"][at(j)] = s["draw_pile"][at(i)]
        s["draw_pile"][at(i)] = card


@kernel
def pop(s):
    """Take the top card off the draw pile."""
    s["draw_size"] -= 1
    return np.int64(s["draw_pile"][at(s["draw_size"])])


@rare
def _refill(s, log):
    """Make the draw pile of all discards but the top one, shuffled.

    Keyed by the round and its turn, so that neither later deals nor later refills depend on it.
    """
    size = np.int64(s["discard_size"]) - 1
    top = s["discard_pile"][size]
    s["draw_ranks"][:] = 0  # it has told of face-down cards too until now
    for i in range(size):
        card = np.int64(s["discard_pile"][i])
        s["draw_pile"][i] = card
        s["discarded"][card] -= 1
        s["draw_known"][card] += 1
        s["draw_ranks"][card >> 2] += 1
    s["draw_size"], s["discard_size"], s["discard_pile"][0] = size, 1, top
    s["refilled"] = 1
    key = stream(s["seed"], s["game"], s["episode"], s["round"], REFILL)
    shuffle(s, fold(key, s["turns"]))
    _log(log, LOG_REFILL, s["to_act"], 0, size)


# --- Where cards go ----------------------------------------------------------------------------


@kernel
def see_unseen(s, card):
    """A card that lay in the draw pile comes to light."""
    rank = at(card >> 2)
    s["draw_ranks"][rank] -= 1
    if s["refilled"]:
        s["draw_known"][at(card)] -= 1
    else:
        s["hidden_ranks"][rank] -= 1


@kernel
def see_hidden(s, card):
    """A card that lay face down comes to light."""
    rank = at(card >> 2)
    s["hidden_ranks"][rank] -= 1
    if not s["refilled"]:
        s["draw_ranks"][rank] -= 1


@kernel
def lay_down(s, card):
    """Put a card on the discard pile."""
    s["discard_pile"][at(s["discard_size"])] = card
    s["discard_size"] += 1
    s["discarded"][at(card)] += 1


@kernel
def turn_up(s, seat, slot):
    """Turn a face-down card up; returns it."""
    card = np.int64(s["hands"][at(seat), at(slot)])
    s["shown"][at(seat), at(slot)] = card + 1
    see_hidden(s, card)
    return card


@kernel
def _replace(s, seat, slot, card):
    """Put a card into a slot, face up; the replaced one goes on the discard pile, returned."""
    old = np.int64(s["hands"][at(seat), at(slot)])
    if s["shown"][at(seat), at(slot)] == 0:
        see_hidden(s, old)
    lay_down(s, old)
    s["hands"][at(seat), at(slot)] = card
    s["shown"][at(seat), at(slot)] = card + 1
    return old


@kernel
def count_up(s, seat):
    """How many cards of a seat lie face up."""
    up = 0
    for slot in range(SLOTS):
        up += s["shown"][at(seat), slot] != 0
    return up


# --- A step ------------------------------------------------------------------------------------


@kernel
def playing(s, r):
    """Whether somebody has something to decide: the match is neither over nor cut off."""
    return s["phase"] != OVER and s["turns"] < r["max_turns"]


@kernel
def step(s, r, log):
    """Apply the action that was committed by the seat to act; write ``s["gains"]``.

    Returns bits of ROUND_END, MATCH_END and TRUNCATED. When a round ends and the match goes on,
    the next round is dealt within the step.
    """
    s["gains"][:] = 0
    action, seat, phase = np.int64(s["action"]), np.int64(s["to_act"]), s["phase"]
    withdraw(s)
    if not playing(s, r):
        return 0
    if phase == KNOCK:
        if action == DO_KNOCK:
            s["knocker"], s["last_turns"] = seat, r["num_players"]
            _log(log, LOG_KNOCK, seat, 0, 0)
        return _end_turn(s, r, log)
    if phase == DRAWN:
        _use_drawn(s, seat, action, log)
    elif action == DRAW:
        _draw_card(s, seat, log)
        return 0
    elif action >= TAKE:
        _take_discard(s, seat, action - TAKE, log)
    else:
        card = turn_up(s, seat, action)
        _log(log, LOG_TURN_UP, seat, card, action)
        if phase == REVEAL:
            return _next_reveal(s, r, seat)
    return _end_move(s, r, seat, log)


@kernel
def withdraw(s):
    """Forget the noted action: between steps, a record tells of no attempt."""
    s["action"] = 0


@kernel
def seat_after(s, r, seat):
    """The seat to the left."""
    return seat + 1 if seat + 1 < r["num_players"] else 0


@kernel
def _next_reveal(s, r, seat):
    """Each seat from the dealer on turns up two cards; then the dealer takes the first turn."""
    if count_up(s, seat) == 2:
        s["to_act"] = seat_after(s, r, seat)
        s["phase"] = TURN if s["to_act"] == s["dealer"] else REVEAL
    return 0


@kernel
def _draw_card(s, seat, log):
    """Draw, from the discards if the draw pile is empty."""
    if s["draw_size"] == 0:
        _refill(s, log)
    s["drawn"] = pop(s)
    s["phase"] = DRAWN
    _log(log, LOG_DRAW, seat, s["drawn"], 0)


@kernel
def _use_drawn(s, seat, action, log):
    """Put the drawn card into a slot, or discard it."""
    card = np.int64(s["drawn"])
    s["drawn"] = NO_CARD
    see_unseen(s, card)
    if action == DISCARD:
        lay_down(s, card)
        _log(log, LOG_DISCARD, seat, card, 0)
    else:
        old = _replace(s, seat, action - PUT, card)
        _log(log, LOG_PLACE, seat, card, (action - PUT) * 64 + old)


@kernel
def _take_discard(s, seat, slot, log):
    """Swap the top discard with a card of the hand."""
    s["discard_size"] -= 1
    card = np.int64(s["discard_pile"][at(s["discard_size"])])
    s["discarded"][at(card)] -= 1
    old = _replace(s, seat, slot, card)
    _log(log, LOG_TAKE, seat, card, slot * 64 + old)


@kernel
def _end_move(s, r, seat, log):
    """After a move: going out, or the decision to knock, or neither in the last turns."""
    if s["last_turns"] == NOBODY:
        if count_up(s, seat) < SLOTS:
            s["phase"] = KNOCK
            return 0
        s["went_out"], s["last_turns"] = seat, r["num_players"]
        _log(log, LOG_OUT, seat, 0, 0)
    return _end_turn(s, r, log)


@kernel
def _end_turn(s, r, log):
    """The turn passes to the left; after the last turns the round ends, at the cap the match."""
    s["turns"] += 1
    s["phase"] = TURN
    s["to_act"] = seat_after(s, r, s["to_act"])
    if s["last_turns"] != NOBODY:
        s["last_turns"] -= 1
        if s["last_turns"] == 0:
            return _finish_round(s, r, log)
    if s["turns"] >= r["max_turns"]:
        _log(log, LOG_CAP, 0, 0, s["turns"])
        return TRUNCATED
    return 0


@rare
def _finish_round(s, r, log):
    """Write down the points; end the match, or deal the next round from the next seat."""
    counts = s["round"] > 0
    for seat in range(r["num_players"]):
        for slot in range(SLOTS):
            _log(log, LOG_HAND, seat, s["hands"][seat, slot], slot)
    for seat in range(r["num_players"]):
        points = round_points(s, r, seat)
        if counts:
            s["gains"][seat] = -points
            s["totals"][seat] += points
        _log(log, LOG_SCORE, seat, hand_points(s, seat), 0)
        _log(log, LOG_SCORE, seat, points, 0)
        _log(log, LOG_SCORE, seat, s["totals"][seat], 0)
    if s["round"] == r["num_rounds"]:
        s["phase"] = OVER
        for seat in range(r["num_players"]):
            for slot in range(SLOTS):
                if s["shown"][seat, slot] == 0:
                    turn_up(s, seat, slot)
        _log(log, LOG_MATCH, 0, 0, 0)
        return ROUND_END | MATCH_END
    s["round"] += 1
    s["dealer"] = seat_after(s, r, s["dealer"])
    deal(s, r, log)
    return ROUND_END
