"""Paints the middle of the table: the rows with their traps, and this turn's cards.

Imports pygame, so load it only when a picture is asked for.
"""

from __future__ import annotations

import pygame

from sixth_env.games.cards import Card
from sixth_env.render import cards, facts
from sixth_env.render.layout import CARD_RATIO, Box
from sixth_env.render.scene import CREAM, DANGER, GOLD, HAIRLINE, MUTED, Scene
from sixth_env.render.symbols import Color, sign


def paint_rows(scene: Scene) -> None:
    """The rows with their numbers, cards, free places and, behind the last place, the trap."""
    for index, row in enumerate(scene.view["rows"]):
        scene.center(scene.text(str(index + 1), 12, MUTED), *scene.plan.labels[index].center)
        *places, trap = scene.plan.places[index]
        for place, box in enumerate(places):
            if place < len(row):
                scene.card(scene.face(row[place], box.w), box.x, box.y)
            else:
                _paint_free_place(scene, box)
        _paint_trap(scene, trap, row)


def _paint_free_place(scene: Scene, box: Box) -> None:
    surface = pygame.Surface((box.w, box.h), pygame.SRCALPHA)
    shape, radius = surface.get_rect(), round(box.w * 0.1)
    pygame.draw.rect(surface, (0, 0, 0, 36), shape, border_radius=radius)
    pygame.draw.rect(surface, HAIRLINE, shape, scene.px(1.2), border_radius=radius)
    scene.canvas.blit(surface, (box.x, box.y))


def _paint_trap(scene: Scene, box: Box, row: list[Card]) -> None:
    """The place after the last one: whoever lays here takes the row and the points it shows."""
    full = facts.is_full(scene.view, row)
    if full:
        _paint_glow(scene, box)
        warning = sign("warning", round(box.w * 0.44), DANGER)
        scene.center(warning, box.center[0], box.y + box.h * 0.3)
    _paint_dashes(scene, box, DANGER if full else MUTED)
    points = str(facts.points_of(scene.view, row))
    number = cards.glyphs(points, round(box.w * 0.27), CREAM if full else MUTED)
    mark = sign(scene.point_mark, round(box.w * 0.2), cards.POINT)
    gap = box.w * 0.08
    x = box.center[0] - (number.get_width() + gap + mark.get_width()) / 2
    y = box.y + box.h * (0.68 if full else 0.5)
    scene.left(mark, scene.left(number, x, y) + gap, y)


def _paint_glow(scene: Scene, box: Box) -> None:
    reach = round(box.w * 0.09)
    surface = pygame.Surface((box.w + 2 * reach, box.h + 2 * reach), pygame.SRCALPHA)
    layer = surface.copy()
    for inset in range(0, reach, max(reach // 6, 1)):
        layer.fill((0, 0, 0, 0))
        shape = surface.get_rect().inflate(-2 * inset, -2 * inset)
        pygame.draw.rect(layer, (*DANGER, 22), shape, border_radius=reach * 2)
        surface.blit(layer, (0, 0))
    scene.canvas.blit(surface, (box.x - reach, box.y - reach))


def _paint_dashes(scene: Scene, box: Box, color: Color) -> None:
    """A dashed frame: a rounded one with gaps rubbed out of its straight sides."""
    surface = pygame.Surface((box.w, box.h), pygame.SRCALPHA)
    line, radius = scene.px(1.8), round(box.w * 0.1)
    pygame.draw.rect(surface, color, surface.get_rect(), line, border_radius=radius)
    for start, length in _gaps(box.w, scene.px(7)):
        for y in (0, box.h - line):
            surface.fill((0, 0, 0, 0), (start, y, length, line))
    for start, length in _gaps(box.h, scene.px(7)):
        for x in (0, box.w - line):
            surface.fill((0, 0, 0, 0), (x, start, line, length))
    scene.canvas.blit(surface, (box.x, box.y))


def _gaps(side: int, dash: int) -> list[tuple[int, int]]:
    """(start, length) of the gaps of a dashed side, which begins and ends with a dash."""
    count = side // dash // 2 * 2 + 1
    step = side / count
    return [(round(index * step), round(0.8 * step)) for index in range(1, count, 2)]


def paint_tray(scene: Scene) -> None:
    """Cards of this turn that lie in no row yet, with owners: revealed ones in placing order."""
    view = scene.view
    down = [
        (seat, card)
        for seat in range(view["players"])
        for laid, card in [facts.chosen_card(view, seat)]
        if laid
    ]
    if view["revealed"]:
        area = scene.titled_panel(scene.plan.tray, "to place")
        _paint_cascade(
            scene, area, [(entry["player"], entry["card"]) for entry in view["revealed"]]
        )
    elif down:
        area = scene.titled_panel(scene.plan.tray, "face down")
        # An observer's own choice is seen in the hand, so that here it lies as the others' do.
        hidden = facts.observer(view) is not None
        _paint_cascade(scene, area, [(seat, None if hidden else card) for seat, card in down])
    else:
        scene.titled_panel(scene.plan.tray, "this turn")


def _paint_cascade(scene: Scene, area: Box, entries: list[tuple[int, Card | None]]) -> None:
    """Cards below one another, overlapping if they must, with their owners' names beside them."""
    width = min(round(area.w * 0.42), round(area.h / 3.4 / CARD_RATIO))
    height = round(width * CARD_RATIO)
    step = min(height + scene.px(8), (area.h - height) / max(len(entries) - 1, 1))
    x = area.x + width + scene.px(6)
    for index, (seat, card) in enumerate(entries):
        y = area.y + index * step
        scene.card(cards.back(width) if card is None else scene.face(card, width), area.x, y)
        color = GOLD if seat == facts.chooser(scene.view) else CREAM
        visible = height if index == len(entries) - 1 else min(step, height)
        scene.left(scene.text(facts.seat_name(seat), 9, color, area.right - x), x, y + visible / 2)


def paint_result(scene: Scene) -> None:
    """After the match, in place of the tray: the seats from best to worst with their totals."""
    area, totals = scene.titled_panel(scene.plan.tray, "result"), scene.view["totals"]
    step = min(area.h / len(totals), scene.px(34))
    for index, seat in enumerate(sorted(range(len(totals)), key=totals.__getitem__)):
        y = area.y + (index + 0.5) * step
        color = GOLD if seat in facts.winners(scene.view) else CREAM
        scene.left(scene.text(facts.seat_name(seat), 10.5, color, area.w * 0.68), area.x, y)
        scene.right(scene.text(str(totals[seat]), 12, color, area.w * 0.28), area.right, y)
