"""What the built-in opponents know about the rows games, as kernels over one observation.

``obs`` are the integer columns (D,) of one observation, ``r`` a record of the kernels' RULES that
says where each block starts (``r["at_…"]``); the rules in force are read from the observation.

A heuristic is a cost ``(obs, r, action) -> float`` of a legal action; the least is played, the
lowest action number on ties. In row decisions all of them take the fewest points. The *target* of
a card is the row that it would go to now, and the card *fits* if that row has a free place.
"""

from __future__ import annotations

import math
from typing import Any

from sixth_env.games.rows.kernels import CARD, ROW, determinize
from sixth_env.games.rows.rules import MAX_DECK, MAX_ROW_LENGTH
from sixth_env.rng import kernel

# --- Reading an observation ----------------------------------------------------------------------


@kernel
def _row_size(obs: Any, r: Any, row: int) -> int:
    return int(obs[r["at_row_sizes"] + row])


@kernel
def _row_points(obs: Any, r: Any, row: int) -> int:
    return int(obs[r["at_row_points"] + row])


@kernel
def _row_end(obs: Any, r: Any, row: int) -> int:
    """The last card of a row."""
    last = row * MAX_ROW_LENGTH + _row_size(obs, r, row) - 1
    return int(obs[r["at_row_cards"] + last]) - 1


@kernel
def _free(obs: Any, r: Any, row: int) -> int:
    return int(obs[r["at_row_length"]]) - _row_size(obs, r, row)


@kernel
def _target(obs: Any, r: Any, card: int) -> int:
    """The row that a card would go to now, or -1 if it is too low for all.

    Of two rows ending in twins: the shorter; of equally long ones, as the owner would choose, the
    cheaper.
    """
    best, best_rank = -1, -1
    for row in range(obs[r["at_num_rows"]]):
        end = _row_end(obs, r, row)
        rank = (end * 8 + _free(obs, r, row)) * 256 + 255 - _row_points(obs, r, row)
        if end <= card and rank > best_rank:
            best, best_rank = row, rank
    return best


@kernel
def _cheapest_points(obs: Any, r: Any) -> int:
    """The points of the cheapest row."""
    points = _row_points(obs, r, 0)
    for row in range(1, obs[r["at_num_rows"]]):
        points = min(points, _row_points(obs, r, row))
    return points


@kernel
def _cards_held(obs: Any, r: Any) -> int:
    """How many cards the observer holds."""
    held = 0
    for card in range(r["ladder"]):
        held += obs[r["at_hand"] + card]
    return held


# --- Heuristics ----------------------------------------------------------------------------------


@kernel
def lowest(obs: Any, r: Any, action: int) -> float:
    """Play the lowest card."""
    if action >= r["ladder"]:
        return float(_row_points(obs, r, action - r["ladder"]))
    return float(action)


@kernel
def highest(obs: Any, r: Any, action: int) -> float:
    """Play the highest card."""
    if action >= r["ladder"]:
        return float(_row_points(obs, r, action - r["ladder"]))
    return float(-action)


@kernel
def closest(obs: Any, r: Any, action: int) -> float:
    """Play the fitting card nearest above its row's end; if none fits, what costs least now."""
    if action >= r["ladder"]:
        return float(_row_points(obs, r, action - r["ladder"]))
    row = _target(obs, r, action)
    if row >= 0 and _free(obs, r, row) > 0:
        return float(action - _row_end(obs, r, row))
    points = _cheapest_points(obs, r) if row < 0 else _row_points(obs, r, row)
    return float(1000 + points)  # above every gap


@kernel
def cautious(obs: Any, r: Any, action: int) -> float:
    """Play what is expected to cost least, given how many unseen cards may come in between.

    A card that fits nowhere costs the row it takes. One that fits costs the row if the others fill
    it first, a little for its distance from the end and for cards in the hand that are too low
    for all rows, and less if a near card is held too or the card itself is worth points.

    The weights are those known for the numbers 1-104. The 52-card ladder keeps them but for the
    distance, whose weight per step is halved. Points a round against three ``random`` / three
    ``closest`` (8,000 deals in all seats, standard errors 0.03 / 0.04): weight 0.028, as gaps are
    half as wide, 5.32 / 10.08; 0.014 5.26 / 9.81; 0.007 5.26 / 9.65; without the term 5.27 / 9.51.
    """
    ladder = r["ladder"]
    if action >= ladder:
        return float(_row_points(obs, r, action - ladder))
    row = _target(obs, r, action)
    if row < 0:
        points = _cheapest_points(obs, r)
        return 4.8 * points - (0.45 if points <= 2 else 0.0)
    points, free = _row_points(obs, r, row), _free(obs, r, row)
    if free == 0:
        return 4.8 * points
    end = _row_end(obs, r, row)
    cost = _sixth_card_risk(obs, r, end, action, free) * (0.8 + 0.62 * points)
    cost += 0.014 * ladder / 104 * min(30, action - end - 1)
    cost += 0.11 * _others_too_low(obs, r, action)
    if _holds_next(obs, r, action):
        cost -= 0.14
    cost -= 0.045 * (r["penalty"][action] - 1)
    return float(cost * (1.0 + 0.08 * max(0, 5 - _cards_held(obs, r))))


@kernel
def _sixth_card_risk(obs: Any, r: Any, end: int, card: int, free: int) -> float:
    """How likely the others fill the row's ``free`` places with cards that go before this one.

    A Poisson tail: each of the others is taken to reveal an unseen card, all equally likely. A
    twin of the end would be laid on it, so it counts with the cards between.
    """
    between, unseen = 0, 0
    for other in range(obs[r["at_cards"]]):
        copies = int(obs[r["at_unseen"] + other])
        unseen += copies
        if end <= other < card:
            between += copies
    if unseen == 0:
        return 0.0
    mean = between / unseen * (int(obs[r["at_num_players"]]) - 1)
    term = math.exp(-mean)
    fewer = 0.0
    for n in range(free):
        fewer += term
        term *= mean / (n + 1)
    return 1.0 - fewer


@kernel
def _others_too_low(obs: Any, r: Any, card: int) -> int:
    """How many other cards in the hand lie below every row's end."""
    low = _row_end(obs, r, 0)
    for row in range(1, obs[r["at_num_rows"]]):
        low = min(low, _row_end(obs, r, row))
    count = 0
    for other in range(low):
        count += int(obs[r["at_hand"] + other])
    return count - 1 if card < low else count


@kernel
def _holds_next(obs: Any, r: Any, card: int) -> bool:
    """Whether the hand holds another card at most two steps above this one."""
    held = int(obs[r["at_hand"] + card]) - 1
    for other in range(card + 1, min(card + 3, r["ladder"])):
        held += int(obs[r["at_hand"] + other])
    return held > 0


HEURISTICS = {
    "lowest": lowest,
    "highest": highest,
    "closest": closest,
    "cautious": cautious,
}

# --- Worlds for playouts -------------------------------------------------------------------------


@kernel
def sample_world(obs: Any, key: Any, r: Any, s: Any) -> bool:
    """Sample a world for playouts into ``s``, observer at seat 0; its rules into ``r``.

    The match ends with this round, and whoever may choose a row takes the cheapest. False, with
    nothing written, if the observation contradicts itself.
    """
    if not _consistent(obs, r):
        return False
    determinize(obs, key, r, s)
    r["cheapest"] = 1
    r["num_rounds"] = s["round"]
    return True


@kernel
def _consistent(obs: Any, r: Any) -> bool:
    """Whether a world can be sampled from columns that are within their bounds."""
    players, phase = obs[r["at_num_players"]], obs[r["at_phase"]]
    held, unseen = 0, 0
    for card in range(obs[r["at_cards"]]):
        held += int(obs[r["at_hand"] + card])
        unseen += int(obs[r["at_unseen"] + card])
    turns_left = obs[r["at_hand_size"]] - obs[r["at_turn"]]
    if held != turns_left + (phase == CARD) or not held * (players - 1) <= unseen <= MAX_DECK:
        return False
    for row in range(obs[r["at_num_rows"]]):
        size = _row_size(obs, r, row)
        if not 0 < size <= obs[r["at_row_length"]]:
            return False
        for i in range(size):
            if not 0 < obs[r["at_row_cards"] + row * MAX_ROW_LENGTH + i] <= obs[r["at_cards"]]:
                return False
    return bool(obs[r["at_dealer"]] < players) and (phase != ROW or _reveal_consistent(obs, r))


@kernel
def _reveal_consistent(obs: Any, r: Any) -> bool:
    """Whether the cards waiting to be placed, at least one, have owners at the table."""
    for i in range(obs[r["at_num_players"]]):
        card, owner = obs[r["at_revealed_cards"] + i], obs[r["at_revealed_seats"] + i]
        if card > 0 and not 0 < owner <= obs[r["at_num_players"]]:
            return False
    return bool(obs[r["at_revealed_cards"]] > 0)
