"""Reports as JSON files."""

from __future__ import annotations

import json
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
    text = json.dumps(values, indent=2, allow_nan=False) + "\n"
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise _unwritable(file, error) from error


def _unwritable(file: Path, error: OSError) -> ConfigError:
    return ConfigError(f"the report cannot be written to {file}: {error.strerror}")
