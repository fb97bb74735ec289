"""A policy as a table: probabilities for each observation of a small rule set, in one file.

What an algorithm such as CFR finds is a distribution over the actions for each information state.
Where the observation holds all that a player knows, as it does within a round, the table can be
looked up by observation, and so plays anywhere an opponent does, with NumPy alone::

    sixth-env match sixth_env.adapters.policy_table:cfr.npz random --set hand_size=2 …
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import OpponentError
from sixth_env.games import get_game
from sixth_env.games.base import Game
from sixth_env.opponents.base import Seeds, integer_columns, legal_actions, row_seeds

FORMAT = 1
KEY_BYTES = 16

# The columns that tell the rules in force, by game.
_ROWS = (
    "num_players", "decks", "cards", "hand_size", "num_rows", "row_length", "cheapest",
    "target_score", "rounds_left",
)  # fmt: skip
RULE_COLUMNS = {
    "sixth_card": _ROWS,
    "six_nimmt": _ROWS,
    "sixes_chips": ("num_players", "starting_chips", "rounds_left"),
    "sixes_golf": ("num_players", "practice_round", "max_turns", "rounds_left"),
}


def observation_key(game: Game, columns: NDArray[np.int16]) -> bytes:
    """What an observation (D,) of integer columns is looked up by.

    With one deck in a rows game the dealer decides nothing, and is left out.
    """
    if game.simultaneous and columns[game.table.start("decks")] == 1:
        columns = columns.copy()
        columns[game.table["dealer"]] = 0
    return hashlib.blake2b(columns.tobytes(), digest_size=KEY_BYTES).digest()


class PolicyTable:
    """An opponent that draws from the probabilities of a table.

    An observation that the table lacks, because the policy never comes there or was not asked, is
    answered uniformly; one of other rules is refused.

    Args:
        game: one of :data:`sixth_env.games.GAMES`.
        rules: the values of the game's ``RULE_COLUMNS``, in order.
        probabilities: by ``observation_key``, (A,) each.
        name: for reports.
    """

    def __init__(
        self,
        game: Game,
        rules: tuple[int, ...],
        probabilities: Mapping[bytes, NDArray[np.float32]],
        name: str = "table",
    ) -> None:
        self.game, self.rules, self.name = game, rules, name
        self._rows, self._table = dict(probabilities), game.table

    def __len__(self) -> int:
        return len(self._rows)

    def policy(self, observation: NDArray[Any], action_mask: NDArray[Any]) -> NDArray[np.float64]:
        """Probabilities, (N, A).

        Raises:
            OpponentError: an observation is malformed, or of a rule set that the table is not for.
        """
        columns = integer_columns(self.game, observation)
        legal = legal_actions(self.game, action_mask, len(columns))
        self._check_rules(columns)
        chances = np.zeros(legal.shape)
        for row, own in enumerate(columns):
            known = self._rows.get(observation_key(self.game, own))
            chances[row] = legal[row] if known is None else known * legal[row]
        total = chances.sum(axis=1, keepdims=True)
        chances = np.where(total > 0, chances, legal)  # a table of another mask gives nothing
        result: NDArray[np.float64] = chances / chances.sum(axis=1, keepdims=True)
        return result

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """See :meth:`sixth_env.opponents.Opponent.act`."""
        chances = self.policy(observation, action_mask)
        numbers = row_seeds(seeds, len(chances))
        actions = np.empty(len(chances), np.int64)
        for row, chance in enumerate(chances):
            point = np.random.default_rng(int(numbers[row])).random()
            choices = np.flatnonzero(chance)
            place = int(np.searchsorted(chance[choices].cumsum(), point, side="right"))
            actions[row] = choices[min(place, len(choices) - 1)]
        return actions

    def _check_rules(self, columns: NDArray[np.int16]) -> None:
        given = columns[:, rule_places(self.game)]
        wrong = (given != np.array(self.rules)).any(axis=1)
        if wrong.any():
            names = RULE_COLUMNS[self.game.id]
            own = ", ".join(f"{n}={v}" for n, v in zip(names, self.rules, strict=True))
            other = given[int(np.argmax(wrong))].tolist()
            raise OpponentError(f"{self.name} plays {own} of {self.game.id}, not {other}")

    # --- Files -------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the table as an ``.npz`` of plain arrays."""
        card = {"format": FORMAT, "game": self.game.id, "table": self.game.table.hash}
        keys = np.frombuffer(b"".join(self._rows), np.uint8).reshape(-1, KEY_BYTES)
        with Path(path).open("wb") as file:
            np.savez_compressed(
                file,
                card=np.array(json.dumps(card)),
                rules=np.array(self.rules, np.int64),
                keys=keys,
                probabilities=np.array([*self._rows.values()], np.float32),
            )


def rule_places(game: Game) -> list[int]:
    """The places of the game's ``RULE_COLUMNS`` in an observation."""
    return [game.table.start(name) for name in RULE_COLUMNS[game.id]]


def load(path: str | Path) -> PolicyTable:
    """The table in a file that ``PolicyTable.save`` wrote; runs no code from it.

    Raises:
        OpponentError: there is no such file, it is damaged, or for another observation table.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            card = json.loads(str(file["card"]))
            rules, keys, chances = file["rules"], file["keys"], file["probabilities"]
        game = get_game(card["game"])
        if card["format"] != FORMAT or card["table"] != game.table.hash:
            raise OpponentError(f"{path} is a policy table of another version of {game.id}")
        fits = keys.shape == (len(keys), KEY_BYTES) and len(rules) == len(RULE_COLUMNS[game.id])
        if not fits or chances.shape != (len(keys), game.num_actions):
            raise OpponentError(f"{path} is damaged: its arrays do not fit together")
        if not (np.isfinite(chances).all() and (chances >= 0).all()):
            raise OpponentError(f"{path} is damaged: it has probabilities below 0 or not finite")
    except OpponentError:
        raise
    except Exception as error:  # whatever a damaged archive raises
        raise OpponentError(f"{path} is no policy table: {error}") from error
    rows = {key.tobytes(): chance for key, chance in zip(keys, chances, strict=True)}
    return PolicyTable(game, tuple(map(int, rules)), rows, name=Path(path).stem)
