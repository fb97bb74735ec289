"""Faces and backs of playing cards, tiles and shadows as pygame surfaces.

Surfaces are cached and shared: blit them, never draw on them. Imports pygame, so load it only
when a picture is asked for.
"""

from __future__ import annotations

from functools import lru_cache

import pygame

from sixth_env.games.cards import Card, card_points
from sixth_env.games.rows.zsa import zsa_card
from sixth_env.render.layout import CARD_RATIO
from sixth_env.render.symbols import Color, sign

PAPER: Color = (252, 249, 240)
EDGE: Color = (196, 188, 168)
BLACK: Color = (30, 33, 40)
RED: Color = (190, 28, 42)
BACK: Color = (38, 62, 112)
POINT: Color = (224, 134, 26)  # penalty marks: amber, unlike any suit

# 6 nimmt!: paper and ink of a card by its penalty points.
NUMBER_COLORS: dict[int, tuple[Color, Color]] = {
    1: (PAPER, (96, 74, 128)),
    2: ((205, 228, 244), (28, 92, 148)),
    3: ((252, 226, 148), (166, 98, 8)),
    5: ((244, 184, 172), (168, 28, 34)),
    7: ((206, 178, 228), (104, 22, 120)),
}

# Pips of the number cards as on printed cards: x in columns (-1, 0, 1), y from -1 (top) to 1.
_THIRD, _FIFTH = 1 / 3, 0.6
_CORNERS = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
_SIDES = [(-1, 0), (1, 0)]
_NINE = [*_CORNERS, (-1, -_THIRD), (1, -_THIRD), (-1, _THIRD), (1, _THIRD)]
PIPS: dict[str, list[tuple[float, float]]] = {
    "2": [(0, -1), (0, 1)],
    "3": [(0, -1), (0, 0), (0, 1)],
    "4": [*_CORNERS],
    "5": [*_CORNERS, (0, 0)],
    "6": [*_CORNERS, *_SIDES],
    "7": [*_CORNERS, *_SIDES, (0, -0.5)],
    "8": [*_CORNERS, *_SIDES, (0, -0.5), (0, 0.5)],
    "9": [*_NINE, (0, 0)],
    "10": [*_NINE, (0, -2 * _THIRD), (0, 2 * _THIRD)],
}


def prepare() -> None:
    """Initialise pygame's fonts; forget ours if other code has shut them down since."""
    if not pygame.font.get_init():
        pygame.font.init()
        font.cache_clear()


@lru_cache(maxsize=1024)
def font(height: int) -> pygame.Font:
    """The bundled font, so that the picture is the same on every machine."""
    return pygame.font.Font(None, height)


@lru_cache(maxsize=1024)
def glyphs(string: str, height: int, color: Color) -> pygame.Surface:
    """Text whose capitals are about ``height`` pixels high.

    The surface is as wide as the ink, and the middle of its height is the middle of the capitals,
    so that texts centred on one line share a baseline, with or without descenders.
    """
    size = max(round(height * 1.45), 4)
    drawn = font(size).render(string, True, color)
    cover = drawn.get_bounding_rect()
    capital = font(size).render("H", True, color).get_bounding_rect()
    below = max(cover.bottom - capital.bottom, capital.top - cover.top, 0)
    surface = pygame.Surface((cover.w, capital.h + 2 * below), pygame.SRCALPHA)
    surface.blit(drawn, (-cover.x, below - capital.y))
    return surface


def fitted(string: str, height: int, width: int, color: Color) -> pygame.Surface:
    """Text of at most this height, smaller if it would be wider than ``width``."""
    surface = glyphs(string, height, color)
    while surface.get_width() > width and height > 4:
        height -= 1
        surface = glyphs(string, height, color)
    return surface


def put(target: pygame.Surface, source: pygame.Surface, x: float, y: float) -> None:
    """Blit a surface with its centre at (x, y)."""
    target.blit(source, (round(x - source.get_width() / 2), round(y - source.get_height() / 2)))


def blend(first: Color, second: Color, share: float) -> Color:
    """A mixture of two colours that has ``share`` of the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def ink(game: str, card: Card) -> Color:
    """The colour a card's name is printed in."""
    if isinstance(card, int):
        return NUMBER_COLORS[card_points(game, card)][1]
    return RED if card[-1] in "DH" else BLACK


def _blank(width: int, height: int, paper: Color) -> pygame.Surface:
    """An empty card with rounded corners and a fine edge."""
    surface = pygame.Surface((width, height), pygame.SRCALPHA)
    radius = max(round(width * 0.1), 3)
    pygame.draw.rect(surface, EDGE, surface.get_rect(), border_radius=radius)
    line = max(width // 60, 1)
    inner = surface.get_rect().inflate(-2 * line, -2 * line)
    pygame.draw.rect(surface, paper, inner, border_radius=radius - line)
    return surface


@lru_cache(maxsize=1024)
def face(game: str, card: Card, width: int, faces: str | None = None) -> pygame.Surface:
    """A card's face, ``width`` x ``1.4 width`` pixels."""
    height = round(width * CARD_RATIO)
    if isinstance(card, int) and faces == "zsa":
        return _zsa_face(game, card, width, height)
    if isinstance(card, int):
        return _number_face(game, card, width, height)
    if card == "joker":
        return _joker_face(width, height)
    return _suit_face(game, card, width, height)


def _suit_face(game: str, card: str, width: int, height: int) -> pygame.Surface:
    surface = _blank(width, height, PAPER)
    rank, suit, color = card[:-1], card[-1], ink(game, card)
    if width < 70:  # too small for pips: one large suit
        put(surface, sign(suit, round(width * 0.5), color), width * 0.56, height * 0.64)
    elif rank in PIPS:
        _draw_pips(surface, rank, suit, color)
    else:
        _draw_court(surface, rank, suit, color)
    _draw_index(surface, rank, suit, color)
    if width >= 70:  # the same index upside down in the opposite corner
        index = pygame.Surface((width, height), pygame.SRCALPHA)
        _draw_index(index, rank, suit, color)
        surface.blit(pygame.transform.rotate(index, 180), (0, 0))
    if game == "sixth_card":
        _draw_marks(surface, card_points(game, card))
    return surface


def _joker_face(width: int, height: int) -> pygame.Surface:
    surface = _blank(width, height, PAPER)
    put(surface, sign("crown", round(width * 0.6), POINT), width / 2, height * 0.42)
    label = fitted("JOKER", round(width * 0.16), round(width * 0.8), BLACK)
    put(surface, label, width / 2, height * 0.74)
    return surface


def _draw_index(surface: pygame.Surface, rank: str, suit: str, color: Color) -> None:
    width = surface.get_width()
    large = 0.2 if width >= 70 else 0.3
    label = fitted(rank, round(width * large), round(width * (large + 0.01)), color)
    x = width * (large / 2 + 0.04)
    y = width * (large / 2 + 0.07)
    put(surface, label, x, y)
    put(surface, sign(suit, round(width * large * 0.9), color), x, y + width * large * 1.1)


def _draw_pips(surface: pygame.Surface, rank: str, suit: str, color: Color) -> None:
    width, height = surface.get_size()
    pip = sign(suit, round(width * 0.17), color)
    upside_down = pygame.transform.rotate(pip, 180)
    for x, y in PIPS[rank]:
        shape = upside_down if y > 0 else pip
        put(surface, shape, width * (0.5 + 0.16 * x), height * (0.5 + 0.34 * y))


def _draw_court(surface: pygame.Surface, rank: str, suit: str, color: Color) -> None:
    """Aces show one large suit; jacks, queens and kings a framed letter."""
    width, height = surface.get_size()
    if rank == "A":
        put(surface, sign(suit, round(width * 0.46), color), width / 2, height / 2)
        return
    frame = pygame.Rect(0, 0, round(width * 0.48), round(height * 0.7))
    frame.center = (width // 2, height // 2)
    tint: Color = (250, 232, 208) if color == RED else (222, 230, 240)
    pygame.draw.rect(surface, tint, frame, border_radius=width // 20)
    pygame.draw.rect(surface, color, frame, max(width // 60, 1), border_radius=width // 20)
    if rank != "J":
        gold: Color = (206, 152, 40)
        put(surface, sign("crown", round(width * 0.26), gold), width / 2, height * 0.25)
    put(surface, glyphs(rank, round(width * 0.34), color), width / 2, height * 0.47)
    put(surface, sign(suit, round(width * 0.24), color), width / 2, height * 0.72)


def _draw_marks(surface: pygame.Surface, points: int) -> None:
    """One amber dot for each penalty point, up the lower left corner."""
    width, height = surface.get_size()
    size = max(round(width * 0.085), 4)
    dot = sign("dot", size, POINT)
    for index in range(points):
        put(surface, dot, width * 0.105, height - width * 0.1 - index * size * 1.15)


def _number_face(game: str, card: int, width: int, height: int) -> pygame.Surface:
    points = card_points(game, card)
    paper, color = NUMBER_COLORS[points]
    surface = _blank(width, height, paper)
    pale = blend(paper, color, 0.2)
    put(surface, sign("bull", round(width * 0.84), pale), width / 2, height * 0.57)
    large = fitted(str(card), round(width * 0.4), round(width * 0.8), color)
    put(surface, large, width / 2, height * 0.55)
    small = fitted(str(card), round(width * 0.16), round(width * 0.3), color)
    surface.blit(small, (round(width * 0.07), round(width * 0.07)))
    turned = pygame.transform.rotate(small, 180)
    corner = (width - turned.get_width(), height - turned.get_height())
    surface.blit(turned, (corner[0] - round(width * 0.07), corner[1] - round(width * 0.07)))
    _draw_bulls(surface, points)
    return surface


def _zsa_face(game: str, card: int, width: int, height: int) -> pygame.Surface:
    """A card of a ZSA deck: rank and suit, its running number in the upper right corner."""
    points = card_points(game, card)
    paper, color = NUMBER_COLORS[points]
    surface = _blank(width, height, paper)
    rank, suit = zsa_card(card)
    put(surface, glyphs(rank, round(width * 0.4), color), width * 0.4, height * 0.33)
    put(surface, sign(suit.name, round(width * 0.48), color), width * 0.56, height * 0.68)
    number = fitted(str(card), round(width * 0.21), round(width * 0.42), color)
    surface.blit(number, (round(width * 0.93) - number.get_width(), round(width * 0.07)))
    _draw_bulls(surface, points)
    return surface


def _draw_bulls(surface: pygame.Surface, points: int) -> None:
    """One bull's head for each penalty point, up the lower left corner."""
    width, height = surface.get_size()
    size = round(width * 0.15)
    mark = sign("bull", size, POINT if points == 1 else NUMBER_COLORS[points][1])
    for index in range(points):
        put(surface, mark, width * 0.13, height - width * 0.13 - index * size * 0.95)


@lru_cache(maxsize=1024)
def tile(
    game: str, card: Card, width: int, height: int, faces: str | None = None
) -> pygame.Surface:
    """A small card that shows its name alone: rank above suit, or a number."""
    paper = NUMBER_COLORS[card_points(game, card)][0] if isinstance(card, int) else PAPER
    surface, color = _blank(width, height, paper), ink(game, card)
    if isinstance(card, int) and faces == "zsa":
        rank, suit = zsa_card(card)
        number = fitted(str(card), round(height * 0.28), round(width * 0.8), color)
        put(surface, number, width / 2, height * 0.27)
        label = fitted(rank, round(height * 0.32), round(width * 0.4), color)
        put(surface, label, width * 0.3, height * 0.7)
        put(surface, sign(suit.name, round(height * 0.32), color), width * 0.66, height * 0.7)
    elif isinstance(card, int):
        label = fitted(str(card), round(width * 0.5), round(width * 0.84), color)
        put(surface, label, width / 2, height / 2)
    else:
        label = fitted(card[:-1], round(height * 0.36), round(width * 0.8), color)
        put(surface, label, width / 2, height * 0.29)
        put(surface, sign(card[-1], round(height * 0.38), color), width / 2, height * 0.71)
    return surface


@lru_cache(maxsize=1024)
def back(width: int) -> pygame.Surface:
    """A card's back: a lattice in a white frame."""
    height = round(width * CARD_RATIO)
    surface = _blank(width, height, PAPER)
    border = max(round(width * 0.08), 2)
    panel = pygame.Surface((width - 2 * border, height - 2 * border), pygame.SRCALPHA)
    panel.fill(BACK)
    step = max(round(width * 0.13), 4)
    line: Color = (84, 116, 176)
    for offset in range(-height, width + height, step):
        pygame.draw.line(panel, line, (offset, 0), (offset + height, height), max(step // 6, 1))
        pygame.draw.line(panel, line, (offset, 0), (offset - height, height), max(step // 6, 1))
    surface.blit(panel, (border, border))
    return surface


@lru_cache(maxsize=1024)
def shadow(width: int, height: int) -> pygame.Surface:
    """A soft shadow for a card of this size; its margin is :func:`shadow_margin` on each side."""
    margin = shadow_margin(width)
    surface = pygame.Surface((width + 2 * margin, height + 2 * margin), pygame.SRCALPHA)
    layer = pygame.Surface(surface.get_size(), pygame.SRCALPHA)
    steps = max(min(margin, 8), 1)
    for step in range(steps):
        inset = round(margin * step / steps)
        layer.fill((0, 0, 0, 0))
        box = layer.get_rect().inflate(-2 * inset, -2 * inset)
        pygame.draw.rect(layer, (0, 0, 0, 130 // steps), box, border_radius=margin)
        surface.blit(layer, (0, 0))
    return surface


def shadow_margin(width: int) -> int:
    """How far the shadow of a card reaches beyond it."""
    return max(round(width * 0.1), 2)
