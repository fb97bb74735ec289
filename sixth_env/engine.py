"""Engine: n games of one rule set at once. Knows no reinforcement-learning library.

It holds the records, seeds them, checks actions, steps, starts new episodes and gives access to
positions; the environments are thin shells around it.
"""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixth_env.errors import ConfigError, IllegalActionError, PositionError
from sixth_env.games import get_game
from sixth_env.games.base import MATCH_END, ROUND_END, TRUNCATED, Game
from sixth_env.lift import REWARD_MODES, lift

MAX_SEED = 2**64 - 1


class Outcome(NamedTuple):
    """What a step brought; arrays are reused by the next step."""

    reward: NDArray[np.float32]  # (B, P)
    flags: NDArray[np.int64]  # (B,) bits of games.base: ROUND_END, MATCH_END, TRUNCATED


class Engine:
    """``num_games`` games under one rule set.

    Game i is the same game in an engine of any size, on any number of threads: everything random
    is keyed by (seed, game index, episode, round).

    Args:
        game: a game's id, such as ``"sixth_card"``.
        num_games: B.
        seed: 0 … 2^64 - 1; ``None`` draws one from the operating system.
        first_index: index of the first game, so that several engines can share one seed.
        threads: more than one steps and observes over Numba's threads.
        config: the rule set, as keyword arguments of the game's rules.
    """

    def __init__(
        self,
        game: str,
        num_games: int = 1,
        *,
        seed: int | None = None,
        first_index: int = 0,
        threads: int = 1,
        **config: Any,
    ) -> None:
        self.game: Game = get_game(game)
        self.rules = self.game.make_rules(config)
        _check_whole("num_games", num_games, 1)
        _check_whole("first_index", first_index, 0)
        _check_whole("threads", threads, 1)
        self.num_games = num_games
        self.num_players: int = self.rules.num_players
        self.seats_per_step = self.num_players if self.game.simultaneous else 1
        self.threads = threads
        self.states = np.zeros(num_games, self.game.state)
        self.states["game"] = np.arange(first_index, first_index + num_games)
        self._mode = REWARD_MODES[self.rules.reward]
        self._bind()
        self._outcome = Outcome(
            np.zeros((num_games, self.num_players), np.float32), np.zeros(num_games, np.int64)
        )
        self._united = 0  # bits that some game has in `_outcome.flags`
        self._draws = 0
        self.reset(random_seed() if seed is None else seed)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what ``_bind`` makes from the rules."""
        state = self.__dict__.copy()
        for name in ("_record", "_no_log", "_loops"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def _bind(self) -> None:
        """Make what the rules and the number of threads lead to."""
        self._record = np.array([self.game.rules_record(self.rules)])
        self._no_log = np.zeros(1, self.game.kernels.LOG)
        self._loops = lift(self.game, self.threads > 1)

    # --- Episodes --------------------------------------------------------------------------

    def reset(self, seed: int | None = None, *, log: NDArray[np.void] | None = None) -> None:
        """Start a new episode of every game; with a seed, the first one of its stream."""
        if seed is not None:
            self.states["seed"] = check_seed(seed)
            self.states["episode"] = -1
            self._draws = 0
        self._deal(np.ones(self.num_games, np.bool_), log)

    def restart(self, chosen: NDArray[np.bool_], log: NDArray[np.void] | None = None) -> None:
        """Start the next episode of the games where ``chosen`` (B,)."""
        self._deal(chosen, log)

    def step(self, actions: ArrayLike, *, log: NDArray[np.void] | None = None) -> Outcome:
        """Apply one action a seat; finished matches stay finished.

        Args:
            actions: integers (B, K); a seat with nothing to decide sends ``wait``.
            log: takes the public story of an engine's only game; see ``new_log``.

        Raises:
            IllegalActionError: some action is not legal; no game has moved then.
        """
        actions = self.check_shape(actions)
        reward, flags = self._outcome
        bad, self._united = self._loops.play(
            self.states, self._record, self._mode, actions, reward, flags, self._log(log)
        )
        if bad >= 0:
            raise IllegalActionError(self._explain(actions, *divmod(bad, self.seats_per_step)))
        return self._outcome

    def any(self, flag: int) -> bool:
        """Whether the last step brought one of the bits of ``flag`` to any game."""
        return self._united & flag != 0

    def done(self) -> NDArray[np.bool_]:
        """Which games ended or were cut off in the last step, (B,)."""
        ended: NDArray[np.bool_] = (self._outcome.flags & (MATCH_END | TRUNCATED)) != 0
        return ended

    # --- What seats see ----------------------------------------------------------------------

    def observe(
        self,
        observation: NDArray[Any],
        mask: NDArray[np.int8],
        seat: NDArray[np.int64],
        acting: NDArray[np.bool_],
    ) -> None:
        """Write (B, K, D) int16 or float32, (B, K, A), (B, K) and (B, K) into the arrays."""
        rules = self._record
        if observation.dtype == np.int16:
            self._loops.observe(self.states, rules, observation, mask, seat, acting)
            return
        columns = np.empty(
            (self.num_games if self.threads > 1 else 1, *observation.shape[1:]), np.int16
        )
        self._loops.observe_float(
            self.states,
            rules,
            observation,
            mask,
            seat,
            acting,
            self.game.table.scale,
            columns,
        )

    def sample_actions(
        self, seed: int | None = None, out: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Draw a legal action for every row, (B, K), uniformly.

        Without a seed the draws go on with a stream of their own, kept apart from the deals.
        """
        if out is None:
            out = np.empty((self.num_games, self.seats_per_step), np.int64)
        if seed is None:
            self._draws += 1
            key, draw = self.states["seed"][0], self._draws
        else:
            key, draw = np.uint64(check_seed(seed)), 0
        self._loops.sample(self.states, self._record, key, draw, out)
        return out

    # --- Positions -------------------------------------------------------------------------

    def position(self, index: int = 0) -> dict[str, Any]:
        """The whole truth about one game, as plain values."""
        return self.game.notation.position(self.rules, self.states[index])

    def view(self, index: int = 0, player: int = 0) -> dict[str, Any]:
        """What one seat may know of a game, as plain values, with its legal actions."""
        view = self.game.notation.view(self.position(index), player)
        return {**view, "legal": self.game.legal(self.legal_actions(index, player))}

    def new_log(self) -> NDArray[np.void]:
        """What takes the story of an engine's only game: pass it as ``log``."""
        log = np.zeros(1, self.game.kernels.LOG)
        log["on"] = 1
        return log

    def events(self, log: NDArray[np.void]) -> list[dict[str, Any]]:
        """What a step or reset has told to ``log``, which is empty again then."""
        events = self.game.notation.events(log[0], self.position())
        log["count"] = 0
        return events

    def key(self, index: int = 0) -> tuple[int, int, int]:
        """The stream's key of a game: seed, game index, episode. All later deals follow from it."""
        seed, game, episode = (self.states[name][index] for name in ("seed", "game", "episode"))
        return int(seed), int(game), int(episode)

    def set_position(self, position: dict[str, Any], index: int = 0) -> None:
        """Put one game into a position; the stream's key stays.

        Raises:
            PositionError: the position contradicts itself or the rules; the game is unchanged.
        """
        state = self.states[index : index + 1].copy()
        self.game.notation.load(self.rules, position, state[0])
        self.states[index] = state[0]

    def save(self, games: Any = slice(None)) -> NDArray[np.void]:
        """The records of all games, or of those an index selects; see ``restore``."""
        return np.atleast_1d(self.states[games]).copy()

    def restore(self, saved: NDArray[np.void], games: Any = slice(None)) -> None:
        """Put back records that ``save`` gave, of this rule set; streams of deals included."""
        if saved.dtype != self.game.state:
            raise PositionError(f"saved games of {self.game.id} are expected, not {saved.dtype}")
        self.states[games] = saved

    def copy(self) -> Engine:
        """An independent engine in the same state."""
        twin: Engine = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.states = self.states.copy()
        twin._outcome = Outcome(self._outcome.reward.copy(), self._outcome.flags.copy())
        return twin

    # --- Checks ----------------------------------------------------------------------------

    def check_shape(self, actions: ArrayLike) -> NDArray[np.int64]:
        """Actions as int64 (B, K); raises ``IllegalActionError`` for another type or shape."""
        try:
            array = np.asarray(actions)
        except ValueError as error:
            raise IllegalActionError(f"actions must be an array of integers: {error}") from None
        shape = (self.num_games, self.seats_per_step)
        if array.shape != shape or array.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions must be integers of shape {shape}, not {array.dtype} of {array.shape}"
            )
        if array.dtype != np.int64 or not array.flags.carray:
            array = np.array(array, np.int64, order="C")  # any other layout is compiled anew
        return array

    def legal_actions(self, index: int, seat: int) -> list[int]:
        """The legal action numbers of a seat of one game."""
        mask = np.zeros(self.game.num_actions, np.int8)
        self.game.kernels.write_mask(self.states[index], self._record[0], seat, mask)
        return [int(action) for action in np.flatnonzero(mask)]

    def _explain(self, actions: NDArray[np.int64], index: int, k: int) -> str:
        seat = int(self.game.kernels.seat_at(self.states[index], self._record[0], k))
        legal = self.legal_actions(index, seat)
        where = "" if self.num_games == 1 else f" of game {index}"
        return f"player_{seat}{where} may not take action {actions[index, k]}; legal now: {legal}"

    def _deal(self, chosen: NDArray[np.bool_], log: NDArray[np.void] | None) -> None:
        self._loops.reset(self.states, self._record, chosen, self._log(log))

    def _log(self, log: NDArray[np.void] | None) -> NDArray[np.void]:
        if log is None:
            return self._no_log
        if self.num_games != 1:
            raise ConfigError(f"a log follows a single game, not {self.num_games}")
        return log


def _check_whole(name: str, value: object, least: int) -> None:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]
        raise ConfigError(f"{name} must be a whole number from {least} on, not {value!r}")


def random_seed() -> int:
    """A fresh seed from the operating system; no global generator is touched."""
    return secrets.randbits(63)


def check_seed(seed: object) -> int:
    """A seed as a Python int; raises ``ConfigError`` unless it is a whole number 0 … 2^64 - 1."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise ConfigError(f"seed must be a whole number, not {seed!r}")
    if not 0 <= seed <= MAX_SEED:
        raise ConfigError(f"seed must be from 0 to 2^64 - 1, not {seed}")
    return int(seed)


__all__ = ["MATCH_END", "ROUND_END", "TRUNCATED", "Engine", "Outcome", "check_seed", "random_seed"]
