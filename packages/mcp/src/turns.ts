/** Runs a bounded number of calls at the same time. */
export class Turns {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  readonly #open = new Set<Promise<unknown>>();
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  run<T>(call: () => Promise<T>): Promise<T> {
    const done = this.#take(call);
    this.#open.add(done);
    const forget = () => this.#open.delete(done);
    done.then(forget, forget);
    return done;
  }

  /** Resolves when no call is left. */
  async idle(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  async #take<T>(call: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
