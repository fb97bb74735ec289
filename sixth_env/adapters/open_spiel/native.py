"""A small rule set as one of OpenSpiel's own games in C++.

OpenSpiel takes tens of times as long to ask a game in Python as to ask one of its own. A rule set
whose whole tree is kept can be written down once, as an extensive-form game in Gambit's format, and
read into C++: the same tree, information states and payoffs, for CFR and exploitability at full
speed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyspiel

from sixth_env.adapters.open_spiel.games import SixthEnvGame
from sixth_env.adapters.open_spiel.nodes import MAX_KEPT, Node
from sixth_env.errors import ConfigError

Chances = dict[str, list[tuple[int, float]]]  # by information state: actions and probabilities


@dataclass(frozen=True)
class NativeGame:
    """A game in C++, and what its information states are here.

    Attributes:
        game: an ``efg_game``. Its actions count the legal ones of an information state, from 0.
        actions: by information state of the original game, the legal actions in that order.
    """

    game: Any
    actions: dict[str, list[int]]

    def policy(self, policy: Any) -> Chances:
        """A ``pyspiel.TabularPolicy`` of the native game, in terms of the original one."""
        table: Chances = {}
        for key, chances in policy.policy_table().items():
            name = key.split("-", 3)[3]  # after two players and a number
            table[name] = [(self.actions[name][place], chance) for place, chance in chances]
        return table


def native_game(game: SixthEnvGame) -> NativeGame:
    """The same game in C++.

    Raises:
        ConfigError: the game is not sequential, or its tree is too large to be written down.
    """
    tree = game.tree
    if not tree.sequential:
        raise ConfigError("a native game is sequential: load the form that ends in _sequential")
    if not tree.keeps:
        raise ConfigError(
            f"the tree of {game} has about {tree.deal.tree_size:.1g} histories, but a native game"
            f" can have {MAX_KEPT}: use fewer cards or smaller hands"
        )
    writer = _Writer()
    players = " ".join(f'"{seat}"' for seat in range(tree.players))
    text = f'EFG 2 R "" {{ {players} }}\n' + "".join(writer.lines(tree.root))
    return NativeGame(pyspiel.load_efg_game(text), writer.actions)


class _Writer:
    """Writes a tree, depth first: the line of a node, then its children.

    Choices are named by their place, as the reader numbers names in the order it meets them.
    """

    def __init__(self) -> None:
        self.actions: dict[str, list[int]] = {}
        self._numbers: dict[int, dict[str, int]] = {}  # information states of each player, from 1
        self._chances = self._ends = 0

    def lines(self, node: Node) -> Iterator[str]:
        """The lines of a node and of all that follow it."""
        if node.scene.over:
            self._ends += 1
            payoffs = " ".join(map(repr, node.scene.returns))
            yield f't "" {self._ends} "" {{ {payoffs} }}\n'
            return
        if node.drawn is not None:
            self._chances += 1
            outcomes = node.tree.outcomes(node)
            choices = " ".join(f'"{i}" {chance!r}' for i, (_, chance) in enumerate(outcomes))
            yield f'c "" {self._chances} "" {{ {choices} }} 0\n'
            children = [outcome for outcome, _ in outcomes]
        else:
            player = node.acting[0]
            name, children = node.information(player), node.tree.legal(node.scene)[player]
            self.actions[name] = children
            known = self._numbers.setdefault(player, {})
            number = known.setdefault(name, len(known) + 1)
            choices = " ".join(f'"{i}"' for i in range(len(children)))
            yield f'p "" {player + 1} {number} "{name}" {{ {choices} }} 0\n'
        for choice in children:
            yield from self.lines(node.child(choice))
