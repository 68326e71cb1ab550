/**
 * Who may append at the same time. On standard tables the number of an event is read in the transaction that stores it:
 * under SESSION consistency a session may not see yet what another has just committed, and would number it again.
 */
import { StopError } from "@runledger/contracts";
import type { Database } from "./client.js";
import type { SnowflakeTarget } from "./connection-url.js";

const mode = "SHOW PARAMETERS LIKE 'READ_CONSISTENCY_MODE' IN ACCOUNT";

export async function checkWriters(
  db: Database,
  { shape = "hybrid", writers = "one" }: SnowflakeTarget,
): Promise<void> {
  if (shape === "hybrid" || writers === "one") return;
  const [row] = await db.read({ text: mode });
  if (row?.[1] === "GLOBAL") return;
  throw new StopError(
    "STORE_UNSUITABLE",
    "Several writers on standard tables need READ_CONSISTENCY_MODE = 'GLOBAL' on the account; with SESSION one may not see what another has just committed. Set it, use hybrid tables, or leave appending to one process.",
  );
}
