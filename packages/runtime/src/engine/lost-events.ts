import type { SeqMismatchError } from "@runledger/contracts";

/** The log has fewer events than this worker has folded, as after a failover that lost its last moments (F9). */
export class EventsLost extends Error {
  constructor({ runId, expectedSeq, headSeq }: SeqMismatchError) {
    super(
      `run ${runId} had ${expectedSeq} events and has ${headSeq} now; the worker resumes it from those that are left`,
    );
  }
}

/** Throws if the store went back. A worker that decides again on what it has folded would be refused forever. */
export function assertNotLost(refusal: SeqMismatchError): void {
  if (refusal.headSeq < refusal.expectedSeq) throw new EventsLost(refusal);
}
