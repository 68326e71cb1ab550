/**
 * Which way imports flow (DESIGN section 2).
 *  I1  contracts <- core <- adapters <- runledger; adapters never import each other.
 *  I2  contracts and core import nothing but each other and @noble/hashes: they run where there is no Node.
 *  I3  A package is entered by its name, never by a path.
 *  I4  Inside runledger: {engine, projector, queue, outbox, artifacts, secrets} <- server <- cli; the six do not import each other.
 *  I5  Only the folders cli and config read the environment; embedded does too, for HOME and the cache folder.
 * Tests may import what they like.
 * @typedef {{ path: string, text: string }} Source a file below packages/, its path relative to the repository
 */
import { posix } from "node:path";

const ADAPTER = ["contracts", "core"];
/**
 * What a package may import of ours (I1). Whoever is not named is an adapter.
 * @type {Record<string, readonly string[]>}
 */
const LAYERS = { contracts: [], core: ["contracts"], console: [...ADAPTER, "client"] };
const PURE = ["contracts", "core"];
const PURE_MAY_IMPORT = /^@noble\/hashes(\/|$)/;

const PARTS = ["engine", "projector", "queue", "outbox", "artifacts", "secrets"];
/**
 * What a folder of runledger may import of its siblings (I4); a folder that is not named is free.
 * @type {Record<string, readonly string[]>}
 */
const FOLDERS = { ...Object.fromEntries(PARTS.map((part) => [part, []])), server: PARTS };
const JUDGED_FOLDERS = new Set([...PARTS, "server", "cli"]);

/** @param {Source} source @returns {string[]} what it breaks, each with the rule's number */
export function violations({ path, text }) {
  if (/\.test(-d)?\.ts$/.test(path)) return [];
  const broken = importsOf(text).flatMap((specifier) => judge(path, specifier).map((why) => `${why}: "${specifier}"`));
  return [...broken, ...environment(path, text)].map((why) => `${path}: ${why}`);
}

/** Static, dynamic, type-only and re-exporting imports, and require. @param {string} text @returns {string[]} */
export function importsOf(text) {
  const statement = /^\s*(?:import|export)\s(?:[^;"']*?\sfrom\s*)?["']([^"']+)["']/gm;
  const call = /\b(?:import|require)\(\s*["']([^"']+)["']/g;
  return [statement, call].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ""));
}

/** @param {string} path @param {string} specifier @returns {string[]} */
function judge(path, specifier) {
  const [, own = ""] = path.split("/");
  if (specifier.startsWith(".")) return judgeRelative(path, own, posix.join(posix.dirname(path), specifier));
  const ours = /^(?:@runledger\/)?([^/]+)/.exec(specifier)?.[1] ?? "";
  if (!/^(@runledger\/|runledger(\/|$))/.test(specifier)) return judgeForeign(own, specifier);
  if (ours === own) return ["I3 a package does not import itself by name"];
  return own === "runledger" || (LAYERS[own] ?? ADAPTER).includes(ours) ? [] : [`I1 ${own} must not import ${ours}`];
}

/** @param {string} own @param {string} specifier @returns {string[]} */
function judgeForeign(own, specifier) {
  return PURE.includes(own) && !PURE_MAY_IMPORT.test(specifier) ? [`I2 ${own} is pure`] : [];
}

/** @param {string} path @param {string} own @param {string} target @returns {string[]} */
function judgeRelative(path, own, target) {
  if (!target.startsWith(`packages/${own}/`)) return ["I3 a package is entered by its name"];
  if (own !== "runledger") return [];
  const [from = "", to = ""] = [path, target].map((file) => file.split("/")[3] ?? "");
  const allowed = FOLDERS[from];
  const forbidden = allowed !== undefined && from !== to && JUDGED_FOLDERS.has(to) && !allowed.includes(to);
  return forbidden ? [`I4 ${from} must not import ${to}`] : [];
}

/** @param {string} path @param {string} text @returns {string[]} */
function environment(path, text) {
  const mayRead = path.startsWith("packages/embedded/") || /\/(cli|config)\//.test(path);
  const reads =
    /\bprocess\s*\??\.\s*env\b/.test(text) || importsOf(text).some((name) => /^(node:)?process$/.test(name));
  return reads && !mayRead ? ["I5 only cli and config read the environment"] : [];
}
