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
  return JSON.stringify([...runs.values()].sort((a, b) => compareIds(a.runId, b.runId)));
}

/** By code points, which is the order of UTF-8 and Snowflake's; JavaScript's own differs beyond the basic plane. */
export function compareIds(a: string, b: string): number {
  const [one, other] = [Array.from(a), Array.from(b)];
  const place = one.findIndex((character, index) => character !== other[index]);
  if (place === -1) return one.length - other.length;
  return one[place]!.codePointAt(0)! - (other[place]?.codePointAt(0) ?? -1);
}
