"""The check of saved records: what the kernels rely on, for many games at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixth_env.games.chips.cards import NUM_RANKS, NUM_SUITS
from sixth_env.games.chips.rules import MAX_PLAYERS, ChipsRules
from sixth_env.games.chips.seat import count
from sixth_env.games.chips.state import (
    ALL_CARDS,
    FIRST_CARD,
    OPENS_ABOVE,
    OPENS_BELOW,
    OVER,
    PLAY,
    SIXES,
)
from sixth_env.games.records import expect, expect_bounds


def check_records(rules: ChipsRules, states: NDArray[np.void]) -> None:
    """Raise ``PositionError`` unless the kernels may go on from each of the records (B,)."""
    players, chips = rules.num_players, rules.num_chips
    expect_bounds(
        states,
        episode=(0, 2**63 - 1),
        round=(1, rules.num_rounds or rules.max_rounds),
        phase=(PLAY, OVER),
        **dict.fromkeys(("dealer", "starter", "to_act"), (0, players - 1)),
        **dict.fromkeys(("hands", "lacks", "laid", "playable"), (0, ALL_CARDS)),
        **dict.fromkeys(("low", "high"), (0, NUM_RANKS)),
        **dict.fromkeys(("totals", "pot"), (0, chips)),
        action=(0, 0),
    )
    seated = np.arange(MAX_PLAYERS) < players
    for name in ("hands", "lacks", "totals"):
        expect(seated | (states[name] == 0), f"{name} must be those of {players} seats")
    total = states["totals"].sum(1, np.int64) + states["pot"]
    expect(total == chips, f"totals and pot must be {chips} chips together")
    _check_cards(states, seated)


def _check_cards(states: NDArray[np.void], seated: NDArray[np.bool_]) -> None:
    """Every card is in one place, and what follows from the places agrees with them."""
    hands, laid = states["hands"], states["laid"]
    everywhere = np.bitwise_or.reduce(hands, axis=1) | laid
    # With every bit set somewhere, the sum is too large if one is set twice.
    once = (everywhere == ALL_CARDS) & (hands.sum(1) + laid == ALL_CARDS)
    expect(once, "hands and laid must have every card once")
    expect(states["held"] == count(hands), "held must be the sizes of the hands")
    empty = ((hands == 0) & seated).sum(1)
    expect(empty == (states["phase"] == OVER), "an empty hand must end the match, and only that")
    low, high = states["low"].astype(np.int64), states["high"].astype(np.int64)
    columns = np.where(low > 0, (1 << high) - (1 << np.maximum(low - 1, 0)), 0)
    columns <<= NUM_RANKS * np.arange(NUM_SUITS)
    expect(columns.sum(1) == laid, "low and high must be the ends of what is laid")
    beside = ((laid & OPENS_BELOW) >> 1) | ((laid & OPENS_ABOVE) << 1) | SIXES
    playable = np.where(laid == 0, FIRST_CARD, beside & ~laid)
    expect(states["playable"] == playable, "playable must be what can be laid next")
