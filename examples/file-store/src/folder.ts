import { mkdir } from "node:fs/promises";
import { lockFolder } from "./folder-lock.js";
import { Journal } from "./journal.js";
import { applyLine, emptyTables, type JournalLine, type Tables } from "./tables.js";

/** Writes a line to the journal, and applies it once it is on disk. */
export type Commit = (line: JournalLine) => Promise<void>;

/** An opened folder: its lock, its journal, and the tables built from the journal. */
export class Folder {
  static async open(path: string): Promise<Folder> {
    await mkdir(path, { recursive: true });
    const unlock = await lockFolder(path);
    try {
      const tables = emptyTables();
      const journal = await Journal.open(path, (line) => applyLine(tables, line));
      return new Folder(journal, tables, unlock);
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  readonly #journal: Journal;
  readonly #unlock: () => Promise<void>;
  readonly tables: Tables;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  private constructor(journal: Journal, tables: Tables, unlock: () => Promise<void>) {
    this.#journal = journal;
    this.#unlock = unlock;
    this.tables = tables;
  }

  /** Runs one writer at a time, so that nothing changes between the reads and the commit of `work`. */
  transaction<T>(work: (commit: Commit) => Promise<T>): Promise<T> {
    const commit: Commit = async (line) => {
      await this.#journal.write(line);
      applyLine(this.tables, line);
    };
    const result = this.#lastWrite.then(() => work(commit));
    this.#lastWrite = result.catch(() => {});
    return result;
  }

  close(): Promise<void> {
    this.#closing ??= this.#lastWrite.then(() => this.#journal.close()).then(this.#unlock);
    return this.#closing;
  }
}
