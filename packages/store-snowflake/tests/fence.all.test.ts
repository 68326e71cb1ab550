// @module-tag H-20
/** The fence of standard tables (P11), with locks whose tokens the tests choose, and with a Redis that fails. */
import { newEvent, type HeldLock, type LockService, type NewEvent } from "@runledger/contracts";
import { requireRedis, startRedis, type BrokerServer } from "@runledger/test-support/brokers";
import { flushRedis, redisUrl } from "@runledger/test-support/redis-client";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { startEmulator, type Emulator } from "@runledger/test-support/snowflake-emulator.mjs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { SnowflakeStore } from "../src/index.js";

const step = (n: number, runId = "r"): NewEvent =>
  newEvent({ runId, stepId: `s${n}`, eventType: "StepStarted", planVersion: "1" });

/** A lock that the test grants. */
function granted(token: number, holder = `holder-${token}`, isExpired = false): HeldLock {
  return { token, holder, isExpired: () => isExpired, extend: async () => {}, release: async () => {} };
}

describeWith("the fence on Snowflake's emulator", [requireTool("python3"), ...requireRedis], () => {
  let emulator: Emulator;
  let redis: BrokerServer;
  let schema = 0;
  let url: string;

  beforeAll(async () => {
    [emulator, redis] = await Promise.all([startEmulator(), startRedis()]);
  }, 600_000);
  afterAll(() => Promise.all([emulator.stop(), redis.stop()]));
  beforeEach(() => {
    url = emulator.url(`FENCE_${++schema}`, { shape: "standard", writers: "many" });
  });

  const open = (lock?: string | LockService): Promise<SnowflakeStore> =>
    SnowflakeStore.open({ url, poolSize: 1, gatheringWindowMs: 0, ...(lock === undefined ? {} : { lock }) });
  /** A store whose next append gets this lock. `asked` collects the tokens above which locks were requested. */
  const withLocks = async (...locks: HeldLock[]): Promise<SnowflakeStore & { asked: number[] }> => {
    const asked: number[] = [];
    const acquire: LockService["acquire"] = async (_, { after = 0 }) => {
      asked.push(after);
      return locks.shift()!;
    };
    return Object.assign(await open({ name: "test", acquire, close: async () => {} }), { asked });
  };
  const lost = { code: "LOCK_LOST", family: "retry" };

  test("a token below the highest writes nothing, not even a head, and the next one is requested above it", async () => {
    await using store = await withLocks(granted(5), granted(4), granted(7));
    expect(await store.appendEvents([step(1)])).toMatchObject([{ runSeq: 1 }]);
    await expect(store.appendEvents([step(2), step(1, "other")])).rejects.toMatchObject(lost);
    expect((await store.listHeads()).map(({ runId, headSeq }) => [runId, headSeq])).toEqual([["r", 1]]);
    expect(await store.appendEvents([step(2)])).toMatchObject([{ runSeq: 2, idempotent: false }]);
    expect(store.asked).toEqual([0, 5, 5]);
  });

  test("two holders of the same token, after the server lost its memory: the first that writes wins", async () => {
    await using store = await withLocks(granted(3, "a"), granted(3, "b"), granted(3, "a"));
    await store.appendEvents([step(1)]);
    await expect(store.appendEvents([step(2)])).rejects.toMatchObject(lost);
    expect(await store.appendEvents([step(3)])).toMatchObject([{ runSeq: 2 }]);
  });

  test("a holder that sees by its own clock that its lock expired sends nothing", async () => {
    await using store = await withLocks(granted(5, "late", true));
    await expect(store.appendEvents([step(1)])).rejects.toMatchObject(lost);
    expect(await store.listHeads()).toEqual([]);
  });

  test("archiving and copying are fenced like an append", async () => {
    await using store = await withLocks(granted(9), granted(8), granted(7));
    const finished = newEvent({ runId: "r", eventType: "RunCompleted", planVersion: "1" });
    await store.appendEvents([finished]);
    await expect(store.archive.archiveRun("r")).rejects.toMatchObject(lost);
    const event = { ...step(1, "copy"), runSeq: 1, persistedAt: new Date().toISOString() };
    const copy = { runId: "copy", tenantId: "default", afterSeq: 0, events: [event], place: null };
    await expect(store.copies.writeCopies([copy])).rejects.toMatchObject(lost);
    expect((await store.listHeads({ archived: true })).map(({ runId, archived }) => [runId, archived])).toEqual([
      ["r", false],
    ]);
  });

  test("a process without the lock is refused after one with a lock, and may read", async () => {
    await using store = await withLocks(granted(1));
    await store.appendEvents([step(1)]);
    url = url.replace("writers=many", "writers=one");
    await using alone = await open();
    await expect(alone.appendEvents([step(2)])).rejects.toMatchObject({ code: "STORE_UNSUITABLE" });
    expect(await alone.fetchEvents("r")).toHaveLength(1);
  });

  test("hybrid tables refuse a lock", async () => {
    url = emulator.url("FENCE_HYBRID");
    await expect(open("redis://user:hunter2@127.0.0.1:1")).rejects.toMatchObject({ code: "STORE_URL_INVALID" });
    await expect(open("redis://user:hunter2@127.0.0.1:1")).rejects.not.toThrow(/hunter2/);
  });

  test("after Redis lost its memory a token that is not the highest is refused once, and tokens increase again", async () => {
    const lock = redisUrl(redis);
    await using store = await open(lock);
    await using other = await open(lock);
    for (let n = 1; n <= 6; n++) await (n % 2 === 0 ? store : other).appendEvents([step(n)]);
    await flushRedis(redis);
    await expect(other.appendEvents([step(7)])).rejects.toMatchObject(lost); // it last had token 5, and gets 6 like the store
    expect(await other.appendEvents([step(7)])).toMatchObject([{ runSeq: 7 }]);
    expect(await store.appendEvents([step(8)])).toMatchObject([{ runSeq: 8 }]);
  });

  test("while Redis is down nothing is written, reads continue, and appends resume with it", async () => {
    await using store = await open(redisUrl(redis));
    await store.appendEvents([step(1)]);
    await redis.kill();
    const refused = store.appendEvents([step(2)]);
    await expect(refused).rejects.toMatchObject({ code: "LOCK_UNAVAILABLE", family: "retry" });
    expect(await store.fetchEvents("r")).toHaveLength(1);
    await redis.start();
    await expect.poll(() => store.appendEvents([step(2)]).catch(() => null)).toMatchObject([{ runSeq: 2 }]);
  });
});
