/** Reads pages of events that are bounded in bytes, so that a log of large payloads is not loaded as a whole. */
import type { CanonicalEngineEvent, IRunStateStore } from "@runledger/contracts";

/** The first read is small, because an event can have 256 KB. Later reads are as long as small events allow. */
const FIRST_READ = 10;
const LONGEST_READ = 100;

export interface EventPageParams {
  readonly afterSeq: number;
  readonly limit: number;
  /** A page has at least one event, and further ones while their JSON fits. */
  readonly maxBytes: number;
}

export interface EventPage {
  readonly events: readonly CanonicalEngineEvent[];
  /** The events as JSON. */
  readonly texts: readonly string[];
  /** `true` if the page ended at one of its bounds, so that more events may follow. */
  readonly isFull: boolean;
}

export async function readEventPage(
  store: Pick<IRunStateStore, "fetchEvents">,
  runId: string,
  { afterSeq, limit, maxBytes }: EventPageParams,
): Promise<EventPage> {
  const events: CanonicalEngineEvent[] = [];
  const texts: string[] = [];
  let bytes = 0;
  for (let size = FIRST_READ; ;) {
    const most = Math.min(size, limit - events.length);
    const read = await store.fetchEvents(runId, { afterSeq: events.at(-1)?.runSeq ?? afterSeq, limit: most });
    for (const event of read) {
      const text = JSON.stringify(event);
      bytes += Buffer.byteLength(text);
      if (events.length > 0 && bytes > maxBytes) return { events, texts, isFull: true };
      events.push(event);
      texts.push(text);
    }
    if (events.length === limit) return { events, texts, isFull: true };
    if (read.length < most) return { events, texts, isFull: false };
    size = Math.min(LONGEST_READ, Math.ceil(((maxBytes - bytes) * events.length) / bytes) + 1);
  }
}
