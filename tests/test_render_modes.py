"""``render()`` of the environments: modes, whose eyes, and what is drawn when."""

from __future__ import annotations

import importlib
import io
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from sixth_env import sixth_card_v0
from sixth_env.errors import PositionError
from tests.envs import MODULES, TABLES, actions_of, chooser, play_aec, play_parallel

FORMS = ["parallel_env", "env", "raw_env"]


@pytest.fixture
def _dummy_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.parametrize("form", FORMS)
def test_no_mode_warns_once(form: str) -> None:
    env = getattr(sixth_card_v0, form)()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="no render_mode"):
        assert env.render() is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert env.render() is None


@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "human"])
@pytest.mark.parametrize("form", ["parallel_env", "raw_env"])
def test_nothing_to_draw_before_reset(form: str, mode: str) -> None:
    with pytest.raises(PositionError, match="reset"):
        getattr(sixth_card_v0, form)(render_mode=mode).render()


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_whose_eyes(game: str, players: int) -> None:
    """Nobody's hand by default, one hand for a seat, every hand for ``all``."""
    hands, own = [], [None, "all", "player_1"]
    for viewer in own:
        env = MODULES[game].parallel_env(num_players=players, render_mode="ansi", render_as=viewer)
        env.reset(seed=0)
        picture = env.render()
        assert isinstance(picture, str)
        hands.append([line for line in picture.splitlines() if line.startswith("  hand")])
    assert [len(lines) for lines in hands] == [0, players, 1]
    assert hands[2][0].split()[1:] == hands[1][1].split()[3:]


def test_ansi_follows_the_terminals_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    env: Any = sixth_card_v0.parallel_env(render_mode="ansi", render_as="all")
    env.reset(seed=0)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    plain = env.render()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    symbols = env.render()
    monkeypatch.setattr(sys, "stdout", None)
    nowhere = env.render()
    monkeypatch.undo()
    assert plain.isascii()
    assert "♣" in symbols
    assert nowhere == symbols


@pytest.mark.parametrize("viewer", [None, "all", "player_3"])
def test_rgb_array(viewer: str | None) -> None:
    env: Any = sixth_card_v0.parallel_env(render_mode="rgb_array", render_as=viewer)
    observations, _ = env.reset(seed=0)
    pictures = [env.render()]
    for _ in range(4):
        observations = env.step(actions_of(observations, chooser()))[0]
        pictures.append(env.render())
    for picture in pictures:
        assert isinstance(picture, np.ndarray)
        assert (picture.ndim, picture.shape[2], picture.dtype) == (3, 3, np.uint8)
    assert len({picture.tobytes() for picture in pictures}) == 5


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_the_end_can_be_drawn(mode: str) -> None:
    parallel: Any = sixth_card_v0.parallel_env(render_mode=mode, num_rounds=1)
    observations, _ = parallel.reset(seed=0)
    play_parallel(parallel, observations, chooser())
    turns = sixth_card_v0.env(render_mode=mode, num_rounds=1)
    turns.reset(seed=0)
    play_aec(turns, chooser())
    assert np.array_equal(parallel.render(), turns.render())


@pytest.mark.usefixtures("_dummy_display")
@pytest.mark.parametrize("form", ["parallel_env", "raw_env"])
def test_human_mode_shows_every_step(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = importlib.import_module("sixth_env.render.table")
    shown: list[Any] = []
    show = table.Window.show

    def spy(window: Any, scene: Any) -> None:
        shown.append(scene)
        show(window, scene)

    monkeypatch.setattr(table.Window, "show", spy)
    env = getattr(sixth_card_v0, form)(render_mode="human")
    given = env.reset(seed=0)
    assert len(shown) == 1
    choose = chooser()
    if form == "parallel_env":
        env.step(actions_of(given[0], choose))
    else:
        env.step(choose("player_0", env.observe("player_0")))
        assert shown[-1]["chosen"] == [1, 0, 0, 0]
    assert len(shown) == 2
    assert env.render() is None
    assert len(shown) == 3
    assert all(hand == 10 for hand in shown[0]["hands"])
    env.close()
    env.close()
    assert env.render() is None
    assert len(shown) == 4
    env.close()


@pytest.mark.usefixtures("_dummy_display")
def test_a_copy_leaves_the_window_behind() -> None:
    import copy

    env = sixth_card_v0.parallel_env(render_mode="human")
    env.reset(seed=0)
    twin = copy.deepcopy(env)
    assert twin._window is None
    assert env._window is not None
    twin.render()
    twin.close()
    env.close()
