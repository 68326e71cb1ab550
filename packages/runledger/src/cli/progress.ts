const EVERY_MS = 1000;

/** How far a long command is, once a second, on standard error: whoever pipes the results does not get it. */
export class Progress implements Disposable {
  readonly #verb: string;
  #told = performance.now();
  done = 0;
  /** The last run that it was through with. */
  last: string | null = null;

  constructor(verb: string) {
    this.#verb = verb;
  }

  passed(runId: string, note = ""): void {
    this.done++;
    this.last = runId;
    if (performance.now() - this.#told < EVERY_MS) return;
    this.#told = performance.now();
    this.#tell(`${this.done.toLocaleString("en")} runs ${this.#verb}, at ${runId}${note}`);
  }

  [Symbol.dispose](): void {
    if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");
  }

  /** On a terminal one line that changes, elsewhere a line each. */
  #tell(text: string): void {
    process.stderr.write(process.stderr.isTTY ? `\r\u001B[K${text}` : `${text}\n`);
  }
}
