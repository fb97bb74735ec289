"""6 nimmt! (Take 5; Wolfgang Kramer, Amigo 1994) for PettingZoo: cards with the numbers 1-104.

As :mod:`sixth_env.sixth_card_v0`, which says what is observed and rewarded, with these differences:
one deck of the numbers 1-104, each once, for 2-10 players; the observation's columns are those of
``sixth_env.GAMES["six_nimmt"].table``; and ``Discrete(109)`` actions: 0-103 play number n as n - 1,
104-107 take row 0-3, 108 wait.

With a ZSA deck on the table, ``zsa_name(68)`` tells which card stands for a number ("Planets 8"),
``zsa_number("Planets 8")`` which number a card stands for, and ``render_faces="zsa"`` shows the
cards by these names; so does ``sixth-env play --game six_nimmt --faces zsa``.

Versions: v0, the first.
"""

from __future__ import annotations

from typing import Any

from sixth_env.envs.aec import AECMatch, OrderEnforcing
from sixth_env.envs.parallel import ParallelMatch
from sixth_env.envs.registry import register
from sixth_env.games.rows.zsa import zsa_name, zsa_number

__all__ = ["env", "parallel_env", "raw_env", "zsa_name", "zsa_number"]


def parallel_env(
    *,
    render_mode: str | None = None,
    render_as: str | None = None,
    render_faces: str | None = None,
    **config: Any,
) -> ParallelMatch:
    """The parallel form: every agent acts in every step.

    Args:
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or ``None``.
        render_as: an agent's name; ``"all"`` shows every hand; ``None`` shows what is public.
        render_faces: ``"zsa"`` shows the cards as those of a ZSA deck.
        config: as for :func:`sixth_env.games.rows.rules.six_nimmt_rules`: ``num_players``,
            ``exact_deck``, ``target_score``, ``num_rounds``, ``row_choice``, ``reward``,
            ``hand_size``, ``rows``, ``row_length``, ``cards``.

    Raises:
        ConfigError: an option is unknown, of the wrong type, or not allowed by the rules.
    """
    return ParallelMatch(
        "six_nimmt",
        render_mode=render_mode,
        render_as=render_as,
        render_faces=render_faces,
        **config,
    )


def raw_env(
    *,
    render_mode: str | None = None,
    render_as: str | None = None,
    render_faces: str | None = None,
    **config: Any,
) -> AECMatch:
    """The AEC form without a wrapper; options as for :func:`parallel_env`."""
    return AECMatch(
        "six_nimmt",
        render_mode=render_mode,
        render_as=render_as,
        render_faces=render_faces,
        **config,
    )


def env(**options: Any) -> OrderEnforcing:
    """The AEC form: one agent acts at a time; options as for :func:`parallel_env`."""
    return OrderEnforcing(raw_env(**options))


register("six_nimmt_v0", parallel=True)
