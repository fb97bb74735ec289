"""Exported networks as opponents: legal, equal to torch, chosen by name, and safe to load."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import load
from agents.onnx_model import real_decisions
from sixth_env import load_opponent
from sixth_env.errors import ConfigError, MissingExtraError, OpponentError
from sixth_env.games import GAMES, get_game
from sixth_env.games.base import Game
from sixth_env.games.table import ObservationTable
from sixth_env.match import play_field
from sixth_env.match.players import fingerprint
from sixth_env.opponents import onnx as onnx_module
from sixth_env.opponents import shipped_opponents, zoo
from sixth_env.opponents.custom import resolve_opponent
from sixth_env.opponents.onnx import OnnxOpponent, changed_mode, load_onnx
from sixth_env.opponents.onnx_card import PlayMode
from sixth_env.opponents.sampling import reshaped, softmax
from tests.exported import exported

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")

ROOT = Path(__file__).resolve().parents[1]


def seeds(rows: int) -> np.ndarray:
    return np.arange(rows, dtype=np.uint64)


# --- Play ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_no_illegal_move_at_any_table(game: str) -> None:
    greedy = load_opponent(exported(game))
    sampled = load_opponent(f"{exported(game)}?sampled")
    others = load_opponent("random", game)
    for players in range(2, get_game(game).max_players + 1):
        line_up = [greedy, sampled, *[others] * (players - 2)]
        result = play_field(game, line_up, deals=1, num_rounds=1)
        assert result.games == players
    assert [entrant.greedy for entrant in result.entrants] == [True, False, None]


@pytest.mark.parametrize("game", GAMES)
def test_it_plays_as_the_checkpoint_does(game: str) -> None:
    observation, mask = real_decisions(get_game(game), 600)
    for mode in ("greedy", "sampled"):
        agent = load(exported(game).with_suffix(""), greedy=mode == "greedy")
        opponent = load_onnx(exported(game), mode=mode)
        rows = seeds(len(mask))
        expected = agent.act(observation, mask, rows)
        np.testing.assert_array_equal(opponent.act(observation, mask, rows), expected)
        probabilities = agent.policy(observation, mask)
        np.testing.assert_allclose(opponent.policy(observation, mask), probabilities, atol=1e-4)
    for mine, torchs in zip(
        opponent.logits_and_value(observation, mask),
        agent.logits_and_value(observation, mask),
        strict=True,
    ):
        np.testing.assert_allclose(mine, torchs, atol=1e-4)


def test_a_row_depends_on_itself_alone() -> None:
    observation, mask = real_decisions(get_game("sixth_card"), 300)
    opponent = load_opponent(f"{exported('sixth_card')}?sampled")
    together = opponent.act(observation, mask, seeds(300))
    alone = [
        int(opponent.act(observation[i : i + 1], mask[i : i + 1], seeds(300)[i : i + 1])[0])
        for i in range(300)
    ]
    assert together.tolist() == alone
    order = np.random.default_rng(0).permutation(300)
    shuffled = opponent.act(observation[order], mask[order], seeds(300)[order])
    assert (shuffled == together[order]).all()


def test_other_forms_of_the_same_input() -> None:
    game = get_game("sixth_card")
    observation, mask = real_decisions(game, 50)
    opponent = load_opponent(exported("sixth_card"))
    expected = opponent.act(observation, mask, seeds(50))
    floats = game.table.to_float(observation)
    assert (opponent.act(floats, mask.astype(bool), seeds(50)) == expected).all()
    assert opponent.act(observation[:0], mask[:0], seeds(0)).shape == (0,)
    for wrong in (observation[:, 1:], floats.astype(np.float64), observation[0]):
        with pytest.raises(OpponentError, match="observations of sixth_card must be"):
            opponent.act(wrong, mask, seeds(50))
    with pytest.raises(OpponentError, match="row 0 has no legal action"):
        opponent.act(observation, mask * 0, seeds(50))


# --- Modes ---------------------------------------------------------------------------------------


def test_policy_is_what_is_drawn() -> None:
    observation, mask = (array[5:6] for array in real_decisions(get_game("sixth_card"), 10))
    assert mask.sum() > 3
    for mode in ("sampled", "temperature=3", "top_p=0.7"):
        opponent = load_opponent(f"{exported('sixth_card')}?{mode}")
        assert isinstance(opponent, OnnxOpponent) and not opponent.greedy
        policy = opponent.policy(observation, mask)[0]
        assert abs(policy.sum() - 1) < 1e-5 and (policy[mask[0] == 0] == 0).all()
        many = np.repeat(observation, 20_000, axis=0), np.repeat(mask, 20_000, axis=0)
        drawn = np.bincount(opponent.act(*many, seeds(20_000)), minlength=len(policy)) / 20_000
        assert np.abs(drawn - policy).max() < 5 * 0.5 / 20_000**0.5


def test_temperature_and_top_p() -> None:
    logits = np.log(np.array([[0.5, 0.3, 0.15, 0.05]], np.float32))
    unchanged = softmax(reshaped(logits, 1.0, 1.0))[0]
    np.testing.assert_allclose(unchanged, [0.5, 0.3, 0.15, 0.05], rtol=1e-6)
    flat = np.array([0.5, 0.3, 0.15, 0.05]) ** 0.5
    np.testing.assert_allclose(softmax(reshaped(logits, 2.0, 1.0))[0], flat / flat.sum(), rtol=1e-6)
    for top_p, kept in ((0.4, 1), (0.6, 2), (0.85, 3), (0.99, 4), (1e-9, 1)):
        found = softmax(reshaped(logits, 1.0, top_p))[0]
        expected = np.array([0.5, 0.3, 0.15, 0.05]) * (np.arange(4) < kept)
        np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-6)


def test_modes_by_name() -> None:
    base = PlayMode(greedy=False, temperature=2.0)
    assert changed_mode(base, "greedy") == PlayMode(greedy=True, temperature=2.0)
    assert changed_mode(PlayMode(), "sampled") == PlayMode(greedy=False)
    assert changed_mode(PlayMode(), "temperature=0.5&top_p=.9") == PlayMode(
        greedy=False, temperature=0.5, top_p=0.9
    )
    assert changed_mode(PlayMode(), "greedy&temperature=2").greedy
    assert load_opponent(f"{exported('sixth_card')}?top_p=0.5").name == "small?top_p=0.5"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("best", "'best' must be greedy, sampled, temperature=NUMBER or top_p=NUMBER"),
        ("sampled&", "'' must be greedy"),
        ("temperature=hot", "temperature: Input should be a valid number"),
        ("temperature=nan", "temperature: Input should be"),
        ("temperature=0", "temperature: Input should be greater"),
        ("top_p=1.5", "top_p: Input should be less"),
    ],
)
def test_wrong_modes(words: str, message: str) -> None:
    with pytest.raises(OpponentError, match=message):
        load_opponent(f"{exported('sixth_card')}?{words}")


# --- Names and files -----------------------------------------------------------------------------


def test_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = exported("six_nimmt")
    for spec in (file, str(file)):
        opponent = load_opponent(spec)
        assert (opponent.name, opponent.game.id) == ("small", "six_nimmt")  # type: ignore[attr-defined]
    assert resolve_opponent(str(file), "six_nimmt").name == "small"
    for load_it in (load_opponent, resolve_opponent):
        with pytest.raises(OpponentError, match="plays six_nimmt, not sixth_card"):
            load_it(str(file), "sixth_card")
    with pytest.raises(ConfigError, match="unknown game 'chess'"):
        load_opponent(file, "chess")
    with pytest.raises(OpponentError, match=r"unknown opponent '.*none\.onnx' for sixth_card"):
        load_opponent(str(tmp_path / "none.onnx"))
    (tmp_path / "folder.onnx").mkdir()
    with pytest.raises(OpponentError, match="is a folder"):
        load_opponent(tmp_path / "folder.onnx")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.onnx").write_bytes(file.read_bytes())
    assert load_opponent("mine.onnx?sampled").name == "small?sampled"


def test_the_card_beside_must_be_its_own(tmp_path: Path) -> None:
    file = tmp_path / "x.onnx"
    file.write_bytes(exported("sixth_card").read_bytes())
    beside = file.with_suffix(".json")
    with pytest.raises(OpponentError, match=r"the card .*x\.json cannot be read"):
        load_onnx(file, card=beside)
    beside.write_bytes(exported("six_nimmt").with_suffix(".json").read_bytes())
    with pytest.raises(OpponentError, match=r"was exchanged: .*x\.json is of another file"):
        load_opponent(file)
    beside.write_text("[]")
    with pytest.raises(OpponentError, match=r"x\.json has the format_version None"):
        load_opponent(file)
    beside.write_bytes(b"\xff")
    with pytest.raises(OpponentError, match="cannot be read"):
        load_opponent(file)
    card = exported("sixth_card").with_suffix(".json").read_text("utf-8")
    beside.write_text(card)
    assert load_onnx(file).name == "small"
    beside.write_text(card.replace('"actions": [\n    "play AC"', '"actions": [\n    "play 2C"'))
    with pytest.raises(OpponentError, match=r"x\.onnx has another network than the card beside it"):
        load_onnx(file)
    beside.write_text(json.dumps({k: v for k, v in json.loads(card).items() if k != "sha256"}))
    with pytest.raises(OpponentError, match=r"x\.json does not tell the sha256 of its file"):
        load_onnx(file)


def test_a_card_beside_tells_how_to_play(tmp_path: Path) -> None:
    file = exported("sixth_card")
    card = json.loads(file.with_suffix(".json").read_text("utf-8"))
    play = {"greedy": False, "temperature": 3.0, "top_p": 0.9}
    level = tmp_path / "level.json"
    level.write_text(json.dumps({**card, "name": "timid", "play": play, "strength": {"at": 1}}))
    timid = load_onnx(file, card=level)
    assert (timid.name, timid.mode.model_dump()) == ("timid", play)
    same = load_onnx(file, mode="temperature=3&top_p=0.9")
    observation, mask = real_decisions(timid.game, 50)
    assert (timid.act(observation, mask, seeds(50)) == same.act(observation, mask, seeds(50))).all()


def test_shipped_opponents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoo, "FOLDER", tmp_path)
    assert shipped_opponents("six_nimmt") == ()
    with pytest.raises(OpponentError, match="unknown opponent 'six_nimmt/easy'"):
        load_opponent("six_nimmt/easy")
    folder = tmp_path / "six_nimmt"
    folder.mkdir()
    file = exported("six_nimmt")
    (folder / "network.json").write_bytes(file.with_suffix(".json").read_bytes())
    for level in ("strong", "easy", "extra"):
        (folder / f"{level}.json").write_bytes(file.with_suffix(".json").read_bytes())
    assert shipped_opponents("six_nimmt") == ()
    (folder / "network.onnx").write_bytes(file.read_bytes())
    names = ("six_nimmt/easy", "six_nimmt/strong", "six_nimmt/extra")
    assert shipped_opponents("six_nimmt") == names
    for name in names:
        opponent = load_opponent(name)
        assert isinstance(opponent, OnnxOpponent) and opponent.name == name
        assert opponent.card == zoo.shipped_card(name).model_copy(update={"sha256": None})
    assert resolve_opponent("six_nimmt/easy?sampled", "six_nimmt").name == "six_nimmt/easy?sampled"
    with pytest.raises(OpponentError, match=r"network\.onnx plays six_nimmt, not sixth_card"):
        resolve_opponent("six_nimmt/easy")
    with pytest.raises(OpponentError, match="cautious, mc:<playouts>, six_nimmt/easy, six_nimmt/s"):
        load_opponent("six_nimmt/hard", "six_nimmt")
    for level in ("../six_nimmt/easy", "easy/x", "", "none", "network"):
        assert zoo.shipped_files(f"six_nimmt/{level}") is None
        with pytest.raises(OpponentError, match="there is no shipped opponent 'six_nimmt"):
            zoo.shipped_card(f"six_nimmt/{level}")


def test_a_changed_level_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results that are kept are not those of an opponent that plays otherwise now."""
    monkeypatch.setattr(zoo, "FOLDER", tmp_path)
    (tmp_path / "six_nimmt").mkdir()
    network, file = tmp_path / "six_nimmt" / "network.onnx", tmp_path / "six_nimmt" / "easy.json"
    network.write_bytes(exported("six_nimmt").read_bytes())
    card = json.loads(exported("six_nimmt").with_suffix(".json").read_text("utf-8"))

    def told(**changes: Any) -> str:
        file.write_text(json.dumps({**card, **changes}))
        return fingerprint("six_nimmt/easy")

    card.pop("strength", None)
    assert told(strength={"suite": 1}) == told(strength={"suite": 2}) == told() != ""
    assert told(play={"greedy": False}) != told()
    assert fingerprint("six_nimmt/easy?sampled") == told()
    copied = tmp_path / "mine.onnx"
    copied.write_bytes(network.read_bytes())
    beside = copied.with_suffix(".json")
    beside.write_text(json.dumps(card))
    kept = fingerprint(str(copied))
    beside.write_text(json.dumps({**card, "strength": {"suite": 1}}))
    assert fingerprint(str(copied)) == kept
    beside.write_text(json.dumps({**card, "play": {"greedy": False}}))
    assert fingerprint(str(copied)) != kept


SHIPPED = [spec for game in GAMES for spec in shipped_opponents(game)]


@pytest.mark.parametrize("spec", SHIPPED)
def test_each_shipped_opponent_plays_every_table(spec: str) -> None:
    game = spec.partition("/")[0]
    opponent, others = load_opponent(spec), load_opponent("random", game)
    for players in range(2, get_game(game).max_players + 1):
        play_field(game, [opponent, *[others] * (players - 1)], deals=2, num_rounds=1)


def test_copies_and_pickles() -> None:
    observation, mask = real_decisions(get_game("sixth_card"), 20)
    opponent = load_opponent(f"{exported('sixth_card')}?temperature=2", "sixth_card")
    assert copy.deepcopy(opponent) is opponent
    again = pickle.loads(pickle.dumps(opponent))
    assert (again.name, again.greedy) == ("small?temperature=2", False)
    rows = seeds(20)
    assert (again.act(observation, mask, rows) == opponent.act(observation, mask, rows)).all()


def test_without_torch() -> None:
    program = (
        "import sys; sys.modules.update(dict.fromkeys(('torch', 'onnx', 'onnxscript')))\n"
        "from sixth_env import load_opponent\n"
        "from sixth_env.match import play_field\n"
        f"agent = load_opponent({str(exported('sixes_golf'))!r})\n"
        "play_field('sixes_golf', [agent] * 2, deals=1, num_rounds=1)\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_missing_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sixth_env\[onnx\]'"):
        load_opponent(exported("sixth_card"))


# --- A table that has changed --------------------------------------------------------------------


def with_table(game: Game, change: Callable[[list[Any]], list[Any]]) -> Game:
    return dataclasses.replace(game, table=ObservationTable(tuple(change([*game.table.blocks]))))


def test_columns_are_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    game = get_game("sixes_golf")
    observation, mask = real_decisions(game, 40)
    expected = OnnxOpponent(exported(game.id).read_bytes()).logits_and_value(observation, mask)
    new = dataclasses.replace(game.table.blocks[0], name="news", shape=(2, 3))
    changed = with_table(game, lambda blocks: [new, *reversed(blocks)])
    monkeypatch.setattr(onnx_module, "get_game", lambda _: changed)
    opponent = OnnxOpponent(exported(game.id).read_bytes())
    columns = [
        np.full((40, 6), new.low),
        *(observation[:, game.table[b.name]] for b in changed.table.blocks[1:]),
    ]
    found = opponent.logits_and_value(np.concatenate(columns, axis=1), mask)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda blocks: blocks[1:], r"reads the observation block '\w+', which sixes_golf no long"),
        (
            lambda blocks: [dataclasses.replace(blocks[0], scale=0.3), *blocks[1:]],
            r"reads '\w+' of shape .* and scale .*, but in sixes_golf it has \(1,\) and 0\.3",
        ),
    ],
)
def test_columns_that_are_gone_or_rescaled(
    change: Callable[[list[Any]], list[Any]], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = with_table(get_game("sixes_golf"), change)
    monkeypatch.setattr(onnx_module, "get_game", lambda _: changed)
    with pytest.raises(OpponentError, match=message):
        OnnxOpponent(exported("sixes_golf").read_bytes())
