"""One thin file for each foreign library; nothing else of the package imports them."""

from __future__ import annotations

import importlib
from types import ModuleType

from sixth_env.errors import MissingExtraError


def require(module: str, *, extra: str) -> ModuleType:
    """The module of an optional library.

    Args:
        module: its import name, such as ``"torchrl.envs"``.
        extra: the extra of this package that brings it.

    Raises:
        MissingExtraError: the library is not installed; names the extra.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module + ".").startswith(error.name + "."):
            raise  # the library is there, but lacks something of its own
        raise MissingExtraError(
            f"{module.partition('.')[0]} is not installed: pip install 'sixth_env[{extra}]'"
        ) from error
