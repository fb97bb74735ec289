"""Best responses: against whom they train, what is compared on which deals, and what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from agents.checkpoint import load
from agents.networks import NetworkSettings
from agents.torch_agent import load as load_agent
from sixth_env.errors import ConfigError, SixthEnvError
from sixth_env.match.play import play_field
from sixth_env.match.stats import Estimate
from sixth_env.opponents import load_opponent
from train import best_response
from train.best_response import RESULT, BestResponseConfig, begin, compare, respond, seated
from train.config import read_config
from train.ppo import Table, Trainer

ROOT = Path(__file__).resolve().parents[1]
CONFIGS = sorted((ROOT / "configs/best_response").glob("*.toml"))
SMALL = NetworkSettings(
    columns=("phase", "row_sizes", "row_points", "hand", "unseen", "fit_points"),
    products=(("hand", "fit_points"),),
    planes=("hand", "fit_free"),
    width=32,
    depth=1,
    card_width=8,
)
RULES: dict[str, Any] = {"num_players": 3, "num_rounds": 1}


def settings(**changes: Any) -> BestResponseConfig:
    """A run of a second against two ``random``."""
    return BestResponseConfig(
        **{
            "name": "test",
            "opponent": "random",
            "network": SMALL,
            "tables": (Table(games=48, rules=RULES),),
            "total_decisions": 1500,
            "rollout_steps": 8,
            "minibatch": 128,
            "save_every": 10**9,
            "evaluate_every": 10**9,
            "final_deals": 4,
            "deals": 20,
            **changes,
        }
    )


@pytest.fixture(autouse=True)
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# --- The comparison -------------------------------------------------------------------------------


def test_a_copy_gains_nothing() -> None:
    closest = load_opponent("closest")
    found = compare(load_opponent("closest"), closest, "sixth_card", RULES, 40, 1)
    assert found.gain == Estimate(0.0, 0.0, 0.0)
    # It sits in every seat of every deal, so even chance leaves it no lead.
    assert found.lead.value == pytest.approx(0.0, abs=1e-12)
    assert found.alone == found.self_play


def test_the_gain_is_that_of_two_matches_on_the_same_deals() -> None:
    strong, weak = load_opponent("cautious"), load_opponent("random")
    found = compare(strong, weak, "sixth_card", RULES, 60, 3)
    mixed = play_field("sixth_card", [strong, weak, weak], deals=60, seed=3, **RULES)
    alike = play_field("sixth_card", [weak, weak, weak], deals=60, seed=3, **RULES)
    alone, others = (mixed.points_per_round(i).value for i in (0, 1))
    among = alike.points_per_round(0).value
    values = [estimate.value for estimate in found]
    assert values == pytest.approx([alone, others, among, among - alone, others - alone])
    assert found.gain.low < found.gain.value < found.gain.high
    assert found.gain.low > 0 and found.lead.low > 0


# --- Who sits where -------------------------------------------------------------------------------


def test_the_opponent_sits_at_every_table() -> None:
    tables = (Table(games=48, rules=RULES), Table(games=48, rules={"num_players": 4}))
    config = seated(settings(opponent="closest", tables=tables))
    assert [table.opponents for table in config.tables] == [("closest",), ("closest",)]
    assert config.fields == config.final_fields == ("closest",)
    assert seated(config) == config  # the saved settings of a run can be given again


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tables": (Table(opponents=("closest",)),)}, "random in all other seats.*got closest"),
        ({"opponent": "past"}, "is frozen: it cannot be 'past'"),
        ({"opponent": "clever"}, "clever"),
        ({"start": "nowhere"}, "no checkpoint at nowhere"),
        ({"tables": (Table(games=2, rules=RULES),)}, "2 games of 3 players are too few"),
    ],
)
def test_what_is_wrong_is_said_at_once_and_leaves_no_run(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(SixthEnvError, match=message):
        respond(settings(**changes))
    assert not Path("runs").exists()


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_the_settings_in_the_repository_are_read(file: Path) -> None:
    config = read_config(BestResponseConfig, file)
    assert config.name.startswith("best_response_")
    assert all(not table.opponents for table in config.tables)


# --- Whole runs -----------------------------------------------------------------------------------


def test_a_run_is_compared_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    run = respond(settings())
    shown = capsys.readouterr().out
    assert "gain over self-play" in shown and "random among copies" in shown
    found = json.loads((run / RESULT).read_text("utf-8"))
    assert found["opponent"] == "random" and found["deals"] == 20
    assert found["gain"]["low"] <= found["gain"]["value"] <= found["gain"]["high"]
    agent = load_agent(run / "latest")
    again = compare(agent, load_opponent("random"), "sixth_card", RULES, 20, found["seed"])
    assert again.gain.to_dict() == found["gain"]
    with pytest.raises(ConfigError, match="exists already"):
        respond(settings())


def test_a_stopped_run_goes_on_to_the_same_end(capsys: pytest.CaptureFixture[str]) -> None:
    whole = respond(settings())
    parts = respond(settings(name="parts", stop_after=500))
    assert not (parts / RESULT).exists() and "--resume" in capsys.readouterr().out
    respond(settings(name="parts", resume=True))
    assert (parts / RESULT).read_text("utf-8") == (whole / RESULT).read_text("utf-8")
    for name, tensor in load(whole / "latest").tensors.items():
        assert torch.equal(tensor, load(parts / "latest").tensors[name]), name


def test_a_run_starts_from_a_checkpoints_weights() -> None:
    other = respond(settings(name="other", total_decisions=200))
    start = str(other / "latest")
    wide = NetworkSettings(columns=("hand",), width=64)
    config = seated(settings(opponent=start, start=start, network=wide))
    assert config.network == SMALL  # that of the checkpoint
    run = begin(config, start)
    assert run.resume
    trainer = Trainer(run, Path("runs/ppo/test"))
    trainer.restore()
    assert trainer.decisions == 0
    for name, tensor in load(start).tensors.items():
        assert torch.equal(trainer.network.state_dict()[name], tensor), name


def test_a_checkpoint_can_be_answered_from_its_own_weights() -> None:
    other = respond(settings(name="other", total_decisions=200))
    start = str(other / "latest")
    run = respond(settings(opponent=start, start=start))
    found = json.loads((run / RESULT).read_text("utf-8"))
    assert found["opponent"] == start and len(found["opponent_digest"]) == 64
    assert load(run / "latest").card.training["decisions"] >= 1500


def test_a_checkpoint_of_another_game_is_refused() -> None:
    other = respond(settings(name="other", total_decisions=200))
    with pytest.raises(ConfigError, match="plays sixth_card, not six_nimmt"):
        respond(settings(game="six_nimmt", start=str(other / "latest")))


@pytest.mark.parametrize(
    ("low", "said"), [(0.5, "beaten by at least 0.50"), (-0.1, "does not show")]
)
def test_a_bound_is_claimed_only_beyond_chance(low: float, said: str) -> None:
    assert said in best_response._sentence("closest", Estimate(1.0, low, 1.5))
