// What the player of a view may do: action numbers as in /v1/games, for every game.

import { cardNumber } from "./cards.js";

export const WAIT = { sixth_card: 56, six_nimmt: 108, sixes_chips: 41, sixes_golf: 22 };

/** The legal actions of a view's player, ascending; `wait` alone if there is nothing to decide. */
export function legalActions(view) {
  const actions = { sixes_chips: chipsActions, sixes_golf: golfActions }[view.game] ?? rowsActions;
  const found = actions(view);
  return found.length ? found : [WAIT[view.game]];
}

/** How many numbers of actions a game has. */
export const numActions = (game) => WAIT[game] + 1;

// --- Rows games -----------------------------------------------------------------------------------

function rowsActions(view) {
  const ladder = WAIT[view.game] - 4;
  if (view.phase === "card" && view.chosen[view.player] === null) {
    const cards = view.hands[view.player].map((card) => cardNumber(view.game, card));
    return [...new Set(cards)].sort((a, b) => a - b);
  }
  if (view.phase !== "row" || view.revealed[0].player !== view.player) return [];
  return placeFor(view, view.revealed[0].card).choices.map((row) => ladder + row);
}

/**
 * Where a card goes: the row with the highest end not above it; of twin ends the shorter row, of
 * equally long ones the lower number. `row` is null if the card is too low for all; `choices` are
 * the rows among which its owner may choose, none where the rules decide.
 */
export function placeFor(table, card) {
  const number = cardNumber(table.game, card);
  const rows = table.rows.map((cards, row) => ({
    row,
    end: cardNumber(table.game, cards.at(-1)),
    size: cards.length,
  }));
  const fitting = rows.filter(({ end }) => end <= number);
  if (!fitting.length) return { row: null, choices: rows.map(({ row }) => row) };
  const best = fitting.reduce((a, b) =>
    b.end > a.end || (b.end === a.end && b.size < a.size) ? b : a,
  );
  const twins = fitting.filter(({ end, size }) => end === best.end && size === best.size);
  return { row: best.row, choices: twins.length > 1 ? twins.map(({ row }) => row) : [] };
}

// --- Chip game ------------------------------------------------------------------------------------

const PASS = 40;
const SIX_OF_DIAMONDS = 15;

function chipsActions(view) {
  if (view.phase !== "play" || view.to_act !== view.player) return [];
  const own = new Set(view.hands[view.player].map((card) => cardNumber(view.game, card)));
  const cards = playable(view.columns).filter((card) => own.has(card));
  return cards.length ? cards : [PASS];
}

/** The numbers of the cards that whoever holds them can play now, ascending. */
export function playable(columns) {
  if (Object.values(columns).every((column) => column === null)) return [SIX_OF_DIAMONDS];
  return ["C", "D", "H", "S"].flatMap((suit, i) => {
    const column = columns[suit];
    if (column === null) return [10 * i + 5];
    const low = cardNumber("sixes_chips", column.low);
    const high = cardNumber("sixes_chips", column.high);
    return [...(low > 10 * i ? [low - 1] : []), ...(high < 10 * i + 9 ? [high + 1] : [])];
  });
}

// --- Golf game ------------------------------------------------------------------------------------

export const TAKE = 6;
export const DRAW = 12;
export const PUT = 13;
export const DISCARD = 19;
export const KNOCK = 20;
export const END_TURN = 21;

const range = (first, end) => Array.from({ length: end - first }, (_, i) => first + i);

function golfActions(view) {
  if (view.phase === "over" || view.to_act !== view.player) return [];
  if (view.phase === "drawn") return range(PUT, DISCARD + 1);
  if (view.phase === "knock") return [KNOCK, END_TURN];
  const down = range(0, 6).filter((slot) => !view.face_up[view.player][slot]);
  return view.phase === "turn" ? [...down, ...range(TAKE, DRAW + 1)] : down;
}
