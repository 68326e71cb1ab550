import { join } from "node:path";
import { publishedPackages } from "./repository.mjs";
import { capture } from "./spawn.mjs";

/**
 * Packs every published package as the registry would get it; dist must be built.
 * @param {string} destination
 * @returns {Promise<{ name: string, tarball: string }[]>}
 */
export async function packAll(destination) {
  const workspaces = publishedPackages().map(({ manifest }) => `--workspace=${manifest.name}`);
  const args = ["pack", "--json", "--ignore-scripts", `--pack-destination=${destination}`, ...workspaces];
  const { code, stdout, stderr } = await capture("npm", args);
  if (code !== 0) throw new Error(`npm pack failed:\n${stderr}`);
  const packed = /** @type {{ name: string, filename: string }[]} */ (JSON.parse(stdout));
  return packed.map(({ name, filename }) => ({ name, tarball: join(destination, filename) }));
}
