"""The pictures of the games played in turns: complete, and blind to what is hidden."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sixth_env import sixes_chips_v0, sixes_golf_v0
from sixth_env.engine import Engine
from sixth_env.render.layout import Box, golf_plan
from sixth_env.render.table import SIZE, draw
from sixth_env.render.text import text

Json = dict[str, Any]
GAMES = ("sixes_chips", "sixes_golf")


def engine_after(game: str, steps: int, seed: int = 1, **config: Any) -> Engine:
    """An engine's only game after that many random steps."""
    engine = Engine(game, seed=seed, **config)
    for step in range(steps):
        engine.step(engine.sample_actions(1000 * seed + step))
    return engine


def finished(game: str, **config: Any) -> Engine:
    """A match played at random to its end."""
    engine = Engine(game, seed=1, **config)
    while engine.position()["phase"] != "over":
        engine.step(engine.sample_actions())
    return engine


def named(picture: str) -> list[str]:
    """Every card named in a plain picture, sorted, each as often as it is."""
    return sorted(re.findall(r"\b(?:10|[2-9AJQK])[CDHS]\b|joker", picture))


def cards_of(value: Any) -> list[str]:
    """Every card in a part of a position or view."""
    if isinstance(value, str):
        return named(value)
    if isinstance(value, (list, tuple)):
        return sorted(card for part in value for card in cards_of(part))
    return []


# --- The chip game --------------------------------------------------------------------------------


@pytest.fixture
def chips() -> Json:
    """A view in the middle of a round."""
    return {
        "game": "sixes_chips",
        "players": 3,
        "dealer": 2,
        "round": 4,
        "phase": "play",
        "to_act": 1,
        "starter": 0,
        "player": 1,
        "hands": [2, ["AC", "7H"], 11],
        "columns": {
            "C": None,
            "D": {"low": "5D", "high": "KD"},
            "H": {"low": "6H", "high": "6H"},
            "S": None,
        },
        "chips": [12, 3, 14],
        "pot": 1,
        "lacks": [["6C", "6H", "QD", "4D"], [], []],
        "rules": {"num_rounds": 6, "max_rounds": 250},
    }


def test_chips_example(chips: Json) -> None:
    assert text(chips) == (
        """\
Sixes (chips) · round 4 of 6 · pot 1 · dealer player_2 · starter player_0
player_1 plays a card, or passes

  ♣    ·   ·   ·   ·   ·   ·   ·   ·   ·   ·
  ♦    ·   ·   ·   ·  5♦  6♦  7♦  J♦  Q♦  K♦
  ♥    ·   ·   ·   ·   ·  6♥   ·   ·   ·   ·
  ♠    ·   ·   ·   ·   ·   ·   ·   ·   ·   ·

  seat        chips  left  lacks
  player_0      12     2  6♣ 4♦
> player_1       3     2
  player_2 D    14    11

  hand  A♣ 7♥"""
    )


def test_chips_open_ended_and_before_the_first_card(chips: Json) -> None:
    chips["rules"]["num_rounds"] = None
    chips["columns"] = dict.fromkeys("CDHS")
    assert text(chips).splitlines()[:2] == [
        "Sixes (chips) · round 4 · pot 1 · dealer player_2 · starter player_0",
        "player_1 begins with the 6♦",
    ]
    assert "begins with the 6D" in text(chips, unicode=False)


def test_chips_long_lists_are_counted(chips: Json) -> None:
    chips["lacks"][2] = [rank + suit for suit in "CS" for rank in "A234567"]
    line = next(line for line in text(chips).splitlines() if "player_2 D" in line)
    assert line.split()[-2:] == ["14", "cards"]


@pytest.mark.parametrize("players", range(2, 9))
def test_chips_shows_columns_and_the_own_hand(players: int) -> None:
    engine = engine_after("sixes_chips", 3 * players, num_players=players)
    position = engine.position()
    dealt = [card for hand in position["hands"] for card in hand]
    deck = [rank + suit for suit in "CDHS" for rank in "A234567JQK"]
    for seat in range(players):
        table = text(engine.view(0, seat), unicode=False)
        top, _, seats_and_hand = table.partition("\n\n  seat")
        assert named(top) == sorted(set(deck) - set(dealt))
        hand = seats_and_hand.partition("\n\n")[2]
        assert named(hand) == sorted(position["hands"][seat])
    everything = text(position, unicode=False).partition("\n\n  seat")[2].partition("\n\n")[2]
    assert named(everything) == sorted(dealt)


def test_chips_results() -> None:
    over = finished("sixes_chips", starting_chips=2).position()
    over["chips"] = [0, 9, 1, 0, 0]
    assert "match over: player_1 wins with 9 chips" in text(over)
    over["chips"] = [0, 4, 4, 1, 1]
    assert "match over: player_1 and player_2 share the win with 4 chips" in text(over)
    cut = finished("sixes_chips", starting_chips=90, max_rounds=1)
    assert "match over: cut off after 1 round, nobody wins" in text(cut.position())


# --- The golf game --------------------------------------------------------------------------------


@pytest.fixture
def golf() -> Json:
    """A position after a knock, a card just drawn."""
    return {
        "game": "sixes_golf",
        "players": 2,
        "dealer": 0,
        "round": 0,
        "rounds": 6,
        "phase": "drawn",
        "to_act": 1,
        "hands": [
            ["5H", "5C", "joker", "AS", "QD", "JD"],
            ["10S", "AD", "2C", "3C", "KC", "KS"],
        ],
        "face_up": [[True] * 5 + [False], [True, True, True, False, False, False]],
        "draw_pile": ["9H", "8H"],
        "discard_pile": ["7D", "joker"],
        "drawn": "4D",
        "knocker": 0,
        "went_out": None,
        "last_turns": 1,
        "refilled": True,
        "turns": 8,
        "totals": [0, 0],
        "rules": {},
    }


def test_golf_example(golf: Json) -> None:
    view = Engine("sixes_golf").game.notation.view(golf, 0)
    assert text(view) == (
        """\
Sixes (golf) · practice round · 8 turns taken · dealer player_0
player_1 places the drawn card, or discards it
player_0 knocked, 1 last turn to come

  draw pile  2 cards
  in it, or drawn  4♦  8♥  9♥
  discards   7♦  joker
  drawn      a card

           > player_0 D        player_1
  1 2     5♥     5♣   0    10♠     A♦  -1
  3 4  joker     A♠  -3     2♣      ?
  5 6     Q♦      ?          ?      ?
             total    0        total    0

  ? lies face down"""
    )


def test_golf_position(golf: Json) -> None:
    picture = text(golf, unicode=False)
    assert "  top first  9H  8H" in picture
    assert "  drawn      4D" in picture
    assert "  5 6     QD     JD* 20     KC*    KS*  0" in picture
    assert "* lies face down" in picture and "?" not in picture


def test_golf_drawer_sees_the_card(golf: Json) -> None:
    picture = text(Engine("sixes_golf").game.notation.view(golf, 1), unicode=False)
    assert "  drawn      4D" in picture
    assert "  in it  8H  9H" in picture


def test_golf_prompts(golf: Json) -> None:
    golf |= {"round": 2, "drawn": None, "knocker": None, "went_out": 1, "last_turns": 2}
    picture = text({**golf, "phase": "turn"})
    assert "round 2 of 6" in picture
    assert "player_1 turns up a card, takes the discard, or draws" in picture
    assert "player_1 went out, 2 last turns to come" in picture
    assert "player_1 knocks, or ends the turn" in text({**golf, "phase": "knock"})
    assert "turns up one of the first two" in text({**golf, "phase": "reveal"})


@pytest.mark.parametrize("players", range(2, 9))
def test_golf_shows_exactly_what_is_known(players: int) -> None:
    engine, phases = Engine("sixes_golf", seed=players, num_players=players), set()
    for step in range(150):
        position = engine.position()
        phases.add(position["phase"])
        for seat in range(players):
            view = engine.view(0, seat)
            shown = [view["hands"], view["discard_pile"], view["drawn"]]
            known = cards_of([*shown, view.get("draw_known", [])])
            assert named(text(view, unicode=False)) == known
        parts = [position[n] for n in ("hands", "draw_pile", "discard_pile", "drawn")]
        assert named(text(position, unicode=False)) == cards_of(parts)
        engine.step(engine.sample_actions(step))
    assert {"reveal", "turn", "drawn", "knock"} <= phases


def test_golf_results() -> None:
    over = finished("sixes_golf", num_rounds=1).position()
    over["totals"] = [3, 3, 10, 20]
    assert "match over: player_0 and player_1 share the win with 3 points" in text(over)
    over["totals"] = [3, -1, 10, 20]
    assert "match over: player_1 wins with -1 points" in text(over)
    cut = finished("sixes_golf", max_turns=3)
    assert "match over: cut off after 3 turns, nobody wins" in text(cut.position())


# --- Both -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("game", GAMES)
def test_color_only_adds_escapes(game: str, unicode: bool) -> None:
    for engine in (engine_after(game, 14), finished(game)):
        colored = text(engine.view(0, 1), unicode=unicode, color=True)
        plain = text(engine.view(0, 1), unicode=unicode)
        assert "\x1b[" in colored
        assert re.sub(r"\x1b\[\d+m", "", colored) == plain
        assert unicode or plain.isascii()


@pytest.mark.parametrize("game", GAMES)
def test_the_observer_and_the_dealer_are_marked(game: str) -> None:
    engine = engine_after(game, 9)
    dealer = engine.position()["dealer"]
    for seat in range(engine.num_players):
        picture = text(engine.view(0, seat))
        assert picture.count(">") == 1 and f"> player_{seat}" in picture
        assert f"player_{dealer} D" in picture
    assert ">" not in text(engine.position())


# --- Pictures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("size", [SIZE, (640, 480)])
def test_golf_boxes_lie_apart_and_within(size: tuple[int, int], players: int) -> None:
    plan = golf_plan(*size, players)
    boxes = [plan.header, plan.tray, *plan.plates]
    assert len(plan.plates) == len(plan.places) == players
    whole = Box(0, 0, *size)
    for index, box in enumerate(boxes):
        assert box.x >= 0 and box.y >= 0 and box.right <= whole.w and box.bottom <= whole.h
        assert not any(box.overlaps(other) for other in boxes[:index])
    for panel, slots in zip(plan.plates, plan.places, strict=True):
        assert len(slots) == 6 and slots[0].w >= 24
        for index, slot in enumerate(slots):
            assert panel.x < slot.x and slot.right < panel.right
            assert panel.y < slot.y and slot.bottom < panel.bottom
            assert not any(slot.overlaps(other) for other in slots[:index])


@pytest.mark.parametrize("players", [2, 5, 8])
@pytest.mark.parametrize("game", GAMES)
def test_pictures_of_every_phase(game: str, players: int) -> None:
    engine = Engine(game, seed=1, num_players=players, num_rounds=1)
    shown: dict[str, Any] = {}
    while "over" not in shown:
        position = engine.position()
        for name, scene in (("", engine.view(0, 1)), ("all", position)):
            if position["phase"] + name not in shown:
                picture = shown[position["phase"] + name] = draw(scene, (640, 480))
                assert picture.shape == (480, 640, 3) and picture.dtype == np.uint8
                assert np.array_equal(draw(scene, (640, 480)), picture)
        engine.step(engine.sample_actions())
    pictures = {picture.tobytes() for picture in shown.values()}
    assert len(pictures) == len(shown) > 3


@pytest.mark.parametrize(
    ("game", "change"),
    [
        ("sixes_chips", {"pot": 7}),
        ("sixes_chips", {"chips": [1, 2, 3, 4, 5]}),
        ("sixes_chips", {"dealer": 3}),
        ("sixes_chips", {"to_act": 3}),
        (
            "sixes_chips",
            {"columns": {suit: {"low": f"A{suit}", "high": f"K{suit}"} for suit in "CDHS"}},
        ),
        ("sixes_golf", {"totals": [7, 7, 7, 7]}),
        ("sixes_golf", {"dealer": 2}),
        ("sixes_golf", {"discard_pile": ["joker", "2H"]}),
        ("sixes_golf", {"draw_pile": 3}),
        ("sixes_golf", {"drawn": "hidden"}),
        ("sixes_golf", {"drawn": "10S"}),
        ("sixes_golf", {"knocker": 2}),
        ("sixes_golf", {"went_out": 2}),
    ],
)
def test_what_changes_changes_the_picture(game: str, change: Json) -> None:
    view = engine_after(game, 9).view(0, 1)
    assert any(view[name] != value for name, value in change.items())
    assert not np.array_equal(draw(view, (640, 480)), draw({**view, **change}, (640, 480)))


@pytest.mark.parametrize("module", [sixes_chips_v0, sixes_golf_v0])
def test_render_modes(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for mode in ("rgb_array", "human"):
        env = module.env(render_mode=mode)
        assert mode in env.metadata["render_modes"]
        env.reset(seed=1)
        picture = env.render()
        if mode == "human":
            assert picture is None
        else:
            assert picture.shape == (SIZE[1], SIZE[0], 3)
            env.step(int(env.last()[0]["action_mask"].argmax()))
            assert not np.array_equal(env.render(), picture)
        env.close()
