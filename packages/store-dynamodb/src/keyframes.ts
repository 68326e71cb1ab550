import type { Projection } from "@runledger/contracts";
import { isKeyframeDue } from "@runledger/core/store";
import type { WriteAction } from "./actions.js";
import type { Db } from "./db.js";
import { json, text } from "./encoding.js";
import { queryAll } from "./items.js";
import { putParts, queryWhole } from "./parts.js";
import { readHeader, readWhole } from "./snapshots.js";
import { keyframeKey, padded, runPartition } from "./table.js";

export async function makeKeyframes(db: Db, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) await makeKeyframe(db, runId);
}

async function makeKeyframe(db: Db, runId: string): Promise<void> {
  const stored = await readHeader(db.client, runId);
  if (stored === null || !isKeyframeDue(stored.header, (await listKeyframes(db, runId)).at(-1) ?? 0)) return;
  const projection = await readWhole(db, runId);
  if (projection !== null) await db.client.transact(putKeyframe(projection));
}

export function putKeyframe({ header, steps }: Projection): WriteAction[] {
  const { stale: _, ...rest } = header;
  return putParts({ ...keyframeKey(header.runId, header.lastEventSeq) }, JSON.stringify({ header: rest, steps }));
}

export async function loadKeyframe(
  db: Db,
  { runId, atSeq }: { readonly runId: string; readonly atSeq: number },
): Promise<Projection | null> {
  const seq = (await listKeyframes(db, runId)).findLast((one) => one <= atSeq);
  if (seq === undefined) return null;
  const from = `K#${padded(seq)}`;
  const [item] = await queryWhole(db.client, { pk: runPartition(runId), from, to: `${from}#~` });
  return item === undefined ? null : (json(item, "d") as Projection);
}

export async function listKeyframes({ client }: Db, runId: string): Promise<number[]> {
  const items = await queryAll(client, { pk: runPartition(runId), prefix: "K#", only: ["sk", "partOf"] });
  return items.filter((item) => !("partOf" in item)).map((item) => Number(text(item, "sk").slice(2)));
}
