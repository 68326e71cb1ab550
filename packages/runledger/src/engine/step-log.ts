/** The log of one attempt: lines as they come, in an artifact that is readable while the attempt runs. */
import type { ArtifactRef, LogLine } from "@runledger/contracts";
import type { ArtifactHome } from "./artifact-home.js";
import { ArtifactWriter } from "./artifact-writer.js";
import type { Timers } from "./engine-parts.js";
import type { Redactor } from "./redactor.js";

/** Lines wait at most this long, or until they are this many bytes, before they can be read elsewhere. */
const FLUSH_MS = 250;
const FLUSH_BYTES = 16 * 1024;
/** Whoever prints faster than the store takes it has to wait from here on. */
const CROWDED_BYTES = 256 * 1024;
/** A program that prints for ever must not fill the store. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

export class StepLog {
  readonly #home: ArtifactHome;
  readonly #parts: { readonly timers: Timers; readonly redactor: Redactor; readonly now: () => number };
  #writer: ArtifactWriter | null = null;
  #buffer: string[] = [];
  #buffered = 0;
  #written = 0;
  #leftOut = 0;
  #ended: Promise<ArtifactRef | null> | null = null;
  #clear: (() => void) | null = null;
  #sending: Promise<void> = Promise.resolve();
  /** Of a flush that waits for the one before it. */
  #next: Promise<void> | null = null;

  constructor(home: ArtifactHome, parts: { timers: Timers; redactor: Redactor; now: () => number }) {
    this.#home = home;
    this.#parts = parts;
  }

  add(from: LogLine["from"], text: string, fields?: object): void {
    if (this.#ended !== null) return; // a function that was given up cannot be stopped; nobody listens to it any more
    if (this.#leftOut > 0) return void this.#leftOut++;
    const line = this.#render(from, text, fields);
    const bytes = Buffer.byteLength(line);
    if (this.#written + bytes > MAX_LOG_BYTES) return void this.#leftOut++;
    this.#written += bytes;
    this.#push(line, bytes);
  }

  /** Resolves once there is room for more. */
  async ready(): Promise<void> {
    if (this.#buffered > CROWDED_BYTES) await this.#flush();
  }

  /** Where the lines went; null = there were none. With `always` an empty log is one too. Whoever asks first decides. */
  end({ always = false } = {}): Promise<ArtifactRef | null> {
    if (this.#leftOut > 0 && this.#ended === null) {
      this.#push(this.#render("log", `${this.#leftOut} more lines were left out.`, undefined), 0);
    }
    this.#clear?.();
    return (this.#ended ??= this.#close(always));
  }

  async #close(always: boolean): Promise<ArtifactRef | null> {
    await this.#sending;
    if (!always && this.#writer === null && this.#buffer.length === 0) return null;
    return this.#open().end(this.#take());
  }

  #push(line: string, bytes: number): void {
    this.#buffer.push(line);
    this.#buffered += bytes;
    if (this.#buffered >= FLUSH_BYTES) void this.#flush();
    else this.#clear ??= this.#parts.timers.after(FLUSH_MS, () => void this.#flush());
  }

  /** Everything that gathers while earlier lines are on their way goes in one chunk. A failure is kept for `end`. */
  #flush(): Promise<void> {
    this.#clear?.();
    this.#clear = null;
    if (this.#next !== null) return this.#next;
    const sent = this.#sending.then(() => this.#send());
    sent.catch(() => {});
    this.#next = sent;
    this.#sending = sent;
    return sent;
  }

  async #send(): Promise<void> {
    this.#next = null;
    if (this.#ended === null && this.#buffer.length > 0) await this.#open().write(this.#take());
  }

  #open(): ArtifactWriter {
    return (this.#writer ??= new ArtifactWriter(this.#home, "log"));
  }

  #take(): Uint8Array {
    const bytes = Buffer.from(this.#buffer.join(""));
    this.#buffer = [];
    this.#buffered = 0;
    return bytes;
  }

  #render(from: LogLine["from"], text: string, fields: object | undefined): string {
    const at = new Date(this.#parts.now()).toISOString();
    const line = { at, from, text, ...(fields && { fields: plain(fields) }) };
    return `${JSON.stringify(this.#parts.redactor.json(line))}\n`;
  }
}

/** Nothing that a step says may make it fail. */
function plain(fields: object): Record<string, string | number> {
  try {
    return JSON.parse(JSON.stringify(fields)) as Record<string, string | number>;
  } catch (error) {
    return { unprintable: String(error) };
  }
}
