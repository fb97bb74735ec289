// The first screen: which game, how many players, against whom, how long.

import { byId, el, show } from "./dom.js";
import { seatName, strengthName } from "./words.js";

const ABOUT = {
  sixth_card: "Lay cards on four rows. Whoever lays the sixth card of a row takes it.",
  six_nimmt: "The same with 104 numbers.",
  sixes_chips: "Build from the sixes. Who cannot play pays a chip.",
  sixes_golf: "Six cards face down: swap high ones away, pair equal ones.",
};
const ROUNDS = [
  ["1 round", { num_rounds: 1 }],
  ["3 rounds", { num_rounds: 3 }],
];
const KEPT = "sixth_env.choice";

/** What was chosen last, or is to be chosen first: {game, players, opponent, length}. */
const readChoice = () => JSON.parse(localStorage.getItem(KEPT) ?? "{}");
const keepChoice = (choice) => localStorage.setItem(KEPT, JSON.stringify(choice));
export const prefer = (choice) => keepChoice({ ...readChoice(), ...choice });

/** Show the form; `begin(game, opponents, rules)` and `watch(text)` are what it leads to. */
export async function openStart(source, { begin, watch }) {
  const problem = byId("problem");
  const fail = (error) => (problem.textContent = `Sorry: ${error.message}.`);
  problem.textContent = "";
  byId("watch").onchange = async ({ target }) => {
    const [file] = target.files;
    target.value = "";
    try {
      if (file) watch(await file.text());
    } catch (error) {
      fail(error);
    }
  };
  try {
    await fillForm(await source.games(), source, begin, fail);
  } catch (error) {
    fail(error);
  }
}

async function fillForm(games, source, begin, fail) {
  const form = byId("choices");
  const kept = readChoice();
  const field = (name) => form.elements[name];
  show(
    byId("games"),
    games.map((game, i) => gameChoice(game, kept.game ?? games[0].game)),
  );

  /** Players and opponents of the chosen game. */
  async function chooseGame() {
    const game = games.find(({ game: id }) => id === field("game").value);
    const [least, most] = game.players;
    const wanted = kept.players ?? 4;
    const counts = Array.from({ length: most - least + 1 }, (_, i) => least + i);
    options(
      field("players"),
      counts.map((n) => [n, `${n}`]),
      Math.min(wanted, most),
    );
    options(
      field("rounds"),
      lengths(game).map(([text], i) => [i, text]),
      kept.length ?? 2,
    );
    const opponents = await source.opponents(game.game);
    const standard = opponents.find((opponent) => opponent.default) ?? opponents[0];
    const names = opponents.map(({ name }) => [name, strengthName(name)]);
    options(
      field("opponent"),
      names,
      names.some(([n]) => n === kept.opponent) ? kept.opponent : standard.name,
    );
    chooseEach();
    form.dataset.ready = game.game;
  }

  function chooseEach() {
    const each = field("each").checked;
    field("opponent").closest("label").hidden = each;
    const names = [...field("opponent").options].map(({ value, text }) => [value, text]);
    const seats = each ? Number(field("players").value) - 1 : 0;
    show(
      byId("seats"),
      Array.from({ length: seats }, (_, i) => {
        const select = el("select", { name: `seat${i}` });
        options(select, names, field("opponent").value);
        return el("label", {}, el("span", {}, seatName(i + 1, 0)), select);
      }),
    );
  }

  async function submit(event) {
    event.preventDefault();
    const values = new FormData(form);
    const game = games.find(({ game: id }) => id === values.get("game"));
    const seats = Array.from({ length: values.get("players") - 1 }, (_, i) =>
      field("each").checked ? values.get(`seat${i}`) : values.get("opponent"),
    );
    const choice = { game: game.game, players: Number(values.get("players")) };
    Object.assign(choice, {
      opponent: values.get("opponent"),
      length: Number(values.get("rounds")),
    });
    keepChoice(choice);
    form.inert = true;
    try {
      await begin(game.game, seats, lengths(game)[choice.length][1]);
    } catch (error) {
      fail(error);
    }
    form.inert = false;
  }

  form.onchange = ({ target }) => {
    if (target.name === "game") chooseGame().catch(fail);
    if (target.name === "each" || target.name === "players") chooseEach();
  };
  form.onsubmit = submit;
  await chooseGame();
  form.querySelector("[type=submit]").disabled = false;
}

function gameChoice({ game, title }, chosen) {
  return el(
    "label",
    { class: "game" },
    el("input", { type: "radio", name: "game", value: game, checked: game === chosen }),
    el("span", {}, el("strong", {}, title), el("small", {}, ABOUT[game] ?? "")),
  );
}

/** Names and rules of the lengths of a match; the whole one is as the game's rules say. */
function lengths({ game, rules }) {
  const whole = {
    sixes_chips: "until somebody is out of chips",
    sixes_golf: `${rules.num_rounds} rounds`,
  };
  return [...ROUNDS, [whole[game] ?? `to ${rules.target_score} points`, {}]];
}

function options(select, choices, chosen) {
  const made = choices.map(([value, text]) =>
    el("option", { value, selected: String(value) === String(chosen) }, text),
  );
  select.replaceChildren(...made);
}
