import type { Checkpoint } from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import type { Db } from "./db.js";
import { json, type Item } from "./encoding.js";
import type { HeadItem } from "./heads.js";
import { putParts, queryWhole } from "./parts.js";
import { checkpointKey, runPartition } from "./table.js";

/** Room for a checkpoint in a transaction of 4 MB. */
const MAX_BYTES = 3_800_000;

/**
 * The actions that save a checkpoint, and the attributes to set in the head by the same transaction, which must require that
 * the head is unchanged. Nothing if the stored checkpoint is as new (C2), or if it is too large beside the other
 * `usedBytes` of the transaction: the engine then replays the log from the one before.
 */
export function checkpointActions(
  head: Pick<HeadItem, "headSeq" | "checkpointSeq"> | null,
  checkpoint: Checkpoint | null,
  usedBytes = 0,
): { readonly set: Item; readonly actions: readonly WriteAction[] } {
  const { headSeq, checkpointSeq } = head ?? { headSeq: 0, checkpointSeq: -1 };
  if (checkpoint === null || checkpoint.seq > headSeq || checkpoint.seq <= checkpointSeq) return NOTHING;
  const d = JSON.stringify(checkpoint);
  if (Buffer.byteLength(d) + usedBytes > MAX_BYTES) return NOTHING;
  return { set: { cpSeq: checkpoint.seq }, actions: putParts({ ...checkpointKey(checkpoint.runId) }, d) };
}

const NOTHING = { set: {}, actions: [] };

export async function loadCheckpoint({ client }: Db, runId: string): Promise<Checkpoint | null> {
  const [whole] = await queryWhole(client, { pk: runPartition(runId), from: "C", to: "C#~" });
  return whole === undefined ? null : (json(whole, "d") as Checkpoint);
}
