import type { CheckedEvent } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";

/** A batch as the one JSON parameter of its statements: parts with their conditions, events inside. */
export function batchJson(parts: readonly RunAppend[]): string {
  let ord = 0;
  const rendered = parts.map((part, place) => {
    const events = part.events.map((event) => eventJson(event, ++ord));
    return `{"part":${conditionsJson(part, place)},"events":[${events.join(",")}]}`;
  });
  return `[${rendered.join(",")}]`;
}

function conditionsJson(part: RunAppend, place: number): string {
  const { runId, expectedSeq, fence, needsFence, mustExist, tenantId, scoped, checkpoint } = part;
  const conditions = { expectedSeq, fence: fence ?? 0, needsFence, mustExist, tenantId, scoped, checkpoint };
  return JSON.stringify({ place, runId, ...conditions });
}

/** Payloads were rendered when they were checked; they are put in as they are. */
function eventJson({ event, dataJson, refJson }: CheckedEvent, ord: number): string {
  const { runId: _, eventData: __, engineRunRef: ___, ...envelope } = event;
  const payload = `"data":${dataJson}${refJson === null ? "" : `,"ref":${refJson}`}`;
  return `{"ord":${ord},"envelope":${JSON.stringify(envelope)},${payload}}`;
}

/** The runs of a batch, sorted as all who lock them sort them (P8). */
export function runsJson(parts: readonly RunAppend[]): string {
  const runs = new Map(parts.map(({ runId, tenantId, mustExist }) => [runId, { runId, tenantId, mustExist }]));
  return JSON.stringify([...runs.values()].sort((a, b) => Buffer.compare(Buffer.from(a.runId), Buffer.from(b.runId))));
}
