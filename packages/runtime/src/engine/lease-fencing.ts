/**
 * Lease fencing: only the current owner of a run may append to it.
 *
 * Each claim of a run raises its epoch. The owner sends its epoch as the `fence` of every append, and the store refuses
 * an append whose epoch is no longer the run's (`StaleLeaseError`). The store side is in `leases.ts` of each store.
 */
import { StaleLeaseError, type HeldRun } from "@runledger/contracts";
import { isTerminal, type EventDraft, type RunState } from "@runledger/core";
import type { RunContext } from "./run-context.js";
import { lastEpoch } from "./event-origin.js";
import { stepsInFlight } from "./suspects.js";

/**
 * Returns the `RunTakenOver` that a new owner appends before it decides anything (N4), or `null` if no worker was lost
 * or the take-over is in the log. It lists the steps whose work was running, not containers. If there are some, a worker
 * was lost even if the claim does not name one.
 */
export function takeOverDraft(
  context: RunContext,
  workerId: string,
  { takenFrom }: HeldRun,
  state: RunState,
): EventDraft | null {
  const { status, ordinals, details } = state;
  const inFlight = stepsInFlight(context, state);
  if (isTerminal(status) || (takenFrom === null && inFlight.length === 0)) return null;
  const { epoch } = context;
  if ((details.leaseEpoch ?? 0) >= epoch) return null;
  const data = { epoch, workerId, stepsInFlight: inFlight.map(({ stepId }) => stepId) };
  return { eventType: "RunTakenOver", attempt: (ordinals["RunTakenOver"] ?? 0) + 1, data };
}

/**
 * Throws if the log shows a later owner. A worker that was suspended for long finds steps that its successor started.
 * They look like its own: they are running. It would append nothing before it works on them, so the store's fence would
 * not stop it. This check does.
 */
export function assertOwner({ runId, epoch }: RunContext, state: RunState): void {
  const latest = lastEpoch(state);
  if (latest > epoch) throw new StaleLeaseError(runId, epoch, latest);
}
