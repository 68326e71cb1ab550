import { readdirSync } from "node:fs";

const folder = new URL("../suites/", import.meta.url);

/** @typedef {import("./suite.mjs").Suite} Suite */

/**
 * @param {readonly string[]} [only]
 * @returns {Promise<Suite[]>} by name
 */
export async function loadSuites(only) {
  const files = readdirSync(folder).filter((file) => file.endsWith(".mjs"));
  const modules = await Promise.all(files.map((file) => load(new URL(file, folder).href)));
  const suites = modules.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (only === undefined) return suites;
  const unknown = only.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) throw new Error(`There is no bench ${unknown.join(", ")}; --list prints their names.`);
  return suites.filter(({ name }) => only.includes(name));
}

/** @param {string} url */
async function load(url) {
  const module = /** @type {{ default: Suite | Suite[] }} */ (await import(url));
  return module.default;
}
