// An exported opponent in the browser (or in node): onnxruntime-web, the file and its card.

import { maskOf, observationOf } from "./observation.js";
import { legalActions } from "./legal.js";

/**
 * An opponent.
 *
 * `ort` is the onnxruntime-web module, `model` the content of the .onnx file (Uint8Array), `card`
 * the object in the JSON file beside it, or that of another level which plays the same file.
 */
export async function loadOpponent(ort, model, card) {
  if (!card?.game || !card.observation_table) throw new Error("this is no card of an opponent");
  if (!(await isOf(card, model))) throw new Error("the card is of another file");
  const session = await ort.InferenceSession.create(model);

  /** Logits of all views, one after the other, and the number of actions. */
  async function logitsOf(views) {
    const table = card.observation_table;
    const rows = views.map((view) => observationOf(view, table));
    const masks = views.map(maskOf);
    const tensor = (lists) => {
      const width = lists[0].length;
      const values = new Int32Array(lists.length * width);
      lists.forEach((list, i) => values.set(list, i * width));
      return new ort.Tensor("int32", values, [lists.length, width]);
    };
    const inputs = { observation: tensor(rows), action_mask: tensor(masks) };
    const { logits } = await session.run(inputs, ["logits"]);
    return { logits: logits.data, actions: masks[0].length };
  }

  /** The best action of each view: the same as in Python. */
  async function greedy(views) {
    const { logits, actions } = await logitsOf(views);
    return views.map((view, i) => best(logits.subarray(i * actions), legalActions(view)));
  }

  /** An action for a view, chosen as the card says. */
  async function act(view) {
    const legal = legalActions(view);
    const { logits } = await logitsOf([view]);
    return card.play?.greedy === false ? drawn(logits, legal, card.play) : best(logits, legal);
  }

  return { card, greedy, act };
}

/** Whether the card tells the model's digest, as far as it can be known: pages need https for it. */
async function isOf(card, model) {
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", model);
  if (!digest || !card.sha256) return true;
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0"));
  return hex.join("") === card.sha256;
}

const best = (logits, legal) => legal.reduce((a, b) => (logits[b] > logits[a] ? b : a));

/** One of the fewest most probable actions that together reach `top_p`. */
function drawn(logits, legal, { temperature = 1, top_p: reach = 1 }) {
  const highest = logits[best(logits, legal)];
  const weighed = legal.map((action) => ({
    action,
    weight: Math.exp((logits[action] - highest) / temperature),
  }));
  weighed.sort((a, b) => b.weight - a.weight);
  const all = weighed.reduce((sum, { weight }) => sum + weight, 0);
  let kept = 0;
  const chosen = weighed.filter(({ weight }) => {
    const keep = kept < reach * all;
    kept += keep ? weight : 0;
    return keep;
  });
  let left = Math.random() * kept;
  return (chosen.find(({ weight }) => (left -= weight) <= 0) ?? chosen.at(-1)).action;
}
