/** Knows whether several tenants sent requests lately. Remembers two of them, because that is enough. */

const RECENT_MS = 1000;

interface Seen {
  readonly tenantId: string;
  readonly at: number;
}

export class ActiveTenants {
  #last: Seen | null = null;
  /** The last request of another tenant than `#last`. */
  #other: Seen | null = null;

  note(tenantId: string, at: number): void {
    if (this.#last !== null && this.#last.tenantId !== tenantId) this.#other = this.#last;
    this.#last = { tenantId, at };
  }

  hasOther(tenantId: string, now: number): boolean {
    return [this.#last, this.#other].some(
      (seen) => seen !== null && seen.tenantId !== tenantId && now - seen.at < RECENT_MS,
    );
  }
}
