"""Writes golden replays: ``python -m tests.golden_write [NAME …]``, all of them without names.

A golden replay is a whole match of random play with its events. Write one anew only when a rule, an
action's number or the stream of deals has changed on purpose, and read the difference first.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from sixth_env.engine import Engine
from sixth_env.notation import Replay

FOLDER = Path(__file__).parent / "golden"
Json = dict[str, Any]

# File name, then the game and what differs from its default rules.
GOLDEN: dict[str, tuple[str, Json]] = {
    "sixth_card": ("sixth_card", {}),
    "sixth_card_2_exact_44": (
        "sixth_card",
        {"num_players": 2, "exact_deck": True, "target_score": 44},
    ),
    "sixth_card_3_cheapest": (
        "sixth_card",
        {"num_players": 3, "row_choice": "cheapest", "num_rounds": 2},
    ),
    "sixth_card_7": ("sixth_card", {"num_players": 7, "num_rounds": 2}),
    "sixth_card_10": ("sixth_card", {"num_players": 10, "num_rounds": 1}),
    "sixth_card_small_twins": (
        "sixth_card",
        {"num_players": 3, "decks": 2, "cards": 8, "hand_size": 4, "target_score": 20},
    ),
    "six_nimmt": ("six_nimmt", {}),
    "six_nimmt_5_exact": ("six_nimmt", {"num_players": 5, "exact_deck": True, "num_rounds": 2}),
    "six_nimmt_10": ("six_nimmt", {"num_players": 10, "num_rounds": 1}),
    "sixes_chips": ("sixes_chips", {}),
    "sixes_chips_2_rounds": ("sixes_chips", {"num_players": 2, "num_rounds": 2}),
    "sixes_chips_8": ("sixes_chips", {"num_players": 8, "starting_chips": 5}),
    "sixes_golf": ("sixes_golf", {}),
    "sixes_golf_2_practice": ("sixes_golf", {"num_players": 2, "practice_round": True}),
    "sixes_golf_8": ("sixes_golf", {"num_players": 8, "num_rounds": 3}),
}


def played(game: str, config: Json) -> Replay:
    """A match of random play."""
    engine = Engine(game, 1, seed=66, **config)
    replay, story, log = Replay.begin(engine), list[list[Json]](), engine.new_log()
    while not engine.done()[0]:
        actions = engine.sample_actions(len(story))
        engine.step(actions, log=log)
        replay.record(actions)
        story.append(engine.events(log))
    replay.story = story
    return replay


def dump(replay: Replay) -> str:
    """A replay as JSON with a line for each step, so that a difference shows what changed."""
    fields = []
    for name, value in replay.to_dict().items():
        text = json.dumps(value)
        if name in ("actions", "story"):
            text = "[\n" + ",\n".join(f"  {json.dumps(step)}" for step in value) + "\n ]"
        fields.append(f' "{name}": {text}')
    return "{\n" + ",\n".join(fields) + "\n}\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or GOLDEN:
        (FOLDER / f"{name}.json").write_text(dump(played(*GOLDEN[name])), "utf-8")
