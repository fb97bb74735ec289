// How cards look.

import { SYMBOLS, isRed, penalty, pretty, spoken } from "../cards.js";
import { el } from "../dom.js";

/**
 * A card; a button if `action` is given: {action, onPlay, hint, best}.
 *
 * `card` null is a card face down.
 */
export function cardElement(game, card, { action = null, key, label, small, extra, ...more } = {}) {
  const rows = game === "sixth_card" || game === "six_nimmt";
  const points = card !== null && rows ? penalty(game, card) : null;
  const classes = [
    "card",
    card === null && "back",
    card !== null && isRed(card) && "red",
    small && "small",
    points > 1 && `costs c${points}`,
    extra,
  ];
  const name = card === null ? "card face down" : spoken(card);
  const spokenPoints = points === null ? "" : `, costs ${points}`;
  const attributes = {
    class: classes.filter(Boolean).join(" "),
    "aria-label": (label ?? name) + spokenPoints + (more.hint ? `, ${more.hint}` : ""),
    role: action ? null : "img",
    "data-key": key,
  };
  const face = card === null ? [] : faceOf(card, points);
  const hint = more.hint
    ? [el("span", { class: more.best ? "hint best" : "hint" }, more.hint)]
    : [];
  if (!action) return el("span", attributes, face, hint);
  return el("button", { ...attributes, type: "button", ...action }, face, hint);
}

function faceOf(card, points) {
  const text = String(card);
  if (text === "joker") return [el("span", { class: "rank joker" }, "Joker")];
  const suit = SYMBOLS[text.at(-1)];
  return [
    el("span", { class: "rank" }, suit ? text.slice(0, -1) : pretty(card)),
    suit && el("span", { class: "suit" }, suit),
    points !== null &&
      el("span", { class: "cost", title: `${points} penalty points` }, `${points}`),
  ];
}

/** The hands of all seats, open; `name` tells a seat's name. */
export function openHands(view, { name }) {
  return el(
    "section",
    { class: "open", "aria-label": "All hands" },
    view.hands.map((hand, seat) =>
      el(
        "div",
        { class: "openhand" },
        el("h3", {}, name(seat)),
        hand.map((card) => cardElement(view.game, card, { small: true })),
      ),
    ),
  );
}
