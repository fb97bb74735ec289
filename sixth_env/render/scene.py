"""What every painter of the table shares: the canvas, the facts, the layout and the palette.

Imports pygame, so load it only when a picture is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pygame

from sixth_env.games.cards import Card
from sixth_env.render import cards, facts
from sixth_env.render.facts import View
from sixth_env.render.layout import Box, Layout
from sixth_env.render.symbols import Color, sign

OVERSAMPLING = 2  # painted this many times larger, then scaled down: smooths all edges at once
MIN_CAPITAL = 7  # pixels of the finished picture

CREAM: Color = (246, 240, 222)
MUTED: Color = (164, 194, 172)
GOLD: Color = (240, 196, 88)
DANGER: Color = (240, 92, 72)
INK: Color = (9, 36, 27)  # on light discs
SHADE = (4, 20, 14, 120)  # panels: darker felt
HAIRLINE = (255, 255, 255, 30)


@dataclass(frozen=True)
class Scene:
    """One picture in the making; lengths called units are pixels of a 960 x 640 picture."""

    canvas: pygame.Surface
    view: View
    plan: Layout
    unit: float  # canvas pixels
    faces: str | None = None  # other faces for the cards, such as "zsa"

    @property
    def bottom_seat(self) -> int:
        """The seat at the bottom: the observer's, or the first one in a position."""
        return facts.observer(self.view) or 0

    @property
    def point_mark(self) -> str:
        """The sign of a penalty point: a dot, or 6 nimmt!'s bull's head."""
        return "bull" if self.view["game"] == "six_nimmt" else "dot"

    def px(self, units: float) -> int:
        """A length in canvas pixels."""
        return max(round(units * self.unit), 1)

    def text(self, string: str, height: float, color: Color, width: float = 1e6) -> pygame.Surface:
        """Text with capitals ``height`` units high, at most ``width`` canvas pixels wide.

        Unless the width forbids it, letters never get too small to read.
        """
        pixels = max(self.px(height), MIN_CAPITAL * OVERSAMPLING)
        return cards.fitted(string, pixels, int(width), color)

    def sign(self, name: str, units: float, color: Color) -> pygame.Surface:
        return sign(name, self.px(units), color)

    def face(self, card: Card, width: int) -> pygame.Surface:
        return cards.face(self.view["game"], card, width, self.faces)

    def tile(self, card: Card, width: int, height: int) -> pygame.Surface:
        return cards.tile(self.view["game"], card, width, height, self.faces)

    def center(self, surface: pygame.Surface, x: float, y: float) -> None:
        """Put the middle of a surface at (x, y)."""
        cards.put(self.canvas, surface, x, y)

    def left(self, surface: pygame.Surface, x: float, y: float) -> float:
        """Put the middle of a surface's left edge at (x, y); returns the x behind it."""
        cards.put(self.canvas, surface, x + surface.get_width() / 2, y)
        return x + surface.get_width()

    def right(self, surface: pygame.Surface, x: float, y: float) -> None:
        """Put the middle of a surface's right edge at (x, y)."""
        cards.put(self.canvas, surface, x - surface.get_width() / 2, y)

    def header(self, words: Sequence[str], prompt: str, urgent: bool) -> None:
        """The game and how far it is at the left, what is to be done at the right."""
        box = self.plan.header
        bar = pygame.Surface((box.w, box.h), pygame.SRCALPHA)
        bar.fill((4, 16, 12, 190))
        self.canvas.blit(bar, (box.x, box.y))
        y, gap = box.h / 2, self.px(20)
        x = self.left(self.text(words[0], 14, GOLD), self.px(16), y) + gap
        for word in words[1:]:
            x = self.left(self.text(word, 11, CREAM), x, y) + gap
        end = box.right - self.px(16)
        self.right(self.text(prompt, 12, GOLD if urgent else CREAM, end - x), end, y)

    def panel(self, box: Box, edge: Color | None = None) -> None:
        """A darker, rounded panel, with a coloured edge if one is given."""
        surface = pygame.Surface((box.w, box.h), pygame.SRCALPHA)
        radius = self.px(9)
        pygame.draw.rect(surface, SHADE, surface.get_rect(), border_radius=radius)
        width = self.px(2 if edge else 1)
        pygame.draw.rect(surface, edge or HAIRLINE, surface.get_rect(), width, border_radius=radius)
        self.canvas.blit(surface, (box.x, box.y))

    def titled_panel(self, box: Box, title: str) -> Box:
        """A panel with a title; returns the room below the title."""
        self.panel(box)
        self.center(self.text(title, 9.5, MUTED, box.w * 0.9), box.center[0], box.y + self.px(15))
        top = box.y + self.px(28)
        return Box(box.x, top, box.w, box.bottom - self.px(8) - top).inset(self.px(9), 0)

    def card(self, surface: pygame.Surface, x: float, y: float) -> None:
        """A card with its shadow, its upper left corner at (x, y)."""
        width, height = surface.get_size()
        margin = cards.shadow_margin(width)
        below = y - margin + margin // 3  # light falls from above
        self.canvas.blit(cards.shadow(width, height), (round(x - margin), round(below)))
        self.canvas.blit(surface, (round(x), round(y)))

    def tilted_card(self, surface: pygame.Surface, x: float, y: float, degrees: float) -> None:
        """A card with its shadow, turned clockwise about its middle at (x, y)."""
        below = cards.shadow_margin(surface.get_width()) / 3
        dark = cards.shadow(*surface.get_size())
        for layer, drop in ((dark, below), (surface, 0.0)):
            self.center(pygame.transform.rotozoom(layer, -degrees, 1), x, y + drop)
