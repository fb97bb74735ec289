"""A position of the golf game into the kernels' record, and views into positions.

Refused is a position that contradicts itself or the rules, with the field that does; one that play
merely cannot reach is accepted. Nothing is repaired.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np

from sixth_env.errors import ConfigError, PositionError
from sixth_env.games.golf import kernels
from sixth_env.games.golf.cards import NUM_CARDS, copies, golf_card_name
from sixth_env.games.golf.game import rules_record
from sixth_env.games.golf.notation import PHASES, card_names
from sixth_env.games.golf.rules import SLOTS, GolfRules, sixes_golf_rules
from sixth_env.games.golf.state import NO_CARD, NOBODY, OVER, TURN
from sixth_env.games.golf.structure import STRUCTURE, Configuration, Position, View
from sixth_env.games.notation import Json
from sixth_env.games.positions import (
    clear,
    expect,
    expect_entries,
    expect_rules,
    expect_seats,
    without,
)


def load_position(rules: GolfRules, position: object, state: np.void) -> None:
    """Check a position and write it into ``state``, whose stream key stays.

    Raises:
        PositionError: names the field that is malformed or contradicts another; ``state`` is
            unchanged then.
    """
    _load(rules, STRUCTURE.read_position(position), state)


def load_view(rules: GolfRules, view: object, state: np.void) -> None:
    """Write a position that agrees with a view into ``state``, as ``complete_view`` fills it in.

    Raises:
        PositionError: as ``load_position`` and ``complete_view`` do.
    """
    _load(rules, _filled(rules, STRUCTURE.read_view(view)), state)


def complete_view(rules: GolfRules, view: Json) -> Json:
    """A position that agrees with a view: hidden cards are filled in, lowest first.

    Raises:
        PositionError: the view is malformed, or its hidden cards do not add up.
    """
    filled = _filled(rules, STRUCTURE.read_view(view))
    position = {
        **view,
        "hands": [card_names(hand) for hand in filled.hands],
        "drawn": None if filled.drawn is None else golf_card_name(filled.drawn),
        "draw_pile": card_names(filled.draw_pile),
    }
    return without(position, "player", "legal", "draw_known")


def _load(rules: GolfRules, table: Position, state: np.void) -> None:
    """Check a position of the right shape and write it."""
    given = None if table.rules is None else _complete(table.rules)
    expect_rules(rules, table, given, rounds="num_rounds")
    _check_seats(rules, table)
    _check_cards(rules, table)
    _check_end(table)
    _check_phase(rules, table)
    _check_totals(table)
    _write(rules, table, state)


# --- Checks ---------------------------------------------------------------------------------------


def _complete(given: Configuration) -> Json:
    """A configuration that is possible at all."""
    expect(given.game == "sixes_golf", f"rules.game is {given.game!r}, not 'sixes_golf'")
    try:
        return sixes_golf_rules(**given.model_dump(exclude={"game"})).to_dict()
    except ConfigError as error:
        raise PositionError(f"position rules are impossible: {error}") from None


def _check_seats(rules: GolfRules, table: Position) -> None:
    """Seats exist, and so do round and turn."""
    expect_entries(table, ("hands", "face_up", "totals"), rules.num_players)
    expect_seats(table, ("dealer", "to_act", "knocker", "went_out"), rules.num_players)
    first = 0 if rules.practice_round else 1
    expect(
        first <= table.round <= rules.num_rounds,
        f"round must be from {first} to {rules.num_rounds}, not {table.round}",
    )
    expect(table.turns <= rules.max_turns, f"turns must be at most {rules.max_turns}")


def _check_cards(rules: GolfRules, table: Position) -> None:
    """Every card of the pack is in exactly one place; a drawn card goes with its phase."""
    found = Counter(card for hand in table.hands for card in hand)
    found.update([*table.draw_pile, *table.discard_pile])
    if table.drawn is not None:
        found[table.drawn] += 1
    for card in range(NUM_CARDS):
        name, expected = golf_card_name(card), copies(card, rules.decks)
        expect(
            found[card] == expected, f"has the card {name} {found[card]} times, expected {expected}"
        )
    needed = "needed" if table.phase == "drawn" else "not possible"
    expect(
        (table.drawn is not None) == (table.phase == "drawn"),
        f"drawn is {needed} in phase {table.phase}",
    )


def _ups(table: Position) -> list[int]:
    """How many cards each seat has face up."""
    return [sum(up) for up in table.face_up]


def _ender(table: Position) -> int | None:
    """Who knocked or went out."""
    return table.went_out if table.knocker is None else table.knocker


def _check_end(table: Position) -> None:
    """A knock, going out and the last turns agree."""
    ups, last = _ups(table), table.last_turns
    expect(
        table.knocker is None or table.went_out is None,
        "has both knocker and went_out, but one of the two ends a round",
    )
    expect(
        (_ender(table) is None) == (last is None),
        "last_turns must be null until there is a knocker or went_out, and a number from then on",
    )
    if table.went_out is not None:
        up = ups[table.went_out]
        expect(up == SLOTS, f"went_out is {table.went_out}, who has {up} cards face up")
    if table.knocker is not None and last != 0:
        up = ups[table.knocker]
        expect(up < SLOTS, f"knocker is {table.knocker}, who went out: all cards are face up")


def _check_phase(rules: GolfRules, table: Position) -> None:
    if table.phase == "reveal":
        _check_reveal(rules, table)
    elif table.phase == "over":
        _check_over(rules, table)
    else:
        expect(
            table.turns < rules.max_turns,
            f"turns has reached {rules.max_turns}, the cap: the phase must be over",
        )
        _check_turn(rules, table, table.to_act)


def _check_reveal(rules: GolfRules, table: Position) -> None:
    """Seat by seat from the dealer on, each turns up two cards."""
    players, ups = rules.num_players, _ups(table)
    before = (table.to_act - table.dealer) % players
    for place in range(players):
        seat = (table.dealer + place) % players
        allowed = (2,) if place < before else (0, 1) if place == before else (0,)
        expect(
            ups[seat] in allowed,
            f"face_up[{seat}] has {ups[seat]} cards up, but in phase reveal it is seat"
            f" {table.to_act} that turns up its two",
        )
    expect(_ender(table) is None, "phase is reveal, where nobody has knocked or gone out yet")
    started = table.turns > 0 or table.refilled or len(table.discard_pile) > 1
    expect(not started, "phase is reveal, but turns, refilled or discard_pile tell of a turn")


def _check_turn(rules: GolfRules, table: Position, to_act: int) -> None:
    """Cards face up and the order of seats in a round where ``to_act`` has the next move."""
    players, ups, ender = rules.num_players, _ups(table), _ender(table)
    for seat, up in enumerate(ups):
        expect(up >= 2, f"face_up[{seat}] must have two cards up before the first turn")
    due = players if ender is None else table.last_turns or 0
    expect(ender is None or 1 <= due < players, f"last_turns must be from 1 to {players - 1}")
    if ender is not None:
        expect(table.phase != "knock", "phase is knock, but nobody knocks in the last turns")
        seat = (ender - due) % players
        expect(to_act == seat, f"to_act must be {seat} with {due} last turns after seat {ender}")
    for place in range(due):
        seat = (to_act + place) % players
        expect(ups[seat] < SLOTS, f"face_up[{seat}] is all up, which ended the round before")


def _check_over(rules: GolfRules, table: Position) -> None:
    """The match has come to its end, or the cap has cut it off."""
    if table.last_turns != 0:
        expect(
            table.turns == rules.max_turns,
            f"phase is over, but neither are last_turns 0 nor turns {rules.max_turns}, the cap",
        )
        _check_turn(rules, table, (table.to_act + 1) % rules.num_players)
        return
    last = rules.num_rounds
    expect(table.round == last, f"phase is over in round {table.round}, but {last} are played")
    for seat, up in enumerate(_ups(table)):
        expect(up == SLOTS, f"face_up[{seat}] must be all up in phase over")
    seat = ((_ender(table) or 0) - 1) % rules.num_players
    expect(table.to_act == seat, f"to_act must be {seat}, who moved last")


def _check_totals(table: Position) -> None:
    """Before the first round that counts, nobody has points."""
    before = list(table.totals)
    if table.phase == "over" and table.last_turns == 0:
        points = _points(table)
        before = [total - own for total, own in zip(before, points, strict=True)]
    expect(
        table.round > 1 or not any(before),
        "totals must be 0 before round 1, and its points at the end of a match of one round",
    )


def _points(table: Position) -> list[int]:
    """What each seat writes down at the end of the round."""
    raw = []
    for hand in table.hands:
        pairs = zip(hand[::2], hand[1::2], strict=True)
        raw.append(sum(int(kernels.pair_points(a >> 2, b >> 2)) for a, b in pairs))
    points = list(raw)
    if table.knocker is not None and raw[table.knocker] > min(raw):
        points[table.knocker] = sum(raw)
    return points


# --- Writing --------------------------------------------------------------------------------------


def _write(rules: GolfRules, table: Position, s: np.void) -> None:
    clear(s)
    s["dealer"] = table.dealer
    kernels.clear_round(s, rules_record(rules))
    s["round"], s["turns"], s["refilled"] = table.round, table.turns, table.refilled
    for name, none in (("drawn", NO_CARD), *((n, NOBODY) for n in ENDS)):
        value = getattr(table, name)
        s[name] = none if value is None else value
    over, cut_off = table.phase == "over", table.last_turns != 0
    s["phase"] = (TURN if cut_off else OVER) if over else PHASES.index(table.phase)
    s["to_act"] = (table.to_act + over) % rules.num_players
    for seat, hand in enumerate(table.hands):
        s["hands"][seat] = hand
        s["shown"][seat] = [
            card + 1 if up else 0 for card, up in zip(hand, table.face_up[seat], strict=True)
        ]
        s["totals"][seat] = table.totals[seat]
    for name, pile in (("draw", table.draw_pile), ("discard", table.discard_pile)):
        s[f"{name}_size"] = len(pile)
        s[f"{name}_pile"][: len(pile)] = pile[::-1]
    _write_unseen(table, s)


ENDS = ("knocker", "went_out", "last_turns")


def _write_unseen(table: Position, s: np.void) -> None:
    """The counts of what may be where."""
    hidden = [
        card
        for hand, up in zip(table.hands, table.face_up, strict=True)
        for card, shown in zip(hand, up, strict=True)
        if not shown
    ]
    pile = [*table.draw_pile, *([] if table.drawn is None else [table.drawn])]
    if not table.refilled:
        hidden = pile = [*hidden, *pile]
    for name, cards in (("hidden_ranks", hidden), ("draw_ranks", pile)):
        s[name] = np.bincount([card >> 2 for card in cards], minlength=16)
    s["discarded"] = np.bincount(table.discard_pile, minlength=56)
    if table.refilled:
        s["draw_known"] = np.bincount(pile, minlength=56)


# --- Views ----------------------------------------------------------------------------------------


def _filled(rules: GolfRules, table: View) -> Position:
    """A view with its hidden cards filled in, lowest first."""
    _check_hidden(table)
    left = _unseen(rules, table)
    if table.draw_known is not None:
        left.subtract(table.draw_known)
    _expect_view(min(left.values()) >= 0, "has a card more often than the pack")
    face_down = sorted(left.elements())
    pile = face_down if table.draw_known is None else sorted(table.draw_known)
    hands = [
        [card if card is not None else _next_card(face_down) for card in hand]
        for hand in table.hands
    ]
    drawn = table.drawn
    if drawn == "hidden":
        drawn = _next_card(pile)
    _expect_view(
        table.draw_known is None or not face_down, "draw_known is too short: cards are left over"
    )
    _expect_view(len(pile) == table.draw_pile, f"draw_pile must be {len(pile)}, which are left")
    facts = without(dict(table), "player", "legal", "draw_known")
    facts.update(hands=hands, drawn=drawn, draw_pile=pile)
    return Position.model_construct(**facts)


_expect_view = partial(expect, what="view")


def _next_card(cards: list[int]) -> int:
    _expect_view(bool(cards), "has more cards hidden than are left")
    return cards.pop(0)


def _check_hidden(table: View) -> None:
    """What is hidden from the view's player is left out, and nothing else is."""
    seats = len(table.hands)
    _expect_view(
        len(table.face_up) == seats and max(table.player, table.to_act) < seats,
        "hands, face_up, player and to_act do not agree on the seats",
    )
    for seat, (hand, ups) in enumerate(zip(table.hands, table.face_up, strict=True)):
        for slot, (card, up) in enumerate(zip(hand, ups, strict=True)):
            shown = "a card, for it lies face up" if up else "null, for it lies face down"
            _expect_view((card is not None) == up, f"hands[{seat}][{slot}] must be {shown}")
    if table.phase == "drawn":
        own = table.player == table.to_act
        seen = "a card for who has drawn it" if own else "'hidden' from other players"
        _expect_view(
            table.drawn is not None and (table.drawn == "hidden") != own, f"drawn must be {seen}"
        )
    known = table.draw_known is not None
    _expect_view(known == table.refilled, "draw_known must be given if refilled, else left out")


def _unseen(rules: GolfRules, table: View) -> Counter[int]:
    """How often each card is where the view's player does not see it."""
    left = Counter({card: copies(card, rules.decks) for card in range(NUM_CARDS)})
    left.subtract(table.discard_pile)
    left.subtract(card for hand in table.hands for card in hand if card is not None)
    if isinstance(table.drawn, int):
        left.subtract([table.drawn])
    return left
