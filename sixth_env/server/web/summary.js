// The end of a round, or of the match: a table of scores.

import { byId, el, show } from "./dom.js";
import { roundEnd, seatName, verdict } from "./words.js";

/**
 * Show a summary until a button is pressed; resolves to its answer, null if it was just closed.
 *
 * `event` is a round's end, `result` the match's if it is over; `buttons` are [text, answer].
 */
export function showSummary({ event, result = null, seats, player, view }, buttons) {
  const dialog = byId("summary");
  const title = result ? verdict(result, player) : roundEnd(event, player);
  return new Promise((resolve) => {
    const answer = (value) => () => {
      resolve(value);
      dialog.close();
    };
    show(
      dialog,
      el("h2", { id: "summary-title" }, title),
      scores(event, result, seats, player, view),
      el(
        "div",
        { class: "buttons" },
        buttons.map(([text, value], i) =>
          el(
            "button",
            {
              type: "button",
              class: i ? "secondary" : "primary",
              onclick: answer(value),
              "data-answer": value,
            },
            text,
          ),
        ),
      ),
    );
    dialog.onclose = () => resolve(null);
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("button").focus();
  });
}

export const closeSummary = () => byId("summary").close();

function scores(event, result, seats, player, view) {
  const totals = result?.totals ?? event?.totals ?? event?.chips ?? view.totals ?? view.chips;
  const chips = view.game === "sixes_chips";
  const order = seats.map((_, seat) => seat);
  order.sort((a, b) => (chips ? totals[b] - totals[a] : totals[a] - totals[b]));
  const round = event?.points;
  return el(
    "table",
    {},
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", {}, "Player"),
        round && el("th", {}, "This round"),
        el("th", {}, chips ? "Chips" : "Total"),
      ),
    ),
    el(
      "tbody",
      {},
      order.map((seat) =>
        el(
          "tr",
          { class: seat === player ? "you" : "" },
          el("td", {}, seatName(seat, player), result?.winners.includes(seat) && " ★"),
          round && el("td", {}, `${round[seat]}`),
          el("td", {}, el("b", {}, `${totals[seat]}`)),
        ),
      ),
    ),
  );
}
