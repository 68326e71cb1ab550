import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { FetchParams } from "@runledger/core/store";
import type { DynamoClient } from "./client.js";
import type { Db } from "./db.js";
import type { Item } from "./encoding.js";
import { eventRange, toEvent } from "./event-items.js";
import { isVisible, readHead } from "./heads.js";
import { queryPages } from "./items.js";
import { joinParts } from "./parts.js";
import { runPartition } from "./table.js";

/** The head and the events are read at the same time: whichever is older decides, and both are of this call. */
export async function fetchEvents(
  { client }: Db,
  { runId, afterSeq, toSeq, limit, tenantId }: FetchParams,
): Promise<CanonicalEngineEvent[]> {
  const [head, events] = await Promise.all([
    readHead(client, runId),
    readRange(client, { runId, afterSeq, toSeq, limit }),
  ]);
  if (!isVisible(head, tenantId)) return [];
  return events.filter(({ runSeq }) => runSeq <= head.headSeq);
}

/** Reads events without looking at the head. The caller knows up to which number they exist. */
export async function readRange(
  client: DynamoClient,
  params: {
    readonly runId: string;
    readonly afterSeq: number;
    readonly toSeq: number;
    readonly limit?: number;
    readonly maxBytes?: number;
  },
): Promise<CanonicalEngineEvent[]> {
  const { runId, afterSeq, toSeq, limit = Number.MAX_SAFE_INTEGER, maxBytes = Infinity } = params;
  if (toSeq <= afterSeq) return [];
  const range = { pk: runPartition(runId), ...eventRange(afterSeq, toSeq) };
  const perPage = limit < 10_000 ? { limit: limit + 1 } : {};
  const items: Item[] = [];
  let [bytes, whole] = [0, 0];
  for await (const page of queryPages(client, { ...range, ...perPage })) {
    items.push(...page);
    for (const item of page) bytes += String(item["d"]).length;
    whole = items.filter((item) => !("partOf" in item)).length;
    if (whole > limit || (bytes > maxBytes && whole > 1)) break; // the first one has all its parts
  }
  return wholeEvents(items).slice(0, limit);
}

/** The last item may lack parts if reading stopped there. */
function wholeEvents(items: readonly Item[]): CanonicalEngineEvent[] {
  const whole =
    joinParts(items) ??
    joinParts(
      items.slice(
        0,
        items.findLastIndex((item) => !("partOf" in item)),
      ),
    ) ??
    [];
  return whole.map(toEvent);
}
