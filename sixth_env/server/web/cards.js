// Names, numbers and points of the cards of all games, as in positions and views.

export const SUITS = "CDHS";
export const SYMBOLS = { C: "♣", D: "♦", H: "♥", S: "♠" };
export const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
export const CHIPS_RANKS = ["A", "2", "3", "4", "5", "6", "7", "J", "Q", "K"];

const ladder = RANKS.flatMap((rank) => [...SUITS].map((suit) => rank + suit));
const DECKS = {
  sixth_card: ladder,
  six_nimmt: Array.from({ length: 104 }, (_, i) => i + 1),
  sixes_chips: [...SUITS].flatMap((suit) => CHIPS_RANKS.map((rank) => rank + suit)),
  sixes_golf: [...ladder, "joker"],
};
const NUMBERS = Object.fromEntries(
  Object.entries(DECKS).map(([game, deck]) => [game, new Map(deck.map((card, i) => [card, i]))]),
);

/** The cards of a game by number: each different card once. */
export const deckOf = (game) => DECKS[game];

/** The number of a card, counted from 0. */
export function cardNumber(game, card) {
  const number = NUMBERS[game].get(card);
  if (number === undefined) throw new Error(`${card} is no card of ${game}`);
  return number;
}

const LADDER_POINTS = { 5: 2, 10: 3, J: 2, Q: 2, K: 2 };

/** Penalty points of a card of the rows games. */
export function penalty(game, card) {
  if (game === "sixth_card") return card === "QS" ? 5 : (LADDER_POINTS[card.slice(0, -1)] ?? 1);
  if (card === 55) return 7;
  if (card % 11 === 0) return 5;
  if (card % 10 === 0) return 3;
  return card % 5 === 0 ? 2 : 1;
}

export const penalties = (game, cards) => cards.reduce((sum, card) => sum + penalty(game, card), 0);

/** Points of a golf card by rank: 0 the ace … 12 the king, 13 the joker. */
export function rankPoints(rank) {
  if (rank === 0) return -1;
  return rank === 13 ? -2 : Math.min(rank + 1, 10);
}

/** Points of two golf cards side by side, by rank: equal ones cancel, negative ones cancel others. */
export function pairPoints(a, b) {
  const [x, y] = [rankPoints(a), rankPoints(b)];
  if (x < 0 || y < 0) return Math.min(x, 0) + Math.min(y, 0);
  return a === b ? 0 : x + y;
}

export const golfRank = (card) => cardNumber("sixes_golf", card) >> 2;

/** The score of six golf cards, whose pairs are 0-1, 2-3 and 4-5. */
export const handPoints = (hand) =>
  [0, 2, 4].reduce((sum, i) => sum + pairPoints(golfRank(hand[i]), golfRank(hand[i + 1])), 0);

/** A card for people: "10H" -> "10♥". */
export function pretty(card) {
  const text = String(card);
  return text.at(-1) in SYMBOLS ? text.slice(0, -1) + SYMBOLS[text.at(-1)] : text;
}

/** A card for a screen reader: "10H" -> "10 of hearts". */
export function spoken(card) {
  const text = String(card);
  if (!(text.at(-1) in SYMBOLS)) return text;
  const ranks = { A: "ace", J: "jack", Q: "queen", K: "king" };
  const rank = text.slice(0, -1);
  return `${ranks[rank] ?? rank} of ${SUIT_NAMES[text.at(-1)]}`;
}

export const isRed = (card) => ["D", "H"].includes(String(card).at(-1));
