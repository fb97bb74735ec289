"""The text picture: complete, aligned, ASCII where it must be, and blind to hidden cards."""

from __future__ import annotations

import io
import re

import pytest

from sixth_env.render.text import supports_unicode, text
from tests.render_views import Json, position, rules, view_of

GAMES = ("sixth_card", "six_nimmt")
COUNTS = range(2, 11)


@pytest.fixture
def example() -> Json:
    """The rules text's example, seen by its third player, who has to take a row."""
    return {
        "game": "sixth_card",
        "players": 4,
        "decks": 1,
        "dealer": 3,
        "round": 1,
        "turn": 9,
        "phase": "row",
        "player": 2,
        "hands": [1, 1, ["5H"], 1],
        "rows": [
            ["8H"],
            ["9S", "10C", "JD", "QH", "QS"],
            ["2C"],
            ["6C", "7D"],
        ],
        "piles": [[], ["10D", "5C"], [], ["QD"]],
        "totals": [0, 31, 12, 7],
        "revealed": [
            {"player": 2, "card": "AH"},
            {"player": 3, "card": "7S"},
            {"player": 0, "card": "JS"},
            {"player": 1, "card": "KC"},
        ],
        "played": [["3C", "JS"], ["KC"], ["AH"], ["7S"]],
        "chosen": [None] * 4,
        "stock": 8,
        "rules": rules("sixth_card", 4),
    }


def test_example(example: Json) -> None:
    assert text(example) == (
        """\
Sixth Card · round 1 · turn 9 of 10 · to 66 points · dealer player_3
player_2 chooses a row

  row 1   8♥    ·    ·    ·    ·     1 point
  row 2   9♠  10♣   J♦   Q♥   Q♠   13 points  full
  row 3   2♣    ·    ·    ·    ·     1 point
  row 4   6♣   7♦    ·    ·    ·    2 points

  to place   A♥ player_2   7♠ player_3   J♠ player_0   K♣ player_1

  seat         round  total  left  played
  player_0        0      0     1  3♣ J♠
  player_1        5     36     1  K♣
> player_2        0     12     1  A♥
  player_3 D      2      9     1  7♠

  hand   5♥"""
    )


def test_fixed_rounds_name_no_target(example: Json) -> None:
    example["rules"] = rules("sixth_card", 4, target_score=None, num_rounds=3)
    header = text(example).splitlines()[0]
    assert "round 1 of 3" in header
    assert "points" not in header


def test_ascii_has_the_same_columns(example: Json) -> None:
    plain, pretty = text(example, unicode=False), text(example)
    assert plain.isascii()
    assert "9S  10C   JD   QH   QS   13 points" in plain
    rows, pretty_rows = plain.splitlines()[3:7], pretty.splitlines()[3:7]
    assert [line.index("point") for line in rows] == [line.index("point") for line in pretty_rows]


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("phase", ["card", "row", "over"])
@pytest.mark.parametrize("game", GAMES)
def test_color_only_adds_escapes(game: str, phase: str, unicode: bool) -> None:
    view = view_of(position(game, 5, phase, turn=3), 1)
    colored = text(view, unicode=unicode, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[\d+m", "", colored) == text(view, unicode=unicode)


def shown_cards(picture: str, game: str) -> set[str]:
    """Every card named below the header; numbers only where cards stand."""
    if game == "sixth_card":
        return set(re.findall(r"\b(?:10|[2-9AJQK])[CDHS]\b", picture))
    found: set[str] = set()
    for line in picture.splitlines()[2:]:
        line = re.sub(r"player_\d+( D)? +\d+ +\d+ +\d+", "", line)
        line = re.sub(r"row \d|\d+ points?|player_\d+", "", line)
        found |= set(re.findall(r"\d+", line))
    return found


@pytest.mark.parametrize("players", COUNTS)
@pytest.mark.parametrize("phase", ["card", "row", "over"])
@pytest.mark.parametrize("game", GAMES)
def test_exactly_what_the_seat_may_see(game: str, phase: str, players: int) -> None:
    seat = players - 1
    table = position(game, players, phase, turn=4)
    view = view_of(table, seat)
    picture = text(view, unicode=False)
    public = [card for cards in (*view["rows"], *view["played"]) for card in cards]
    public += [entry["card"] for entry in view["revealed"]]
    known = {str(card) for card in [*public, *view["hands"][seat]]}
    assert shown_cards(picture, game) == known


@pytest.mark.parametrize("players", COUNTS)
def test_scores_and_counts_of_every_seat(players: int) -> None:
    view = view_of(position("six_nimmt", players, turn=8), 0)
    view["piles"] = [[55]] * players  # 7 points each
    lines = {line[2:10].strip(): line for line in text(view).splitlines() if "player_" in line[:10]}
    for seat in range(players):
        line = lines[f"player_{seat}"]
        scores = [int(number) for number in line[12:].split()[:3]]
        assert scores == [7, view["totals"][seat] + 7, 3]
        assert line.startswith(">") == (seat == 0)
        assert (line[11] == "D") == (seat == players - 1)


def test_position_shows_every_hand() -> None:
    table = position(players=3)
    picture = text(table, unicode=False)
    for seat, hand in enumerate(table["hands"]):
        line = next(line for line in picture.splitlines() if f"hand of player_{seat}" in line)
        assert line.split()[3:] == hand
    assert ">" not in picture  # nobody's view


@pytest.mark.parametrize(
    ("totals", "result"),
    [
        ([40, 12, 70], "player_1 wins with 12 points"),
        ([12, 70, 12], "player_0 and player_2 share the win with 12 points"),
        ([66, 66, 66], "player_0, player_1 and player_2 share the win with 66 points"),
        ([66, 1, 66], "player_1 wins with 1 point"),
    ],
)
def test_result(totals: list[int], result: str) -> None:
    view = view_of(position(players=3, phase="over"), 0)
    view["totals"] = totals
    view["piles"] = [["QS"]] * 3
    picture = text(view)
    assert f"match over: {result}" in picture
    # The totals of a finished match include its last round already.
    assert f"player_0        5  {totals[0]:>5}" in picture


@pytest.mark.parametrize("game", GAMES)
def test_choices_lie_face_down(game: str) -> None:
    table = position(game, 4)
    hands = table["hands"]
    table["chosen"] = [hands[0][2], hands[1][3], None, None]
    own = view_of(table, 0)
    line = next(line for line in text(own, unicode=False).splitlines() if "face down" in line)
    assert line.split() == ["face", "down", str(hands[0][2]), "player_0", "player_1"]
    assert str(hands[1][3]) not in line.split()


def test_smallest_game() -> None:
    view = view_of(position(players=2, hand_size=1, rows=1, row_length=1), 0)
    assert "  row 1" in text(view)
    assert "full" in text(view)


@pytest.mark.parametrize(
    ("encoding", "supported"),
    [("utf-8", True), ("utf-16", True), ("ascii", False), ("latin-1", False)],
)
def test_streams_that_carry_suits(encoding: str, supported: bool) -> None:
    assert supports_unicode(io.TextIOWrapper(io.BytesIO(), encoding=encoding)) is supported


def test_stream_without_encoding_gets_ascii() -> None:
    assert supports_unicode(io.StringIO()) is False
