/**
 * Joins concurrent reads: calls that arrive while earlier reads are running share the next one. A read always starts after
 * the calls that share it, so each caller sees at least what was stored before its call.
 */
export class SharedReads<V> {
  readonly #read: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>;
  #running = 0;
  #next: Batch<V> | null = null;

  constructor(read: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>) {
    this.#read = read;
  }

  async get(id: string): Promise<V | undefined> {
    const batch = (this.#next ??= new Batch<V>());
    batch.ids.add(id);
    if (this.#running < MOST_RUNNING) void this.#send();
    return (await batch.result).get(id);
  }

  async #send(): Promise<void> {
    const batch = this.#next;
    if (batch === null) return;
    this.#next = null;
    this.#running++;
    await this.#read([...batch.ids]).then(batch.resolve, batch.reject);
    this.#running--;
    void this.#send();
  }
}

const MOST_RUNNING = 2;

class Batch<V> {
  readonly ids = new Set<string>();
  readonly result: Promise<ReadonlyMap<string, V>>;
  resolve!: (found: ReadonlyMap<string, V>) => void;
  reject!: (error: unknown) => void;

  constructor() {
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}
