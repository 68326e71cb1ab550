// @module-tag H-21
/** Servers share a real Redis or Memcached, which is killed, stalled, flushed and started with old data. (F10) */
import { newEvent, type Json } from "@runledger/contracts";
import { connect, openMetrics, type Ledger } from "@runledger/runtime";
import { checkHistory, recordHistory } from "@runledger/store-conformance";
import type { BrokerServer } from "@runledger/test-support/broker-server";
import { cacheReads } from "@runledger/test-support/cache-reads";
import {
  dumpRedis,
  flushRedis,
  redisContent,
  startMemcached,
  startRedisCache,
} from "@runledger/test-support/cache-servers";
import { requireDebian } from "@runledger/test-support/debian-packages";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { testServer, type TestServer } from "@runledger/test-support/test-server";
import { until } from "@runledger/test-support/until";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createApiKey } from "../auth/api-keys.js";

const SECRET = "zebra";

const event = (eventType: string, stepId?: string, eventData: Json = {}) =>
  newEvent({ runId: "run", eventType, planVersion: "1", ...(stepId === undefined ? {} : { stepId }), eventData });

/** A busy machine may need long. Only a stalled server needs the limit. */
const PATIENT_MS = 60_000;

async function twoServers(url: string, timeoutMs = PATIENT_MS): Promise<readonly [TestServer, TestServer]> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const open = async (): Promise<TestServer> => {
    const ledger = await connect(database.url, { metrics: await openMetrics() });
    onTestFinished(() => ledger.close());
    return testServer([], { ledger, cache: { url, timeoutMs } });
  };
  const servers = [await open(), await open()] as const;
  servers[0].ledger.projector();
  return servers;
}

async function append({ ledger }: TestServer, events: readonly ReturnType<typeof event>[]): Promise<void> {
  await ledger.store.appendEvents(events);
  await projected(ledger);
}

async function projected({ store }: Ledger): Promise<void> {
  const [head] = await store.fetchHeads(["run"]);
  const stored = () => store.snapshots.readProjection({ runId: "run", stepIds: [] });
  await until(async () => (await stored())?.header.lastEventSeq === head!.headSeq);
}

const finished = [event("RunStarted"), event("RunCompleted", undefined, { output: SECRET })];

async function read({ call }: TestServer): Promise<Record<string, unknown>> {
  const response = await call("GET", "/runs/run");
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

/** Reads until the cache has answered once more. */
async function untilHit(server: TestServer): Promise<void> {
  const { hit: before = 0 } = await cacheReads(server.ledger);
  await until(async () => {
    expect(await read(server)).toMatchObject({ output: SECRET });
    return ((await cacheReads(server.ledger))["hit"] ?? 0) > before;
  });
}

const caches = [
  { name: "redis", start: startRedisCache },
  { name: "memcached", start: startMemcached },
] as const;

describeWith("shared caches", requireDebian, () => {
  describe.each(caches)("$name", ({ name, start }) => {
    let cache: BrokerServer;
    beforeAll(async () => void (cache = await start()));
    afterAll(() => cache.stop());
    const url = () => `${name}://${cache.address}`;

    test("a server uses what another server has cached", async () => {
      const [one, other] = await twoServers(url());
      await append(one, finished);
      await untilHit(one);
      await untilHit(other);
      expect(await cacheReads(other.ledger)).toEqual({ hit: 1 });
    });

    test("while the cache is dead, runs are read from the store; afterwards from the cache again", async () => {
      const [server] = await twoServers(url());
      await append(server, finished);
      await untilHit(server);
      await cache.kill();
      for (let round = 0; round < 20; round++) expect(await read(server)).toMatchObject({ output: SECRET });
      expect(await cacheReads(server.ledger)).toMatchObject({ unavailable: 20 });
      expect(server.log.filter(({ message }) => message.startsWith("The cache does not respond"))).toHaveLength(1);
      await cache.start();
      await untilHit(server);
    });

    test("a stalled cache delays a few requests, and not every one", async () => {
      const [server] = await twoServers(url(), 5_000);
      await append(server, finished);
      await untilHit(server);
      cache.stall();
      // With a wait per request, this would take 1,000 seconds.
      for (let round = 0; round < 200; round++) expect(await read(server)).toMatchObject({ output: SECRET });
      expect((await cacheReads(server.ledger))["unavailable"]).toBeGreaterThanOrEqual(200);
      cache.resume();
      await untilHit(server);
    });

    test("an erased run and a new event are seen at once by all servers", async () => {
      const [one, other] = await twoServers(url());
      await append(one, finished);
      await untilHit(one);
      await untilHit(other);
      await one.ledger.store.erasure.eraseRun({ runId: "run", by: "test", reason: "request" });
      expect(JSON.stringify([await read(other), await read(one)])).not.toContain(SECRET);
      await append(other, [event("RunReopened")]);
      expect(await read(one)).toMatchObject({ lastEventSeq: 3, status: "PENDING" });
    });

    test("a reader never sees an older snapshot, regardless of what happens to the cache", async () => {
      const servers = await twoServers(url(), 2_000);
      const recorder = recordHistory(servers[0].ledger.store);
      await recorder.store.appendEvents([event("RunStarted")]);
      let isOver = false;
      const seen = Promise.all(Array.from({ length: 4 }, () => watch(servers, () => isOver)));
      const steps = async (from: number): Promise<void> => {
        for (let step = from; step < from + 15; step++) {
          await recorder.store.appendEvents([event("StepStarted", `s${step}`)]);
          if (step % 3 === 0) await projected(servers[0].ledger); // entries are served only at the head
        }
      };
      await steps(0);
      const restore = name === "redis" ? await dumpRedis(cache) : () => cache.kill().then(() => cache.start());
      await steps(15);
      await restore(); // with old entries
      await steps(30);
      if (name === "redis") await flushRedis(cache);
      await steps(45);
      await cache.kill();
      await steps(60);
      await cache.start();
      await steps(75);
      isOver = true;
      for (const seqs of await seen) {
        expect(seqs.length).toBeGreaterThan(10);
        expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      }
      await projected(servers[0].ledger);
      expect((await read(servers[1]))["lastEventSeq"]).toBe(91);
      expect(checkHistory(await recorder.finish()).violations).toEqual([]);
    });
  });

  test("a shared cache contains no decrypted payloads", async () => {
    const cache = await startRedisCache();
    onTestFinished(() => cache.stop());
    const encryption = { keys: `k1:${Buffer.alloc(32, 7).toString("base64")}` };
    const ledger = await connect("memory:", { metrics: await openMetrics(), encryption });
    onTestFinished(() => ledger.close());
    ledger.projector();
    const server = await testServer([], {
      ledger,
      cache: { url: `redis://${cache.address}`, timeoutMs: PATIENT_MS, prefix: "mine:" },
    });
    await append(server, finished);
    const params = { tenantId: "default", role: "viewer" as const, name: "v", createdBy: "test", ttlMs: null };
    const headers = { authorization: `Bearer ${(await createApiKey(ledger.store.access, params)).text}` };
    await untilHit(server); // an admin, who sees payloads
    expect(await redisContent(cache)).toEqual({});
    expect(await (await server.call("GET", "/runs/run", undefined, headers)).text()).not.toContain(SECRET);
    await until(async () => Object.keys(await redisContent(cache)).length > 0);
    const content = JSON.stringify(await redisContent(cache));
    expect(content).toContain("mine:");
    expect(content).not.toContain(SECRET);
  });
});

/** Reads from one server after the other and returns the seqs in the order in which they were seen. */
async function watch(servers: readonly TestServer[], isOver: () => boolean): Promise<readonly number[]> {
  const seqs: number[] = [];
  for (let turn = 0; !isOver(); turn++)
    seqs.push((await read(servers[turn % servers.length]!))["lastEventSeq"] as number);
  return seqs;
}
