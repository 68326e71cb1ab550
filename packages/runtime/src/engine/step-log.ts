/** The log of one attempt: an artifact that is readable while the attempt runs. */
import type { ArtifactRef, Json, LogLine } from "@runledger/contracts";
import type { ArtifactHome } from "./artifact-home.js";
import { ArtifactWriter } from "../artifacts/artifact-writer.js";
import type { Timers } from "../time/timers.js";
import type { RedactedLines } from "./redacted-lines.js";
import type { Redactor } from "./redactor.js";

/** Flush a log after this time or this many bytes. */
const FLUSH_MS = 250;
const FLUSH_BYTES = 16 * 1024;
/** Backpressure: a faster writer waits above this many buffered bytes. */
const CROWDED_BYTES = 256 * 1024;
/** Maximum size of a log. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

export class StepLog {
  readonly #home: ArtifactHome;
  readonly #deps: { readonly timers: Timers; readonly redactor: Redactor; readonly now: () => number };
  readonly #lines = new Map<LogLine["from"], RedactedLines<LogLine>>();
  #writer: ArtifactWriter | null = null;
  #buffer: string[] = [];
  #buffered = 0;
  #written = 0;
  #leftOut = 0;
  #ended: Promise<ArtifactRef | null> | null = null;
  #clear: (() => void) | null = null;
  #sending: Promise<void> = Promise.resolve();
  /** Pending flush that waits for the previous one. */
  #next: Promise<void> | null = null;

  constructor(home: ArtifactHome, deps: { timers: Timers; redactor: Redactor; now: () => number }) {
    this.#home = home;
    this.#deps = deps;
  }

  add(from: LogLine["from"], text: string, fields?: object): void {
    if (this.#ended !== null) return; // an abandoned function may still log; ignore it
    if (!this.#home.isPresent) return; // a step may print on every store
    const found = { at: this.#time(), from, text, ...(fields && { fields: plain(fields) }) };
    for (const line of this.#linesFrom(from).push(found)) this.#write(line);
  }

  #write(found: LogLine): void {
    if (this.#leftOut > 0) return void this.#leftOut++;
    const line = this.#render(found);
    const bytes = Buffer.byteLength(line);
    if (this.#written + bytes > MAX_LOG_BYTES) return void this.#leftOut++;
    this.#written += bytes;
    this.#push(line, bytes);
  }

  /** Resolves when the buffer has room. */
  async ready(): Promise<void> {
    if (this.#buffered > CROWDED_BYTES) await this.#flush();
  }

  /** Closes the log and returns its artifact; `null` if it is empty, unless `always` is set. The first call decides. */
  end({ always = false } = {}): Promise<ArtifactRef | null> {
    if (this.#ended === null) this.#writeRest();
    this.#clear?.();
    return (this.#ended ??= this.#close(always));
  }

  #writeRest(): void {
    for (const lines of this.#lines.values()) for (const line of lines.end()) this.#write(line);
    if (this.#leftOut === 0) return;
    const text = `${this.#leftOut} more lines were left out.`;
    this.#push(this.#render({ at: this.#time(), from: "log", text }), 0);
  }

  #linesFrom(from: LogLine["from"]): RedactedLines<LogLine> {
    const lines = this.#lines.get(from) ?? this.#deps.redactor.lines<LogLine>();
    this.#lines.set(from, lines);
    return lines;
  }

  #time(): string {
    return new Date(this.#deps.now()).toISOString();
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
    else this.#clear ??= this.#deps.timers.after(FLUSH_MS, () => void this.#flush());
  }

  /** Writes all lines gathered during the previous flush as one chunk. Keeps a failure for `end`. */
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

  #render(line: LogLine): string {
    return `${JSON.stringify(this.#deps.redactor.json(line as unknown as Json))}\n`;
  }
}

/** Serializes log fields. Logging never fails a step. */
function plain(fields: object): Record<string, string | number> {
  try {
    return JSON.parse(JSON.stringify(fields)) as Record<string, string | number>;
  } catch (error) {
    return { unprintable: String(error) };
  }
}
