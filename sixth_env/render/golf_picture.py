"""Paints Sixes, the golf game: the piles, and every seat's three rows of two.

Imports pygame, so load it only when a picture is asked for.
"""

from __future__ import annotations

from sixth_env.games import get_game
from sixth_env.games.cards import Card
from sixth_env.render import cards, facts, golf_text, layout, seats
from sixth_env.render.facts import View
from sixth_env.render.layout import CARD_RATIO, Box, Layout
from sixth_env.render.scene import CREAM, DANGER, GOLD, MUTED, Scene

TURNED = 12.0  # degrees by which a face-down card is turned where its face is known


def plan(width: int, height: int, view: View) -> Layout:
    """Piles at the left, a panel a seat."""
    return layout.golf_plan(width, height, view["players"])


def paint(scene: Scene) -> None:
    """The whole table."""
    view = scene.view
    words = [get_game(view["game"]).title, *golf_text.progress(view)]
    scene.header(words, golf_text.prompt(view), urgent=view["phase"] == "over")
    _paint_piles(scene)
    for seat in range(view["players"]):
        _paint_seat(scene, seat)


def _paint_piles(scene: Scene) -> None:
    """Draw pile, discards and, while there is one, the drawn card."""
    view = scene.view
    box = scene.plan.tray
    third = box.h // 3
    parts = [Box(box.x, box.y + third * index, box.w, third - scene.px(8)) for index in range(3)]
    pile = view["draw_pile"]
    count = pile if isinstance(pile, int) else len(pile)
    discards = view["discard_pile"]
    _paint_pile(scene, parts[0], f"draw pile: {count}", None, count > 0)
    top = discards[0] if discards else None
    _paint_pile(scene, parts[1], f"discards: {len(discards)}", top, bool(discards))
    drawn = view["drawn"]
    card = None if drawn == "hidden" else drawn
    _paint_pile(scene, parts[2], "drawn", card, drawn is not None)


def _paint_pile(scene: Scene, box: Box, title: str, card: Card | None, lies: bool) -> None:
    """A pile with its top card, or a back where that is not known."""
    area = scene.titled_panel(box, title)
    if not lies:
        return
    width = round(min(area.w * 0.8, area.h * 0.92 / CARD_RATIO))
    x, y = area.center
    front = cards.back(width) if card is None else scene.face(card, width)
    scene.card(front, x - width / 2, y - width * CARD_RATIO / 2)


def _paint_seat(scene: Scene, seat: int) -> None:
    """Name, cards, points of the pairs that can be seen, and the total."""
    view, box = scene.view, scene.plan.plates[seat]
    won = seat in golf_text.winners(view)
    acts = seat == view["to_act"] and view["phase"] != "over"
    scene.panel(box, GOLD if won or acts else None)
    inner = box.inset(scene.px(10), scene.px(8))
    y = inner.y + scene.px(10)
    seats.paint_name(scene, seat, inner.x, inner.right, y, won=won, acts=acts)
    if seat in (view["knocker"], view["went_out"]):
        word = "knocked" if seat == view["knocker"] else "out"
        scene.right(scene.text(word, 10, DANGER), inner.right, y)
    elif seat == facts.observer(view):
        scene.right(scene.text("you", 10, MUTED), inner.right, y)
    places = scene.plan.places[seat]
    for slot, place in enumerate(places):
        _paint_slot(scene, seat, slot, place)
    for row in range(len(places) // 2):
        points = golf_text.pair_score(view, seat, row)
        if points is not None:
            place = places[2 * row + 1]
            x = place.right + place.w * 0.36
            scene.center(scene.text(str(points), 13, CREAM), x, place.center[1])
    x = scene.left(scene.text("total", 9, MUTED), inner.x, inner.bottom - scene.px(8))
    total = str(view["totals"][seat])
    scene.left(scene.text(total, 13, CREAM), x + scene.px(6), inner.bottom - scene.px(8))


def _paint_slot(scene: Scene, seat: int, slot: int, place: Box) -> None:
    """A card; a face-down one shows its back, or is turned aside where its face is known."""
    card = scene.view["hands"][seat][slot]
    if card is None:
        scene.card(cards.back(place.w), place.x, place.y)
    elif scene.view["face_up"][seat][slot]:
        scene.card(scene.face(card, place.w), place.x, place.y)
    else:
        scene.card(cards.back(place.w), place.x, place.y)
        small = scene.face(card, round(place.w * 0.66))
        scene.tilted_card(small, *place.center, TURNED)
