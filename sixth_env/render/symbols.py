"""Suits, bull's heads and other small signs, drawn as shapes: fonts may lack them.

Each sign is a white-on-nothing outline in the unit square, drawn large, tinted and scaled down,
which smooths its edges. Imports pygame, so load it only when a picture is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import cos, pi, sin

import pygame

Color = tuple[int, int, int]
Point = tuple[float, float]

_MASTER = 256  # pixels of the large drawing


@lru_cache(maxsize=1024)
def sign(name: str, size: int, color: Color) -> pygame.Surface:
    """The sign ``name`` as a ``size`` x ``size`` surface (treat it as read-only)."""
    tinted = pygame.Surface((_MASTER, _MASTER), pygame.SRCALPHA)
    tinted.fill((*color, 0))  # the colour under the clear part keeps scaled edges clean
    _SHAPES[name](tinted, color)
    return pygame.transform.smoothscale(tinted, (size, size))


def _polygon(surface: pygame.Surface, color: Color | pygame.Color, points: list[Point]) -> None:
    pygame.draw.polygon(surface, color, [(x * _MASTER, y * _MASTER) for x, y in points])


def _disc(
    surface: pygame.Surface, color: Color | pygame.Color, x: float, y: float, radius: float
) -> None:
    pygame.draw.circle(surface, color, (x * _MASTER, y * _MASTER), radius * _MASTER)


def _arc(x: float, y: float, radius: float, start: float, end: float) -> list[Point]:
    """Points of an arc; angles in turns, clockwise from the right."""
    angles = [2 * pi * (start + (end - start) * step / 24) for step in range(25)]
    return [(x + radius * cos(angle), y + radius * sin(angle)) for angle in angles]


def _heart_outline(top: float, bottom: float, width: float) -> list[Point]:
    """The classic parametric heart, fitted into the given height and width."""
    points = []
    for step in range(72):
        t = 2 * pi * step / 72
        x = 16 * sin(t) ** 3 / 32
        y = (13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t) + 17) / 29
        points.append((0.5 + x * width, bottom + (top - bottom) * y))
    return points


def _heart(surface: pygame.Surface, color: Color) -> None:
    _polygon(surface, color, _heart_outline(0.07, 0.95, 0.96))


def _stem(surface: pygame.Surface, color: Color) -> None:
    left = [(0.49, 0.55), (0.47, 0.74), (0.41, 0.87), (0.31, 0.95)]
    _polygon(surface, color, [*left, *[(1 - x, y) for x, y in reversed(left)]])


def _spade(surface: pygame.Surface, color: Color) -> None:
    _polygon(surface, color, _heart_outline(0.8, 0.04, 0.9))
    _stem(surface, color)


def _club(surface: pygame.Surface, color: Color) -> None:
    _disc(surface, color, 0.5, 0.25, 0.21)
    _disc(surface, color, 0.26, 0.57, 0.21)
    _disc(surface, color, 0.74, 0.57, 0.21)
    _disc(surface, color, 0.5, 0.47, 0.12)
    _stem(surface, color)


def _diamond(surface: pygame.Surface, color: Color) -> None:
    corner = [(0.5, 0.03), (0.67, 0.29), (0.88, 0.5)]
    right = [*corner, *[(x, 1 - y) for x, y in reversed(corner[:-1])]]
    _polygon(surface, color, [*right, *[(1 - x, y) for x, y in reversed(right[1:-1])]])


def _bull(surface: pygame.Surface, color: Color) -> None:
    """A bull's head from the front: horns, ears and a tapering face."""
    horn = [*_arc(0.5, 0.12, 0.47, 0.03, 0.25), *_arc(0.5, -0.02, 0.44, 0.25, 0.08)]
    ear = [(0.66, 0.46), (0.9, 0.5), (0.84, 0.62), (0.66, 0.6)]
    for half in (horn, ear):
        _polygon(surface, color, half)
        _polygon(surface, color, [(1 - x, y) for x, y in half])
    face = [(0.5, 0.38), (0.7, 0.42), (0.7, 0.6), (0.62, 0.84), (0.58, 0.95)]
    _polygon(surface, color, [*face, *[(1 - x, y) for x, y in reversed(face)]])


def _dot(surface: pygame.Surface, color: Color) -> None:
    _disc(surface, color, 0.5, 0.5, 0.46)


def _crown(surface: pygame.Surface, color: Color) -> None:
    half = [(0.5, 0.2), (0.64, 0.52), (0.94, 0.3), (0.84, 0.8)]
    _polygon(surface, color, [*half, *[(1 - x, y) for x, y in reversed(half)]])
    for x, y in ((0.5, 0.17), (0.93, 0.28), (0.07, 0.28)):
        _disc(surface, color, x, y, 0.07)


def _warning(surface: pygame.Surface, color: Color) -> None:
    """A rounded triangle with an exclamation mark cut out of it."""
    corners = [(0.5, 0.16), (0.9, 0.84), (0.1, 0.84)]
    _polygon(surface, color, [(0.43, 0.12), (0.57, 0.12), (0.97, 0.8), (0.9, 0.92)])
    _polygon(surface, color, [(0.43, 0.12), (0.9, 0.92), (0.1, 0.92), (0.03, 0.8)])
    for x, y in corners:
        _disc(surface, color, x, y, 0.08)
    clear = pygame.Color(*color, 0)
    mark = [(0.43, 0.34), (0.57, 0.34), (0.54, 0.65), (0.46, 0.65)]
    _polygon(surface, clear, mark)
    _disc(surface, clear, 0.5, 0.77, 0.065)


def _cap(surface: pygame.Surface, color: Color) -> None:
    """A key's cap: a square with rounded corners."""
    side, start = round(0.76 * _MASTER), round(0.12 * _MASTER)
    pygame.draw.rect(surface, color, (start, start, side, side), border_radius=side // 6)


def _switch(surface: pygame.Surface, color: Color) -> None:
    """The cross-shaped stem of a key's switch."""
    for x, y, width, height in ((0.36, 0.1, 0.28, 0.8), (0.1, 0.36, 0.8, 0.28)):
        box = [round(length * _MASTER) for length in (x, y, width, height)]
        pygame.draw.rect(surface, color, box, border_radius=_MASTER // 24)


def _planet(surface: pygame.Surface, color: Color) -> None:
    """A disc in a ring."""
    _disc(surface, color, 0.5, 0.5, 0.42)
    _disc(surface, pygame.Color(*color, 0), 0.5, 0.5, 0.33)
    _disc(surface, color, 0.5, 0.5, 0.24)


def _star(surface: pygame.Surface, color: Color) -> None:
    angles = [2 * pi * corner / 10 for corner in range(10)]
    reach = [0.48 if corner % 2 == 0 else 0.19 for corner in range(10)]
    points = [(0.5 + r * sin(a), 0.53 - r * cos(a)) for a, r in zip(angles, reach, strict=True)]
    _polygon(surface, color, points)


_SHAPES: dict[str, Callable[[pygame.Surface, Color], None]] = {
    "C": _club,
    "D": _diamond,
    "H": _heart,
    "S": _spade,
    "Clubs": _club,
    "Spades": _spade,
    "Hearts": _heart,
    "Diamonds": _diamond,
    "Caps": _cap,
    "Switches": _switch,
    "Planets": _planet,
    "Stars": _star,
    "bull": _bull,
    "dot": _dot,
    "crown": _crown,
    "warning": _warning,
}
