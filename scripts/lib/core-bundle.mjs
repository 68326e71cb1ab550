/**
 * `core` as it travels: to a browser, into Temporal's workflow sandbox, into a database as a plain script. Each bundle
 * is run here in surroundings as poor as there. The sandbox is imitated (a context with the built-ins of the language
 * and no clock), and so is the browser; the tests of the recorded histories use the real ones.
 */
import { build } from "esbuild";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import { gzipSync } from "node:zlib";
import { inRepository } from "./repository.mjs";

export const LIMIT_BYTES = 15 * 1024;

/** @typedef {{ name: string, code: string, gzipped: number, fold: (history: string) => Promise<string> }} Bundle */

/** @returns {Promise<Bundle[]>} */
export async function coreBundles() {
  const browser = await bundle({ format: "esm", platform: "browser", target: "es2022" });
  const sandbox = await bundle({ format: "cjs", platform: "neutral", target: "es2022" });
  const script = await bundle({
    format: "iife",
    globalName: "core",
    platform: "neutral",
    target: "es2019",
    banner: { js: HAS_OWN },
  });
  return [
    made("browser", browser, (history) => foldAsModule(browser, history)),
    made("Temporal sandbox", sandbox, (history) =>
      foldInContext(`const module = {};${sandbox};const core = module.exports`, history, WITHOUT_CLOCK),
    ),
    made("plain script", script, (history) => foldInContext(script, history, ES2019)),
  ];
}

/** @param {string} name @param {string} code @param {(history: string) => string | Promise<string>} fold @returns {Bundle} */
function made(name, code, fold) {
  return { name, code, gzipped: gzipSync(code).byteLength, fold: async (history) => fold(history) };
}

/**
 * The exports that run outside of Node: folding, deciding and resuming. Plans are compiled before. `core/store` and exports
 * that only a ledger uses are not included.
 */
const TRAVELS =
  "evolve, evolveAll, initialState, toRunHeader, toRunSnapshot, toRunState, decide, Decider, compact, fromCheckpoint, toCheckpoint";

/** @param {import("esbuild").BuildOptions} options */
function bundle(options) {
  const entry = JSON.stringify(inRepository("packages/core/src/index.ts"));
  return bundleOf(`export { ${TRAVELS} } from ${entry};`, options);
}

/** A module that uses core, with all that it needs. @param {string} contents @param {import("esbuild").BuildOptions} options */
export async function bundleOf(contents, options) {
  const result = await build({
    stdin: { contents, resolveDir: inRepository(".") },
    alias: {
      "@runledger/contracts": inRepository("packages/contracts/src/index.ts"),
      "@runledger/core/store": inRepository("packages/core/src/store/index.ts"),
      "@runledger/core": inRepository("packages/core/src/index.ts"),
    },
    bundle: true,
    minify: true,
    write: false,
    ...options,
  });
  return (result.outputFiles ?? []).map((file) => file.text).join("");
}

/** Each environment computes the state after the whole history, and the decision at each event. */
const FOLD = `(core, text) => {
  const { plan, events } = JSON.parse(text);
  let state = core.initialState(events[0].runId);
  const decisions = events.map((event) => core.decide(plan, (state = core.evolve(state, event))));
  return JSON.stringify({ snapshot: core.toRunSnapshot(state), decisions });
}`;

/** @param {string} code @param {string} history */
async function foldAsModule(code, history) {
  const folder = mkdtempSync(join(tmpdir(), "runledger-core-"));
  try {
    const file = join(folder, "core.mjs");
    writeFileSync(file, `${code}\nexport const fold = ${FOLD};\nexport * as core from "./core.mjs";`);
    const loaded = /** @type {{ fold: (core: unknown, text: string) => string, core: unknown }} */ (
      await import(pathToFileURL(file).href)
    );
    return loaded.fold(loaded.core, history);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A context has the built-ins of the language only; `preparation` takes some of them away.
 * @param {string} code
 * @param {string} history
 * @param {string} preparation
 */
function foldInContext(code, history, preparation) {
  const context = vm.createContext({ __proto__: null }, { codeGeneration: { strings: false, wasm: false } });
  try {
    vm.runInContext(preparation, context);
    return /** @type {string} */ (vm.runInContext(`${code};(${FOLD})(core, ${JSON.stringify(history)})`, context));
  } catch (error) {
    throw new Error(String(error), { cause: error }); // Node would print the whole minified line with the original
  }
}

/** Younger than ES2019, and called by the SHA-256 library while it loads. */
const HAS_OWN = `Object.hasOwn = Object.hasOwn || ((o, k) => Object.prototype.hasOwnProperty.call(o, k));`;

/** Reading a clock or dice would make a replay differ; parsing a given date would not. */
const WITHOUT_CLOCK = `
  delete globalThis.console;
  delete globalThis.WebAssembly;
  const forbidden = (what) => () => { throw new Error(what + " is not deterministic"); };
  Math.random = forbidden("Math.random");
  Date.now = forbidden("Date.now");
  globalThis.Date = new Proxy(Date, {
    apply: forbidden("Date()"),
    construct: (target, args) => (args.length > 0 ? new target(...args) : forbidden("new Date()")()),
  });
`;

/** Removes built-ins that are newer than 2019. esbuild converts only syntax. */
export const ES2019 = `${WITHOUT_CLOCK}
  for (const name of ["at", "findLast", "findLastIndex", "toSorted", "toReversed", "toSpliced", "with"]) delete Array.prototype[name];
  for (const name of ["at", "matchAll", "replaceAll", "isWellFormed", "toWellFormed"]) delete String.prototype[name];
  for (const name of ["allSettled", "any", "withResolvers", "try"]) delete Promise[name];
  for (const name of ["hasOwn", "groupBy"]) delete Object[name];
  delete Map.groupBy;
  for (const name of ["WeakRef", "FinalizationRegistry", "AggregateError", "BigInt", "Iterator"]) delete globalThis[name];
  delete globalThis.globalThis;
`;
