"""6 nimmt! with a ZSA deck: names of the numbers, in texts, pictures and at the terminal."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from sixth_env import six_nimmt_v0, sixes_golf_v0, sixth_card_v0
from sixth_env.cli.answers import help_for, read_action
from sixth_env.cli.app import app, main
from sixth_env.engine import Engine
from sixth_env.errors import ConfigError
from sixth_env.games.rows.zsa import SUITS, zsa_name, zsa_number, zsa_short
from sixth_env.render.table import draw
from sixth_env.render.text import supports_unicode, text
from tests.render_views import position, view_of

NUMBERS = range(1, 105)

# Number and card of every example in the rules text.
EXAMPLES = {
    5: "Clubs 5",
    20: "Hearts 0",
    55: "Switches 5",
    66: "Planets 6",
    80: "Clubs X",
    104: "Caps A",
    68: "Planets 8",
    41: "Caps 1",
    10: "Spades 0",
}


# --- Names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "name"), EXAMPLES.items())
def test_examples_of_the_rules_text(number: int, name: str) -> None:
    assert zsa_name(number) == name
    assert zsa_number(name) == number


def test_symbols_of_the_rules_text() -> None:
    assert [zsa_short(number) for number in (68, 41, 10)] == ["8◉", "1■", "0♠"]


def test_suit_by_suit_with_the_face_cards_behind() -> None:
    """All of the deck, written out from the text: what is counted as #1 to #104."""
    suits = ["Clubs", "Spades", "Hearts", "Diamonds", "Caps", "Switches", "Planets", "Stars"]
    numbered = [f"{suit} {rank}" for suit in suits for rank in "0123456789"]
    faces = [f"{suit} {rank}" for suit in suits[:5] for rank in "XJQKA"]
    assert [zsa_name(number) for number in NUMBERS] == [*numbered, *faces][1:]


def test_names_and_numbers_are_one_to_one() -> None:
    def rank_first(number: int) -> str:
        suit, rank = zsa_name(number).split()
        return f"{rank} of {suit}"

    for spell in (
        zsa_name,
        zsa_short,
        rank_first,
        lambda number: zsa_short(number, unicode=False),
        lambda number: zsa_short(number, unicode=False).upper(),
        lambda number: f" {zsa_name(number).lower()} ",
    ):
        names = [spell(number) for number in NUMBERS]
        assert len(set(names)) == 104
        assert [zsa_number(name) for name in names] == list(NUMBERS)
    assert all(zsa_short(number, unicode=False).isascii() for number in NUMBERS)


@pytest.mark.parametrize("number", [0, 105, 119, -1, 5.0, True, "5", None])
def test_numbers_that_are_not_in_the_game(number: Any) -> None:
    with pytest.raises(ValueError, match=f"{number!r} is not a card: .* from 1 to 104"):
        zsa_name(number)


@pytest.mark.parametrize(
    ("name", "number"),
    [("Clubs 0", 0), ("Switches X", 105), ("Switches A", 109), ("JPl", 111), ("A★", 119)],
)
def test_cards_that_are_not_in_the_game(name: str, number: int) -> None:
    with pytest.raises(ValueError, match=f"'{name}' is #{number} and not in the game"):
        zsa_number(name)


@pytest.mark.parametrize("name", ["", "7S", "10 of Clubs", "Clubs", "5", "5 of Cups", "Clubs 5 5"])
def test_what_is_no_card_of_the_deck(name: str) -> None:
    with pytest.raises(ValueError, match=f"'{name}' is not a ZSA card"):
        zsa_number(name)


# --- Texts and pictures ---------------------------------------------------------------------------


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("phase", ["card", "row", "over"])
def test_text_names_the_cards_that_are_shown(phase: str, unicode: bool) -> None:
    """The text with numbers alone, but for the names behind them and the room they take."""
    view = view_of(position("six_nimmt", 4, phase, turn=4), 1)
    named = text(view, unicode=unicode, faces="zsa")
    for number in NUMBERS:
        named = named.replace(f"({zsa_short(number, unicode)})", "")
    assert "(" not in named
    assert named.split() == text(view, unicode=unicode).split()
    assert unicode or text(view, unicode=False, faces="zsa").isascii()


def test_text_stays_aligned() -> None:
    view = view_of(position("six_nimmt", 3), 0)
    view["rows"] = [[1, 7, 68, 80, 104], [10], [41, 100, 103], [55]]
    lines = text(view, faces="zsa").splitlines()[3:7]
    assert lines[0].startswith("  row 1    1(1♣)    7(7♣)   68(8◉)   80(X♣)  104(A■)   ")
    assert len({line.index("point") for line in lines}) == 1


def test_terminals_that_lack_a_suit() -> None:
    for encoding, known in (("utf-8", True), ("shift_jis_2004", False)):  # has ♠, and no ✚
        assert "♣♦♥♠■◉★".encode(encoding)
        assert supports_unicode(io.TextIOWrapper(io.BytesIO(), encoding=encoding)) == known


def test_picture_shows_every_suit() -> None:
    """Two cards that differ in the suit alone look different, and so does each from its number."""
    pygame = pytest.importorskip("pygame")
    from sixth_env.render import cards

    cards.prepare()
    for width in (40, 120):
        fronts = [cards.face("six_nimmt", number, width, "zsa") for number in range(1, 80, 10)]
        fronts.append(cards.face("six_nimmt", 1, width))
        middle = pygame.Rect(width // 4, width // 4, width // 2, width)  # no number in a corner
        looks = {pygame.image.tobytes(front.subsurface(middle), "RGBA") for front in fronts}
        assert len(looks) == len(SUITS) + 1


def test_picture_is_another_one() -> None:
    pytest.importorskip("pygame")
    for scene in (position("six_nimmt", 4), view_of(position("six_nimmt", 4), 0)):
        numbers, named = draw(scene), draw(scene, faces="zsa")
        assert numbers.shape == named.shape
        assert not np.array_equal(numbers, named)
        assert np.array_equal(draw(scene, faces="zsa"), named)


def test_environment_renders_as_asked() -> None:
    for form in (six_nimmt_v0.parallel_env, six_nimmt_v0.raw_env):
        env: Any = form(render_mode="ansi", render_as="player_1", render_faces="zsa")
        env.reset(seed=4)
        hand = env.view("player_1")["hands"][1]
        assert all(f"{card}({zsa_short(card)})" in env.render() for card in hand)
        assert env.rules == six_nimmt_v0.raw_env().rules


def test_faces_that_a_game_does_not_have() -> None:
    with pytest.raises(ConfigError, match=r"six_nimmt must be None or 'zsa', not 'tarot'"):
        six_nimmt_v0.env(render_faces="tarot")
    for module in (sixth_card_v0, sixes_golf_v0):
        with pytest.raises(ConfigError, match="must be None, not 'zsa'"):
            module.env(render_faces="zsa")
    with pytest.raises(ConfigError, match="sixth_card must be None"):
        text(position(), faces="zsa")
    with pytest.raises(ConfigError, match="sixth_card must be None"):
        draw(position(), faces="zsa")


# --- At the terminal ------------------------------------------------------------------------------


def test_answers_by_name() -> None:
    view = Engine("six_nimmt", seed=3, num_players=3).view(0, 0)
    for card in view["hands"][0]:
        for answer in (zsa_name(card), zsa_short(card), zsa_short(card, unicode=False).lower()):
            assert read_action(view, answer) == card - 1
    for answer in ("7S", "Clubs 0", "A★"):
        with pytest.raises(ValueError, match="type its number"):
            read_action(view, answer)
    assert "8Pl, 8◉ " in help_for(view, unicode=True)
    assert help_for(view, unicode=False).isascii()


@pytest.mark.global_random  # by the runner, for its temporary files
def test_watch_and_play() -> None:
    options = ("--game", "six_nimmt", "--rounds", "1", "--seed", "2", "--faces", "zsa")
    shown = CliRunner().invoke(app, ["watch", "closest", "random", "--delay", "0", *options]).output
    reveals = [line for line in shown.splitlines() if line.startswith("Revealed: ")]
    assert len(reveals) == 10
    for line in reveals:
        first, second = (entry.split() for entry in line.removeprefix("Revealed: ").split(", "))
        for name, _ in (first, second):
            number, short = name.rstrip(")").split("(")
            assert zsa_number(short) == int(number)
    played = CliRunner().invoke(app, ["play", "--opponents", "closest", *options], input="q\n")
    assert "  hand  " in played.output and "(" in played.output


def test_faces_are_checked_first(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["watch", "closest", "random"], ["play"]):
        with pytest.raises(SystemExit):
            main([*command, "--faces", "zsa"])
        assert "faces of the cards of sixth_card must be None" in capsys.readouterr().err
