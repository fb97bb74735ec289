"""A position of a rows game into the kernels' record, and views into positions.

Refused is a position that contradicts itself or the rules, with the field that does; one that play
merely cannot reach is accepted. Nothing is repaired.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sixth_env.errors import ConfigError, PositionError
from sixth_env.games import get_game
from sixth_env.games.cards import Card, card_index, card_name, penalty_table
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
from sixth_env.games.rows import kernels
from sixth_env.games.rows.game import rules_record
from sixth_env.games.rows.rules import RowsRules
from sixth_env.games.rows.structure import STRUCTURES, Configuration, Position, Table, View


def load_position(rules: RowsRules, position: object, state: np.void) -> None:
    """Check a position and write it into ``state``, whose stream key stays.

    Committed cards (``chosen``) are checked too, but are not part of the record: whoever lets seats
    commit one by one keeps them.

    Raises:
        PositionError: names the field that is malformed or contradicts another; ``state`` may then
            have been written in part.
    """
    _load(rules, STRUCTURES[rules.game].read_position(position), state)


def load_view(rules: RowsRules, view: object, state: np.void) -> None:
    """Write a position that agrees with a view into ``state``, as ``complete_view`` fills it in.

    Raises:
        PositionError: as ``load_position`` and ``complete_view`` do.
    """
    _load(rules, _filled(rules, STRUCTURES[rules.game].read_view(view)), state)


def complete_view(rules: RowsRules, view: Json) -> Json:
    """A position that agrees with a view: hidden cards are filled in, lowest first.

    Raises:
        PositionError: the view is malformed, or its numbers of hidden cards do not add up.
    """
    table = STRUCTURES[rules.game].read_view(view)
    filled = _filled(rules, table)
    position = {
        **view,
        "hands": [_cards(rules, hand) for hand in filled.hands],
        "chosen": [None if card is None else card_name(rules.game, card) for card in filled.chosen],
        "stock": _cards(rules, filled.stock),
    }
    return without(position, "player", "legal")


def _load(rules: RowsRules, table: Position[int], state: np.void) -> None:
    """Check a position of the right shape and write it."""
    given = None if table.rules is None else _complete(table.rules)
    expect_rules(rules, table, given, decks="decks")
    _check_sizes(rules, table)
    _check_cards(rules, table)
    _check_rows(rules, table)
    _check_revealed(rules, table)
    _check_played(rules, table)
    _check_totals(rules, table)
    _check_chosen(rules, table)
    with np.errstate(over="ignore"):
        _write(rules, table, state)
        if table.phase == "row":
            _write_decision(rules, table, state)


def _cards(rules: RowsRules, cards: Iterable[int]) -> list[Card]:
    return [card_name(rules.game, card) for card in cards]


def _names(rules: RowsRules, cards: Iterable[int]) -> str:
    return ", ".join(map(str, _cards(rules, cards)))


# --- Checks ---------------------------------------------------------------------------------------


def _complete(given: Configuration) -> Json:
    """A configuration as the rule set that it means: a number of rounds overrules a target."""
    try:
        game = get_game(given.game)
        rules = game.make_rules(given.model_dump(exclude={"game"}))
    except ConfigError as error:
        raise PositionError(f"position rules are impossible: {error}") from None
    complete: Json = rules.to_dict()
    return complete


def _check_sizes(rules: RowsRules, table: Position[int]) -> None:
    """Seats, rows, phase, turn and the number of cards everywhere fit together."""
    players, turn = rules.num_players, table.turn
    expect_entries(table, ("hands", "piles", "totals", "chosen", "played"), players)
    expect_seats(table, ("dealer",), players)
    expect(len(table.rows) == rules.rows, f"rows must be {rules.rows}, not {len(table.rows)}")
    expect(turn <= rules.hand_size, f"turn {turn} is beyond the {rules.hand_size} of a round")
    if table.phase == "over":
        expect(turn == rules.hand_size, f"phase over needs turn {rules.hand_size}, not {turn}")
    gone = turn - (table.phase == "card")
    left = rules.hand_size - gone
    for seat, hand in enumerate(table.hands):
        expect(
            len(hand) == left,
            f"hands[{seat}] must have {left} cards in turn {turn}, not {len(hand)}",
        )
    laid = len(table.revealed) + sum(len(cards) for cards in (*table.rows, *table.piles))
    expected = rules.rows + players * gone
    expect(
        laid == expected,
        f"rows, piles and revealed must have {expected} cards in turn {turn}, not {laid}",
    )


def _check_cards(rules: RowsRules, table: Position[int]) -> None:
    """Every card of the deck is in exactly one place; hands and piles ascend."""
    found = _counts(rules, *_face_up(table), *table.hands, table.stock)
    copies = [rules.decks if card < rules.cards else 0 for card in range(len(found))]
    if found != copies:
        # A card too many is the cause, the one that is missing for it the symptom.
        wrong = [card for card in range(len(found)) if found[card] != copies[card]]
        card = min(wrong, key=lambda card: found[card] < copies[card])
        raise PositionError(
            f"position has the card {_names(rules, [card])} in {found[card]} places,"
            f" expected {copies[card]}"
        )
    for field, by_seat in (("hands", table.hands), ("piles", table.piles)):
        for seat, cards in enumerate(by_seat):
            if cards != sorted(cards):
                raise PositionError(f"position {field}[{seat}] must ascend: {_names(rules, cards)}")


def _face_up(table: Table[int]) -> list[list[int]]:
    """The cards that everybody sees, by where they lie."""
    return [*table.rows, *table.piles, [entry.card for entry in table.revealed]]


def _counts(rules: RowsRules, *places: Iterable[int]) -> list[int]:
    """How often each card of the ladder lies in these places."""
    counts = [0] * len(penalty_table(rules.game))
    for cards in places:
        for card in cards:
            counts[card] += 1
    return counts


def _check_rows(rules: RowsRules, table: Position[int]) -> None:
    for number, row in enumerate(table.rows):
        expect(
            len(row) <= rules.row_length, f"rows[{number}] has more than {rules.row_length} cards"
        )
        # A twin lies on its twin; with one deck, equal cards have been refused already.
        if row != sorted(row):
            raise PositionError(f"position rows[{number}] must ascend: {_names(rules, row)}")


def _code(rules: RowsRules, table: Position[int], seat: int, card: int) -> int:
    """A number that ascends in placing order: by card, twins from the dealer's left on."""
    return 16 * card + (seat - table.dealer - 1) % rules.num_players


def _codes(rules: RowsRules, table: Position[int]) -> list[int]:
    return [_code(rules, table, entry.player, entry.card) for entry in table.revealed]


def _check_revealed(rules: RowsRules, table: Position[int]) -> None:
    """Cards wait in placing order, and only for a row decision."""
    if table.phase != "row":
        expect(not table.revealed, f"revealed must be empty in phase {table.phase}")
        return
    expect(rules.row_choice == "player", "phase is row, but row_choice lets nobody choose")
    expect(bool(table.revealed), "revealed must begin with the card that a row is chosen for")
    seats = [entry.player for entry in table.revealed]
    expect(max(seats) < rules.num_players, f"revealed has a player {max(seats)}, who is no seat")
    expect(len(set(seats)) == len(seats), "revealed has two cards of one player")
    codes = _codes(rules, table)
    expect(codes == sorted(codes), "revealed must be in placing order")
    for seat, cards in enumerate(table.played or ()):
        if seat not in seats and cards and cards[-1] is not None:
            expect(
                _code(rules, table, seat, cards[-1]) < codes[0],
                f"played[{seat}] ends with {_names(rules, [cards[-1]])}, which has to wait its turn"
                " in revealed",
            )


def _check_played(rules: RowsRules, table: Position[int]) -> None:
    """Cards played are as many as are gone from the hand, and lie on the table now."""
    waiting = {entry.player: entry.card for entry in table.revealed}
    placed: list[list[int]] = []
    for seat, cards in enumerate(table.played or ()):
        gone = rules.hand_size - len(table.hands[seat])
        expect(len(cards) == gone, f"played[{seat}] must have {gone} cards, not {len(cards)}")
        if seat in waiting:
            expect(
                cards[-1] in (waiting[seat], None),
                f"played[{seat}] must end with the revealed {_names(rules, [waiting[seat]])}",
            )
        known = cards[:-1] if seat in waiting else cards
        placed.append([card for card in known if card is not None])
    laid = _counts(rules, *table.rows, *table.piles)
    copies = _counts(rules, *placed)
    astray = [card for card in range(len(laid)) if copies[card] > laid[card]]
    expect(not astray, f"played has {_names(rules, astray)}, not in rows and piles")


def _check_totals(rules: RowsRules, table: Position[int]) -> None:
    """Points, rounds and the phase agree with when a match ends."""
    before = list(table.totals)
    if table.phase == "over":
        before = [t - p for t, p in zip(before, _points(rules, table.piles), strict=True)]
        expect(
            _is_over(rules, table.round, table.totals),
            "phase is over, but totals and round do not end the match",
        )
    expect(min(before) >= 0, "totals must include the points of the piles in phase over")
    expect(table.round > 1 or max(before) == 0, "totals must be 0 before round 1")
    expect(
        not _is_over(rules, table.round - 1, before),
        "totals or round say that the match ended with the round before",
    )


def _is_over(rules: RowsRules, finished: int, totals: Sequence[int]) -> bool:
    """Whether a match ends after so many rounds with these totals."""
    if rules.num_rounds is not None:
        return finished >= rules.num_rounds
    return rules.target_score is not None and max(totals) >= rules.target_score


def _points(rules: RowsRules, piles: Iterable[list[int]]) -> list[int]:
    """The penalty points of each pile or row."""
    penalty = penalty_table(rules.game)
    return [sum(penalty[card] for card in pile) for pile in piles]


def _check_chosen(rules: RowsRules, table: Position[int]) -> None:
    for seat, card in enumerate(table.chosen):
        if card is not None:
            expect(table.phase == "card", f"chosen[{seat}] must be null in phase {table.phase}")
            expect(
                card in table.hands[seat],
                f"chosen[{seat}] must be in hands[{seat}], but {_names(rules, [card])} is not",
            )


# --- Writing --------------------------------------------------------------------------------------


def _write(rules: RowsRules, table: Position[int], s: np.void) -> None:
    """Everything but a row decision."""
    clear(s)
    kernels.clear_round(s)
    s["dealer"], s["round"], s["turn"] = table.dealer, table.round, table.turn
    s["phase"] = ("card", "row", "over").index(table.phase)
    s["held"] = len(table.hands[0])
    keys = int(s["row_keys"])
    for number, row in enumerate(table.rows):
        s["rows"][number, : len(row)] = row
        keys = kernels.put_key(keys, number, kernels.row_key(number, row[-1], len(row)))
    s["row_keys"] = keys
    s["row_size"][: rules.rows] = [len(row) for row in table.rows]
    s["row_points"][: rules.rows] = _points(rules, table.rows)
    s["seen"] = _counts(rules, *_face_up(table))
    players = rules.num_players
    s["totals"][:players], s["points"][:players] = table.totals, _points(rules, table.piles)
    s["hands"][:players, : s["held"]] = table.hands
    if table.played:
        s["played"][:players, : rules.hand_size - int(s["held"])] = [
            [kernels.EMPTY if card is None else card for card in cards] for cards in table.played
        ]
    taker = s["taker"].tolist()
    for seat, pile in enumerate(table.piles):
        for card in pile:
            taker[taker[0][card] != 0][card] = seat + 1
    s["taker"] = taker
    for entry in table.revealed:
        s["played"][entry.player, table.turn - 1] = entry.card


def _write_decision(rules: RowsRules, table: Position[int], s: np.void) -> None:
    """The revealed cards, and the rows that the first one's owner may take."""
    codes = _codes(rules, table)
    s["next"] = rules.num_players - len(codes)
    s["revealed"][s["next"] : rules.num_players] = codes
    first = table.revealed[0].card
    s["choices"] = kernels.row_choices(s, rules_record(rules), first)
    expect(
        int(s["choices"]).bit_count() > 1,
        f"phase is row, but {_names(rules, [first])} leaves no choice of row",
    )


# --- Views ----------------------------------------------------------------------------------------


def _filled(rules: RowsRules, table: View[int]) -> Position[int]:
    """A view with its hidden cards filled in, lowest first."""
    _check_hidden(table)
    unseen, own = _unseen(rules, table), table.player
    hidden = sum(hand for hand in table.hands if isinstance(hand, int))
    expect(
        hidden <= len(unseen), f"hands hide {hidden} cards, but {len(unseen)} are unseen", "view"
    )
    left = len(unseen) - hidden
    expect(left == table.stock, f"stock must be {left}, which are left unseen", "view")
    hands: list[list[int]] = []
    for hand in table.hands:
        if isinstance(hand, int):
            hands.append(unseen[:hand])
            del unseen[:hand]
        else:
            hands.append(hand)
    chosen = [
        _own_choice(rules, own, choice) if seat == own else hands[seat][0] if choice else None
        for seat, choice in enumerate(table.chosen)
    ]
    facts = without(dict(table), "player", "legal")
    facts.update(hands=hands, chosen=chosen, stock=unseen)
    return STRUCTURES[rules.game].position.model_construct(**facts)


def _own_choice(rules: RowsRules, own: int, choice: Card | None) -> int | None:
    try:
        return None if choice is None else card_index(rules.game, choice)
    except ValueError as error:
        raise PositionError(f"view chosen[{own}]: {error}") from None


def _check_hidden(table: View[int]) -> None:
    """What is hidden from the view's player is given as numbers, and nothing else is."""
    own, seats = table.player, len(table.hands)
    expect(
        own < seats and len(table.chosen) == seats,
        "hands, chosen and player do not agree on the seats",
        "view",
    )
    for seat, (hand, choice) in enumerate(zip(table.hands, table.chosen, strict=True)):
        expect_own_hand(hand, seat, own)
        expect(
            seat == own or (choice in (0, 1) and not (choice and not hand)),
            f"chosen[{seat}] must be 1 if a card lies there, else 0",
            "view",
        )


def _unseen(rules: RowsRules, table: View[int]) -> list[int]:
    """The cards that the view's player does not see, ascending."""
    own = table.hands[table.player]
    assert isinstance(own, list)  # as has been checked
    seen = _counts(rules, *_face_up(table), own)
    return [card for card in range(rules.cards) for _ in range(rules.decks - seen[card])]
