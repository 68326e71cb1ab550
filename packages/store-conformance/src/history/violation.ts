/** The promises of a store, by the name that a violation reports. */
export type Invariant =
  | "seq-is-1-to-n"
  | "one-row-per-key"
  | "key-matches-content"
  | "acknowledged-in-log"
  | "duplicate-keeps-its-seq"
  | "payload-kept"
  | "idempotent-is-decided"
  | "conflict-is-decided"
  | "refused-wrote-nothing"
  | "every-event-was-appended"
  | "call-order"
  | "call-is-atomic"
  | "real-time-order"
  | "read-is-a-prefix"
  | "stale-lease-refused"
  | "one-owner-per-epoch"
  | "checkpoint-label"
  | "checkpoint-and-tail"
  | "one-verdict-per-signal"
  | "no-signal-after-the-end"
  | "signals-per-minute"
  | "published-is-log";

export interface Violation {
  readonly invariant: Invariant;
  readonly runId: string;
  /** Describes what was seen, what was promised, and where to look. */
  readonly message: string;
  readonly seq?: number;
  readonly idempotencyKey?: string;
  /** The operation that showed the violation, as `client#id`. */
  readonly operation?: string;
}

/** Collects the violations of one run. */
export type Report = (violation: Omit<Violation, "runId">) => void;
