/** Starts the run of an event. Its key makes the start happen once (Q1). */
import { omitUndefined, RunDeletedError, sha256Hex, type FullStateStore, type Trigger } from "@runledger/contracts";
import { startRun } from "../runs/start-run.js";
import type { Timers } from "../time/timers.js";
import type { FindWorkflow } from "./find-workflow.js";
import type { MappedEvent } from "./mapping.js";

export type EventOutcome =
  /** `repeated` if the run exists because the event arrived before. */
  | { readonly outcome: "started" | "repeated"; readonly runId: string }
  /** The filter of the trigger excludes the event. */
  | { readonly outcome: "skipped" };

export interface StartParts {
  readonly store: FullStateStore;
  readonly timers: Timers;
  readonly find: FindWorkflow;
  /** Called after a run was started. */
  readonly onStarted?: () => void;
}

export async function startForEvent(
  { store, timers, find, onStarted }: StartParts,
  { tenantId, triggerId, definition }: Trigger,
  eventId: string,
  { key, input, labels, concurrencyKey }: MappedEvent,
): Promise<EventOutcome> {
  const { workflow: id, version, projectId, environmentId, priority } = definition;
  const workflow = await find({ id, version, tenantId });
  const place = { tenantId, projectId, environmentId, priority, ...omitUndefined({ labels, concurrencyKey }) };
  const requestId = `trigger-${sha256Hex(JSON.stringify([triggerId, key])).slice(0, 40)}`;
  try {
    const trigger = { triggerId, eventId, key };
    const { runId, created } = await startRun(store, workflow, input, { ...place, requestId, trigger, timers });
    onStarted?.();
    return { outcome: created ? "started" : "repeated", runId };
  } catch (error) {
    if (error instanceof RunDeletedError) return { outcome: "repeated", runId: error.runId };
    throw error;
  }
}
