// The rules of Sixth Card and 6 nimmt! on positions. Every function changes the position it is given.
//
// The same interface in all modules of this folder:
//   begin(rules, stream)            the first position, and the events of the deal
//   deciding(position)              the seats that have something to decide
//   step(position, actions, stream) make a step, its events; `actions` by seat, null elsewhere
//   view(position, player)          what a seat may know, with its legal actions by number
//   eventView(event, player)        what a seat may know of an event

import { cardNumber, deckOf, penalties } from "../cards.js";
import { legalActions, placeFor } from "../legal.js";
import { DEAL, DEALER, deal, draw, keyOf } from "./random.js";
import { hideHands, winnersOf } from "./shared.js";

export { eventView } from "./shared.js";

export function begin(rules, stream) {
  const players = rules.num_players;
  const position = {
    game: rules.game,
    players,
    decks: rules.decks,
    dealer: draw(keyOf(stream, 0, DEALER), 0, players),
    round: 1,
    totals: Array(players).fill(0),
    rules,
  };
  return { position, events: [dealRound(position, stream)] };
}

function dealRound(position, stream) {
  const { game, players, rules } = position;
  const pack = Array.from({ length: rules.cards * rules.decks }, (_, i) =>
    Math.floor(i / rules.decks),
  );
  const size = rules.hand_size;
  const count = players * size + rules.rows;
  const dealt = deal(pack, count, keyOf(stream, position.round, DEAL));
  const names = (numbers) => sorted(numbers).map((number) => deckOf(game)[number]);
  const seats = [...Array(players).keys()];
  Object.assign(position, {
    turn: 1,
    phase: "card",
    hands: seats.map((seat) => names(dealt.slice(seat * size, (seat + 1) * size))),
    rows: dealt.slice(players * size).map((number) => [deckOf(game)[number]]),
    piles: seats.map(() => []),
    revealed: [],
    played: seats.map(() => []),
    chosen: seats.map(() => null),
    stock: names(pack.slice(count)),
  });
  const { round, dealer, rows, hands } = position;
  return structuredClone({ type: "deal", round, dealer, rows, hands });
}

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);

export function deciding(position) {
  if (position.phase === "row") return [position.revealed[0].player];
  return position.phase === "card" ? [...Array(position.players).keys()] : [];
}

export function step(position, actions, stream) {
  const events = [];
  let chosen = null;
  if (position.phase === "card") {
    events.push(reveal(position, actions));
  } else {
    chosen = actions[position.revealed[0].player] - deckOf(position.game).length;
    position.phase = "card";
  }
  while (position.revealed.length) {
    if (!placeFirst(position, chosen, events)) return events;
    chosen = null;
  }
  position.turn += 1;
  if (!position.hands[0].length) {
    position.turn -= 1;
    finishRound(position, stream, events);
  }
  return events;
}

/** Everybody's card from the hand to the reveal: lowest first, twins from the dealer's left. */
function reveal(position, actions) {
  const { game, dealer, players } = position;
  const order = (seat) => (seat - dealer - 1 + players) % players;
  const cards = position.hands.map((hand, player) => {
    const card = deckOf(game)[actions[player]];
    hand.splice(hand.indexOf(card), 1);
    position.played[player].push(card);
    return { player, card };
  });
  const number = ({ card }) => cardNumber(game, card);
  cards.sort((a, b) => number(a) - number(b) || order(a.player) - order(b.player));
  position.revealed = cards;
  return { type: "reveal", turn: position.turn, cards: [...cards] };
}

/** Place the first revealed card; false if its owner has to choose a row before. */
function placeFirst(position, chosen, events) {
  const { rules, rows } = position;
  const { player, card } = position.revealed[0];
  const { row: fit, choices } = placeFor(position, card);
  let row = fit;
  if (choices.length) {
    if (chosen === null && rules.row_choice === "player" && choices.length > 1) {
      position.phase = "row";
      events.push({ type: "row_decision", player, card, rows: choices });
      return false;
    }
    row = chosen ?? cheapestOf(position, choices);
  }
  if (fit === null || rows[row].length === rules.row_length) take(position, player, row, events);
  rows[row].push(card);
  position.revealed.shift();
  events.push({ type: "place", player, card, row });
  return true;
}

function cheapestOf({ game, rows }, choices) {
  const points = (row) => penalties(game, rows[row]);
  return choices.reduce((a, b) => (points(b) < points(a) ? b : a));
}

function take(position, player, row, events) {
  const { game, rows, piles } = position;
  const cards = rows[row];
  events.push({ type: "take", player, row, cards, points: penalties(game, cards) });
  rows[row] = [];
  const number = (card) => cardNumber(game, card);
  piles[player] = [...piles[player], ...cards].sort((a, b) => number(a) - number(b));
}

function finishRound(position, stream, events) {
  const { game, rules, round, piles } = position;
  const points = piles.map((pile) => penalties(game, pile));
  const totals = position.totals.map((total, seat) => total + points[seat]);
  position.totals = totals;
  events.push({ type: "round_end", round, points, totals });
  const over = rules.num_rounds
    ? round >= rules.num_rounds
    : Math.max(...totals) >= rules.target_score;
  if (over) {
    position.phase = "over";
    events.push({ type: "match_end", totals, winners: winnersOf(totals, Math.min(...totals)) });
    return;
  }
  position.round += 1;
  position.dealer = (position.dealer + 1) % position.players;
  events.push(dealRound(position, stream));
}

export function view(position, player) {
  const seen = {
    ...structuredClone(position),
    hands: hideHands(position.hands, player),
    chosen: position.chosen.map((card, seat) => (seat === player ? card : Number(card !== null))),
    stock: position.stock.length,
    player,
  };
  return { ...seen, legal: legalActions(seen) };
}
