"""Matches: equal deals, fair seats, honest figures, and opponents that misbehave."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixth_env.batch import Batch
from sixth_env.errors import ConfigError, OpponentError
from sixth_env.games import GAMES
from sixth_env.match import (
    Entrant,
    MatchResult,
    play_against,
    play_field,
    shared_wins,
    stats,
)
from sixth_env.opponents import load_opponent

GAME = GAMES["sixth_card"]
Answer = Callable[[NDArray[Any], NDArray[Any], Any], Any]


class Stub:
    """An opponent made of a function; it notes what it saw."""

    def __init__(self, name: str, answer: Answer | None = None) -> None:
        self.name = name
        self.answer = answer or (lambda observation, mask, seeds: mask.argmax(axis=1))
        self.seen: list[NDArray[Any]] = []
        self.seeds: list[NDArray[np.uint64]] = []

    def act(
        self, observation: NDArray[Any], action_mask: NDArray[Any], seeds: Any
    ) -> NDArray[np.int64]:
        self.seen.append(observation.copy())
        self.seeds.append(seeds.copy())
        answer: NDArray[np.int64] = self.answer(observation, action_mask, seeds)
        return answer


def seeded(observation: NDArray[Any], mask: NDArray[Any], seeds: Any) -> NDArray[np.int64]:
    """Uniform from the row's own seed, in plain NumPy."""
    return np.array(
        [
            np.random.default_rng(int(s)).choice(np.flatnonzero(m))
            for s, m in zip(seeds, mask, strict=True)
        ]
    )


def result_of(
    points: Sequence[Any], line_up: Sequence[int], rounds: Sequence[Any] | None = None
) -> MatchResult:
    """A result with given points (deals, R, P)."""
    array = np.array(points, np.float64)
    names = "ABC"
    return MatchResult(
        game="sixth_card",
        rules=GAME.rules(num_players=len(line_up), num_rounds=1).to_dict(),
        seed=1,
        entrants=tuple(Entrant(names[i], line_up.count(i)) for i in sorted(set(line_up))),
        line_up=np.array(line_up),
        points=array,
        wins=np.stack([shared_wins(deal) for deal in array]),
        rounds=np.ones(array.shape[:2], np.int64) if rounds is None else np.array(rounds),
        rotations=tuple(range(len(line_up))),
        turn_points=np.zeros((len(set(line_up)), 0)),
    )


# --- Figures ---------------------------------------------------------------------------------


def test_figures_by_hand() -> None:
    """A against A's neighbours B, B: two deals, three rotations, points by position."""
    result = result_of(
        [[[0, 3, 6], [3, 3, 3], [6, 0, 0]], [[3, 0, 6], [0, 6, 6], [0, 3, 0]]],
        line_up=[0, 1, 1],
    )
    assert (result.deals, result.games) == (2, 6)
    assert result.points_per_round("A").value == 12 / 6
    assert result.points_per_round("B").value == 36 / 12
    assert result.difference("A").value == result.difference("A", "B").value == -1.0
    assert result.difference("B").value == 1.0
    # A wins alone once in deal 0 and once in deal 1, and shares with two and with one.
    assert result.win_share("A").value == pytest.approx((1 + 1 / 3 + 0 + 0 + 1 + 1 / 2) / 6)
    assert result.win_share("B").value == pytest.approx((2 / 3 + 1 + 1 + 1 / 2) / 12)


def test_rounds_of_unequal_matches() -> None:
    """Points per round are all points over all rounds, not a mean of means."""
    result = result_of([[[10, 0], [0, 20]], [[30, 60], [60, 30]]], [0, 1], rounds=[[1, 1], [4, 4]])
    assert result.points_per_round("A").value == (10 + 0 + 30 + 60) / 10
    assert result.points_per_round("B").value == (0 + 20 + 60 + 30) / 10


def test_points_by_seat() -> None:
    """In rotation r, position j sits at seat (j + r) mod P."""
    result = result_of([[[1, 10, 10], [2, 20, 20], [3, 30, 30]]], line_up=[0, 1, 1])
    assert result.by_seat("A").tolist() == [1, 2, 3]
    # Seat 0: position 2 in rotation 1 and position 1 in rotation 2; and so on.
    assert result.by_seat("B").tolist() == [(20 + 30) / 2, (10 + 30) / 2, (10 + 20) / 2]


def test_ties_are_shared_and_the_fewest_points_win() -> None:
    points = np.array([[12.0, 70, 30], [5, 5, 9], [4, 4, 4]])
    assert shared_wins(points).tolist() == [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]


def test_unknown_entrant_is_named() -> None:
    result = result_of([[[0, 1], [1, 0]]], [0, 1])
    for entrant in ("Z", 2, -1):
        with pytest.raises(ConfigError, match=r"no entrant .*expected one of A, B"):
            result.points_per_round(entrant)


def test_alone_there_is_no_difference() -> None:
    result = play_field("sixth_card", [Stub("same")] * 2, deals=2, num_rounds=1)
    with pytest.raises(ConfigError, match="same played alone"):
        result.difference(0)
    assert result.to_dict()["entrants"][0]["difference"] is None


# --- Equal deals, fair seats -----------------------------------------------------------------


def test_results_do_not_depend_on_how_many_games_are_played_together() -> None:
    def play(games_at_once: int) -> MatchResult:
        line_up = [load_opponent("random"), Stub("seeded", seeded), load_opponent("mc:2")]
        return play_field(
            "sixth_card", line_up, deals=7, seed=3, games_at_once=games_at_once, target_score=20
        )

    whole, single, threes = play(100), play(1), play(3)
    for other in (single, threes):
        assert np.array_equal(whole.points, other.points)
        assert np.array_equal(whole.wins, other.wins)
        assert np.array_equal(whole.rounds, other.rounds)
        assert whole.entrants == other.entrants


def test_more_deals_continue_the_same_match() -> None:
    line_up = [load_opponent("random"), load_opponent("closest")]
    few = play_field("sixth_card", line_up, deals=5, num_rounds=1)
    many = play_field("sixth_card", line_up, deals=9, num_rounds=1)
    assert np.array_equal(many.points[:5], few.points)


def test_seeds_differ_by_deal_rotation_step_and_seat() -> None:
    stub = Stub("same")
    play_field("sixth_card", [stub] * 3, deals=8, num_rounds=1)
    seeds = np.concatenate(stub.seeds[1:])  # without the warm-up
    assert seeds.dtype == np.uint64
    assert len(np.unique(seeds)) == len(seeds) > 8 * 3 * 3 * 10


def test_deals_are_the_same_whoever_plays_and_wherever_they_sit() -> None:
    """The hands dealt to the three seats, as seen in the first step, rotation by rotation."""
    hand = GAME.table["hand"]

    def dealt(opponent: Stub) -> list[NDArray[Any]]:
        line_up = [opponent] * 3
        play_field("sixth_card", line_up, deals=4, seed=9, num_rounds=1)
        first = opponent.seen[1][:, hand]  # after the warm-up
        assert (first.sum(axis=1) == 10).all()
        return np.split(first, 3)

    batch = Batch("sixth_card", 4, seed=9, num_players=3, num_rounds=1)
    expected = batch.observe().observation[..., hand].reshape(12, -1)
    last = Stub("last", lambda o, m, s: m.shape[1] - 1 - m[:, ::-1].argmax(axis=1))
    for hands in (dealt(Stub("first")), dealt(last), dealt(Stub("random", seeded))):
        for rotation in hands:
            assert np.array_equal(rotation, expected)


def test_position_j_sits_at_seat_j_plus_r_in_rotation_r() -> None:
    """Told by the hands that the entrants see: those of that seat in every rotation."""
    hand = GAME.table["hand"]
    stubs = [Stub(name) for name in "abc"]
    play_field("sixth_card", stubs, deals=2, seed=9, num_rounds=1, row_choice="cheapest")
    batch = Batch("sixth_card", 2, seed=9, num_players=3, num_rounds=1)
    dealt = batch.observe().observation[..., hand]
    for j, stub in enumerate(stubs):
        first = np.split(stub.seen[1][:, hand], 3)  # after the warm-up
        for rotation in range(3):
            assert np.array_equal(first[rotation], dealt[:, (j + rotation) % 3])


def test_the_seed_decides_the_deals() -> None:
    line_up = [Stub("a"), Stub("b")]
    one, same, two = (
        play_field("sixth_card", line_up, deals=5, seed=seed, num_rounds=1) for seed in (1, 1, 2)
    )
    assert np.array_equal(one.points, same.points)
    assert not np.array_equal(one.points, two.points)


def test_every_entrant_sits_everywhere_equally_often() -> None:
    """Four copies of one deterministic player score alike: each sits once at each seat."""
    line_up = [Stub(name) for name in "abcd"]
    result = play_field("sixth_card", line_up, deals=3, num_rounds=1)
    totals = result.points.sum(axis=1)
    assert np.array_equal(totals, np.repeat(totals[:, :1], 4, axis=1))
    assert all(result.win_share(name).value == 0.25 for name in "abcd")


def test_points_are_minus_the_rewards_of_the_environment() -> None:
    """One deal replayed by hand in a batch: the highest card always, against the lowest."""
    low = Stub("low")
    high = Stub("high", lambda o, m, s: m.shape[1] - 1 - m[:, ::-1].argmax(axis=1))
    result = play_field("sixth_card", [low, high], deals=1, seed=4, num_rounds=2)
    for rotation in (0, 1):
        batch = Batch("sixth_card", 1, seed=4, num_players=2, num_rounds=2)
        step, points, rounds = batch.observe(), np.zeros(2), 0
        while not step.terminated[0]:
            mask = step.action_mask[0]
            lows, highs = mask.argmax(1), mask.shape[1] - 1 - mask[:, ::-1].argmax(1)
            low_seat = rotation
            actions = np.where(np.arange(2) == low_seat, lows, highs)
            step = batch.step(actions[None])
            points -= step.reward[0]
            rounds += step.round_end[0]
        seats = [rotation, 1 - rotation]
        assert result.points[0, rotation].tolist() == points[seats].tolist()
        assert result.rounds[0, rotation] == rounds == 2


def test_whole_matches_end_at_the_target_and_the_fewest_points_win() -> None:
    line_up = [load_opponent(name) for name in ("closest", "random", "lowest", "highest")]
    result = play_field("sixth_card", line_up, deals=30)
    highest = result.points.max(axis=2)
    assert (highest >= 66).all()
    assert (result.rounds > 1).all() and len(np.unique(result.rounds)) > 1
    winners = result.points == result.points.min(axis=2, keepdims=True)
    assert np.array_equal(result.wins > 0, winners)
    assert result.wins.sum(axis=2) == pytest.approx(1.0)
    assert result.win_share("closest").low > 0.25 > result.win_share("random").high


def test_equals_share_alike_and_are_rarely_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random against random, twenty times: about one in twenty is "significant"."""
    monkeypatch.setattr(stats, "RESAMPLES", 1000)
    found = []
    shares = []
    for seed in range(20):
        line_up = [load_opponent("random"), *[load_opponent("random")] * 3]
        result = play_field("sixth_card", line_up, deals=50, seed=seed, num_rounds=1)
        found.append(result.difference(0).significant)
        shares.append(result.win_share(0).value)
    assert sum(found) <= 4
    assert np.mean(shares) == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("game", ["sixth_card", "six_nimmt"])
@pytest.mark.parametrize("players", [2, 5, 10])
def test_all_player_counts(game: str, players: int) -> None:
    opponent, field = load_opponent("closest", game=game), load_opponent("random", game=game)
    result = play_field(game, [opponent, *[field] * (players - 1)], deals=20, num_rounds=1)
    assert result.points.shape == (20, players, players)
    assert [entrant.seats for entrant in result.entrants] == [1, players - 1]
    decisions = sum(entrant.decisions for entrant in result.entrants)
    assert decisions >= result.games * players * 10
    assert result.difference(0).high < 0


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    play_field(
        "sixth_card",
        [Stub("a"), Stub("b")],
        deals=3,
        games_at_once=2,
        num_rounds=1,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(2, 6), (4, 6), (6, 6)]


def test_warm_up_is_not_counted() -> None:
    stub = Stub("a")
    result = play_field(
        "sixth_card", [stub, Stub("b")], deals=1, num_rounds=1, row_choice="cheapest"
    )
    assert result.entrants[0].decisions == 2 * 10
    assert len(stub.seen) == 1 + 10  # both rotations are played together
    assert result.entrants[0].speed > 0


# --- Against baselines -----------------------------------------------------------------------


def test_play_against_uses_the_same_deals_for_all() -> None:
    agent = load_opponent("cautious")
    fields = [load_opponent("closest"), load_opponent("random")]
    results = play_against("sixth_card", agent, fields, players=3, deals=40, num_rounds=1)
    assert [[e.name for e in r.entrants] for r in results] == [
        ["cautious", "closest"],
        ["cautious", "random"],
    ]
    assert {(r.deals, r.seed) for r in results} == {(40, 1)}
    assert results[1].difference(0).high < 0


# --- Reports ---------------------------------------------------------------------------------


def test_report_is_json_and_says_how_to_repeat_it() -> None:
    line_up = [load_opponent("closest"), *[load_opponent("random")] * 2]
    result = play_field(
        "sixth_card", line_up, deals=4, seed=8, num_rounds=1, hand_size=6, row_choice="cheapest"
    )
    report = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert report["command"] == (
        "sixth-env match closest random random --game sixth_card --deals 4 --seed 8"
        " --rounds 1 --row-choice cheapest --set hand_size=6"
    )
    assert (report["deals"], report["games"], report["rounds"], report["seed"]) == (4, 12, 12, 8)
    assert report["line_up"] == ["closest", "random", "random"]
    assert report["rules"]["hand_size"] == 6
    closest = report["entrants"][0]
    assert closest["points_per_round"]["low"] <= closest["points_per_round"]["value"]
    assert closest["decisions_per_second"] > 0
    assert len(closest["points_by_seat"]) == 3


def test_command_of_a_whole_match() -> None:
    result = play_field(
        "six_nimmt", [Stub("a"), Stub("b")], specs=["a", "b"], deals=1, exact_deck=True
    )
    assert result.command == (
        "sixth-env match a b --game six_nimmt --deals 1 --seed 1 --set exact_deck=True --whole"
    )


def test_namesakes_are_told_apart() -> None:
    line_up = [load_opponent("random"), load_opponent("random"), load_opponent("lowest")]
    result = play_field("sixth_card", line_up, deals=1, num_rounds=1)
    assert [entrant.name for entrant in result.entrants] == ["random", "random#2", "lowest"]


# --- Misuse and misbehaviour -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deals": 0}, "deals must be at least 1, not 0"),
        ({"games_at_once": 0}, "games_at_once must be at least 1"),
        ({"num_players": 3}, "rules are for 3 players, but 2 sit"),
        ({"reward": "win"}, "leave reward out"),
        ({"names": ["a"]}, "2 opponents need as many names, not 1"),
        ({"color": "red"}, "no option 'color'"),
        ({"seed": -1}, "seed must be from 0"),
    ],
)
def test_misuse_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        play_field("sixth_card", [Stub("a"), Stub("b")], **options)


def test_too_few_opponents() -> None:
    with pytest.raises(ConfigError, match="num_players must be from 2 to 10, not 1"):
        play_field("sixth_card", [Stub("a")])


def broken(observation: NDArray[Any], mask: NDArray[Any], seeds: Any) -> Any:
    raise KeyError("weights")


def twice(observation: NDArray[Any], mask: NDArray[Any], seeds: Any) -> Any:
    return np.concatenate([mask.argmax(1), mask.argmax(1)])


def forging(observation: NDArray[Any], mask: NDArray[Any], seeds: Any) -> Any:
    mask[:] = 1
    return np.full(len(mask), GAME.wait)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (broken, r"bad \(player_1\) failed with KeyError: 'weights'"),
        (lambda o, m, s: None, r"bad \(player_1\) answered None"),
        (lambda o, m, s: m.argmax(1) + 0.5, r"bad \(player_1\) answered float64 of shape"),
        (lambda o, m, s: ["7S"] * len(m), r"bad \(player_1\) answered \['7S'"),
        (lambda o, m, s: m.argmax(1) > 0, r"bad \(player_1\) answered bool of shape"),
        (twice, r"bad \(player_1\) answered int64 of shape"),
        (lambda o, m, s: m.argmax(1) * 0 - 1, r"bad \(player_1\) answered action -1"),
        (
            lambda o, m, s: m.argmax(1) * 0 + 10**6,
            r"answered action 1000000; legal were \d+ \(play",
        ),
        (forging, r"bad \(player_1\) answered action 56; legal were \d+ \(play [0-9AJQK]+[CDHS]\)"),
    ],
)
def test_a_bad_opponent_is_named(answer: Answer, message: str) -> None:
    line_up = [Stub("good"), Stub("bad", answer), Stub("good too")]
    with pytest.raises(OpponentError, match=message):
        play_field("sixth_card", line_up, deals=3, num_rounds=1)


def test_an_opponent_that_fails_late_is_named_with_its_seat() -> None:
    """It fails in its third call, asked for both seats: that of each rotation."""
    calls = iter(range(100))

    def late(observation: NDArray[Any], mask: NDArray[Any], seeds: Any) -> Any:
        return mask.argmax(1) if next(calls) < 3 else None

    with pytest.raises(OpponentError, match=r"late \(player_0, player_1\) answered None"):
        play_field("sixth_card", [Stub("good"), Stub("late", late)], deals=3, num_rounds=1)


def test_an_opponent_cannot_reach_the_game_through_its_arguments() -> None:
    """One that overwrites what it is given plays like one that does not."""

    def scribbling(observation: NDArray[Any], mask: NDArray[Any], seeds: Any) -> Any:
        actions = mask.argmax(1)
        observation[:], mask[:], seeds[:] = 0, 0, 0
        return actions

    def play(answer: Answer | None) -> MatchResult:
        line_up = [Stub("a", answer), Stub("b", seeded)]
        return play_field("sixth_card", line_up, deals=5, num_rounds=1)

    assert np.array_equal(play(scribbling).points, play(None).points)


def test_plain_lists_of_integers_are_an_answer() -> None:
    lists = Stub("lists", lambda o, m, s: m.argmax(1).tolist())
    result = play_field("sixth_card", [lists, Stub("b")], deals=2, num_rounds=1)
    assert result.entrants[0].decisions >= 40


def test_interrupts_pass() -> None:
    def interrupted(observation: NDArray[Any], mask: NDArray[Any], seeds: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_field("sixth_card", [Stub("a"), Stub("b", interrupted)], deals=1)
