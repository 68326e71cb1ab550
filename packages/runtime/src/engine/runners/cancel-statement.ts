import { setTimeout as sleep } from "node:timers/promises";
import { Client, type PoolClient } from "pg";

/** Interval between cancel requests, and their number before the connection is closed. */
const CANCEL_MS = 200;
const CANCELS = 25;

/**
 * Cancels a statement through a second connection. Repeats until the statement finishes, because a statement that has not
 * started yet ignores a cancel. Closes the connection if that does not help.
 */
export async function cancelStatement(url: string, client: PoolClient, done: AbortSignal): Promise<void> {
  const { processID } = client as PoolClient & { readonly processID: number };
  const other = new Client({ connectionString: url });
  other.on("error", ignore);
  try {
    await other.connect();
    for (let tries = 0; tries < CANCELS && !done.aborted; tries++) {
      await other.query("SELECT pg_cancel_backend($1)", [processID]);
      await sleep(CANCEL_MS, undefined, { signal: done });
    }
  } catch {
    // The server is unavailable, or the statement finished meanwhile.
  } finally {
    if (!done.aborted) void (client as unknown as Client).end(); // immediately, although a statement is running
    await other.end().catch(ignore);
  }
}

function ignore(): void {}
