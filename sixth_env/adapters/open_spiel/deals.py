"""Chance: what is dealt in each game, one card after another, each with its exact probability.

A hand is dealt lowest card first. The next card is then the lowest of the cards still to come, with
the probability that a uniformly drawn hand gives it, so every hand is reached on one path and not
on one for each order of its cards: of three cards from eight, 56 paths instead of 336.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import comb, factorial, prod
from typing import Any, NamedTuple

import numpy as np

from sixth_env.games.base import Game
from sixth_env.games.cards import card_name, penalty_table
from sixth_env.games.chips.cards import NUM_CARDS as CHIPS_CARDS
from sixth_env.games.chips.cards import SIX_OF_DIAMONDS, chips_name
from sixth_env.games.chips.rules import hand_size
from sixth_env.games.golf.cards import JOKER, copies, golf_card_name
from sixth_env.games.golf.rules import SLOTS
from sixth_env.games.golf.state import DISCARD, DRAW, DRAWN, NO_CARD, PUT, TAKE

Json = dict[str, Any]
Outcomes = list[tuple[int, float]]
ALL = -1  # every seat, as the audience of a note


class Note(NamedTuple):
    """Something that happened, as ``to`` (a seat, or ``ALL``) may remember it."""

    to: int
    text: str
    codes: tuple[int, ...]  # the same as small whole numbers from 0 up


def uniform(values: Sequence[int]) -> Outcomes:
    """Each of the values, all equally likely."""
    return [(value, 1 / len(values)) for value in values]


def lowest_of(left: Sequence[int], count: int) -> Outcomes:
    """The lowest of ``count`` cards that are drawn together from ``left``, which ascend."""
    size = len(left)
    hands = comb(size, count)
    return [(left[i], comb(size - 1 - i, count - 1) / hands) for i in range(size - count + 1)]


class Deal:
    """The chance of one rule set; a game says which cards go where.

    Attributes:
        outcomes_bound: chance outcomes are numbers below it.
        round_codes: how many numbers the notes of one round may take.
        dealt_per_round, draws_per_round: how many chance nodes a deal has, and what follows it.
        tree_size: of how many histories, roughly, all matches consist.
        bound: no seat's reward over a match is larger than this, or less than minus this.
        private: the block of the observation that holds the cards only their owner sees.
        decisions: how many decisions a round may take if seats move one by one.
    """

    outcomes_bound: int
    round_codes: int
    dealt_per_round: int
    draws_per_round = 0
    tree_size = np.inf
    bound: float
    private = "hand"
    decisions: int

    def __init__(self, game: Game, rules: Any, *, random_dealer: bool, first_round: int) -> None:
        self.game, self.rules, self.players = game, rules, int(rules.num_players)
        self._random_dealer, self._first_round = random_dealer, first_round

    # --- Outcomes ----------------------------------------------------------------------------

    def outcomes(self, state: np.void, drawn: tuple[int, ...]) -> Outcomes:
        """What may come next, with probabilities; nothing if all has been dealt."""
        if self._deals_dealer(state) and not drawn:
            return uniform(range(self.players))
        return self._next_card(*self._split(state, drawn))

    def outcome_name(self, state: np.void, drawn: tuple[int, ...], outcome: int) -> str:
        """What an outcome means."""
        if self._deals_dealer(state) and not drawn:
            return f"player {outcome} deals"
        return f"deal {self.name(outcome)}"

    def place(self, position: Json, state: np.void, drawn: tuple[int, ...]) -> Json:
        """A position with the cards dealt anew; ``state`` is its record."""
        dealer, cards = self._split(state, drawn)
        return self._lay({**position, "dealer": dealer}, cards)

    def opening(self, state: np.void, drawn: tuple[int, ...]) -> list[Note]:
        """What everybody sees of a deal."""
        dealer, cards = self._split(state, drawn)
        up = self._face_up(cards)
        text = " ".join([f"dealer {dealer}", *(self.card_name(card) for card in up)])
        return [Note(ALL, text, (dealer, *up))]

    def _deals_dealer(self, state: np.void) -> bool:
        return self._random_dealer and int(state["round"]) == self._first_round

    def _split(self, state: np.void, drawn: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """The dealer, and the cards drawn so far."""
        if self._deals_dealer(state):
            return drawn[0], drawn[1:]
        return int(state["dealer"]), drawn

    def _hand_cards(self, sizes: Sequence[int], deck: int, cards: tuple[int, ...]) -> Outcomes:
        """The next card of the first hand that is not full; nothing if all are."""
        left = sorted(set(range(deck)) - set(cards))
        for size in sizes:
            hand, cards = cards[:size], cards[size:]
            if len(hand) < size:
                above = [card for card in left if not hand or card > hand[-1]]
                return lowest_of(above, size - len(hand))
        return []

    # --- What a game says --------------------------------------------------------------------

    def name(self, card: int) -> str:
        """The name of a card's outcome."""
        return self.card_name(card)

    def card_name(self, card: int) -> str:
        """The name of a card."""
        raise NotImplementedError

    def _next_card(self, dealer: int, cards: tuple[int, ...]) -> Outcomes:
        raise NotImplementedError

    def _lay(self, position: Json, cards: tuple[int, ...]) -> Json:
        raise NotImplementedError

    def _face_up(self, cards: tuple[int, ...]) -> tuple[int, ...]:
        """The cards of a deal that everybody sees."""
        return ()

    def revealed(self, state: np.void, seat: int, action: int) -> tuple[int, ...]:
        """The cards that come to light when a seat takes an action, beyond what it says."""
        return ()

    def closing(self, state: np.void, hands: Sequence[tuple[int, ...]]) -> list[Note]:
        """What is to be remembered of a round that has ended with the hands as they were."""
        return []

    def draws(self, state: np.void) -> bool:
        """Whether a card has been drawn that chance must decide."""
        return False


class RowsDeal(Deal):
    """Sixth Card and 6 nimmt!: hands and rows. Copies of a card are told apart: outcome // decks.

    With one deck the dealer decides nothing, so that chance does not choose one.
    """

    def __init__(self, game: Game, rules: Any) -> None:
        super().__init__(game, rules, random_dealer=rules.decks > 1, first_round=1)
        self._sizes = [rules.hand_size] * self.players
        self.dealt_per_round = 1 + sum(self._sizes) + rules.rows
        self.outcomes_bound = max(rules.deck_size, self.players)
        choices = rules.decks if rules.row_choice == "player" else 0  # in a turn, at most
        self.decisions = rules.hand_size * (self.players + choices)
        self.round_codes = 1 + rules.rows + rules.hand_size * (1 + choices) * self.players
        dealt = [*self._sizes, *[1] * rules.rows, rules.deck_size - sum(self._sizes) - rules.rows]
        deals = factorial(rules.deck_size) // prod(map(factorial, dealt))
        self.tree_size = deals * factorial(rules.hand_size) ** self.players
        points = sum(penalty_table(game.id)[: rules.cards]) * rules.decks
        self.bound = points * rules.num_rounds if rules.num_rounds else points + rules.target_score

    def name(self, card: int) -> str:
        name = self.card_name(card // self.rules.decks)
        return name if self.rules.decks == 1 else f"{name}{'ab'[card % 2]}"

    def card_name(self, card: int) -> str:
        return str(card_name(self.game.id, card))

    def _next_card(self, dealer: int, cards: tuple[int, ...]) -> Outcomes:
        held, deck = sum(self._sizes), self.rules.deck_size
        if len(cards) < held:
            return self._hand_cards(self._sizes, deck, cards)
        if len(cards) < held + self.rules.rows:
            return uniform(sorted(set(range(deck)) - set(cards)))
        return []

    def _lay(self, position: Json, cards: tuple[int, ...]) -> Json:
        size, held = self.rules.hand_size, sum(self._sizes)
        stock = sorted(set(range(self.rules.deck_size)) - set(cards))
        return {
            **position,
            "hands": [self._names(cards[i : i + size]) for i in range(0, held, size)],
            "rows": [self._names([card]) for card in cards[held:]],
            "stock": self._names(stock),
        }

    def _names(self, cards: Sequence[int]) -> list[Any]:
        return [card_name(self.game.id, card // self.rules.decks) for card in cards]

    def _face_up(self, cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(card // self.rules.decks for card in cards[sum(self._sizes) :])


class ChipsDeal(Deal):
    """Sixes, the chip game: all 40 cards to the hands; whoever has the 6♦ starts."""

    outcomes_bound = CHIPS_CARDS
    dealt_per_round = 1 + CHIPS_CARDS

    def __init__(self, game: Game, rules: Any) -> None:
        super().__init__(game, rules, random_dealer=True, first_round=1)
        # Somebody always has a card that fits, so of P turns in a row not all are passes.
        self.decisions = CHIPS_CARDS * self.players
        self.round_codes = 1 + self.decisions + CHIPS_CARDS
        self.bound = rules.num_chips

    def card_name(self, card: int) -> str:
        return chips_name(card)

    def _sizes(self, dealer: int) -> list[int]:
        return [hand_size(self.players, dealer, seat) for seat in range(self.players)]

    def _next_card(self, dealer: int, cards: tuple[int, ...]) -> Outcomes:
        return self._hand_cards(self._sizes(dealer), CHIPS_CARDS, cards)

    def _lay(self, position: Json, cards: tuple[int, ...]) -> Json:
        hands, start = [], 0
        for size in self._sizes(position["dealer"]):
            hands.append(cards[start : start + size])
            start += size
        starter = next(seat for seat, hand in enumerate(hands) if SIX_OF_DIAMONDS in hand)
        names = [[chips_name(card) for card in hand] for hand in hands]
        return {**position, "hands": names, "starter": starter, "to_act": starter}

    def closing(self, state: np.void, hands: Sequence[tuple[int, ...]]) -> list[Note]:
        """Each seat knows what it had left, and nobody else does."""
        return [
            Note(seat, "kept " + " ".join(map(chips_name, hand)), hand)
            for seat, hand in enumerate(hands)
        ]


class GolfDeal(Deal):
    """Sixes, the golf game: cards in slots, the first discard, and every card drawn later.

    Suits matter to nobody, but are dealt: an outcome is a card, with its copies together.
    """

    outcomes_bound = JOKER + 1
    private = "drawn"

    def __init__(self, game: Game, rules: Any) -> None:
        first = 0 if rules.practice_round else 1
        super().__init__(game, rules, random_dealer=True, first_round=first)
        self._pack = Counter({card: copies(card, rules.decks) for card in range(JOKER + 1)})
        self.dealt_per_round, self.draws_per_round = 2 + SLOTS * self.players, rules.max_turns
        # A turn: draw, put or discard, knock or not. Before the first one all turn up two cards.
        self.decisions = 2 * self.players + 3 * rules.max_turns
        codes = 2 + 4 * self.players + 5 * rules.max_turns
        self.round_codes = codes + SLOTS * self.players
        self.bound = rules.num_rounds * 12 * SLOTS * self.players

    def card_name(self, card: int) -> str:
        return golf_card_name(card)

    def outcomes(self, state: np.void, drawn: tuple[int, ...]) -> Outcomes:
        if not self.draws(state):
            return super().outcomes(state, drawn)
        if drawn:
            return []
        pile = state["draw_pile"][: state["draw_size"]].tolist()
        return _by_count(Counter([*pile, int(state["drawn"])]))

    def outcome_name(self, state: np.void, drawn: tuple[int, ...], outcome: int) -> str:
        if self.draws(state):
            return f"draw {golf_card_name(outcome)}"
        return super().outcome_name(state, drawn, outcome)

    def _next_card(self, dealer: int, cards: tuple[int, ...]) -> Outcomes:
        if len(cards) == SLOTS * self.players + 1:
            return []
        return _by_count(self._pack - Counter(cards))

    def place(self, position: Json, state: np.void, drawn: tuple[int, ...]) -> Json:
        if not self.draws(state):
            return super().place(position, state, drawn)
        pile = [*position["draw_pile"], position["drawn"]]
        pile.remove(golf_card_name(drawn[0]))
        return {**position, "draw_pile": pile, "drawn": golf_card_name(drawn[0])}

    def opening(self, state: np.void, drawn: tuple[int, ...]) -> list[Note]:
        return [] if self.draws(state) else super().opening(state, drawn)

    def _lay(self, position: Json, cards: tuple[int, ...]) -> Json:
        names = [golf_card_name(card) for card in cards]
        left = sorted((self._pack - Counter(cards)).elements())  # in no order that counts
        return {
            **position,
            "to_act": position["dealer"],
            "hands": [names[i : i + SLOTS] for i in range(0, len(cards) - 1, SLOTS)],
            "discard_pile": names[-1:],
            "draw_pile": [golf_card_name(card) for card in left],
        }

    def _face_up(self, cards: tuple[int, ...]) -> tuple[int, ...]:
        return cards[-1:]

    def revealed(self, state: np.void, seat: int, action: int) -> tuple[int, ...]:
        hand, drawn = state["hands"][seat], int(state["drawn"])
        if action < DRAW:  # a card is turned up, or replaced by the top discard
            return (int(hand[action % TAKE]),)
        if PUT <= action < DISCARD:
            return (drawn, int(hand[action - PUT]))
        return (drawn,) if action == DISCARD else ()

    def closing(self, state: np.void, hands: Sequence[tuple[int, ...]]) -> list[Note]:
        """All cards are turned up."""
        cards = tuple(int(card) for card in state["hands"][: self.players].ravel())
        return [Note(ALL, "up " + " ".join(map(golf_card_name, cards)), cards)]

    def draws(self, state: np.void) -> bool:
        return int(state["phase"]) == DRAWN and int(state["drawn"]) != NO_CARD


def _by_count(cards: Counter[int]) -> Outcomes:
    """Each card with its share of the copies."""
    total = cards.total()
    return [(card, count / total) for card, count in sorted(cards.items())]


DEALS: dict[str, Callable[[Game, Any], Deal]] = {
    "sixth_card": RowsDeal,
    "six_nimmt": RowsDeal,
    "sixes_chips": ChipsDeal,
    "sixes_golf": GolfDeal,
}
