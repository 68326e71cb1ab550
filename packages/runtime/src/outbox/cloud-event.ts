import type { CanonicalEngineEvent } from "@runledger/contracts";

/** An event of a run as CloudEvents 1.0, with the extensions `partitionkey` and `sequence`. */
export interface CloudEvent {
  readonly specversion: "1.0";
  /** The event's id. It is the same in every delivery. */
  readonly id: string;
  /** `/tenants/<tenant>/runs/<run>`. */
  readonly source: string;
  /** `dev.runledger.` and the event type. */
  readonly type: string;
  /** The step. Absent if the event concerns the run as a whole. */
  readonly subject?: string;
  readonly time: string;
  readonly datacontenttype: "application/json";
  /** The run. */
  readonly partitionkey: string;
  /** The event's number in its run, with leading zeros, so that texts sort like numbers. */
  readonly sequence: string;
  readonly tenantid: string;
  readonly data: CanonicalEngineEvent;
}

const TYPE_PREFIX = "dev.runledger.";

export function toCloudEvent(event: CanonicalEngineEvent, tenantId: string): CloudEvent {
  const { runId, runSeq, eventId, eventType, stepId, persistedAt, emittedAt } = event;
  return {
    specversion: "1.0",
    id: eventId,
    source: sourceOf(tenantId, runId),
    type: TYPE_PREFIX + eventType,
    ...(stepId === undefined ? {} : { subject: stepId }),
    time: persistedAt ?? emittedAt,
    datacontenttype: "application/json",
    partitionkey: runId,
    sequence: String(runSeq).padStart(16, "0"),
    tenantid: tenantId,
    data: event,
  };
}

/** An event for testing a subscription. It belongs to no run. */
export function testEvent(tenantId: string, eventId: string, now: string): CloudEvent {
  const data = { runId: "test", runSeq: 1, eventId, eventType: "Test", eventData: {}, idempotencyKey: "test" };
  return toCloudEvent({ ...data, emittedAt: now, persistedAt: now }, tenantId);
}

function sourceOf(tenantId: string, runId: string): string {
  return `/tenants/${encodeURIComponent(tenantId)}/runs/${encodeURIComponent(runId)}`;
}
