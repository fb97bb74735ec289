"""Cards and actions of Sixes, the chip game, and what must hold in every position of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.slow_turns import Position

RANKS = ["A", "2", "3", "4", "5", "6", "7", "J", "Q", "K"]
SUITS = ["C", "D", "H", "S"]
DECK = [rank + suit for suit in SUITS for rank in RANKS]  # in the order of the action numbers
PASS, WAIT = 40, 41
START = "6D"

RULE_KEYS = {"game", "num_players", "starting_chips", "num_rounds", "max_rounds", "reward"}
POSITION_KEYS = {
    *("game", "players", "dealer", "round", "phase", "to_act", "starter", "hands", "columns"),
    *("chips", "pot", "lacks", "rules"),
}


def action_name(action: int) -> str:
    """Words for an action number."""
    return {PASS: "pass", WAIT: "wait"}[action] if action >= PASS else f"play {DECK[action]}"


def in_order(cards: set[str] | list[str]) -> list[str]:
    """Cards in the order of their action numbers."""
    return sorted(cards, key=DECK.index)


def cards_in(columns: dict[str, Any]) -> list[str]:
    """Every card that has been played: a column holds all from its lowest to its highest."""
    played = []
    for suit in SUITS:
        if columns[suit] is not None:
            low = DECK.index(columns[suit]["low"])
            high = DECK.index(columns[suit]["high"])
            played += DECK[low : high + 1]
    return played


def playable_cards(columns: dict[str, Any]) -> list[str]:
    """The cards that may be played next: the six of diamonds alone until it lies.

    Then the six of each suit without a column, and in each column the cards just below its lowest
    and just above its highest; nothing goes below an ace or above a king.
    """
    if columns["D"] is None:
        return [START]
    cards = []
    for suit in SUITS:
        if columns[suit] is None:
            cards.append("6" + suit)
            continue
        low = RANKS.index(columns[suit]["low"][:-1])
        high = RANKS.index(columns[suit]["high"][:-1])
        if low > 0:
            cards.append(RANKS[low - 1] + suit)
        if high < len(RANKS) - 1:
            cards.append(RANKS[high + 1] + suit)
    return in_order(cards)


def cards_dealt(players: int, dealer: int) -> list[int]:
    """How many of the 40 cards each seat gets, dealt one by one from the dealer's left."""
    counts = [0] * players
    for number in range(len(DECK)):
        counts[(dealer + 1 + number) % players] += 1
    return counts


def is_match_over(rules: dict[str, Any], round_number: int, chips: list[int]) -> bool:
    """Whether the match ends after this round: someone has no chips, or it was the last one."""
    return min(chips) == 0 or rules["num_rounds"] == round_number


def check_position(position: Position) -> None:
    """Raise AssertionError, saying what is wrong, unless the position is consistent."""
    missing = POSITION_KEYS - set(position)
    assert not missing, f"position lacks {sorted(missing)}"
    assert set(position) <= POSITION_KEYS, f"unknown keys {sorted(set(position) - POSITION_KEYS)}"
    rules = position["rules"]
    _check_rules(rules)
    assert position["game"] == rules["game"], "game differs from the rules"
    assert position["players"] == rules["num_players"], "players differs from the rules"
    for key in ("hands", "chips", "lacks"):
        assert len(position[key]) == rules["num_players"], f"{key} needs one entry a seat"
    for key in ("dealer", "to_act", "starter"):
        assert position[key] in range(rules["num_players"]), f"{key} is not a seat"
    assert position["phase"] in ("play", "over"), f"unknown phase {position['phase']!r}"
    _check_columns(position["columns"])
    _check_cards(position)
    _check_chips(position)
    _check_lacks(position)
    _check_phase(position)


def _check_rules(rules: dict[str, Any]) -> None:
    assert set(rules) == RULE_KEYS, f"rules differ in {sorted(set(rules) ^ RULE_KEYS)}"
    assert rules["game"] == "sixes_chips", f"unknown game {rules['game']!r}"
    assert 2 <= rules["num_players"] <= 8, "2 to 8 players"
    assert rules["starting_chips"] >= 1, "everybody starts with chips"
    assert rules["num_rounds"] is None or rules["num_rounds"] >= 1, "at least one round"
    assert rules["max_rounds"] >= 1, "at least one round"
    assert rules["reward"] in ("chips", "relative", "win"), "unknown reward"


def _check_columns(columns: dict[str, Any]) -> None:
    """A column runs from its lowest to its highest card and holds the six that began it."""
    assert set(columns) == set(SUITS), "one column a suit"
    for suit, column in columns.items():
        if column is None:
            continue
        assert set(column) == {"low", "high"}, f"column {suit} has two ends"
        for card in column.values():
            assert card in DECK and card[-1] == suit, f"{card!r} cannot lie in column {suit}"
        six = DECK.index("6" + suit)
        low, high = DECK.index(column["low"]), DECK.index(column["high"])
        assert low <= six <= high, f"column {suit} does not hold its six"
        assert columns["D"] is not None, "the six of diamonds is played first"


def _check_cards(position: Position) -> None:
    """Every card is in one hand or in a column; hands ascend and are no larger than dealt."""
    found: Counter[str] = Counter(cards_in(position["columns"]))
    for seat, hand in enumerate(position["hands"]):
        assert set(hand) <= set(DECK), f"seat {seat} holds {sorted(set(hand) - set(DECK))}"
        assert hand == in_order(hand), f"the hand of seat {seat} does not ascend"
        found.update(hand)
    wrong = [card for card in DECK if found[card] != 1]
    assert not wrong, f"cards missing or too many: {wrong}"
    dealt = cards_dealt(position["players"], position["dealer"])
    for seat, hand in enumerate(position["hands"]):
        assert len(hand) <= dealt[seat], f"seat {seat} was dealt {dealt[seat]} cards"


def _check_chips(position: Position) -> None:
    rules = position["rules"]
    assert min([*position["chips"], position["pot"]]) >= 0, "chips cannot be negative"
    total = sum(position["chips"]) + position["pot"]
    assert total == rules["num_players"] * rules["starting_chips"], f"{total} chips in play"


def _check_lacks(position: Position) -> None:
    """What a pass showed a seat not to hold was playable, so it lies by now or may be played."""
    columns = position["columns"]
    possible = set(cards_in(columns)) | set(playable_cards(columns))
    for seat, lacks in enumerate(position["lacks"]):
        assert len(set(lacks)) == len(lacks), f"lacks of seat {seat} repeats a card"
        held = set(lacks) & set(position["hands"][seat])
        assert not held, f"seat {seat} holds {sorted(held)}, which it lacks"
        assert set(lacks) <= possible, f"lacks of seat {seat} were never playable"
        still = {"6" + suit for suit in SUITS if columns[suit] is None}
        assert not lacks or still <= set(lacks), f"seat {seat} passed, so it has none of {still}"


def _check_phase(position: Position) -> None:
    rules, round_number, chips = position["rules"], position["round"], position["chips"]
    assert 1 <= round_number <= rules["max_rounds"], f"round {round_number} does not exist"
    assert rules["num_rounds"] is None or round_number <= rules["num_rounds"], "too many rounds"
    done = [seat for seat, hand in enumerate(position["hands"]) if not hand]
    if position["phase"] == "over":
        assert len(done) == 1, "a round ends when one seat has played its last card"
        assert position["pot"] == 0, "the winner of the round has the pot"
        capped = round_number == rules["max_rounds"]
        assert capped or is_match_over(rules, round_number, chips), "the match is not over yet"
        return
    assert not done, f"seat {done} has no card left, so the round is over"
    for seat, count in enumerate(chips):
        assert count or position["lacks"][seat], f"seat {seat} began the round without chips"
    assert not position["pot"] or any(position["lacks"]), "chips in the pot come from passes"
    starter, dealt = position["starter"], cards_dealt(position["players"], position["dealer"])
    if position["columns"]["D"] is None:
        assert START in position["hands"][starter], "the starter holds the six of diamonds"
        assert position["to_act"] == starter, "the starter acts first"
    else:
        assert len(position["hands"][starter]) < dealt[starter], "the starter played the 6D"


def check_reachable(position: Position) -> None:
    """Raise AssertionError unless some number of turns leads from a deal to this position.

    Turns go round from the starter. Those in which a seat played no card were passes: there are
    some if and only if it lacks cards, and whoever has chips left paid for each of them.
    """
    check_position(position)
    if position["phase"] == "play":
        turns = range(position["players"] * (len(DECK) + 1))
        assert any(_turns_fit(position, number) for number in turns), "no order of turns fits"


def _turns_fit(position: Position, turns: int) -> bool:
    players, chips, starter = position["players"], position["chips"], position["starter"]
    if (starter + turns) % players != position["to_act"]:
        return False
    dealt = cards_dealt(players, position["dealer"])
    passes = []
    for seat in range(players):
        taken = len(range((seat - starter) % players, turns, players))
        passes.append(taken - (dealt[seat] - len(position["hands"][seat])))
        if passes[seat] < 0 or (passes[seat] > 0) != bool(position["lacks"][seat]):
            return False
    paid_for_sure = sum(passes[seat] for seat in range(players) if chips[seat] > 0)
    return bool(paid_for_sure <= position["pot"] <= sum(passes))
