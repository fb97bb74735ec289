// The rules of Sixes, the chip game, on positions: see rows.js for the interface.

import { CHIPS_RANKS, cardNumber, deckOf } from "../cards.js";
import { legalActions, playable } from "../legal.js";
import { DEAL, DEALER, deal, draw, keyOf } from "./random.js";
import { hideHands, winnersOf } from "./shared.js";

export { eventView } from "./shared.js";

const GAME = "sixes_chips";
const PASS = 40;
const byNumber = (a, b) => cardNumber(GAME, a) - cardNumber(GAME, b);

export function begin(rules, stream) {
  const players = rules.num_players;
  const position = {
    game: GAME,
    players,
    dealer: draw(keyOf(stream, 0, DEALER), 0, players),
    round: 1,
    chips: Array(players).fill(rules.starting_chips),
    rules,
  };
  return { position, events: [dealRound(position, stream)] };
}

function dealRound(position, stream) {
  const { players, dealer, round } = position;
  const cards = deal([...deckOf(GAME)], 40, keyOf(stream, round, DEAL));
  const hands = Array.from({ length: players }, () => []);
  cards.forEach((card, i) => hands[(dealer + 1 + i) % players].push(card));
  for (const hand of hands) hand.sort(byNumber);
  const starter = hands.findIndex((hand) => hand.includes("6D"));
  Object.assign(position, {
    phase: "play",
    to_act: starter,
    starter,
    hands,
    columns: { C: null, D: null, H: null, S: null },
    pot: 0,
    lacks: hands.map(() => []),
  });
  return structuredClone({ type: "deal", round, dealer, starter, hands });
}

export const deciding = (position) => (position.phase === "play" ? [position.to_act] : []);

export function step(position, actions, stream) {
  const seat = position.to_act;
  const events = [];
  if (actions[seat] === PASS) {
    events.push(pass(position, seat));
  } else {
    const card = deckOf(GAME)[actions[seat]];
    const hand = position.hands[seat];
    hand.splice(hand.indexOf(card), 1);
    lay(position.columns, card);
    events.push({ type: "play", player: seat, card });
    if (!hand.length) {
      finishRound(position, seat, stream, events);
      return events;
    }
  }
  position.to_act = (seat + 1) % position.players;
  return events;
}

function pass(position, seat) {
  const paid = position.chips[seat] > 0 ? 1 : 0;
  position.chips[seat] -= paid;
  position.pot += paid;
  const open = playable(position.columns).map((number) => deckOf(GAME)[number]);
  position.lacks[seat] = [...new Set([...position.lacks[seat], ...open])].sort(byNumber);
  return { type: "pass", player: seat, paid };
}

/** Put a card at the end of its column. */
export function lay(columns, card) {
  const suit = card.at(-1);
  const rank = (name) => CHIPS_RANKS.indexOf(name.slice(0, -1));
  const column = columns[suit];
  if (column === null) columns[suit] = { low: card, high: card };
  else if (rank(card) < rank(column.low)) column.low = card;
  else column.high = card;
}

function finishRound(position, winner, stream, events) {
  const { rules, round, pot, chips } = position;
  chips[winner] += pot;
  position.pot = 0;
  events.push({ type: "round_end", round, winner, pot, chips: [...chips] });
  if (round === rules.num_rounds || chips.includes(0)) {
    position.phase = "over";
    const winners = winnersOf(chips, Math.max(...chips));
    events.push({ type: "match_end", chips: [...chips], winners });
  } else if (round >= rules.max_rounds) {
    position.phase = "over"; // cut off: nobody has won
  } else {
    position.round += 1;
    position.dealer = position.starter;
    events.push(dealRound(position, stream));
  }
}

export function view(position, player) {
  const seen = {
    ...structuredClone(position),
    hands: hideHands(position.hands, player),
    player,
  };
  return { ...seen, legal: legalActions(seen) };
}
