/**
 * The spool of a worker: a file of appends that the worker did not wait for (B1). A record is durable before its step
 * starts, and stays until the log has the events, or another worker has taken over the run.
 */
import { open, rename, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { decodeRecords, encodeRecord, type SpooledAppend } from "./spool-records.js";

export interface SpoolLimits {
  readonly maxBytes: number;
  readonly maxRecords: number;
}

/** Only the owner reads it. */
const PRIVATE = 0o600;

export class Spool {
  readonly #path: string;
  readonly #limits: SpoolLimits;
  #file: FileHandle;
  /** The records that are not settled, in the order of their appends. */
  readonly #open = new Map<SpooledAppend, Buffer>();
  #openBytes = 0;
  /** The file also has settled records, until it is empty or rewritten. */
  #fileBytes = 0;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, limits: SpoolLimits, file: FileHandle) {
    this.#path = path;
    this.#limits = limits;
    this.#file = file;
  }

  /** Opens the spool, and drops a torn record at its end. */
  static async open(path: string, limits: SpoolLimits): Promise<Spool> {
    const file = await open(path, "a+", PRIVATE);
    await file.close(); // it exists now; appending by position needs another mode
    const spool = new Spool(path, limits, await open(path, "r+", PRIVATE));
    await spool.#load();
    return spool;
  }

  /** The records that are not settled. After an open: those that an earlier process left. */
  get records(): readonly SpooledAppend[] {
    return [...this.#open.keys()];
  }

  get bytes(): number {
    return this.#openBytes;
  }

  /** Resolves once the record is durable. Returns `false` if the spool is full. */
  add(append: SpooledAppend): Promise<boolean> {
    return this.#inTurn(() => this.#add(append));
  }

  /** Removes records that are settled. */
  remove(appends: readonly SpooledAppend[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const append of appends) this.#forget(append);
      if (this.#open.size === 0 && this.#fileBytes > 0) await this.#cut(0);
    });
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#file.close());
  }

  async #load(): Promise<void> {
    const bytes = await this.#file.readFile();
    const { appends, validBytes } = decodeRecords(bytes);
    for (const append of appends) this.#keep(append, encodeRecord(append));
    if (validBytes < bytes.length) await this.#cut(validBytes);
    this.#fileBytes = validBytes;
    await syncFolder(this.#path);
  }

  async #add(append: SpooledAppend): Promise<boolean> {
    const record = encodeRecord(append);
    const { maxBytes, maxRecords } = this.#limits;
    if (this.#open.size >= maxRecords || this.#openBytes + record.length > maxBytes) return false;
    if (this.#fileBytes + record.length > maxBytes) await this.#rewrite();
    await this.#write(record);
    this.#keep(append, record);
    return true;
  }

  /** A record that cannot be written whole is cut off, so that later ones can be read. */
  async #write(record: Buffer): Promise<void> {
    try {
      const { bytesWritten } = await this.#file.write(record, 0, record.length, this.#fileBytes);
      if (bytesWritten < record.length) throw new Error(`Only ${bytesWritten} of ${record.length} bytes were written.`);
      await this.#file.sync();
      this.#fileBytes += record.length;
    } catch (error) {
      await this.#file.truncate(this.#fileBytes);
      throw error;
    }
  }

  /** Replaces the file by one without settled records. */
  async #rewrite(): Promise<void> {
    const draft = `${this.#path}.new`;
    const file = await open(draft, "w", PRIVATE);
    await file.writeFile(Buffer.concat([...this.#open.values()]));
    await file.sync();
    await rename(draft, this.#path);
    await syncFolder(this.#path);
    await this.#file.close();
    this.#file = file;
    this.#fileBytes = this.#openBytes;
  }

  async #cut(length: number): Promise<void> {
    await this.#file.truncate(length);
    await this.#file.sync();
    this.#fileBytes = length;
  }

  #keep(append: SpooledAppend, record: Buffer): void {
    this.#open.set(append, record);
    this.#openBytes += record.length;
  }

  #forget(append: SpooledAppend): void {
    this.#openBytes -= this.#open.get(append)?.length ?? 0;
    this.#open.delete(append);
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action, action);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/** A new name is durable only with its folder. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return; // it cannot open folders
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
