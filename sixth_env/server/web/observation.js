// A view as the integer columns that networks read. What each block means: docs/observation.md.
//
// A view is what /v1/act takes, with its whole "rules". Seats count from the observer: 0 itself,
// 1 the player to its left. A card's code is 1 + its number, 0 for none.

import { cardNumber, deckOf, pairPoints, penalties, rankPoints } from "./cards.js";
import { legalActions, numActions, placeFor, playable } from "./legal.js";

/** The blocks of a view's observation: arrays of integers by name, row by row. */
export function blocksOf(view) {
  if (!view.rules) throw new Error("the view needs its rules");
  const blocks = { sixes_chips: chipsBlocks, sixes_golf: golfBlocks }[view.game] ?? rowsBlocks;
  return blocks(view);
}

/**
 * The observation as an Int32Array.
 *
 * `table` lists the blocks with their `name`, `start` and `shape`: the `observation_table` of a
 * model's card, or `observation.blocks` of /v1/games/{game}.
 */
export function observationOf(view, table) {
  const last = table.at(-1);
  const columns = new Int32Array(last.start + sizeOf(last));
  const blocks = blocksOf(view);
  for (const block of table) {
    const values = blocks[block.name];
    if (values === undefined) throw new Error(`no block ${block.name} is known`);
    if (values.length !== sizeOf(block)) throw new Error(`block ${block.name} has another size`);
    columns.set(values, block.start);
  }
  return columns;
}

const sizeOf = (block) => block.shape.reduce((a, b) => a * b, 1);

/** The action mask as an Int32Array: 1 for each legal action. */
export function maskOf(view) {
  const mask = new Int32Array(numActions(view.game));
  for (const action of legalActions(view)) mask[action] = 1;
  return mask;
}

// --- What all games share -------------------------------------------------------------------------

/** The place of a seat as the observer counts. */
const place = (view, seat) => (seat - view.player + view.players) % view.players;

/** `most` values by relative seat, `of(seat)` each, 0 for seats that are not at the table. */
function bySeat(view, most, of) {
  const values = Array(most).fill(0);
  for (let seat = 0; seat < view.players; seat++) values[place(view, seat)] = of(seat);
  return values;
}

/** As `bySeat`, for lists of `width` values each, one after the other. */
function listsBySeat(view, most, width, of) {
  const lists = bySeat(view, most, (seat) => padded(of(seat), width));
  return lists.flatMap((list) => list || Array(width).fill(0));
}

const padded = (values, size) => [...values, ...Array(size - values.length).fill(0)];

const code = (game, card) => (card === null ? 0 : cardNumber(game, card) + 1);

/** How often each card of the deck is among `cards`. */
function counts(game, cards) {
  const found = Array(deckOf(game).length).fill(0);
  for (const card of cards) found[cardNumber(game, card)] += 1;
  return found;
}

const clip = (value, most) => Math.max(-most, Math.min(most, value));
const MAX_TOTAL = 9999;

// --- Rows games -----------------------------------------------------------------------------------

function rowsBlocks(view) {
  const { game, rules, player, rows, piles, revealed } = view;
  const waiting = view.phase === "row" ? revealed : [];
  const hand = counts(game, view.hands[player]);
  const seen = counts(game, [...rows.flat(), ...piles.flat(), ...waiting.map((r) => r.card)]);
  const unseen = hand.map((own, i) => (i < rules.cards ? rules.decks : 0) - seen[i] - own);
  return {
    row_cards: padded(
      rows.flatMap((row) =>
        padded(
          row.map((c) => code(game, c)),
          5,
        ),
      ),
      20,
    ),
    num_players: [view.players],
    decks: [rules.decks],
    cards: [rules.cards],
    hand_size: [rules.hand_size],
    num_rows: [rules.rows],
    row_length: [rules.row_length],
    cheapest: [rules.row_choice === "cheapest" ? 1 : 0],
    target_score: [rules.target_score ?? 0],
    rounds_left: [rules.num_rounds ? rules.num_rounds - view.round + 1 : 0],
    round: [Math.min(view.round, 999)],
    turn: [view.turn],
    phase: [["card", "row", "over"].indexOf(view.phase)],
    row_sizes: padded(
      rows.map((row) => row.length),
      4,
    ),
    row_points: padded(
      rows.map((row) => penalties(game, row)),
      4,
    ),
    revealed_cards: padded(
      waiting.map((r) => code(game, r.card)),
      10,
    ),
    ...fits(view, unseen),
    dealer: [place(view, view.dealer)],
    revealed_seats: padded(
      waiting.map((r) => place(view, r.player) + 1),
      10,
    ),
    points: bySeat(view, 10, (seat) => penalties(game, piles[seat])),
    totals: bySeat(view, 10, (seat) => clip(view.totals[seat], MAX_TOTAL)),
    hand,
    unseen,
    played: listsBySeat(view, 10, 10, (seat) => playedCodes(view, waiting, seat)),
    taken: taken(view),
  };
}

/** What is known of the row that each card would go to now. */
function fits(view, unseen) {
  const { game, rules, rows } = view;
  const cheapest = Math.min(...rows.map((row) => penalties(game, row)));
  const below = [0]; // unseen copies of lower cards, by card
  for (const copies of unseen) below.push(below.at(-1) + copies);
  const fit = { fit_free: [], fit_points: [], fit_between: [] };
  deckOf(game).forEach((card, number) => {
    const used = number < rules.cards;
    const { row } = placeFor(view, card);
    const end = row === null ? 0 : cardNumber(game, rows[row].at(-1));
    const free = row === null ? 0 : rules.row_length - rows[row].length;
    fit.fit_free.push(used ? free : 0);
    fit.fit_points.push(used ? (row === null ? cheapest : penalties(game, rows[row])) : 0);
    fit.fit_between.push(used ? below[number] - below[end] : 0);
  });
  return fit;
}

function playedCodes(view, waiting, seat) {
  const codes = padded(
    (view.played?.[seat] ?? []).map((card) => code(view.game, card)),
    10,
  );
  for (const { player, card } of waiting) {
    if (player === seat) codes[view.turn - 1] = code(view.game, card);
  }
  return codes;
}

/** Who has taken each card: a + 11 b, a >= b, for its two copies. */
function taken(view) {
  const takers = deckOf(view.game).map(() => []);
  view.piles.forEach((pile, seat) => {
    for (const card of pile) takers[cardNumber(view.game, card)].push(place(view, seat) + 1);
  });
  return takers.map(([a = 0, b = 0]) => Math.max(a, b) + 11 * Math.min(a, b));
}

// --- Chip game ------------------------------------------------------------------------------------

function chipsBlocks(view) {
  const { game, rules, columns, hands, player } = view;
  const ends = [..."CDHS"].map((suit) => columns[suit]);
  const rank = (card) => (cardNumber(game, card) % 10) + 1;
  const laid = ends.flatMap((column) =>
    deckOf(game)
      .slice(0, 10)
      .map((_, i) => (column && rank(column.low) <= i + 1 && i + 1 <= rank(column.high) ? 1 : 0)),
  );
  const hand = counts(game, hands[player]);
  const open = new Set(playable(columns));
  return {
    num_players: [view.players],
    starting_chips: [rules.starting_chips],
    rounds_left: [rules.num_rounds ? Math.max(0, rules.num_rounds - view.round + 1) : 0],
    cap_left: [rules.max_rounds - view.round + 1],
    round: [view.round],
    phase: [view.phase === "over" ? 1 : 0],
    pot: [view.pot],
    column_low: ends.map((column) => (column ? rank(column.low) : 0)),
    column_high: ends.map((column) => (column ? rank(column.high) : 0)),
    laid,
    playable: deckOf(game).map((_, number) => (open.has(number) ? 1 : 0)),
    dealer: [place(view, view.dealer)],
    starter: [place(view, view.starter)],
    to_act: [place(view, view.to_act)],
    hand,
    ...beyond(hand, laid),
    chips: bySeat(view, 8, (seat) => view.chips[seat]),
    hand_sizes: bySeat(view, 8, (seat) => hands[seat].length ?? hands[seat]),
    lacks: listsBySeat(view, 8, 40, (seat) => counts(game, view.lacks[seat])),
  };
}

/** What each card opens, going outwards from the six: own cards by their distance, others. */
function beyond(hand, laid) {
  const own = Array(40).fill(0);
  const others = Array(40).fill(0);
  const look = (card, step) => {
    for (let next = card + step, far = 1; inSuit(card, next); next += step, far++) {
      own[card] += far * hand[next];
      others[card] += 1 - hand[next] - laid[next];
    }
  };
  for (let card = 0; card < 40; card++) {
    if (laid[card]) continue;
    if (card % 10 <= 5) look(card, -1);
    if (card % 10 >= 5) look(card, 1);
  }
  return { own_beyond: own, others_beyond: others };
}

const inSuit = (card, other) => other >= 0 && Math.floor(other / 10) === Math.floor(card / 10);

// --- Golf game ------------------------------------------------------------------------------------

const GOLF = "sixes_golf";
const PHASES = ["reveal", "turn", "drawn", "knock", "over"];

function golfBlocks(view) {
  const { rules, hands, player } = view;
  const over = view.phase === "over"; // then it would be the next seat's turn, had play gone on
  const toAct = (view.to_act + (over ? 1 : 0)) % view.players;
  const phase = over && view.last_turns !== 0 ? "turn" : view.phase; // cut off by the cap
  const top = view.discard_pile[0];
  const drawn = view.drawn !== "hidden" && toAct === player ? view.drawn : null;
  const points = (card) => (card === null ? 0 : rankPoints(cardNumber(GOLF, card) >> 2));
  const facts = {
    num_players: [view.players],
    practice_round: [rules.practice_round ? 1 : 0],
    round: [view.round],
    rounds_left: [rules.num_rounds - Math.max(view.round, 1) + 1],
    max_turns: [rules.max_turns],
    turns_left: [rules.max_turns - view.turns],
    phase: PHASES.map((name) => (name === phase ? 1 : 0)),
    last_turns: [view.last_turns ?? 0],
    refilled: [view.refilled ? 1 : 0],
    draw_pile: [view.draw_pile],
    discard: [code(GOLF, top)],
    discard_points: [points(top)],
    discarded: counts(GOLF, view.discard_pile),
    dealer: [place(view, view.dealer)],
    to_act: [place(view, toAct)],
    knocker: [view.knocker === null ? 0 : place(view, view.knocker) + 1],
    went_out: [view.went_out === null ? 0 : place(view, view.went_out) + 1],
    drawn: [code(GOLF, drawn)],
    drawn_points: [points(drawn)],
    totals: bySeat(view, 8, (seat) => clip(view.totals[seat], MAX_TOTAL)),
    slots: listsBySeat(view, 8, 6, (seat) => hands[seat].map((card) => code(GOLF, card))),
    face_down: listsBySeat(view, 8, 6, (seat) => hands[seat].map((card) => (card ? 0 : 1))),
    slot_points: listsBySeat(view, 8, 6, (seat) => hands[seat].map(points)),
    ...unseenCards(view, drawn),
  };
  return { ...facts, ...expectations(view.players, facts) };
}

/** The cards that the draw pile may hold, and those that may lie face down. */
function unseenCards(view, drawn) {
  const decks = view.players > 4 ? 2 : 1;
  const left = deckOf(GOLF).map((card) => (card === "joker" ? 2 : 1) * decks);
  const shown = view.hands.flat().filter((card) => card !== null);
  for (const card of [...view.discard_pile, ...shown, ...(drawn ? [drawn] : [])]) {
    left[cardNumber(GOLF, card)] -= 1;
  }
  const known = counts(GOLF, view.draw_known ?? []);
  const hidden = left.map((copies, i) => copies - known[i]);
  return {
    draw_ranks: byRank(view.refilled ? known : left),
    hidden_ranks: byRank(hidden),
    draw_known: known,
  };
}

function byRank(copies) {
  const ranks = Array(14).fill(0);
  copies.forEach((n, card) => (ranks[card >> 2] += n));
  return ranks;
}

// A rank's code is 1 + rank, 0 for a hidden card. Points are in hundredths.
const rankCode = (cardCode) => (cardCode + 3) >> 2;

/** To the nearest integer, halves upwards. */
const whole = (hundredths) => Math.trunc(hundredths + 9999.5) - 9999;

function expectations(players, facts) {
  const ranks = facts.slots.map(rankCode);
  const means = unseenMeans(facts.hidden_ranks);
  const pile = pool(facts.draw_ranks);
  const pair = (a, b) => pairMean(facts.hidden_ranks, means, a, b);
  const handMean = (seat) =>
    [0, 2, 4].reduce((sum, i) => sum + pair(ranks[6 * seat + i], ranks[6 * seat + i + 1]), 0);
  const swap = (card) =>
    ranks.slice(0, 6).map((here, slot) => {
      const beside = ranks[slot ^ 1];
      if (card === 0) return 0;
      return whole(pair(card, beside) - pair(slot & 1 ? beside : here, slot & 1 ? here : beside));
    });
  const mates = (rank) => (rank >= 2 && rank <= 13 ? facts.draw_ranks[rank - 1] : 0);
  return {
    hand_mean: Array.from({ length: 8 }, (_, i) => (i < players ? whole(handMean(i)) : 0)),
    take: swap(rankCode(facts.discard[0])),
    put: swap(rankCode(facts.drawn[0])),
    mates: ranks.slice(0, 6).map((_, slot) => mates(ranks[slot ^ 1])),
    draw_mean: [whole((100 * (pile.high + pile.low)) / Math.max(pile.n, 1))],
    hidden_mean: [whole(means.perCard * (means.high + means.low))],
  };
}

/** Of a pool of cards by rank: how many, how many positive, the points of those, of the others. */
function pool(ranks) {
  let [positive, high] = [0, 0];
  for (let rank = 1; rank < 13; rank++) {
    positive += ranks[rank];
    high += ranks[rank] * rankPoints(rank);
  }
  return { n: positive + ranks[0] + ranks[13], positive, high, low: -ranks[0] - 2 * ranks[13] };
}

/** What `pairMean` needs to know of the cards that may lie face down. */
function unseenMeans(ranks) {
  const { n, positive, high, low } = pool(ranks);
  let both = high * (positive - 1) + low * (n - 1); // of all ordered pairs, less those that cancel
  for (let rank = 1; rank < 13; rank++) both -= ranks[rank] * (ranks[rank] - 1) * rankPoints(rank);
  const perPair = 200 / Math.max(n * (n - 1), 1);
  return { n, positive, high, low, perCard: 100 / Math.max(n, 1), both: perPair * both };
}

/** Expected points of two cards side by side, given by codes of ranks. */
function pairMean(hidden, means, a, b) {
  if (a > 0 && b > 0) return 100 * pairPoints(a - 1, b - 1);
  if (a + b === 0) return means.both;
  const points = rankPoints(a + b - 1);
  if (points < 0) return means.perCard * (points * means.n + means.low);
  const same = hidden[a + b - 1];
  return means.perCard * (points * (means.positive - 2 * same) + means.high + means.low);
}
