"""Typed run settings: a TOML file, overridden by the command line, saved with the run.

    python -m train.ppo configs/ppo/quickstart.toml --seed 3 --total-steps 1000000

The settings of a script are a subclass of ``Config``, whose fields all have defaults:

    class PPOConfig(Config):
        seed: int = 0
        learning_rate: float = Field(default=3e-4, gt=0)
        tables: tuple[Table, ...] = (Table(),)  # nested models: [[tables]] in the file

An unknown key, a wrong type or a value out of bounds is an error, never a guess.
"""

from __future__ import annotations

import difflib
import inspect
import json
import os
import sys
import tomllib
import typing
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import tyro
from pydantic import BaseModel, ConfigDict, ValidationError
from tyro.constructors import (
    ConstructorRegistry,
    StructConstructorSpec,
    StructFieldSpec,
    StructTypeInfo,
)

from sixth_env.errors import ConfigError, SixthEnvError

__all__ = [
    "MAX_THREADS",
    "Config",
    "load_config",
    "read_config",
    "readable_errors",
    "save_resolved",
]

MAX_THREADS = 256  # torch ends the process, without a word, where it cannot start so many

_FILE_NOTE = (
    "A settings file (.toml, or the config.json of an earlier run) may come first;"
    " the options override it."
)


class Config(BaseModel):
    """Base of all settings: frozen, strict, and a string under a field is its ``--help``."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        use_attribute_docstrings=True,
        allow_inf_nan=False,
    )


C = TypeVar("C", bound=Config)


def load_config(cls: type[C], argv: Sequence[str] | None = None) -> C:
    """Settings from ``[FILE] [--option value …]`` (``sys.argv`` unless given).

    Anything wrong ends the program with exit code 2 and a message on standard error.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    with readable_errors():
        base = cls()
        if arguments and not arguments[0].startswith("-"):
            base = read_config(cls, arguments.pop(0))
        return _apply_options(base, arguments)


def read_config(cls: type[C], path: str | Path) -> C:
    """Settings from a .toml or .json file; keys it leaves out have their defaults.

    Raises ``ConfigError``, one sentence that names the file, the key and what was expected.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
        values = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except FileNotFoundError:
        raise ConfigError(f"there is no settings file {file}") from None
    except OSError as error:
        raise ConfigError(f"the settings file {file} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file} is not valid {file.suffix[1:].upper()}: {error}") from None
    return _validate(cls, values, where=f"{file}: ")


def save_resolved(config: BaseModel, run_dir: str | Path) -> Path:
    """Writes every setting to ``run_dir/config.json``, whole or not at all; returns its path.

    The file can be given to the script again, to repeat the run.
    """
    file = Path(run_dir) / "config.json"
    temporary = file.with_name(".config.json.new")
    with temporary.open("w", encoding="utf-8") as stream:
        stream.write(config.model_dump_json(indent=2) + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(temporary, file)
    return file


@contextmanager
def readable_errors() -> Iterator[None]:
    """Ends the program with one line instead of a traceback for errors raised on purpose.

    Exit code 2 for settings (``ConfigError``), 1 for all others of ``sixth_env.errors``.
    """
    try:
        yield
    except SixthEnvError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2 if isinstance(error, ConfigError) else 1) from None


def _apply_options(base: C, arguments: list[str]) -> C:
    cls = type(base)
    changed = tyro.cli(
        cls,
        prog=_program(),
        description=f"{cls.__doc__ or ''}\n\n{_FILE_NOTE}",
        args=arguments,
        default=base,
        registry=_UNCHECKED,
        config=(tyro.conf.AvoidSubcommands,),
    )
    # The parser's result is not validated yet, so that all values go through one check.
    return _validate(cls, changed.model_dump(mode="json", warnings=False), where="command line: ")


def _program() -> str:
    """How the script was started: "python -m train.ppo"."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return f"python -m {spec.name}" if spec is not None else Path(sys.argv[0]).name


_UNCHECKED = ConstructorRegistry()


@_UNCHECKED.struct_rule
def _unchecked_model(info: StructTypeInfo) -> StructConstructorSpec | None:
    """Lets tyro fill in pydantic models without validating them."""
    if not inspect.isclass(info.type) or not issubclass(info.type, BaseModel):
        return None
    model: type[BaseModel] = info.type
    hints = typing.get_type_hints(model, include_extras=True)
    given = info.default if isinstance(info.default, model) else None
    fields = [
        StructFieldSpec(
            name=name,
            type=hints[name],
            default=getattr(given, name) if given else field.get_default(call_default_factory=True),
            helptext=field.description,
        )
        for name, field in model.model_fields.items()
    ]

    def fill_in(**values: Any) -> BaseModel:
        return model.model_construct(**values)

    fill_in.__doc__ = model.__doc__  # the heading of its options in --help
    return StructConstructorSpec(instantiate=fill_in, fields=tuple(fields))


def _validate(cls: type[C], values: Any, *, where: str) -> C:
    """Strict validation, by JSON's rules: a list is a tuple, but "3" and 3.0 are no integers."""
    try:
        return cls.model_validate_json(json.dumps(values, default=str))
    except ValidationError as error:
        raise ConfigError(where + _sentence(cls, error)) from None


def _sentence(cls: type[Config], error: ValidationError) -> str:
    """The first problem in words: the key, and what was expected of it."""
    first, *others = error.errors(include_url=False)
    key = ".".join(str(part) for part in first["loc"])
    more = f" (and {len(others)} more)" if others else ""
    if first["type"] == "extra_forbidden":
        close = difflib.get_close_matches(str(first["loc"][-1]), _all_keys(cls), n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        return f"there is no setting '{key}'{hint}{more}"
    message = first["msg"].removeprefix("Value error, ")
    if not key:  # a check over several settings
        return message + more
    expected = message.removeprefix("Input ")
    joint = "" if expected != message else ": "
    return f"'{key}' {joint}{expected}, got {first['input']!r}{more}"


def _all_keys(cls: type[Config]) -> list[str]:
    schema = cls.model_json_schema()
    models = [schema, *schema.get("$defs", {}).values()]
    return [key for model in models for key in model.get("properties", {})]
