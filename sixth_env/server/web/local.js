// Matches without a server: the rules in rules/, opponents by onnxruntime-web or simple ones.
// The same interface as server.js.

import { legalActions, WAIT, placeFor } from "./legal.js";
import { deckOf, penalties } from "./cards.js";
import { loadOpponent } from "./onnx.js";
import { newStream } from "./rules/random.js";
import { RULES } from "./rules/index.js";

const ROWS = { hand_size: 10, rows: 4, row_length: 5, row_choice: "player", reward: "penalty" };
/** The games as Python has them, and what rulesOf adds to their rules; a test compares them. */
export const GAMES = [
  {
    game: "sixth_card",
    title: "Sixth Card",
    players: [2, 10],
    unit: "points",
    rules: { ...ROWS, cards: 52, exact_deck: false, target_score: 66, num_rounds: null },
  },
  {
    game: "six_nimmt",
    title: "6 nimmt!",
    players: [2, 10],
    unit: "points",
    rules: { ...ROWS, cards: 104, exact_deck: false, target_score: 66, num_rounds: null },
  },
  {
    game: "sixes_chips",
    title: "Sixes (chips)",
    players: [2, 8],
    unit: "chips lost",
    rules: { starting_chips: 10, num_rounds: null, max_rounds: 250, reward: "chips" },
  },
  {
    game: "sixes_golf",
    title: "Sixes (golf)",
    players: [2, 8],
    unit: "points",
    rules: { num_rounds: 6, practice_round: false, max_turns: 240, reward: "points" },
  },
];

const inRows = (game) => game === "sixth_card" || game === "six_nimmt";
const random = (list) => list[Math.floor(Math.random() * list.length)];

/** Opponents that need no model. */
const SIMPLE = {
  random: async (view) => random(legalActions(view)),
  /** Plays the card that fits closest, or takes the cheapest row. */
  closest: async (view) => closest(view),
};

function closest(view) {
  const ladder = deckOf(view.game).length;
  const legal = legalActions(view);
  const cost = (action) => {
    if (action >= ladder) return penalties(view.game, view.rows[action - ladder]);
    const { row } = placeFor(view, deckOf(view.game)[action]);
    if (row === null) return 1000 + action;
    const cards = view.rows[row];
    const full = cards.length === view.rules.row_length;
    return (full ? 2000 : 0) + action - deckOf(view.game).indexOf(cards.at(-1));
  };
  return legal.reduce((a, b) => (cost(b) < cost(a) ? b : a));
}

/** A source of matches with the models that have been added to it. */
export function localTable() {
  const models = new Map(); // of each game, opponents by name

  return {
    games: async () => GAMES,

    opponents: async (game) => {
      const simple = inRows(game) ? ["closest", "random"] : ["random"];
      const own = [...(models.get(game)?.keys() ?? [])];
      return [
        ...own.map((name, i) => ({ name, kind: "shipped", default: i === 0 })),
        ...simple.map((name, i) => ({ name, kind: "built-in", default: !own.length && i === 0 })),
      ];
    },

    /** Add an exported opponent; its game. */
    async add(ort, model, card) {
      const opponent = await loadOpponent(ort, model, card);
      if (!models.has(card.game)) models.set(card.game, new Map());
      models.get(card.game).set(card.name, opponent.act);
      return card.game;
    },

    async begin(game, opponents, chosen) {
      const act = (name) => models.get(game)?.get(name) ?? SIMPLE[name];
      return playMatch(rulesOf(game, opponents.length + 1, chosen), opponents, opponents.map(act));
    },

    resume: async () => null,
  };
}

/** The whole rule set of a match, as in sixth_env/games. */
export function rulesOf(game, players, chosen) {
  const rules = { game, num_players: players, ...GAMES.find((g) => g.game === game).rules };
  if (game === "sixth_card") rules.decks = players > 4 ? 2 : 1;
  if (game === "six_nimmt") rules.decks = 1;
  if (chosen.num_rounds && "target_score" in rules) rules.target_score = null;
  return { ...rules, ...chosen };
}

/** A match of a person in seat 0 against opponents, each an async function of a view. */
async function playMatch(rules, names, opponents) {
  const game = RULES[rules.game];
  const stream = newStream();
  const { position, events: dealt } = game.begin(rules, stream);
  const first = structuredClone(position);
  const recorded = [];
  const seats = [null, ...names].map((opponent) => ({
    kind: opponent ? "opponent" : "person",
    opponent,
  }));

  async function decide(mine) {
    const actions = Array(rules.num_players).fill(null);
    for (const seat of game.deciding(position)) {
      actions[seat] = seat === 0 ? mine : await opponents[seat - 1](game.view(position, seat));
    }
    return actions;
  }

  /** Steps until the person has to decide; `mine` is its action in the first one. */
  async function playOn(events, mine = null) {
    let action = mine;
    while (
      game.deciding(position).length &&
      (action !== null || !game.deciding(position).includes(0))
    ) {
      const actions = await decide(action);
      recorded.push(asRecorded(rules.game, actions));
      events.push(...game.step(position, actions, stream));
      action = null;
    }
    match.state = stateOf(events);
    return match.state;
  }

  function stateOf(events) {
    const seen = game.view(position, 0);
    const over = position.phase === "over";
    return {
      player: 0,
      seats,
      view: { ...seen, legal: seen.legal.map((action) => ({ action })) },
      events: events.map((event) => game.eventView(event, 0)),
      to_move: game.deciding(position).includes(0),
      over,
      result: over ? resultOf(position, events) : null,
      notes: [],
    };
  }

  const match = {
    state: null,
    canHint: false,
    move: (action) => playOn([], action),
    replay: async () =>
      JSON.stringify({ position: first, stream, actions: recorded }).replace(
        /"seed":"(\d+)"/,
        '"seed":$1',
      ),
    leave: async () => null,
  };
  await playOn(dealt);
  return match;
}

/** The actions of a step as replays hold them: of every seat in the rows games, else of one. */
function asRecorded(game, actions) {
  if (!inRows(game)) return actions.filter((action) => action !== null);
  return actions.map((action) => action ?? WAIT[game]);
}

function resultOf(position, events) {
  const end = events.findLast((event) => event.type === "match_end");
  const totals = position.totals ?? position.chips;
  return { totals, winners: end?.winners ?? [], cut_off: !end };
}
