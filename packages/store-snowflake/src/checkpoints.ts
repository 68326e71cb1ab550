import type { Checkpoint } from "@runledger/contracts";
import type { Database } from "./client.js";

const text = "SELECT SEQ, FORMAT, DATA, CHECKSUM FROM CHECKPOINTS WHERE RUN_ID = ?";

export async function loadCheckpoint(db: Database, runId: string): Promise<Checkpoint | null> {
  const [row] = await db.read({ text, values: [runId] });
  if (row === undefined) return null;
  const [seq, format, data, checksum] = row as [number, number, string, string];
  return { runId, seq, format, data, checksum };
}
