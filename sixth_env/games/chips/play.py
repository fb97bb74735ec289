"""The rules of Sixes, the chip game, as kernels for one game: the deal and a step.

``s`` is one record of :data:`~sixth_env.games.chips.state.STATE`, changed in place; ``r`` one
record of :data:`~sixth_env.games.chips.state.RULES`, only read. Nothing here allocates. The engine
lifts these functions over a batch.

The rules text is "Sixes" (5 players, 40 cards). The holder of the 6♦ begins with it; each column
is built down to the ace and up to the king from its six, one card a turn. Who can play must; who
cannot pays a chip, if any is left, and passes. The first empty hand takes the pot.
"""

from __future__ import annotations

import numpy as np

from sixth_env.games.base import MATCH_END, ROUND_END, TRUNCATED
from sixth_env.games.chips.cards import NUM_CARDS, NUM_RANKS, SIX
from sixth_env.games.chips.state import (
    FIRST_CARD,
    LOG_DEAL,
    LOG_MATCH,
    LOG_PASS,
    LOG_PLAY,
    LOG_ROUND,
    OPENS_ABOVE,
    OPENS_BELOW,
    OVER,
    PASS,
    PLAY,
    SIXES,
)
from sixth_env.rng import DEAL, DEALER, at, below, draw, kernel, rare, stream


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


# --- Dealing -----------------------------------------------------------------------------------


@kernel
def new_match(s, r, log):
    """Start a match: its first dealer is drawn, and the first round dealt."""
    key = stream(s["seed"], s["game"], s["episode"], 0, DEALER)
    s["dealer"] = below(draw(key, 0), r["num_players"])
    s["round"] = 1
    s["totals"][:] = 0
    s["totals"][: r["num_players"]] = r["starting_chips"]
    deal(s, r, log)


@rare
def deal(s, r, log):
    """Deal all cards, one at a time from the dealer's left; the holder of the 6♦ is to act."""
    clear_round(s)
    for card in range(NUM_CARDS):
        s["pack"][card] = card
    key = stream(s["seed"], s["game"], s["episode"], s["round"], DEAL)
    seat = np.int64(s["dealer"])
    for dealt in range(NUM_CARDS):
        seat = next_seat(seat, r["num_players"])
        give(s, seat, next_card(s, dealt, NUM_CARDS, draw(key, dealt)))
        s["held"][seat] += 1
        if s["hands"][seat] & FIRST_CARD:
            s["starter"] = seat
    s["to_act"] = s["starter"]
    _log(log, LOG_DEAL, s["dealer"], s["round"], 0)


@kernel
def clear_round(s):
    """An empty table before the deal."""
    s["laid"], s["playable"], s["pot"], s["phase"], s["action"] = 0, FIRST_CARD, 0, PLAY, 0
    s["hands"][:] = 0
    s["lacks"][:] = 0
    s["held"][:] = 0
    s["low"][:] = 0
    s["high"][:] = 0


@kernel
def next_card(s, dealt, size, bits):
    """One step of a Fisher-Yates shuffle: a random card of those still in the pack."""
    j = at(dealt + below(bits, size - dealt))
    card = s["pack"][j]
    s["pack"][j] = s["pack"][at(dealt)]
    return np.int64(card)


@kernel
def give(s, seat, card):
    """Add a card to a hand; ``held`` is the caller's."""
    s["hands"][at(seat)] |= np.int64(1) << card


@kernel
def next_seat(seat, players):
    """The seat to the left."""
    return seat + 1 if seat + 1 < players else np.int64(0)


# --- Columns -----------------------------------------------------------------------------------


@kernel
def lay(s, card):
    """Put a card at the end of its column."""
    s["laid"] |= np.int64(1) << card
    s["playable"] = playable_on(s["laid"])
    suit, rank = at(card // NUM_RANKS), card % NUM_RANKS
    if rank <= SIX:
        s["low"][suit] = rank + 1
    if rank >= SIX:
        s["high"][suit] = rank + 1


@kernel
def playable_on(laid):
    """The cards that can be played next: the 6♦, then sixes and what is beside a column's end."""
    if laid == 0:
        return np.int64(FIRST_CARD)
    return (((laid & OPENS_BELOW) >> 1) | ((laid & OPENS_ABOVE) << 1) | SIXES) & ~laid


# --- A step ------------------------------------------------------------------------------------


@kernel
def step(s, r, log):
    """Apply the action that was committed by the seat to act; write ``s["gains"]``.

    Returns the bits ROUND_END, MATCH_END and TRUNCATED. When a round ends and the match goes on,
    the next round is dealt within the step.
    """
    s["gains"][:] = 0
    action, seat = np.int64(s["action"]), np.int64(s["to_act"])
    s["action"] = 0
    if s["phase"] == OVER:
        return 0
    if action == PASS:
        _pass(s, seat, log)
    else:
        lay(s, action)
        s["hands"][at(seat)] &= ~(np.int64(1) << action)
        s["held"][at(seat)] -= 1
        _log(log, LOG_PLAY, seat, action, 0)
        if s["hands"][at(seat)] == 0:
            return _finish_round(s, r, seat, log)
    s["to_act"] = next_seat(seat, r["num_players"])
    return 0


@kernel
def _pass(s, seat, log):
    """Pay a chip, if there is one; everybody learns that no playable card is in the hand."""
    paid = np.int16(1 if s["totals"][at(seat)] > 0 else 0)
    s["totals"][at(seat)] -= paid
    s["gains"][at(seat)] = -paid
    s["pot"] += paid
    s["lacks"][at(seat)] |= s["playable"]
    _log(log, LOG_PASS, seat, 0, paid)


@rare
def _finish_round(s, r, winner, log):
    """Pay the pot; end the match, cut it off, or let who began this round deal the next one."""
    pot = s["pot"]
    s["totals"][winner] += pot
    s["gains"][winner] += pot
    s["pot"] = 0
    _log(log, LOG_ROUND, winner, s["round"], pot)
    over = s["round"] == r["num_rounds"]
    for seat in range(r["num_players"]):
        over = over or s["totals"][seat] == 0
    if over:
        s["phase"] = OVER
        _log(log, LOG_MATCH, 0, 0, 0)
        return ROUND_END | MATCH_END
    if s["round"] >= r["max_rounds"]:
        s["phase"] = OVER
        return ROUND_END | TRUNCATED
    s["round"] += 1
    s["dealer"] = s["starter"]
    deal(s, r, log)
    return ROUND_END


@kernel
def withdraw(s):
    """Forget the noted action: between steps, a record tells of no attempt."""
    s["action"] = 0
