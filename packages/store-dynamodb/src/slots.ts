/** Bounds how many calls are in flight at once. The others wait in order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  /** Calls that were started. */
  uses = 0;

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(call: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.uses++;
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
