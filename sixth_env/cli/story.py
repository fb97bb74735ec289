"""Events as sentences for people: what all games share, and the story of the rows games.

Rows are counted from 1, as on the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sixth_env.games.cards import Card
from sixth_env.render.facts import plural
from sixth_env.render.style import Style

Json = dict[str, Any]


class Teller:
    """Tells events, with the names of the seats; plain ASCII without ``unicode``."""

    def __init__(self, names: Sequence[str], unicode: bool, faces: str | None = None) -> None:
        self.names, self.style = names, Style(unicode, color=False, faces=faces)

    def tell(self, events: Sequence[Json]) -> list[str]:
        """The lines that tell the events."""
        return list(self._lines(events))

    def card(self, card: Card) -> str:
        """A card's name: "7♠", "7S" or "104"."""
        return self.style.name(card)

    def _lines(self, events: Sequence[Json]) -> Iterator[str]:
        raise NotImplementedError

    def _standings(self, results: Sequence[int], unit: str, most: bool = False) -> Iterator[str]:
        """The final standings, best first; equal results share a place."""
        yield "The match is over."
        order = [-result for result in results] if most else list(results)
        for value, seat in sorted((value, seat) for seat, value in enumerate(order)):
            place = 1 + sum(other < value for other in order)
            yield f"  {place}. {self.names[seat]}: {plural(results[seat], unit)}"

    def _scores(self, event: Json) -> str:
        """ "Ben +13 = 31": what everybody wrote down in a round, and the new totals."""
        scores = zip(self.names, event["points"], event["totals"], strict=True)
        return ", ".join(f"{name} {won:+d} = {total}" for name, won, total in scores)


class Storyteller(Teller):
    """The rows games; a row taken and the card that starts it are one line."""

    def _lines(self, events: Sequence[Json]) -> Iterator[str]:
        taken: Json | None = None
        for event in events:
            match event["type"]:
                case "deal":
                    yield f"Round {event['round']}: {self.names[event['dealer']]} deals."
                case "reveal":
                    yield f"Revealed: {', '.join(map(self._revealed, event['cards']))}."
                case "row_decision":
                    who, card = self.names[event["player"]], self.card(event["card"])
                    yield f"  {who} may choose row {_choice(event['rows'])} for {card}."
                case "take":
                    taken = event
                case "place":
                    yield self._placed(event, taken)
                    taken = None
                case "round_end":
                    yield f"Round {event['round']} ends: {self._scores(event)}."
                case "match_end":
                    yield from self._standings(event["totals"], "point")

    def _revealed(self, entry: Json) -> str:
        return f"{self.card(entry['card'])} {self.names[entry['player']]}"

    def _placed(self, event: Json, taken: Json | None) -> str:
        start = f"  {self.names[event['player']]}: {self.card(event['card'])}"
        row = event["row"] + 1
        if taken is None:
            return f"{start} goes to row {row}."
        cards = " ".join(self.card(card) for card in taken["cards"])
        return f"{start} takes row {row} with {cards}, {plural(taken['points'], 'point')}."


def _choice(rows: Sequence[int]) -> str:
    """ "1, 2, 3 or 4"."""
    numbers = [str(row + 1) for row in rows]
    return f"{', '.join(numbers[:-1])} or {numbers[-1]}" if len(numbers) > 1 else numbers[0]
