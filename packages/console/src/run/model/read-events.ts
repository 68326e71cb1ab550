import type { RunEvent, RunledgerClient } from "@runledger/client";

export interface EventRange {
  readonly events: readonly RunEvent[];
  /** Missing numbers up to here will never be filled (P10). */
  readonly settledSeq: number;
}

/** Reads `limit` events without payloads, or those that exist. A page of the server ends early if its events are large. */
export async function readEvents(
  client: Pick<RunledgerClient, "listEvents">,
  runId: string,
  { after: first, limit }: { readonly after: number; readonly limit: number },
): Promise<EventRange> {
  const events: RunEvent[] = [];
  let settledSeq = 0;
  for (let after = first; events.length < limit;) {
    const page = await client.listEvents(runId, { after, limit: limit - events.length, payloads: false });
    events.push(...page.items);
    settledSeq = page.settledSeq ?? settledSeq;
    if (page.next === null) break;
    after = Number(page.next);
  }
  return { events, settledSeq };
}
