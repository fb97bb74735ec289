"""What a person types at the terminal, as actions. Rows and slots are counted from 1, as shown."""

from __future__ import annotations

import re
from typing import Any

from sixth_env.games import get_game
from sixth_env.games.cards import SUIT_SYMBOLS, ladder_index, ladder_name, pretty
from sixth_env.games.rows.zsa import zsa_number

Json = dict[str, Any]

_ROWS_HELP = """\
  7S, 7♠, 10h    play that card
  1, 2, 3, ...   a row, when you have to choose one; else a card by its place in your hand"""
_NUMBERS_HELP = """\
  1, 2, 3, ...   a row, when you have to choose one; else the card's number
  8Pl, 8◉        a card by its name in a ZSA deck, here the 8 of Planets"""
_TURNS_HELP = """\
  1, 2, 3, ...   the move with that number
  7S, 7♠, pass   a move by its name; to play a card, the card will do"""
_HELP = """\
  h              hint: what each choice is expected to cost
  t              the table once more
  ?              this help
  q              quit"""


def help_for(view: Json, unicode: bool) -> str:
    """What can be typed in the game of a view."""
    if not _at_once(view):
        answers = _TURNS_HELP
    else:
        answers = _NUMBERS_HELP if _has_numbers(view) else _ROWS_HELP
    if not unicode:
        answers = answers.replace(" 7♠,", "").replace(", 8◉", "   ")
    return f"{answers}\n{_HELP}"


def what_for(view: Json) -> str:
    """What is asked for: a card, a row, or a move."""
    if not _at_once(view):
        return "move"
    return "row" if view["phase"] == "row" else "card"


def menu(view: Json, unicode: bool) -> list[str]:
    """The numbered moves of a game played in turns; elsewhere the table shows the choices."""
    if _at_once(view):
        return []
    names = [label(entry["name"]) for entry in view["legal"]]
    if unicode:
        names = [pretty(name) if name.startswith("play ") else name for name in names]
    return [f"  {number:>2}  {name}" for number, name in enumerate(names, start=1)]


def label(action_name: str) -> str:
    """An action's name with rows and slots counted from 1."""
    return re.sub(
        r"\b(row|slot) (\d+)", lambda found: f"{found[1]} {int(found[2]) + 1}", action_name
    )


def _at_once(view: Json) -> bool:
    """Whether all choose at once in the view's game, rather than in turn."""
    return get_game(view["game"]).simultaneous


def _has_numbers(view: Json) -> bool:
    """Whether the view's cards are numbers, as in 6 nimmt!."""
    return isinstance(view["rows"][0][0], int)


def read_action(view: Json, answer: str) -> int:
    """The action that a person's answer means.

    Args:
        view: the person's view; ``"legal"`` lists what may be done.
        answer: a card, a card's place in the hand, or a row's number, both from 1; in 6 nimmt! a
            card by its number or its name in a ZSA deck; in the games played in turns a move's
            number in the menu, or its name.

    Raises:
        ValueError: it means nothing, or nothing legal; one sentence for the person.
    """
    if not _at_once(view):
        return _move(view, answer)
    legal: dict[str, int] = {entry["name"]: entry["action"] for entry in view["legal"]}
    if view["phase"] == "row":
        rows = [label(name).removeprefix("take row ") for name in legal]
        if answer not in rows:
            raise ValueError(f"{answer!r} is not one of the rows {', '.join(rows)}.")
        return legal[f"take row {int(answer) - 1}"]
    card = _card(view, answer)
    if f"play {card}" not in legal:
        raise ValueError(f"{answer} is not in your hand.")
    return legal[f"play {card}"]


def _card(view: Json, answer: str) -> str:
    """The JSON name of the card that is meant."""
    hand = view["hands"][view["player"]]
    if answer.isdecimal():
        if _has_numbers(view):
            return str(int(answer))
        if not 1 <= int(answer) <= len(hand):
            raise ValueError(f"Your hand has places 1 to {len(hand)}, not {answer}.")
        return str(hand[int(answer) - 1])
    if _has_numbers(view):
        try:
            return str(zsa_number(answer))
        except ValueError:
            raise ValueError(f"{answer!r} is not a card: type its number.") from None
    try:
        return ladder_name(ladder_index(answer))
    except ValueError:
        raise ValueError(f"{answer!r} is not a card: type a rank and a suit, such as 7S.") from None


def _move(view: Json, answer: str) -> int:
    """The move with that number or name."""
    legal = view["legal"]
    if answer.isdecimal():
        if not 1 <= int(answer) <= len(legal):
            raise ValueError(f"The moves have numbers 1 to {len(legal)}, not {answer}.")
        return int(legal[int(answer) - 1]["action"])
    wanted = answer.upper()
    for letter, symbol in SUIT_SYMBOLS.items():
        wanted = wanted.replace(symbol, letter)
    for entry in legal:
        name = label(entry["name"]).upper()
        if wanted in (name, name.removeprefix("PLAY ")):
            return int(entry["action"])
    raise ValueError(f"{answer!r} is none of your moves: type a number or a name of the list.")
