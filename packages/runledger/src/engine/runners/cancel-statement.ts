import { setTimeout as sleep } from "node:timers/promises";
import { Client, type PoolClient } from "pg";

/** How often a statement is cancelled, and how often it is tried before its connection is cut. */
const CANCEL_MS = 200;
const CANCELS = 25;

/**
 * On a connection of its own, and again until the statement has ended: one that had not begun yet does not notice.
 * Where that does not help, the line is cut.
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
    // The server is away, or the statement has ended meanwhile.
  } finally {
    if (!done.aborted) void (client as unknown as Client).end(); // with a statement under way: at once
    await other.end().catch(ignore);
  }
}

function ignore(): void {}
