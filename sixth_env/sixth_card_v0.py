"""Sixth Card for PettingZoo.

Everybody picks a card; all are revealed and placed on four rows, lowest first, each on the row
whose end is closest below it. Whoever lays the sixth card of a row takes the other five as
penalty points; whoever is below every row takes a row of choice. Ten cards are a round; the match
ends after the round in which somebody has 66 points, and the fewest points win.

    from sixth_env import sixth_card_v0
    env = sixth_card_v0.parallel_env(num_players=4)
    observations, infos = env.reset(seed=1)

============  =====================================================================================
Agents        ``player_0`` … ``player_<n-1>``, 2-10 (default 4), clockwise
Actions       ``Discrete(57)``: 0-51 play the card with that place on the ladder (A♣ 0, A♦ 1, A♥ 2,
              A♠ 3, 2♣ 4 … K♠ 51); 52-55 take row 0-3; 56 wait, the one legal action of a seat that
              has nothing to decide
Observation   ``{"observation": float32 (D,), "action_mask": int8 (57,)}``; columns are listed in
              ``sixth_env.GAMES["sixth_card"].table``. The mask is also ``info["action_mask"]``
Reward        minus the penalty points taken in the step (``reward="penalty"``); less the mean of
              the others' (``"relative"``); or 1 for the winner, shared, at the end (``"win"``)
End           all agents end together, ``terminated``; their infos then hold ``"totals"`` and
              ``"winners"`` by seat
State         ``state()`` is privileged: all seats' observations and committed cards
============  =====================================================================================

Forms: :func:`parallel_env`, where all agents act in every step; :func:`env` and :func:`raw_env`,
the AEC form, where they commit one after the other unseen, and only the owner of a row decision is
asked. The first wraps the second in PettingZoo's check of the order of calls; the wrappers that
repair or punish illegal actions are left out, for an illegal action is an error here.

Beyond PettingZoo, ``env.unwrapped`` has ``position()``, ``view(agent)``, ``events(since, agent)``,
and ``reset(options={"position": …})`` starts from a position.

Versions: v0, the first.
"""

from __future__ import annotations

from typing import Any

from sixth_env.envs.aec import AECMatch, OrderEnforcing
from sixth_env.envs.parallel import ParallelMatch
from sixth_env.envs.registry import register

__all__ = ["env", "parallel_env", "raw_env"]


def parallel_env(
    *, render_mode: str | None = None, render_as: str | None = None, **config: Any
) -> ParallelMatch:
    """The parallel form: every agent acts in every step.

    Args:
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or ``None``.
        render_as: an agent's name; ``"all"`` shows every hand; ``None`` shows what is public.
        config: as for :func:`sixth_env.games.rows.rules.sixth_card_rules`: ``num_players``,
            ``decks``, ``exact_deck``, ``target_score``, ``num_rounds``, ``row_choice``, ``reward``,
            ``hand_size``, ``rows``, ``row_length``, ``cards``.

    Raises:
        ConfigError: an option is unknown, of the wrong type, or not allowed by the rules.
    """
    return ParallelMatch("sixth_card", render_mode=render_mode, render_as=render_as, **config)


def raw_env(
    *, render_mode: str | None = None, render_as: str | None = None, **config: Any
) -> AECMatch:
    """The AEC form without a wrapper; options as for :func:`parallel_env`."""
    return AECMatch("sixth_card", render_mode=render_mode, render_as=render_as, **config)


def env(**options: Any) -> OrderEnforcing:
    """The AEC form: one agent acts at a time; options as for :func:`parallel_env`."""
    return OrderEnforcing(raw_env(**options))


register("sixth_card_v0", parallel=True)
