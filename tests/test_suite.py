"""The suite: frozen, complete, the same twice, and a false result is found out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixth_env.errors import ConfigError, OpponentError
from sixth_env.games import GAMES
from sixth_env.match import play_against
from sixth_env.match.document import to_markdown
from sixth_env.opponents import load_opponent
from sixth_env.suite import (
    Run,
    Suite,
    SuiteResult,
    load_suite,
    play_suite,
    read_result,
    suite_names,
)
from sixth_env.suite.check import DIFFERENT, SAME, WITHIN, agree, check_result
from sixth_env.suite.leaderboard import blocks, ranked, read_folder
from sixth_env.suite.result import Figure, mean, score

PUBLISHED = Path(__file__).resolve().parents[1] / "docs" / "leaderboard"

SMALL = """
format = 1
name = "small"
seed = 7

[[boards]]
id = "rows"
title = "Rows"
game = "six_nimmt"
rules = { num_rounds = 1, row_choice = "cheapest" }

[[boards.tables]]
players = 2
fields = [
  { field = "random", deals = 40, quick = 10 },
  { field = "closest", deals = 30, quick = 10 },
]

[[boards.tables]]
players = 4
fields = [
  { field = "mixed", others = ["random", "closest"], deals = 24, quick = 8 },
  { field = "lowest", deals = 16, rotations = 2 },
]

[[boards]]
id = "chips"
title = "Chips"
game = "sixes_chips"
rules = { num_rounds = 1 }

[[boards.tables]]
players = 3
fields = [{ field = "blocker", deals = 20, quick = 5 }]
"""


@pytest.fixture(name="small")
def _small(tmp_path: Path) -> Suite:
    file = tmp_path / "small.toml"
    file.write_text(SMALL, "utf-8")
    return load_suite(str(file))


def play(suite: Suite, spec: str, game: str = "six_nimmt", **options: Any) -> SuiteResult:
    (result,) = play_suite(Run(suite, spec, spec, games=(game,), **options))
    return result


def save(result: SuiteResult, file: Path, **changes: Any) -> Path:
    """The file of a result with other values, its score made to fit."""
    values = result.model_copy(update=changes)
    values = values.model_copy(update={"score": score(values.fields)})
    file.write_text(values.model_dump_json(), "utf-8")
    return file


# --- What the suite is -----------------------------------------------------------------------


def test_v1_is_frozen() -> None:
    assert suite_names() == ("v1",)
    suite = load_suite("v1")
    assert (suite.name, suite.digest) == ("v1", "36efdd45e4f319bc"), "a change needs a new suite"


@pytest.mark.parametrize(
    ("board", "game", "row_choice", "sizes"),
    [
        ("sixth_card", "sixth_card", "player", (2, 4, 6, 10)),
        ("six_nimmt", "six_nimmt", "player", (2, 4, 6, 10)),
        ("six_nimmt_cheapest", "six_nimmt", "cheapest", (2, 4, 6, 10)),
        ("sixes_chips", "sixes_chips", None, (3, 5, 8)),
        ("sixes_golf", "sixes_golf", None, (2, 4, 6, 8)),
    ],
)
def test_v1_has_all_fields(
    board: str, game: str, row_choice: str | None, sizes: tuple[int, ...]
) -> None:
    found = load_suite("v1").board(board)
    assert found.game == game
    assert tuple(dict.fromkeys(field.players for field in found.fields)) == sizes
    for players in sizes:
        fields = {field.name: field for field in found.fields if field.players == players}
        mixed = {"mixed"} if players > 2 else set()
        assert set(fields) == {"random", *GAMES[game].heuristics, "mc:100", "mc:1000"} | mixed
        assert fields["mc:1000"].deals < fields["mc:100"].deals < fields["random"].deals
        assert len({field.seed for field in fields.values()}) == len(fields)
        for field in fields.values():
            job = field.job("random", "opponent", field.deals)
            assert job.rules.get("row_choice") == row_choice
            assert job.rules["num_rounds"] == 1 and job.rules["num_players"] == players


def test_digest_tells_suites_apart(small: Suite, tmp_path: Path) -> None:
    for old, new in (
        ("seed = 7", "seed = 8"),
        ("deals = 40", "deals = 41"),
        ('"lowest"', '"highest"'),
    ):
        file = tmp_path / "other.toml"
        file.write_text(SMALL.replace(old, new), "utf-8")
        assert load_suite(str(file)).digest != small.digest
    file.write_text("# a remark\n" + SMALL, "utf-8")
    assert load_suite(str(file)).digest == small.digest


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 7", "seed = -7", "seed: Input should be greater than or equal to 0"),
        ("seed = 7", "seeds = 7", "seed: Field required"),
        ("format = 1", "format = 2", "format"),
        ("[[boards]]", "[[boards", "no TOML"),
        ('"closest", deals', '"random", deals', "two fields of rows"),
        ('id = "chips"', 'id = "rows"', "two boards"),
        ("quick = 10", "quick = 41", "quick is at most"),
        ("rotations = 2", "rotations = 5", "rotations at most 4"),
        ("players = 3", "players = 1", "at least 2 players"),
        ("players = 3", "players = 11", "num_players must be from 2 to 8"),
        ('game = "sixes_chips"', 'game = "poker"', "unknown game 'poker'"),
        ('row_choice = "cheapest"', 'row_choice = "any"', "row_choice must be one of"),
    ],
)
def test_a_wrong_suite_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(SMALL.replace(old, new), "utf-8")
    with pytest.raises(ConfigError, match=message):
        load_suite(str(file))


def test_an_unknown_suite_is_refused(small: Suite) -> None:
    with pytest.raises(ConfigError, match="no suite 'v9': expected v1 or a TOML file"):
        load_suite("v9")
    with pytest.raises(ConfigError, match="no game 'sixes_golf': expected six_nimmt, sixes_chips"):
        small.of_games(["sixes_golf"])
    with pytest.raises(ConfigError, match="no board 'golf'"):
        small.board("golf")


# --- Results ---------------------------------------------------------------------------------


def test_result_is_that_of_the_matches(small: Suite) -> None:
    result = play(small, "cautious")
    (match,) = play_against(
        "six_nimmt",
        load_opponent("cautious", game="six_nimmt"),
        [load_opponent("closest", game="six_nimmt")],
        players=2,
        deals=30,
        seed=8,
        num_rounds=1,
        row_choice="cheapest",
    )
    field = next(field for field in result.fields if field.field == "closest")
    assert (field.players, field.seed, field.deals, field.games) == (2, 8, 30, 60)
    assert field.difference.model_dump() == match.difference(0).to_dict()
    assert field.points.model_dump() == match.points_per_round(0).to_dict()
    assert field.win_share.model_dump() == match.win_share(0).to_dict()
    assert field.field_points == pytest.approx(match.points_per_round(1).value)
    by_hand = [f.difference.value for f in result.fields]
    assert result.score.value == pytest.approx(np.mean(by_hand))  # two fields at either table
    assert result.table_score(4).value == pytest.approx(np.mean(by_hand[2:]))
    assert result.worst.difference.value == max(by_hand)


def test_one_s_own_field_makes_no_difference(small: Suite) -> None:
    result = play(small, "lowest")
    own = next(field for field in result.fields if field.field == "lowest")
    # Two of four rotations: seats are not all the same, but it is the same player all round.
    assert own.win_share.low is not None and own.win_share.high is not None
    assert own.win_share.low <= 0.25 <= own.win_share.high
    assert play(small, "blocker", "sixes_chips").score.value == 0.0


def test_scores_and_their_errors() -> None:
    figures = [Figure(value=1.0, low=0.7, high=1.3), Figure(value=3.0, low=2.6, high=3.4)]
    found = mean(figures)
    assert found.value == pytest.approx(2.0) and found.half == pytest.approx(0.25)
    open_ended = mean([*figures, Figure(value=2.0, low=None, high=None)])
    assert (open_ended.low, open_ended.high) == (None, None) and math.isinf(open_ended.half)


def test_an_interrupted_run_goes_on(small: Suite, tmp_path: Path) -> None:
    class StopError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done > total // 3:
            raise StopError

    file = tmp_path / "jobs.jsonl"
    run = Run(small, "random", "random", games_at_once=16)
    with pytest.raises(StopError):
        play_suite(run, file, progress=stop)
    calls: list[tuple[int, int]] = []
    again = play_suite(run, file, progress=lambda done, total: calls.append((done, total)))
    assert 0 < calls[0][0] < calls[0][1] == calls[-1][0]
    assert strip(again) == strip(play_suite(run))
    with pytest.raises(ConfigError, match="opponent is 'random' there, not 'lowest'"):
        play_suite(Run(small, "lowest", "lowest", games=("six_nimmt",)), file)


def strip(results: list[SuiteResult]) -> list[SuiteResult]:
    """Results without how long they took."""
    return [result.model_copy(update={"decisions_per_second": 0.0}) for result in results]


def test_quick_plays_the_first_deals(small: Suite) -> None:
    full, quick = play(small, "cautious"), play(small, "cautious", quick=True)
    assert [field.deals for field in quick.fields] == [10, 10, 8]
    assert quick.quick and quick.command.endswith("--quick")
    for field in quick.fields:
        whole = next(f for f in full.fields if (f.players, f.field) == (field.players, field.field))
        assert whole.digests[field.deals] == field.digests[field.deals]


def test_games_that_an_opponent_does_not_play_are_left_out(small: Suite) -> None:
    told: list[tuple[str, str]] = []
    (result,) = play_suite(
        Run(small, "blocker", "blocker"),
        left_out=lambda board, why: told.append((board.id, str(why))),
    )
    assert result.board == "chips"
    ((board, why),) = told
    assert board == "rows" and "unknown opponent 'blocker' for six_nimmt" in why
    with pytest.raises(OpponentError, match="unknown opponent 'blocker'"):
        play_suite(Run(small, "blocker", "blocker", games=("six_nimmt", "sixes_chips")))
    with pytest.raises(OpponentError, match="unknown opponent 'clever'"):
        play_suite(Run(small, "clever", "clever"))


# --- Checks ----------------------------------------------------------------------------------


def test_a_true_result_is_the_same(small: Suite, tmp_path: Path) -> None:
    file = save(play(small, "closest"), tmp_path / "closest.json")
    for quick in (False, True):
        check = check_result(read_result(file), small, file, quick=quick)
        assert check.verdict == SAME and not check.other_file
        assert len(check.fields) == (3 if quick else 4)


def test_another_s_result_is_found_out(small: Suite, tmp_path: Path) -> None:
    result = play(small, "random")
    assert check_result(result, small, tmp_path, spec="cautious").verdict == DIFFERENT
    same_strength = play(small, "mc:1")
    again = check_result(same_strength, small, tmp_path, spec="mc:2")
    assert again.verdict == WITHIN


def test_a_changed_result_is_found_out(small: Suite, tmp_path: Path) -> None:
    result = play(small, "random")
    better = Figure(value=-9.0, low=-9.5, high=-8.5)
    fields = [field.model_copy(update={"difference": better}) for field in result.fields]
    tampered = [
        field.model_copy(update={"digests": dict.fromkeys(field.digests, "0" * 16)})
        for field in fields
    ]
    file = save(result, tmp_path / "tampered.json", fields=tampered)
    assert check_result(read_result(file), small, file).verdict == DIFFERENT
    file.write_text(result.model_copy(update={"fields": fields}).model_dump_json(), "utf-8")
    with pytest.raises(ConfigError, match="the score is not that of the fields"):
        read_result(file)


def test_agreement_is_a_question_of_errors() -> None:
    one = Figure(value=1.0, low=0.0, high=2.0)
    assert agree(one, Figure(value=2.0, low=1.0, high=3.0), tests=1)
    assert not agree(one, Figure(value=4.0, low=3.0, high=5.0), tests=1)
    assert agree(one, Figure(value=3.2, low=2.2, high=4.2), tests=30)
    assert agree(one, Figure(value=99.0, low=None, high=None), tests=1)


def test_results_that_do_not_fit_are_refused(small: Suite, tmp_path: Path) -> None:
    result, file = play(small, "random"), tmp_path / "result.json"
    changes: list[tuple[dict[str, Any], str]] = [
        ({"digest": "0" * 16}, "is of the suite small"),
        ({"board": "golf"}, "no board 'golf'"),
        ({"fields": result.fields[1:]}, "the fields are not those of rows"),
        ({"quick": True}, "the fields are not those of rows"),
    ]
    for change, message in changes:
        save(result, file, **change)
        with pytest.raises(ConfigError, match=message):
            check_result(read_result(file), small, file)
    file.write_text("{}", "utf-8")
    with pytest.raises(ConfigError, match="is no result of a suite: format: Field required"):
        read_result(file)
    with pytest.raises(ConfigError, match="is no result of a suite"):
        read_result(tmp_path / "nothing.json")


# --- Leaderboard -----------------------------------------------------------------------------


def test_ranks_are_shared_by_those_who_cannot_be_told_apart(small: Suite, tmp_path: Path) -> None:
    result = play(small, "random")

    def entry(name: str, value: float) -> None:
        figure = Figure(value=value, low=value - 1, high=value + 1)
        fields = [f.model_copy(update={"difference": figure}) for f in result.fields]
        opponent = result.opponent.model_copy(update={"name": name})
        save(result, tmp_path / f"{name}.json", fields=fields, opponent=opponent)

    for name, value in (("d", 5.0), ("b", 0.3), ("a", 0.0), ("c", 3.0)):
        entry(name, value)
    entries = ranked(read_folder(tmp_path, small), "rows", quick=False)
    assert [(e.result.opponent.name, e.rank) for e in entries] == [
        *(("a", 1), ("b", 1), ("c", 3), ("d", 4)),
    ]
    assert ranked(read_folder(tmp_path, small), "rows", quick=True) == []
    (tmp_path / "again").mkdir()
    save(result, tmp_path / "again" / "a.json", opponent=entries[0].result.opponent)
    with pytest.raises(ConfigError, match="are of one opponent, a"):
        read_folder(tmp_path, small)


def test_an_empty_folder_is_no_leaderboard(small: Suite, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no results"):
        read_folder(tmp_path, small)


def test_the_published_leaderboard_is_that_of_its_results() -> None:
    results, suite = read_folder(PUBLISHED, load_suite("v1")), load_suite("v1")
    table = to_markdown(blocks(results, suite, PUBLISHED, drawn=False))
    assert (PUBLISHED / "README.md").read_text("utf-8") == table
    for board in suite.boards:
        names = {e.result.opponent.name for e in ranked(results, board.id, quick=True)}
        assert names >= {"random", *GAMES[board.game].heuristics}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sixes_chips/blocker", "sixes_golf/careful"])
def test_published_results_are_true(name: str) -> None:
    file = PUBLISHED / "results" / f"{name}.quick.json"
    assert check_result(read_result(file), load_suite("v1"), file).verdict == SAME
