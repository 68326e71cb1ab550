/**
 * Lines of JSON on disk. A line is on disk before `write` resolves. A crash can tear only the last line, which was
 * never acknowledged; opening the journal cuts it off.
 */
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { OutcomeUnknownError, StopError } from "@runledger/contracts";
import type { JournalLine } from "./tables.js";

const NEWLINE = 10;

export class Journal {
  static async open(folder: string, onLine: (line: JournalLine) => void): Promise<Journal> {
    const path = join(folder, "journal.jsonl");
    const file = await open(path, "a+");
    try {
      const content = await file.readFile();
      const end = wholeLines(content, path, onLine);
      if (end < content.length) await file.truncate(end);
      await syncFolder(folder); // the directory entry must survive a crash, too
      return new Journal(file, end);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  readonly #file: FileHandle;
  /** The end of the last complete line. */
  #end: number;
  #broken: unknown = null;

  private constructor(file: FileHandle, end: number) {
    this.#file = file;
    this.#end = end;
  }

  async write(line: JournalLine): Promise<void> {
    if (this.#broken !== null) throw new StopError("STORE_FAULT", "The journal is broken.", { cause: this.#broken });
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
      this.#end += bytes.length;
    } catch (error) {
      await this.#takeBack(error);
    }
  }

  /** After a failed write, truncates the file to its previous end. If that fails too, the outcome is unknown. */
  async #takeBack(reason: unknown): Promise<never> {
    try {
      await this.#file.truncate(this.#end);
      await this.#file.datasync();
    } catch {
      this.#broken = reason;
      throw new OutcomeUnknownError({ cause: reason });
    }
    throw new StopError("STORE_FAULT", "The journal could not be written. Nothing was stored.", { cause: reason });
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Reads lines up to the end or up to a torn last line. Returns the end of the last complete line. */
function wholeLines(content: Buffer, path: string, onLine: (line: JournalLine) => void): number {
  let start = 0;
  for (let end = content.indexOf(NEWLINE); end !== -1; end = content.indexOf(NEWLINE, start)) {
    const line = parse(content.toString("utf8", start, end));
    if (line === null && end + 1 === content.length) return start; // its last bytes reached the disk, but not all of it
    if (line === null) throw new StopError("STORE_FAULT", `${path} is damaged at byte ${start}.`);
    onLine(line);
    start = end + 1;
  }
  return start;
}

function parse(text: string): JournalLine | null {
  try {
    return JSON.parse(text) as JournalLine;
  } catch {
    return null;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync();
  await handle.close();
}
