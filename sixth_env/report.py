"""Reports as files, written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from sixth_env.errors import ConfigError


def check_writable(file: Path | None) -> None:
    """Refuse a report's file before the work rather than after it; nothing is left behind.

    Raises:
        ConfigError: the file cannot be written.
    """
    if file is None:
        return
    try:
        new = not file.exists()
        file.open("a").close()
        if new:
            file.unlink()
    except OSError as error:
        raise _unwritable(file, error) from error


def write_report(file: Path, values: dict[str, Any]) -> None:
    """Write plain values as JSON.

    Raises:
        ConfigError: the file cannot be written.
    """
    write_text(file, json.dumps(values, indent=2, allow_nan=False) + "\n")


def write_text(file: Path, text: str) -> None:
    """Write a text file.

    Raises:
        ConfigError: the file cannot be written.
    """
    target = Path(os.path.realpath(file))
    try:
        if target.exists() and not target.is_file():  # a device or a pipe is written as it stands
            target.write_text(text, "utf-8")
            return
        new = target.with_name(f".{target.name}.new")
        new.write_text(text, "utf-8")
        os.replace(new, target)
    except OSError as error:
        raise _unwritable(file, error) from error


def _unwritable(file: Path, error: OSError) -> ConfigError:
    return ConfigError(f"the report cannot be written to {file}: {error.strerror}")
