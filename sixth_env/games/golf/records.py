"""The check of saved records: what the kernels rely on, for many games at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.games.golf.cards import JOKER, NUM_CARDS, PACK, copies
from sixth_env.games.golf.rules import MAX_PLAYERS, SLOTS, GolfRules
from sixth_env.games.golf.state import DRAWN, NO_CARD, NOBODY, OVER, REVEAL
from sixth_env.games.records import count_cards, expect, expect_bounds


def check_records(rules: GolfRules, states: NDArray[np.void]) -> None:
    """Raise ``PositionError`` unless the kernels may go on from each of the records (B,)."""
    players, size = rules.num_players, PACK * rules.decks
    expect_bounds(
        states,
        episode=(0, 2**63 - 1),
        round=(1 - rules.practice_round, rules.num_rounds),
        turns=(0, rules.max_turns),
        phase=(REVEAL, OVER),
        **dict.fromkeys(("dealer", "to_act"), (0, players - 1)),
        **dict.fromkeys(("knocker", "went_out"), (NOBODY, players - 1)),
        last_turns=(NOBODY, players),
        action=(0, 0),
        refilled=(0, 1),
        draw_size=(0, size),
        discard_size=(1, size),
        hands=(0, JOKER),
    )
    shown, hands = states["shown"], states["hands"].astype(np.int64)
    seated = np.repeat(np.arange(MAX_PLAYERS) < players, SLOTS)  # (P * SLOTS,), seat by seat
    expect((shown == 0) | (shown == hands + 1), "shown must be cards of the hands")
    drawing = states["phase"] == DRAWN
    expect((states["drawn"] != NO_CARD) == drawing, "drawn must be the card of phase DRAWN")
    expect(~drawing | (states["drawn"] >= 0) & (states["drawn"] <= JOKER), "drawn must be a card")
    _check_cards(rules, states, seated)


def _check_cards(rules: GolfRules, states: NDArray[np.void], seated: NDArray[np.bool_]) -> None:
    """Every card is in one place, and what is known of the places agrees with them."""
    place, drawn = np.arange(states["draw_pile"].shape[1]), states["drawn"][:, None]
    discards = count_cards(states["discard_pile"], place < states["discard_size"][:, None])
    pile = count_cards(states["draw_pile"], place < states["draw_size"][:, None])
    pile += count_cards(drawn.astype(np.uint8), drawn != NO_CARD)
    hands, down = (a.reshape(len(states), -1) for a in (states["hands"], states["shown"] == 0))
    hidden, up = count_cards(hands, seated & down), count_cards(hands, seated & ~down)
    pack = np.zeros(256, np.int64)
    pack[:NUM_CARDS] = [copies(card, rules.decks) for card in range(NUM_CARDS)]
    expect(
        pile + discards + hidden + up == pack,
        f"hands, drawn and piles must be {rules.decks} pack(s), with {rules.num_players} hands",
    )
    refilled, unseen = states["refilled"][:, None] != 0, hidden + pile
    known = {
        "draw_ranks": _by_rank(np.where(refilled, pile, unseen)),
        "hidden_ranks": _by_rank(np.where(refilled, hidden, unseen)),
        "draw_known": np.where(refilled, pile, 0)[:, :56],
        "discarded": discards[:, :56],
    }
    for name, counts in known.items():
        expect(states[name] == counts, f"{name} must count the cards that lie there")


def _by_rank(counts: NDArray[Any]) -> NDArray[Any]:
    """Counts of cards, (B, 256), as counts of ranks, (B, 16)."""
    ranks: NDArray[Any] = counts[:, :64].reshape(-1, 16, 4).sum(2)
    return ranks
