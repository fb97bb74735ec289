// The page: choosing a match, playing it, watching a replay. `main` is given where matches come
// from: server.js or local.js.

import { byId } from "./dom.js";
import { openMatch } from "./play.js";
import { openReplay } from "./replay.js";
import { openStart } from "./start.js";

/** Show the page of a source of matches. */
export async function main(source) {
  document.body.addEventListener("keydown", moveFocus);
  byId("home").addEventListener("click", () => home());

  async function home() {
    closing?.();
    closing = null;
    screen("start");
    await openStart(source, { begin, watch });
  }

  async function begin(game, opponents, rules) {
    const match = await source.begin(game, opponents, rules);
    play(match);
  }

  function play(match) {
    screen("table");
    closing = openMatch(match, {
      again: () => {
        const names = match.state.seats.slice(1).map(({ opponent }) => opponent);
        return begin(match.state.view.game, names, chosenRules(match.state.view.rules));
      },
      home,
      watch,
    });
  }

  function watch(text) {
    const opened = openReplay(text); // throws for a file that is none
    closing?.();
    closing = opened.close;
    screen("table");
    opened.show();
  }

  let closing = null;
  const kept = await source.resume();
  if (kept) play(kept);
  else await home();
  return { home };
}

/** What a new match needs to know to be played by the same rules. */
function chosenRules({ num_rounds: rounds, target_score: target }) {
  if (rounds) return { num_rounds: rounds };
  return target ? { target_score: target } : {};
}

function screen(name) {
  for (const part of document.querySelectorAll("[data-screen]")) {
    part.hidden = part.dataset.screen !== name;
  }
  window.scrollTo(0, 0);
}

// --- Keyboard -------------------------------------------------------------------------------------

/** Arrow keys go from one possible move to the next, digits choose the n-th one, H asks for a hint. */
function moveFocus(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || byId("table").hidden) return;
  if (event.target.matches("input, select") || document.querySelector("dialog[open]")) return;
  const moves = [...document.querySelectorAll("#board button:not(:disabled)")];
  const here = moves.indexOf(document.activeElement);
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  if (event.key in steps && moves.length) {
    const next = here < 0 ? 0 : (here + steps[event.key] + moves.length) % moves.length;
    moves[next].focus();
  } else if (/^[0-9]$/.test(event.key)) {
    moves[(Number(event.key) + 9) % 10]?.click();
  } else if (event.key.toLowerCase() === "h") {
    byId("hint").click();
  } else {
    return;
  }
  event.preventDefault();
}
