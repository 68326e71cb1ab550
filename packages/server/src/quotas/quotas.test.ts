// @module-tag R-21
/** Limits per key, tenant and address. */
import type { Problem } from "@runledger/client";
import { workflow } from "@runledger/runtime";
import { appendNotes } from "@runledger/test-support/notes";
import { fixedToken, testServer, TOKEN, type TestServer } from "@runledger/test-support/test-server";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApiKey } from "../auth/api-keys.js";
import { addressSubject } from "./address-subject.js";
import { Spending } from "./spending.js";
import { TokenBucket } from "./token-bucket.js";
import { ReadQueue } from "./read-queue.js";
import { SlowRefusals } from "./slow-refusals.js";

const flow = workflow("flow", { version: "1" }, (w) => w.waitForSignal("go"));
/** Refills so slowly that a test never sees it. */
const one = { requestsPerSecond: 1, startsPerSecond: 1 };

async function keyOf({ ledger }: TestServer, tenantId = "acme") {
  const params = { name: "ci", role: "operator", tenantId, ttlMs: null, createdBy: "test" } as const;
  const { text } = await createApiKey(ledger.store.access, params);
  return { authorization: `Bearer ${text}` };
}

/** Sends calls at once, so that few tokens are refilled meanwhile. */
async function flood(count: number, call: () => Promise<Response>) {
  const responses = await Promise.all(Array.from({ length: count }, call));
  const codes = responses.map(({ status }) => status);
  return { responses, codes, refused: responses.find(({ status }) => status === 429) };
}

describe("a server", () => {
  test("refuses a key that sends too many requests with 429, Retry-After and advice, and serves other keys", async () => {
    const world = await testServer([flow], { limits: { key: one } });
    const [greedy, other] = [await keyOf(world), await keyOf(world)];
    const { codes, refused } = await flood(60, () => world.call("GET", "/me", undefined, greedy));
    expect(codes.filter((code) => code === 200).length).toBeGreaterThanOrEqual(10);
    expect(Number(refused!.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    const problem = (await refused!.json()) as Problem;
    expect(problem).toMatchObject({ code: "RATE_LIMITED", status: 429, family: "retry" });
    expect(problem.detail).toMatch(/^This key sent more requests than 1 per second\. Retry in \d+ s, or raise/);
    expect((await world.call("GET", "/me", undefined, other)).status).toBe(200);
  });

  test("limits all keys of a tenant together", async () => {
    const world = await testServer([flow], { limits: { tenant: one } });
    const { codes } = await flood(60, async () => world.call("GET", "/me", undefined, await keyOf(world)));
    expect(codes).toContain(429);
    expect((await world.call("GET", "/me", undefined, await keyOf(world, "other"))).status).toBe(200);
  });

  test("limits an address that it learns from a trusted proxy, before it looks at the credential", async () => {
    const access = { keys: true, trustProxy: ["127.0.0.1"] };
    const world = await testServer([flow], { access, limits: { address: one } });
    const from = (address: string) => ({ authorization: "", "x-forwarded-for": address });
    const { codes } = await flood(60, () => world.call("GET", "/me", undefined, from("203.0.113.7")));
    expect(new Set(codes)).toEqual(new Set([401, 429]));
    expect((await world.call("GET", "/me", undefined, from("203.0.113.8"))).status).toBe(401);
    const probe = await fetch(`${world.server.url}/healthz`, { headers: from("203.0.113.7") });
    expect(probe.status).toBe(200);
  });

  test("does not limit the owner of the machine", async () => {
    const world = await testServer([flow], { limits: { key: one, tenant: one, address: one } });
    expect((await flood(60, () => world.call("GET", "/me"))).refused).toBeUndefined();
  });

  test("limits started runs, also those that one request starts", async () => {
    const world = await testServer([flow], { limits: { key: one } });
    const key = await keyOf(world);
    const starts = Array.from({ length: 100 }, () => ({ workflow: "flow" }));
    expect((await world.call("POST", "/runs/starts", { starts }, key)).status).toBe(200);
    const refused = await world.call("POST", "/runs", { workflow: "flow" }, key);
    expect([refused.status, ((await refused.json()) as Problem).detail]).toEqual([
      429,
      expect.stringMatching(/^This key started more runs than 1 per second/),
    ]);
  });

  test("limits open streams, and closed ones do not count", async () => {
    const world = await testServer([flow], { limits: { key: { streams: 2 } } });
    const headers = await keyOf(world);
    const open = async () => {
      const stop = new AbortController();
      onTestFinished(() => stop.abort());
      const { status } = await fetch(`${world.server.url}/api/v1/stream`, { headers, signal: stop.signal });
      return { status, stop };
    };
    const first = await open();
    expect([first.status, (await open()).status, (await open()).status]).toEqual([200, 200, 429]);
    first.stop.abort();
    await expect.poll(async () => (await open()).status).toBe(200);
  });

  test("refuses a stream above the limit before it reads the store, and does not count a refused one", async () => {
    const world = await testServer([flow], { limits: { key: { streams: 1 } } });
    const { store } = world.ledger;
    const headers = { ...(await keyOf(world)), "content-type": "application/json" };
    let reads = 0;
    const forTenant = store.forTenant.bind(store);
    store.forTenant = (tenantId) => {
      const own = forTenant(tenantId);
      const fetchHeads = own.fetchHeads.bind(own);
      own.fetchHeads = (runIds) => (reads++, fetchHeads(runIds));
      return own;
    };
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const open = (body: object) =>
      fetch(`${world.server.url}/api/v1/stream`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        signal: stop.signal,
      });
    for (let count = 0; count < 3; count++) expect((await open({})).status).toBe(400);
    expect((await open({ runs: { a: 0 } })).status).toBe(200);
    expect(reads).toBe(1);
    expect((await open({ runs: { a: 0 } })).status).toBe(429);
    expect((await world.call("GET", "/runs/a/stream", undefined, headers)).status).toBe(429);
    expect(reads).toBe(1);
  });

  test("limits bytes: pages are refused, and a stream waits instead", async () => {
    const world = await testServer([flow], { limits: { key: { bytesPerSecond: 50_000 } } });
    const { store } = world.ledger;
    await appendNotes(store, { runId: "large", from: 1, count: 5, size: 55_000, tenantId: "acme" });
    const key = await keyOf(world);
    const page = () => world.call("GET", "/runs/large/events", undefined, key);
    const { codes } = await flood(8, page);
    expect(new Set(codes)).toEqual(new Set([200, 429]));
    const fresh = await keyOf(world);
    const stop = new AbortController();
    const { signal } = stop;
    const { body } = await fetch(`${world.server.url}/api/v1/runs/large/stream`, { headers: fresh, signal });
    let text = "";
    for await (const part of body!.pipeThrough(new TextDecoderStream()))
      if ((text += part).includes("caught-up")) break;
    stop.abort();
    expect(text.match(/^id: /gm)).toHaveLength(5);
  });
});

test("a tenant whose reads hang or wait does not delay another tenant", async () => {
  const world = await testServer([flow]);
  const { store } = world.ledger;
  await appendNotes(store, { runId: "large", from: 1, count: 5, tenantId: "noisy" });
  const noisy = await keyOf(world, "noisy");
  const quiet = await keyOf(world, "quiet");
  let running = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const forTenant = store.forTenant.bind(store);
  store.forTenant = (tenantId) => {
    const own = forTenant(tenantId);
    const fetchEvents = own.fetchEvents.bind(own);
    own.fetchEvents = async (...params) => (running++, await released, fetchEvents(...params));
    return own;
  };
  const attack = flood(40, () => world.call("GET", "/runs/large/events", undefined, noisy));
  await expect.poll(() => running).toBe(2);
  const { codes } = await flood(20, () => world.call("GET", "/runs", undefined, quiet));
  expect(codes).toEqual(codes.map(() => 200));
  expect(running).toBe(2);
  release();
  expect((await attack).codes).toEqual(Array.from({ length: 40 }, () => 200));
});

test("lists whose readers have left while they waited for their turn are not read", async () => {
  const world = await testServer([flow]);
  const { store } = world.ledger;
  const headers = { ...(await keyOf(world, "noisy")), "content-type": "application/json" };
  const read = new Set<string>();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const listRuns = store.index.listRuns.bind(store.index);
  store.index.listRuns = async (filter) => {
    read.add(String(filter.planId));
    await released;
    return listRuns(filter);
  };
  const watch = async ({ signal }: AbortController, names: readonly string[]) => {
    const lists = Object.fromEntries(names.map((name) => [name, { filter: { workflow: name } }]));
    const body = JSON.stringify({ lists });
    const { status } = await fetch(`${world.server.url}/api/v1/stream`, { method: "POST", headers, body, signal });
    expect(status).toBe(200);
  };
  const [leaves, stays] = [new AbortController(), new AbortController()];
  onTestFinished(() => stays.abort());
  await watch(
    leaves,
    Array.from({ length: 20 }, (_, n) => `list-${n}`),
  );
  await expect.poll(() => read.size).toBe(2); // the others wait for their turn
  leaves.abort();
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const metrics = async () => (await fetch(`${world.server.url}/metrics`, { headers: bearer })).text();
  await expect.poll(metrics).toContain("runledger_open_streams 0\n");
  release();
  await watch(stays, ["last"]);
  await expect.poll(() => [...read]).toContain("last");
  expect(read.size).toBe(3);
});

test("a session cannot be used to get around the limits of its key", async () => {
  const world = await testServer([flow], { limits: { key: one }, access: { keys: true, token: fixedToken(TOKEN) } });
  const { authorization } = await keyOf(world);
  const login = await world.call("POST", "/session", { token: authorization.slice("Bearer ".length) });
  const cookie = login.headers.getSetCookie()[0]!.split(";")[0]!;
  const { responses } = await flood(60, () => world.call("GET", "/me", undefined, { authorization: "", cookie }));
  expect(responses.map(({ status }) => status)).toContain(429);
  const direct = await flood(60, () => world.call("GET", "/me", undefined, { authorization }));
  expect(direct.codes.filter((code) => code === 200).length).toBeLessThan(10);
});

test("a limit below 1 is refused when the server starts", async () => {
  await expect(testServer([], { limits: { key: { streams: 0 } } })).rejects.toThrow(
    "server.limits.key.streams: must be at least 1, or null for no limit.",
  );
});

describe("the limiter", () => {
  test("lets a burst of ten seconds through, then refills, and bounds the debt", () => {
    const bucket = new TokenBucket(10, 0);
    bucket.take(99, 0);
    expect(bucket.waitMs(0)).toBe(0);
    bucket.take(1, 0);
    expect(bucket.waitMs(0)).toBeGreaterThan(0);
    expect(bucket.waitMs(101)).toBe(0);
    bucket.take(1_000_000, 101);
    expect(bucket.waitMs(101)).toBeLessThanOrEqual(10_001);
  });

  test("remembers a bounded number of addresses, the recently used ones", () => {
    const spending = new Spending({ requestsPerSecond: 1, bytesPerSecond: 1, startsPerSecond: 1, streams: 1 });
    const spend = (name: string) => spending.bucket(name, "requests", 0)!;
    spend("known").take(10, 0);
    for (let n = 0; n < 20_000; n++) {
      spend(`203.0.113.${n}`);
      spend("known");
    }
    expect(spending.size).toBe(10_000);
    expect(spend("known").waitMs(0)).toBeGreaterThan(0);
  });

  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::6", "2001:db8:0:0::/64"],
    ["127.0.0.1", null],
    ["::1", null],
    ["::ffff:127.0.0.1", null],
  ])("counts %s as %s", (ip, subject) => {
    expect(addressSubject(ip)).toBe(subject);
  });

  test("runs two reads of each tenant at a time, in order, while other tenants continue", async () => {
    const queue = new ReadQueue();
    const order: string[] = [];
    const finish: (() => void)[] = [];
    const read = (tenantId: string, name: string) =>
      queue.take(tenantId, () => {
        order.push(name);
        return new Promise<void>((resolve) => void finish.push(resolve));
      });
    const all = ["a1", "a2", "a3", "a4", "a5", "a6"].map((name) => read("a", name));
    all.push(read("b", "b1"));
    await Promise.resolve();
    expect(order).toEqual(["a1", "a2", "b1"]);
    finish.shift()!();
    await expect.poll(() => order.at(-1)).toBe("a3");
    while (order.length < 7 || finish.length > 0) {
      finish.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
    expect(order).toEqual(["a1", "a2", "b1", "a3", "a4", "a5", "a6"]);
  });

  test("pauses between the reads of a tenant as long as each took, only while other tenants send requests", async () => {
    let now = 0;
    const pauses: number[] = [];
    const queue = new ReadQueue({ now: () => now, wait: async (ms) => void pauses.push(ms) });
    const read = () => queue.take("a", async () => void (now += 30));
    queue.noteRequest("a");
    await read();
    expect(pauses).toEqual([]);
    queue.noteRequest("b");
    queue.noteRequest("a");
    await read();
    await expect.poll(() => pauses).toEqual([30]);
    now += 5000; // tenant b has stopped
    queue.noteRequest("a");
    await read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(pauses).toEqual([30]);
  });

  test("holds the refusals of a caller that does not wait, a bounded number of them, and of no other caller", async () => {
    let held = 0;
    const refusals = new SlowRefusals(() => new Promise(() => held++));
    const isPrompt = (caller: string) =>
      Promise.race([refusals.hold(caller, 0).then(() => true), new Promise((resolve) => setImmediate(resolve, false))]);
    const answers: unknown[] = [];
    for (let count = 0; count < 52; count++) answers.push(await isPrompt("greedy"));
    expect(answers).toEqual([...Array<boolean>(50).fill(true), false, false]);
    expect(await isPrompt("patient")).toBe(true);
    for (let count = 0; count < 998; count++) void refusals.hold("greedy", 0);
    expect(held).toBe(1000);
    expect(await isPrompt("greedy")).toBe(true); // no more are held
  });
});
