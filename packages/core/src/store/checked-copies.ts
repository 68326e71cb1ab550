import {
  checkEvent,
  InputError,
  type CanonicalEngineEvent,
  type CheckedEvent,
  type Copies,
  type NewEvent,
  type RunCopy,
} from "@runledger/contracts";
import { checkIdentifiers, checkWhole } from "./check-arguments.js";

/** A copy whose events passed the same checks as appended ones. */
export interface CheckedCopy extends Omit<RunCopy, "events"> {
  readonly events: readonly CopiedEvent[];
}

export interface CopiedEvent extends CheckedEvent {
  readonly runSeq: number;
  readonly persistedAt: string;
}

/** Implemented by the backend. It gets at least one copy, each with at least one event, at most one per run. */
export type WriteCopies = (copies: readonly CheckedCopy[]) => Promise<void>;

export function checkedCopies(write: WriteCopies, open: () => void): Copies {
  return {
    writeCopies: async (copies) => {
      open();
      const checked = copies.filter(({ events }) => events.length > 0).map(checkCopy);
      if (checked.length > 0) await write(checked);
    },
  };
}

function checkCopy(copy: RunCopy): CheckedCopy {
  checkIdentifiers("copies", [copy.runId, copy.tenantId]);
  checkWhole("afterSeq", copy.afterSeq, 0);
  return { ...copy, events: copy.events.map((event, index) => checkCopied(copy, event, copy.afterSeq + index + 1)) };
}

function checkCopied({ runId }: RunCopy, event: CanonicalEngineEvent, expected: number): CopiedEvent {
  const { runSeq, persistedAt, ...rest } = event;
  const field = `copies of ${runId}, event ${expected}`;
  if (event.runId !== runId)
    throw new InputError("EVENT_INVALID", field, `belongs to run ${event.runId}. Copy each run separately.`);
  if (runSeq !== expected)
    throw new InputError("EVENT_INVALID", field, `has runSeq ${runSeq}, which leaves a gap. Copy all events in order.`);
  if (persistedAt === undefined)
    throw new InputError("EVENT_INVALID", field, "has no persistedAt. Copy the event as the other store returned it.");
  return { ...checkEvent(rest as NewEvent, field), runSeq, persistedAt };
}
