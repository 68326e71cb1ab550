/**
 * When an execution without a dispatcher reads the log by itself. A sender may be lost between its append and its wake-up.
 * The pauses grow, because a warehouse that is read often never sleeps.
 */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

export class OwnChecks {
  readonly #isDirect: boolean;
  #pauseMs = FIRST_PAUSE_MS;
  #dueAt: number | null = null;

  constructor(isDirect: boolean) {
    this.#isDirect = isDirect;
  }

  /** Returns the earlier of this time and the next check. `null` if there is neither. */
  earlier(at: number | null, now: number): number | null {
    if (!this.#isDirect) return at;
    this.#dueAt ??= now + this.#pauseMs;
    return Math.min(at ?? Infinity, this.#dueAt);
  }

  /** Returns `true` if a check is due. The next one is due after twice the time. */
  isDue(now: number): boolean {
    if (this.#dueAt === null || now < this.#dueAt) return false;
    this.#dueAt = null;
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    return true;
  }

  /** The run was woken, so its senders are active. */
  restart(): void {
    this.#dueAt = null;
    this.#pauseMs = FIRST_PAUSE_MS;
  }
}
