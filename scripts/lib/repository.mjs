import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {string} path relative to the repository */
export const inRepository = (path) => join(root, path);

/** @param {string} file @returns {unknown} */
export const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

/**
 * @param {string} folder relative to the repository
 * @returns {string[]} every file below it, relative to the repository and with `/`, sorted
 */
export function filesBelow(folder) {
  if (!existsSync(inRepository(folder))) return [];
  return readdirSync(inRepository(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();
}

/**
 * The parts of a package's manifest that the scripts read.
 * @typedef {{ name: string, version: string, private?: boolean, dependencies?: Record<string, string> }} Manifest
 * @typedef {{ folder: string, directory: string, manifest: Manifest }} Package
 */

/** @returns {Package[]} every folder below packages/ that has a manifest, sorted by name */
export function packages() {
  return readdirSync(inRepository("packages"))
    .filter((folder) => existsSync(inRepository(`packages/${folder}/package.json`)))
    .toSorted()
    .map((folder) => ({
      folder,
      directory: inRepository(`packages/${folder}`),
      manifest: /** @type {Manifest} */ (readJson(inRepository(`packages/${folder}/package.json`))),
    }));
}

/** @returns {Package[]} those that go to the registry */
export const publishedPackages = () => packages().filter(({ manifest }) => manifest.private !== true);
