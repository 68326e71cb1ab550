/**
 * Artifacts in a folder, such as a file system that all machines mount. A file is written under another name, synced, and
 * linked to its own name, which fails if that is taken.
 */
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, open, readdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ArtifactExistsError, type ObjectRange, type ObjectStorage, type StoredObject } from "@runledger/contracts";
import { makeFolders } from "../config/make-folders.js";
import { copyDurably } from "./copy-durably.js";

/** Only the owner reads artifacts. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Incomplete files. No key starts with it, because the part of a run has no space. */
const DRAFTS = ".drafts ";
const READ_BYTES = 1024 * 1024;
/** Some file systems have no links. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

export class FolderStorage implements ObjectStorage {
  readonly url: string;
  readonly #folder: string;

  constructor(url: string) {
    this.#folder = fileURLToPath(url);
    this.url = pathToFileURL(this.#folder).href.replace(/\/$/, "");
  }

  async create({ key, content }: { readonly key: string; readonly content: AsyncIterable<Uint8Array> }): Promise<void> {
    const drafts = join(this.#folder, DRAFTS);
    const draft = join(drafts, randomUUID());
    const target = join(this.#folder, key);
    await makeFolders(drafts, PRIVATE_FOLDER);
    try {
      await this.#writeDurably(draft, content);
      await this.#publish(draft, target, key).catch(async (error: unknown) => {
        if (codeOf(error) !== "ENOENT") throw error;
        await this.#publish(draft, target, key); // `remove` removed the folder in between
      });
    } finally {
      await rm(draft, { force: true });
    }
    await syncFolders(dirname(target), this.#folder);
  }

  async read({ key, start = 0, end = Infinity }: ObjectRange): Promise<AsyncIterable<Uint8Array> | null> {
    const file = await open(join(this.#folder, key)).catch(ifAbsent(null));
    if (file === null) return null;
    return createReadStream("", { fd: file, start, end: end - 1, highWaterMark: READ_BYTES });
  }

  async sizeOf(key: string): Promise<number | null> {
    const found = await stat(join(this.#folder, key)).catch(ifAbsent(null));
    return found?.isFile() === true ? found.size : null;
  }

  async *list({
    prefix,
    after = "",
  }: {
    readonly prefix: string;
    readonly after?: string;
  }): AsyncGenerator<StoredObject> {
    const folder = prefix.slice(0, Math.max(0, prefix.lastIndexOf("/")));
    for await (const key of this.#keysBelow(folder)) {
      if (!key.startsWith(prefix) || key <= after) continue;
      const found = await stat(join(this.#folder, key)).catch(ifAbsent(null));
      if (found !== null) yield { key, sizeBytes: found.size, createdAt: found.mtime.toISOString() };
    }
  }

  /** Also removes the folders above it that are empty now. */
  async remove(key: string): Promise<void> {
    await rm(join(this.#folder, key), { force: true });
    for (let folder = dirname(key); folder !== "."; folder = dirname(folder))
      await rmdir(join(this.#folder, folder)).catch(() => {}); // another writer uses it
  }

  async removeAbandoned({ olderThanMs }: { readonly olderThanMs: number }): Promise<number> {
    const drafts = join(this.#folder, DRAFTS);
    let removed = 0;
    for (const name of await readdir(drafts).catch(ifAbsent([]))) {
      const found = await stat(join(drafts, name)).catch(ifAbsent(null));
      if (found === null || Date.now() - found.mtimeMs < olderThanMs) continue;
      await rm(join(drafts, name), { force: true });
      removed++;
    }
    return removed;
  }

  async link(): Promise<null> {
    return null;
  }

  close(): void {}

  async #writeDurably(draft: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const file = await open(draft, "wx", PRIVATE_FILE);
    try {
      let writing: Promise<void> = Promise.resolve();
      for await (const piece of content) {
        await writing;
        writing = file.appendFile(piece); // the next piece is made and hashed meanwhile
        writing.catch(() => {}); // the next await throws it
      }
      await writing;
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async #publish(draft: string, target: string, key: string): Promise<void> {
    await makeFolders(dirname(target), PRIVATE_FOLDER);
    try {
      await link(draft, target).catch((error: unknown) => {
        if (!NO_LINKS.has(codeOf(error) ?? "")) throw error;
        return copyDurably(draft, target);
      });
    } catch (error) {
      if (codeOf(error) === "EEXIST") throw new ArtifactExistsError(`${this.url}/${key}`);
      throw error;
    }
  }

  async *#keysBelow(folder: string): AsyncGenerator<string> {
    const entries = await readdir(join(this.#folder, folder), { withFileTypes: true }).catch(ifAbsent([]));
    for (const entry of entries.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))) {
      const key = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (key === DRAFTS) continue;
      if (entry.isDirectory()) yield* this.#keysBelow(key);
      else yield key;
    }
  }
}

/** Keys sort by their full text, in which a folder's name is followed by a slash. */
function sortKey(entry: { readonly name: string; isDirectory(): boolean }): string {
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}

/** Syncs a folder and those above it: a new name is durable only with its folder. */
async function syncFolders(folder: string, last: string): Promise<void> {
  if (process.platform === "win32") return; // it cannot open folders
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (folder.length > last.length) await syncFolders(dirname(folder), last);
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

function ifAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return value;
    throw error;
  };
}
