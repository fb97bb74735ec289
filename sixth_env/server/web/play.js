// A match that a person plays: moves, the story of the others' moves, hints, summaries.

import { TABLES, drawBoard } from "./board.js";
import { byId, el, pause, show } from "./dom.js";
import { WAIT } from "./legal.js";
import { closeSummary, showSummary } from "./summary.js";
import { told } from "./words.js";

const PACE = { deal: 300, reveal: 1100, place: 700, take: 1100, draw: 700, round_end: 600 };
const USUAL = 800; // milliseconds for other events

/** Show a match; `next` is what may follow it: again, home, watch. Returns how to close it. */
export function openMatch(match, next) {
  const { player, seats } = match.state;
  let shown = structuredClone(match.state.view); // what the table shows, a while behind the match
  let hints = null;
  let mode = null;
  let closed = false;
  const log = [];

  byId("replay-bar").hidden = true;
  byId("play-bar").hidden = false;
  byId("hint").hidden = !match.canHint;
  byId("hint").onclick = () => askHint();
  byId("skip").onclick = () => (hurry = true);
  let hurry = false;

  // --- Showing ------------------------------------------------------------------------------------

  /** Draw the table as it is now, with the moves that are possible. */
  function draw({ playing = false } = {}) {
    const { state } = match;
    const mine = !playing && state.to_move;
    const active = playing ? [] : mine ? [player] : [];
    const actions = mine ? possible(state.view.legal) : new Map();
    drawBoard(shown, seats, { actions, active, mode, setMode });
    byId("hint").disabled = !mine || actions.size < 2;
    byId("skip").hidden = !playing;
    byId("log").replaceChildren(
      ...log
        .slice(-40)
        .reverse()
        .map((text) => el("li", {}, text)),
    );
    if (mine) say(TABLES[shown.game].task(state.view, mode), true);
  }

  function say(text, mine = false) {
    byId("status").textContent = text;
    byId("status").classList.toggle("mine", mine);
  }

  function setMode(chosen) {
    mode = chosen;
    draw();
  }

  function possible(legal) {
    const values = hints?.legal.map(({ expected }) => expected).filter((x) => x !== undefined);
    const least = values?.length ? Math.min(...values) : null;
    return new Map(
      legal
        .filter(({ action }) => action !== WAIT[shown.game])
        .map(({ action }) => {
          const hint = hints?.legal.find((option) => option.action === action);
          const value = hint?.expected;
          const words = value === undefined ? null : value.toFixed(1).replace("-0.0", "0.0");
          const best = value === undefined ? hints?.action === action : value === least;
          const attributes = { "data-action": action, onclick: () => move(action) };
          return [action, { attributes, hint: words, best }];
        }),
    );
  }

  // --- Playing ------------------------------------------------------------------------------------

  async function move(action) {
    hints = null;
    mode = null;
    showChosen(action);
    match.state.to_move = false;
    draw();
    say("The others are thinking …");
    try {
      await match.move(action);
    } catch (error) {
      await failed(error);
      return;
    }
    await follow();
  }

  /** A card that is played lies apart from the hand until all are turned over. */
  function showChosen(action) {
    if (shown.phase !== "card") return;
    const names = [...document.querySelectorAll(`#board [data-action="${action}"]`)];
    names[0]?.classList.add("chosen");
    const card = shown.hands[player].find((_, i) => numberOf(i) === action);
    shown.chosen = shown.chosen.with(player, card ?? null);
  }

  const numberOf = (i) => {
    const options = document.querySelectorAll("#board .hand [data-action]");
    return Number(options[i]?.dataset.action);
  };

  /** Show what has happened, one event after the other, then what there is to do. */
  async function follow() {
    hurry = false;
    for (const event of match.state.events) {
      if (closed) return;
      await showEvent(event);
    }
    if (closed) return;
    shown = structuredClone(match.state.view);
    draw();
    if (match.state.over) await finish();
    else if (!match.state.to_move) say("Waiting for the others …");
  }

  async function showEvent(event) {
    TABLES[shown.game].apply(shown, event);
    const sentence = told(event, player);
    if (sentence) {
      log.push(sentence);
      say(sentence);
    }
    draw({ playing: true });
    if (sentence) say(sentence);
    const milliseconds = speed() * (PACE[event.type] ?? USUAL);
    for (let waited = 0; waited < milliseconds && !hurry && !closed; waited += 50) await pause(50);
    if (event.type === "round_end" && !endsMatch()) {
      await showSummary({ event, seats, player, view: shown }, [["Next round", "next"]]);
    }
  }

  const endsMatch = () => match.state.over;

  async function finish() {
    const { result, events } = match.state;
    say("The match is over.");
    const event = events.findLast(({ type }) => type === "round_end") ?? null;
    const buttons = [
      ["New match", "again"],
      ["Other games", "home"],
      ["Watch the replay", "watch"],
      ["Save the replay", "save"],
    ];
    for (;;) {
      const answer = await showSummary({ event, result, seats, player, view: shown }, buttons);
      if (answer === "save") save(await match.replay(), shown.game);
      else if (answer === "watch") return next.watch(await match.replay());
      else if (answer) {
        await match.leave();
        return answer === "again" ? next.again() : next.home();
      } else return null;
    }
  }

  async function failed(error) {
    byId("status").classList.remove("mine");
    const retry = el("button", { type: "button" }, "Try again");
    show(byId("status"), `Sorry: ${error.message}. `, retry);
    retry.onclick = async () => {
      say("Trying again …");
      try {
        await match.refresh?.();
        await follow();
      } catch (again) {
        await failed(again);
      }
    };
  }

  async function askHint() {
    say("Looking ahead …");
    byId("hint").disabled = true;
    const before = match.state;
    try {
      const found = await match.hint();
      if (match.state !== before || !match.state.to_move) return;
      hints = found;
      draw();
      const unit = found.unit ?? "points";
      say(`The ${unit} that each move costs on average: less is better.`, true);
    } catch (error) {
      say(`Sorry: ${error.message}.`);
    }
  }

  follow();
  return () => {
    closed = true;
    closeSummary();
  };
}

/** How slowly events are shown: 0 not at all; ?speed= in the address overrules the choice. */
function speed() {
  const given = new URLSearchParams(location.search).get("speed");
  return Number(given ?? byId("pace").value);
}

function save(text, game) {
  const link = el("a", {
    href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
    download: `${game}-replay.json`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
