const INTERVAL_MS = 1000;

/** Prints the progress of a long command once a second, on standard error so that pipes get results only. */
export class Progress implements Disposable {
  readonly #verb: string;
  #printedAt = performance.now();
  done = 0;
  /** The last run that was processed. */
  last: string | null = null;

  constructor(verb: string) {
    this.#verb = verb;
  }

  passed(runId: string, note = ""): void {
    this.done++;
    this.last = runId;
    if (performance.now() - this.#printedAt < INTERVAL_MS) return;
    this.#printedAt = performance.now();
    this.#print(`${this.done.toLocaleString("en")} runs ${this.#verb}, at ${runId}${note}`);
  }

  [Symbol.dispose](): void {
    if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");
  }

  /** Rewrites one line on a terminal; prints lines elsewhere. */
  #print(text: string): void {
    process.stderr.write(process.stderr.isTTY ? `\r\u001B[K${text}` : `${text}\n`);
  }
}
