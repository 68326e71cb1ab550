/** Messages as the outbox publishes them. */
import { newId, type CanonicalEngineEvent, type Json } from "@runledger/contracts";
import { toCloudEvent, type CloudEvent } from "../../outbox/cloud-event.js";
import type { BusMessage } from "../../outbox/event-bus.js";

export const TENANT = "tenant 1";

export function eventAt(runId: string, runSeq: number, eventData: Json = { n: runSeq }): CloudEvent {
  const at = new Date(1_790_000_000_000 + runSeq).toISOString();
  const fields = { runId, runSeq, eventId: newId("event"), eventType: "StepStarted", stepId: `s${runSeq}` };
  const times = { emittedAt: at, persistedAt: at };
  const event: CanonicalEngineEvent = { ...fields, ...times, eventData, idempotencyKey: `${runId}-${runSeq}` };
  return toCloudEvent(event, TENANT);
}

export function messageOf(...events: readonly CloudEvent[]): BusMessage {
  const runId = events[0]!.partitionkey;
  return { tenantId: TENANT, subscriptionId: "conformance", subscriptionNumber: 1, runId, events };
}

/** One message per event, with the numbers from `first` to `last`. */
export function messagesOf(runId: string, first: number, last: number): BusMessage[] {
  return Array.from({ length: last - first + 1 }, (_, n) => messageOf(eventAt(runId, first + n)));
}

/** Numbers from 1 to `last`. */
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, n) => n + 1);
