"""Sixes, the chip game, for PettingZoo.

Forty cards (no 8, 9, 10) lie in four columns, one a suit, each built down to the ace and up to the
king from its six. Whoever can play a card must; whoever cannot pays a chip into the pot and passes.
The first empty hand takes the pot. The match ends after the round in which somebody has run out of
chips, and the most chips win.

    from sixth_env import sixes_chips_v0
    env = sixes_chips_v0.env(num_players=5)
    env.reset(seed=1)

============  =====================================================================================
Agents        ``player_0`` … ``player_<n-1>``, 2-8 (default 5), clockwise
Actions       ``Discrete(42)``: 0-39 play a card, suit by suit (♣, ♦, ♥, ♠), within a suit A 2 3 4 5
              6 7 J Q K; 40 pass; 41 wait, the one legal action of a seat whose turn it is not
Observation   ``{"observation": float32 (D,), "action_mask": int8 (42,)}``; columns are listed in
              ``sixth_env.GAMES["sixes_chips"].table``. The mask is also ``info["action_mask"]``
Reward        the change of one's chips in the step (``reward="chips"``); less the mean change of
              the others (``"relative"``); or 1 for the winner, shared, at the end (``"win"``)
End           all agents end together: ``terminated``, or ``truncated`` where the cap
              ``max_rounds`` cuts the match off. Their infos then hold ``"totals"`` (the chips) and
              ``"winners"`` by seat, nobody if it was cut off
State         ``state()`` is privileged: all seats' observations
============  =====================================================================================

One seat acts at a time, so there are :func:`env` and :func:`raw_env`, the AEC form, and no parallel
form. The first wraps the second in PettingZoo's check of the order of calls; the wrappers that
repair or punish illegal actions are left out, for an illegal action is an error here.

Beyond PettingZoo, ``env.unwrapped`` has ``position()``, ``view(agent)``, ``events(since, agent)``,
and ``reset(options={"position": …})`` starts from a position.

Versions: v0, the first.
"""

from __future__ import annotations

from typing import Any

from sixth_env.envs.aec import AECMatch, OrderEnforcing
from sixth_env.envs.registry import register

__all__ = ["env", "raw_env"]


def raw_env(
    *, render_mode: str | None = None, render_as: str | None = None, **config: Any
) -> AECMatch:
    """The AEC form without a wrapper.

    Args:
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or ``None``.
        render_as: an agent's name; ``"all"`` shows every hand; ``None`` shows what is public.
        config: as for :func:`sixth_env.games.chips.rules.chips_rules`: ``num_players``,
            ``starting_chips``, ``num_rounds``, ``max_rounds``, ``reward``.

    Raises:
        ConfigError: an option is unknown, of the wrong type, or not allowed by the rules.
    """
    return AECMatch("sixes_chips", render_mode=render_mode, render_as=render_as, **config)


def env(**options: Any) -> OrderEnforcing:
    """The AEC form: one agent acts at a time; options as for :func:`raw_env`."""
    return OrderEnforcing(raw_env(**options))


register("sixes_chips_v0", parallel=False)
