"""Paints the table: the felt here, the rows games in ``board`` and ``seats``, and the others.

Imports pygame, so load it only when a picture is asked for (:func:`sixth_env.render.table.draw`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pygame

from sixth_env.render import board, cards, chips_picture, facts, golf_picture, layout, seats
from sixth_env.render.facts import View
from sixth_env.render.layout import Layout
from sixth_env.render.scene import OVERSAMPLING, Scene

FELT, FELT_EDGE = (30, 96, 68), (9, 36, 27)


def paint(view: View, width: int, height: int, faces: str | None) -> npt.NDArray[np.uint8]:
    """The picture as an array (height, width, 3) uint8."""
    cards.prepare()
    size = (width * OVERSAMPLING, height * OVERSAMPLING)
    plan, paint_table = PAINTERS[view["game"]]
    unit = min(size[0] / 960, size[1] / 640)
    scene = Scene(_felt(*size).copy(), view, plan(*size, view), unit, faces)
    paint_table(scene)
    picture = pygame.transform.smoothscale(scene.canvas, (width, height))
    return np.ascontiguousarray(pygame.surfarray.array3d(picture).swapaxes(0, 1))


def _plan_rows(width: int, height: int, view: View) -> Layout:
    return layout.plan(
        width, height, view["players"], len(view["rows"]), view["rules"]["row_length"]
    )


def _paint_rows(scene: Scene) -> None:
    """A table of the rows games."""
    view = scene.view
    words = [facts.TITLES[view["game"]], *facts.progress(view)]
    scene.header(words, facts.prompt(view), urgent=view["phase"] != "card")
    board.paint_rows(scene)
    if view["phase"] == "over":
        board.paint_result(scene)
    else:
        board.paint_tray(scene)
    seats.paint_seats(scene)
    seats.paint_hand(scene)
    seats.paint_legend(scene)


# By game: where everything lies, and what paints it.
PAINTERS: dict[str, tuple[Callable[[int, int, View], Layout], Callable[[Scene], None]]] = {
    "sixth_card": (_plan_rows, _paint_rows),
    "six_nimmt": (_plan_rows, _paint_rows),
    "sixes_chips": (chips_picture.plan, chips_picture.paint),
    "sixes_golf": (golf_picture.plan, golf_picture.paint),
}


@lru_cache(maxsize=4)
def _felt(width: int, height: int) -> pygame.Surface:
    """Green felt, lit in the middle, with a fine grain that is the same every time."""
    x = np.linspace(-1, 1, width, dtype=np.float32)[:, None]
    y = np.linspace(-1, 1, height, dtype=np.float32)[None, :]
    light = np.clip(1.08 - 0.55 * (x**2 + (y + 0.1) ** 2), 0, 1)[..., None]
    grain = np.random.default_rng(6).normal(0, 5, (width, height, 1)).astype(np.float32)
    edge, middle = np.array(FELT_EDGE, np.float32), np.array(FELT, np.float32)
    color = np.clip(edge + (middle - edge) * light + grain, 0, 255)
    surface = pygame.Surface((width, height), 0, 32)
    pygame.surfarray.blit_array(surface, color.astype(np.uint8))
    return surface
