"""The tree of a rule set: positions of the engine, and the chance and choices between them.

A node never changes, so copies of a state share it. Cards are dealt by the engine first and anew by
the chance nodes then: the dealt cards are written into the engine's position, and everything else
is a step of the engine. Nothing here knows OpenSpiel.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.adapters.open_spiel.deals import ALL, DEALS, Note, Outcomes
from sixth_env.engine import Engine
from sixth_env.envs.kernels import ILLEGAL, lift_match
from sixth_env.errors import IllegalActionError
from sixth_env.games import get_game
from sixth_env.games.base import MATCH_END, ROUND_END, TRUNCATED, Game
from sixth_env.lift import REWARD_MODES, Kernel, compiled
from sixth_env.rng import WORLD, fold

MAX_KEPT = 50_000  # histories: a tree that is not larger is kept once it was walked
CODE_SCALE = np.float32(1 / 128)  # of notes in a tensor: all codes are below


class Scene:
    """A position between two steps of the engine, with what has happened before it."""

    __slots__ = ("cards", "legal", "over", "returns", "states", "story")

    def __init__(
        self,
        states: NDArray[np.void],
        story: tuple[Note, ...],
        returns: tuple[float, ...],
        over: bool,
    ) -> None:
        self.states, self.story, self.returns, self.over = states, story, returns, over
        self.legal: dict[int, list[int]] | None = None  # by seat that acts; see `Tree.legal`
        self.cards: list[tuple[int, ...]] = []  # what each seat alone sees


class Node:
    """A scene, and what chance or the seats have chosen in it so far.

    Attributes:
        drawn: the outcomes of the deal in progress, or ``None`` if chance has nothing to decide.
        committed: the actions of the seats that have moved, unseen by the others.
        reward: (P,) since the last decision.
    """

    __slots__ = (
        "_acting",
        "_children",
        "_strings",
        "committed",
        "drawn",
        "reward",
        "scene",
        "tree",
    )

    def __init__(
        self,
        tree: Tree,
        scene: Scene,
        drawn: tuple[int, ...] | None,
        committed: tuple[int, ...],
        reward: tuple[float, ...],
    ) -> None:
        self.tree, self.scene = tree, scene
        self.drawn, self.committed, self.reward = drawn, committed, reward
        self._acting: tuple[int, ...] | None = None
        self._children: dict[int | tuple[int, ...], Node] = {}
        self._strings: dict[int, str] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        scene, tree = self.scene, self.tree
        parts = (scene.states.tobytes(), scene.story, scene.returns, scene.over)
        where = (tree.game.id, tree.rules, tree.sequential)
        return _restore, (*where, parts, self.drawn, self.committed, self.reward)

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that have something to decide and have not moved yet."""
        if self._acting is None:
            waits = self.scene.over or self.drawn is not None
            seats = () if waits else tuple(self.tree.legal(self.scene))
            self._acting = seats[len(self.committed) :]
        return self._acting

    def child(self, choice: int | tuple[int, ...]) -> Node:
        """The node after an outcome of chance, an action of the next seat, or all their actions.

        Raises:
            IllegalActionError: there is no such choice.
        """
        node = self._children.get(choice)
        if node is None:
            node = self.tree.grow(self, choice)
            if self.tree.keeps:
                self._children[choice] = node
        return node

    def information(self, player: int) -> str:
        """All that a player knows and has done, as a string no other player's equals."""
        text = self._strings.get(player)
        if text is None:
            text = self.tree.information(self, player)
            self._strings[player] = text
        return text


def _restore(
    game: str, rules: Any, sequential: bool, parts: tuple[Any, ...], *choices: Any
) -> Node:
    """A node from what ``Node.__reduce__`` gave."""
    tree, (record, *rest) = tree_of(game, rules, sequential), parts
    return Node(tree, Scene(np.frombuffer(record, tree.game.state), *rest), *choices)


@lru_cache(maxsize=8)
def tree_of(game: str, rules: Any, sequential: bool) -> Tree:
    """The tree of a rule set, the same one for every state."""
    return Tree(game, rules, sequential)


class Tree:
    """Makes the nodes of one rule set.

    Args:
        game: its id.
        rules: the validated rule set.
        sequential: seats that move at once do so one by one, unseen by the others.
    """

    def __init__(self, game: str, rules: Any, sequential: bool) -> None:
        self.game, self.rules, self.sequential = get_game(game), rules, sequential
        self.players = int(rules.num_players)
        self.deal = DEALS[game](self.game, rules)
        self.keeps = self.deal.tree_size <= MAX_KEPT
        self.names = [self.game.action_name(action) for action in range(self.game.num_actions)]
        self._relative = rules.reward == "relative"
        self._mode = 0 if self._relative else REWARD_MODES[rules.reward]
        self._record = np.array([self.game.rules_record(rules)])
        self._no_log = np.zeros(1, self.game.kernels.LOG)
        self._loops = lift_match(self.game)
        nothing = (0.0,) * self.players
        config = {name: value for name, value in rules.to_dict().items() if name != "game"}
        first = Engine(game, 1, seed=0, **config).states
        self.root = Node(self, Scene(first, (), nothing, over=False), (), (), nothing)

    # --- Chance and choices --------------------------------------------------------------------

    def outcomes(self, node: Node) -> Outcomes:
        """What chance may bring at a node."""
        assert node.drawn is not None
        return self.deal.outcomes(node.scene.states[0], node.drawn)

    def legal(self, scene: Scene) -> dict[int, list[int]]:
        """The legal actions of each seat that acts, seats and actions ascending.

        Where seats move at once, all act in every step: one with nothing to decide has ``wait``.
        """
        if scene.legal is None:
            columns, _, mask = self.look(scene)
            wait = self.game.wait
            scene.legal = {
                seat: np.flatnonzero(mask[seat]).tolist()
                for seat in range(self.players)
                if not (self.sequential and mask[seat, wait])
            }
            scene.cards = [self._private(row) for row in columns]
        return scene.legal

    def grow(self, node: Node, choice: int | tuple[int, ...]) -> Node:
        """See ``Node.child``."""
        if isinstance(choice, tuple):
            return self._play(node, choice)
        if node.drawn is not None:
            return self._draw(node, choice)
        acting = node.acting
        if not acting or choice not in self.legal(node.scene)[acting[0]]:
            who = f"player {acting[0]}" if acting else "after the end, a player"
            raise IllegalActionError(f"{who} may not take action {choice}")
        committed = (*node.committed, choice)
        if len(acting) > 1:
            return Node(self, node.scene, None, committed, (0.0,) * self.players)
        return self._play(node, committed)

    def _draw(self, node: Node, outcome: int) -> Node:
        """Chance brings an outcome; a single one that is left to it comes by itself."""
        state, drawn = node.scene.states[0], node.drawn or ()
        if outcome not in [value for value, _ in self.outcomes(node)]:
            raise IllegalActionError(f"chance may not bring {outcome}")
        drawn = (*drawn, outcome)
        while len(left := self.deal.outcomes(state, drawn)) == 1:
            drawn = (*drawn, left[0][0])
        if left:
            return Node(self, node.scene, drawn, (), node.reward)
        position = self.game.notation.position(self.rules, state)
        states = self._load(node.scene, self.deal.place(position, state, drawn))
        story = (*node.scene.story, *self.deal.opening(state, drawn))
        scene = Scene(states, story, node.scene.returns, over=False)
        return Node(self, scene, None, (), node.reward)

    def _load(self, scene: Scene, position: dict[str, Any]) -> NDArray[np.void]:
        """The record of a position; the stream's key is the scene's."""
        del position["rules"]  # they are this tree's
        states = scene.states.copy()
        self.game.notation.load(self.rules, position, states[0])
        return states

    def _play(self, node: Node, chosen: tuple[int, ...]) -> Node:
        """A step of the engine with the action of each seat that acts."""
        scene = node.scene
        acting = dict(zip(self.legal(scene), chosen, strict=True))
        actions = [acting.get(seat, self.game.wait) for seat in range(self.players)]
        if not self.game.simultaneous:
            actions = list(chosen)
        states, reward = scene.states.copy(), np.zeros(self.players, np.float32)
        flags = self._loops.play(
            states, self._record, self._mode, np.array(actions, np.int64), reward, self._no_log
        )
        if flags == ILLEGAL:
            raise IllegalActionError(f"{chosen} are no legal actions of players {[*acting]}")
        gains = self._utility(reward)
        returns = tuple(a + b for a, b in zip(scene.returns, gains, strict=True))
        over = flags & (MATCH_END | TRUNCATED) != 0
        dealt = flags & ROUND_END and not over
        story = (*scene.story, self._note(scene, acting, actions))
        if dealt:
            story += tuple(self.deal.closing(scene.states[0], scene.cards))
        after = Scene(states, story, returns, over)
        drew = self.deal.draws(states[0]) and not self.deal.draws(scene.states[0])
        return Node(self, after, () if dealt or drew else None, (), gains)

    def _utility(self, reward: NDArray[np.float32]) -> tuple[float, ...]:
        """Rewards as floats; relative ones are made exact, so that they sum to zero."""
        gains: list[float] = reward.tolist()
        if self._relative:
            total, others = sum(gains), self.players - 1
            gains = [(self.players * gain - total) / others for gain in gains]
        return tuple(gains)

    def _note(self, scene: Scene, acting: dict[int, int], actions: list[int]) -> Note:
        """A step as everybody sees it."""
        state = scene.states[0]
        chosen = [(seat, action) for seat, action in acting.items() if action != self.game.wait]
        text = " ".join(f"{seat}:{self.names[action]}" for seat, action in chosen)
        up = [c for seat, a in chosen for c in self.deal.revealed(state, seat, a)]
        shown = " ".join(self.deal.card_name(card) for card in up)
        return Note(ALL, f"{text} {shown}" if up else text, (*actions, *up))

    # --- What seats know -------------------------------------------------------------------------

    def look(self, scene: Scene) -> tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.int8]]:
        """What every seat sees: integer columns (P, D), observation (P, D), mask (P, A)."""
        shape = (self.players, self.game.observation_size)
        columns, observation = np.zeros(shape, np.int16), np.empty(shape, np.float32)
        mask = np.empty((self.players, self.game.num_actions), np.int8)
        self._loops.look(scene.states, self._record, columns, observation, mask)
        return columns, observation, mask

    def _private(self, columns: NDArray[np.int16]) -> tuple[int, ...]:
        """The cards in an observation that its seat alone sees."""
        block = columns[self.game.table[self.deal.private]]
        if self.deal.private == "drawn":
            return (int(block[0]) - 1,) if block[0] else ()
        held = np.flatnonzero(block)
        return tuple(np.repeat(held, block[held]).tolist())

    def information(self, node: Node, player: int) -> str:
        """See ``Node.information``."""
        story = "; ".join(note.text for note in node.scene.story if note.to in (ALL, player))
        if node.drawn is not None:
            return f"player {player}: {story}"
        self.legal(node.scene)  # reads the cards
        held = " ".join(self.deal.card_name(card) for card in node.scene.cards[player])
        own = self.commitment(node, player)
        chosen = "" if own is None else f" | {self.names[own]}"
        return f"player {player}: {story} | {held}{chosen}"

    def commitment(self, node: Node, player: int) -> int | None:
        """The action that a seat has chosen and not yet shown, or ``None``."""
        seats = dict(zip(self.legal(node.scene), node.committed, strict=False))
        return seats.get(player)

    def codes(self, node: Node, player: int) -> list[int]:
        """What ``information`` tells beyond the observation: the own commitment, then the story."""
        own = self.commitment(node, player) if node.drawn is None else None
        story = [
            code + 1 for note in node.scene.story if note.to in (ALL, player) for code in note.codes
        ]
        return [0 if own is None else own + 1, *story]

    # --- Hidden worlds ---------------------------------------------------------------------------

    def resample(self, node: Node, player: int, seed: int) -> Node:
        """A node that agrees with all a player knows, the hidden cards drawn anew.

        The cards are those of ``sixth_env.determinize``, which sees the player's observation alone.
        Cards that others have committed this turn are drawn from their new hands; what the others
        alone remember of former rounds is left out.
        """
        scene = node.scene
        columns, _, _ = self.look(scene)
        world = self._world(columns[[player]], seed)
        position = self.game.notation.position(self.rules, scene.states[0])
        for name in ("stock", "draw_pile", "drawn"):
            if name in world:
                position[name] = world[name]
        # Seats are counted from the observer in the sampled world.
        position["hands"] = [world["hands"][seat - player] for seat in range(self.players)]
        story = tuple(note for note in scene.story if note.to in (ALL, player))
        sampled = Scene(self._load(scene, position), story, scene.returns, scene.over)
        draw = np.random.default_rng(seed)
        committed = tuple(
            action if seat == player else int(draw.choice(legal))
            for action, (seat, legal) in zip(
                node.committed, self.legal(sampled).items(), strict=False
            )
        )
        return Node(self, sampled, None, committed, node.reward)

    def _world(self, columns: NDArray[np.int16], seed: int) -> dict[str, Any]:
        """``sixth_env.determinize`` of an observation (1, D) known to be sound: its checks take
        more time than the rest of a search's simulation."""
        states, rules = np.zeros(1, self.game.state), self._record.copy()
        with np.errstate(over="ignore"):
            key = fold(np.uint64(seed), WORLD)
        _lift_world(self.game)(columns, key, rules, states)
        return self.game.notation.position(self.rules, states[0])


@cache
def _lift_world(game: Game) -> Kernel:
    source, determinize = game.source_hash, game.kernels.determinize

    def sample(columns: Any, key: Any, rules: Any, states: Any) -> None:
        """Write a position that agrees with ``columns`` (1, D) into ``states`` (1,)."""
        source  # noqa: B018  # part of the cache's key
        determinize(columns[0], key, rules[0], states[0])

    return compiled(sample)
