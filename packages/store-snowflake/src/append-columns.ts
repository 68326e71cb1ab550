import type { CheckedEvent } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";

/** A batch as the one JSON parameter of its statements: parts with their conditions, events inside. */
export function batchJson(parts: readonly RunAppend[]): string {
  return `[${parts.map(partJson).join(",")}]`;
}

function partJson(part: RunAppend): string {
  const { runId, expectedSeq, fence, needsFence, mustExist, tenantId, scoped, checkpoint } = part;
  const conditions = { runId, expectedSeq, fence: fence ?? 0, needsFence, mustExist, tenantId, scoped, checkpoint };
  return `{"part":${JSON.stringify(conditions)},"events":[${part.events.map(eventJson).join(",")}]}`;
}

/** Payloads were rendered when they were checked; they are put in as they are. */
function eventJson({ event, dataJson, refJson }: CheckedEvent): string {
  const { runId: _, eventData: __, engineRunRef: ___, ...envelope } = event;
  return `{"envelope":${JSON.stringify(envelope)},"data":${dataJson}${refJson === null ? "" : `,"ref":${refJson}`}}`;
}

/** The runs of a batch, sorted as all who lock them sort them (P8). */
export function runsJson(parts: readonly RunAppend[]): string {
  const runs = new Map(parts.map(({ runId, tenantId, mustExist }) => [runId, { runId, tenantId, mustExist }]));
  return JSON.stringify([...runs.values()].sort((a, b) => Buffer.compare(Buffer.from(a.runId), Buffer.from(b.runId))));
}
