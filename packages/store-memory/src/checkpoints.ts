import type { Checkpoint } from "@runledger/contracts";
import type { Tables } from "./tables.js";

export function loadCheckpoint(tables: Tables, runId: string): Checkpoint | null {
  return tables.checkpoints.get(runId) ?? null;
}
