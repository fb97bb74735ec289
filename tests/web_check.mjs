// node web_check.mjs WEB FILE: compares the page's modules with the vectors in a JSON file and
// prints what differs, as JSON.

import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const [web, file] = process.argv.slice(2);
const load = (name) => import(new URL(name, pathToFileURL(`${web}/`)));
const { maskOf, observationOf } = await load("observation.js");
const { RULES, playReplay, readReplay } = await load("rules/index.js");
const { GAMES, rulesOf } = await load("local.js");
const { replays = [], views = [], deals = [], games = [], ruleSets = [] } = JSON.parse(fs.readFileSync(file, "utf8"));
const faults = [];

for (const { replay, story, last, seen } of replays) {
  const frames = [...playReplay(readReplay(replay))];
  const { game, players } = last;
  const note = (what) => faults.push(`${game} with ${players}: ${what}`);
  if (frames.length !== story.length + 1) note("another number of steps");
  frames.slice(1).forEach(({ events }, step) => {
    if (!isDeepStrictEqual(events, story[step])) note(`the events of step ${step}`);
  });
  const { position } = frames.at(-1);
  if (!isDeepStrictEqual(position, last)) note("the last position");
  seen.forEach((view, player) => {
    const { legal, ...facts } = RULES[game].view(position, player);
    const expected = { ...view, legal: undefined };
    if (!isDeepStrictEqual({ ...facts, legal: undefined }, expected)) note(`view of ${player}`);
    const numbers = view.legal.map(({ action }) => action);
    if (!isDeepStrictEqual(legal, numbers)) note(`legal actions of ${player}`);
  });
}

for (const { table, examples } of views) {
  examples.forEach(({ view, columns, mask }, row) => {
    const found = observationOf(view, table);
    for (const { name, start, shape } of table) {
      const end = start + shape.reduce((a, b) => a * b, 1);
      const equal = isDeepStrictEqual([...found.slice(start, end)], columns.slice(start, end));
      if (!equal) faults.push(`${view.game}, view ${row}: block ${name}`);
    }
    if (!isDeepStrictEqual([...maskOf(view)], mask)) faults.push(`${view.game}, view ${row}: mask`);
  });
}

for (const { position, stream } of deals) {
  const begun = RULES[position.game].begin(position.rules, stream);
  if (!isDeepStrictEqual(begun.position, position)) faults.push(`first deal of ${position.game}`);
}

for (const game of games) {
  const found = GAMES.find((offered) => offered.game === game.game);
  for (const [fact, value] of Object.entries(game)) {
    if (!isDeepStrictEqual(found[fact], value)) faults.push(`${fact} of ${game.game}`);
  }
}

for (const { chosen, rules } of ruleSets) {
  const found = rulesOf(rules.game, rules.num_players, chosen);
  const differ = Object.keys({ ...found, ...rules }).filter((name) => found[name] !== rules[name]);
  for (const name of differ) faults.push(`${name} of ${rules.game} with ${rules.num_players}`);
}

console.log(JSON.stringify(faults));
