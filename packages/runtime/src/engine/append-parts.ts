import type { Capabilities } from "@runledger/contracts";
import type { EventDraft } from "@runledger/core";

type Limits = Pick<Capabilities, "maxEventsPerRunAndCall" | "maxBytesPerRunAndCall">;

/** Divides drafts into parts that the store appends in one call each, in order. Returns at least one part. */
export function appendParts(drafts: readonly EventDraft[], limits: Limits): readonly (readonly EventDraft[])[] {
  const maxEvents = limits.maxEventsPerRunAndCall ?? Infinity;
  const maxBytes = limits.maxBytesPerRunAndCall ?? Infinity;
  if (maxBytes === Infinity && drafts.length <= maxEvents) return [drafts];
  const parts: EventDraft[][] = [[]];
  let bytes = 0;
  for (const draft of drafts) {
    const size = sizeOf(draft);
    const part = parts.at(-1)!;
    const isFull = part.length >= maxEvents || bytes + size > maxBytes;
    if (isFull && part.length > 0) parts.push([]);
    bytes = isFull ? size : bytes + size;
    parts.at(-1)!.push(draft);
  }
  return parts;
}

/** Other parts of an event are small. */
const ENVELOPE = 2000;

function sizeOf({ data }: EventDraft): number {
  return ENVELOPE + (data === undefined ? 0 : Buffer.byteLength(JSON.stringify(data)));
}
