// What happens, and who it happens to, in plain words.

import { pretty } from "./cards.js";

const NAMES = ["Anna", "Ben", "Cleo", "Dan", "Edda", "Finn", "Gina", "Hugo", "Ida"];

/** The name of a seat as the person in seat `player` calls it; null in a replay, for onlookers. */
export function seatName(seat, player) {
  if (player === null) return `Player ${seat + 1}`;
  return seat === player ? "You" : NAMES[seat - (seat > player ? 1 : 0)];
}

const STRENGTHS = {
  easy: "Easy",
  medium: "Medium",
  strong: "Strong",
  random: "Random: plays anything",
  closest: "Closest: plays what fits best",
  lowest: "Lowest: plays low cards first",
  highest: "Highest: plays high cards first",
  "mc:100": "Search: thinks ahead, slower",
};

/** An opponent for people: "sixth_card/strong" -> "Strong". */
export function strengthName(name) {
  const short = shortName(name);
  return STRENGTHS[short] ?? short[0].toUpperCase() + short.slice(1);
}

/** Without the game: "sixth_card/strong" -> "strong". */
export const shortName = (name) => name.split("/").at(-1).replaceAll("_", " ");

/** How each game is played, in a few sentences. */
export const HELP = {
  sixth_card:
    "Everybody plays a card, then all are turned over, lowest first. A card goes to the row whose" +
    " last card is the highest one below it. The sixth card of a row takes the five before it:" +
    " their numbers in the corner are points against you. A card lower than all rows takes a row" +
    " of your choice. Cards rank A 2 … J Q K, within a rank ♣ ♦ ♥ ♠. Fewest points win.",
  six_nimmt:
    "Everybody plays a card, then all are turned over, lowest first. A card goes to the row whose" +
    " last card is the highest one below it. The sixth card of a row takes the five before it:" +
    " their numbers in the corner are points against you. A card lower than all rows takes a row" +
    " of your choice. Fewest points win.",
  sixes_chips:
    "The 6♦ begins. Each suit is built from its six, down to the ace and up to the king: there are" +
    " no 8, 9 and 10. Who can play must; who cannot pays a chip into the pot. Whoever plays the" +
    " last card of a hand wins the pot. The match ends when somebody has no chips.",
  sixes_golf:
    "Turn up two cards. Then in each turn draw a card, take the discard or turn up a card. Two" +
    " equal cards side by side count nothing; an ace counts -1 and a joker -2, and they cancel the" +
    " card beside them; J Q K count 10. Knock when you think that you are lowest: if you are not," +
    " you get everybody's points too. Fewest points win.",
};

const counted = (n, one) => `${n} ${Math.abs(n) === 1 ? one : `${one}s`}`;
export const points = (n) => counted(n, "point");

/** A sentence for an event, or null where there is nothing to say. */
export function told(event, player) {
  const you = event.player === player && player !== null;
  const who = event.player === undefined ? "" : seatName(event.player, player);
  const does = (third, second) => (you ? second : third);
  const card = event.card === undefined ? "" : pretty(event.card);
  switch (event.type) {
    case "deal":
      return event.round === 0 ? "Practice round." : `Round ${event.round}: new cards.`;
    case "reveal":
      return "All cards are turned over.";
    case "row_decision":
      return `${who} ${does("chooses", "choose")} a row for the ${card}.`;
    case "take":
      return `${who} ${does("takes", "take")} row ${event.row + 1}: ${points(event.points)}.`;
    case "place":
      return `${who} ${does("puts", "put")} the ${card} on row ${event.row + 1}.`;
    case "play":
      return `${who} ${does("plays", "play")} the ${card}.`;
    case "pass":
      return `${who} ${does("passes", "pass")}${event.paid ? does(" and pays", " and pay") + " a chip" : ""}.`;
    case "turn_up":
      return `${who} ${does("turns", "turn")} up the ${card}.`;
    case "draw":
      return `${who} ${does("draws", "draw")} ${event.card === "hidden" ? "a card" : `the ${card}`}.`;
    case "take_discard":
    case "swap_drawn": {
      const first = event.type === "swap_drawn" ? does("keeps", "keep") : does("takes", "take");
      const then = does("discards", "discard");
      return `${who} ${first} the ${card} and ${then} the ${pretty(event.replaced)}.`;
    }
    case "discard_drawn":
      return `${who} ${does("discards", "discard")} the ${card}.`;
    case "refill":
      return "The discards are shuffled into a new draw pile.";
    case "knock":
      return `${who} ${does("knocks", "knock")}: everybody else has one more turn.`;
    case "went_out":
      return `${who} ${does("has", "have")} all cards face up: everybody else has one more turn.`;
    case "round_end":
      return roundEnd(event, player);
    case "cut_off":
      return `The match is cut off after ${event.turns} turns.`;
    case "match_end":
      return "The match is over.";
    default:
      return null;
  }
}

/** Who has won a round, or just that it is over. */
export function roundEnd(event, player) {
  if (event.winner === undefined) {
    return event.round === 0 ? "The practice round is over." : `Round ${event.round} is over.`;
  }
  const name = seatName(event.winner, player);
  const gain = `the round and ${counted(event.pot, "chip")}`;
  return `${name} ${name === "You" ? "win" : "wins"} ${gain}.`;
}

/** Who has won the match. */
export function verdict(result, player) {
  if (result.cut_off) return "The match was cut off: nobody has won.";
  const names = result.winners.map((seat) => seatName(seat, player));
  if (names.length > 1)
    return `${names.slice(0, -1).join(", ")} and ${names.at(-1)} share the win.`;
  return names[0] === "You" ? "You have won the match!" : `${names[0]} has won the match.`;
}
