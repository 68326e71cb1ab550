import type { CheckedEvent } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";

/** Renders a batch as the one JSON parameter of its statements: parts with their conditions, and events inside. */
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
  const verdict = part.judgedAt === null ? {} : { judgedAt: part.judgedAt };
  const conditions = {
    expectedSeq,
    fence: fence ?? 0,
    needsFence,
    mustExist,
    tenantId,
    scoped,
    checkpoint,
    ...verdict,
  };
  return JSON.stringify({ place, runId, ...conditions });
}

/** Payloads were rendered when they were checked, and are used unchanged. */
function eventJson({ event, dataJson, refJson }: CheckedEvent, ord: number): string {
  const { runId: _, eventData: __, engineRunRef: ___, ...envelope } = event;
  const payload = `"data":${dataJson}${refJson === null ? "" : `,"ref":${refJson}`}`;
  return `{"ord":${ord},"envelope":${JSON.stringify(envelope)},${payload}}`;
}

/** The runs of a batch, in the order in which every writer locks them (P8). */
export function runsJson(parts: readonly RunAppend[]): string {
  const runs = new Map(parts.map(({ runId, tenantId, mustExist }) => [runId, { runId, tenantId, mustExist }]));
  return JSON.stringify([...runs.values()].sort((a, b) => compareIds(a.runId, b.runId)));
}

/** Compares by code points, like UTF-8 and Snowflake. JavaScript's order differs beyond the basic plane. */
export function compareIds(a: string, b: string): number {
  const [one, other] = [Array.from(a), Array.from(b)];
  const place = one.findIndex((character, index) => character !== other[index]);
  if (place === -1) return one.length - other.length;
  return one[place]!.codePointAt(0)! - (other[place]?.codePointAt(0) ?? -1);
}
