/**
 * The token of a data directory. A user who can read the file may control the server; a web page cannot. The token
 * survives restarts, so that an open tab keeps working. It expires after 30 days, and a server then creates a new one;
 * `runledger keys rotate` does so at once.
 */
import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StopError } from "@runledger/contracts";
import { makeFolders } from "@runledger/runtime/config/make-folders";
import { hashOf, isSecret, newSecret } from "./secrets.js";

export const TOKEN_PREFIX = "rlt_";
/** A rotated token stays valid for up to this long. */
const REREAD_MS = 1000;
const TTL_MS = 30 * 24 * 60 * 60 * 1000;

/** Compares a candidate with the current token. */
export interface TokenCheck {
  matches(candidate: string): Promise<boolean>;
  /** Distinguishes tokens without revealing them. */
  fingerprint(): Promise<string>;
}

/** Hashes are computed once per token instead of for each request. */
interface HashedToken {
  readonly value: string;
  readonly hash: string;
  readonly fingerprint: string;
}

export class LocalToken implements TokenCheck {
  readonly #file: string;
  #token: HashedToken;
  #readAt = Date.now();
  #reading: Promise<HashedToken> | null = null;

  private constructor(file: string, value: string) {
    this.#file = file;
    this.#token = hashToken(value);
  }

  /** Opens the folder's token and creates it if there is none. */
  static async open(folder: string): Promise<LocalToken> {
    const file = join(folder, "token");
    const value = (await readToken(file)) ?? (await replaceToken(file, folder));
    return new LocalToken(file, value);
  }

  /** `null` if the folder has no token, or an expired one. */
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

  /** Concurrent requests share one read of the file. */
  #current(): HashedToken | Promise<HashedToken> {
    if (Date.now() - this.#readAt < REREAD_MS) return this.#token;
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<HashedToken> {
    const value = (await readToken(this.#file)) ?? (await replaceToken(this.#file, dirname(this.#file)));
    if (value !== this.#token.value) this.#token = hashToken(value);
    this.#readAt = Date.now();
    return this.#token;
  }
}

function hashToken(value: string): HashedToken {
  return { value, hash: hashOf(value), fingerprint: hashOf(`fingerprint ${value}`).slice(0, 16) };
}

/** `null` if there is no token, or it has expired. */
async function readToken(file: string): Promise<string | null> {
  try {
    const [text, { mode, mtimeMs }] = await Promise.all([readFile(file, "utf8"), stat(file)]);
    if ((mode & 0o077) !== 0) throw unusable(file, `other users can read it. Run chmod 600 "${file}"`);
    if (!text.startsWith(TOKEN_PREFIX))
      throw unusable(file, "it does not contain a token. Delete it; the next start creates a new one");
    return Date.now() - mtimeMs > TTL_MS ? null : text.trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw explain(file, error);
  }
}

/** Removes an expired token and creates a new one. */
async function replaceToken(file: string, folder: string): Promise<string> {
  await rm(file, { force: true }).catch((error: unknown) => {
    throw explain(file, error);
  });
  return createToken(file, folder);
}

/** If several processes try at once, one succeeds and all use its token. */
async function createToken(file: string, folder: string): Promise<string> {
  const draft = await writeDraft(file, folder);
  try {
    await link(draft.file, file);
    return draft.value;
  } catch (error) {
    const existing = (error as NodeJS.ErrnoException).code === "EEXIST" ? await readToken(file) : null;
    if (existing === null) throw explain(file, error);
    return existing;
  } finally {
    await rm(draft.file, { force: true });
  }
}

/** Writes the whole token to disk before it is visible under its name. */
async function writeDraft(file: string, folder: string): Promise<{ readonly file: string; readonly value: string }> {
  const draft = { file: `${file}.${randomUUID()}`, value: TOKEN_PREFIX + newSecret() };
  try {
    await makeFolders(folder, 0o700);
    await using handle = await open(draft.file, "wx", 0o600);
    await handle.writeFile(`${draft.value}\n`);
    await handle.sync();
    return draft;
  } catch (error) {
    throw explain(file, error);
  }
}

function explain(file: string, error: unknown): Error {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "EACCES" || code === "EPERM")
    return unusable(file, "this user has no permission. Run the command as the owner of the folder");
  if (code === "EROFS" || code === "ENOSPC") return unusable(file, "the disk is full or read-only");
  return error as Error;
}

function unusable(file: string, why: string): StopError {
  return new StopError("TOKEN_FILE_UNUSABLE", `The token file ${file} cannot be used: ${why}.`);
}
