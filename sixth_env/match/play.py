"""Play a line-up on the same deals in every seat rotation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixth_env.engine import check_seed
from sixth_env.errors import ConfigError
from sixth_env.match.result import MatchResult
from sixth_env.match.setup import (
    MAX_DEALS,
    Progress,
    check_whole,
    chunks,
    names_of,
    rule_set,
    specs_of,
)
from sixth_env.match.table import Table
from sixth_env.opponents.base import Opponent


def play_field(
    game: str,
    line_up: Sequence[Opponent],
    *,
    deals: int = 1000,
    seed: int = 1,
    names: Sequence[str] | None = None,
    specs: Sequence[str | None] | None = None,
    games_at_once: int = 1024,
    progress: Progress | None = None,
    **config: Any,
) -> MatchResult:
    """Play every deal in all P rotations of a line-up of P opponents.

    A deal depends on (seed, its index) alone, an opponent's seeds on (seed, deal, rotation, step,
    seat): results do not depend on ``games_at_once``, nor the deals on who plays.

    Args:
        game: a game's id.
        line_up: an opponent for each of P seats; the same object under one name is one entrant.
        deals: how many matches, or rounds, are dealt, up to 1,000,000; each is played P times.
        seed: of the deals and of the opponents' own randomness.
        names: one for each position instead of the opponents' own.
        specs: what loads each position's opponent at the command line, for the command that
            repeats the match; needless for built-in opponents, ``None`` for what nothing loads.
        games_at_once: how many games are played together: bounds memory.
        progress: called with the games played so far and all games.
        config: the rule set; ``num_rounds=1`` plays single rounds, the default whole matches.

    Raises:
        ConfigError: the line-up or the rule set does not fit the game.
        OpponentError: an opponent fails or gives no legal answer; names it and its seat.
    """
    deals = check_whole("deals", deals, MAX_DEALS)
    games_at_once = check_whole("games_at_once", games_at_once)
    if "reward" in config:
        raise ConfigError("a match counts points, whatever is rewarded: leave reward out")
    players, names = len(line_up), names_of(line_up, names)
    config = rule_set(game, players, config)
    table = Table(game, line_up, names, specs_of(line_up, specs), check_seed(seed), config)
    table.warm_up()
    parts = []
    for part in chunks(range(deals), max(1, games_at_once // players)):
        parts.append(table.play(part))
        if progress is not None:
            progress(part.stop * players, deals * players)
    return MatchResult.join(parts)


def play_against(
    game: str,
    opponent: Opponent,
    others: Sequence[Opponent],
    *,
    players: int = 4,
    names: Sequence[str] | None = None,
    specs: Sequence[str | None] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> list[MatchResult]:
    """One match for each of ``others``: ``opponent`` alone among P - 1 of that one.

    All matches have the same deals; entrant 0 of each is ``opponent``, entrant 1 its field.

    Args:
        game: a game's id.
        opponent, others: different objects.
        players: P.
        names, specs: of ``opponent`` and of each of the others, as for :func:`play_field`.
        progress: called with the games played so far and all games.
        options: deals, seed and rule set, as for :func:`play_field`.

    Raises:
        ConfigError, OpponentError: as :func:`play_field` does.
    """
    own, *labels = names_of([opponent, *others], names)
    own_spec, *other_specs = specs_of([opponent, *others], specs)
    return [
        play_field(
            game,
            [opponent, *[other] * (players - 1)],
            names=[own, *[label] * (players - 1)],
            specs=[own_spec, *[spec] * (players - 1)],
            progress=part_of(progress, index, len(others)),
            **options,
        )
        for index, (other, label, spec) in enumerate(zip(others, labels, other_specs, strict=True))
    ]


def part_of(progress: Progress | None, index: int, parts: int) -> Progress | None:
    """Progress of one of several equally long matches, as that of all of them."""
    if progress is None:
        return None
    report = progress
    return lambda done, total: report(index * total + done, parts * total)
