"""Positions and views of the rows games for the tests of their pictures.

They are made directly, not by play: rows ascend, counts agree with the turn, cards are drawn
from the right deck. That is all a renderer relies on.
"""

from __future__ import annotations

from random import Random
from typing import Any

from sixth_env.games.cards import card_index, card_name

Json = dict[str, Any]

ROW_LENGTHS = (5, 1, 3, 5)  # two full rows, one fresh one


def rules(game: str, players: int, **changes: Any) -> Json:
    two_decks = game == "sixth_card" and players > 4
    return {
        "game": game,
        "num_players": players,
        "decks": 2 if two_decks else 1,
        "cards": 52 if game == "sixth_card" else 104,
        "exact_deck": False,
        "target_score": 66,
        "num_rounds": None,
        "row_choice": "player",
        "reward": "penalty",
        "hand_size": 10,
        "rows": 4,
        "row_length": 5,
        **changes,
    }


def position(
    game: str = "sixth_card", players: int = 4, phase: str = "card", turn: int = 1, **changes: Any
) -> Json:
    """A table in the given phase; ``changes`` go into its rules."""
    config = rules(game, players, **changes)
    draw = Random(players)
    deck = list(range(config["cards"])) * config["decks"]
    draw.shuffle(deck)

    def take(count: int) -> list[str | int]:
        return [card_name(game, index) for index in sorted(deck.pop() for _ in range(count))]

    turn = config["hand_size"] if phase == "over" else turn
    left = config["hand_size"] - turn + (1 if phase == "card" else 0)
    hands = [take(left) for _ in range(players)]
    # With ten players nearly the whole deck is in their hands, so what has been played, and the
    # cards in the rows, may repeat cards: a picture does not mind.
    deck = list(range(config["cards"])) * 3
    draw.shuffle(deck)
    played = [take(config["hand_size"] - left) for _ in range(players)]
    rows = [take(min(n, config["row_length"])) for n in ROW_LENGTHS[: config["rows"]]]
    shown = sorted(
        (card_index(game, cards[-1]), seat) for seat, cards in enumerate(played) if cards
    )
    revealed = [{"player": seat, "card": card_name(game, index)} for index, seat in shown]
    return {
        "game": game,
        "players": players,
        "decks": config["decks"],
        "dealer": players - 1,
        "round": 2,
        "turn": turn,
        "phase": phase,
        "hands": hands,
        "rows": rows,
        "piles": [take(draw.choice([0, 1, 5])) for _ in range(players)],
        "totals": [draw.randrange(60) for _ in range(players)],
        "revealed": revealed if phase == "row" else [],
        "played": played,
        "chosen": [None] * players,
        "stock": take(4),
        "rules": config,
    }


def view_of(table: Json, seat: int) -> Json:
    """What ``seat`` may know of a position: other hands and choices, and the stock, are counts."""

    def hide(values: list[Any], count: Any) -> list[Any]:
        return [value if other == seat else count(value) for other, value in enumerate(values)]

    return {
        **table,
        "player": seat,
        "hands": hide(table["hands"], len),
        "chosen": hide(table["chosen"], lambda card: None if card is None else 1),
        "stock": len(table["stock"]),
    }
