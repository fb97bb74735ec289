"""The opponents that ship: complete, small, as strong as their cards say, and in order."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.write_docs import OPPONENTS, with_strengths
from sixth_env import load_opponent
from sixth_env.games import GAMES, get_game
from sixth_env.match import play_field
from sixth_env.opponents import opponent_names, shipped_opponents, zoo
from sixth_env.suite import Board, load_suite

pytest.importorskip("onnxruntime")

SUITE = load_suite("v1")
SPECS = [f"{game}/{level}" for game in GAMES for level in zoo.LEVELS]


def boards(spec: str) -> dict[str, Any]:
    """What a card says by board."""
    found: dict[str, Any] = zoo.shipped_card(spec).strength["boards"]
    return found


def difference(spec: str, board: str, players: int, field: str) -> dict[str, float]:
    """The points of an opponent minus those of a field, as its card has it."""
    (found,) = [
        f for f in boards(spec)[board]["fields"] if (f["players"], f["field"]) == (players, field)
    ]
    told: dict[str, float] = found["difference"]
    return told


def test_every_game_has_three_levels() -> None:
    assert [spec for game in GAMES for spec in shipped_opponents(game)] == SPECS
    files = [file for file in zoo.FOLDER.rglob("*") if file.suffix in (".onnx", ".json")]
    assert sum(file.stat().st_size for file in files) < 4e6


@pytest.mark.parametrize("spec", SPECS)
def test_a_card_tells_how_strong_it_is(spec: str) -> None:
    """Against every built-in at every table of the suite, and how that was trained."""
    card, game = zoo.shipped_card(spec), spec.partition("/")[0]
    assert card.description
    assert card.license == "MIT"
    assert card.training["command"].startswith("python -m train.")
    assert (card.strength["suite"], card.strength["digest"]) == (SUITE.name, SUITE.digest)
    quick = not spec.endswith("strong")
    assert set(boards(spec)) == {board.id for board in SUITE.of_games([game])}
    for board in SUITE.of_games([game]):
        told = boards(spec)[board.id]
        played = board.played(quick)
        assert (told["size"] == "quick") == quick
        assert told["decisions_per_second"] > 0
        wanted = {(field.players, field.name) for field in played}
        assert {(f["players"], f["field"]) for f in told["fields"]} == wanted
        names = {name for name in opponent_names(game) if ":" not in name}
        assert all(names <= {n for p, n in wanted if p == players} for players, _ in wanted)
        assert all({"points", "field_points", "win_share"} <= set(f) for f in told["fields"])


@pytest.mark.parametrize("board", SUITE.boards, ids=lambda board: board.id)
def test_strong_beats_the_best_heuristic(board: Board) -> None:
    """Clearly; in the chip game, where there is little to gain, by what its deals can just show."""
    best = list(get_game(board.game).heuristics)[-1]
    for players in {field.players for field in board.fields}:
        told = difference(f"{board.game}/strong", board.id, players, best)
        assert told["value" if board.game == "sixes_chips" else "high"] < 0, players


@pytest.mark.parametrize("board", ["sixth_card", "six_nimmt", "six_nimmt_cheapest"])
def test_strong_is_not_worse_than_monte_carlo_at_four_players(board: str) -> None:
    game = SUITE.board(board).game
    told = difference(f"{game}/strong", board, 4, "mc:100")
    assert told["low"] <= 0  # the suite plays few deals with it; docs/opponents.md has more


@pytest.mark.parametrize("game", GAMES)
def test_levels_are_in_order(game: str) -> None:
    """The levels alone at tables of the game's best heuristic, on the same deals."""
    best = list(get_game(game).heuristics)[-1]
    points = []
    for level in zoo.LEVELS:
        agent, others = load_opponent(f"{game}/{level}"), load_opponent(best, game)
        result = play_field(game, [agent, *[others] * 3], deals=150, seed=3, num_rounds=1)
        points.append(result.difference(0).value)
    assert points == sorted(points, reverse=True)


def test_the_documentation_shows_what_the_cards_say() -> None:
    text = OPPONENTS.read_text(encoding="utf-8")
    assert text == with_strengths(text), "run python scripts/write_docs.py"
