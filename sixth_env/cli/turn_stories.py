"""Events of the games played in turns as sentences for people. Slots are counted from 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sixth_env.cli.story import Json, Storyteller, Teller
from sixth_env.render.facts import plural


class ChipsTeller(Teller):
    """Sixes, the chip game."""

    def _lines(self, events: Sequence[Json]) -> Iterator[str]:
        for event in events:
            match event["type"]:
                case "deal":
                    dealer, starter = (self.names[event[role]] for role in ("dealer", "starter"))
                    first = self.card("6D")
                    yield f"Round {event['round']}: dealer {dealer}, the {first} is with {starter}."
                case "play":
                    yield f"  {self.names[event['player']]}: {self.card(event['card'])}"
                case "pass":
                    pays = "a chip paid" if event["paid"] else "no chip left to pay"
                    yield f"  {self.names[event['player']]}: pass, {pays}"
                case "round_end":
                    yield self._round_end(event)
                case "match_end":
                    yield from self._standings(event["chips"], "chip", most=True)

    def _round_end(self, event: Json) -> str:
        chips = zip(self.names, event["chips"], strict=True)
        pot = plural(event["pot"], "chip")
        return (
            f"Round {event['round']} ends: the pot, {pot}, to {self.names[event['winner']]}."
            f" Chips: {', '.join(f'{name} {own}' for name, own in chips)}."
        )


class GolfTeller(Teller):
    """Sixes, the golf game."""

    def _lines(self, events: Sequence[Json]) -> Iterator[str]:
        for event in events:
            match event["type"]:
                case "deal":
                    yield self._deal(event)
                case "refill":
                    yield "  The discards are shuffled and become the draw pile."
                case "cut_off":
                    yield f"The round does not end within {plural(event['turns'], 'turn')}."
                case "round_end":
                    yield from self._round_end(event)
                case "match_end":
                    yield from self._standings(event["totals"], "point")
                case _:
                    yield f"  {self.names[event['player']]}: {self._move(event)}"

    def _deal(self, event: Json) -> str:
        round_ = f"Round {event['round']}" if event["round"] else "Practice round"
        first = self.card(event["discard"])
        return f"{round_}: dealer {self.names[event['dealer']]}, first discard {first}."

    def _move(self, event: Json) -> str:
        """What the player of an event has done: "a card drawn"."""
        card = self.card(event.get("card", ""))
        slot = event.get("slot", 0) + 1
        replaced = self.card(event.get("replaced", ""))
        return {
            "turn_up": f"slot {slot} turned up, {card}",
            "take_discard": f"{card} from the discards into slot {slot}, {replaced} discarded",
            "draw": "a card drawn" if card == "hidden" else f"{card} drawn",
            "swap_drawn": f"{card} into slot {slot}, {replaced} discarded",
            "discard_drawn": f"{card} discarded",
            "knock": "knock",
            "went_out": "all cards are face up",
        }[event["type"]]

    def _round_end(self, event: Json) -> Iterator[str]:
        """Everything is turned up; then what is written down."""
        round_ = f"Round {event['round']}" if event["round"] else "The practice round"
        yield f"{round_} ends:"
        for name, hand, raw in zip(self.names, event["hands"], event["raw"], strict=True):
            rows = " / ".join(
                f"{self.card(first)} {self.card(second)}"
                for first, second in zip(hand[::2], hand[1::2], strict=True)
            )
            yield f"  {name}: {rows}, {plural(raw, 'point')}"
        if event["round"]:
            yield f"Written down: {self._scores(event)}."
        else:
            yield "Nothing is written down."


_TELLERS: dict[str, type[Teller]] = {"sixes_chips": ChipsTeller, "sixes_golf": GolfTeller}


def storyteller(game: str, names: Sequence[str], unicode: bool, faces: str | None = None) -> Teller:
    """Who tells the events of a game."""
    return _TELLERS.get(game, Storyteller)(names, unicode, faces)
