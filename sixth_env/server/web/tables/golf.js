// The table of Sixes, the golf game: piles, the own six cards, and those of the others.

import { el } from "../dom.js";
import { golfRank, handPoints, pairPoints, spoken } from "../cards.js";
import { DISCARD, DRAW, END_TURN, KNOCK, PUT, TAKE } from "../legal.js";
import { cardElement } from "./card.js";

/** Change a view by an event. */
export function apply(view, event) {
  const { player, slot } = event;
  if (event.type === "deal") {
    Object.assign(view, structuredClone({ hands: event.hands, discard_pile: [event.discard] }));
    Object.assign(view, { round: event.round, dealer: event.dealer, drawn: null, phase: "reveal" });
    view.face_up = event.hands.map(() => Array(6).fill(false));
    view.draw_pile = (view.players > 4 ? 108 : 54) - 6 * view.players - 1;
    Object.assign(view, { knocker: null, went_out: null, last_turns: null, to_act: event.dealer });
    return;
  }
  if (player !== undefined) view.to_act = player;
  if (event.type === "turn_up") {
    view.hands[player][slot] = event.card;
    view.face_up[player][slot] = true;
  } else if (event.type === "refill") {
    view.draw_pile = view.discard_pile.length - 1;
    view.discard_pile = view.discard_pile.slice(0, 1);
  } else if (event.type === "draw") {
    view.draw_pile -= 1;
    view.drawn = event.card;
  } else if (event.type === "discard_drawn") {
    view.drawn = null;
    view.discard_pile = [event.card, ...view.discard_pile];
  } else if (event.type === "take_discard" || event.type === "swap_drawn") {
    const rest = event.type === "take_discard" ? view.discard_pile.slice(1) : view.discard_pile;
    view.drawn = null;
    view.hands[player][slot] = event.card;
    view.face_up[player][slot] = true;
    view.discard_pile = [event.replaced, ...rest];
  } else if (event.type === "knock") {
    view.knocker = player;
  } else if (event.type === "went_out") {
    view.went_out = player;
  } else if (event.type === "round_end") {
    view.hands = structuredClone(event.hands);
    view.face_up = event.hands.map(() => Array(6).fill(true));
    view.totals = [...event.totals];
  }
}

export function task(view, mode) {
  const last = view.last_turns > 0 ? " This is your last turn." : "";
  if (mode === "take") return "Choose the card that the discard replaces.";
  if (view.phase === "reveal") return "Turn up two of your cards.";
  if (view.phase === "drawn")
    return `Choose the card that the drawn one replaces, or discard it.${last}`;
  if (view.phase === "knock")
    return "Knock, or go on? After a knock everybody else has one more turn.";
  return `Draw a card, take the discard, or turn up one of your cards.${last}`;
}

export function score(view, seat) {
  const note = view.knocker === seat ? "knocked" : view.went_out === seat ? "went out" : "";
  return { main: `${view.totals[seat]}`, note, label: `${view.totals[seat]} points` };
}

export function draw(view, options) {
  const { player, players } = view;
  const own = options.open ? null : player;
  const others = Array.from({ length: players }, (_, i) => ((own ?? -1) + 1 + i) % players);
  return [
    el(
      "section",
      {
        class: options.open ? "layouts" : "layouts others",
        "aria-label": options.open ? "Hands" : "The others",
      },
      others.filter((seat) => seat !== own).map((seat) => layout(view, seat, options)),
    ),
    el(
      "div",
      { class: "middle" },
      piles(view, options),
      own === null ? null : layout(view, own, options),
      questions(options),
    ),
  ];
}

/** Six cards, whose pairs lie side by side. */
function layout(view, seat, options) {
  const own = seat === view.player && !options.open;
  const hand = view.hands[seat];
  const paired = [0, 2, 4].map((slot) => {
    const [a, b] = [hand[slot], hand[slot + 1]];
    const up = view.face_up[seat][slot] && view.face_up[seat][slot + 1];
    return up && pairPoints(golfRank(a), golfRank(b)) <= 0;
  });
  const cards = hand.map((card, slot) => {
    const up = view.face_up[seat][slot];
    const extra = [!up && card !== null && "down", paired[slot >> 1] && "paired"]
      .filter(Boolean)
      .join(" ");
    return slotCard(view, card, slot, { own, extra, options });
  });
  const whole = view.face_up[seat].every(Boolean) && hand.every((card) => card !== null);
  const caption = options.name(seat) + (whole ? `: ${handPoints(hand)}` : "");
  const turn = view.to_act === seat && view.phase !== "over";
  return el(
    "figure",
    { class: `layout ${own ? "own" : ""} ${turn ? "turn" : ""}` },
    el("figcaption", {}, own ? (whole ? caption : "Your cards") : caption),
    el("div", { class: "slots" }, cards),
  );
}

function slotCard(view, card, slot, { own, extra, options }) {
  const { actions, mode } = options;
  const found = own ? actionFor(actions, mode, slot) : null;
  const what = card === null ? `card ${slot + 1}, face down` : `card ${slot + 1}, ${spoken(card)}`;
  return cardElement("sixes_golf", card, {
    action: found?.attributes,
    hint: found?.hint,
    best: found?.best,
    key: own ? `slot${slot}` : null,
    label: what,
    small: !own,
    extra,
  });
}

/** What a tap on an own card does: turn it up, or put the drawn card or the discard there. */
function actionFor(actions, mode, slot) {
  if (mode === "take") return actions.get(TAKE + slot);
  return actions.get(PUT + slot) ?? actions.get(slot);
}

function piles(view, { actions, mode, setMode }) {
  const drawing = actions.get(DRAW);
  const takes = [...actions].filter(([action]) => action >= TAKE && action < DRAW);
  const discarding = actions.get(DISCARD);
  const best = takes.find(([, { best: found }]) => found)?.[1];
  const pick = takes.length
    ? {
        onclick: () => setMode(mode === "take" ? null : "take"),
        "aria-pressed": String(mode === "take"),
      }
    : null;
  const top = view.discard_pile[0];
  return el(
    "section",
    { class: "piles" },
    pile(
      `Draw pile (${view.draw_pile})`,
      cardElement("sixes_golf", null, {
        action: drawing?.attributes,
        hint: drawing?.hint,
        best: drawing?.best,
        key: "draw",
        label: "Draw a card",
      }),
    ),
    view.drawn !== null &&
      pile(
        "Drawn",
        cardElement("sixes_golf", view.drawn === "hidden" ? null : view.drawn, { extra: "chosen" }),
      ),
    pile(
      discarding ? "Discard it" : mode === "take" ? "Cancel" : "Discards",
      cardElement("sixes_golf", top, {
        action: discarding?.attributes ?? pick,
        hint: discarding?.hint ?? (best && mode !== "take" ? best.hint : null),
        best: discarding?.best ?? true,
        key: "discard",
        label: discarding ? "Discard the drawn card" : `Take the discard, ${spoken(top)}`,
        extra: mode === "take" ? "chosen" : "",
      }),
    ),
  );
}

const pile = (caption, card) =>
  el("figure", { class: "pile" }, card, el("figcaption", {}, caption));

function questions({ actions }) {
  if (!actions.has(KNOCK)) return null;
  const button = (number, text, kind) => {
    const { attributes, hint, best } = actions.get(number);
    const badge = hint && el("span", { class: best ? "hint best" : "hint" }, hint);
    return el(
      "button",
      { type: "button", class: kind, "data-key": `answer${number}`, ...attributes },
      text,
      badge,
    );
  };
  return el(
    "section",
    { class: "questions" },
    button(END_TURN, "Go on", "primary"),
    button(KNOCK, "Knock", "secondary"),
  );
}
