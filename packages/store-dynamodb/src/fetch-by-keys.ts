import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { Tenant } from "@runledger/core/store";
import type { Db } from "./db.js";
import { number } from "./encoding.js";
import { isVisible, readHead } from "./heads.js";
import { getItems } from "./items.js";
import { readRange } from "./fetch-events.js";
import { idempotencyItemKey } from "./table.js";

export async function fetchByKeys(
  { client }: Db,
  { runId, keys, tenantId }: { readonly runId: string; readonly keys: readonly string[]; readonly tenantId: Tenant },
): Promise<CanonicalEngineEvent[]> {
  const unique = [...new Set(keys)].map((key) => idempotencyItemKey(runId, key));
  const [head, items] = await Promise.all([readHead(client, runId), getItems(client, unique)]);
  if (!isVisible(head, tenantId)) return [];
  const stored = items.flatMap((item) => (item === null ? [] : [number(item, "seq")]));
  const seqs = stored.filter((seq) => seq <= head.headSeq).sort((a, b) => a - b);
  const events = await Promise.all(seqs.map((seq) => readRange(client, { runId, afterSeq: seq - 1, toSeq: seq })));
  return events.flat().filter(({ idempotencyKey }) => keys.includes(idempotencyKey)); // not those of an unfinished import
}
