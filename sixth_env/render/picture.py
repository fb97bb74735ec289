"""Paints the table of the rows games: felt and header here, the rest in ``board`` and ``seats``.

Imports pygame, so load it only when a picture is asked for (:func:`sixth_env.render.table.draw`).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pygame

from sixth_env.render import board, cards, facts, layout, seats
from sixth_env.render.facts import View
from sixth_env.render.scene import CREAM, GOLD, OVERSAMPLING, Scene

FELT, FELT_EDGE = (30, 96, 68), (9, 36, 27)


def paint(view: View, width: int, height: int) -> npt.NDArray[np.uint8]:
    """The picture as an array (height, width, 3) uint8."""
    cards.prepare()
    size = (width * OVERSAMPLING, height * OVERSAMPLING)
    plan = layout.plan(*size, view["players"], len(view["rows"]), view["rules"]["row_length"])
    scene = Scene(_felt(*size).copy(), view, plan, min(size[0] / 960, size[1] / 640))
    _paint_header(scene)
    board.paint_rows(scene)
    if view["phase"] == "over":
        board.paint_result(scene)
    else:
        board.paint_tray(scene)
    seats.paint_seats(scene)
    seats.paint_hand(scene)
    seats.paint_legend(scene)
    picture = pygame.transform.smoothscale(scene.canvas, (width, height))
    return np.ascontiguousarray(pygame.surfarray.array3d(picture).swapaxes(0, 1))


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


def _paint_header(scene: Scene) -> None:
    """The game and how far it is at the left, what is to be done at the right."""
    box, view = scene.plan.header, scene.view
    bar = pygame.Surface((box.w, box.h), pygame.SRCALPHA)
    bar.fill((4, 16, 12, 190))
    scene.canvas.blit(bar, (box.x, box.y))
    y, gap = box.h / 2, scene.px(20)
    x = scene.left(scene.text(facts.TITLES[view["game"]], 14, GOLD), scene.px(16), y) + gap
    for words in facts.progress(view):
        x = scene.left(scene.text(words, 11, CREAM), x, y) + gap
    color = CREAM if view["phase"] == "card" else GOLD
    end = box.right - scene.px(16)
    scene.right(scene.text(facts.prompt(view), 12, color, end - x), end, y)
