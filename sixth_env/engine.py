"""Engine: n games of one rule set at once. Knows no reinforcement-learning library.

It holds the records, seeds them, checks actions, steps, starts new episodes and gives access to
positions; the environments are thin shells around it.
"""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixth_env.errors import ConfigError, IllegalActionError, PositionError
from sixth_env.games import get_game
from sixth_env.games.base import MATCH_END, ROUND_END, TRUNCATED, Game
from sixth_env.lift import REWARD_MODES, lift

MAX_SEED = 2**64 - 1
MAX_INDEX = 2**63 - 1  # of games and episodes
MAX_GAMES = 2**31 - 1


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
        threads: how many of Numba's threads step and observe, 1 … ``NUMBA_NUM_THREADS``.
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
        _check_whole("num_games", num_games, 1, MAX_GAMES)
        _check_whole("first_index", first_index, 0, MAX_INDEX - num_games)
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
        most = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
        _check_whole("threads", self.threads, 1, most)
        self._record = np.array([self.game.rules_record(self.rules)])
        self._no_log = np.zeros(1, self.game.kernels.LOG)
        self._loops = lift(self.game, self.threads)

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
        check_array("chosen", chosen, (self.num_games,), np.bool_)
        self._deal(chosen, log)

    def step(
        self,
        actions: ArrayLike,
        *,
        games: NDArray[np.bool_] | None = None,
        log: NDArray[np.void] | None = None,
    ) -> Outcome:
        """Apply one action a seat; finished matches stay finished.

        Args:
            actions: integers (B, K); a seat with nothing to decide sends ``wait``.
            games: (B,) which games move; the others keep every bit, their actions are not looked
                at, and their reward and flags are 0. All move by default.
            log: takes the public story of an engine's only game; see ``new_log``.

        Raises:
            IllegalActionError: some action is not legal; no game has moved then.
        """
        numbers = self.check_shape(actions)
        reward, flags = self._outcome
        before, after = (self.states, self._record, self._mode), (reward, flags, self._log(log))
        if games is None:
            bad, self._united = self._loops.play(*before, numbers, *after)
        else:
            check_array("games", games, (self.num_games,), np.bool_)
            bad, self._united = self._loops.play_some(*before, numbers, games, *after)
        if bad >= 0:
            given = np.asarray(actions)  # huge unsigned ones are negative among `numbers`
            raise IllegalActionError(self._explain(given, *divmod(bad, self.seats_per_step)))
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
        """Write (B, K, D) int16 or float32, (B, K, A), (B, K) and (B, K) into the arrays.

        Raises ``ConfigError`` for an array of another shape or type.
        """
        rows, rules = (self.num_games, self.seats_per_step), self._record
        integers = getattr(observation, "dtype", None) == np.int16
        columns_type = np.int16 if integers else np.float32
        check_array("observation", observation, (*rows, self.game.observation_size), columns_type)
        check_array("mask", mask, (*rows, self.game.num_actions), np.int8)
        check_array("seat", seat, rows, np.int64)
        check_array("acting", acting, rows, np.bool_)
        if integers:
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
        Raises ``ConfigError`` if ``out`` is not such an array.
        """
        shape = (self.num_games, self.seats_per_step)
        if out is None:
            out = np.empty(shape, np.int64)
        check_array("out", out, shape, np.int64)
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
        if not is_whole(index, 0, self.num_games - 1):
            raise PositionError(f"index must be that of one of {self.num_games} games, not {index}")
        state = self.states[index : index + 1].copy()
        self.game.notation.load(self.rules, position, state[0])
        self.states[index] = state[0]

    def save(self, games: Any = slice(None)) -> NDArray[np.void]:
        """The records of all games, or of those an index selects; see ``restore``."""
        return np.atleast_1d(self.states[games]).copy()

    def restore(self, saved: NDArray[np.void], games: Any = slice(None)) -> None:
        """Put back records that ``save`` gave, of this rule set; streams of deals included.

        Raises:
            PositionError: they are no such records, or not one for each game; nothing has changed.
        """
        shape = np.atleast_1d(self.states[games]).shape
        if getattr(saved, "dtype", None) != self.game.state:
            given = getattr(saved, "dtype", type(saved).__name__)
            raise PositionError(f"saved games of {self.game.id} are expected, not {given}")
        if saved.shape != shape:
            raise PositionError(f"saved games must be of shape {shape}, not {saved.shape}")
        self.game.check_records(self.rules, saved)
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

    def _explain(self, actions: NDArray[Any], index: int, k: int) -> str:
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
        check_array("log", log, (1,), self.game.kernels.LOG)
        if log["count"][0]:  # it has room for the story of one step
            raise ConfigError("log must be empty: take what it tells with events() first")
        return log


def check_array(name: str, array: Any, shape: tuple[int, ...], dtype: Any) -> None:
    """Refuse an array that a compiled loop, which checks no bounds, would write outside of."""
    fits = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == dtype
    if not (fits and array.flags.carray):
        given = f"{array.dtype} of {array.shape}" if isinstance(array, np.ndarray) else repr(array)
        raise ConfigError(
            f"{name} must be a C-contiguous, writeable array of {np.dtype(dtype)} of shape {shape},"
            f" not {given}"
        )


def _check_whole(name: str, value: object, low: int, high: int) -> None:
    if not is_whole(value, low, high):
        raise ConfigError(f"{name} must be a whole number from {low} to {high}, not {value!r}")


def is_whole(value: object, low: int, high: int) -> bool:
    """Whether a value is a Python or NumPy integer between two bounds, both included."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return False
    return low <= int(value) <= high


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


__all__ = [
    "MATCH_END",
    "MAX_INDEX",
    "MAX_SEED",
    "ROUND_END",
    "TRUNCATED",
    "Engine",
    "Outcome",
    "check_array",
    "check_seed",
    "is_whole",
    "random_seed",
]
