"""Sixes, the golf game, for PettingZoo.

Everybody has six cards face down, in three rows of two, and turns up two of them. In turn, players
put the top discard or a drawn card in the place of one of theirs. The round ends after somebody has
knocked or has all cards face up, and all others have had a last turn. Jokers and aces count below
zero, two equal cards side by side nothing; the fewest points win.

    from sixth_env import sixes_golf_v0
    env = sixes_golf_v0.env(num_players=4)
    env.reset(seed=1)

============  =====================================================================================
Agents        ``player_0`` … ``player_<n-1>``, 2-8 (default 4), clockwise
Actions       ``Discrete(23)``: 0-5 turn up a slot; 6-11 take the discard into a slot; 12 draw;
              13-18 put the drawn card into a slot; 19 discard the drawn card; 20 knock; 21 end the
              turn without knocking; 22 wait, the one legal action of a seat whose turn it is not.
              Slots go row by row: 0, 1 / 2, 3 / 4, 5. Rearranging one's cards that are still face
              down is left out: nobody knows them, so it changes nothing that anyone can know
Observation   ``{"observation": float32 (D,), "action_mask": int8 (23,)}``; columns are listed in
              ``sixth_env.GAMES["sixes_golf"].table``. The mask is also ``info["action_mask"]``
Reward        minus the points of a round at its end (``reward="points"``); less the mean of the
              others' (``"relative"``); or 1 for the winner, shared, at the end (``"win"``)
End           all agents end together: ``terminated``, or ``truncated`` where the cap ``max_turns``
              cuts the match off. Their infos then hold ``"totals"`` and ``"winners"`` by seat,
              nobody if it was cut off
State         ``state()`` is privileged: all seats' observations. Cards face down and the draw pile
              are in none of them
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
        render_as: an agent's name; ``"all"`` shows every card; ``None`` shows what is public.
        config: as for :func:`sixth_env.games.golf.rules.sixes_golf_rules`: ``num_players``,
            ``num_rounds``, ``practice_round``, ``max_turns``, ``reward``.

    Raises:
        ConfigError: an option is unknown, of the wrong type, or not allowed by the rules.
    """
    return AECMatch("sixes_golf", render_mode=render_mode, render_as=render_as, **config)


def env(**options: Any) -> OrderEnforcing:
    """The AEC form: one agent acts at a time; options as for :func:`raw_env`."""
    return OrderEnforcing(raw_env(**options))


register("sixes_golf_v0", parallel=False)
