"""Paints the seats around the table, the hand at the bottom and the legend.

Imports pygame, so load it only when a picture is asked for.
"""

from __future__ import annotations

from sixth_env.games.cards import Card
from sixth_env.render import cards, facts, layout
from sixth_env.render.facts import View
from sixth_env.render.layout import CARD_RATIO, Box
from sixth_env.render.scene import CREAM, GOLD, INK, MUTED, Scene

# Which cards cost how many points: (points, words, a suit to draw behind them).
LEGENDS: dict[str, list[tuple[int, str, str | None]]] = {
    "sixth_card": [(5, "Q", "S"), (3, "10", None), (2, "5, J, Q, K", None), (1, "others", None)],
    "six_nimmt": [
        (7, "55", None),
        (5, "11, 22, 33 …", None),
        (3, "10, 20, 30 …", None),
        (2, "5, 15, 25 …", None),
        (1, "others", None),
    ],
}


def paint_seats(scene: Scene) -> None:
    """Every seat's plate: name, dealer button, points of the match and the round, and cards."""
    players = scene.view["players"]
    for distance in range(players):
        _paint_plate(scene, (scene.bottom_seat + distance) % players, distance)


def _paint_plate(scene: Scene, seat: int, distance: int) -> None:
    box, view = scene.plan.plates[distance], scene.view
    marked = seat in facts.winners(view) or seat == facts.chooser(view)
    scene.panel(box, GOLD if marked else None)
    inner = box.inset(scene.px(9), scene.px(8))
    own = distance == 0  # the hand at the bottom belongs to this plate
    wide = not own and inner.w > 4 * inner.h  # cards go beside the words, not below them
    words = Box(inner.x, inner.y, inner.w // 2, inner.h) if wide else inner
    won, acts = seat in facts.winners(view), seat == facts.chooser(view)
    paint_name(scene, seat, words.x, words.right, words.y + scene.px(10), won=won, acts=acts)
    _paint_scores(scene, seat, words, words.y + scene.px(31))
    if wide:
        paint_small_hand(scene, seat, Box(words.right, inner.y, inner.w // 2, inner.h))
    elif not own:
        top = inner.y + scene.px(48)
        paint_small_hand(scene, seat, Box(inner.x, top, inner.w, inner.bottom - top))


def paint_name(
    scene: Scene, seat: int, left: int, right: int, y: float, *, won: bool, acts: bool
) -> None:
    """The seat's name, gold where it is to act or has won, and the dealer button."""
    x, color = float(left), GOLD if won or acts else CREAM
    if won:
        x = scene.left(scene.sign("crown", 17, GOLD), x, y - scene.px(1)) + scene.px(4)
    name = scene.text(facts.seat_name(seat), 12, color, right - x - scene.px(24))
    x = scene.left(name, x, y) + scene.px(14)
    if seat == scene.view["dealer"]:
        scene.center(scene.sign("dot", 19, CREAM), x, y)
        scene.center(scene.text("D", 9.5, INK), x, y)


def _paint_scores(scene: Scene, seat: int, box: Box, y: float) -> None:
    """``total 41   round 13``, where the total includes the round."""
    x = float(box.x)
    room = box.w / 4 - scene.px(3)  # the most that each of the four words may take
    for words, points, color in (
        ("total", facts.total_points(scene.view, seat), CREAM),
        ("round", facts.round_points(scene.view, seat), GOLD),
    ):
        x = scene.left(scene.text(words, 9, MUTED, room), x, y) + scene.px(5)
        x = scene.left(scene.text(str(points), 13, color, room), x, y) + scene.px(12)


def paint_small_hand(scene: Scene, seat: int, room: Box) -> None:
    """Another seat's cards: backs and their number, or small faces where the hand is open."""
    hand = facts.known_hand(scene.view, seat)
    if hand is None:
        _paint_backs(scene, facts.cards_left(scene.view, seat), room)
        return
    for card, box in zip(hand, layout.tiles(room, len(hand), 1.25), strict=True):
        gap = max(box.w // 14, 1)
        scene.canvas.blit(scene.tile(card, box.w - gap, box.h - gap), (box.x, box.y))


def _paint_backs(scene: Scene, count: int, room: Box) -> None:
    if not count:
        return
    width = min(round(room.h / CARD_RATIO), scene.px(34))
    space = room.w - scene.px(22) - width  # leaves room for the number
    step = min(width * 0.5, space / max(count - 1, 1))
    for index in range(count):
        y = room.y + (room.h - width * CARD_RATIO) / 2
        scene.card(cards.back(width), room.x + step * index, y)
    end = room.x + step * (count - 1) + width
    scene.left(scene.text(str(count), 10, CREAM), end + scene.px(5), room.center[1])


def paint_hand(scene: Scene) -> None:
    """The cards of the seat at the bottom in a slight arc; after the match, who won."""
    area, view = scene.plan.hand, scene.view
    if view["phase"] == "over":
        scene.center(scene.text(facts.prompt(view), 20, GOLD, area.w * 0.9), *area.center)
        return
    paint_fan(scene, _fronts(view, scene.bottom_seat))


def paint_fan(scene: Scene, fronts: list[tuple[Card | None, bool]]) -> None:
    """A hand: its cards (None: a back), each with whether it is lifted."""
    area = scene.plan.hand
    width = round(min(area.h * 0.8 / CARD_RATIO, area.w / 4))
    middle = (len(fronts) - 1) / 2
    xs = layout.fan(area.inset(width // 12, 0), len(fronts), width)
    for index, (x, (card, lifted)) in enumerate(zip(xs, fronts, strict=True)):
        bend = index - middle
        y = area.bottom - width * CARD_RATIO * 0.54 - scene.px(29 if lifted else 18)
        y += 0.55 * bend * bend * scene.unit
        front = cards.back(width) if card is None else scene.face(card, width)
        scene.tilted_card(front, x + width / 2, y, 1.1 * bend)


def _fronts(view: View, seat: int) -> list[tuple[Card | None, bool]]:
    """The seat's cards (None: unknown), each with whether it is the one chosen this turn."""
    hand = facts.known_hand(view, seat)
    if hand is None:
        return [(None, False)] * facts.cards_left(view, seat)
    _, chosen = facts.chosen_card(view, seat)
    place = hand.index(chosen) if chosen in hand else None
    return [(card, index == place) for index, card in enumerate(hand)]


def paint_legend(scene: Scene) -> None:
    """How many points the cards of this game cost, in the lower right corner."""
    scene.panel(scene.plan.corner)
    inner = scene.plan.corner.inset(scene.px(10), scene.px(9))
    lines = LEGENDS[scene.view["game"]]
    mark = scene.sign(scene.point_mark, 10, cards.POINT)
    for index, (points, words, suit) in enumerate(lines):
        y = inner.y + inner.h * (index + 0.5) / len(lines)
        scene.center(scene.text(str(points), 10, CREAM), inner.x + scene.px(5), y)
        scene.center(mark, inner.x + scene.px(19), y)
        x = inner.x + scene.px(34)
        end = scene.left(scene.text(words, 9.5, MUTED, inner.right - x), x, y)
        if suit:
            scene.left(scene.sign(suit, 12, MUTED), end + scene.px(3), y)
