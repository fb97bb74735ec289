// A replay, step by step, with all hands open.

import { drawBoard } from "./board.js";
import { byId, el } from "./dom.js";
import { playReplay, readReplay } from "./rules/index.js";
import { told } from "./words.js";

/** Read a replay file; throws an Error with a sentence if it is none. */
export function openReplay(text) {
  const frames = [...playReplay(readReplay(text))];
  const seats = frames[0].position.hands.map(() => ({ opponent: null }));
  let at = 0;
  let timer = null;

  function draw() {
    const { position, events } = frames[at];
    const end = events.findLastIndex(({ type }) => type === "round_end" || type === "deal");
    drawBoard({ ...position, draw_pile: position.draw_pile?.length }, seats, {
      open: {},
      active: position.to_act === undefined ? [] : [position.to_act],
    });
    const sentences = events.map((event) => told(event, null)).filter(Boolean);
    byId("status").textContent =
      at === 0 ? "The first deal." : end >= 0 ? sentences.join(" ") : (sentences.at(-1) ?? "");
    byId("status").classList.remove("mine");
    byId("log").replaceChildren(...sentences.map((sentence) => el("li", {}, sentence)));
    byId("position").max = frames.length - 1;
    byId("position").value = at;
    byId("step-number").textContent = `${at} / ${frames.length - 1}`;
    byId("back").disabled = at === 0;
    byId("forward").disabled = at === frames.length - 1;
  }

  function go(to) {
    at = Math.max(0, Math.min(frames.length - 1, to));
    draw();
    if (at === frames.length - 1) stop();
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    byId("run").textContent = "Play";
  }

  function run() {
    if (timer) return stop();
    if (at === frames.length - 1) go(0);
    timer = setInterval(() => go(at + 1), 1500);
    byId("run").textContent = "Pause";
    return null;
  }

  function keys(event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -frames.length, End: frames.length };
    if (event.key in steps && event.target.id !== "position") go(at + steps[event.key]);
  }

  return {
    show() {
      byId("replay-bar").hidden = false;
      byId("play-bar").hidden = true;
      byId("back").onclick = () => go(at - 1);
      byId("forward").onclick = () => go(at + 1);
      byId("run").onclick = run;
      byId("position").oninput = ({ target }) => go(Number(target.value));
      document.addEventListener("keydown", keys);
      draw();
    },
    close() {
      stop();
      document.removeEventListener("keydown", keys);
    },
  };
}
