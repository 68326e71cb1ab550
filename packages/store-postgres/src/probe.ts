/** Looks at the server through a new connection: whether it responds, and which connections it has no work for. */
import type { ServerConnection } from "./connection.js";
import { isSqlState } from "./errors.js";

/** `idle` are connections whose statement the server does not know or has already answered. */
export type Probed = "no response" | { readonly idle: ReadonlySet<ServerConnection> };

/** The server does not list a session that is over. It knows no connection to a pooler. */
const ACTIVE = "SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1::int[]) AND state NOT LIKE 'idle%'";

export async function probe(
  through: ServerConnection,
  asked: readonly ServerConnection[],
  limitMs: number,
): Promise<Probed> {
  const direct = asked.filter(({ isDirect }) => isDirect);
  const timer = setTimeout(() => through.destroy(new Error("no response")), limitMs);
  try {
    await through.connect();
    const { rows } = await through.query<{ pid: number }>(ACTIVE, [direct.map(({ processID }) => processID)]);
    const active = new Set(rows.map(({ pid }) => pid));
    return { idle: new Set(direct.filter(({ processID }) => !active.has(processID ?? 0))) };
  } catch (error) {
    // An error with a code is a response, for example that the server has too many connections.
    return isSqlState((error as { code?: string }).code ?? "") ? { idle: new Set() } : "no response";
  } finally {
    clearTimeout(timer);
    through.destroy();
  }
}
