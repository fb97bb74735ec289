"""How far an opponent is from perfect play, on games in which perfect play is known.

Two players, one round, all cards dealt, so that both know both hands. Every deal is then a
zero-sum game of its own, with a value that perfect play brings about. An opponent falls short by

- its *exploitability*: what the best response to it gains on the value, on average over both seats.
  The best response knows what the opponent does. It is half of OpenSpiel's ``nash_conv``;
- its *loss* to an equilibrium, which does not know the opponent; never more than that.

Both are points of a round on average over deals, and 0 for an equilibrium.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixth_env.errors import ConfigError, OpponentError
from sixth_env.exact.deals import all_deals, exact_rules, some_deals
from sixth_env.exact.tree import BEST, Chances, Player, Policy, Tree
from sixth_env.games.base import Game
from sixth_env.games.rows.rules import RowsRules
from sixth_env.match.stats import Bootstrap, Estimate
from sixth_env.opponents import (
    ExactOpponent,
    HeuristicOpponent,
    MonteCarloOpponent,
    Opponent,
    RandomOpponent,
)
from sixth_env.opponents.ask import ask
from sixth_env.solver import Solved, Solver

MAX_SAMPLES = 1000
BLOCK = 16  # deals worked on at once
# Those who decide from hands and rows alone, whatever was played before.
FORGETFUL = (RandomOpponent, HeuristicOpponent, MonteCarloOpponent, ExactOpponent)

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Exploitability:
    """How far one opponent is from perfect play.

    Attributes:
        name: of the opponent.
        rules: the rule set.
        seed: of the sample of deals; ``None``: these are all deals there are.
        best: (N, 2) what the best response gains on the opponent in each deal, from seat 0 and 1.
        exact: (N, 2) what an equilibrium gains on it; ``None`` if that was not asked for.
        positions: how many were looked at.
    """

    name: str
    rules: dict[str, Any]
    seed: int | None
    best: NDArray[np.float64]
    exact: NDArray[np.float64] | None
    positions: int

    @property
    def deals(self) -> int:
        """N."""
        return len(self.best)

    @property
    def nash_conv(self) -> Estimate:
        """The best responses' gains from both seats together, on average."""
        return self._mean(self.best.sum(axis=1))

    @property
    def exploitability(self) -> Estimate:
        """The best response's gain on the value of the game, on average over both seats."""
        return self._mean(self.best.mean(axis=1))

    @property
    def loss(self) -> Estimate | None:
        """What is lost to an equilibrium, on average over both seats."""
        return None if self.exact is None else self._mean(self.exact.mean(axis=1))

    def _mean(self, by_deal: NDArray[np.float64]) -> Estimate:
        """The mean with a 95 % interval by a bootstrap over deals; all deals leave no doubt."""
        if self.seed is None:
            mean = float(by_deal.mean())
            return Estimate(mean, mean, mean)
        blocks = np.stack([by_deal, np.ones(len(by_deal))], axis=1)
        return Bootstrap(blocks).estimate(lambda sums: sums[..., 0] / sums[..., 1])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        loss = self.loss
        return {
            "name": self.name,
            "rules": self.rules,
            "deals": self.deals,
            "seed": self.seed,
            "exploitability": self.exploitability.to_dict(),
            "nash_conv": self.nash_conv.to_dict(),
            "loss": None if loss is None else loss.to_dict(),
            "positions": self.positions,
        }


def exploitability(
    opponent: Opponent,
    game: str = "sixth_card",
    *,
    deals: int | None = 100,
    seed: int = 1,
    samples: int = 1,
    against_exact: bool = False,
    name: str | None = None,
    progress: Progress | None = None,
    **config: Any,
) -> Exploitability:
    """Measure how far an opponent is from perfect play.

    Its probabilities are those of its method ``policy``, if it has one and no true attribute
    ``greedy``. Otherwise it is asked to ``act`` with the seeds 0 … ``samples`` - 1 in every
    position, and each answer is taken with the same probability. With one seed a search such as
    ``mc:100`` is a deterministic opponent, whose mistakes a best response foresees; more samples
    come closer to the true one, from above.

    Args:
        opponent: who is measured.
        game: ``"sixth_card"`` or ``"six_nimmt"``.
        deals: how many of a fixed sample of deals; ``None``: all there are, up to a million.
        seed: of the sample.
        samples: for opponents without ``policy``, from 1 to 1,000.
        against_exact: also measure the loss against an equilibrium.
        name: of the opponent in the result.
        progress: called with the numbers of deals done and to do.
        config: the rules, such as ``hand_size`` (by default 5), ``rows`` and ``row_choice``;
            ``exact_deck``, two players and one round go without saying.

    Raises:
        ConfigError: no such rules, or more positions than can be looked at.
        OpponentError: the opponent gave no usable answer.
    """
    which, rules = exact_rules(game, **config)
    states = _deals(which, rules, deals, seed)
    own = player_of(opponent, which, samples, name)
    perfect = player_of(ExactOpponent(which), which) if against_exact else None
    best, exact, positions = np.empty((len(states), 2)), np.empty((len(states), 2)), 0
    for start in range(0, len(states), BLOCK):
        part = slice(start, start + BLOCK)
        if isinstance(opponent, RandomOpponent):
            best[part], looked_at = _gains_on_random(which, rules, states[part])
        else:
            best[part], looked_at = _gains(which, rules, BEST, own, states[part])
        positions += looked_at
        if perfect is not None:
            exact[part], looked_at = _gains(which, rules, perfect, own, states[part])
            positions += looked_at
        if progress is not None:
            progress(min(part.stop, len(states)), len(states))
    return Exploitability(
        name=own_name(opponent, name),
        rules=rules.to_dict(),
        seed=None if deals is None else seed,
        best=best,
        exact=exact if against_exact else None,
        positions=positions,
    )


def solve_deals(
    game: str = "sixth_card",
    *,
    deals: int | None = 100,
    seed: int = 1,
    progress: Progress | None = None,
    **config: Any,
) -> Solved:
    """Solve the deals that :func:`exploitability` with the same arguments looks at."""
    which, rules = exact_rules(game, **config)
    states, solver = _deals(which, rules, deals, seed), Solver(which, rules)
    parts = []
    for start in range(0, len(states), BLOCK):
        parts.append(solver.solve(states[start : start + BLOCK]))
        solver.forget()
        if progress is not None:
            progress(min(start + BLOCK, len(states)), len(states))
    return Solved(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _deals(game: Game, rules: RowsRules, deals: int | None, seed: int) -> NDArray[np.void]:
    return all_deals(game, rules) if deals is None else some_deals(game, rules, deals, seed)


def _gains(
    game: Game, rules: RowsRules, rival: Player, own: Player, states: NDArray[np.void]
) -> tuple[NDArray[np.float64], int]:
    """What a rival gains on a player from both seats, (N, 2), and the positions looked at."""
    at_0, at_1 = Tree(game, rules, rival, own), Tree(game, rules, own, rival)
    gains = np.stack([at_0.values(states), -at_1.values(states)], axis=1)
    return gains, at_0.positions + at_1.positions


def _gains_on_random(
    game: Game, rules: RowsRules, states: NDArray[np.void]
) -> tuple[NDArray[np.float64], int]:
    """As ``_gains`` of ``BEST`` on random play: the solver does it, quicker by far than a tree."""
    gains, games = np.empty((len(states), 2)), 0
    for seat, sign in ((0, 1), (1, -1)):
        solver = Solver(game, rules, uniform=1 - seat)
        gains[:, seat] = sign * solver.solve(states).value
        games += solver.games
    return gains, games


# --- Opponents as policies -----------------------------------------------------------------------


def own_name(opponent: Opponent, name: str | None) -> str:
    """What an opponent is called: as given, or by its own name."""
    return opponent.name if name is None else name


def player_of(opponent: Opponent, game: Game, samples: int = 1, name: str | None = None) -> Player:
    """An opponent as the player of a tree; see :func:`exploitability`."""
    if not 1 <= samples <= MAX_SAMPLES:
        raise ConfigError(f"samples must be from 1 to {MAX_SAMPLES}, not {samples}")
    called = own_name(opponent, name)
    policy = getattr(opponent, "policy", None)
    if policy is None or getattr(opponent, "greedy", False):
        policy = _acts(opponent, game, samples, called)
    else:
        policy = _checked(policy, called)
    return Player(
        policy,
        history=not isinstance(opponent, FORGETFUL),
        row_numbers=not isinstance(opponent, RandomOpponent),
    )


def _acts(opponent: Opponent, game: Game, samples: int, name: str) -> Policy:
    def policy(observation: NDArray[np.int16], mask: NDArray[np.int8]) -> Chances:
        chances, rows = np.zeros(mask.shape), np.arange(len(mask))
        seats = np.zeros(len(mask), np.int64)
        for seed in range(samples):
            seeds = np.full(len(mask), seed, np.uint64)
            chances[rows, ask(opponent, name, game, seats, observation, mask, seeds)] += 1 / samples
        return chances

    return policy


def _checked(policy: Callable[..., Any], name: str) -> Policy:
    def checked(observation: NDArray[np.int16], mask: NDArray[np.int8]) -> Chances:
        chances = np.asarray(policy(observation, mask), np.float64)
        total = chances.sum(axis=1, keepdims=True) if chances.shape == mask.shape else np.zeros(0)
        fits = chances.shape == mask.shape and np.all(np.abs(total - 1) < 1e-3)
        if not fits or chances.min() < 0 or (chances[mask == 0] > 1e-6).any():
            raise OpponentError(
                f"the policy of {name} gave no probabilities {mask.shape} of legal actions"
            )
        chances = np.where(mask != 0, chances, 0)
        scaled: Chances = chances / chances.sum(axis=1, keepdims=True)
        return scaled

    return checked
