/**
 * Published equals log: a subscriber receives every event of a run, as it is in the log, and each for the first time directly
 * after the one before. An event may arrive again.
 */
import { digestOf } from "./digest.js";
import type { PublishedEvent } from "./history.js";
import type { RunFacts } from "./run-facts.js";
import type { Report } from "./violation.js";

export function checkPublished({ published, rows, rowOfSeq }: RunFacts, report: Report): void {
  if (published === null) return;
  const fail = (seq: number, message: string): void => report({ invariant: "published-is-log", seq, message });
  let last = 0;
  for (const event of published) {
    if (event.seq > last + 1) fail(event.seq, `published seq ${event.seq} right after ${last}.`);
    last = Math.max(last, event.seq);
    if (!isInLog(event, rowOfSeq))
      fail(event.seq, `published an event at seq ${event.seq} that the log does not hold.`);
  }
  const end = rows.at(-1)?.event.runSeq ?? 0;
  if (last < end) fail(last + 1, `published up to seq ${last}, although the log has ${end}.`);
}

function isInLog({ seq, eventId, digest }: PublishedEvent, rowOfSeq: RunFacts["rowOfSeq"]): boolean {
  const stored = rowOfSeq.get(seq)?.event;
  return stored !== undefined && stored.eventId === eventId && digestOf(stored.eventData) === digest;
}
