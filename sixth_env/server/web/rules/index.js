// The rules of all games, and replays played again.

import * as chips from "./chips.js";
import * as golf from "./golf.js";
import * as rows from "./rows.js";

export const RULES = {
  sixth_card: rows,
  six_nimmt: rows,
  sixes_chips: chips,
  sixes_golf: golf,
};

/** A replay file as an object; its seed may be larger than a JavaScript number can hold. */
export function readReplay(text) {
  const replay = JSON.parse(text.replace(/("seed"\s*:\s*)(\d+)/g, '$1"$2"'));
  const game = replay?.position?.game;
  if (!(game in RULES) || !replay.stream || !Array.isArray(replay.actions)) {
    throw new Error("this file is no replay of one of the games");
  }
  return replay;
}

/** The positions of a replay, each with the events that led to it. */
export function* playReplay(replay) {
  const { position: first, stream, actions } = replay;
  const rules = RULES[first.game];
  const position = structuredClone(first);
  yield { position: structuredClone(position), events: [] };
  for (const step of actions) {
    const seats = rules.deciding(position);
    if (!seats.length) throw new Error("the replay goes on after the end of its match");
    const bySeat = Array(position.players).fill(null);
    for (const seat of seats) {
      bySeat[seat] = step.length === 1 ? step[0] : step[seat];
      if (!rules.view(position, seat).legal.includes(bySeat[seat])) {
        throw new Error(`the replay has an action ${bySeat[seat]} that is not legal`);
      }
    }
    const events = rules.step(position, bySeat, stream);
    yield { position: structuredClone(position), events };
  }
}
