/** The promises of the lock port, tested on a real server that is killed, suspended, cut off and robbed of its memory. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import type { HeldLock, LockService } from "@runledger/contracts";
import type { BrokerServer } from "@runledger/test-support/brokers";
import { LineChild } from "@runledger/test-support/line-child";
import { startSilentProxy } from "@runledger/test-support/silent-proxy";
import { within } from "@runledger/test-support/within";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openLocks } from "../src/index.js";

export interface LockServer {
  readonly scheme: string;
  start(): Promise<BrokerServer>;
  /** Copies what the server has stored, and returns a function that restarts it with this copy. */
  copy(server: BrokerServer): Promise<() => Promise<void>>;
  /** Removes everything that the server has stored. The server runs afterwards. */
  forget(server: BrokerServer): Promise<void>;
}

const program = fileURLToPath(new URL("lock-process.mjs", import.meta.url));

/** Long enough for a busy machine: such a lock does not expire within a test. */
const LONG_MS = 50_000;
/** Servers may round it up. */
const SHORT_MS = 1000;

export function lockConformance({ scheme, ...servers }: LockServer): void {
  let server: BrokerServer;
  let [first, second]: LockService[] = [];
  let url: string;
  let name = "";
  let count = 0;

  beforeAll(async () => {
    server = await servers.start();
    url = `${scheme}://${server.address}`;
    const locks = openLocks(url);
    await (await acquireAgain(locks)).release(); // it may listen before it serves
    await locks.close();
  }, 600_000);
  afterAll(() => server.stop());
  beforeEach(() => {
    name = `lock ${++count}/é`;
    [first, second] = [openLocks(url), openLocks(url)];
  });
  afterEach(async () => {
    await Promise.all([first!.close(), second!.close()]);
  });

  const acquire = (locks: LockService, ttlMs = LONG_MS, after = 0): Promise<HeldLock> =>
    within(locks.acquire(name, { ttlMs, after }), `the lock of ${locks.name}`);
  /** After a start the first requests may fail, and on a busy machine a short session may be over before it holds the lock. */
  const acquireAgain = async (locks = first!, after = 0, ttlMs = LONG_MS): Promise<HeldLock> => {
    let failure: unknown = null;
    const attempt = async (): Promise<HeldLock> => {
      for (;;) {
        const lock = await locks.acquire(name, { ttlMs, after }).catch((error: unknown) => {
          failure = error;
        });
        if (lock !== undefined) return lock;
        await delay(50);
      }
    };
    return within(attempt(), "the lock after a start", () => String(failure));
  };
  const acquireShort = (locks: LockService): Promise<HeldLock> => acquireAgain(locks, 0, SHORT_MS);
  /** Returns `false` if the lock is not free for a while. */
  const isFree = async (locks: LockService): Promise<boolean> => {
    const signal = AbortSignal.timeout(300);
    const lock = await locks.acquire(name, { ttlMs: LONG_MS, signal }).catch((error: unknown) => {
      if (error !== signal.reason) throw error;
    });
    await lock?.release();
    return lock !== undefined;
  };

  test("processes exclude each other, and tokens increase in the order in which they hold the lock", async () => {
    const folder = mkdtempSync(join(tmpdir(), "locks-"));
    const file = join(folder, "count");
    writeFileSync(file, "0");
    const children = [1, 2, 3].map(() => new LineChild(program, ["count", url, name, LONG_MS, file, 8]));
    try {
      await Promise.all(children.map((child) => child.exit()));
      expect(readFileSync(file, "utf8")).toBe("24");
      const tokens = readFileSync(`${file}.tokens`, "utf8").trim().split("\n").map(Number);
      expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => a - b));
    } finally {
      await Promise.all(children.map((child) => child[Symbol.asyncDispose]()));
      rmSync(folder, { recursive: true });
    }
  });

  test("a lock is free after its release, and only then", async () => {
    const lock = await acquire(first!);
    expect(lock.isExpired()).toBe(false);
    expect(await isFree(second!)).toBe(false);
    await lock.release();
    expect(lock.isExpired()).toBe(true);
    const next = await acquire(second!);
    expect(next.token).toBeGreaterThan(lock.token);
    expect(next.holder).not.toBe(lock.holder);
    await next.release();
  });

  test("locks with different names do not exclude each other", async () => {
    const lock = await acquire(first!);
    name += " another";
    await (await acquire(first!)).release();
    await lock.release();
  });

  test("a waiter that aborts gets its reason and leaves no trace", async () => {
    const lock = await acquire(first!);
    const reason = new Error("not wanted anymore");
    const controller = new AbortController();
    const waiting = second!.acquire(name, { ttlMs: LONG_MS, signal: controller.signal });
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(second!.acquire(name, { ttlMs: LONG_MS, signal: controller.signal })).rejects.toBe(reason);
    await lock.release();
    await (await acquire(first!)).release();
  });

  test("a lock that is not extended expires, and its late holder can neither extend nor release it", async () => {
    const late = await acquireShort(first!);
    const next = await acquire(second!);
    expect(next.token).toBeGreaterThan(late.token);
    await expect.poll(() => late.isExpired()).toBe(true);
    await expect(late.extend()).rejects.toMatchObject({ code: "LOCK_LOST", family: "retry" });
    await late.release();
    expect(await isFree(first!)).toBe(false);
    await next.extend();
    await next.release();
  });

  test("a lock that is extended does not expire", async () => {
    const ttlMs = 2 * SHORT_MS;
    /** Returns whether the lock stayed, or `null` if this process was not scheduled for so long that the lock may have expired. */
    const hold = async (): Promise<boolean | null> => {
      const lock = await acquireAgain(first, 0, ttlMs);
      const start = performance.now();
      let extended = start;
      let isLost = false;
      while (!isLost && extended - start < 1.5 * ttlMs) {
        await delay(200);
        const sent = performance.now();
        isLost = await lock.extend().then(
          () => false,
          () => true,
        );
        if (!isLost) extended = sent;
      }
      isLost ||= await isFree(second!);
      const wasStalled = performance.now() - extended > ttlMs / 2;
      await lock.release();
      return isLost && wasStalled ? null : !isLost;
    };
    let isHeld: boolean | null = null;
    while (isHeld === null) isHeld = await hold();
    expect(isHeld).toBe(true);
  });

  test("the lock of a killed process expires", async () => {
    await using child = new LineChild(program, ["hold", url, name, SHORT_MS]);
    const token = Number(await child.line(0));
    child.signal("SIGKILL");
    const lock = await acquire(first!);
    expect(lock.token).toBeGreaterThan(token);
    await lock.release();
  });

  test("a suspended process loses its lock, and finds out when it continues", async () => {
    await using child = new LineChild(program, ["hold", url, name, SHORT_MS]);
    const token = Number(await child.line(0));
    child.signal("SIGSTOP");
    const lock = await acquire(first!);
    expect(lock.token).toBeGreaterThan(token);
    child.signal("SIGCONT");
    child.proceed();
    expect(await child.line(1)).toBe("LOCK_LOST");
    await child.exit();
    expect(await isFree(second!)).toBe(false);
    await lock.release();
  });

  test("while the server is killed no lock is granted; after its restart tokens continue to increase", async () => {
    const before = await acquire(first!);
    await before.release();
    await server.kill();
    const error = await acquire(first!).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "LOCK_UNAVAILABLE", family: "retry" });
    await server.start();
    const after = await acquireAgain();
    expect(after.token).toBeGreaterThan(before.token);
    await after.release();
  });

  test("tokens stay above those of the guarded store if the server forgets everything", async () => {
    const before = await acquire(first!, LONG_MS, 70);
    expect(before.token).toBeGreaterThan(70);
    await before.release();
    await servers.forget(server);
    const after = await acquireAgain(first, before.token);
    expect(after.token).toBeGreaterThan(before.token);
    await after.release();
  });

  test("tokens stay above those of the guarded store if the server is restored from an old copy", async () => {
    await (await acquire(first!)).release();
    const restore = await servers.copy(server);
    await (await acquireAgain()).release();
    let last = 0;
    for (let round = 0; round < 5; round++) {
      const lock = await acquire(first!);
      last = lock.token;
      await lock.release();
    }
    await restore();
    const after = await acquireAgain(first, last);
    expect(after.token).toBeGreaterThan(last);
    await after.release();
  });

  test("a holder behind a silent network loses its lock, and cannot get it back when the network returns", async () => {
    const proxy = await startSilentProxy(url);
    const partitioned = openLocks(proxy.url);
    try {
      const lost = await acquireShort(partitioned);
      proxy.silence("all");
      const next = await acquire(first!);
      expect(next.token).toBeGreaterThan(lost.token);
      await expect.poll(() => lost.isExpired()).toBe(true);
      await expect(lost.extend()).rejects.toMatchObject({ code: "LOCK_LOST" });
      await expect(within(partitioned.acquire(name, { ttlMs: SHORT_MS }), "an answer")).rejects.toMatchObject({
        code: "LOCK_UNAVAILABLE",
      });
      proxy.resume();
      await lost.release();
      expect(await isFree(second!)).toBe(false);
      await next.release();
      await (await acquire(first!)).release();
    } finally {
      await partitioned.close();
      await proxy.close();
    }
  });

  test("a cut connection frees the lock after its time at the latest, and the client connects again", async () => {
    const proxy = await startSilentProxy(url);
    const behind = openLocks(proxy.url);
    try {
      const cut = await acquireShort(behind);
      proxy.lead(url);
      const next = await acquire(first!);
      expect(next.token).toBeGreaterThan(cut.token);
      await next.release();
      const again = await acquire(behind).catch(() => acquire(behind)); // the first request notices the cut
      expect(again.token).toBeGreaterThan(next.token);
      await again.release();
    } finally {
      await behind.close();
      await proxy.close();
    }
  });

  test("close leaves no open connection", async () => {
    const proxy = await startSilentProxy(url);
    const locks = openLocks(proxy.url);
    const lock = await acquire(locks);
    expect(proxy.open()).toBe(1);
    await locks.close();
    await expect.poll(() => proxy.open()).toBe(0);
    await lock.release();
    await proxy.close();
  });
}
