/** Counts the use of one quota by its subjects, such as keys. It remembers a bounded number of them. */
import type { Quota } from "./quota-options.js";
import { TokenBucket } from "./token-bucket.js";

export type Spent = "requests" | "bytes" | "starts";
type Buckets = Readonly<Record<Spent, TokenBucket | null>>;

/** A forgotten subject starts with full buckets. Only one that was idle longer than all of these is forgotten. */
const MAX_SUBJECTS = 10_000;

export class Spending {
  readonly #quota: Required<Quota>;
  /** The most recently used last. */
  readonly #subjects = new Map<string, Buckets>();
  readonly #streams = new Map<string, number>();

  constructor(quota: Required<Quota>) {
    this.#quota = quota;
  }

  get size(): number {
    return this.#subjects.size;
  }

  bucket(subject: string, spent: Spent, now: number): TokenBucket | null {
    const buckets = this.#subjects.get(subject) ?? newBuckets(this.#quota, now);
    this.#subjects.delete(subject);
    this.#subjects.set(subject, buckets);
    if (this.#subjects.size > MAX_SUBJECTS) this.#subjects.delete(this.#subjects.keys().next().value!);
    return buckets[spent];
  }

  hasStream(subject: string): boolean {
    const { streams } = this.#quota;
    return streams === null || (this.#streams.get(subject) ?? 0) < streams;
  }

  addStreams(subject: string, change: 1 | -1): void {
    const open = (this.#streams.get(subject) ?? 0) + change;
    if (open === 0) this.#streams.delete(subject);
    else this.#streams.set(subject, open);
  }

  /** The configured number, for messages. */
  limitOf(spent: Spent | "streams"): number | null {
    if (spent === "streams") return this.#quota.streams;
    return this.#quota[`${spent}PerSecond`];
  }
}

function newBuckets({ requestsPerSecond, bytesPerSecond, startsPerSecond }: Required<Quota>, now: number): Buckets {
  const bucket = (perSecond: number | null) => (perSecond === null ? null : new TokenBucket(perSecond, now));
  return { requests: bucket(requestsPerSecond), bytes: bucket(bytesPerSecond), starts: bucket(startsPerSecond) };
}
