import type { AppendResult } from "../run-state-store.js";
import { InputError, RetryError, RunledgerError, StopError } from "./families.js";

/** P5: a mistyped id must not create a run. Another tenant's run is reported the same way. */
export class RunNotFoundError extends InputError {
  constructor(readonly runId: string) {
    super("RUN_NOT_FOUND", "runId", `Run ${runId} does not exist. Nothing was written. Check the id.`);
  }
}

/** P3: the run has advanced since the caller last read it. */
export class SeqMismatchError extends StopError {
  constructor(
    readonly runId: string,
    readonly expectedSeq: number,
    readonly headSeq: number,
  ) {
    super(
      "SEQ_MISMATCH",
      `Run ${runId} is at seq ${headSeq}, not ${expectedSeq}. Nothing was written. Read the new events and decide again.`,
    );
  }
}

/** P9: the run has received its signals or actions of this minute, by the store's clock. */
export class SignalLimitError extends RetryError {
  constructor(
    readonly runId: string,
    /** ISO 8601. */
    readonly notBefore: string,
  ) {
    super(
      "SIGNAL_LIMIT",
      `Run ${runId} has received its signals or actions of this minute. Nothing was written. Send it again after ${notBefore}.`,
    );
  }
}

/** P4: another worker owns the run. */
export class StaleLeaseError extends StopError {
  constructor(
    readonly runId: string,
    /** `null` if the append carried no epoch although the run is leased. */
    readonly heldEpoch: number | null,
    readonly currentEpoch: number,
  ) {
    const held = heldEpoch === null ? "this append carries no epoch" : `this append carries epoch ${heldEpoch}`;
    super(
      "STALE_LEASE",
      `Run ${runId} is owned under epoch ${currentEpoch}; ${held}. Nothing was written. Stop working on the run.`,
    );
  }
}

/** A5: the run that a repeated request started was deleted. The request does not start a second one. */
export class RunDeletedError extends StopError {
  constructor(readonly runId: string) {
    super(
      "RUN_DELETED",
      `This request started run ${runId}, which retention has deleted. Nothing was started. Use another requestId.`,
    );
  }
}

/** A1: the run's head is a tombstone. */
export class RunArchivedError extends StopError {
  constructor(readonly runId: string) {
    super(
      "RUN_ARCHIVED",
      `Run ${runId} is archived and accepts no new events. Nothing was written. Start a new run instead.`,
    );
  }
}

/** P6: the caller's AbortSignal fired before the call was sent. */
export class AppendWithdrawnError extends StopError {
  constructor(options?: { readonly cause?: unknown }) {
    super(
      "APPEND_WITHDRAWN",
      "The append was withdrawn before it was sent. Nothing was written. Append again if you still need the events.",
      options,
    );
  }
}

/** P7: the connection was lost around COMMIT. */
export class OutcomeUnknownError extends RetryError {
  constructor(options?: { readonly cause?: unknown }) {
    super(
      "OUTCOME_UNKNOWN",
      "The connection was lost before the store answered, so the events may or may not be stored. Append the same events again. Their keys prevent duplicates.",
      options,
    );
  }
}

/** Some runs of a call were refused; the events of the others are stored (P1 holds per run). */
export class AppendPartialError extends StopError {
  constructor(
    /** One entry per event, in call order. */
    readonly results: readonly (AppendResult | RunledgerError)[],
  ) {
    const refused = results.filter((result) => result instanceof RunledgerError);
    super(
      "APPEND_PARTIAL",
      `${refused.length} of ${results.length} events were refused; the others are stored. First refusal: ${refused[0]?.message}`,
      {
        cause: refused[0],
      },
    );
  }
}
