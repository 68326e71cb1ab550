/** Files without Runledger: written as a stream, and synced. */
import { createReadStream, createWriteStream, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const READ_BYTES = 1024 * 1024;

/** @param {string} folder @returns {import("./artifact-places.mjs").Alone} */
export function folderAlone(folder) {
  mkdirSync(folder, { recursive: true });
  return {
    write: (key, content) => pipeline(content, createWriteStream(join(folder, key), { flush: true })),
    read: async (key) => createReadStream(join(folder, key), { highWaterMark: READ_BYTES }),
    remove: (key) => rm(join(folder, key)),
  };
}
