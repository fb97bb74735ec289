"""Reports of matches and tournaments: the figures are there, and nothing breaks the page."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from sixth_env.errors import ConfigError, MissingExtraError
from sixth_env.match import document, pages, play_field, plots
from sixth_env.match.document import Block, Code, Heading, Paragraph, Plot, Table
from sixth_env.opponents import load_opponent

VOID = {"meta", "path", "use", "br"}


class Page(HTMLParser):
    """Reads a page; notes its elements, its text, and addresses outside of it."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[str] = []
        self.words: list[str] = []
        self.outside: list[str] = []
        self.feed(source)
        self.close()
        assert self.open == [], "an element is not closed"

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name in ("src", "href") and value and not value.startswith("#"):
                self.outside.append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def figure(value: float, half: float | None = 0.5) -> dict[str, float | None]:
    low, high = (None, None) if half is None else (value - half, value + half)
    return {"value": value, "low": low, "high": high}


def entrant(name: str, points: float, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "points_per_round": figure(points),
        "win_share": figure(0.5, 0.01),
        "rating": figure(25.0, 1.0),
        "points_by_seat": [points, None],
        "points_by_turn": [1.25, 2.5],
        "decisions_per_second": 12_345.0,
        **more,
    }


def tournament(**changes: Any) -> dict[str, Any]:
    return {
        "game": "sixth_card",
        "rules": {"num_players": 2, "num_rounds": 1, "target_score": None, "row_choice": "player"},
        "seed": 3,
        "format": "table",
        "players": 2,
        "deals": 1000,
        "games": 2000,
        "rounds": 2000,
        "entrants": [entrant("a|b", 7.25), entrant("<i>c", 9.5)],
        "differences": [
            {"entrant": "a|b", "other": "<i>c", **figure(-2.25, 0.75), "significant": True}
        ],
        "cycles": [],
        "command": "sixth-env tournament 'a|b' '<i>c'",
        "versions": {"sixth_env": "0.1.0"},
        **changes,
    }


def test_markdown_has_the_figures(tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    pages.write_markdown(file, tournament())
    text = file.read_text("utf-8")
    assert text.startswith("# Sixth Card, 2 players\n")
    assert "1,000 deals, 2,000 games, 2,000 rounds; seed 3; num_rounds 1." in text
    assert r"| a\|b | 7.25 ±0.50 | 0.500 ±0.010 | 25.00 ±1.00 | 12.3k |" in text
    # The pair from either side; the second is the first one turned round.
    assert r"| a\|b |  | -2.25 ±0.75* |" in text
    assert "| <i>c | +2.25 ±0.75* |  |" in text
    assert "No cycle is beyond chance." in text
    assert r"| a\|b | 1.25 | 2.50 |" in text
    assert r"| a\|b | 7.25 |  |" in text  # it never sat at seat 1
    assert "sixth-env tournament 'a|b' '<i>c'" in text and "sixth_env 0.1.0." in text
    assert "svg" not in text


def test_one_sided_pairs_are_not_mirrored(tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    pages.write_markdown(file, tournament(format="field"))
    text = file.read_text("utf-8")
    assert "Row: alone; column: the field around it." in text
    assert "| <i>c |  |  |" in text


def test_cycles_are_told(tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    pages.write_markdown(file, tournament(cycles=[["a|b", "<i>c"]]))
    assert "a|b beats <i>c beats a|b." in file.read_text("utf-8")


def test_html_is_one_page_with_plots(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    first, second = tmp_path / "first.html", tmp_path / "second.html"
    for file in (first, second):
        pages.write_html(file, tournament())
    source = first.read_text("utf-8")
    page = Page(source)
    assert page.elements.count("svg") == 4  # points, pairs, ratings, turns
    assert page.outside == [] and "script" not in page.elements
    assert "i" not in page.elements and "<i>c" in page.text
    assert "7.25 ±0.50" in page.text and "-2.25 ±0.75*" in page.text
    assert source == second.read_text("utf-8")  # nothing of the day or of chance


def test_html_of_one_deal_without_ratings_or_turns(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    entrants = [
        entrant(name, 1.0, rating=None, points_by_turn=[])
        | {"points_per_round": figure(1.0, None), "win_share": figure(0.5, None)}
        for name in "ab"
    ]
    pair = {"entrant": "a", "other": "b", **figure(0.0, None), "significant": False}
    report = tournament(game="sixes_golf", entrants=entrants, differences=[pair])
    report["rules"] = {"num_players": 2, "num_rounds": 1}
    pages.write_html(tmp_path / "report.html", report)
    page = Page((tmp_path / "report.html").read_text("utf-8"))
    assert page.elements.count("svg") == 2
    assert "1.00" in page.text and "±" not in page.text.partition("Points")[2]


def test_reports_of_a_match(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    line_up = [load_opponent(name, game="six_nimmt") for name in ("closest", "random", "lowest")]
    report = play_field("six_nimmt", line_up, deals=5, num_rounds=1).to_dict()
    pages.write_markdown(tmp_path / "match.md", report)
    pages.write_html(tmp_path / "match.html", report)
    text = (tmp_path / "match.md").read_text("utf-8")
    page = Page((tmp_path / "match.html").read_text("utf-8"))
    shown = pages.text(report["entrants"][0]["difference"], sign="+")
    assert shown in text and shown in page.text
    assert report["command"] in text and page.elements.count("svg") == 2


def test_plots_need_their_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    missing = r"plots need matplotlib: pip install 'sixth_env\[bench\]'"
    with pytest.raises(MissingExtraError, match=missing):
        plots.check_available()
    with pytest.raises(MissingExtraError, match=missing):
        pages.write_html(tmp_path / "report.html", tournament())
    assert list(tmp_path.iterdir()) == []
    pages.write_markdown(tmp_path / "report.md", tournament())


def test_documents(tmp_path: Path) -> None:
    blocks: list[Block] = [
        Heading("A & B", 1),
        Paragraph("x < y"),
        Table(["name", "points"], [["a", "1"], ["b", "2"]], {"a": "a.md?x=1&y=2"}),
        Code("command <file>"),
        Plot("<svg></svg>", "what it shows"),
    ]
    assert document.to_markdown(blocks) == (
        "# A & B\n\nx < y\n\n| name | points |\n| --- | ---: |\n| [a](a.md?x=1&y=2) | 1 |\n"
        "| b | 2 |\n\n```text\ncommand <file>\n```\n"
    )
    page = Page(document.to_html(blocks))
    assert page.outside == ["a.md?x=1&y=2"]
    assert all(word in page.text for word in ("A & B", "x < y", "command <file>", "what it shows"))
    with pytest.raises(ConfigError, match="the report cannot be written"):
        document.write_html(tmp_path / "nowhere" / "page.html", blocks)


@pytest.mark.parametrize(
    ("rate", "shown"), [(0.0, ""), (7.0, "7"), (771_200.0, "771k"), (1_234_000.0, "1.23M")]
)
def test_speeds(rate: float, shown: str) -> None:
    assert pages.speed(rate) == shown
