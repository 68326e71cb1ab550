/**
 * The row that every transaction on standard tables updates first, so that writers come one after the other.
 *  P11  Once a writer came with the token of a distributed lock, the row refuses lower tokens, the same token of another holder,
 *       and writers without a lock. The update itself fails then, so the transaction writes nothing.
 */
import type { Call, Row } from "./client.js";
import type { Shape } from "./connection-url.js";

/** The proof of a writer that it holds, or held, the distributed lock. */
export interface Fence {
  readonly token: number;
  /** Distinguishes two holders that got the same token because the server of the lock lost its memory. */
  readonly holder: string;
}

/** A text that is not a number makes the statement fail. It contains a column, so that no compiler evaluates it early. */
const withoutLock: Call = {
  text: `
UPDATE APPEND_LOCK SET TAKEN = TAKEN + CAST(
  CASE WHEN TOKEN = 0 THEN '1' ELSE 'this ledger is written under a distributed lock, now of ' || COALESCE(HOLDER, '?') END
  AS NUMBER(38,0))`,
};

const withLock = `
UPDATE APPEND_LOCK SET TAKEN = TAKEN + 1, HOLDER = CAST(? AS STRING), TOKEN = CAST(
  CASE WHEN TOKEN < CAST(? AS NUMBER(38,0)) OR (TOKEN = CAST(? AS NUMBER(38,0)) AND HOLDER = CAST(? AS STRING))
    THEN CAST(? AS STRING) ELSE 'the lock has passed to ' || COALESCE(HOLDER, '?') END
  AS NUMBER(38,0))`;

/** The first statement of a transaction that writes to the log. Hybrid tables need none: their rows are locked. */
export function appendLock(shape: Shape, fence: Fence | null = null): Call[] {
  if (shape === "hybrid") return [];
  if (fence === null) return [withoutLock];
  const { token, holder } = fence;
  return [{ text: withLock, values: [holder, token, token, holder, String(token)] }];
}

export const storedFence: Call = { text: "SELECT TOKEN, HOLDER FROM APPEND_LOCK" };

export function toFence([row]: readonly Row[]): Fence {
  const [token, holder] = (row ?? []) as unknown as [number | null, string | null];
  return { token: token ?? 0, holder: holder ?? "" };
}

/** Returns `true` if the row has seen a later writer. */
export function isRefused(fence: Fence, stored: Fence): boolean {
  return stored.token > fence.token || (stored.token === fence.token && stored.holder !== fence.holder);
}
