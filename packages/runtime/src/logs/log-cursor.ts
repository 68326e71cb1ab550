/**
 * Position of a reader in the logs of a run. Steps write logs in parallel, and an earlier log may grow after a later one
 * is complete. So the cursor holds a position in each log that may still grow, and a floor below which no other log has
 * unread lines. Logs sort by the time at which they were created, by the clocks of their writers; logs above the floor may
 * still get new neighbors.
 */
import { STORE_SCHEME } from "@runledger/contracts";

export interface LogCursor {
  /** Address. Every log up to it is in `positions`, or is read completely. */
  readonly floor: string;
  /** How far each log was read: logs above the floor, and incomplete logs below it. */
  readonly positions: ReadonlyMap<string, LogPosition>;
}

export interface LogPosition {
  readonly chunks: number;
  readonly ended: boolean;
}

export const LOG_START: LogCursor = { floor: STORE_SCHEME, positions: new Map() };

/** Covers the difference between clocks and the delay of a first line. */
const SETTLE_MS = 5_000;
/** Keeps the encoded cursor short enough for a URL. If more logs are incomplete, the oldest ones are dropped. */
export const MAX_POSITIONS = 150;

/** Raises the floor and removes complete logs below it. */
export function compactCursor({ floor, positions }: LogCursor, now: number): LogCursor {
  const settledBefore = `${STORE_SCHEME}art_${Math.max(0, now - SETTLE_MS)
    .toString(16)
    .padStart(12, "0")}`;
  const uris = [...positions.keys()].toSorted();
  const overflow = uris[uris.length - MAX_POSITIONS - 1] ?? floor;
  const settled = uris.filter((uri) => uri <= settledBefore).at(-1) ?? floor;
  const next = [floor, settled, overflow].toSorted().at(-1)!;
  const kept = uris.filter((uri) => uri > next || !positions.get(uri)!.ended).slice(-MAX_POSITIONS);
  return { floor: next, positions: new Map(kept.map((uri) => [uri, positions.get(uri)!])) };
}
