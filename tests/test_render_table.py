"""The drawn table: nothing overlaps, the same picture every time, no display, no hidden card."""

from __future__ import annotations

import hashlib
import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env.errors import ConfigError, MissingExtraError
from sixth_env.render import layout
from sixth_env.render.table import Window, draw
from tests.render_views import Json, position, view_of

pygame = pytest.importorskip("pygame")

ROOT = Path(__file__).resolve().parents[1]
COUNTS = range(2, 11)
SIZES = [(640, 480), (960, 640), (1280, 720), (1920, 1080), (640, 1100), (2000, 480)]


def boxes(plan: layout.Layout) -> dict[str, layout.Box]:
    named = {"header": plan.header, "hand": plan.hand, "corner": plan.corner, "tray": plan.tray}
    named |= {f"plate {index}": box for index, box in enumerate(plan.plates)}
    named |= {f"label {index}": box for index, box in enumerate(plan.labels)}
    for row, places in enumerate(plan.places):
        named |= {f"place {row},{column}": box for column, box in enumerate(places)}
    return named


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("players", COUNTS)
@pytest.mark.parametrize(("rows", "row_length"), [(4, 5), (1, 1), (2, 3), (4, 1)])
def test_nothing_overlaps(players: int, size: tuple[int, int], rows: int, row_length: int) -> None:
    width, height = size
    named = boxes(layout.plan(width, height, players, rows, row_length))
    assert len(named) == 4 + players + rows + rows * (row_length + 1)
    for name, box in named.items():
        assert box.w > 0 and box.h > 0, name
        assert box.x >= 0 and box.y >= 0 and box.right <= width and box.bottom <= height, name
    for (first, a), (second, b) in itertools.combinations(named.items(), 2):
        assert not a.overlaps(b), f"{first} overlaps {second}"


@pytest.mark.parametrize("players", COUNTS)
def test_seats_sit_clockwise(players: int) -> None:
    plates = layout.plan(960, 640, players, 4, 5).plates
    angles = [np.arctan2(480 - box.center[0], box.center[1] - 320) % (2 * np.pi) for box in plates]
    others = angles[1:]  # from the bottom, by the left, the top and the right
    assert others == sorted(others)


@pytest.mark.parametrize("count", range(1, 11))
def test_fan_and_tiles_stay_in_their_area(count: int) -> None:
    area = layout.Box(10, 20, 300, 80)
    xs = layout.fan(area, count, 60)
    assert len(xs) == count
    assert area.x <= xs[0] and xs[-1] + 60 <= area.right
    assert xs == sorted(set(xs))
    tiles = layout.tiles(area, count, 1.25)
    assert len(tiles) == count
    assert not any(a.overlaps(b) for a, b in itertools.combinations(tiles, 2))
    for box in tiles:
        assert area.x <= box.x and box.right <= area.right
        assert area.y <= box.y and box.bottom <= area.bottom


@pytest.mark.parametrize("players", COUNTS)
@pytest.mark.parametrize("phase", ["card", "row", "over"])
@pytest.mark.parametrize("game", ["sixth_card", "six_nimmt"])
def test_every_table_is_drawn(game: str, phase: str, players: int) -> None:
    table = position(game, players, phase)
    for view in (view_of(table, players - 1), table):
        picture = draw(view, (640, 480))
        assert picture.shape == (480, 640, 3)
        assert picture.dtype == np.uint8
        assert picture.flags.c_contiguous
        assert picture[:, :, 1].std() > 40  # cards on felt, not a blank table


@pytest.mark.parametrize("size", SIZES)
def test_sizes(size: tuple[int, int]) -> None:
    assert draw(view_of(position(players=10, phase="row"), 4), size).shape == (*size[::-1], 3)


def test_default_size() -> None:
    assert draw(view_of(position(), 0)).shape == (640, 960, 3)


def test_small_games() -> None:
    for hand_size, rows, row_length in ((1, 1, 1), (3, 2, 3), (10, 4, 1)):
        table = position(players=2, hand_size=hand_size, rows=rows, row_length=row_length)
        assert draw(view_of(table, 1)).any()


def test_too_small_a_picture_is_refused() -> None:
    with pytest.raises(ConfigError, match="640 x 480"):
        draw(view_of(position(), 0), (320, 240))


def test_views_of_equal_content_look_equal() -> None:
    table = position(players=3)
    view = view_of(table, 1)
    first = draw(view)
    draw(view_of(position("six_nimmt", 7, "row"), 0))
    assert np.array_equal(first, draw(json.loads(json.dumps(view))))


def test_drawing_changes_neither_view_nor_past_pictures() -> None:
    view = view_of(position(), 0)
    before = json.dumps(view)
    first = draw(view)
    copy = first.copy()
    view["rows"][1] = view["rows"][1] * 2
    draw(view)
    assert np.array_equal(first, copy)
    view["rows"][1] = view["rows"][1][:1]
    assert json.dumps(view) == before


def changed_box(first: Json, second: Json) -> tuple[int, int, int, int]:
    """x, y, right and bottom of what differs between two pictures."""
    ys, xs = np.nonzero((draw(first) != draw(second)).any(axis=2))
    return int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1


@pytest.mark.parametrize("players", [2, 3, 10])
@pytest.mark.parametrize("chosen", [False, True])
def test_hand_stays_clear_of_the_rest(players: int, chosen: bool) -> None:
    view = view_of(position(players=players), 0)
    empty: Json = {**view, "hands": [[], *view["hands"][1:]]}
    if chosen:
        cards = view["hands"][0]
        view = {**view, "chosen": [cards[5], *view["chosen"][1:]]}
        empty = {**empty, "chosen": view["chosen"]}
    left, top, right, bottom = changed_box(view, empty)
    plan = layout.plan(960, 640, players, 4, 5)
    assert plan.plates[0].right <= left and right <= plan.corner.x
    assert top >= max(plan.places[-1][-1].bottom, plan.tray.bottom)
    assert bottom <= 640


def test_own_card_alone_changes_the_hand() -> None:
    """A hidden card cannot be drawn, but its owner's must be: hands are not ignored."""
    table = position(players=4)
    swapped = {**table, "hands": [table["hands"][1], table["hands"][0], *table["hands"][2:]]}
    assert np.array_equal(draw(view_of(table, 2)), draw(view_of(swapped, 2)))
    assert not np.array_equal(draw(view_of(table, 0)), draw(view_of(swapped, 0)))


def test_choice_of_others_is_a_back() -> None:
    table = position(players=4)
    pictures = []
    for place in (0, 5):
        chosen = [None, table["hands"][1][place], None, None]
        pictures.append(draw(view_of({**table, "chosen": chosen}, 0)))
    assert np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[0], draw(view_of(table, 0)))


@pytest.mark.parametrize(
    "change",
    [
        {"round": 3},
        {"turn": 2},
        {"dealer": 0},
        {"totals": [1, 2, 3, 65]},
        {"piles": [["QS"], [], [], []]},
        {"phase": "row", "revealed": [{"player": 1, "card": "AC"}]},
        {"phase": "over"},
    ],
)
def test_public_facts_are_seen(change: dict[str, Any]) -> None:
    view = view_of(position(), 0)
    assert not np.array_equal(draw(view), draw({**view, **change}))


def test_survives_other_code_quitting_pygame() -> None:
    view = view_of(position(players=5), 0)
    first = draw(view)
    pygame.quit()
    assert np.array_equal(first, draw(view))


PROBE = """
import hashlib, json, os, sys
from sixth_env.render.table import draw
before = dict(os.environ)
assert "pygame" not in sys.modules, "pygame was loaded before it was needed"
print(hashlib.sha256(draw(json.loads(sys.argv[1])).tobytes()).hexdigest())
import pygame
assert not pygame.display.get_init(), "a display was opened"
assert dict(os.environ) == before, "the environment was changed"
"""


def test_new_process_draws_the_same_silently() -> None:
    view = view_of(position("six_nimmt", 6, "row"), 3)
    run = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(view)], cwd=ROOT, capture_output=True, text=True
    )
    assert run.stderr == ""
    assert run.stdout.split() == [hashlib.sha256(draw(view).tobytes()).hexdigest()]


def test_missing_pygame_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sixth_env\[render\]'"):
        draw(view_of(position(), 0))
    with pytest.raises(MissingExtraError, match=r"pip install 'sixth_env\[render\]'"):
        Window().show(view_of(position(), 0))


def test_window_shows_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    view = view_of(position(), 0)
    window = Window((640, 480))
    window.show(view)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, draw(view, (640, 480)))
    window.close()
    window.close()
    assert not pygame.display.get_init()


def test_closed_window_stays_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = Window((640, 480))
    window.show(view_of(position(), 0))
    assert not window.closed
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(view_of(position(), 0))
    assert window.closed
    window.show(view_of(position(), 0))
    assert not pygame.display.get_init()


def test_window_without_display_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    with pytest.raises(ConfigError, match="needs a display"):
        Window().show(view_of(position(), 0))
