/**
 * Where a reader of logs is. Steps print side by side, and a log that was begun earlier may go on when a later one has
 * ended: so its place is one in each log that may still grow, and a floor below which there are no others. Logs sort by
 * when they were begun, by their writers' clocks; what lies above the floor may still get new neighbours.
 */
import { InputError, STORE_SCHEME } from "@runledger/contracts";
import { z } from "zod";

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

const BEGINNING: LogPlace = { floor: STORE_SCHEME, known: new Map() };

/** How far clocks may be apart, and how long a first line may be on its way. */
const SETTLED_MS = 5_000;
/** An address that holds more does not travel well. What a crowd left open is then given up, the oldest first. */
const MOST_KNOWN = 150;
const TEXT = z.tuple([
  z.string().max(255),
  z.array(z.tuple([z.string().min(1).max(255), z.int().min(0).max(1e9), z.union([z.literal(0), z.literal(1)])])),
]);

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

export function placeText({ floor, known }: LogPlace): string {
  const positions = [...known].map(([uri, { chunks, ended }]) => [idOf(uri), chunks, ended ? 1 : 0]);
  return Buffer.from(JSON.stringify([idOf(floor), positions])).toString("base64url");
}

/** Throws REQUEST_INVALID. */
export function readPlace(text: string | undefined): LogPlace {
  if (text === undefined) return BEGINNING;
  const parsed = TEXT.safeParse(jsonIn(text));
  if (!parsed.success) throw new InputError("REQUEST_INVALID", "after", "must be the `next` of the page before.");
  const [floor, positions] = parsed.data;
  const known = positions.map(([id, chunks, ended]) => [STORE_SCHEME + id, { chunks, ended: ended === 1 }] as const);
  return { floor: STORE_SCHEME + floor, known: new Map(known.slice(0, MOST_KNOWN)) };
}

function idOf(uri: string): string {
  return uri.slice(STORE_SCHEME.length);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return null;
  }
}
