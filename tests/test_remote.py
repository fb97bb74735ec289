"""Opponents in a process of their own, in any language, and views as they are sent to them."""

from __future__ import annotations

import copy
import gc
import json
import os
import pickle
import re
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import sixth_env
from sixth_env.errors import OpponentError
from sixth_env.games import GAMES
from sixth_env.match import play_field
from sixth_env.opponents import load_opponent
from sixth_env.opponents.custom import resolve_opponent
from sixth_env.opponents.remote import RemoteOpponent
from sixth_env.opponents.remote_process import ProcessLink

ROOT = Path(__file__).resolve().parents[1]
Rows = tuple[NDArray[np.int16], NDArray[np.int8], NDArray[np.uint64]]


def decisions(game: str = "sixth_card", games: int = 2, **config: Any) -> Rows:
    """Observations, masks and seeds of a first decision."""
    batch = sixth_env.Batch(game, num_games=games, seed=5, **config)
    step = batch.reset()
    rows = step.observation.shape[0] * step.observation.shape[1]
    return (
        step.observation.reshape(rows, -1).copy(),
        step.action_mask.reshape(rows, -1).copy(),
        np.arange(rows, dtype=np.uint64),
    )


def python_bot(tmp_path: Path, body: str) -> str:
    """The spec of a bot that runs ``body`` for each line, parsed as ``asked``."""
    file = tmp_path / "bot.py"
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    file.write_text(
        "import json, os, sys, time\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    legal = asked['view']['legal']\n"
        f"{lines}\n"
    )
    return f"subprocess?timeout=20:{sys.executable} {file}"


def link_of(opponent: Any) -> ProcessLink:
    assert isinstance(opponent, RemoteOpponent)
    assert isinstance(opponent._link, ProcessLink)
    return opponent._link


def process_of(opponent: Any) -> Any:
    process = link_of(opponent)._process
    assert process is not None
    return process._process


# --- The example of the documentation, and other languages ----------------------------------------


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_bot_of_the_documentation_plays_like_the_built_in_one(tmp_path: Path) -> None:
    page = (ROOT / "docs/embedding.md").read_text("utf-8")
    code = re.search(r"^```javascript\n(// A bot.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert code is not None and code[1].count("\n") <= 15
    (tmp_path / "bot.js").write_text(code[1])
    bot = load_opponent(f"subprocess?timeout=20:node {tmp_path / 'bot.js'}")
    others = [load_opponent(name) for name in ("random", "closest", "random")]
    played, expected = (
        play_field("sixth_card", [first, *others], deals=3, num_rounds=1).points
        for first in (bot, load_opponent("lowest"))
    )
    assert np.array_equal(played, expected)
    link_of(bot).close()


def test_a_shell_script_is_an_opponent(tmp_path: Path) -> None:
    script = tmp_path / "bot.sh"
    last = 's/.*"name": "\\([^"]*\\)"}.*/{"action": "\\1"}/p'
    script.write_text(f"while read -r line; do echo \"$line\" | sed -n '{last}'; done\n")
    bot = resolve_opponent(f"subprocess:sh {script}")
    observation, mask, seeds = decisions(games=1)
    answers = bot.act(observation, mask, seeds)
    assert answers.tolist() == [int(np.flatnonzero(row)[-1]) for row in mask]
    link_of(bot).close()


def test_environments_take_one(tmp_path: Path) -> None:
    spec = python_bot(tmp_path, "print(json.dumps({'action': legal[0]['action']}), flush=True)")
    played = []
    for opponents in (spec, "lowest"):
        env = gymnasium.make(
            "sixth_env/SixthCard-v0", num_players=3, opponents=opponents, row_choice="cheapest"
        )
        _, info = env.reset(seed=1)
        rewards = []
        for _ in range(3):
            _, reward, *_, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
            rewards.append(reward)
        played.append((rewards, env.unwrapped.view()["rows"]))  # type: ignore[attr-defined]
        env.close()
    assert played[0] == played[1]


def test_the_seed_of_each_decision_is_sent(tmp_path: Path) -> None:
    body = "print(json.dumps({'action': legal[asked['seed'] % len(legal)]['name']}), flush=True)"
    bot = load_opponent(python_bot(tmp_path, body))
    observation, mask, seeds = decisions()
    seeds += np.uint64(2**63)
    expected = [np.flatnonzero(m)[int(s) % int(m.sum())] for m, s in zip(mask, seeds, strict=True)]
    assert bot.act(observation, mask, seeds).tolist() == expected
    turned = bot.act(observation[::-1], mask[::-1], seeds[::-1])
    assert turned.tolist() == expected[::-1]


def test_nobody_is_asked_where_there_is_no_choice(tmp_path: Path) -> None:
    bot = load_opponent(python_bot(tmp_path, "sys.exit(3)"), "sixes_chips")
    observation, _, seeds = decisions("sixes_chips")
    mask = np.zeros((len(observation), GAMES["sixes_chips"].num_actions), np.int8)
    mask[:, 41] = 1
    assert (bot.act(observation, mask, seeds) == 41).all()
    assert link_of(bot)._process is None


# --- What is sent ---------------------------------------------------------------------------------


def test_what_is_sent_holds_nothing_that_is_hidden(tmp_path: Path) -> None:
    file = tmp_path / "sent"
    body = f"open({str(file)!r}, 'a').write(line)\nprint('{{\"action\": 52}}', flush=True)"
    bot = load_opponent(python_bot(tmp_path, body))
    observation, mask, seeds = decisions(games=1)
    mask[:], mask[:, 52:54] = 0, 1
    bot.act(observation, mask, seeds)
    for line in file.read_text().splitlines():
        view = json.loads(line)["view"]
        assert view["player"] == 0 and view["stock"] == 8
        assert [isinstance(hand, int) for hand in view["hands"]] == [False, True, True, True]


# --- Faults ---------------------------------------------------------------------------------------

WRONG = [
    ("print('hello', flush=True)", "is no JSON"),
    ("print('[' * 10000, flush=True)", "is no JSON"),
    ("print('{}', flush=True)", "with a legal 'action': legal were "),
    ("print('{\"action\": 99}', flush=True)", "with a legal 'action': legal were "),
    ("print('{\"action\": true}', flush=True)", "with a legal 'action': legal were "),
    ("print('{\"action\": [1]}', flush=True)", "with a legal 'action': legal were "),
    ('print(\'{"action": "play ZZ"}\', flush=True)', "with a legal 'action': legal were "),
    ("print('7', flush=True)", "with a legal 'action': legal were "),
    ("print('x' * 100000, flush=True)", "did not end its answer within 65536 bytes"),
    ("sys.exit(3)", "has ended with status 3 where a line with an action was expected"),
    ("os.close(1); time.sleep(60)", "has closed its output where a line"),
]


@pytest.mark.parametrize(("body", "message"), WRONG)
def test_wrong_answers_are_named(tmp_path: Path, body: str, message: str) -> None:
    bot = load_opponent(python_bot(tmp_path, body))
    observation, mask, seeds = decisions(games=1)
    with pytest.raises(OpponentError, match=re.escape(message)) as caught:
        bot.act(observation, mask, seeds)
    assert "\n" not in str(caught.value)


def test_a_late_answer_is_no_answer(tmp_path: Path) -> None:
    spec = python_bot(tmp_path, "time.sleep(600)").replace("timeout=20", "timeout=0.3")
    bot = load_opponent(spec)
    observation, mask, seeds = decisions(games=1)
    begun = time.monotonic()
    with pytest.raises(OpponentError, match=r"did not answer within 0\.3 s"):
        bot.act(observation, mask, seeds)
    assert time.monotonic() - begun < 60


def test_a_match_names_the_seat_and_the_opponent(tmp_path: Path) -> None:
    spec = python_bot(tmp_path, "sys.exit(1)")
    line_up = [load_opponent("random"), load_opponent(spec)]
    wanted = re.escape(spec) + r" \(player_1\) failed with OpponentError: the process .* status 1"
    with pytest.raises(OpponentError, match=wanted):
        play_field("sixth_card", line_up, deals=1, num_rounds=1)


def test_after_a_fault_it_is_started_again(tmp_path: Path) -> None:
    died = tmp_path / "died"
    body = (
        f"if not os.path.exists({str(died)!r}):\n"
        f"    open({str(died)!r}, 'w').close(); sys.exit(1)\n"
        "print(json.dumps({'action': legal[0]['action']}), flush=True)"
    )
    bot = load_opponent(python_bot(tmp_path, body))
    observation, mask, seeds = decisions(games=1)
    with pytest.raises(OpponentError, match="status 1"):
        bot.act(observation, mask, seeds)
    assert bot.act(observation, mask, seeds).tolist() == mask.argmax(axis=1).tolist()


SPECS = [
    ("subprocess:", "names no program"),
    ("subprocess:no-such-program-at-all x", "names no program that can be run"),
    ("subprocess:sh 'x", "is malformed"),
    ("subprocess?timeout=0:sh x", "timeout must be above 0"),
    ("subprocess?timeout=nan:sh x", "timeout must be above 0"),
    ("subprocess?limit=1:sh x", "must be subprocess:COMMAND"),
    ("http://", "must be like http://localhost:8000"),
    ("http://localhost:99999", "is no address"),
    ("http://localhost:8000?timeout=x", "timeout must be above 0"),
    ("http://localhost:8000?oponent=x", "unknown option 'oponent'"),
    ("https://me:secret@localhost", "must be like"),
]


@pytest.mark.parametrize(("spec", "message"), SPECS)
def test_malformed_specs_are_refused(spec: str, message: str) -> None:
    with pytest.raises(OpponentError, match=message):
        resolve_opponent(spec)


# --- The process ----------------------------------------------------------------------------------


def first_legal(tmp_path: Path) -> str:
    return python_bot(tmp_path, "print(json.dumps({'action': legal[0]['action']}), flush=True)")


def test_it_ends_when_it_is_closed_or_forgotten(tmp_path: Path) -> None:
    for forget in (False, True):
        bot = load_opponent(first_legal(tmp_path))
        bot.act(*decisions(games=1))
        process = process_of(bot)
        assert process.poll() is None
        if not forget:
            link_of(bot).close()
        del bot
        gc.collect()
        assert process.returncode == 0


def test_one_that_does_not_want_to_end_is_killed(tmp_path: Path) -> None:
    body = "print(json.dumps({'action': legal[0]['action']}), flush=True)"
    spec = python_bot(tmp_path, body)
    with (tmp_path / "bot.py").open("a") as file:
        file.write("time.sleep(600)\n")
    bot = load_opponent(spec)
    bot.act(*decisions(games=1))
    process = process_of(bot)
    link_of(bot).close()
    assert process.returncode != 0


def test_copies_share_it_and_pickles_have_their_own(tmp_path: Path) -> None:
    bot = load_opponent(first_legal(tmp_path))
    rows = decisions(games=1)
    answer = bot.act(*rows)
    assert copy.deepcopy(bot) is bot
    other = pickle.loads(pickle.dumps(bot))
    assert np.array_equal(other.act(*rows), answer)
    assert process_of(other).pid != process_of(bot).pid
    link_of(other).close()
    link_of(bot).close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_copy_has_its_own(tmp_path: Path) -> None:
    bot = load_opponent(first_legal(tmp_path))
    rows = decisions(games=1)
    bot.act(*rows)
    before = process_of(bot).pid
    child = os.fork()
    if child == 0:
        bot.act(*rows)
        own = process_of(bot).pid
        link_of(bot).close()
        os._exit(0 if own != before else 1)
    assert os.waitpid(child, 0)[1] == 0
    bot.act(*rows)
    assert process_of(bot).pid == before
    link_of(bot).close()
