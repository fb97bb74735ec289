"""Positions and views of Sixes, the chip game, into the kernels' record.

Refused is a position that contradicts itself or the rules, with the field that does; one that play
merely cannot reach is accepted. Nothing is repaired. Sets of cards are whole numbers with a bit for
each card.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from sixth_env.errors import ConfigError, PositionError
from sixth_env.games.cards import SUITS
from sixth_env.games.chips import kernels
from sixth_env.games.chips.cards import NUM_CARDS, NUM_RANKS, SIX, chips_name
from sixth_env.games.chips.notation import card_names
from sixth_env.games.chips.rules import ChipsRules, chips_rules, hand_size
from sixth_env.games.chips.structure import STRUCTURE, Configuration, Position, Table, View
from sixth_env.games.notation import Json
from sixth_env.games.positions import (
    clear,
    expect,
    expect_entries,
    expect_own_hand,
    expect_rules,
    expect_seats,
    without,
)


def load_position(rules: ChipsRules, position: object, state: np.void) -> None:
    """Check a position and write it into ``state``, whose stream key stays.

    Raises:
        PositionError: names the field that is malformed or contradicts another; ``state`` may then
            have been written in part.
    """
    table = STRUCTURE.read_position(position)
    _check_public(rules, table)
    _load(rules, table, state)


def load_view(rules: ChipsRules, view: object, state: np.void) -> None:
    """Write a position that agrees with a view into ``state``, as ``complete_view`` fills it in.

    Raises:
        PositionError: as ``load_position`` and ``complete_view`` do.
    """
    _load(rules, _filled(rules, STRUCTURE.read_view(view)), state)


def complete_view(rules: ChipsRules, view: Json) -> Json:
    """A position that agrees with a view: hidden cards are filled in, none that a seat lacks.

    Raises:
        PositionError: the view is malformed, or no deal of the unseen cards agrees with it.
    """
    hands = _filled(rules, STRUCTURE.read_view(view)).hands
    filled = {**view, "hands": [[chips_name(card) for card in hand] for hand in hands]}
    return without(filled, "player", "legal")


def _load(rules: ChipsRules, table: Position, state: np.void) -> None:
    """Check the hands of a position whose public facts are right, and write it."""
    _check_hands(rules, table, [len(hand) for hand in table.hands])
    _check_cards(table)
    _write(table, state)
    _check_lacks(table, state)


def _names(cards: Iterable[int]) -> str:
    return ", ".join(chips_name(card) for card in cards)


# --- Checks ---------------------------------------------------------------------------------------


def _check_public(rules: ChipsRules, table: Table) -> None:
    """What needs no hand: rules, seats, columns and chips."""
    expect_rules(rules, table, None if table.rules is None else _complete(table.rules))
    expect_entries(table, ("chips", "lacks", "hands"), rules.num_players)
    expect_seats(table, ("dealer", "to_act", "starter"), rules.num_players)
    for suit in SUITS:
        _check_column(table, suit)
    for seat, cards in enumerate(table.lacks):
        expect(len(set(cards)) == len(cards), f"lacks[{seat}] has a card twice: {_names(cards)}")
    _check_chips(rules, table)
    _check_round(rules, table)


def _complete(given: Configuration) -> Json:
    """A configuration as the rule set that it means."""
    try:
        rules = chips_rules(**given.model_dump(exclude={"game"}))
    except ConfigError as error:
        raise PositionError(f"position rules are impossible: {error}") from None
    return {**rules.to_dict(), "game": given.game}


def _check_column(table: Table, suit: str) -> None:
    """A column is of its suit, has its six between its ends, and waits for the 6♦."""
    column = getattr(table.columns, suit)
    if column is None:
        return
    six = NUM_RANKS * SUITS.index(suit) + SIX
    for end in (column.low, column.high):
        expect(
            end // NUM_RANKS == SUITS.index(suit),
            f"columns.{suit} has an end of another suit: {_names([end])}",
        )
    expect(
        column.low <= six <= column.high,
        f"columns.{suit} from {_names([column.low])} to {_names([column.high])} has no six in it",
    )
    expect(table.columns.D is not None, f"columns.{suit} is begun, but the 6D has to be first")


def _check_chips(rules: ChipsRules, table: Table) -> None:
    total = sum(table.chips) + table.pot
    expect(
        total == rules.num_chips,
        f"chips and pot must be {rules.num_chips} chips together, not {total}",
    )
    if table.phase == "play":
        expect(
            table.pot == 0 or any(table.lacks),
            f"pot is {table.pot}, but lacks tells that nobody has passed",
        )
        for seat, chips in enumerate(table.chips):
            expect(
                chips > 0 or bool(table.lacks[seat]),
                f"chips[{seat}] is 0, but lacks[{seat}] tells that the seat has not passed:"
                " the match would have ended with the round before",
            )


def _check_round(rules: ChipsRules, table: Table) -> None:
    last = min(rules.max_rounds, rules.num_rounds or rules.max_rounds)
    expect(table.round <= last, f"round is {table.round}, but there are {last} at most")
    if table.phase == "over":
        expect(table.pot == 0, f"pot must be 0 in phase over, not {table.pot}")
        expect(
            table.round == last or min(table.chips) == 0,
            "phase is over, but somebody has to be out of chips, or the round the last one",
        )


def _check_hands(rules: ChipsRules, table: Table, sizes: list[int]) -> None:
    """No hand is larger than it was dealt, and the right ones are empty."""
    empty = [seat for seat, size in enumerate(sizes) if size == 0]
    for seat, size in enumerate(sizes):
        dealt = hand_size(rules.num_players, table.dealer, seat)
        if seat == table.starter and table.columns.D is not None:
            dealt -= 1
        expect(size <= dealt, f"hands[{seat}] can have {dealt} cards at most, not {size}")
    if table.phase == "play":
        expect(not empty, f"hands{empty} is empty, which ends the round, but phase is play")
    else:
        expect(
            empty == [table.to_act],
            f"hands[{table.to_act}] alone must be empty in phase over: to_act took the round",
        )
    if table.columns.D is None:
        expect(table.to_act == table.starter, "to_act must be starter before the 6D is played")


def _check_cards(table: Position) -> None:
    """Every card is in exactly one hand or column; the 6♦ is with the starter before it lies."""
    laid = _laid(table)
    found = Counter(card for hand in table.hands for card in hand)
    found.update(card for card in range(NUM_CARDS) if laid >> card & 1)
    # A card too many is the cause, the one that is missing for it the symptom.
    for card in sorted(range(NUM_CARDS), key=lambda card: found[card] <= 1):
        places = found[card]
        expect(places == 1, f"has the card {_names([card])} in {places} places, expected 1")
    if table.columns.D is None:
        first = kernels.FIRST_CARD.bit_length() - 1
        expect(
            first in table.hands[table.starter],
            f"starter is {table.starter}, who does not have the 6D",
        )


def _check_lacks(table: Position, s: np.void) -> None:
    """What the passes tell agrees with the hands, the table, and with each other."""
    laid, playable = int(s["laid"]), int(s["playable"])
    closed = playable & kernels.SIXES
    for seat in range(table.players):
        lacks, hand = int(s["lacks"][seat]), int(s["hands"][seat])
        expect(
            lacks & hand == 0,
            f"lacks[{seat}] has {', '.join(card_names(lacks & hand))}, which is in hands[{seat}]",
        )
        never = lacks & ~(laid | playable)
        expect(
            never == 0,
            f"lacks[{seat}] has {', '.join(card_names(never))}, which could not be played yet",
        )
        expect(
            lacks == 0 or closed & ~lacks == 0,
            f"lacks[{seat}] must have {', '.join(card_names(closed & ~lacks))} too, which could be"
            " played whenever the seat passed",
        )
    _check_chain(table, s)


def _check_chain(table: Position, s: np.void) -> None:
    """Of two seats, who passed later lacks every playable card that the other one lacks."""
    open_ = [int(lacks & s["playable"]) for lacks in s["lacks"][: table.players]]
    for one in range(table.players):
        for other in range(one):
            both = open_[one] & open_[other]
            expect(
                both in (open_[one], open_[other]),
                f"lacks[{other}] and lacks[{one}] contradict each other: whoever passed later"
                " lacks all that the other one does of the cards that can be played now",
            )


# --- Writing --------------------------------------------------------------------------------------


def _set(cards: Iterable[int]) -> int:
    return sum(1 << card for card in cards)


def _column_cards(table: Table) -> list[int]:
    """The cards of all columns, each from its six outwards, the 6♦ first."""
    cards = []
    for suit in "DCHS":
        column = getattr(table.columns, suit)
        if column is not None:
            six = NUM_RANKS * SUITS.index(suit) + SIX
            cards += [*range(six, column.low - 1, -1), *range(six + 1, column.high + 1)]
    return cards


def _laid(table: Table) -> int:
    return _set(_column_cards(table))


def _write(table: Position, s: np.void) -> None:
    clear(s)
    kernels.clear_round(s)
    s["dealer"], s["round"], s["pot"] = table.dealer, table.round, table.pot
    s["starter"], s["to_act"] = table.starter, table.to_act
    s["phase"] = kernels.OVER if table.phase == "over" else kernels.PLAY
    for card in _column_cards(table):
        kernels.lay(s, card)
    for seat in range(table.players):
        s["hands"][seat], s["held"][seat] = _set(table.hands[seat]), len(table.hands[seat])
        s["lacks"][seat], s["totals"][seat] = _set(table.lacks[seat]), table.chips[seat]


# --- Views ----------------------------------------------------------------------------------------


def _filled(rules: ChipsRules, table: View) -> Position:
    """A view with its hidden cards filled in; its public facts are checked first."""
    _check_public(rules, table)
    facts = without(dict(table), "player", "legal")
    hands = [sorted(hand) for hand in _fill_hands(table)]
    return Position.model_construct(**{**facts, "hands": hands})


def _fill_hands(table: View) -> list[list[int]]:
    """The own hand of a view, and hands for the others out of the unseen cards.

    The fewer seats may hold a card, the sooner it is dealt: see ``worlds`` for why that suffices.
    """
    hands, room = _own_hand(table)
    own, laid = set(hands[table.player]), _column_cards(table)
    twice = own.intersection(laid)
    if twice or len(own) < len(hands[table.player]):
        raise PositionError(
            f"view hands[{table.player}] has a card twice, or one of the columns: {_names(twice)}"
        )
    unseen = [card for card in range(NUM_CARDS) if card not in own and card not in laid]
    holders = {
        card: [seat for seat in range(table.players) if _may_hold(table, seat, card)]
        for card in unseen
    }
    if len(unseen) != sum(room):
        raise PositionError(f"view hands of the others must be {len(unseen)} cards together")
    for card in sorted(unseen, key=lambda card: len(holders[card])):
        seat = next((seat for seat in holders[card] if room[seat]), None)
        if seat is None:
            raise PositionError(f"view lacks and hands leave no place for the {_names([card])}")
        hands[seat].append(card)
        room[seat] -= 1
    return hands


def _own_hand(table: View) -> tuple[list[list[int]], list[int]]:
    """The hands as far as they are known, and how many cards each still needs."""
    if table.player >= table.players:
        raise PositionError(f"view player must be a seat from 0 to {table.players - 1}")
    hands: list[list[int]] = []
    room: list[int] = []
    for seat, hand in enumerate(table.hands):
        expect_own_hand(hand, seat, table.player)
        hands.append([] if isinstance(hand, int) else hand)
        room.append(hand if isinstance(hand, int) else 0)
    return hands, room


def _may_hold(table: View, seat: int, card: int) -> bool:
    """Whether another seat may hold a card, as far as the view's player knows."""
    if table.columns.D is None and 1 << card == kernels.FIRST_CARD:
        return seat == table.starter and seat != table.player
    return seat != table.player and card not in table.lacks[seat]
