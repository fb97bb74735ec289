"""The games as OpenSpiel games: registered names, parameters, states and observers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from sixth_env.adapters.open_spiel.nodes import CODE_SCALE, Node, Tree, tree_of
from sixth_env.errors import ConfigError
from sixth_env.games import get_game

Parameters = dict[str, Any]
Vector = NDArray[np.float32]

# Parameters have a type and no None: 0 stands for what the rules leave open.
_ROWS: Parameters = {
    "players": 2,
    "decks": 0,
    "exact_deck": False,
    "target_score": 66,
    "num_rounds": 1,
    "row_choice": "player",
    "reward": "relative",
    "hand_size": 10,
    "rows": 4,
    "row_length": 5,
    "cards": 0,
}
PARAMETERS: dict[str, Parameters] = {
    "sixth_card": _ROWS,
    "six_nimmt": _ROWS,
    "sixes_chips": {
        "players": 5,
        "starting_chips": 10,
        "num_rounds": 1,
        "max_rounds": 250,
        "reward": "relative",
    },
    "sixes_golf": {
        "players": 4,
        "num_rounds": 1,
        "practice_round": False,
        "max_turns": 240,
        "reward": "relative",
    },
}
OPEN = ("decks", "cards", "num_rounds")  # 0 for "as the rules have it"
LONGEST_MATCH = 999  # rounds of a match without a number of rounds; all end long before


class SixthEnvGame(pyspiel.Game):  # type: ignore[misc]
    """One rule set of one game; the subclasses below say which game.

    Args:
        parameters: as in ``PARAMETERS``; what is left out is the default.

    Raises:
        ConfigError: the rules do not allow a parameter.
    """

    game_id: str
    sequential = True  # seats that choose at once do so one after another, unseen

    def __init__(self, parameters: Parameters | None = None) -> None:
        game_id, sequential = self.game_id, self.sequential
        given = {**PARAMETERS[game_id], **(parameters or {})}
        config = {("num_players" if k == "players" else k): v for k, v in given.items()}
        config.update({name: config[name] or None for name in OPEN if name in config})
        rules = get_game(game_id).make_rules(config)
        self.tree: Tree = tree_of(game_id, rules, sequential)
        deal = self.tree.deal
        rounds = rules.num_rounds or getattr(rules, "max_rounds", LONGEST_MATCH)
        self.max_codes = 1 + rounds * deal.round_codes if rules.num_rounds else 0
        self._max_chance = rounds * (deal.dealt_per_round + deal.draws_per_round)
        zero_sum = rules.reward == "relative" or rules.reward == "chips"
        low, high = (0.0, 1.0) if rules.reward == "win" else (-deal.bound, deal.bound)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.tree.game.num_actions,
            max_chance_outcomes=deal.outcomes_bound,
            num_players=self.tree.players,
            min_utility=float(low),
            max_utility=float(high),
            utility_sum=0.0 if zero_sum else None,
            max_game_length=rounds * deal.decisions,
        )
        kind = game_type(game_id, sequential, zero_sum=zero_sum, tensor=self.max_codes > 0)
        super().__init__(kind, info, parameters or {})

    def new_initial_state(self) -> SixthEnvState:
        """A match before its first deal."""
        return SixthEnvState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The most chance nodes that one match may have."""
        return int(self._max_chance)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Parameters | None = None
    ) -> SixthEnvObserver:
        """An observer of what one player sees, or with perfect recall all that it ever saw."""
        return SixthEnvObserver(self, iig_obs_type)


# OpenSpiel keeps what makes a game until after Python has ended, where anything but a class would
# be taken apart too late, with a crash: hence a class for each name.


class SixthCard(SixthEnvGame):
    """Sixth Card, cards chosen at once."""

    game_id, sequential = "sixth_card", False


class SixthCardSequential(SixthEnvGame):
    """Sixth Card, cards chosen one after another, unseen."""

    game_id = "sixth_card"


class SixNimmt(SixthEnvGame):
    """6 nimmt!, cards chosen at once."""

    game_id, sequential = "six_nimmt", False


class SixNimmtSequential(SixthEnvGame):
    """6 nimmt!, cards chosen one after another, unseen."""

    game_id = "six_nimmt"


class SixesChips(SixthEnvGame):
    """Sixes, the chip game."""

    game_id = "sixes_chips"


class SixesGolf(SixthEnvGame):
    """Sixes, the golf game."""

    game_id = "sixes_golf"


CLASSES = (SixthCard, SixthCardSequential, SixNimmt, SixNimmtSequential, SixesChips, SixesGolf)


class SixthEnvState(pyspiel.State):  # type: ignore[misc]
    """A place in the tree. All it has is a node, which copies share."""

    def __init__(self, game: SixthEnvGame) -> None:
        super().__init__(game)
        self._node: Node = game.tree.root

    @property
    def node(self) -> Node:
        """The node of the tree."""
        return self._node

    def current_player(self) -> int:
        """Who decides: a seat, chance, all seats at once, or nobody any more."""
        node = self._node
        if node.scene.over:
            return int(pyspiel.PlayerId.TERMINAL)
        if node.drawn is not None:
            return int(pyspiel.PlayerId.CHANCE)
        acting = node.acting
        if len(acting) > 1 and not node.tree.sequential:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return acting[0]

    def is_terminal(self) -> bool:
        """Whether the match has ended, or was cut off."""
        return self._node.scene.over

    def _legal_actions(self, player: int) -> list[int]:
        return self._node.tree.legal(self._node.scene).get(player, [])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes of chance with their probabilities."""
        return self._node.tree.outcomes(self._node)

    def _apply_action(self, action: int) -> None:
        self._node = self._node.child(action)

    def _apply_actions(self, actions: list[int]) -> None:
        self._node = self._node.child(tuple(actions))

    def _action_to_string(self, player: int, action: int) -> str:
        node, tree = self._node, self._node.tree
        if player == pyspiel.PlayerId.CHANCE:
            return tree.deal.outcome_name(node.scene.states[0], node.drawn or (), action)
        return tree.names[action]

    def rewards(self) -> list[float]:
        """What each player has gained since the last decision."""
        return list(self._node.reward)

    def returns(self) -> list[float]:
        """What each player has gained since the match began."""
        return list(self._node.scene.returns)

    def resample_from_infostate(self, player: int, sampler: Any) -> SixthEnvState:
        """A state that agrees with all that ``player`` knows, the hidden cards drawn anew.

        Args:
            player: whose knowledge is kept.
            sampler: draws numbers in [0, 1), as OpenSpiel's searches hand over.

        The list of past outcomes, ``history()``, remains that of this state.
        """
        return self.resample(player, int(sampler() * 2**53))

    def resample(self, player: int, seed: int) -> SixthEnvState:
        """As ``resample_from_infostate``, from a seed."""
        state: SixthEnvState = self.clone()
        state._node = self._node.tree.resample(self._node, player, seed)
        return state

    def __str__(self) -> str:
        node, tree = self._node, self._node.tree
        story = "; ".join(note.text for note in node.scene.story)
        if node.drawn is not None:
            return f"{story} | chance {node.drawn}"
        position = tree.game.notation.position(tree.rules, node.scene.states[0])
        shown = {name: position[name] for name in position if name != "rules"}
        return f"{story} | {json.dumps(shown)} | {node.committed}"


class SixthEnvObserver:
    """Writes what a player knows into ``tensor``, whose parts are ``dict``.

    ``observation`` (D,) are the columns of the game's observation table; with perfect recall,
    ``story`` tells all that happened, the own choices included.

    Raises:
        ConfigError: neither one player's observation nor its information state is asked for.
    """

    def __init__(self, game: SixthEnvGame, kind: Any) -> None:
        self._recall = bool(kind is not None and getattr(kind, "perfect_recall", False))
        private = getattr(kind, "private_info", pyspiel.PrivateInfoType.SINGLE_PLAYER)
        if private != pyspiel.PrivateInfoType.SINGLE_PLAYER or not getattr(
            kind, "public_info", True
        ):
            raise ConfigError("an observer must see what one player sees, public and private")
        size, codes = game.tree.game.observation_size, game.max_codes
        self.tensor: Vector | None = np.zeros(size + codes * self._recall, np.float32)
        self.dict: dict[str, Vector] = {"observation": self.tensor[:size]}
        if self._recall:
            self.dict["story"] = self.tensor[size:]
            if not codes:
                self.tensor, self.dict = None, {}

    def set_from(self, state: SixthEnvState, player: int) -> None:
        """Write the tensor; zeros where chance has to move before the player sees more."""
        if self.tensor is None:
            return
        self.tensor.fill(0)
        node = state.node
        if node.drawn is None:
            self.dict["observation"][:] = node.tree.look(node.scene)[1][player]
        if self._recall:
            codes = node.tree.codes(node, player)
            self.dict["story"][: len(codes)] = np.array(codes, np.float32) * CODE_SCALE

    def string_from(self, state: SixthEnvState, player: int) -> str:
        """The information state, or the view as JSON."""
        node, tree = state.node, state.node.tree
        if self._recall:
            return node.information(player)
        if node.drawn is not None:
            return "{}"
        notation = tree.game.notation
        view = notation.view(notation.position(tree.rules, node.scene.states[0]), player)
        own = tree.commitment(node, player)
        chosen = {} if own is None else {"committed": tree.names[own]}
        return json.dumps({k: v for k, v in view.items() if k != "rules"} | chosen)


# --- Registration --------------------------------------------------------------------------------


def spiel_name(game_id: str, sequential: bool) -> str:
    """The name that OpenSpiel loads a game by."""
    hidden = sequential and get_game(game_id).simultaneous
    return f"python_{game_id}{'_sequential' if hidden else ''}"


def game_type(game_id: str, sequential: bool, *, zero_sum: bool = True, tensor: bool = True) -> Any:
    """What OpenSpiel is told about a game before it is loaded."""
    game, kind = get_game(game_id), pyspiel.GameType
    name = spiel_name(game_id, sequential)
    return kind(
        short_name=name,
        long_name=f"{game.title} ({'one by one' if sequential else 'at once'})",
        dynamics=kind.Dynamics.SEQUENTIAL if sequential else kind.Dynamics.SIMULTANEOUS,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if zero_sum else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.REWARDS,
        max_num_players=game.max_players,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=tensor,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS[game_id],
    )


def register_games() -> None:
    """Make the games known to ``pyspiel.load_game``."""
    known = set(pyspiel.registered_names())
    for creator in CLASSES:
        if spiel_name(creator.game_id, creator.sequential) not in known:
            pyspiel.register_game(game_type(creator.game_id, creator.sequential), creator)
