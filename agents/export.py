"""Export a checkpoint to ONNX, for ``sixth_env.load_opponent`` and any other front end.

    python -m agents.export runs/ppo/quickstart/latest --out quickstart.onnx

Needs ``sixth_env[export]``; whoever plays the file needs onnxruntime alone. What is in it, and how
to use it from another language: ``docs/onnx.md``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import ValidationError

import sixth_env
from agents.checkpoint import Card
from agents.checkpoint import load as load_checkpoint
from agents.onnx_model import OBSERVATIONS, OPSET, check_equal, to_bytes, to_onnx
from agents.torch_agent import Network, restore
from sixth_env.adapters import require
from sixth_env.errors import CheckpointError, SixthEnvError
from sixth_env.games.base import Game
from sixth_env.opponents.onnx import SUFFIX, OnnxOpponent
from sixth_env.opponents.onnx_card import Columns, OnnxCard, PlayMode
from sixth_env.opponents.onnx_file import inspect_model

_LIBRARIES = ("torch", "onnx", "onnxscript")
_ROOT = Path(__file__).parent.parent


def export(
    path: str | Path,
    out: str | Path | None = None,
    *,
    name: str | None = None,
    description: str = "",
    play: Mapping[str, Any] | None = None,
    strength: Mapping[str, Any] | None = None,
    command: str | None = None,
    license: str = "MIT",
) -> OnnxCard:
    """Write a checkpoint as an ONNX file with its card beside it, both whole or not at all.

    Args:
        path: the checkpoint's folder.
        out: the ``.onnx`` file, the folder's name with that ending by default; an export that is
            there already is replaced.
        name: for reports; the training run's by default.
        description: one sentence for lists of opponents.
        play: ``greedy``, ``temperature`` and ``top_p``, see
            :class:`~sixth_env.opponents.onnx_card.PlayMode`.
        strength: results to put into the card besides those of the training.
        command: what trained it; worked out from the checkpoint's card by default.
        license: of the model.

    Returns:
        The card that was written.

    Raises:
        CheckpointError: the checkpoint, the file's name or a setting is refused, or the exported
            network does not do what the checkpoint's does.
        MissingExtraError: a library of ``sixth_env[export]`` is not installed.
    """
    checkpoint = load_checkpoint(path)
    file = Path(out) if out is not None else Path(os.path.realpath(path) + SUFFIX)
    _check_replaceable(file)
    agent = restore(checkpoint, str(path))
    versions = _versions()  # before anything that needs the libraries
    model = to_onnx(agent.network, agent.game)
    try:
        card = OnnxCard(
            name=name or agent.name,
            description=description,
            game=agent.game.id,
            environment_version=agent.game.version,
            observation_hash=agent.game.table.hash,
            observation_table=_columns(agent.game),
            reads=_reads(agent.network, agent.game),
            actions=tuple(map(agent.game.action_name, range(agent.game.num_actions))),
            play=PlayMode.model_validate({**(play or {})}),
            strength={**_training_results(checkpoint.card), **(strength or {})},
            license=license,
            training=_training(checkpoint.card, command),
            checkpoint_sha256=str(checkpoint.card.sha256),
            graph_sha256=inspect_model(to_bytes(model), "the exported network").graph_sha256,
            opset=OPSET,
            library_versions=versions,
        )
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CheckpointError(f"the export's {place}: {first['msg']}") from None
    content = to_bytes(model, card.model_dump_json(exclude_none=True))
    check_equal(agent, OnnxOpponent(content, where="the exported network"))
    card = card.model_copy(update={"sha256": hashlib.sha256(content).hexdigest()})
    _write(file, content, card)
    return card


# --- the card ------------------------------------------------------------------------------------


def _columns(game: Game) -> tuple[Columns, ...]:
    return tuple(
        Columns(
            name=block.name,
            start=game.table.start(block.name),
            shape=block.shape,
            low=block.low,
            high=block.high,
            scale=block.scale,
            meaning=block.meaning,
        )
        for block in game.table.blocks
    )


def _reads(network: Network, game: Game) -> tuple[str, ...]:
    """The blocks that the network makes use of, in the table's order."""
    settings = network.settings.model_dump()
    pairs = [name for pair in settings.get("products", ()) for name in pair]
    read = {*settings["columns"], *pairs, *settings.get("planes", ())}
    return tuple(name for name in game.table.names if name in read)


def _training(card: Card, command: str | None) -> dict[str, Any]:
    """How the checkpoint came about; the command is that of its committed config, if there is one.

    Otherwise it is that of its settings, saved as ``config.json``.
    """
    script, config = card.training.get("script"), card.training.get("config")
    if command is None and isinstance(script, str):
        name = config.get("name") if isinstance(config, dict) else None
        committed = f"configs/{script.rpartition('.')[2]}/{name}.toml"
        settings = committed if (_ROOT / committed).is_file() else "config.json"
        command = f"python -m {script} {settings}"
    versions = {"library_versions": dict(card.library_versions)}
    return {**({"command": command} if command else {}), **card.training, **versions}


def _training_results(card: Card) -> dict[str, Any]:
    """The figures of the matches in a checkpoint's card, if it has any, without the rest."""
    reports = card.results.get("fields")
    rows = [_figures(report) for report in reports] if isinstance(reports, list) else []
    return {"after_training": [row for row in rows if row]} if any(rows) else {}


def _figures(report: Any) -> dict[str, Any]:
    """One match alone among a field, as plain figures; empty if it is something else."""
    try:
        own, field = report["entrants"]
        kept = ("points_per_round", "win_share", "difference", "decisions_per_second")
        return {
            "against": field["name"],
            "players": len(report["line_up"]),
            "rules": report["rules"],
            "deals": report["deals"],
            "field_points_per_round": field["points_per_round"],
            **{figure: own[figure] for figure in kept},
        }
    except (KeyError, TypeError, ValueError):
        return {}


def _versions() -> dict[str, str]:
    """Of this package and of the libraries that export, which must all be there."""
    for library in _LIBRARIES:
        require(library, extra="export")
    found = {library: metadata.version(library) for library in _LIBRARIES}
    return {"sixth_env": sixth_env.__version__, **found}


# --- files ---------------------------------------------------------------------------------------


def _check_replaceable(file: Path) -> None:
    """The two files may replace those of an earlier export, and nothing else."""
    if file.suffix != SUFFIX:
        raise CheckpointError(f"an exported file must end in {SUFFIX}, not {file.name!r}")
    beside = file.with_suffix(".json")
    if file.is_dir() or beside.is_dir():
        raise CheckpointError(f"{file if file.is_dir() else beside} is a folder")
    if beside.exists() and not _is_card(beside):
        raise CheckpointError(
            f"{beside}, where the card would go, is no card: refusing to replace it"
        )


def _is_card(file: Path) -> bool:
    """Whether a JSON file is the card of an export, of any format."""
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and {"format_version", "graph_sha256"} <= content.keys()


def _write(file: Path, model: bytes, card: OnnxCard) -> None:
    """Both files; whoever loads meanwhile, or after a crash, finds a model that fits its card.

    A model without a card beside it is complete too, so the old card goes first.
    """
    beside = file.with_suffix(".json")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        files = {
            file: model,
            beside: (card.model_dump_json(indent=2) + "\n").encode(),
        }
        new = {target: target.with_name(f".{target.name}.new") for target in files}
        try:
            for target, data in files.items():
                with new[target].open("wb") as stream:
                    stream.write(data)
                    stream.flush()
                    os.fsync(stream.fileno())
            beside.unlink(missing_ok=True)
            for target in files:
                os.replace(new[target], target)
        finally:
            for temporary in new.values():
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise CheckpointError(f"{file} cannot be written: {error.strerror}") from None


# --- command line --------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> None:
    """Export a checkpoint; anything wrong ends the program with one line and exit code 1."""
    options = _parser().parse_args(argv)
    play = {"greedy": not options.sampled, "temperature": options.temperature}
    try:
        card = export(
            options.checkpoint,
            options.out,
            name=options.name,
            description=options.description,
            play={**play, "top_p": options.top_p},
            strength={Path(file).stem: _json(file) for file in options.strength},
            command=options.command,
            license=options.license,
        )
    except SixthEnvError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    print(f"exported {card.name} ({card.game}), equal to torch on {OBSERVATIONS} observations")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agents.export", description="Write a checkpoint as an ONNX file."
    )
    parser.add_argument("checkpoint", help="the checkpoint's folder")
    parser.add_argument("--out", help="the .onnx file; by default beside the checkpoint")
    parser.add_argument("--name", help="for reports; by default that of the training run")
    parser.add_argument("--description", default="", help="one sentence for lists of opponents")
    parser.add_argument(
        "--sampled", action="store_true", help="play by drawing from the policy, not the best move"
    )
    parser.add_argument(
        "--temperature", type=float, default=1.0, help="with --sampled: above 1 plays weaker"
    )
    parser.add_argument(
        "--top-p", type=float, default=1.0, help="with --sampled: leave out unlikely moves"
    )
    parser.add_argument(
        "--strength", nargs="+", default=[], metavar="FILE", help="JSON results for the card"
    )
    parser.add_argument("--command", help="what trained it; by default from the checkpoint's card")
    parser.add_argument("--license", default="MIT", help="of the model")
    return parser


def _no_number(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _json(file: str) -> Any:
    try:
        return json.loads(Path(file).read_text("utf-8"), parse_constant=_no_number)
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"the results {file} cannot be read: {error}") from None


if __name__ == "__main__":
    main()
