"""Exported networks as opponents: an ONNX file and onnxruntime, no torch.

``python -m agents.export`` of this project's checkout writes such files; ``docs/onnx.md`` tells
what is in them. Nothing in a file is executed but the arithmetic of its network.
"""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from sixth_env.errors import MissingExtraError, OpponentError
from sixth_env.games import GAMES, get_game
from sixth_env.opponents.base import Seeds, integer_columns, legal_actions, row_seeds
from sixth_env.opponents.onnx_card import (
    MAX_CARD_BYTES,
    METADATA_KEY,
    OnnxCard,
    PlayMode,
    check_fits,
    column_sources,
    parse_card,
)
from sixth_env.opponents.onnx_file import inspect_model, read_model
from sixth_env.opponents.sampling import gumbel, reshaped, softmax

SUFFIX = ".onnx"

_ROWS = 256  # run together: the card scorer's layers for them stay in the cache


class OnnxOpponent:
    """Plays an exported network's policy, on one thread.

    Args:
        model: the content of an ONNX file that ``agents.export`` has written.
        game: the game to be played; the file's own unless given.
        mode: how actions are chosen, where that is not as the card says: ``greedy``, ``sampled``,
            ``temperature=2``, ``top_p=0.9``, or several of them joined by ``&``.
        name: for reports; the card's unless given.
        where: what to call the model in errors.
        card: tells name and mode instead of the card in the file; it must be of the same network.

    Raises:
        OpponentError: says in one sentence why the model or the mode is refused.
        ConfigError: no such game.
        MissingExtraError: onnxruntime is not installed.
    """

    def __init__(
        self,
        model: bytes,
        game: str | None = None,
        mode: str = "",
        name: str | None = None,
        where: str = "the ONNX model",
        card: OnnxCard | None = None,
    ) -> None:
        self._made_of = (model, game, mode, name, where, card)
        content = inspect_model(model, where)
        if METADATA_KEY not in content.metadata:
            raise OpponentError(
                f"{where} has no card: only files that agents.export has written are opponents"
            )
        inside = parse_card(content.metadata[METADATA_KEY], where)
        if card is not None and not card.same_network(inside):
            raise OpponentError(f"{where} has another network than the card beside it")
        self.card = card = card or inside
        if card.graph_sha256 != content.graph_sha256:
            raise OpponentError(f"{where} is damaged: its network is not the one of its card")
        if card.game not in GAMES:
            raise OpponentError(
                f"{where} plays {card.game!r}, which this version of sixth_env does not know"
            )
        self.game = get_game(game or card.game)
        check_fits(card, self.game, where)
        self.mode = changed_mode(card.play, mode) if mode else card.play
        self.name = (name or card.name) + (f"?{mode}" if mode else "")
        self._sources = column_sources(card, self.game)
        self._session = _session(model, where)
        self._check_session(where)

    @property
    def greedy(self) -> bool:
        """Whether it plays the most probable action, or draws from the policy."""
        return self.mode.greedy

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Seeds
    ) -> NDArray[np.int64]:
        """Actions (N,) for observations (N, D), masks (N, A) and seeds (N,); see ``Opponent.act``.

        Raises ``OpponentError`` for input of another type or shape, or without a legal action.
        """
        logits, legal = self._masked_logits(observation, action_mask)
        keys = row_seeds(seeds, len(logits))
        if not self.mode.greedy:
            logits = reshaped(logits, self.mode.temperature, self.mode.top_p)
            logits = logits + gumbel(keys, logits.shape[1])
        choice: NDArray[np.int64] = np.where(legal, logits, -np.inf).argmax(axis=1)
        return choice

    def policy(self, observation: NDArray[Any], action_mask: NDArray[Any]) -> NDArray[np.float32]:
        """Probabilities (N, A) of the actions, as they are drawn if the policy is not greedy."""
        logits, _ = self._masked_logits(observation, action_mask)
        return softmax(reshaped(logits, self.mode.temperature, self.mode.top_p))

    def logits_and_value(
        self, observation: NDArray[Any], action_mask: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The network's masked logits (N, A), finite, and values (N,)."""
        columns = integer_columns(self.game, observation)
        legal = legal_actions(self.game, action_mask, len(columns))
        logits, value = self._run(columns, legal, ["logits", "value"])
        return logits, value

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it is made of: a session cannot be pickled."""
        return OnnxOpponent, self._made_of

    def __deepcopy__(self, memo: dict[int, Any]) -> OnnxOpponent:
        """Itself: it never changes."""
        return self

    def _masked_logits(
        self, observation: NDArray[Any], action_mask: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        columns = integer_columns(self.game, observation)
        legal = legal_actions(self.game, action_mask, len(columns))
        return self._run(columns, legal, ["logits"])[0], legal

    def _run(
        self, columns: NDArray[np.int16], legal: NDArray[np.bool_], outputs: list[str]
    ) -> list[NDArray[np.float32]]:
        """Outputs of the network, by chunks of rows."""
        if self._sources is not None:
            columns = np.where(self._sources >= 0, columns[:, self._sources], 0)
        inputs = {"observation": columns.astype(np.int32), "action_mask": legal.astype(np.int32)}
        rows = len(columns)
        if rows <= _ROWS:
            found: list[NDArray[np.float32]] = self._session.run(outputs, inputs)
            return found
        chunks = [
            self._session.run(outputs, {k: v[i : i + _ROWS] for k, v in inputs.items()})
            for i in range(0, rows, _ROWS)
        ]
        return [np.concatenate(parts) for parts in zip(*chunks, strict=True)]

    def _check_session(self, where: str) -> None:
        """The model must take and give what its card says, whatever the number of rows."""
        size, actions = self.card.observation_size, len(self.card.actions)
        wanted = [
            ("observation", "tensor(int32)", size),
            ("action_mask", "tensor(int32)", actions),
            ("logits", "tensor(float)", actions),
            ("value", "tensor(float)", None),
        ]
        ports = [*self._session.get_inputs(), *self._session.get_outputs()]
        found = [(p.name, p.type, p.shape[1] if len(p.shape) == 2 else None) for p in ports]
        if found != wanted:
            raise OpponentError(f"{where} has other inputs or outputs than its card says")
        for rows in (1, 3):
            inputs = {
                "observation": np.zeros((rows, size), np.int32),
                "action_mask": np.ones((rows, actions), np.int32),
            }
            try:
                logits, value = self._session.run(["logits", "value"], inputs)
            except Exception as error:  # whatever the runtime raises
                raise OpponentError(f"{where} cannot be run: {_first_line(error)}") from None
            shapes = (logits.shape, value.shape)
            finite = np.isfinite(logits).all() and np.isfinite(value).all()
            if shapes != ((rows, actions), (rows,)) or not finite:
                raise OpponentError(f"{where} gives no finite logits and value for each row")


def load_onnx(
    file: str | Path,
    game: str | None = None,
    *,
    mode: str = "",
    name: str | None = None,
    card: Path | None = None,
) -> OnnxOpponent:
    """The opponent of an ONNX file.

    Args:
        file: its path.
        game, mode, name: see :class:`OnnxOpponent`.
        card: the JSON file of its card; by default that of the same name beside it, if there is
            one.

    Raises:
        OpponentError, ConfigError, MissingExtraError: as :class:`OnnxOpponent` does.
    """
    file = Path(file)
    _onnxruntime()  # first: without it the file may be as good as it likes
    model = read_model(file)
    beside = file.with_suffix(".json") if card is None else card
    if card is None and not beside.is_file():
        return OnnxOpponent(model, game, mode, name, where=str(file))
    told = read_card(beside)
    if told.sha256 is None:
        raise OpponentError(f"the card {beside} does not tell the sha256 of its file")
    if told.sha256 != hashlib.sha256(model).hexdigest():
        raise OpponentError(f"{file} is damaged or was exchanged: {beside} is of another file")
    told = told.model_copy(update={"sha256": None})
    return OnnxOpponent(model, game, mode, name, where=str(file), card=told)


def changed_mode(mode: PlayMode, words: str) -> PlayMode:
    """A mode with what ``words`` says of it changed; see :class:`OnnxOpponent`.

    Raises:
        OpponentError: a word is unknown or out of its bounds.
    """
    changes: dict[str, Any] = {}
    for word in words.split("&"):
        key, _, value = word.partition("=")
        if word in ("greedy", "sampled"):
            changes["greedy"] = word == "greedy"
        elif key in ("temperature", "top_p"):
            changes[key] = value
            changes.setdefault("greedy", False)
        else:
            raise OpponentError(
                f"?{words}: {word!r} must be greedy, sampled, temperature=NUMBER or top_p=NUMBER"
            )
    try:
        return PlayMode.model_validate({**mode.model_dump(), **changes}, strict=False)
    except ValidationError as error:
        first = error.errors()[0]
        raise OpponentError(f"?{words}: {first['loc'][0]}: {first['msg']}") from None


def read_card(file: Path) -> OnnxCard:
    """The card in a JSON file beside an ONNX file.

    Raises:
        OpponentError: it cannot be read, or is no card.
    """
    try:
        with file.open(encoding="utf-8") as stream:
            text = stream.read(MAX_CARD_BYTES + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise OpponentError(f"the card {file} cannot be read: {error}") from None
    return parse_card(text, str(file))


def _onnxruntime() -> Any:
    try:
        return importlib.import_module("onnxruntime")
    except ModuleNotFoundError as error:
        if error.name != "onnxruntime":
            raise
        raise MissingExtraError(
            "onnxruntime is not installed: pip install 'sixth_env[onnx]'"
        ) from error


def _session(model: bytes, where: str) -> Any:
    """An onnxruntime session on one thread, which says nothing on standard error."""
    runtime = _onnxruntime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.load_model_format", "ONNX")
    try:
        return runtime.InferenceSession(
            model,
            options,
            providers=["CPUExecutionProvider"],
            enable_fallback=0,  # which would print, and try the same again
        )
    except Exception as error:  # the runtime has an exception of its own for each kind of fault
        raise OpponentError(f"{where} cannot be run: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:200] if text else type(error).__name__
