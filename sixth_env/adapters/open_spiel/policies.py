"""OpenSpiel's policies at our tables, and our opponents in OpenSpiel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python.policy import Policy as SpielPolicy

from sixth_env.adapters.open_spiel.games import SixthEnvGame, SixthEnvState
from sixth_env.adapters.open_spiel.nodes import Node
from sixth_env.adapters.policy_table import PolicyTable, observation_key, rule_places
from sixth_env.errors import ConfigError, OpponentError
from sixth_env.opponents.base import Opponent

Chances = Mapping[str, list[tuple[int, float]]]


# --- From OpenSpiel -----------------------------------------------------------------------------


def tabulate(
    game: SixthEnvGame, policy: Any, *, player: int = 0, name: str = "table"
) -> PolicyTable:
    """A tabular policy as an opponent that decides from observations.

    The games are the same for every seat, and observations count seats from the observer: the
    strategy of one player plays at every seat. Should two information states look the same, the
    table has the mean of both.

    Args:
        game: a sequential game whose tree is small enough to be walked.
        policy: a ``TabularPolicy`` of OpenSpiel, in C++ or Python, or what ``NativeGame.policy``
            gave.
        player: whose strategy it is.
        name: for reports.

    Raises:
        ConfigError: the game is simultaneous, too large, or of more than one round, over which an
            observation does not tell all that its player remembers.
    """
    tree = game.tree
    if not (tree.sequential and tree.keeps and tree.rules.num_rounds == 1):
        raise ConfigError(f"a table is made for a small sequential game of one round, not {game}")
    chances, rows = _chances(policy), dict[bytes, NDArray[np.float32]]()
    seen: dict[str, bytes] = {}
    rules: tuple[int, ...] = ()
    for node in _decisions(tree.root, player):
        text = node.information(player)
        if text in seen:
            continue
        columns = tree.look(node.scene)[0][player]
        rules = rules or tuple(int(columns[place]) for place in rule_places(tree.game))
        key = seen[text] = observation_key(tree.game, columns)
        row = rows.setdefault(key, np.zeros(tree.game.num_actions, np.float32))
        for action, chance in chances.get(text, ()):
            row[action] += chance
    return PolicyTable(tree.game, rules, {k: r / max(r.sum(), 1e-9) for k, r in rows.items()}, name)


def _chances(policy: Any) -> Chances:
    """A tabular policy by information state."""
    for method in ("policy_table", "to_dict"):  # of C++, of Python
        if hasattr(policy, method):
            table: Chances = getattr(policy, method)()
            return table
    if isinstance(policy, Mapping):
        return policy
    raise ConfigError(f"{type(policy).__name__} is no tabular policy")


def _decisions(node: Node, player: int) -> Iterator[Node]:
    """All nodes in which a player decides, depth first."""
    if node.scene.over:
        return
    if node.drawn is not None:
        choices = [outcome for outcome, _ in node.tree.outcomes(node)]
    else:
        choices = node.tree.legal(node.scene)[node.acting[0]]
        if node.acting[0] == player:
            yield node
    for choice in choices:
        yield from _decisions(node.child(choice), player)


# --- To OpenSpiel -------------------------------------------------------------------------------


class OpponentPolicy(SpielPolicy):  # type: ignore[misc]
    """One of our opponents as a policy of OpenSpiel, for exploitability and the like.

    Args:
        game: an OpenSpiel game of this package.
        opponent: it needs a method ``policy``, or always to choose the same from the same
            observation, as the heuristics do.
    """

    def __init__(self, game: SixthEnvGame, opponent: Opponent) -> None:
        super().__init__(game, list(range(game.num_players())))
        self._opponent = opponent

    def action_probabilities(
        self, state: SixthEnvState, player_id: int | None = None
    ) -> dict[int, float]:
        """The probability of every legal action."""
        player = state.current_player() if player_id is None else player_id
        columns, mask = _asked(state, player)
        distribution = getattr(self._opponent, "policy", None)
        if distribution is not None:
            chances = distribution(columns, mask)[0]
        else:
            chances = np.eye(mask.shape[1])[_answer(self._opponent, columns, mask, 0)]
        return {action: float(chances[action]) for action in state.legal_actions(player)}


class OpponentBot(pyspiel.Bot):  # type: ignore[misc]
    """One of our opponents as a bot of OpenSpiel.

    Args:
        player: the seat it plays.
        opponent: who decides.
        seed: of the opponent's own draws.
    """

    def __init__(self, player: int, opponent: Opponent, seed: int = 0) -> None:
        super().__init__()
        self._player, self._opponent = player, opponent
        self._seeds = np.random.default_rng(seed)

    def step(self, state: SixthEnvState) -> int:
        """The action that the opponent takes."""
        columns, mask = _asked(state, self._player)
        return _answer(self._opponent, columns, mask, int(self._seeds.integers(2**63)))

    def restart_at(self, state: SixthEnvState) -> None:
        """Nothing is kept between decisions."""


def _asked(state: SixthEnvState, player: int) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """The observation (1, D) and action mask (1, A) of a player."""
    columns, _, mask = state.node.tree.look(state.node.scene)
    return columns[[player]], mask[[player]]


def _answer(
    opponent: Opponent, columns: NDArray[np.int16], mask: NDArray[np.int8], seed: int
) -> int:
    action = int(opponent.act(columns, mask, np.array([seed], np.uint64))[0])
    if not mask[0, action]:
        raise OpponentError(f"{opponent.name} answered {action}, which is not legal")
    return action
