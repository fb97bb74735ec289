// The rules of Sixes, the golf game, on positions: see rows.js for the interface.
// Piles are top first. Slots 0-1, 2-3 and 4-5 are the pairs of a hand.

import { cardNumber, deckOf, handPoints } from "../cards.js";
import { DISCARD, DRAW, KNOCK, PUT, TAKE, legalActions } from "../legal.js";
import { DEAL, DEALER, REFILL, draw, fold, keyOf, shuffle } from "./random.js";
import { winnersOf } from "./shared.js";

const GAME = "sixes_golf";
const SLOTS = 6;

export function begin(rules, stream) {
  const players = rules.num_players;
  const position = {
    game: GAME,
    players,
    dealer: draw(keyOf(stream, 0, DEALER), 0, players),
    round: rules.practice_round ? 0 : 1,
    rounds: rules.num_rounds,
    totals: Array(players).fill(0),
    rules,
  };
  return { position, events: [dealRound(position, stream)] };
}

function dealRound(position, stream) {
  const { players, dealer, round } = position;
  const decks = players > 4 ? 2 : 1;
  const pack = deckOf(GAME).flatMap((card) =>
    Array(card === "joker" ? 2 * decks : decks).fill(card),
  );
  shuffle(pack, keyOf(stream, round, DEAL));
  const pile = pack.reverse();
  const hands = Array.from({ length: players }, () => pile.splice(0, SLOTS));
  const discard = pile.shift();
  Object.assign(position, {
    phase: "reveal",
    to_act: dealer,
    hands,
    face_up: hands.map(() => Array(SLOTS).fill(false)),
    draw_pile: pile,
    discard_pile: [discard],
    drawn: null,
    knocker: null,
    went_out: null,
    last_turns: null,
    refilled: false,
    turns: 0,
  });
  return structuredClone({ type: "deal", round, dealer, hands, discard });
}

export const deciding = (position) => (position.phase === "over" ? [] : [position.to_act]);

export function step(position, actions, stream) {
  const seat = position.to_act;
  const action = actions[seat];
  const events = [];
  if (position.phase === "knock") {
    if (action === KNOCK) {
      position.knocker = seat;
      position.last_turns = position.players;
      events.push({ type: "knock", player: seat });
    }
    endTurn(position, stream, events);
  } else if (action === DRAW) {
    drawCard(position, stream, events);
  } else if (position.phase === "reveal") {
    turnUp(position, seat, action, events);
    nextReveal(position, seat);
  } else {
    move(position, seat, action, events);
    endMove(position, seat, stream, events);
  }
  return events;
}

function turnUp(position, player, slot, events) {
  position.face_up[player][slot] = true;
  events.push({ type: "turn_up", player, slot, card: position.hands[player][slot] });
}

const cardsUp = (position, seat) => position.face_up[seat].filter(Boolean).length;

/** Each seat from the dealer on turns up two cards; then the dealer takes the first turn. */
function nextReveal(position, seat) {
  if (cardsUp(position, seat) < 2) return;
  position.to_act = (seat + 1) % position.players;
  if (position.to_act === position.dealer) position.phase = "turn";
}

function drawCard(position, stream, events) {
  const player = position.to_act;
  if (!position.draw_pile.length) refill(position, stream, events);
  position.drawn = position.draw_pile.shift();
  position.phase = "drawn";
  events.push({ type: "draw", player, card: position.drawn });
}

/** Make the draw pile of all discards but the top one, shuffled. */
function refill(position, stream, events) {
  const [top, ...rest] = position.discard_pile;
  const pile = rest.reverse();
  shuffle(pile, fold(keyOf(stream, position.round, REFILL), position.turns));
  position.draw_pile = pile.reverse();
  position.discard_pile = [top];
  position.refilled = true;
  events.push({ type: "refill" });
}

/** The move of a turn: a card turned up, the discard taken, or the drawn card used. */
function move(position, player, action, events) {
  if (action < TAKE) {
    turnUp(position, player, action, events);
  } else if (action === DISCARD) {
    const card = position.drawn;
    position.discard_pile.unshift(card);
    position.drawn = null;
    events.push({ type: "discard_drawn", player, card });
  } else if (action >= PUT) {
    const card = position.drawn;
    position.drawn = null;
    events.push({ type: "swap_drawn", ...swap(position, player, action - PUT, card) });
  } else {
    const card = position.discard_pile.shift();
    events.push({ type: "take_discard", ...swap(position, player, action - TAKE, card) });
  }
}

function swap(position, player, slot, card) {
  const replaced = position.hands[player][slot];
  position.hands[player][slot] = card;
  position.face_up[player][slot] = true;
  position.discard_pile.unshift(replaced);
  return { player, slot, card, replaced };
}

/** After a move: going out, or the decision to knock, or neither in the last turns. */
function endMove(position, seat, stream, events) {
  if (position.last_turns === null) {
    if (cardsUp(position, seat) < SLOTS) {
      position.phase = "knock";
      return;
    }
    position.went_out = seat;
    position.last_turns = position.players;
    events.push({ type: "went_out", player: seat });
  }
  endTurn(position, stream, events);
}

function endTurn(position, stream, events) {
  const before = position.to_act;
  position.turns += 1;
  position.phase = "turn";
  position.to_act = (before + 1) % position.players;
  if (position.last_turns !== null) {
    position.last_turns -= 1;
    if (position.last_turns === 0) {
      finishRound(position, stream, events);
      return;
    }
  }
  if (position.turns >= position.rules.max_turns) {
    position.phase = "over"; // cut off: nobody has won
    position.to_act = before;
    events.push({ type: "cut_off", turns: position.turns });
  }
}

function finishRound(position, stream, events) {
  const { round, rounds, hands, knocker } = position;
  const raw = hands.map(handPoints);
  const points = [...raw];
  if (knocker !== null && raw[knocker] > Math.min(...raw)) {
    points[knocker] = raw.reduce((a, b) => a + b);
  }
  if (round > 0) position.totals = position.totals.map((total, seat) => total + points[seat]);
  const totals = [...position.totals];
  events.push({ type: "round_end", round, hands: structuredClone(hands), raw, points, totals });
  if (round === rounds) {
    position.phase = "over";
    position.to_act = (position.to_act + position.players - 1) % position.players;
    position.face_up = hands.map(() => Array(SLOTS).fill(true));
    events.push({ type: "match_end", totals, winners: winnersOf(totals, Math.min(...totals)) });
    return;
  }
  position.round += 1;
  position.dealer = (position.dealer + 1) % position.players;
  events.push(dealRound(position, stream));
}

export function view(position, player) {
  const { draw_pile: pile, drawn } = position;
  const seen = {
    ...structuredClone(position),
    hands: position.hands.map((hand, seat) =>
      hand.map((card, slot) => (position.face_up[seat][slot] ? card : null)),
    ),
    draw_pile: pile.length,
    player,
  };
  const unseen = [...pile];
  if (drawn !== null && position.to_act !== player) {
    seen.drawn = "hidden";
    unseen.push(drawn);
  }
  if (position.refilled) {
    seen.draw_known = unseen.sort((a, b) => cardNumber(GAME, a) - cardNumber(GAME, b));
  }
  return { ...seen, legal: legalActions(seen) };
}

export function eventView(event, player) {
  if (event.type === "deal") return { ...event, hands: event.hands.map(() => Array(6).fill(null)) };
  if (event.type === "draw" && event.player !== player) return { ...event, card: "hidden" };
  return event;
}
