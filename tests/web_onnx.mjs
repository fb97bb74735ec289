// node web_onnx.mjs WEB ORT MODEL VIEWS: the greedy moves of an exported opponent, as JSON.
// ORT is a folder with ort.wasm.min.mjs of onnxruntime-web, VIEWS a JSON file.

import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [web, folder, model, views] = process.argv.slice(2);
const ort = await import(pathToFileURL(`${folder}/ort.wasm.min.mjs`));
ort.env.wasm.wasmPaths = pathToFileURL(`${folder}/`).href;
ort.env.wasm.numThreads = 1;
const { loadOpponent } = await import(pathToFileURL(`${web}/onnx.js`));
const read = (file) => JSON.parse(fs.readFileSync(file, "utf8"));
const card = read(model.replace(/\.onnx$/, ".json"));
const opponent = await loadOpponent(ort, new Uint8Array(fs.readFileSync(model)), card);
console.log(JSON.stringify(await opponent.greedy(read(views))));
