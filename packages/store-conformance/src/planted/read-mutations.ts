/** Faults in reading a log, one per mutation. */
import type { CanonicalEngineEvent, EventLog, IRunStateStore, Json, RunHead } from "@runledger/contracts";
import type { Mutation } from "./mutant.js";

type Log = IRunStateStore & EventLog;

/** Changes every event that is read, in every way of reading. */
const eachEvent = (change: (event: CanonicalEngineEvent) => object): Mutation => {
  const changed = (events: readonly CanonicalEngineEvent[]) => events.map(change) as CanonicalEngineEvent[];
  return {
    log: (real) => ({
      fetchEvents: async (...call) => changed(await real.fetchEvents(...call)),
      fetchByKeys: async (...call) => changed(await real.fetchByKeys(...call)),
      streamEvents: async function* (...call) {
        for await (const event of real.streamEvents(...call)) yield change(event) as CanonicalEngineEvent;
      },
    }),
  };
};

/** Changes pages and streams alike. */
const eachLog = (change: (events: CanonicalEngineEvent[]) => CanonicalEngineEvent[]): Mutation => ({
  log: (real) => ({
    fetchEvents: async (...call) => change(await real.fetchEvents(...call)),
    streamEvents: async function* (...call) {
      const events: CanonicalEngineEvent[] = [];
      for await (const event of real.streamEvents(...call)) events.push(event);
      yield* change(events);
    },
  }),
});

const heads = (change: (heads: RunHead[]) => RunHead[]): Mutation => ({
  log: (real) => ({
    fetchHeads: async (runIds) => change(await real.fetchHeads(runIds)),
    listHeads: async (options) => change(await real.listHeads(options)),
  }),
});

const log = (change: (real: Log) => Partial<Log>): Mutation => ({ log: change });

export const readMutations: Readonly<Record<string, Mutation>> = {
  "numbers have gaps": eachEvent((event) => ({ ...event, runSeq: event.runSeq * 2 })),
  "numbers start at 0": eachEvent((event) => ({ ...event, runSeq: event.runSeq - 1 })),
  "optional fields are lost": eachEvent(({ planId: _, causedBySignalId: __, engineRunRef: ___, ...event }) => event),
  "absent fields become null": eachEvent((event) => ({ parentEventId: null, ...event })),
  "times are local": eachEvent((event) => ({ ...event, emittedAt: event.emittedAt.replace("Z", "+00:00") })),
  "persistedAt is the emitter's": eachEvent((event) => ({
    ...event,
    persistedAt: new Date(Date.now() - event.runSeq * 86_400_000).toISOString(),
  })),
  "payloads lose their nulls": eachEvent((event) => ({ ...event, eventData: withoutNulls(event.eventData) })),
  "payloads become text": eachEvent((event) => ({ ...event, eventData: JSON.stringify(event.eventData) })),
  "text is cut at 200 characters": eachEvent((event) => ({
    ...event,
    ...(typeof event.eventData === "string" ? { eventData: event.eventData.slice(0, 200) } : {}),
    ...(event.stepId === undefined ? {} : { stepId: event.stepId.slice(0, 200) }),
  })),
  "quotes are escaped": eachEvent((event) => ({ ...event, stepId: event.stepId?.replaceAll("'", "''") })),
  "readers share what is stored": log((real) => {
    const cache = new Map<string, CanonicalEngineEvent>();
    return {
      streamEvents: async function* (...call) {
        for await (const event of real.streamEvents(...call)) {
          const shared = cache.get(event.idempotencyKey) ?? structuredClone(event);
          cache.set(event.idempotencyKey, shared);
          yield shared;
        }
      },
    };
  }),
  "the last event comes late": eachLog((events) => (events.length > 1 ? events.slice(0, -1) : events)),
  "events come newest first": eachLog((events) => events.toReversed()),
  "a page skips what is in flight": eachLog((events) => events.filter((_, index) => index % 7 !== 6)),
  "afterSeq is inclusive": log((real) => ({
    fetchEvents: (runId, options = {}) =>
      real.fetchEvents(runId, { ...options, afterSeq: Math.max(0, (options.afterSeq ?? 0) - 1) }),
    streamEvents: (runId, options = {}) =>
      real.streamEvents(runId, { ...options, afterSeq: Math.max(0, (options.afterSeq ?? 0) - 1) }),
  })),
  "limit is ignored": log((real) => ({
    fetchEvents: (runId, { limit: _, ...options } = {}) => real.fetchEvents(runId, { ...options, limit: 100_000 }),
    listHeads: ({ limit: _, ...options } = {}) => real.listHeads(options),
  })),
  "bad ranges are taken as they come": log((real) => ({
    fetchEvents: (...call) => real.fetchEvents(...call).catch(() => []),
    streamEvents: async function* (...call) {
      try {
        yield* real.streamEvents(...call);
      } catch {
        // as if there were nothing
      }
    },
    listHeads: (options) => real.listHeads(options).catch(() => []),
    getSnapshot: (runId) => real.getSnapshot(runId).catch(() => null),
  })),
  "toSeq is ignored": log((real) => ({
    streamEvents: (runId, { toSeq: _, ...options } = {}) => real.streamEvents(runId, options),
  })),
  "a stream is one page": log((real) => ({
    streamEvents: async function* (runId, options = {}) {
      for (const event of await real.fetchEvents(runId, options)) {
        if (event.runSeq <= (options.toSeq ?? Number.POSITIVE_INFINITY)) yield event;
      }
    },
  })),
  "a stream ends early": log((real) => ({
    streamEvents: async function* (...call) {
      let left = 20;
      for await (const event of real.streamEvents(...call)) if (left-- > 0) yield event;
    },
  })),
  "unknown runs throw": log((real) => ({
    fetchEvents: async (runId, options) => {
      if ((await real.fetchHeads([runId])).length === 0) throw new Error(`no run ${runId}`);
      return real.fetchEvents(runId, options);
    },
    streamEvents: async function* (runId, options) {
      if ((await real.fetchHeads([runId])).length === 0) throw new Error(`no run ${runId}`);
      yield* real.streamEvents(runId, options);
    },
  })),
  "keys are answered as asked": log((real) => ({
    fetchByKeys: async (runId, keys) => {
      const found = await real.fetchByKeys(runId, keys);
      return keys.flatMap((key) => found.find((event) => event.idempotencyKey === key) ?? []);
    },
  })),
  "keys of other runs are found": log((real) => ({
    fetchByKeys: async (runId, keys) => {
      const runs = await real.listHeads();
      const found = await Promise.all(runs.map((head) => real.fetchByKeys(head.runId, keys)));
      return (await real.fetchByKeys(runId, keys)).concat(found.flat().filter((event) => event.runId !== runId));
    },
  })),
  "at most 100 keys": log((real) => ({ fetchByKeys: (runId, keys) => real.fetchByKeys(runId, keys.slice(0, 100)) })),
  "heads are unordered": heads((found) => found.toReversed()),
  "heads lag behind": heads((found) => found.map((head) => ({ ...head, headSeq: Math.max(1, head.headSeq - 1) }))),
  "heads are stamped when read": heads((found) => {
    return found.map((head, index) => ({ ...head, persistedAt: new Date(Date.now() + index + 5).toISOString() }));
  }),
  "heads are compared by collation": log((real) => ({
    listHeads: async ({ afterRunId = "", limit = 1000, ...options } = {}) => {
      const all = await real.listHeads({ ...options, limit: 10_000 });
      const sorted = all.toSorted((a, b) => a.runId.localeCompare(b.runId, "de"));
      return sorted.filter((head) => head.runId.localeCompare(afterRunId, "de") > 0).slice(0, limit);
    },
  })),
};

function withoutNulls(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => withoutNulls(item));
  const kept = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutNulls(part)]));
}
