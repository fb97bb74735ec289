"""Tournaments: fair tables, honest differences, cycles, ratings, and the same table every time."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from sixth_env.cli import app, main, progress
from sixth_env.errors import ConfigError, MissingExtraError
from sixth_env.games import GAMES
from sixth_env.match import Tournament, play_field, play_tournament, shared_wins, stats
from sixth_env.match.result import Entrant, MatchResult
from sixth_env.match.settle import ratio_interval
from sixth_env.match.setup import distinct
from sixth_env.opponents import load_opponent

# rich, which prints the tables, draws from `random` when it is imported.
pytestmark = pytest.mark.global_random

LADDER = ("closest", "lowest", "random")


class Order:
    """Plays the places of its first hand (0 is the lowest card) in a fixed order."""

    def __init__(self, *places: int) -> None:
        self.places, self.name = places, "".join(map(str, places))

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Any
    ) -> NDArray[np.int64]:
        return np.array([self._card(np.flatnonzero(mask)) for mask in action_mask])

    def _card(self, hand: NDArray[np.int64]) -> int:
        turn = len(self.places) - len(hand)
        left = sorted(self.places[turn:])
        return int(hand[left.index(self.places[turn])])


def result_of(names: str, points: Any, rounds: Any = None) -> MatchResult:
    """A match of a line-up of one letter each, with given points (deals, R, P)."""
    array, entrants = np.array(points, np.float64), "".join(dict.fromkeys(names))
    return MatchResult(
        game="sixth_card",
        rules=GAMES["sixth_card"].rules(num_players=len(names), num_rounds=1).to_dict(),
        seed=1,
        entrants=tuple(
            Entrant(e, names.count(e), decisions=10 * names.count(e), seconds=1.0) for e in entrants
        ),
        line_up=np.array([entrants.index(name) for name in names]),
        points=array,
        wins=shared_wins(array),
        rounds=np.ones(array.shape[:2], np.int64) if rounds is None else np.array(rounds),
        rotations=tuple(range(array.shape[1])),
        turn_points=np.zeros((len(entrants), 0)),
    )


def plain(report: dict[str, Any]) -> dict[str, Any]:
    """A report without the speeds, which no two runs share."""
    for entrant in report["entrants"]:
        del entrant["seconds"], entrant["decisions_per_second"]
    return report


# --- Figures ---------------------------------------------------------------------------------


def test_figures_by_hand() -> None:
    """A, B and C at three tables of two: one deal, two rotations, points by position."""
    table = Tournament(
        ("A", "B", "C"),
        "table",
        (
            result_of("AB", [[[1, 2], [3, 3]]]),
            result_of("CA", [[[4, 4], [0, 7]]]),
            result_of("BC", [[[5, 6], [1, 2]]]),
        ),
    )
    assert (table.deals, table.games, table.players) == (1, 6, 2)
    assert table.points_per_round("A").value == (1 + 3 + 4 + 7) / 4
    assert table.win_share("A").value == (1 + 1 / 2 + 1 / 2 + 0) / 4
    assert table.win_share("C").value == (1 / 2 + 1 + 0 + 0) / 4
    differences = (("A", "B", -1 / 2), ("A", "C", (11 - 4) / 2), ("B", "C", (6 - 8) / 2))
    for a, b, value in differences:
        one, other = table.difference(a, b), table.difference(b, a)
        assert one is not None and other is not None
        assert (one.value, other.value) == (value, -value)
    assert table.entrant("A").speed == (10 + 10) / 2.0
    # A sat at seat 0 and 1 at table AB, and at seat 1 and 0 at table CA.
    assert table.by_seat("A").tolist() == [(1 + 7) / 2, (3 + 4) / 2]


def test_a_difference_counts_tables_not_seats() -> None:
    """One A against two B, and two A against one B: each entrant's mean seat at each table."""
    table = Tournament(
        ("A", "B"),
        "table",
        (result_of("ABB", [[[1, 2, 4]]]), result_of("AAB", [[[0, 10, 9]]])),
    )
    difference = table.difference("A", "B")
    assert difference is not None and difference.value == ((1 - 3) + (5 - 9)) / 2
    assert table.points_per_round("A").value == (1 + 0 + 10) / 3


def test_those_who_never_met_have_no_difference() -> None:
    table = Tournament(
        ("A", "B", "C"), "table", (result_of("AB", [[[1, 2]]]), result_of("BC", [[[1, 2]]]))
    )
    assert table.difference("A", "C") is table.difference("C", "A") is None
    assert not table.beats("A", "C")
    assert len(json.loads(json.dumps(table.to_dict(), allow_nan=False))["differences"]) == 2


def test_one_table_is_a_match() -> None:
    names = ["closest", "lowest", "random"]
    table = play_tournament("sixth_card", names, players=3, deals=40, num_rounds=1)
    match = play_field("sixth_card", [load_opponent(n) for n in names], deals=40, num_rounds=1)
    for name in names:
        assert table.points_per_round(name) == match.points_per_round(name)
        assert table.win_share(name) == match.win_share(name)
        assert table.by_seat(name).tolist() == match.by_seat(name).tolist()
        assert table.by_turn(name).tolist() == match.by_turn(name).tolist()
    difference, expected = table.difference(0, 2), match.difference("closest", "random")
    assert difference is not None and difference.value == pytest.approx(expected.value)
    assert difference.low == pytest.approx(expected.low)


def test_unknown_entrants_are_named() -> None:
    table = Tournament(("A", "B"), "table", (result_of("AB", [[[1, 2]]]),))
    for entrant in ("Z", 2, -1):
        with pytest.raises(ConfigError, match=r"no entrant .*expected one of A, B"):
            table.points_per_round(entrant)


# --- Equals ----------------------------------------------------------------------------------


def test_equals_are_rarely_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random against random, twenty tournaments: about one in twenty is "significant"."""
    monkeypatch.setattr(stats, "RESAMPLES", 1000)
    tables = [
        play_tournament("sixth_card", ["random"] * 2, players=4, deals=60, seed=seed, num_rounds=1)
        for seed in range(20)
    ]
    found = [table.differences[0, 1].significant for table in tables]
    assert sum(found) <= 4
    shares = [table.win_share("random#2").value for table in tables]
    assert np.mean(shares) == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize(
    ("game", "name"),
    [("sixth_card", "closest"), ("sixes_chips", "builder"), ("sixes_golf", "careful")],
)
def test_identical_deterministic_opponents_and_seats(game: str, name: str) -> None:
    """Each wins one game in four, and no seat is better than another beyond chance."""
    table = play_tournament(game, [name] * 4, players=4, deals=400, num_rounds=1)
    for entrant in range(4):
        assert table.win_share(entrant).value == pytest.approx(0.25)
        assert table.points_per_round(entrant) == table.points_per_round(0)
    assert table.cycles == []
    points = table.results[0].points[:, 0]  # without rotations: position j sits at seat j
    mean = points.mean(axis=1)
    for seat in range(4):
        chance = ratio_interval(points[:, seat] - mean, np.ones(len(points)), 0.9975)
        assert not chance.significant


def test_ties_are_shared() -> None:
    """Everybody plays alike on one deal: whoever ties for the fewest points shares the win."""
    table = Tournament(("A", "B", "C"), "table", (result_of("ABC", [[[3, 3, 5], [2, 2, 2]]]),))
    assert table.win_share("A").value == table.win_share("B").value == (1 / 2 + 1 / 3) / 2
    assert table.win_share("C").value == (0 + 1 / 3) / 2


# --- Cycles ----------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["table", "field"])
def test_cycles_are_flagged(format: str) -> None:
    """With three cards and one row of one place, three fixed orders beat each other in a circle."""
    orders = [Order(0, 2, 1), Order(2, 0, 1), Order(1, 0, 2)]
    small: dict[str, Any] = {"hand_size": 3, "rows": 1, "row_length": 1, "num_rounds": 1}
    table = play_tournament(
        "sixth_card",
        orders,
        players=2,
        deals=400,
        format=format,
        row_choice="cheapest",
        **small,
    )
    assert table.cycles == [("021", "201", "102")]
    assert json.loads(json.dumps(table.to_dict()))["cycles"] == [["021", "201", "102"]]
    for a, b in ((0, 1), (1, 2), (2, 0)):
        assert table.beats(a, b) and not table.beats(b, a)
    assert [table.entrant(name).spec for name in table.names] == [None] * 3


def test_a_ladder_of_strength_is_no_cycle() -> None:
    table = play_tournament("sixth_card", LADDER, deals=100, format="field", num_rounds=1)
    assert table.names == LADDER
    assert table.cycles == []
    assert table.beats(0, 1) and table.beats(1, 2) and not table.beats(2, 0)
    assert sorted(table.matches) == [(a, b) for a in range(3) for b in range(3) if a != b]
    alone = table.matches[0, 2]
    assert [entrant.seats for entrant in alone.entrants] == [1, 3]
    difference = table.difference(0, 2)
    assert difference is not None
    assert difference.value == pytest.approx(alone.difference(0).value)
    assert difference.low == pytest.approx(alone.difference(0).low)


# --- The same table every time ---------------------------------------------------------------


def test_processes_interruptions_and_files_change_nothing(tmp_path: Path) -> None:
    entrants = ("closest", "random", "mc:2", "lowest")
    options: dict[str, Any] = {"players": 3, "num_rounds": 1}
    file = tmp_path / "a.jsonl"

    def play(deals: int, **more: Any) -> dict[str, Any]:
        return plain(
            play_tournament("sixth_card", entrants, deals=deals, **options, **more).to_dict()
        )

    whole = play(140)
    first = play_tournament("sixth_card", entrants[:3], deals=70, file=file, **options)
    kept = file.read_bytes()
    with file.open("ab") as stream:
        stream.write(b'{"key":"half a li')
    assert play(140, file=file, processes=2) == whole
    assert file.read_bytes().startswith(kept) and first.deals == 70
    assert play(140, file=file) == whole


@pytest.mark.parametrize(
    ("game", "entrants", "options"),
    [
        ("sixth_card", ("closest", "random"), {"players": 5, "num_rounds": 2}),
        ("six_nimmt", ("closest", "lowest", "random"), {"players": 2}),
        ("sixes_chips", ("builder", "random"), {"players": 3}),
        ("sixes_golf", ("careful", "random"), {"players": 2, "num_rounds": 1}),
    ],
)
def test_all_games_single_rounds_and_whole_matches(
    game: str, entrants: tuple[str, ...], options: dict[str, Any]
) -> None:
    table = play_tournament(game, entrants, deals=16, **options)
    report = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert table.beats(entrants[0], "random")
    assert report["games"] == 16 * options["players"] * len(report["line_ups"])
    turns = 0 if game.startswith("sixes") else 10
    assert all(len(entrant["points_by_turn"]) == turns for entrant in report["entrants"])
    assert sum(e["decisions"] for e in report["entrants"]) > 0


def test_progress_ends_with_all_games() -> None:
    told: list[tuple[int, int]] = []
    play_tournament(
        "sixth_card",
        LADDER,
        players=2,
        deals=200,
        num_rounds=1,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[0] == (0, 1200) and told[-1] == (1200, 1200)
    assert told == sorted(told)


# --- Misuse ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"entrants": ["closest"]}, "at least two entrants, not 1"),
        ({"entrants": []}, "entrants must be at least 1, not 0"),
        ({"names": ["a"]}, "2 entrants need as many names, not 1"),
        ({"format": "swiss"}, "format must be one of table, field, not 'swiss'"),
        ({"line_ups": 2}, "2 entrants at 4 seats have 1 line-ups, not 2"),
        ({"line_ups": 2, "format": "field"}, "plays all line-ups"),
        ({"rotations": 5}, "rotations must be at most 4, not 5"),
        ({"rotations": 0}, "rotations must be at least 1"),
        ({"players": 1}, "num_players must be from 2"),
        ({"deals": 0}, "deals must be at least 1"),
        ({"color": "red"}, "no option 'color'"),
        ({"reward": "win"}, "leave reward out"),
        ({"processes": 0}, "processes must be at least 1"),
        ({"within": -1.0, "until_settled": True}, "within must be a number of points from 0"),
        ({"within": float("nan"), "until_settled": True}, "within must be a number of points"),
    ],
)
def test_misuse_is_refused(options: dict[str, Any], message: str) -> None:
    values: dict[str, Any] = {"entrants": ["closest", "lowest"], **options}
    with pytest.raises(ConfigError, match=message):
        play_tournament("sixth_card", **values)


# --- The command -----------------------------------------------------------------------------


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command_reports_and_can_be_repeated(tmp_path: Path) -> None:
    file, again = tmp_path / "a.json", tmp_path / "b.json"
    shown = run(
        *("tournament", "closest", "lowest", "random", "--players", "2", "--deals", "60"),
        *("--rotations", "1", "--line-ups", "2", "--set", "hand_size=6", "--json", str(file)),
    )
    assert "2 players: 60 deals in 1 rotation of 2 line-ups, 120 games, 120 rounds" in shown
    assert "No cycle" in shown and "never met" in shown
    report = json.loads(file.read_text("utf-8"))
    assert report["command"] in shown
    assert report["versions"]["numpy"] == np.__version__
    run(*shlex.split(report["command"])[1:], "--json", str(again))
    assert plain(json.loads(again.read_text("utf-8"))) == plain(report)


def test_the_best_is_shown_first() -> None:
    shown = run("tournament", "random", "lowest", "closest", "--players", "3", "--deals", "80")
    lines = [line.split()[0] for line in shown.splitlines() if line[:1].isalpha()]
    assert lines[1:5] == ["entrant", "closest", "lowest", "random"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["closest"], "at least two entrants"),
        (["closest", "clever"], "unknown opponent 'clever'"),
        (["closest", "lowest", "--within", "1"], "--within says when --until-settled stops"),
        (["closest", "lowest", "--set", "deals=3"], "no option 'deals'"),
    ],
)
def test_errors_are_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["tournament", *arguments])
    captured = capsys.readouterr()
    assert (stop.value.code, captured.out) == (2, "")
    assert captured.err.startswith("sixth-env: ") and captured.err.count("\n") == 1
    assert message in captured.err


def test_reports_for_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    markdown, html = tmp_path / "a.md", tmp_path / "a.html"
    command = ("tournament", "closest", "lowest", "--players", "2", "--deals", "20")
    run(*command, "--markdown", str(markdown), "--html", str(html))
    for file in (markdown, html):
        text = file.read_text("utf-8")
        assert "closest" in text and "sixth-env tournament closest lowest" in text
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = CliRunner().invoke(app, [*command, "--html", str(html)])
    assert isinstance(done.exception, MissingExtraError)
    assert "plots need matplotlib: pip install 'sixth_env[bench]'" in str(done.exception)


def test_no_file_is_written_over_by_another(tmp_path: Path) -> None:
    file = str(tmp_path / "a.jsonl")
    command = ("tournament", "closest", "lowest", "--players", "2", "--deals", "2")
    done = CliRunner().invoke(app, [*command, "--file", file, "--json", file])
    assert "a.jsonl is named twice: each file holds one thing" in str(done.exception)
    assert not Path(file).exists()


def test_where_a_cap_cuts_everything_off_there_are_no_points(recwarn: Any) -> None:
    names = ["careful", "random"]
    table = play_tournament("sixes_golf", names, players=2, deals=3, num_rounds=1, max_turns=1)
    assert np.isnan(table.points_per_round("careful").value)
    assert table.to_dict()["entrants"][0]["points_per_round"]["value"] is None
    assert not recwarn.list


def test_a_match_may_take_several_processes(tmp_path: Path) -> None:
    reports = []
    for processes in ("1", "2"):
        file = tmp_path / f"{processes}.json"
        run(
            *("match", "random", "mc:2", "--deals", "150", "--json", str(file)),
            *("--processes", processes),
        )
        reports.append(plain(json.loads(file.read_text("utf-8"))))
    assert reports[0] == reports[1]


# --- Progress --------------------------------------------------------------------------------


def test_without_a_terminal_progress_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 1000.0
    monkeypatch.setattr(progress, "monotonic", lambda: now)
    with progress.progress_bar("games") as report:
        report(4000, 10_000)  # out of a file
        for seconds, done in ((10, 4100), (40, 5000), (45, 5100), (100, 6000), (3700, 7000)):
            now = 1000.0 + seconds
            report(done, 10_000)
    assert capsys.readouterr().err.splitlines() == [
        "5,000 of 10,000 games, about 3 min left",
        "6,000 of 10,000 games, about 3 min left",
        "7,000 of 10,000 games, about 62 min left",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (89, "89 s"), (600, "10 min"), (3 * 3600, "3.0 h")]
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert progress._duration(seconds) == words


def test_numbered_names_stay_apart_from_names_that_have_a_number() -> None:
    names = ["a", "a", "a#2", "b", "a"]
    assert distinct(names) == ["a", "a#3", "a#2", "b", "a#4"]
