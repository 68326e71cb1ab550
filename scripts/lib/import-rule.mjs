/**
 * Checks the direction of imports. `import-graph.mjs` has the two graphs; imports that they do not list are refused.
 *  I1  A package imports only the packages that the graph lists for it.
 *  I2  contracts and core import only each other and @noble/hashes, which the build bundles: they run without Node.
 *  I3  A package is imported by its name, never by a path, and never by itself.
 *  I4  A folder of a package imports only the folders that the graph lists for it.
 *  I5  Only the folders cli and config read the environment; embedded does too, for HOME and the cache folder.
 *  I6  Tests import other packages by name, and no package imports the repository's tests/. Otherwise tests may import anything.
 * @typedef {{ path: string, text: string }} Source a file below packages/, tests/ or examples/, its path relative to the repository
 */
import { posix } from "node:path";
import { FOLDERS, PACKAGES } from "./import-graph.mjs";

const PURE = ["contracts", "core"];
const PURE_MAY_IMPORT = /^@noble\/hashes(\/|$)/;

/** @param {Source} source @returns {string[]} what it breaks, each with the rule's number */
export function violations({ path, text }) {
  if (isTestCode(path))
    return reaches(path, text).map((specifier) => `${path}: I6 import packages by name: "${specifier}"`);
  const broken = importsOf(text).flatMap((specifier) => judge(path, specifier).map((why) => `${why}: "${specifier}"`));
  return [...broken, ...environment(path, text)].map((why) => `${path}: ${why}`);
}

/** @param {string} path */
function isTestCode(path) {
  return (
    /\.test(-d)?\.ts$/.test(path) ||
    /^(tests|examples)\//.test(path) ||
    /^packages\/(test-support\/|[^/]+\/tests\/|embedded\/src\/test-support\/)/.test(path)
  );
}

/** Returns the imports that reach into another package, or from a package into the repository's tests. @param {string} path @param {string} text */
function reaches(path, text) {
  const own = /^packages\/[^/]+\//.exec(path)?.[0];
  return importsOf(text).filter((specifier) => {
    if (!specifier.startsWith(".")) return false;
    const target = posix.join(posix.dirname(path), specifier);
    const isOthers =
      /^packages\/[^/]+\/(src|dist|tests)\//.test(target) && (own === undefined || !target.startsWith(own));
    return isOthers || (own !== undefined && target.startsWith("tests/"));
  });
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
  return PACKAGES[own]?.includes(ours) ? [] : [`I1 ${own} must not import ${ours}`];
}

/** @param {string} own @param {string} specifier @returns {string[]} */
function judgeForeign(own, specifier) {
  return PURE.includes(own) && !PURE_MAY_IMPORT.test(specifier) ? [`I2 ${own} is pure`] : [];
}

/** @param {string} path @param {string} own @param {string} target @returns {string[]} */
function judgeRelative(path, own, target) {
  if (!target.startsWith(`packages/${own}/`)) return ["I3 a package is imported by its name"];
  return judgeFolders(own, path.split("/").slice(3), target.split("/").slice(3));
}

/**
 * Compares the first folders below `base`; if both files are in the same one, the folders below that.
 * @param {string} base @param {readonly string[]} path @param {readonly string[]} target @returns {string[]}
 */
function judgeFolders(base, [from = "", ...path], [to = "", ...target]) {
  const graph = FOLDERS[base];
  if (path.length === 0 || target.length === 0) return [];
  if (from === to) return FOLDERS[`${base}/${from}`] === undefined ? [] : judgeFolders(`${base}/${from}`, path, target);
  return graph?.[from]?.includes(to) ? [] : [`I4 ${from} must not import ${to}`];
}

/** @param {string} path @param {string} text @returns {string[]} */
function environment(path, text) {
  const mayRead = path.startsWith("packages/embedded/") || /\/(cli|config)\//.test(path);
  const reads =
    /\bprocess\s*\??\.\s*env\b/.test(text) || importsOf(text).some((name) => /^(node:)?process$/.test(name));
  return reads && !mayRead ? ["I5 only cli and config read the environment"] : [];
}
