"""What the built-in opponents know about the golf game, as kernels over one observation.

``obs`` are the integer columns (D,) of one observation, ``r`` a record of the kernels' RULES that
says where each block starts (``r["at_…"]``). Points are in hundredths, as in the observation.

A heuristic is a cost ``(obs, r, action) -> float`` of a legal action; the least is played, the
lowest action number on ties.
"""

from __future__ import annotations

from typing import Any

from sixth_env.games.golf.cards import NUM_CARDS, NUM_RANKS
from sixth_env.games.golf.play import count_up, rank_points
from sixth_env.games.golf.rules import SLOTS
from sixth_env.games.golf.seat import pair_mean, random_action, unseen_means
from sixth_env.games.golf.state import (
    DISCARD,
    DO_KNOCK,
    DRAW,
    DRAWN,
    END_TURN,
    KNOCK,
    OVER,
    PUT,
    REVEAL,
    TAKE,
    TURN,
    WAIT,
)
from sixth_env.games.golf.worlds import count_hidden, determinize
from sixth_env.rng import at, below, kernel, mix

# --- Reading an observation ----------------------------------------------------------------------


@kernel
def _in_phase(obs: Any, r: Any, phase: int) -> bool:
    return bool(obs[r["at_phase"] + phase])


@kernel
def _hidden(obs: Any, r: Any) -> int:
    """How many cards of the own hand lie face down."""
    hidden = 0
    for slot in range(SLOTS):
        hidden += int(obs[r["at_face_down"] + slot])
    return hidden


@kernel
def lead(obs: Any, r: Any) -> float:
    """By how much the own hand is expected to be below the lowest of the others."""
    lowest = float(obs[r["at_hand_mean"] + 1])
    for seat in range(2, obs[r["at_num_players"]]):
        lowest = min(lowest, float(obs[r["at_hand_mean"] + seat]))
    return lowest - float(obs[r["at_hand_mean"]])


@kernel
def draw_gain(obs: Any, r: Any) -> float:
    """Points that a draw saves on average: a card goes where it saves most, or is discarded."""
    means = unseen_means(r, obs)
    total, cards = 0.0, 0
    for rank in range(NUM_RANKS):
        copies = int(obs[r["at_draw_ranks"] + rank])
        if copies > 0:
            total += copies * _best_saving(obs, r, rank + 1, means)
            cards += copies
    return total / max(cards, 1)


@kernel
def _best_saving(obs: Any, r: Any, new: int, means: Any) -> float:
    """The most points that a card, given by its rank's code, can save in the own hand, or 0."""
    best = 0.0
    for slot in range(0, SLOTS, 2):
        a = (int(obs[r["at_slots"] + slot]) + 3) >> 2
        b = (int(obs[r["at_slots"] + slot + 1]) + 3) >> 2
        before = pair_mean(r, obs, a, b, means)
        best = max(best, before - pair_mean(r, obs, a, new, means))
        best = max(best, before - pair_mean(r, obs, new, b, means))
    return best


# --- The heuristic -------------------------------------------------------------------------------


@kernel
def careful(obs: Any, r: Any, action: int) -> float:
    """Play what is expected to leave the fewest points in the own hand; knock with a clear lead.

    The first two cards are turned up in different pairs. A card that replaces a hidden one is worth
    a point more than it saves, because one more card of the hand is known then; a move that ends
    the round is worth half the lead. An ace, a joker or a completed pair gives way to a better
    card only: putting a card anywhere costs a trifle, so that it is discarded if nothing is saved.

    Knocking takes a lead of 15 points, and of 2 more for each own card that nobody knows: in their
    last turns the others improve, and a knock that fails is dear. Points a round that one loses to
    three that play like this (4 players, 300 matches in all seats): with a lead of 10, and 1 more
    for each card, 1.42 (standard error 0.15); 12 and 1.5, 0.49 (0.07); 18 and 2, or 15 and 3, none.
    Without the point for a hidden card it loses 0.57 (0.09), without half the lead 0.45 (0.03).
    """
    if _in_phase(obs, r, REVEAL):
        beside = obs[r["at_slots"] + (action ^ 1)]
        return float(action if beside == 0 else action + SLOTS)
    if _in_phase(obs, r, KNOCK):
        knock = 1500.0 + 200.0 * _hidden(obs, r) - lead(obs, r)
        return knock if action == DO_KNOCK else 0.0
    if action == DISCARD:
        return 0.0
    if action == DRAW:
        return -draw_gain(obs, r)
    going_out = _hidden(obs, r) == 1 and obs[r["at_last_turns"]] == 0
    worth = 0.5 * lead(obs, r) if going_out else 100.0  # of a hidden card less
    if action < TAKE:
        return -worth if going_out else 1.0
    if action < DRAW:
        slot, change = action - TAKE, float(obs[r["at_take"] + action - TAKE])
    else:
        slot, change = action - PUT, float(obs[r["at_put"] + action - PUT])
    if not obs[r["at_face_down"] + slot] or (going_out and change > 0.0):
        worth = 0.0
    return change + 1.0 - worth


HEURISTICS = {"careful": careful}

# --- Worlds for playouts -------------------------------------------------------------------------

NO_CAP = 1 << 30


@kernel
def sample_world(obs: Any, key: Any, r: Any, s: Any) -> bool:
    """Sample a world for playouts into ``s``, observer at seat 0; its rules into ``r``.

    The match ends with this round, which counts even if it is the practice round, and no cap cuts
    it off. False, with nothing of use written, if the observation contradicts itself.
    """
    if not (_seats_consistent(obs, r) and _cards_add_up(obs, r, s)):
        return False
    determinize(obs, key, r, s)
    s["round"] = max(s["round"], 1)
    r["num_rounds"] = s["round"]
    r["max_turns"] = NO_CAP
    return True


@kernel
def _seats_consistent(obs: Any, r: Any) -> bool:
    """Whether phase, seats and last turns, each within its bounds, make sense together."""
    players, phases = int(obs[r["at_num_players"]]), 0
    for phase in range(OVER + 1):
        phases += int(obs[r["at_phase"] + phase])
    to_act, last = int(obs[r["at_to_act"]]), int(obs[r["at_last_turns"]])
    knocker, out = int(obs[r["at_knocker"]]), int(obs[r["at_went_out"]])
    if phases != 1 or max(to_act, int(obs[r["at_dealer"]])) >= players or knocker * out != 0:
        return False
    ender = max(knocker, out)
    if ender == 0:
        return last == 0 and (not _in_phase(obs, r, REVEAL) or _reveal_consistent(obs, r))
    if ender > players or last >= players or _in_phase(obs, r, REVEAL):
        return False
    return (last == 0) == _in_phase(obs, r, OVER) and to_act == (ender - 1 - last) % players


@kernel
def _reveal_consistent(obs: Any, r: Any) -> bool:
    """Whether each seat from the dealer to the one to act, and no other, has turned up two."""
    players, dealer = int(obs[r["at_num_players"]]), int(obs[r["at_dealer"]])
    before = (int(obs[r["at_to_act"]]) - dealer) % players
    for place in range(players):
        up, first = 0, r["at_slots"] + (dealer + place) % players * SLOTS
        for slot in range(SLOTS):
            up += obs[first + slot] > 0
        if (place < before and up != 2) or (place == before and up > 1):
            return False
        if place > before and up > 0:
            return False
    return True


@kernel
def _cards_add_up(obs: Any, r: Any, s: Any) -> bool:
    """Whether there are as many cards as places for them, in the hands and in the draw pile."""
    if obs[r["at_discarded"] + obs[r["at_discard"]] - 1] == 0 or not count_hidden(obs, r, s):
        return False
    drawing, drawn = _in_phase(obs, r, DRAWN), obs[r["at_drawn"]] > 0
    if drawn != (drawing and obs[r["at_to_act"]] == 0):
        return False
    places, hidden, known = 0, 0, 0
    for i in range(int(obs[r["at_num_players"]]) * SLOTS):
        places += obs[r["at_slots"] + i] == 0
    for card in range(NUM_CARDS):
        hidden += int(s["discard_pile"][card])
        known += int(obs[r["at_draw_known"] + card])
    pile = int(obs[r["at_draw_pile"]]) + (drawing and not drawn)
    if obs[r["at_refilled"]]:
        return hidden == places and known == pile
    return hidden == places + pile and known == 0


# --- Moves in playouts ---------------------------------------------------------------------------
# Random moves would ruin every hand and knock half of the time, whatever was done before. These
# are careless but to the purpose, and look at cards that lie face up only.

USUAL = 5  # points of an unknown card


@kernel
def playout(s: Any, r: Any, seat: int, bits: Any) -> int:
    """A move in a playout: take or draw what saves points, knock with a lead of ten.

    One turn in eight turns a card up, so that every round comes to its end.
    """
    phase = s["phase"]
    if phase == KNOCK:
        return DO_KNOCK if _rough_lead(s, r, seat) >= 10 else END_TURN
    if phase == DRAWN:
        saving, slot = _rough_saving(s, r, seat, int(s["drawn"]))
        return PUT + slot if saving > 0 else DISCARD
    if phase != TURN or below(bits, 8) == 0:
        return _turn_up_any(s, r, seat, mix(bits))
    saving, slot = _rough_saving(s, r, seat, int(s["discard_pile"][at(s["discard_size"] - 1)]))
    return TAKE + slot if saving >= 4 else DRAW


@kernel
def _turn_up_any(s: Any, r: Any, seat: int, bits: Any) -> int:
    """Turn up a random card of those face down; if none is, move at random."""
    down = SLOTS - count_up(s, seat)
    if down == 0:
        return int(random_action(s, r, seat, bits))
    n = below(bits, down)
    for slot in range(SLOTS):
        n -= s["shown"][at(seat), slot] == 0
        if n < 0:
            return slot
    return WAIT


@kernel
def _rough_saving(s: Any, r: Any, seat: int, card: int) -> Any:
    """The most points that a card saves in a hand, and in which slot."""
    new, best, where = (card >> 2) + 1, -100, 0
    for slot in range(0, SLOTS, 2):
        a = (int(s["shown"][at(seat), slot]) + 3) >> 2
        b = (int(s["shown"][at(seat), slot + 1]) + 3) >> 2
        before = _rough_pair(r, a, b)
        left, right = before - _rough_pair(r, new, b), before - _rough_pair(r, a, new)
        if left > best:
            best, where = left, slot
        if right > best:
            best, where = right, slot + 1
    return best, where


@kernel
def _rough_pair(r: Any, a: int, b: int) -> int:
    """Points of two cards side by side, given by the codes of ranks, 0 where face down."""
    if a > 0 and b > 0:
        return int(r["pair_points"][at(a), at(b)])
    if a + b == 0:
        return 2 * USUAL
    points = int(rank_points(a + b - 1))
    return points if points < 0 else points + USUAL


@kernel
def _rough_lead(s: Any, r: Any, seat: int) -> int:
    """By how much a hand seems to be below the lowest of the others."""
    lowest, own = 1000, 0
    for other in range(r["num_players"]):
        points = 0
        for slot in range(0, SLOTS, 2):
            a = (int(s["shown"][at(other), slot]) + 3) >> 2
            b = (int(s["shown"][at(other), slot + 1]) + 3) >> 2
            points += _rough_pair(r, a, b)
        if other == seat:
            own = points
        else:
            lowest = min(lowest, points)
    return lowest - own
