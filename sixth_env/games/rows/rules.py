"""Configuration of the rows games: validated rule sets, and their form for the kernels."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sixth_env.errors import ConfigError
from sixth_env.games.cards import penalty_table
from sixth_env.games.checks import whole_number

MAX_PLAYERS, MAX_HAND, MAX_ROWS, MAX_ROW_LENGTH, MAX_DECK = 10, 10, 4, 5, 104
MAX_TARGET, MAX_ROUNDS = 999, 999
ROW_CHOICES = ("player", "cheapest")
REWARDS = ("penalty", "relative", "win")


@dataclass(frozen=True, slots=True)
class RowsRules:
    """One rule set: everything that decides how a match is played and rewarded.

    ``cards`` is how many cards of the ladder, counted from the bottom, are in one deck.
    ``target_score`` is ``None`` when a fixed number of rounds is played, and the reverse.
    """

    game: str
    num_players: int
    decks: int
    cards: int
    exact_deck: bool
    target_score: int | None
    num_rounds: int | None
    row_choice: str
    reward: str
    hand_size: int
    rows: int
    row_length: int

    @property
    def deck_size(self) -> int:
        """How many cards are shuffled together."""
        return self.cards * self.decks

    def to_dict(self) -> dict[str, Any]:
        """The whole configuration as plain Python values (the ``"rules"`` of a position)."""
        return asdict(self)


def sixth_card_rules(
    *,
    num_players: int = 4,
    decks: int | None = None,
    exact_deck: bool = False,
    target_score: int | None = 66,
    num_rounds: int | None = None,
    row_choice: str = "player",
    reward: str = "penalty",
    hand_size: int = MAX_HAND,
    rows: int = MAX_ROWS,
    row_length: int = MAX_ROW_LENGTH,
    cards: int | None = None,
) -> RowsRules:
    """The rules of Sixth Card; the defaults are those of its rules text.

    Args:
        num_players: 2-10.
        decks: 1 or 2; by default one for up to four players, two from five on.
        exact_deck: only as many cards as needed (``hand_size`` per player + ``rows``), one deck.
        target_score: the match ends after the round in which someone reaches it (44: short game).
        num_rounds: a fixed number of rounds instead, whatever the totals.
        row_choice: ``"player"``, or ``"cheapest"``: fewest points, lowest row number on ties.
        reward: ``"penalty"``, ``"relative"`` or ``"win"``.
        hand_size, rows, row_length, cards: smaller values make smaller games of the same kind;
            ``cards`` cuts the ladder of each deck to its lowest cards.

    Raises:
        ConfigError: a value is of the wrong type, out of range, or contradicts another.
    """
    _check_players(num_players)
    if decks is None:
        decks = 1 if num_players <= 4 or exact_deck else 2
    if num_players > 4 and exact_deck:
        raise ConfigError(f"exact_deck is for 2-4 players of sixth_card, not {num_players}")
    if num_players > 4 and decks == 1:
        raise ConfigError(f"sixth_card with {num_players} players needs decks=2, not decks=1")
    return _rules(
        game="sixth_card",
        num_players=num_players,
        decks=whole_number("decks", decks, 1, 2),
        exact_deck=exact_deck,
        target_score=target_score,
        num_rounds=num_rounds,
        row_choice=row_choice,
        reward=reward,
        hand_size=hand_size,
        rows=rows,
        row_length=row_length,
        cards=cards,
    )


def six_nimmt_rules(
    *,
    num_players: int = 4,
    decks: int | None = None,
    exact_deck: bool = False,
    target_score: int | None = 66,
    num_rounds: int | None = None,
    row_choice: str = "player",
    reward: str = "penalty",
    hand_size: int = MAX_HAND,
    rows: int = MAX_ROWS,
    row_length: int = MAX_ROW_LENGTH,
    cards: int | None = None,
) -> RowsRules:
    """The rules of 6 nimmt!: as :func:`sixth_card_rules`, with one deck of the numbers 1-104."""
    _check_players(num_players)
    if decks not in (None, 1):
        raise ConfigError(f"decks must be 1 in six_nimmt (each number exists once), not {decks!r}")
    return _rules(
        game="six_nimmt",
        num_players=num_players,
        decks=1,
        exact_deck=exact_deck,
        target_score=target_score,
        num_rounds=num_rounds,
        row_choice=row_choice,
        reward=reward,
        hand_size=hand_size,
        rows=rows,
        row_length=row_length,
        cards=cards,
    )


def _rules(
    *,
    game: str,
    num_players: int,
    decks: int,
    exact_deck: bool,
    target_score: int | None,
    num_rounds: int | None,
    row_choice: str,
    reward: str,
    hand_size: int,
    rows: int,
    row_length: int,
    cards: int | None,
) -> RowsRules:
    """Check what the two games share and build the rule set."""
    whole_number("hand_size", hand_size, 1, MAX_HAND)
    whole_number("rows", rows, 1, MAX_ROWS)
    whole_number("row_length", row_length, 1, MAX_ROW_LENGTH)
    if not isinstance(exact_deck, bool):
        raise ConfigError(f"exact_deck must be True or False, not {exact_deck!r}")
    _choice("row_choice", row_choice, ROW_CHOICES)
    _choice("reward", reward, REWARDS)
    if num_rounds is not None:
        whole_number("num_rounds", num_rounds, 1, MAX_ROUNDS)
        target_score = None
    elif target_score is None:
        raise ConfigError("target_score must be given when num_rounds is not")
    else:
        whole_number("target_score", target_score, 1, MAX_TARGET)
    needed = hand_size * num_players + rows
    ladder = len(penalty_table(game))
    if exact_deck:
        if decks != 1:
            raise ConfigError(f"exact_deck uses one deck, not decks={decks}")
        if cards not in (None, needed):
            raise ConfigError(f"exact_deck uses {needed} cards here, not cards={cards!r}")
        cards = needed
    elif cards is None:
        cards = ladder
    whole_number("cards", cards, 1, ladder)
    if needed > cards * decks:
        raise ConfigError(
            f"{num_players} players with hand_size={hand_size} and rows={rows} need {needed} cards,"
            f" but decks={decks} of {cards} cards hold {cards * decks}"
        )
    return RowsRules(
        game=game,
        num_players=int(num_players),
        decks=int(decks),
        cards=int(cards),
        exact_deck=exact_deck,
        target_score=None if target_score is None else int(target_score),
        num_rounds=None if num_rounds is None else int(num_rounds),
        row_choice=row_choice,
        reward=reward,
        hand_size=int(hand_size),
        rows=int(rows),
        row_length=int(row_length),
    )


def _check_players(num_players: object) -> None:
    whole_number("num_players", num_players, 2, MAX_PLAYERS)


def _choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ConfigError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
