// The table of Sixth Card and 6 nimmt!: seats, rows, revealed cards, the own hand.

import { cardNumber, deckOf, penalties, pretty } from "../cards.js";
import { el } from "../dom.js";
import { placeFor } from "../legal.js";
import { points } from "../words.js";
import { cardElement, openHands } from "./card.js";

/** Change a view by an event, as the cards move on the table. */
export function apply(view, event) {
  const seats = view.hands.map((_, seat) => seat);
  if (event.type === "deal") {
    Object.assign(view, structuredClone({ rows: event.rows, hands: event.hands }));
    Object.assign(view, { round: event.round, dealer: event.dealer, turn: 1, phase: "card" });
    Object.assign(view, { revealed: [], piles: seats.map(() => []), chosen: seats.map(() => 0) });
  } else if (event.type === "reveal") {
    view.revealed = [...event.cards];
    view.turn = event.turn;
    for (const { player, card } of event.cards) removeCard(view, player, card);
  } else if (event.type === "row_decision") {
    view.phase = "row";
  } else if (event.type === "take") {
    view.piles[event.player] = [...view.piles[event.player], ...event.cards];
    view.rows[event.row] = [];
  } else if (event.type === "place") {
    view.phase = "card";
    view.rows[event.row] = [...view.rows[event.row], event.card];
    view.revealed = view.revealed.filter(({ player }) => player !== event.player);
  } else if (event.type === "round_end") {
    view.totals = event.totals;
    view.piles = seats.map(() => []); // counted in the totals now
  }
}

function removeCard(view, player, card) {
  const hand = view.hands[player];
  if (typeof hand === "number") view.hands[player] = hand - 1;
  else view.hands[player] = hand.toSpliced(hand.indexOf(card), 1);
}

/** What the person has to do now. */
export function task(view) {
  if (view.phase !== "row") return "Choose a card to play.";
  const card = view.revealed[0].card;
  const tooLow = placeFor(view, card).row === null;
  return tooLow
    ? `Your ${pretty(card)} is lower than every row: choose a row to take.`
    : `Choose a row for your ${pretty(card)}.`;
}

/** What a seat shows beside its name: this round's points, and those of the rounds before. */
export function score(view, seat) {
  const now = penalties(view.game, view.piles[seat]);
  const total = view.phase === "over" ? view.totals[seat] : view.totals[seat] + now;
  return { main: `${total}`, note: now ? `+${now} this round` : "", label: points(total) };
}

/** The two parts of the table: what lies in the middle, and the own hand. */
export function draw(view, options) {
  return [
    el("section", { class: "rows", "aria-label": "Rows" }, rows(view, options)),
    revealed(view, options),
    hands(view, options),
  ];
}

function rows(view, { actions }) {
  const { game, rules } = view;
  return view.rows.map((cards, row) => {
    const action = actions.get(deckOf(game).length + row);
    const sum = penalties(game, cards);
    const places = Array.from({ length: rules.row_length }, (_, i) =>
      i < cards.length
        ? cardElement(game, cards[i], { extra: i === cards.length - 1 ? "end" : "" })
        : el("span", { class: "card place", "aria-hidden": "true" }),
    );
    const full = cards.length === rules.row_length;
    const label = `Row ${row + 1}, ${points(sum)}${full ? ", full" : ""}`;
    const inside = [
      ...places,
      el(
        "span",
        { class: full ? "sum full" : "sum", "aria-hidden": "true" },
        `${sum}`,
        el("small", {}, full ? " full" : sum === 1 ? " point" : " points"),
      ),
    ];
    if (!action) return el("div", { class: "row", role: "group", "aria-label": label }, inside);
    const { hint, best, attributes } = action;
    const badge = hint && el("span", { class: best ? "hint best" : "hint" }, hint);
    const take = { class: "row choice", type: "button", "data-key": `row${row}`, ...attributes };
    return el(
      "button",
      { ...take, "aria-label": `Take ${label}${hint ? `, ${hint}` : ""}` },
      inside,
      badge,
    );
  });
}

function revealed(view, { name }) {
  if (!view.revealed.length) return null;
  return el(
    "section",
    { class: "revealed", "aria-label": "Cards played, lowest first" },
    view.revealed.map(({ player, card }, i) =>
      el(
        "figure",
        { class: i === 0 ? "next" : "" },
        cardElement(view.game, card),
        el("figcaption", {}, name(player)),
      ),
    ),
  );
}

function hands(view, { actions, open }) {
  if (open) return openHands(view, open);
  const { game, player } = view;
  const cards = view.hands[player].map((card, i) => {
    const action = actions.get(cardNumber(game, card));
    const hint = action && { hint: action.hint, best: action.best };
    const extra = view.chosen?.[player] === card ? "chosen" : "";
    return cardElement(game, card, {
      action: action?.attributes,
      key: `hand${card}-${i}`,
      extra,
      ...hint,
    });
  });
  return el("section", { class: "hand", "aria-label": "Your cards" }, cards);
}
