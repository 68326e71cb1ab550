/**
 * Checks whether several processes may append. On standard tables a transaction reads the number of the next event.
 * Under SESSION consistency a session may not see the latest commit of another one, and would use a number twice. A writer
 * under a distributed lock does see it (P11).
 */
import { StopError } from "@runledger/contracts";
import type { Database } from "./client.js";
import type { SnowflakeTarget } from "./connection-url.js";

const mode = "SHOW PARAMETERS LIKE 'READ_CONSISTENCY_MODE' IN ACCOUNT";

export async function checkWriters(
  db: Database,
  { shape = "hybrid", writers = "one" }: SnowflakeTarget,
  hasLock: boolean,
): Promise<void> {
  if (shape === "hybrid" || writers === "one" || hasLock) return;
  const [row] = await db.read({ text: mode });
  if (row?.[1] === "GLOBAL") return;
  throw new StopError(
    "STORE_UNSUITABLE",
    "Several writers on standard tables need READ_CONSISTENCY_MODE = 'GLOBAL' on the account; with SESSION one may not see what another has just committed. Set it, use hybrid tables or a lock (lock=redis://…), or leave appending to one process.",
  );
}
