/**
 * Where a reader of logs is. Steps print side by side, and a log that was begun earlier may go on when a later one has
 * ended: so its place is one in each log that may still grow, and a floor below which there are no others. Logs sort by
 * when they were begun, by their writers' clocks; what lies above the floor may still get new neighbours.
 */
import { STORE_SCHEME } from "@runledger/contracts";

export interface LogPlace {
  /** An address: every log up to it is known, or was left out. */
  readonly floor: string;
  /** How much of a log was read: those above the floor, and those below that had not ended. */
  readonly known: ReadonlyMap<string, LogPosition>;
}

export interface LogPosition {
  readonly chunks: number;
  readonly ended: boolean;
}

export const BEGINNING: LogPlace = { floor: STORE_SCHEME, known: new Map() };

/** How far clocks may be apart, and how long a first line may be on its way. */
const SETTLED_MS = 5_000;
/** An address that holds more does not travel well. What a crowd left open is then given up, the oldest first. */
export const MOST_KNOWN = 150;

/** Moves the floor up, and forgets what lies below it and has ended. */
export function settled({ floor, known }: LogPlace, now: number): LogPlace {
  const limit = `${STORE_SCHEME}art_${Math.max(0, now - SETTLED_MS)
    .toString(16)
    .padStart(12, "0")}`;
  const uris = [...known.keys()].toSorted();
  const crowded = uris[uris.length - MOST_KNOWN - 1] ?? floor;
  const passed = uris.filter((uri) => uri <= limit).at(-1) ?? floor;
  const next = [floor, passed, crowded].toSorted().at(-1)!;
  const kept = uris.filter((uri) => uri > next || !known.get(uri)!.ended).slice(-MOST_KNOWN);
  return { floor: next, known: new Map(kept.map((uri) => [uri, known.get(uri)!])) };
}
