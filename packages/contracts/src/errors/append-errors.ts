import type { AppendResult } from "../run-state-store.js";
import { InputError, RetryError, RunledgerError, StopError } from "./families.js";

/** P5: a mistyped id must not make a ghost run. Another tenant's run looks the same. */
export class RunNotFoundError extends InputError {
  constructor(readonly runId: string) {
    super("RUN_NOT_FOUND", "runId", `There is no run ${runId}. Nothing was written; check the id.`);
  }
}

/** P3: the run went on since the caller last looked. */
export class SeqMismatchError extends StopError {
  constructor(
    readonly runId: string,
    readonly expectedSeq: number,
    readonly headSeq: number,
  ) {
    super(
      "SEQ_MISMATCH",
      `Run ${runId} is at seq ${headSeq}, not ${expectedSeq}. Nothing was written; read the events after the last one you know and decide again.`,
    );
  }
}

/** P4: the fence. */
export class StaleLeaseError extends StopError {
  constructor(
    readonly runId: string,
    /** Null = the append carried no epoch although the run is leased. */
    readonly heldEpoch: number | null,
    readonly currentEpoch: number,
  ) {
    const held = heldEpoch === null ? "this append carries none" : `this worker holds ${heldEpoch}`;
    super(
      "STALE_LEASE",
      `Run ${runId} is owned under epoch ${currentEpoch}; ${held}. Nothing was written; drop the run.`,
    );
  }
}

/** A1: the run's head is a tombstone. */
export class RunArchivedError extends StopError {
  constructor(readonly runId: string) {
    super("RUN_ARCHIVED", `Run ${runId} is archived and takes no new events. Nothing was written.`);
  }
}

/** P6: the caller's AbortSignal fired while the call was still waiting to be sent. */
export class AppendWithdrawnError extends StopError {
  constructor(options?: { readonly cause?: unknown }) {
    super("APPEND_WITHDRAWN", "The append was withdrawn before it was sent. Nothing was written.", options);
  }
}

/** P7: the connection was lost around COMMIT. */
export class OutcomeUnknownError extends RetryError {
  constructor(options?: { readonly cause?: unknown }) {
    super(
      "OUTCOME_UNKNOWN",
      "The connection was lost before the store answered: the events may or may not be stored. Append the same events again; their keys make it safe.",
      options,
    );
  }
}

/** A call over several runs of which some were refused; the others are stored (P1 holds per run). */
export class AppendPartialError extends StopError {
  constructor(
    /** Per event of the call, in call order. */
    readonly results: readonly (AppendResult | RunledgerError)[],
  ) {
    const refused = results.filter((result) => result instanceof RunledgerError);
    super("APPEND_PARTIAL", `${refused.length} of ${results.length} events were refused: ${refused[0]?.message}`, {
      cause: refused[0],
    });
  }
}
