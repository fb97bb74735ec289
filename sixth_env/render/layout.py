"""Where everything lies on the table: plain geometry, without a drawing library.

Seats sit clockwise around the rows: the observer at the bottom, the next seat at the lower left,
up the left side, across the top when one is left over, and down the right side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

CARD_RATIO = 1.4  # height : width of a playing card
GAP = 0.12  # between neighbouring cards of a row, in card widths
LABEL = 0.4  # width of a row's number, in card widths


class Box(NamedTuple):
    """A rectangle in pixels; y grows downwards."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        return self.x + self.w

    @property
    def bottom(self) -> int:
        return self.y + self.h

    @property
    def center(self) -> tuple[int, int]:
        return self.x + self.w // 2, self.y + self.h // 2

    def inset(self, dx: int, dy: int | None = None) -> Box:
        """The box made smaller by ``dx`` at the left and right and ``dy`` above and below."""
        dy = dx if dy is None else dy
        return Box(self.x + dx, self.y + dy, max(self.w - 2 * dx, 1), max(self.h - 2 * dy, 1))

    def overlaps(self, other: Box) -> bool:
        """Whether the two boxes share a pixel."""
        return (
            self.x < other.right
            and other.x < self.right
            and self.y < other.bottom
            and other.y < self.bottom
        )


@dataclass(frozen=True)
class Layout:
    """The boxes of one picture; no two of them overlap (places of a row lie inside the middle)."""

    header: Box
    plates: tuple[Box, ...]  # by distance from the observer, clockwise; [0] is the observer's
    hand: Box
    corner: Box  # lower right: how the cards of this game count
    tray: Box  # this turn's cards that lie in no row yet
    labels: tuple[Box, ...]  # the number of each row
    places: tuple[tuple[Box, ...], ...]  # [row][place]; the last place of a row is the trap


def plan(width: int, height: int, players: int, rows: int, row_length: int) -> Layout:
    """Lay out a table of ``players`` seats and ``rows`` rows in ``width`` x ``height`` pixels."""
    unit = min(width / 960, height / 640)
    margin = round(12 * unit)
    header = Box(0, 0, width, round(38 * unit))
    band = round(148 * unit)  # the observer's hand and plate
    side = min(round(0.178 * width), round(260 * unit))
    bottom = Box(margin, height - band - margin // 2, width - 2 * margin, band)
    top = header.bottom + margin
    field = Box(margin, top, width - 2 * margin, bottom.y - margin - top)

    plates, middle = _seat_plates(field, players - 1, side, margin, unit)
    own_h, corner_h = round(62 * unit), round(112 * unit)
    floor = bottom.bottom - margin // 2
    own = Box(bottom.x, floor - own_h, side, own_h)
    corner = Box(bottom.right - side, floor - corner_h, side, corner_h)
    hand = Box(own.right + margin, bottom.y, corner.x - own.right - 2 * margin, band)

    tray_w = min(round(0.2 * middle.w), round(150 * unit))
    columns = row_length + 1
    card_w = _card_width(middle.w - tray_w - 2 * margin, middle.h, rows, columns)
    board_w = round(card_w * _row_width(columns))
    left = middle.x + (middle.w - board_w - 2 * margin - tray_w) // 2
    labels, places = _rows(Box(left, middle.y, board_w, middle.h), rows, columns, card_w)
    tray = Box(left + board_w + 2 * margin, middle.y, tray_w, middle.h)
    return Layout(header, (own, *plates), hand, corner, tray, labels, places)


def golf_plan(width: int, height: int, players: int) -> Layout:
    """Lay out the golf game: a panel a seat with its six cards, and the piles at the left.

    ``places`` are the six slots of each seat, row by row; they leave room at the right for the
    points of each row. Seats follow each other from the upper left, line by line.
    """
    unit = min(width / 960, height / 640)
    margin = round(12 * unit)
    header = Box(0, 0, width, round(38 * unit))
    top = header.bottom + margin
    piles = Box(margin, top, round(150 * unit), height - top - margin)
    left = piles.right + margin
    lines = 1 if players <= 4 else 2
    columns = -(-players // lines)
    step_x, step_y = (width - left) / columns, (height - top) / lines
    panels = tuple(
        Box(
            round(left + step_x * (seat % columns)),
            round(top + step_y * (seat // columns)),
            round(step_x) - margin,
            round(step_y) - margin,
        )
        for seat in range(players)
    )
    places = tuple(_slots(panel, unit) for panel in panels)
    nothing = Box(0, 0, 0, 0)
    return Layout(header, panels, nothing, nothing, piles, (), places)


def _slots(panel: Box, unit: float) -> tuple[Box, ...]:
    """The six slots of a seat, three rows of two, below its name and above its total."""
    room = panel.inset(round(10 * unit), round(32 * unit))
    step = min(room.w / 2.6, room.h / 3 / CARD_RATIO, 105 * unit)
    card = int(step / (1 + GAP))
    x0 = room.x + (room.w - 2.5 * step) / 2
    y0 = room.y + (room.h - 3 * step * CARD_RATIO) / 2
    return tuple(
        Box(
            round(x0 + step * (slot % 2)),
            round(y0 + step * CARD_RATIO * (slot // 2)),
            card,
            int(card * CARD_RATIO),
        )
        for slot in range(6)
    )


def _seat_plates(
    field: Box, others: int, side: int, margin: int, unit: float
) -> tuple[list[Box], Box]:
    """Boxes of the other seats, clockwise, and what they leave free in the middle."""
    per_side, odd = divmod(others, 2)
    left = _column(Box(field.x, field.y, side, field.h), per_side, margin, unit)
    right = _column(Box(field.right - side, field.y, side, field.h), per_side, margin, unit)
    inner_x = side + margin if per_side else 0
    middle = Box(field.x + inner_x, field.y, field.w - 2 * inner_x, field.h)
    if not odd:
        return [*left[::-1], *right], middle
    top_width = min(round(380 * unit), middle.w)
    top = Box(middle.center[0] - top_width // 2, middle.y, top_width, round(62 * unit))
    below = Box(middle.x, top.bottom + margin, middle.w, middle.bottom - top.bottom - margin)
    return [*left[::-1], top, *right], below


def _column(area: Box, count: int, margin: int, unit: float) -> list[Box]:
    """``count`` equal boxes below one another, spread evenly over the area."""
    if not count:
        return []
    step = (area.h + margin) / count
    height = min(round(step) - margin, round(118 * unit))
    spare = (step - margin - height) / 2
    return [
        Box(area.x, round(area.y + index * step + spare), area.w, height) for index in range(count)
    ]


def _row_width(columns: int) -> float:
    """The width of a row and its label, in card widths."""
    return LABEL + columns + (columns - 1) * GAP


def _card_width(width: int, height: int, rows: int, columns: int) -> float:
    """The largest card that fits in the rows; a small table does not get giant cards."""
    card_h = min(height / (rows + (rows - 1) * GAP), 0.3 * height)
    return min(width / _row_width(columns), card_h / CARD_RATIO)


def _rows(
    board: Box, rows: int, columns: int, card_w: float
) -> tuple[tuple[Box, ...], tuple[tuple[Box, ...], ...]]:
    """Labels and card places, the rows spread evenly in the middle of the height."""
    card_h, step_x = card_w * CARD_RATIO, card_w * (1 + GAP)
    step_y = min(board.h / rows, 1.4 * card_h)
    x0, y0 = board.x + card_w * LABEL, board.y + (board.h - step_y * rows) / 2
    tops = [y0 + step_y * row + (step_y - card_h) / 2 for row in range(rows)]
    places = tuple(
        tuple(
            Box(round(x0 + step_x * column), round(top), int(card_w), int(card_h))
            for column in range(columns)
        )
        for top in tops
    )
    label_w = int(card_w * LABEL)
    labels = tuple(Box(board.x, round(top), label_w, int(card_h)) for top in tops)
    return labels, places


def fan(area: Box, count: int, card_w: int) -> list[int]:
    """Left edges of ``count`` cards of one width in a line, centred, overlapping if they must."""
    if not count:
        return []
    step = min(card_w * (1 + GAP / 2), (area.w - card_w) / max(count - 1, 1))
    start = area.x + (area.w - card_w - step * (count - 1)) / 2
    return [round(start + step * index) for index in range(count)]


def tiles(area: Box, count: int, ratio: float) -> list[Box]:
    """``count`` equal tiles of the given height : width ratio, as large as the area allows."""
    best: list[Box] = []
    for lines in range(1, count + 1):
        columns = -(-count // lines)
        step = min(area.w / columns, area.h / lines / ratio)
        if not best or int(step) > best[0].w:
            y0 = area.y + (area.h - step * ratio * lines) / 2
            best = [
                Box(
                    round(area.x + step * (index % columns)),
                    round(y0 + step * ratio * (index // columns)),
                    int(step),
                    int(step * ratio),
                )
                for index in range(count)
            ]
    return best
