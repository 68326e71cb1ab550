/**
 * The token of a data directory: whoever can read the file may drive the server, and no web page can. It stays the same
 * over restarts, so that an open tab goes on; `runledger keys rotate` makes a new one.
 */
import { link, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { StopError } from "@runledger/contracts";
import { hashOf, isSecret, newSecret } from "./secrets.js";

export const TOKEN_PREFIX = "rlt_";
/** How long a rotated token may still be taken for the right one. */
const REREAD_MS = 1000;

/** What judges a token. */
export interface TokenCheck {
  matches(candidate: string): Promise<boolean>;
  /** Tells two tokens apart without saying anything about them. */
  fingerprint(): Promise<string>;
}

/** What is asked of a token with every request is worked out once. */
interface Known {
  readonly value: string;
  readonly hash: string;
  readonly fingerprint: string;
}

export class LocalToken implements TokenCheck {
  readonly #file: string;
  #known: Known;
  #readAt = Date.now();
  #reading: Promise<Known> | null = null;

  private constructor(file: string, value: string) {
    this.#file = file;
    this.#known = knownOf(value);
  }

  /** The folder's token; it is made where there is none. */
  static async open(folder: string): Promise<LocalToken> {
    const file = join(folder, "token");
    const value = (await readToken(file)) ?? (await createToken(file, folder));
    return new LocalToken(file, value);
  }

  /** Null = there is none. */
  static read(folder: string): Promise<string | null> {
    return readToken(join(folder, "token"));
  }

  static async rotate(folder: string): Promise<string> {
    const file = join(folder, "token");
    const draft = await writeDraft(file, folder);
    await rename(draft.file, file);
    return draft.value;
  }

  async value(): Promise<string> {
    return (await this.#current()).value;
  }

  async matches(candidate: string): Promise<boolean> {
    return isSecret(candidate, (await this.#current()).hash);
  }

  async fingerprint(): Promise<string> {
    return (await this.#current()).fingerprint;
  }

  /** Requests that come together read the file once. */
  #current(): Known | Promise<Known> {
    if (Date.now() - this.#readAt < REREAD_MS) return this.#known;
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<Known> {
    const value = await readToken(this.#file);
    if (value !== null && value !== this.#known.value) this.#known = knownOf(value);
    this.#readAt = Date.now();
    return this.#known;
  }
}

function knownOf(value: string): Known {
  return { value, hash: hashOf(value), fingerprint: hashOf(`fingerprint ${value}`).slice(0, 16) };
}

async function readToken(file: string): Promise<string | null> {
  try {
    const [text, { mode }] = await Promise.all([readFile(file, "utf8"), stat(file)]);
    if ((mode & 0o077) !== 0) throw unusable(file, `others may read it; run chmod 600 "${file}"`);
    if (!text.startsWith(TOKEN_PREFIX)) throw unusable(file, "it holds no token; delete it, and a new one is made");
    return text.trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw explained(file, error);
  }
}

/** Of several that try at once one succeeds, and all use its token. */
async function createToken(file: string, folder: string): Promise<string> {
  const draft = await writeDraft(file, folder);
  try {
    await link(draft.file, file);
    return draft.value;
  } catch (error) {
    const others = (error as NodeJS.ErrnoException).code === "EEXIST" ? await readToken(file) : null;
    if (others === null) throw explained(file, error);
    return others;
  } finally {
    await rm(draft.file, { force: true });
  }
}

/** Complete, and on the disk, before anybody can read it. */
async function writeDraft(file: string, folder: string): Promise<{ readonly file: string; readonly value: string }> {
  const draft = { file: `${file}.${randomUUID()}`, value: TOKEN_PREFIX + newSecret() };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await using handle = await open(draft.file, "wx", 0o600);
    await handle.writeFile(`${draft.value}\n`);
    await handle.sync();
    return draft;
  } catch (error) {
    throw explained(file, error);
  }
}

function explained(file: string, error: unknown): Error {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "EACCES" || code === "EPERM") return unusable(file, "this user may not; run it as the folder's owner");
  if (code === "EROFS" || code === "ENOSPC") return unusable(file, "the disk is full, or takes no writes");
  return error as Error;
}

function unusable(file: string, why: string): StopError {
  return new StopError("TOKEN_FILE_UNUSABLE", `The token file ${file} cannot be used: ${why}.`);
}
