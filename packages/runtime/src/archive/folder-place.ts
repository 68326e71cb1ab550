/** Files of an archive in a folder. A file is written under another name, synced, and renamed. */
import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { makeFolders } from "../config/make-folders.js";
import type { ArchivePlace } from "./archive-place.js";

/** Only the owner reads an archive: it contains the data of all runs. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Incomplete files. A process that was killed leaves them; later writers remove old ones. */
const DRAFTS = "drafts";
const OLD_MS = 3_600_000;

export class FolderPlace implements ArchivePlace {
  readonly name: string;
  readonly #folder: string;
  #swept: Promise<void> | null = null;

  constructor(folder: string) {
    this.name = folder;
    this.#folder = resolve(folder);
  }

  read(key: string): Promise<Buffer | null> {
    return readFile(join(this.#folder, key)).catch(ifAbsent(null));
  }

  async write(key: string, data: Buffer): Promise<void> {
    const drafts = join(this.#folder, DRAFTS);
    await makeFolders(drafts, PRIVATE_FOLDER);
    await (this.#swept ??= removeOld(drafts));
    const target = join(this.#folder, key);
    const created = await makeFolders(dirname(target), PRIVATE_FOLDER);
    const draft = join(drafts, randomUUID());
    await writeDurably(draft, data);
    await rename(draft, target);
    await syncFolders(dirname(target), created === undefined ? dirname(target) : dirname(created));
  }

  async *list(prefix: string): AsyncGenerator<string> {
    const folder = prefix.slice(0, Math.max(0, prefix.lastIndexOf("/")));
    for await (const key of keysBelow(this.#folder, folder)) if (key.startsWith(prefix)) yield key;
  }
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name)).catch(ifAbsent(null));
    if (found !== null && Date.now() - found.mtimeMs > OLD_MS) await rm(join(folder, name), { force: true });
  }
}

async function* keysBelow(root: string, folder: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(ifAbsent([]));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const key = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (key === DRAFTS) continue;
    if (entry.isDirectory()) yield* keysBelow(root, key);
    else yield key;
  }
}

async function writeDurably(file: string, data: Buffer): Promise<void> {
  const handle = await open(file, "wx", PRIVATE_FILE);
  try {
    await handle.writeFile(data);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs a folder and those above it up to `last`: a new name is durable only with its folder. */
async function syncFolders(folder: string, last: string): Promise<void> {
  if (process.platform === "win32") return; // it cannot open folders
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (folder !== last) await syncFolders(dirname(folder), last);
}

function ifAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return value;
    throw error;
  };
}
