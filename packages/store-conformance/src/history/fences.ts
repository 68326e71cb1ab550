/**
 * Checks the fence (P4): a lease records the head at which its epoch started. After that head, no event may be written
 * under a lower epoch, and no engine's event without an epoch.
 */
import { eventTypes, isSignal } from "@runledger/contracts";
import { nameOf, type Row, type RunFacts } from "./run-facts.js";
import type { Report } from "./violation.js";

export function checkFences(facts: RunFacts, report: Report): void {
  checkOwners(facts, report);
  const epochAt = epochsByHead(facts);
  let epoch = 0;
  let previous = 0;
  for (const row of facts.rows) {
    const { runSeq } = row.event;
    epoch = Math.max(epoch, epochAt.get(previous) ?? 0, epochAt.get(runSeq - 1) ?? 0);
    checkFence(row, epoch, report);
    epoch = Math.max(epoch, row.writer?.part.fence ?? 0);
    previous = runSeq;
  }
}

function epochsByHead({ leases }: RunFacts): ReadonlyMap<number, number> {
  const epochs = new Map<number, number>();
  for (const { headSeq, epoch } of leases) epochs.set(headSeq, Math.max(epoch, epochs.get(headSeq) ?? 0));
  return epochs;
}

function checkFence({ event, writer }: Row, epoch: number, report: Report): void {
  if (writer === null) return;
  const { fence, call } = writer.part;
  const stale = fence === null ? epoch > 0 && engineEvents.has(event.eventType) : fence < epoch;
  if (!stale) return;
  const operation = nameOf(call);
  const held = fence === null ? "without an epoch" : `under epoch ${fence}`;
  const message = `${operation} wrote seq ${event.runSeq} ${held}, after epoch ${epoch} had started: a stale owner got through.`;
  report({ invariant: "stale-lease-refused", seq: event.runSeq, operation, message });
}

/** An epoch belongs to one worker. */
function checkOwners({ leases }: RunFacts, report: Report): void {
  const owners = new Map<number, string>();
  for (const lease of leases) {
    const owner = owners.get(lease.epoch) ?? lease.workerId;
    owners.set(lease.epoch, owner);
    if (owner === lease.workerId) continue;
    const message = `${owner} and ${lease.workerId} both got epoch ${lease.epoch}: both would pass the fence.`;
    report({ invariant: "one-owner-per-epoch", operation: nameOf(lease), message });
  }
}

const engineEvents: ReadonlySet<string> = new Set(
  eventTypes.filter((type) => !isSignal(type) && type !== "RunReopened"),
);
