"""The solver: positions in, values and equilibrium strategies out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError, PositionError, SixthEnvError
from sixth_env.games import get_game
from sixth_env.games.base import Game
from sixth_env.games.rows.game import rules_record
from sixth_env.games.rows.rules import RowsRules
from sixth_env.games.rows.state import CARD, ROW
from sixth_env.solver.matrix import FRAME, NOBODY, SCRATCH
from sixth_env.solver.search import MAX_DEPTH, PROGRESS, lift_rehash, lift_search

FIRST_MEMO = 2**12  # entries; it is doubled whenever half full
MAX_MEMO = 2**26  # entries of 24 bytes: 1.6 GB


class Solved(NamedTuple):
    """Solutions of N positions."""

    value: NDArray[np.float64]  # (N,) points that seat 0 gains on seat 1 to the round's end
    strategy: NDArray[np.float64]  # (N, 2, A) equilibrium strategies of both seats
    worth: NDArray[
        np.float64
    ]  # (N, 2, A) the same of each action against the other's; NaN: illegal


@dataclass(frozen=True)
class Solution:
    """The solution of one position.

    Attributes:
        value: points that seat 0 gains on seat 1 on average, to the end of the round.
        strategies: of seat 0 and seat 1, the probability of each action number that is played.
        worth: of seat 0 and seat 1, what each legal action gains that seat on average against the
            other's strategy: the best are worth ``value`` and ``-value``.
        games: matrix games solved for it.
    """

    value: float
    strategies: tuple[dict[int, float], dict[int, float]]
    worth: tuple[dict[int, float], dict[int, float]]
    games: int


def solve(position: dict[str, Any], *, open_hands: bool = False) -> Solution:
    """Solve a position of two players, as ``Engine.position()`` and the environments give it.

    Args:
        position: with its ``"rules"``; what the match's score is decides nothing here.
        open_hands: solve it as if both hands were open, even if cards are left in the stock, so
            that the players cannot know each other's hand.

    Raises:
        PositionError: the position is malformed, a card has been committed already, or there are
            cards in the stock and ``open_hands`` is false.
        ConfigError: its rules are not of two players of a rows game.
    """
    game, rules = _rules_of(position)
    check_game(game, rules)
    state = np.zeros(1, game.state)
    game.notation.load(rules, position, state[0])
    if any(card is not None for card in position.get("chosen") or ()):
        raise PositionError("position chosen must be null for both: a card is committed already")
    if not (open_hands or is_dealt_out(rules)):
        raise PositionError(
            f"position stock has {len(position['stock'])} cards, so the players do not know each"
            " other's hand: open_hands=True solves it as if they did"
        )
    solver = Solver(game, rules, places(rules, state[0]))
    solved = solver.solve(state)
    strategy, worth = solved.strategy[0], solved.worth[0]
    return Solution(
        value=float(solved.value[0]),
        strategies=(
            _by_action(strategy[0], strategy[0] > 0),
            _by_action(strategy[1], strategy[1] > 0),
        ),
        worth=(
            _by_action(worth[0], ~np.isnan(worth[0])),
            _by_action(worth[1], ~np.isnan(worth[1])),
        ),
        games=solver.games,
    )


def _by_action(numbers: NDArray[np.float64], chosen: NDArray[np.bool_]) -> dict[int, float]:
    return {int(action): float(numbers[action]) for action in np.flatnonzero(chosen)}


def _rules_of(position: object) -> tuple[Game, Any]:
    if not isinstance(position, dict) or not isinstance(position.get("rules"), dict):
        raise PositionError("position must be an object with its 'rules'")
    game = get_game(position.get("game"))  # type: ignore[arg-type]
    return game, game.make_rules({k: v for k, v in position["rules"].items() if k != "game"})


def check_game(game: Game, rules: Any) -> None:
    """Raise ``ConfigError`` unless the rules are of two players of a rows game."""
    if not isinstance(rules, RowsRules):
        reason = {
            "sixes_chips": "hands are hidden to the end of the round",
            "sixes_golf": "cards are hidden from everybody, and the pile is drawn from by chance",
        }
        raise ConfigError(
            f"{game.id} has no exact solution here: {reason.get(game.id, 'it has hidden cards')};"
            " sixth_card and six_nimmt have, for two players"
        )
    if rules.num_players != 2:
        raise ConfigError(
            f"exact solutions are for 2 players, whose points are a zero-sum game, not for"
            f" {rules.num_players}"
        )


def is_dealt_out(rules: RowsRules) -> bool:
    """Whether every card is in a hand or on the table, so that the last hand is known, too."""
    return rules.deck_size == rules.num_players * rules.hand_size + rules.rows


def places(rules: RowsRules, state: np.void | None = None) -> NDArray[np.uint64]:
    """A number below ``search.MAX_CARDS`` for each card that matters, in the order of the ladder.

    The card itself where all are dealt; else its place among the cards that ``state`` has in hands
    and at row ends, (ladder,).

    Raises:
        ConfigError: two decks of which not all cards are dealt.
    """
    ladder = len(rules_record(rules)["penalty"])
    if is_dealt_out(rules):
        return np.arange(ladder, dtype=np.uint64)
    if state is None or rules.decks > 1:
        raise ConfigError("exact solutions with decks=2 need all cards dealt")
    cards = {int(c) for hand in state["hands"][:2] for c in hand[: state["held"]]}
    sizes = state["row_size"][: rules.rows]
    cards |= {int(state["rows"][row, size - 1]) for row, size in enumerate(sizes)}
    if state["phase"] == ROW:
        cards |= {int(code >> 4) for code in state["revealed"][state["next"] : 2]}
    found = np.zeros(ladder, np.uint64)
    found[sorted(cards)] = np.arange(len(cards))
    return found


class Solver:
    """Solves positions of one rule set, and remembers what it has solved.

    Args:
        game: a rows game.
        rules: one of its rule sets, for two players.
        place: see :func:`places`; left out where all cards are dealt.
        uniform: a seat that plays uniformly at random instead of well: the other's best response to
            it is found then, and the value that this has.

    Raises:
        ConfigError: a rule set that has no exact solution here.
    """

    def __init__(
        self,
        game: Game,
        rules: RowsRules,
        place: NDArray[np.uint64] | None = None,
        *,
        uniform: int | None = None,
    ) -> None:
        check_game(game, rules)
        self.game, self.rules = game, rules
        self._place = places(rules) if place is None else place
        self._record = np.array([rules_record(rules)])
        self._log = np.zeros(1, game.kernels.LOG)
        self._progress = np.zeros(1, PROGRESS)
        self._scratch = np.zeros(1, SCRATCH)
        self._scratch["uniform"] = NOBODY if uniform is None else uniform
        self._memo(FIRST_MEMO)

    @property
    def games(self) -> int:
        """Matrix games solved so far."""
        return int(self._progress["solved"][0])

    @property
    def remembered(self) -> int:
        """Positions in the memo."""
        return int(self._progress["known"][0])

    def forget(self) -> None:
        """Empty the memo."""
        self._progress["known"] = 0
        self._memo(FIRST_MEMO)

    def solve(self, states: NDArray[np.void]) -> Solved:
        """Solve records (N,) of this rule set, as ``Engine.states`` has them.

        Raises:
            SixthEnvError: a position is too large for the memo.
        """
        solved = self._empty(len(states))
        open_positions = (states["phase"] == CARD) & (states["held"] > 0) | (states["phase"] == ROW)
        states = np.ascontiguousarray(states)
        if not open_positions.all():
            raise PositionError("a finished match has nothing to solve")
        stack = np.zeros(MAX_DEPTH + 1, self.game.state)
        frames = np.zeros(MAX_DEPTH, FRAME)
        self._progress["root"], self._progress["depth"] = 0, -1
        search = lift_search(self.game)
        while not search(
            states, self._record, self._place, self._log,
            stack, frames, self._scratch, self._keys, self._values, self._progress, *solved,
        ):  # fmt: skip
            self._grow()
        return solved

    def _empty(self, rows: int) -> Solved:
        actions = (rows, 2, self.game.num_actions)
        return Solved(np.empty(rows), np.empty(actions), np.empty(actions))

    def _memo(self, size: int) -> None:
        self._keys, self._values = np.zeros((size, 2), np.uint64), np.empty(size)

    def _grow(self) -> None:
        keys, values = self._keys, self._values
        if 2 * len(keys) > MAX_MEMO:
            raise SixthEnvError(
                f"the position is too large to be solved: more than {len(keys) // 2:,} positions"
                " come after it"
            )
        self._memo(2 * len(keys))
        lift_rehash()(keys, values, self._keys, self._values)
