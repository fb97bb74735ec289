"""A position of a rows game into the kernels' record.

Refused is a position that contradicts itself or the rules, with the field that does; one that play
merely cannot reach is accepted. Nothing is repaired.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from sixth_env.errors import ConfigError, PositionError
from sixth_env.games import get_game
from sixth_env.games.cards import card_name, penalty_table
from sixth_env.games.rows import kernels
from sixth_env.games.rows.game import rules_record
from sixth_env.games.rows.rules import RowsRules
from sixth_env.games.rows.structure import Configuration, Position, read_position

KEY = ("seed", "game", "episode")  # the stream's key, which a position says nothing about


def load_position(rules: RowsRules, position: object, state: np.void) -> None:
    """Check a position and write it into ``state``, whose stream key stays.

    Committed cards (``chosen``) are checked too, but are not part of the record: whoever lets seats
    commit one by one keeps them.

    Raises:
        PositionError: names the field that is malformed or contradicts another; ``state`` may then
            have been written in part.
    """
    table = read_position(rules.game, position)
    _check_rules(rules, table)
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


def _expect(fact: bool, message: str) -> None:
    if not fact:
        raise PositionError(f"position {message}")


def _names(rules: RowsRules, cards: Iterable[int]) -> str:
    return ", ".join(str(card_name(rules.game, card)) for card in cards)


# --- Checks ---------------------------------------------------------------------------------------


def _check_rules(rules: RowsRules, table: Position[int]) -> None:
    """The position is of the environment's rule set, in every respect."""
    own = rules.to_dict()
    given = own if table.rules is None else _complete(table.rules)
    for name, value in given.items():
        _expect(value == own[name], f"rules.{name} is {value!r}, but this game's is {own[name]!r}")
    for field, name in (("game", "game"), ("players", "num_players"), ("decks", "decks")):
        value = getattr(table, field)
        _expect(value == own[name], f"{field} is {value!r}, but this game's is {own[name]!r}")


def _complete(given: Configuration) -> dict[str, Any]:
    """A configuration as the rule set that it means: a number of rounds overrules a target."""
    try:
        game = get_game(given.game)
        rules = game.make_rules(given.model_dump(exclude={"game"}))
    except ConfigError as error:
        raise PositionError(f"position rules are impossible: {error}") from None
    complete: dict[str, Any] = rules.to_dict()
    return complete


def _check_sizes(rules: RowsRules, table: Position[int]) -> None:
    """Seats, rows, phase, turn and the number of cards everywhere fit together."""
    players, turn = rules.num_players, table.turn
    for field in ("hands", "piles", "totals", "chosen", "played"):
        entries = getattr(table, field)
        if entries is not None:
            _expect(len(entries) == players, f"{field} must have {players} entries, one a seat")
    _expect(table.dealer < players, f"dealer must be a seat from 0 to {players - 1}")
    _expect(len(table.rows) == rules.rows, f"rows must be {rules.rows}, not {len(table.rows)}")
    _expect(turn <= rules.hand_size, f"turn {turn} is beyond the {rules.hand_size} of a round")
    if table.phase == "over":
        _expect(turn == rules.hand_size, f"phase over needs turn {rules.hand_size}, not {turn}")
    gone = turn - (table.phase == "card")
    left = rules.hand_size - gone
    for seat, hand in enumerate(table.hands):
        _expect(
            len(hand) == left,
            f"hands[{seat}] must have {left} cards in turn {turn}, not {len(hand)}",
        )
    laid = len(table.revealed) + sum(len(cards) for cards in (*table.rows, *table.piles))
    expected = rules.rows + players * gone
    _expect(
        laid == expected,
        f"rows, piles and revealed must have {expected} cards in turn {turn}, not {laid}",
    )


def _check_cards(rules: RowsRules, table: Position[int]) -> None:
    """Every card of the deck is in exactly one place; hands and piles ascend."""
    found = Counter(entry.card for entry in table.revealed)
    for cards in (*table.hands, *table.rows, *table.piles, table.stock):
        found.update(cards)
    for card in range(len(penalty_table(rules.game))):
        copies = rules.decks if card < rules.cards else 0
        _expect(
            found[card] == copies,
            f"has the card {_names(rules, [card])} in {found[card]} places, expected {copies}",
        )
    for field, by_seat in (("hands", table.hands), ("piles", table.piles)):
        for seat, cards in enumerate(by_seat):
            _expect(cards == sorted(cards), f"{field}[{seat}] must ascend: {_names(rules, cards)}")


def _check_rows(rules: RowsRules, table: Position[int]) -> None:
    for number, row in enumerate(table.rows):
        _expect(
            len(row) <= rules.row_length, f"rows[{number}] has more than {rules.row_length} cards"
        )
        # A twin lies on its twin; with one deck, equal cards have been refused already.
        ascends = all(low <= high for low, high in pairwise(row))
        _expect(ascends, f"rows[{number}] must ascend: {_names(rules, row)}")


def _code(rules: RowsRules, table: Position[int], seat: int, card: int) -> int:
    """A number that ascends in placing order: by card, twins from the dealer's left on."""
    return 16 * card + (seat - table.dealer - 1) % rules.num_players


def _codes(rules: RowsRules, table: Position[int]) -> list[int]:
    return [_code(rules, table, entry.player, entry.card) for entry in table.revealed]


def _check_revealed(rules: RowsRules, table: Position[int]) -> None:
    """Cards wait in placing order, and only for a row decision."""
    if table.phase != "row":
        _expect(not table.revealed, f"revealed must be empty in phase {table.phase}")
        return
    _expect(rules.row_choice == "player", "phase is row, but row_choice lets nobody choose")
    _expect(bool(table.revealed), "revealed must begin with the card that a row is chosen for")
    seats = [entry.player for entry in table.revealed]
    _expect(max(seats) < rules.num_players, f"revealed has a player {max(seats)}, who is no seat")
    _expect(len(set(seats)) == len(seats), "revealed has two cards of one player")
    codes = _codes(rules, table)
    _expect(codes == sorted(codes), "revealed must be in placing order")
    for seat, cards in enumerate(table.played or ()):
        if seat not in seats and cards and cards[-1] is not None:
            _expect(
                _code(rules, table, seat, cards[-1]) < codes[0],
                f"played[{seat}] ends with {_names(rules, [cards[-1]])}, which has to wait its turn"
                " in revealed",
            )


def _check_played(rules: RowsRules, table: Position[int]) -> None:
    """Cards played are as many as are gone from the hand, and lie on the table now."""
    waiting = {entry.player: entry.card for entry in table.revealed}
    placed: Counter[int | None] = Counter()
    for seat, cards in enumerate(table.played or ()):
        gone = rules.hand_size - len(table.hands[seat])
        _expect(len(cards) == gone, f"played[{seat}] must have {gone} cards, not {len(cards)}")
        if seat in waiting:
            _expect(
                cards[-1] in (waiting[seat], None),
                f"played[{seat}] must end with the revealed {_names(rules, [waiting[seat]])}",
            )
        placed.update(cards[:-1] if seat in waiting else cards)
    del placed[None]
    laid = Counter(card for cards in (*table.rows, *table.piles) for card in cards)
    astray = [card for card, copies in placed.items() if card is not None and copies > laid[card]]
    _expect(not astray, f"played has {_names(rules, astray)}, not in rows and piles")


def _check_totals(rules: RowsRules, table: Position[int]) -> None:
    """Points, rounds and the phase agree with when a match ends."""
    before = list(table.totals)
    if table.phase == "over":
        before = [t - p for t, p in zip(before, _points(rules, table), strict=True)]
        _expect(
            _is_over(rules, table.round, table.totals),
            "phase is over, but totals and round do not end the match",
        )
    _expect(min(before) >= 0, "totals must include the points of the piles in phase over")
    _expect(table.round > 1 or max(before) == 0, "totals must be 0 before round 1")
    _expect(
        not _is_over(rules, table.round - 1, before),
        "totals or round say that the match ended with the round before",
    )


def _is_over(rules: RowsRules, finished: int, totals: Sequence[int]) -> bool:
    """Whether a match ends after so many rounds with these totals."""
    if rules.num_rounds is not None:
        return finished >= rules.num_rounds
    return rules.target_score is not None and max(totals) >= rules.target_score


def _points(rules: RowsRules, table: Position[int]) -> list[int]:
    penalty = penalty_table(rules.game)
    return [sum(penalty[card] for card in pile) for pile in table.piles]


def _check_chosen(rules: RowsRules, table: Position[int]) -> None:
    for seat, card in enumerate(table.chosen):
        if card is not None:
            _expect(table.phase == "card", f"chosen[{seat}] must be null in phase {table.phase}")
            _expect(
                card in table.hands[seat],
                f"chosen[{seat}] must be in hands[{seat}], but {_names(rules, [card])} is not",
            )


# --- Writing --------------------------------------------------------------------------------------


def _write(rules: RowsRules, table: Position[int], s: np.void) -> None:
    """Everything but a row decision."""
    r = rules_record(rules)
    for name in set(s.dtype.names or ()) - set(KEY):
        s[name] = 0
    kernels.clear_round(s)
    s["dealer"], s["round"], s["turn"] = table.dealer, table.round, table.turn
    s["phase"] = ("card", "row", "over").index(table.phase)
    s["held"] = len(table.hands[0])
    for number, row in enumerate(table.rows):
        kernels.start_row(s, r, number, row[0])
        for card in row[1:]:
            kernels.append(s, r, number, card)
    seen = [card for cards in (*table.rows, *table.piles) for card in cards]
    for card in (*seen, *(entry.card for entry in table.revealed)):
        s["seen"][card] += 1
    for seat, hand in enumerate(table.hands):
        s["hands"][seat, : len(hand)] = hand
        s["totals"][seat] = table.totals[seat]
        s["points"][seat] = _points(rules, table)[seat]
        for card in table.piles[seat]:
            s["taker"][int(s["taker"][0, card] != 0), card] = seat + 1
        for turn, played in enumerate(table.played[seat] if table.played else ()):
            s["played"][seat, turn] = kernels.EMPTY if played is None else played
    for entry in table.revealed:
        s["played"][entry.player, table.turn - 1] = entry.card


def _write_decision(rules: RowsRules, table: Position[int], s: np.void) -> None:
    """The revealed cards, and the rows that the first one's owner may take."""
    codes = _codes(rules, table)
    s["next"] = rules.num_players - len(codes)
    s["revealed"][s["next"] : rules.num_players] = codes
    first = table.revealed[0].card
    s["choices"] = kernels.row_choices(s, rules_record(rules), first)
    _expect(
        int(s["choices"]).bit_count() > 1,
        f"phase is row, but {_names(rules, [first])} leaves no choice of row",
    )
