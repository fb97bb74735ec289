"""Paints Sixes, the chip game: the columns lie as rows, a suit each, from the ace to the king.

Imports pygame, so load it only when a picture is asked for.
"""

from __future__ import annotations

import pygame

from sixth_env.games import get_game
from sixth_env.games.cards import SUITS, Card
from sixth_env.games.chips.cards import CHIPS_RANKS
from sixth_env.render import cards, chips_text, facts, layout, seats
from sixth_env.render.facts import View
from sixth_env.render.layout import Box, Layout
from sixth_env.render.scene import CREAM, GOLD, HAIRLINE, MUTED, Scene


def plan(width: int, height: int, view: View) -> Layout:
    """Four rows of ten places, the seats around them."""
    return layout.plan(width, height, view["players"], len(SUITS), len(CHIPS_RANKS) - 1)


def paint(scene: Scene) -> None:
    """The whole table."""
    view, over = scene.view, scene.view["phase"] == "over"
    words = [get_game(view["game"]).title, *chips_text.progress(view)[:1]]
    prompt = chips_text.prompt(view)
    scene.header(words, prompt, urgent=over)
    _paint_columns(scene)
    _paint_pot(scene)
    for distance in range(view["players"]):
        _paint_plate(scene, (scene.bottom_seat + distance) % view["players"], distance)
    if over:
        area = scene.plan.hand
        scene.center(scene.text(prompt, 20, GOLD, area.w * 0.9), *area.center)
        return
    known = facts.known_hand(view, scene.bottom_seat)
    backs: list[Card | None] = [None] * facts.cards_left(view, scene.bottom_seat)
    seats.paint_fan(scene, [(card, False) for card in known or backs])


def _paint_columns(scene: Scene) -> None:
    """What lies of each suit, and shadows of what does not."""
    laid = set(chips_text.laid(scene.view))
    for suit, label, places in zip(SUITS, scene.plan.labels, scene.plan.places, strict=True):
        scene.center(scene.sign(suit, 13, MUTED), *label.center)
        for rank, box in zip(CHIPS_RANKS, places, strict=True):
            if rank + suit in laid:
                scene.card(scene.face(rank + suit, box.w), box.x, box.y)
            else:
                _paint_free_place(scene, box, rank)


def _paint_free_place(scene: Scene, box: Box, rank: str) -> None:
    surface = pygame.Surface((box.w, box.h), pygame.SRCALPHA)
    shape, radius = surface.get_rect(), round(box.w * 0.1)
    pygame.draw.rect(surface, (0, 0, 0, 36), shape, border_radius=radius)
    pygame.draw.rect(surface, HAIRLINE, shape, scene.px(1.2), border_radius=radius)
    cards.put(surface, scene.text(rank, 11, MUTED, box.w * 0.8), box.w / 2, box.h / 2)
    scene.canvas.blit(surface, (box.x, box.y))


def _paint_pot(scene: Scene) -> None:
    area = scene.titled_panel(scene.plan.tray, "pot")
    x, y = area.center
    scene.center(scene.sign("dot", 40, cards.POINT), x, y - scene.px(28))
    scene.center(scene.text(str(scene.view["pot"]), 22, CREAM), x, y + scene.px(18))


def _paint_plate(scene: Scene, seat: int, distance: int) -> None:
    """A seat: name, chips and cards, and how many cards it is known to lack."""
    box, view = scene.plan.plates[distance], scene.view
    won = seat in chips_text.winners(view)
    acts = seat == view["to_act"] and view["phase"] == "play"
    scene.panel(box, GOLD if won or acts else None)
    inner = box.inset(scene.px(9), scene.px(8))
    wide = distance > 0 and inner.w > 4 * inner.h  # cards go beside the words, not below them
    words = Box(inner.x, inner.y, inner.w // 2, inner.h) if wide else inner
    seats.paint_name(scene, seat, words.x, words.right, words.y + scene.px(10), won=won, acts=acts)
    y = words.y + scene.px(31)
    x = scene.left(scene.sign("dot", 13, cards.POINT), words.x, y) + scene.px(5)
    x = scene.left(scene.text(str(view["chips"][seat]), 13, CREAM), x, y) + scene.px(10)
    lacks = len(chips_text.lacked(view, seat))
    if lacks:
        scene.left(scene.text(f"lacks {lacks}", 9, MUTED, words.right - x), x, y)
    if wide:
        room = Box(words.right, inner.y, inner.w // 2, inner.h)
        seats.paint_small_hand(scene, seat, room)
    elif distance:
        top = inner.y + scene.px(48)
        room = Box(inner.x, top, inner.w, inner.bottom - top)
        seats.paint_small_hand(scene, seat, room)
