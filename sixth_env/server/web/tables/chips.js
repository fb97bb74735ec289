// The table of Sixes, the chip game: a column for each suit, the pot, the own hand.

import { CHIPS_RANKS, SUIT_NAMES, SYMBOLS, cardNumber, deckOf } from "../cards.js";
import { el } from "../dom.js";
import { playable } from "../legal.js";
import { lay } from "../rules/chips.js";
import { cardElement, openHands } from "./card.js";

const PASS = 40;

/** Change a view by an event. */
export function apply(view, event) {
  if (event.type === "deal") {
    Object.assign(view, structuredClone({ hands: event.hands }));
    Object.assign(view, { round: event.round, dealer: event.dealer, to_act: event.starter });
    Object.assign(view, { columns: { C: null, D: null, H: null, S: null }, pot: 0, phase: "play" });
  } else if (event.type === "play") {
    lay(view.columns, event.card);
    const hand = view.hands[event.player];
    view.hands[event.player] =
      typeof hand === "number" ? hand - 1 : hand.filter((card) => card !== event.card);
    view.to_act = (event.player + 1) % view.players;
  } else if (event.type === "pass") {
    view.chips[event.player] -= event.paid;
    view.pot += event.paid;
    view.to_act = (event.player + 1) % view.players;
  } else if (event.type === "round_end") {
    view.chips = [...event.chips];
    view.pot = 0;
  }
}

export function task(view) {
  if (!view.legal.some(({ action }) => action === PASS)) return "Play one of the marked cards.";
  return view.chips[view.player] > 0
    ? "None of your cards fits: you pay a chip and pass."
    : "None of your cards fits, and you have no chip left: you pass.";
}

export function score(view, seat) {
  const cards = view.hands[seat].length ?? view.hands[seat];
  const chips = view.chips[seat];
  return {
    main: `●${chips}`,
    note: `${cards} ${cards === 1 ? "card" : "cards"}`,
    label: `${chips} chips`,
  };
}

export function draw(view, options) {
  return [
    el(
      "section",
      { class: "columns", "aria-label": "Columns" },
      [..."CDHS"].map((suit) => column(view, suit)),
    ),
    pot(view, options),
    hands(view, options),
  ];
}

/** One suit, from the ace to the king; what can be played next is marked. */
function column(view, suit) {
  const ends = view.columns[suit];
  const rank = (card) => CHIPS_RANKS.indexOf(card.slice(0, -1));
  const open = new Set(playable(view.columns));
  const red = suit === "D" || suit === "H";
  const label = ends
    ? `${SUIT_NAMES[suit]}, from ${ends.low.slice(0, -1)} to ${ends.high.slice(0, -1)}`
    : `${SUIT_NAMES[suit]}, not begun`;
  const cells = CHIPS_RANKS.map((name, i) => {
    const laid = ends && rank(ends.low) <= i && i <= rank(ends.high);
    const next = open.has(cardNumber(view.game, name + suit));
    const kind = laid ? "laid" : next ? "next" : "";
    return el("span", { class: `cell ${kind} ${name === "6" ? "six" : ""}` }, name);
  });
  return el(
    "div",
    { class: `column ${red ? "red" : ""}`, role: "img", "aria-label": label },
    el("span", { class: "suit" }, SYMBOLS[suit]),
    cells,
  );
}

function pot(view, { actions }) {
  const pass = actions.get(PASS);
  const paying = view.chips[view.player ?? 0] > 0;
  return el(
    "section",
    { class: "pot" },
    el("span", { class: "money" }, `Pot: ●${view.pot}`),
    pass &&
      el(
        "button",
        { type: "button", class: "primary", "data-key": "pass", ...pass.attributes },
        paying ? "Pay a chip and pass" : "Pass",
      ),
  );
}

function hands(view, { actions, open }) {
  if (open) return openHands(view, open);
  const cards = view.hands[view.player].map((card) => {
    const action = actions.get(deckOf(view.game).indexOf(card));
    const hint = action && { hint: action.hint, best: action.best };
    return cardElement(view.game, card, {
      action: action?.attributes,
      key: `hand${card}`,
      ...hint,
    });
  });
  return el("section", { class: "hand many", "aria-label": "Your cards" }, cards);
}
