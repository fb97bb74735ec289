// Matches that a `sixth-env serve` plays: see docs/server.md for its interface.

async function ask(path, { method = "GET", token = null, body = null } = {}) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Error("the server does not answer");
  }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => null);
  const error = new Error(told?.error?.message ?? `the server answered ${answer.status}`);
  error.status = answer.status;
  throw error;
}

const json = async (path, options) => (await ask(path, options)).json();
const KEPT = "sixth_env.match";

/** Where opponents, matches and hints come from; `local.js` has the same without a server. */
export const server = {
  games: async () => (await json("v1/games")).games,

  opponents: async (game) =>
    (await json(`v1/opponents?game=${game}`)).opponents.flatMap((opponent) =>
      opponent.kind === "search" ? [{ ...opponent, name: "mc:100" }] : [opponent],
    ),

  async begin(game, opponents, rules) {
    const seats = ["person", ...opponents];
    const { id, seats: told } = await json("v1/matches", {
      method: "POST",
      body: { game, seats, rules },
    });
    const kept = { id, token: told[0].token };
    sessionStorage.setItem(KEPT, JSON.stringify(kept));
    return openMatch(kept, 0);
  },

  /** The match that was played when the page was last left, or null. */
  async resume() {
    const kept = sessionStorage.getItem(KEPT);
    if (!kept) return null;
    try {
      return await openMatch(JSON.parse(kept), 10 ** 9);
    } catch (error) {
      if (error.status) sessionStorage.removeItem(KEPT);
      return null;
    }
  },
};

async function openMatch({ id, token }, since) {
  const path = `v1/matches/${id}`;
  let known = since;
  const read = async (query, options = {}) => {
    match.state = await json(`${path}${query}`, { token, ...options });
    known = match.state.next;
    return match.state;
  };
  const match = {
    state: null,
    canHint: true,
    move: (action) =>
      read(`/moves?since=${known}`, {
        method: "POST",
        body: { action, version: match.state.version },
      }),
    refresh: () => read(`?since=${known}`),
    hint: () => json(`${path}/hint`, { token }),
    replay: async () => (await ask(`${path}/replay`, { token })).text(),
    async leave() {
      sessionStorage.removeItem(KEPT);
      await ask(path, { token, method: "DELETE" }).catch(() => null);
    },
  };
  await read(`?since=${known}`);
  return match;
}
