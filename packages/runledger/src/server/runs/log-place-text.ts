/** A place in logs as it travels: the `next` of a page. */
import { InputError, STORE_SCHEME } from "@runledger/contracts";
import { z } from "zod";
import { BEGINNING, MOST_KNOWN, type LogPlace } from "./log-place.js";

const TEXT = z.tuple([
  z.string().max(255),
  z.array(z.tuple([z.string().min(1).max(255), z.int().min(0).max(1e9), z.union([z.literal(0), z.literal(1)])])),
]);

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
