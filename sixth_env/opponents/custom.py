"""Opponents of one's own, by name.

A spec ``MODULE:ARGUMENT`` stands for ``MODULE.load(ARGUMENT)``: any importable module, of the
working folder too, that has a function ``load`` from a string to an
:class:`~sixth_env.opponents.base.Opponent`. So ``agents:runs/ppo/best`` loads a checkpoint with
this project's trainable agents; the folder of a checkpoint alone means the same, and
``runs/ppo/best?sampled`` an agent that draws from its policy instead of taking the most probable
action. As with ``python -m``, the module's code is run: name only modules that you trust.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from pathlib import Path
from types import ModuleType

from sixth_env.errors import OpponentError, SixthEnvError
from sixth_env.games import get_game
from sixth_env.opponents import is_exported, load_opponent, opponent_names
from sixth_env.opponents.base import Opponent
from sixth_env.opponents.remote import is_remote

CHECKPOINT_MODULE, CARD, SAMPLED = "agents", "card.json", "?sampled"

_SPEC = re.compile(r"(?P<module>[A-Za-z_]\w+(\.[A-Za-z_]\w*)*):(?P<argument>.+)", re.ASCII)


def resolve_opponent(spec: str, game: str = "sixth_card") -> Opponent:
    """The opponent of a spec: all that ``load_opponent`` takes, ``MODULE:ARGUMENT``, a checkpoint.

    Args:
        spec: what to load; a built-in name such as ``"mc:100"`` is never taken for a module, nor
            a shipped opponent's for a folder.
        game: the game to be played.

    Raises:
        OpponentError: there is no such opponent, or it plays another game.
        SixthEnvError: whatever the module's ``load`` finds wrong.
    """
    built_in = {name.partition(":")[0] for name in opponent_names(game)}
    if spec.partition(":")[0] in {*built_in, ""} or is_remote(spec) or is_exported(spec):
        return load_opponent(spec, game=game)
    folder = Path(spec.removesuffix(SAMPLED))
    if _is_checkpoint(folder):
        return _load(_agents(folder), spec, game)
    if folder.is_dir():
        raise OpponentError(_no_checkpoint(folder))
    match = _SPEC.fullmatch(spec)
    if match is None:
        return load_opponent(spec, game=game)
    return _load(_import(match["module"]), match["argument"], game)


def _is_checkpoint(folder: Path) -> bool:
    """Whether a checkpoint is there, or beside it, where an interrupted save has left it."""
    target = Path(os.path.realpath(folder))
    old = target.parent / f".{target.name}.old"
    return any(Path(place, CARD).is_file() for place in (target, old))


def _no_checkpoint(folder: Path) -> str:
    latest = folder / "latest"
    hint = f": did you mean {latest}?" if _is_checkpoint(latest) else ""
    return f"{folder} is a folder without {CARD}, so it is no checkpoint{hint}"


def _agents(folder: Path) -> ModuleType:
    """The checkout's package that loads checkpoints, and no other of that name."""
    wanted = (
        f"{folder} is a checkpoint, which this project's package {CHECKPOINT_MODULE!r} loads:"
        " run from the root of its checkout"
    )
    try:
        module = _import(CHECKPOINT_MODULE)
    except OpponentError as error:
        raise OpponentError(f"{wanted} ({error})") from error
    if not (hasattr(module, "TorchAgent") and hasattr(module, "load")):
        found = getattr(module, "__file__", None) or "a folder"
        raise OpponentError(f"{wanted} (found another module of that name, {found})")
    return module


def _load(module: ModuleType, argument: str, game: str) -> Opponent:
    module_name, load = module.__name__, getattr(module, "load", None)
    if not callable(load):
        raise OpponentError(f"module {module_name!r} has no function load(argument)")
    try:
        opponent = load(argument)
    except SixthEnvError:
        raise
    except (Exception, SystemExit) as error:
        raise OpponentError(
            f"{module_name}.load({argument!r}) failed with {type(error).__name__}: {error}"
        ) from error
    if not callable(getattr(opponent, "act", None)):
        raise OpponentError(
            f"{module_name}.load({argument!r}) returned {type(opponent).__name__},"
            " which has no method act(observation, action_mask, seeds)"
        )
    checked: Opponent = opponent
    _check_game(checked, f"{module_name}:{argument}", game)
    return checked


def _check_game(opponent: Opponent, spec: str, game: str) -> None:
    """Refuse an opponent that says it plays another game; one that says nothing is asked."""
    plays = getattr(opponent, "game", None)
    plays = getattr(plays, "id", plays)
    if plays is not None and plays != get_game(game).id:
        raise OpponentError(f"{spec} plays {plays}, not {game}")


def _import(name: str) -> ModuleType:
    """Import a module, those of the working folder first, as ``python -m`` does."""
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name + ".").startswith(error.name + "."):
            raise OpponentError(
                f"no module {name!r} in {folder} or among the installed packages"
            ) from error
        raise OpponentError(f"module {name!r} cannot be imported: {error}") from error
    except ImportError as error:
        raise OpponentError(f"module {name!r} cannot be imported: {error}") from error
    finally:
        sys.path.remove(folder)
