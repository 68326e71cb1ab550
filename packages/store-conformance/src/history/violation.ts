/** What a store promises, by the names under which a broken promise is reported. */
export type Invariant =
  | "seq-is-1-to-n"
  | "one-row-per-key"
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
  | "checkpoint-and-tail";

export interface Violation {
  readonly invariant: Invariant;
  readonly runId: string;
  /** What was seen, what was promised, and where to look. */
  readonly message: string;
  readonly seq?: number;
  readonly idempotencyKey?: string;
  /** Whose operation showed it, as `client#id`. */
  readonly operation?: string;
}

/** Collects what the invariants find in one run. */
export type Report = (violation: Omit<Violation, "runId">) => void;
