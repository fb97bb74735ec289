"""The rules of the rows games as kernels for one game, compiled by Numba: the deal and a step.

``s`` is one record of :func:`~sixth_env.games.rows.state.state_type`, changed in place; ``r`` one
of :data:`~sixth_env.games.rows.state.RULES`, only read. Nothing here allocates. The engine lifts
these functions over a batch.

The rules: ``sixth_card`` full rules and ``six_nimmt`` (Wolfgang Kramer, Amigo 1994). A turn is:
everybody's card is revealed, then placed lowest first; where the rules give a card's owner a choice
of row, placing stops until that player has decided.
"""

from __future__ import annotations

import numpy as np

from sixth_env.games.base import MATCH_END, ROUND_END
from sixth_env.games.rows.rules import MAX_ROW_LENGTH, MAX_ROWS
from sixth_env.games.rows.state import (
    CARD,
    EMPTY,
    LANE,
    LOG_DEAL,
    LOG_DECISION,
    LOG_MATCH,
    LOG_PLACE,
    LOG_REVEAL,
    LOG_ROUND,
    LOG_TAKE,
    NO_ROWS,
    OVER,
    ROW,
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
    deal(s, r, log)


@rare
def deal(s, r, log):
    """Shuffle everything and deal a round: hands, then the rows in dealt order."""
    clear_round(s)
    size, shift = r["cards"] * r["decks"], r["decks"] - 1
    for i in range(size):
        s["pack"][i] = i >> shift
    key = stream(s["seed"], s["game"], s["episode"], s["round"], DEAL)
    dealt = deal_hands(s, 0, r["num_players"], r["hand_size"], size, key)
    for row in range(r["rows"]):
        card = _next_card(s, dealt + row, size, draw(key, dealt + row))
        start_row(s, r, row, card)
        s["seen"][card] += 1
    _log(log, LOG_DEAL, s["dealer"], 0, s["round"])


@kernel
def deal_hands(s, first, end, held, size, key):
    """Deal ``held`` cards to each seat in [first, end) from the ``size`` cards of the pack."""
    dealt = 0
    for seat in range(first, end):
        for i in range(held):
            hold(s, at(seat), i, _next_card(s, dealt, size, draw(key, dealt)))
            dealt += 1
    s["held"] = held
    return dealt


@kernel
def _next_card(s, dealt, size, bits):
    """One step of a Fisher-Yates shuffle: a random card of those still in the pack."""
    j = at(dealt + below(bits, size - dealt))
    card = s["pack"][j]
    s["pack"][j] = s["pack"][at(dealt)]
    return card


@kernel
def clear_round(s):
    """An empty table before the deal: no cards anywhere, first turn."""
    s["turn"], s["phase"], s["next"], s["choices"], s["held"] = 1, CARD, 0, 0, 0
    s["points"][:] = 0
    s["hands"][:] = EMPTY
    s["played"][:] = EMPTY
    s["seen"][:] = 0
    s["taker"][:] = 0
    s["row_keys"] = NO_ROWS
    s["row_size"][:] = 0
    s["row_points"][:] = 0


# --- Rows --------------------------------------------------------------------------------------
# A row's key tells where it stands in the order of rows: its end card, then how short it is, then
# how low its number. Among the rows that end at or below a card, the greatest key has the highest
# end; among twin ends, it is the shorter row; among equally long ones, the lower number. So the row
# a card goes to is one maximum. The keys of the four rows share one word, in lanes of 16 bits: it
# stays in a register while cards are placed.


@kernel
def row_key(row, card, size):
    """The key of a row that ends in ``card``."""
    return (np.int64(card) << 6) + ((7 - size) << 3) + (7 - row)


@kernel
def lane(keys, row):
    """The key of a row."""
    return (keys >> (16 * row)) & LANE


@kernel
def put_key(keys, row, key):
    """The keys with that of one row replaced."""
    shift = 16 * row
    return (keys & ~(LANE << shift)) | (key << shift)


@kernel
def key_end(key):
    """The last card of a row in use."""
    return key >> 6


@kernel
def key_size(key):
    """The number of cards in a row in use."""
    return 7 - ((key >> 3) & 7)


@kernel
def key_row(key):
    """The number of the row."""
    return 7 - (key & 7)


@kernel
def start_row(s, r, row, card):
    """Make a card the first and only one of a row."""
    s["rows"][at(row), 0] = card
    s["row_size"][at(row)] = 1
    s["row_points"][at(row)] = r["penalty"][at(card)]
    s["row_keys"] = put_key(s["row_keys"], row, row_key(row, card, 1))


@kernel
def append(s, r, row, card):
    """Lay a card at the end of a row that has room."""
    size = np.int64(s["row_size"][at(row)])
    s["rows"][at(row), at(size)] = card
    s["row_size"][at(row)] = size + 1
    s["row_points"][at(row)] += r["penalty"][at(card)]
    s["row_keys"] = put_key(s["row_keys"], row, row_key(row, card, size + 1))


@kernel
def best_key(keys, card):
    """The key of the row that a card goes to, or 0 if it is too low for all."""
    limit = (card + 1) << 6
    a, b = _below(lane(keys, 0), limit), _below(lane(keys, 1), limit)
    c, d = _below(lane(keys, 2), limit), _below(lane(keys, 3), limit)
    return max(max(a, b), max(c, d))


@kernel
def _below(key, limit):
    """A key that is below a limit, or 0."""
    return key if key < limit else 0


@kernel
def _twin_rows(keys, best):
    """Bit set of the rows whose end and length equal those of ``best``: two for twin ends."""
    rows = 0
    for row in range(MAX_ROWS):
        rows |= (lane(keys, row) >> 3 == best >> 3) << row
    return rows


@kernel
def cheapest_row(s, rows):
    """The row of a bit set with the fewest points, the lowest number on ties."""
    best = 0x7FFF
    for row in range(MAX_ROWS):
        key = (np.int64(s["row_points"][row]) << 3) + row
        best = min(best, key if (rows >> row) & 1 else 0x7FFF)
    return best & 7


@kernel
def row_choices(s, r, card):
    """Bit set of the rows among which a card's owner may choose; 0 if the rules decide."""
    return _choices(s["row_keys"], r, best_key(s["row_keys"], card))


@kernel
def _choices(keys, r, best):
    """As `row_choices`, from the key of the row that the card goes to."""
    if best == 0:
        return (1 << r["rows"]) - 1
    if r["decks"] == 1:
        return 0
    twins = _twin_rows(keys, best)
    return twins if twins & (twins - 1) else 0


# --- A step ------------------------------------------------------------------------------------


@kernel
def step(s, r, log):
    """Apply the actions that were committed, one by every seat; write ``s["gains"]``.

    Returns the bits ROUND_END and MATCH_END. When a round ends and the match goes on, the next
    round is dealt within the step.
    """
    s["gains"][:] = 0
    over = s["phase"] == OVER
    chosen = -1
    if s["phase"] == CARD:
        _reveal(s, r, log)
    elif not over:
        seat = seat_after(s, r, s["revealed"][at(s["next"])] & 15)
        chosen = np.int64(s["actions"][at(seat)]) - r["ladder"]
        s["phase"], s["choices"] = CARD, 0
    withdraw(s)
    if over or not _place_cards(s, r, chosen, log):
        return 0
    s["turn"] += 1
    if s["held"] > 0:
        return 0
    s["turn"] -= 1
    return _finish_round(s, r, log)


@kernel
def withdraw(s):
    """Forget the noted actions: between steps, a record tells of no attempt."""
    s["actions"][:] = 0
    s["slots"][:] = 0


@kernel
def seat_after(s, r, order):
    """The seat that is ``order`` places after the dealer's left."""
    seat = np.int64(s["dealer"]) + 1 + order
    return seat - r["num_players"] if seat >= r["num_players"] else seat


@kernel
def relative_seat(other, seat, players):
    """The place of another seat as counted from this one, clockwise."""
    place = np.int64(other) - seat
    return place + players if place < 0 else place


@kernel
def _reveal(s, r, log):
    """Move everybody's card from the hand to the reveal, in placing order.

    Lowest card first; twins in seat order from the dealer's left.
    """
    players, turn, held = r["num_players"], at(s["turn"] - 1), s["held"] - 1
    for order in range(players):
        seat = at(seat_after(s, r, order))
        card = np.int64(s["actions"][seat])
        hold(s, seat, at(s["slots"][seat]), s["hands"][seat, at(held)])
        s["hands"][seat, at(held)] = EMPTY
        s["played"][seat, turn] = card
        s["seen"][at(card)] += 1
        s["revealed"][order] = card * 16 + order
    _sort(s["revealed"], players)
    s["held"] = held
    s["next"] = 0
    if log["on"]:
        for i in range(players):
            code = s["revealed"][i]
            _log(log, LOG_REVEAL, seat_after(s, r, code & 15), code >> 4, s["turn"])


@kernel
def _sort(codes, count):
    """Sort the first ``count`` codes by minima and maxima alone: no branch can be mispredicted."""
    if count == 4:  # a sorting network, which stays in registers
        a, b, c, d = np.int64(codes[0]), np.int64(codes[1]), np.int64(codes[2]), np.int64(codes[3])
        a, b, c, d = min(a, b), max(a, b), min(c, d), max(c, d)
        a, b, c, d = min(a, c), min(b, d), max(a, c), max(b, d)
        codes[0], codes[1], codes[2], codes[3] = a, min(b, c), max(b, c), d
        return
    for place in range(1, count):
        code = np.int64(codes[place])
        for i in range(place):
            other = np.int64(codes[i])
            codes[i] = min(other, code)
            code = max(other, code)
        codes[place] = code


@kernel
def hold(s, seat, slot, card):
    """Put a card into a hand, and note where."""
    s["hands"][seat, slot] = card
    s["slot"][at(card)] = slot


@kernel
def find_card(s, seat, card):
    """A slot of the seat's hand that holds the card, or -1.

    With one deck, a card is where it was last put; its twin may have been put elsewhere since.
    """
    slot = s["slot"][at(card)]
    if s["hands"][at(seat), slot] == card:
        return np.int64(slot)
    return _search_hand(s, seat, card)


@rare
def _search_hand(s, seat, card):
    """As `find_card`, for a card that is not where its last copy was put: a twin, or none."""
    for slot in range(s["held"]):
        if s["hands"][at(seat), slot] == card:
            return slot
    return -1


@kernel
def _place_cards(s, r, chosen, log):
    """Place the revealed cards from `next` on; False if a player has to choose a row first.

    ``chosen`` is the row that the first card's owner has decided for, or -1.
    """
    keys, players, decks, full = s["row_keys"], r["num_players"], r["decks"], r["row_length"]
    telling = log["on"] != 0  # asked once: a loop over cards is where time goes
    for i in range(s["next"], players):
        code = np.int64(s["revealed"][at(i)])
        card = code >> 4
        key = best_key(keys, card)
        too_low = key == 0
        if too_low or decks > 1:
            row = _row_of_choice(s, r, keys, key, chosen)
            if row < 0:
                s["phase"], s["choices"], s["next"], s["row_keys"] = ROW, -row, i, keys
                _log(log, LOG_DECISION, seat_after(s, r, code & 15), card, -row)
                return False
            key, chosen = lane(keys, row), -1
        row, size = key_row(key), key_size(key)
        if too_low or size == full:
            _take(s, r, row, size, seat_after(s, r, code & 15), log)
            size = 0
        keys = put_key(keys, row, row_key(row, card, size + 1))
        s["rows"][at(row), at(size)] = card
        s["row_size"][at(row)] = size + 1
        s["row_points"][at(row)] += r["penalty"][at(card)]
        if telling:
            _write_log(log, LOG_PLACE, seat_after(s, r, code & 15), card, row)
    s["row_keys"] = keys
    return True


@rare
def _row_of_choice(s, r, keys, best, chosen):
    """The row for a card whose owner may have a choice; minus the choices, if it is to decide."""
    choices = _choices(keys, r, best)
    if choices == 0:
        return key_row(best)
    if chosen >= 0:
        return chosen
    if r["cheapest"] == 0 and choices & (choices - 1):
        return -choices
    return cheapest_row(s, choices)


@rare
def _take(s, r, row, size, seat, log):
    """``seat`` takes a whole row as penalty."""
    if r["decks"] == 1 and log["on"] == 0:
        for i in range(MAX_ROW_LENGTH):  # of known length: how long rows are is not foreseen well
            card = at(s["rows"][at(row), i])  # behind the row's end: one of an earlier row
            s["taker"][0, card] = seat + 1 if i < size else s["taker"][0, card]
    else:
        for i in range(size):
            card = s["rows"][at(row), i]
            copy = 1 if s["taker"][0, card] != 0 else 0
            s["taker"][copy, card] = seat + 1
            _log(log, LOG_TAKE, seat, card, row)
    points = s["row_points"][at(row)]
    s["points"][at(seat)] += points
    s["gains"][at(seat)] -= points
    s["row_points"][at(row)] = 0


@rare
def _finish_round(s, r, log):
    """Write down the points; end the match, or deal the next round from the next seat."""
    highest = 0
    for seat in range(r["num_players"]):
        s["totals"][seat] += s["points"][seat]
        highest = max(highest, s["totals"][seat])
        _log(log, LOG_ROUND, seat, s["points"][seat], s["totals"][seat])
    if r["num_rounds"] > 0:
        over = s["round"] >= r["num_rounds"]
    else:
        over = highest >= r["target_score"]
    if over:
        s["phase"] = OVER
        _log(log, LOG_MATCH, 0, 0, 0)
        return ROUND_END | MATCH_END
    s["round"] += 1
    s["dealer"] = seat_after(s, r, 0)
    deal(s, r, log)
    return ROUND_END
