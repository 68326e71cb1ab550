/** Encodes log cursors as text: the `next` of a page and the `id` of a message. */
import { z } from "zod";
import { InputError, STORE_SCHEME } from "@runledger/contracts";
import { LOG_START, MAX_POSITIONS, type LogCursor } from "@runledger/runtime/logs/log-cursor";

const cursorSchema = z.tuple([
  z.string().max(255),
  z.array(z.tuple([z.string().min(1).max(255), z.int().min(0).max(1e9), z.union([z.literal(0), z.literal(1)])])),
]);

export function encodeCursor({ floor, positions }: LogCursor): string {
  const entries = [...positions].map(([uri, { chunks, ended }]) => [idOf(uri), chunks, ended ? 1 : 0]);
  return Buffer.from(JSON.stringify([idOf(floor), entries])).toString("base64url");
}

/** Returns the start of the logs if `text` is undefined. Throws REQUEST_INVALID. */
export function decodeCursor(text: string | undefined): LogCursor {
  if (text === undefined) return LOG_START;
  const parsed = cursorSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new InputError("REQUEST_INVALID", "after", "must be the `next` of the previous page.");
  const [floor, entries] = parsed.data;
  const positions = entries.map(([id, chunks, ended]) => [STORE_SCHEME + id, { chunks, ended: ended === 1 }] as const);
  return { floor: STORE_SCHEME + floor, positions: new Map(positions.slice(0, MAX_POSITIONS)) };
}

function idOf(uri: string): string {
  return uri.slice(STORE_SCHEME.length);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return null;
  }
}
