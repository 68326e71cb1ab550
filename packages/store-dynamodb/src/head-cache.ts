import type { HeadItem } from "./heads.js";

const MAX = 10_000;

/** The last heads that this process wrote. They may be outdated: a transaction requires that they are not. */
export class HeadCache {
  readonly #heads = new Map<string, HeadItem>();

  get(runId: string): HeadItem | undefined {
    return this.#heads.get(runId);
  }

  set(runId: string, head: HeadItem): void {
    this.#heads.delete(runId);
    this.#heads.set(runId, head);
    if (this.#heads.size <= MAX) return;
    for (const oldest of this.#heads.keys()) return void this.#heads.delete(oldest);
  }

  delete(runId: string): void {
    this.#heads.delete(runId);
  }
}
