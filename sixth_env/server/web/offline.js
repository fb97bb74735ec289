// The page without a server: opponents are .onnx files that run here, in onnxruntime-web.
//
// In the address, ?ort= says where that library is (ort/ort.wasm.min.mjs beside this page unless
// given), ?model= is an .onnx file to begin with, ?card= its card if not the .json file beside it.

import { byId } from "./dom.js";
import { localTable } from "./local.js";
import { prefer } from "./start.js";

/** Show the page; `main` is app.js's. */
export async function start(main) {
  const query = new URLSearchParams(location.search);
  const table = localTable();
  const problem = byId("problem");

  async function add(model, card) {
    const ort = await importRuntime(query.get("ort") ?? "ort/ort.wasm.min.mjs");
    prefer({ game: await table.add(ort, model, card), opponent: card.name });
  }

  byId("models").hidden = false;
  byId("models").querySelector("input").onchange = async ({ target }) => {
    try {
      const { model, card } = await readFiles([...target.files]);
      await add(model, card);
      await page.home();
    } catch (error) {
      problem.textContent = `Sorry: ${error.message}.`;
    }
    target.value = "";
  };

  let failed = null;
  const model = query.get("model");
  const card = query.get("card") ?? model?.replace(/\.onnx$/, ".json");
  if (model) await fetchModel(model, card, add).catch((error) => (failed = error));
  const page = await main(table);
  if (failed) problem.textContent = `Sorry: ${failed.message}.`;
}

async function importRuntime(address) {
  const url = new URL(address, location.href);
  let ort;
  try {
    ort = await import(url);
  } catch {
    throw new Error(`onnxruntime-web is not at ${url.pathname}: see docs/browser.md`);
  }
  ort.env.wasm.wasmPaths = new URL(".", url).href;
  ort.env.wasm.numThreads = 1; // more need headers that a simple file server does not send
  return ort;
}

async function readFiles(files) {
  const [model, card] = [".onnx", ".json"].map((end) => files.find((f) => f.name.endsWith(end)));
  if (!model || !card) throw new Error("choose two files, the .onnx file and its .json card");
  return { model: new Uint8Array(await model.arrayBuffer()), card: JSON.parse(await card.text()) };
}

async function fetchModel(model, card, add) {
  const [file, told] = await Promise.all([fetched(model), fetched(card)]);
  await add(new Uint8Array(await file.arrayBuffer()), await told.json());
}

async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} cannot be read`);
  return answer;
}
