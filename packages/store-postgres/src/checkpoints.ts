import type { Checkpoint } from "@runledger/contracts";
import type { Database, Statement } from "./client.js";

const statement: Statement = {
  name: "load_checkpoint",
  text: "SELECT seq, format, data, checksum FROM runledger.checkpoints WHERE run_id = $1",
};

export async function loadCheckpoint(db: Database, runId: string): Promise<Checkpoint | null> {
  const [row] = await db.read(statement, [runId]);
  if (row === undefined) return null;
  const [seq, format, data, checksum] = row as [number, number, string, string];
  return { runId, seq, format, data, checksum };
}
