// @module-tag H-11
/** A counter in a real Redis numbers events (P10). Redis is killed, flushed and restored from an old dump. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { checkHistory, mergeHistories, readEnd, runClient } from "@runledger/store-conformance";
import { requireRedis, startRedis, type BrokerServer } from "@runledger/test-support/brokers";
import { query } from "@runledger/test-support/databases";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { flushRedis, redisUrl } from "@runledger/test-support/redis-client";
import { describeWith } from "@runledger/test-support/requirements";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { PostgresStore } from "../src/index.js";
import { redisCounters } from "../src/redis-counters.js";
import { holdOnce, stallingWriter } from "./stalling-writer.js";

const step = (n: number, runId = "r"): NewEvent =>
  newEvent({ runId, stepId: `s${n}`, eventType: "StepStarted", planVersion: "1" });
const steps = (from: number, to: number): NewEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => step(from + index));

describeWith("Redis", requireRedis, () => {
  let redis: BrokerServer;
  let database: FreshDatabase;
  let store: PostgresStore;

  beforeAll(async () => {
    [redis, database] = await Promise.all([startRedis(), freshDatabase({ migrated: false })]);
  });
  afterAll(async () => {
    await redis.stop();
    await database.drop();
  });
  beforeEach(async () => {
    store = await PostgresStore.open({ url: database.url, authority: "redis", redis: redisUrl(redis) });
    await database.empty();
    await flush();
  });
  afterEach(() => store.close());

  const flush = (): Promise<void> => flushRedis(redis);
  const dataFolder = (): string => join(redis.folder, "appendonlydir");
  /** The files of Redis. They are restored in place: the server's user owns them. */
  const dump = (): Map<string, Buffer> =>
    new Map(readdirSync(dataFolder()).map((name) => [name, readFileSync(join(dataFolder(), name))]));

  async function restart(from = new Map<string, Buffer>()): Promise<void> {
    await redis.kill();
    for (const [name, content] of from) writeFileSync(join(dataFolder(), name), content);
    await redis.start();
  }

  const seqs = async (): Promise<number[]> => (await store.fetchEvents("r")).map(({ runSeq }) => runSeq);

  test("numbers continue above the head after FLUSHALL", async () => {
    await store.appendEvents(steps(1, 5));
    await flush();
    expect(await store.appendEvents(steps(6, 7))).toMatchObject([{ runSeq: 6 }, { runSeq: 7 }]);
    expect(await seqs()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("numbers continue above the head if Redis is restored from an old dump", async () => {
    await store.appendEvents(steps(1, 3));
    const old = dump();
    await store.appendEvents(steps(4, 20));
    await restart(old);
    await expect.poll(() => store.appendEvents(steps(21, 21)).catch(() => null)).toMatchObject([{ runSeq: 21 }]);
    expect(await seqs()).toHaveLength(21);
  });

  test("a number that a stalled writer holds is stored once, although Redis hands it out again", async () => {
    await store.appendEvents(steps(1, 3));
    const { hold, isHeld, letGo } = holdOnce();
    const counters = () => redisCounters({ url: redisUrl(redis), database: database.url });
    await using writer = await stallingWriter(database.url, hold, counters);
    const late = writer.log.appendEvent(step(4));
    expect(await isHeld).toEqual([4]);
    await flush();
    expect(await store.appendEvent(step(5))).toMatchObject({ runSeq: 4 });
    letGo();
    expect(await late).toEqual({ runSeq: 5, idempotent: false, persisted: true });
    expect(await seqs()).toEqual([1, 2, 3, 4, 5]);
  });

  test("without Redis an append fails with a retryable error and writes nothing; duplicates are still answered", async () => {
    await store.appendEvents(steps(1, 2));
    await redis.kill();
    const failed = store.appendEvents([step(3), newEvent({ runId: "new", eventType: "RunStarted", planVersion: "1" })]);
    await expect(failed).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", family: "retry" });
    await expect(failed).rejects.toThrow(/Redis, which numbers the events .* Nothing was written/);
    expect(await store.appendEvent(step(2))).toMatchObject({ runSeq: 2, idempotent: true });
    expect(await query(database.url, "SELECT run_id, head_seq FROM runledger.run_heads")).toEqual([
      { run_id: "r", head_seq: "2" },
    ]);
    await redis.start();
    await expect.poll(() => store.appendEvent(step(3)).catch(() => null)).toMatchObject({ runSeq: 3 });
  });

  test("clients leave a clean history while Redis is killed, flushed and restored", async () => {
    const other = await PostgresStore.open({ url: database.url, redis: redisUrl(redis) });
    let old = dump();
    const clients = [store, other, store, other].map((handle, index) =>
      runClient(handle, { client: `client-${index}`, seed: index, turns: 60 }),
    );
    const over = new AbortController();
    const faults = (async () => {
      for (let round = 0; !over.signal.aborted; round++) {
        await delay(100);
        if (round === 0) old = dump();
        if (round % 3 === 0) await flush();
        else await restart(round % 3 === 1 ? undefined : old);
      }
    })();
    const histories = await Promise.all(clients);
    over.abort();
    await faults;
    const history = mergeHistories([...histories, await readEnd(store)]);
    await other.close();
    expect(checkHistory(history, { contiguous: false }).violations).toEqual([]);
    expect(history.logs.flatMap(({ events }) => events).length).toBeGreaterThan(20);
  });
});
