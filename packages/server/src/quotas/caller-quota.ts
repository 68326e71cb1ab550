import type { Spending, Spent } from "./spending.js";
import { rateLimited, tooManyStreams } from "./refusals.js";

/** A key, tenant or address that a call counts for. */
export interface Subject {
  readonly kind: "key" | "tenant" | "address";
  readonly name: string;
  readonly spending: Spending;
}

/** The quotas of one call. Empty for a call that is not limited. */
export class CallerQuota {
  readonly #subjects: readonly Subject[];

  constructor(subjects: readonly Subject[]) {
    this.#subjects = subjects;
  }

  /** The key or address that the call counts for first. `undefined` for a call that is not limited. */
  get caller(): string | undefined {
    return this.#subjects[0]?.name;
  }

  and(other: CallerQuota): CallerQuota {
    return new CallerQuota([...this.#subjects, ...other.#subjects]);
  }

  /** Counts a request. Throws RATE_LIMITED if too many came, or too many bytes were sent. */
  countRequest(): void {
    this.#assertLeft("bytes");
    this.#assertLeft("requests");
    this.spend("requests", 1);
  }

  /** Counts runs before they start. Throws RATE_LIMITED. */
  countStarts(starts: number): void {
    this.#assertLeft("starts");
    this.spend("starts", starts);
  }

  spend(spent: Spent, cost: number): void {
    const now = performance.now();
    for (const { name, spending } of this.#subjects) spending.bucket(name, spent, now)?.take(cost, now);
  }

  /** Milliseconds after which a download or a stream may send more. */
  paceMs(): number {
    const now = performance.now();
    return Math.max(
      0,
      ...this.#subjects.map(({ name, spending }) => spending.bucket(name, "bytes", now)?.paceMs(now) ?? 0),
    );
  }

  /** Counts a stream until the returned function is called. Throws RATE_LIMITED. */
  openStream(): () => void {
    for (const { kind, name, spending } of this.#subjects)
      if (!spending.hasStream(name)) throw tooManyStreams(kind, spending.limitOf("streams")!);
    for (const { name, spending } of this.#subjects) spending.addStreams(name, 1);
    let isOpen = true;
    return () => {
      if (isOpen) for (const { name, spending } of this.#subjects) spending.addStreams(name, -1);
      isOpen = false;
    };
  }

  #assertLeft(spent: Spent): void {
    const now = performance.now();
    for (const { kind, name, spending } of this.#subjects) {
      const waitMs = spending.bucket(name, spent, now)?.waitMs(now) ?? 0;
      if (waitMs > 0) throw rateLimited(kind, spent, spending.limitOf(spent)!, waitMs);
    }
  }
}
