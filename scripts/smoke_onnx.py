"""Every shipped opponent plays, where onnxruntime is all that was installed besides the package.

    python scripts/smoke_onnx.py --rounds 1000
    python scripts/smoke_onnx.py --rounds 1000 mine.onnx

Each plays that many rounds of every player count of its game, alone among random players and, drawn
from its policy, among copies of itself; an illegal move ends the program with an error.
"""

from __future__ import annotations

import argparse
import sys
from time import perf_counter

from sixth_env.games import GAMES
from sixth_env.match import play_field
from sixth_env.opponents import load_opponent, shipped_opponents
from sixth_env.opponents.base import Opponent
from sixth_env.opponents.zoo import LEVELS


def play(opponent: Opponent, others: Opponent, game: str, players: int, rounds: int) -> None:
    """Play at least that many rounds; raises ``OpponentError`` for an illegal move."""
    deals = -(-rounds // players)  # each is played in as many rotations
    play_field(game, [opponent, *[others] * (players - 1)], deals=deals, num_rounds=1)


def main() -> None:
    """Play with the files named, or else with all that ship."""
    parser = argparse.ArgumentParser(description="Let exported opponents play.")
    parser.add_argument("--rounds", type=int, default=1000, help="for each player count")
    parser.add_argument("opponents", nargs="*", help="all that ship, unless named")
    options = parser.parse_args()
    shipped = [spec for game in GAMES for spec in shipped_opponents(game)]
    missing = {f"{game}/{level}" for game in GAMES for level in LEVELS} - set(shipped)
    if missing and not options.opponents:
        sys.exit(f"not shipped: {', '.join(sorted(missing))}")
    for spec in options.opponents or shipped:
        started = perf_counter()
        greedy, sampled = load_opponent(f"{spec}?greedy"), load_opponent(f"{spec}?sampled")
        game = greedy.game  # type: ignore[attr-defined]  # exported opponents know it
        for players in range(2, game.max_players + 1):
            play(greedy, load_opponent("random", game.id), game.id, players, options.rounds)
            play(sampled, sampled, game.id, players, options.rounds)
        seconds = perf_counter() - started
        print(f"{spec}: {options.rounds} rounds of 2-{game.max_players} players, {seconds:.0f} s")
    loaded = {"torch", "onnx"} & set(sys.modules)
    assert not loaded, f"playing loaded {loaded}"


if __name__ == "__main__":
    main()
