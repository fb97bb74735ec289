// A table on the screen: seats with their scores, and what the game draws below them.

import { byId, el, show } from "./dom.js";
import * as chips from "./tables/chips.js";
import * as golf from "./tables/golf.js";
import * as rows from "./tables/rows.js";
import { HELP, seatName, shortName } from "./words.js";

/** What a game's table does: apply, task, score, draw. */
export const TABLES = { sixth_card: rows, six_nimmt: rows, sixes_chips: chips, sixes_golf: golf };

/**
 * Draw a view.
 *
 * `actions` are the possible moves by number: {attributes, hint, best}. `open` shows all hands, in
 * a replay. `active` are the seats whose turn it is.
 */
export function drawBoard(view, seats, { actions = new Map(), open = null, active = [], ...more }) {
  const table = TABLES[view.game];
  const player = open ? null : view.player;
  const name = (seat) => seatName(seat, player);
  show(
    byId("seats-bar"),
    seats.map((seat, i) => seatElement(view, table, seat, i, name(i), active)),
  );
  const opened = open && { ...open, name };
  byId("seats-bar").classList.toggle("crowd", seats.length > 5);
  show(byId("board"), table.draw(view, { actions, open: opened, name, ...more }));
  byId("board").className = view.game;
  byId("help").textContent = HELP[view.game];
}

function seatElement(view, table, { opponent }, seat, name, active) {
  const { main, note, label } = table.score(view, seat);
  const classes = ["seat", active.includes(seat) && "active", name === "You" && "you"];
  const dealer = view.dealer === seat ? ", deals" : "";
  return el(
    "li",
    { class: classes.filter(Boolean).join(" ") },
    el(
      "span",
      { class: "who" },
      el("b", {}, name),
      view.dealer === seat &&
        el("span", { class: "dealer", title: "deals", "aria-hidden": "true" }, "D"),
      opponent && el("small", {}, shortName(opponent)),
    ),
    el("span", { class: "score", "aria-label": label + dealer }, main),
    el("small", { class: "note" }, note),
  );
}
