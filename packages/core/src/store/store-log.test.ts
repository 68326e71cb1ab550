// @module-tag L-30
import { expect, test } from "vitest";
import { numbered, RUN_ID, step } from "@runledger/test-support/given";
import { newEvent, RetryError, RunNotFoundError, type CanonicalEngineEvent, type RunHead } from "@runledger/contracts";
import { Coalescer } from "./coalescer.js";
import type { FetchParams, LogOperations } from "./log-operations.js";
import { StoreLog } from "./store-log.js";

const log = numbered(Array.from({ length: 2500 }, (_, i) => step(`s${i}`, "Started")));

/** A backend with one run that records its calls and can fail at a page. */
function backend(
  events: readonly CanonicalEngineEvent[],
  failAfter = Number.POSITIVE_INFINITY,
  { headSeq = events.length, contiguous = true, settledSeq }: Partial<RunHead> & { contiguous?: boolean } = {},
) {
  const asked: unknown[] = [];
  const heads =
    headSeq === 0 ? [] : [{ runId: RUN_ID, headSeq, ...(settledSeq === undefined ? {} : { settledSeq }) } as RunHead];
  const remember = <T>(params: unknown, answer: T): T => (asked.push(params), answer);
  const operations: LogOperations = {
    send: async (parts) =>
      parts.map((part) => part.events.map(() => ({ runSeq: 1, idempotent: false, persisted: true }))),
    fetchEvents: async (params: FetchParams) => {
      if (params.afterSeq >= failAfter) throw new RetryError("STORE_UNAVAILABLE", "gone");
      const { afterSeq, toSeq, limit } = params;
      return remember(params, events.slice(afterSeq, Math.min(toSeq, afterSeq + limit)));
    },
    contiguous,
    fetchByKeys: async (params) => remember(params, []),
    fetchHeads: async (params) => remember(params, heads),
    listHeads: async (params) => remember(params, []),
    getSnapshot: async (params) => remember(params, null),
  };
  const options = { send: operations.send, soon: queueMicrotask, maxBatchesInFlight: 1, maxEvents: 10, maxBytes: 1000 };
  const open = (tenantId?: string) => new StoreLog(operations, new Coalescer(options), tenantId);
  return { asked, open };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("defaults are filled in, and the tenant goes everywhere", async () => {
  const { asked, open } = backend(log);
  const tenant = open("acme");
  await tenant.fetchEvents(RUN_ID);
  await tenant.fetchByKeys(RUN_ID, ["k"]);
  await tenant.fetchHeads([RUN_ID]);
  await tenant.listHeads();
  await tenant.getSnapshot(RUN_ID);
  expect(asked).toEqual([
    { runId: RUN_ID, afterSeq: 0, limit: 1000, toSeq: Number.MAX_SAFE_INTEGER, tenantId: "acme" },
    { runId: RUN_ID, keys: ["k"], tenantId: "acme" },
    { runIds: [RUN_ID], tenantId: "acme" },
    { afterRunId: "", limit: 1000, archived: false, tenantId: "acme" },
    { runId: RUN_ID, tenantId: "acme" },
  ]);
});

test("a backend that streams by itself gets one call for the whole log", async () => {
  const asked: unknown[] = [];
  const streamEvents = async function* (params: unknown) {
    asked.push(params);
    yield* log.slice(3, 5);
  };
  const store = new StoreLog({ streamEvents } as unknown as LogOperations, new Coalescer({} as never), "acme");
  const seqs = (await collect(store.streamEvents(RUN_ID, { afterSeq: 3, toSeq: 5 }))).map(({ runSeq }) => runSeq);
  expect(seqs).toEqual([4, 5]);
  expect(asked).toEqual([{ runId: RUN_ID, afterSeq: 3, toSeq: 5, tenantId: "acme" }]);
});

test("K5: events that were stored with another payload are counted", async () => {
  const send = async () => [
    [{ runSeq: 1, idempotent: true, persisted: false, conflict: true }],
    new RunNotFoundError("missing"),
  ];
  const coalescer = new Coalescer({ send, maxBatchesInFlight: 1, maxEvents: 9, maxBytes: 9999, soon: queueMicrotask });
  const [store, tenant] = [undefined, "acme"].map((id) => new StoreLog({} as LogOperations, coalescer, id));
  const events = [RUN_ID, "missing"].map((runId) => newEvent({ runId, eventType: "RunStarted", planVersion: "1" }));
  await expect(store!.appendEvents(events)).rejects.toThrow("missing");
  await expect(tenant!.appendEvents(events)).rejects.toThrow("missing");
  expect(store!.conflicts).toBe(2);
});

test("an append is answered with one result per event", async () => {
  const { open } = backend([]);
  expect(
    await open().appendEvent(newEvent({ runId: RUN_ID, eventType: "RunStarted", planVersion: "1" })),
  ).toMatchObject({ runSeq: 1 });
});

test("a stream gives every event once, in order, between its bounds", async () => {
  const { open } = backend(log);
  expect(await collect(open().streamEvents(RUN_ID))).toEqual(log);
  expect(
    (await collect(open().streamEvents(RUN_ID, { afterSeq: 990, toSeq: 2001 }))).map(({ runSeq }) => runSeq),
  ).toEqual(Array.from({ length: 1011 }, (_, i) => 991 + i));
  expect(await collect(open().streamEvents(RUN_ID, { afterSeq: 1500, toSeq: 1500 }))).toEqual([]);
  expect(await collect(backend(log.slice(0, 1000)).open().streamEvents(RUN_ID))).toHaveLength(1000);
});

test("the error of a page reaches a reader that continues, not one that stopped before it", async () => {
  const { open } = backend(log, 1000);
  await expect(collect(open().streamEvents(RUN_ID))).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  for await (const event of open().streamEvents(RUN_ID)) if (event.runSeq === 3) break;
  await new Promise((resolve) => setImmediate(resolve)); // an unhandled rejection would fail this test
});

test("projectSnapshot folds the whole log; an unknown run is not found", async () => {
  expect(await backend(log).open().projectSnapshot(RUN_ID)).toMatchObject({ lastEventSeq: 2500, stepCount: 2500 });
  await expect(backend([]).open().projectSnapshot(RUN_ID)).rejects.toMatchObject({
    code: "RUN_NOT_FOUND",
    runId: RUN_ID,
  });
});

const torn = [...log.slice(0, 2), ...log.slice(3, 5)];
const at = (events: readonly CanonicalEngineEvent[], options = {}) => backend(events, undefined, options).open();

test("F6: reads return the events before a gap, and then throw LOG_GAP", { tags: ["R-03"] }, async () => {
  const gap = { code: "LOG_GAP", gap: { from: 3, to: 3 } };
  expect((await at(torn).fetchEvents(RUN_ID)).map(({ runSeq }) => runSeq)).toEqual([1, 2]);
  await expect(at(log.slice(4, 6)).fetchEvents(RUN_ID)).rejects.toMatchObject({ gap: { from: 1, to: 4 } });
  await expect(collect(at(torn).streamEvents(RUN_ID))).rejects.toMatchObject(gap);
});

test("F6 P10: if numbers may be missing, reads stop before a gap until it is settled", async () => {
  const open = { contiguous: false };
  expect(await at(torn, open).fetchEvents(RUN_ID)).toEqual(torn.slice(0, 2));
  expect(await at(torn.slice(2), open).fetchEvents(RUN_ID)).toEqual([]);
  expect(await collect(at(torn, open).streamEvents(RUN_ID))).toEqual(torn.slice(0, 2));
  expect(await at(torn, { ...open, headSeq: 5 }).projectSnapshot(RUN_ID)).toMatchObject({
    lastEventSeq: 2,
    stale: true,
  });
  const settled = { contiguous: false, settledSeq: 3, headSeq: 5 };
  expect(await at(torn, settled).fetchEvents(RUN_ID)).toEqual(torn);
  expect(await collect(at(torn, settled).streamEvents(RUN_ID))).toEqual(torn);
  expect(await at(torn, settled).projectSnapshot(RUN_ID)).not.toHaveProperty("stale");
});

test("F6: projectSnapshot stops before a gap, also if the last events are missing", { tags: ["R-03"] }, async () => {
  expect(await at(torn).projectSnapshot(RUN_ID)).toMatchObject({ lastEventSeq: 2, stale: true });
  expect(await at(log.slice(0, 3), { headSeq: 4 }).projectSnapshot(RUN_ID)).toMatchObject({
    lastEventSeq: 3,
    stale: true,
  });
  await expect(at(log.slice(1, 3)).projectSnapshot(RUN_ID)).rejects.toMatchObject({ code: "LOG_GAP" });
  expect(await at(log.slice(0, 3)).projectWhole(RUN_ID)).toMatchObject({ lastEventSeq: 3 });
  expect(await at(torn).projectWhole(RUN_ID)).toBeNull();
  expect(await at(log.slice(1, 3)).projectWhole(RUN_ID)).toBeNull();
  await expect(at([]).projectWhole(RUN_ID)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
});

test("arguments of reads are checked", async () => {
  const store = backend(log).open();
  await expect(store.fetchHeads("run-1" as never)).rejects.toMatchObject({ code: "OPTION_INVALID", field: "runIds" });
  await expect(store.fetchEvents("")).rejects.toMatchObject({ code: "IDENTIFIER_INVALID" });
  await expect(store.fetchEvents(RUN_ID, { limit: 0 })).rejects.toMatchObject({
    code: "OPTION_INVALID",
    field: "limit",
  });
  await expect(store.fetchEvents(RUN_ID, { afterSeq: 1.5 })).rejects.toMatchObject({
    code: "OPTION_INVALID",
    field: "afterSeq",
  });
  await expect(collect(store.streamEvents(RUN_ID, { toSeq: -1 }))).rejects.toMatchObject({
    code: "OPTION_INVALID",
    field: "toSeq",
  });
  expect(() => backend(log).open("a|b")).toThrow(
    expect.objectContaining({ code: "IDENTIFIER_INVALID", field: "tenantId" }),
  );
});
