// @module-tag R-05
/** Packets vanish between a process and its server: no reset, no error. Everything gives up in time, and continues (P7). */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { query } from "@runledger/test-support/databases";
import { requireNamespaces, startLossyNetwork, type LossyNetwork } from "@runledger/test-support/lossy-network";
import { describeWith } from "@runledger/test-support/requirements";
import { until } from "@runledger/test-support/until";
import { gated, hello, silenceTests, ticks } from "./silence-tests.js";

const event = (runId: string) => newEvent({ runId, eventType: "RunStarted", planVersion: "1" });
const plan = { planId: "plan", planVersion: "1" };

type Calls = Readonly<Record<string, (store: PostgresStore) => Promise<unknown>>>;

const writes: Calls = {
  append: (store) => store.appendEvent(event("cut-off")),
  heartbeat: (store) => store.leases.heartbeat({ workerId: "w", ttlMs: 600_000 }),
  claim: (store) => store.queue.claimRuns({ workerId: "w", plans: [plan], logFormat: 1, limit: 1 }),
  "feed member": (store) => store.feed.attend({ group: "g", member: "m", ttlMs: 60_000 }),
  "due schedules": (store) => store.schedules.claimDue({ limit: 1, holdMs: 1000 }),
};
const reads: Calls = {
  events: (store) => store.fetchEvents("cut-off"),
  heads: (store) => store.fetchHeads(["cut-off"]),
  feed: (store) => store.feed.fetchRuns([{ runId: "cut-off", afterSeq: 0 }]),
  schedules: (store) => store.schedules.listSchedules({ tenantId: "default" }),
};
const calls = { ...writes, ...reads };

/** The code of each refused call, and `null` for the others. */
async function codesOf(store: PostgresStore): Promise<Record<string, string | null>> {
  const outcomes = await Promise.allSettled(Object.values(calls).map((call) => call(store)));
  const codes = outcomes.map((each) => (each.status === "rejected" ? (each.reason as { code: string }).code : null));
  return Object.fromEntries(Object.keys(calls).map((name, index) => [name, codes[index]!]));
}

/** The local ports of connections whose keepalive timer runs, as the system reports them. */
function keptAlive(): Set<number> {
  const lines = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1);
  const sockets = lines.map((line) => line.trim().split(/\s+/)).filter(([, , , , , timer]) => timer?.startsWith("02:"));
  return new Set(sockets.map(([, local]) => Number.parseInt(local!.split(":")[1]!, 16)));
}

const each = <T>(names: Calls, value: T): Record<string, T> =>
  Object.fromEntries(Object.keys(names).map((name) => [name, value]));

describeWith("when packets are dropped", requireNamespaces, () => {
  let network: LossyNetwork;
  let url: string;

  beforeAll(async () => {
    network = await startLossyNetwork();
    url = `${network.url}?silenceTimeoutMs=2000`;
    await (await PostgresStore.open({ url: network.steadyUrl })).close();
  });
  afterAll(() => network.stop());

  function drop(): void {
    network.drop();
    onTestFinished(() => network.restore());
  }

  silenceTests(() => ({
    url,
    steadyUrl: network.steadyUrl,
    silence: () => network.drop(),
    resume: () => network.restore(),
  }));

  test("every statement in progress is given up, later ones are refused, and all work when packets arrive again", async () => {
    const store = await PostgresStore.open({ url });
    onTestFinished(() => store.close());
    expect(await codesOf(store)).toEqual(each(calls, null)); // the connections exist now
    drop();
    expect(await codesOf(store)).toEqual({ ...each(writes, "OUTCOME_UNKNOWN"), ...each(reads, "STORE_UNAVAILABLE") });
    expect(await codesOf(store)).toEqual(each(calls, "STORE_UNAVAILABLE")); // no connection can be opened either
    network.restore();
    await until(async () => Object.values(await codesOf(store)).every((code) => code === null));
    expect(await store.fetchEvents("cut-off")).toHaveLength(1);
  });

  test("both systems probe idle connections, and the server ends the sessions of a lost client", async () => {
    const store = await PostgresStore.open({ url: `${url}&application_name=idle` });
    const sessions = "SELECT client_port AS port FROM pg_stat_activity WHERE application_name = 'idle'";
    const clients = await query<{ port: number }>(network.steadyUrl, sessions);
    const probed = keptAlive();
    expect(clients.length).toBeGreaterThan(0);
    expect(clients.filter(({ port }) => !probed.has(port))).toEqual([]);
    await sleep(1000); // the client has acknowledged everything: probes end idle connections only
    drop();
    await store.close();
    await until(async () => (await query(network.steadyUrl, sessions)).length === 0);
  });

  test("opening a store gives STORE_UNAVAILABLE, and a store with idle connections closes", async () => {
    const store = await PostgresStore.open({ url });
    drop();
    await expect(PostgresStore.open({ url })).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await store.close();
  });

  test("worker, scheduler and projector notice it, and continue by themselves when packets arrive again", async () => {
    const { gate, waiting } = gated();
    const refused = new Map<string, string>();
    const store = interceptStore(await PostgresStore.open({ url }), async ({ name, proceed }) =>
      proceed().catch((error: unknown) => {
        refused.set(name, (error as { code: string }).code);
        throw error;
      }),
    );
    await using ledger = new Ledger(store, () => store.close());
    await using observer = await connect(network.steadyUrl);
    await ledger.worker({ workflows: [hello, waiting], leaseMs: 3000 });
    ledger.projector();
    ledger.scheduler();
    await ledger.schedules.put({ workflow: hello, id: "often", every: "1s" });
    const run = await ledger.start(waiting);
    await until(() => gate.isStarted);
    await until(async () => (await ticks(observer)) > 0);
    refused.clear();
    drop();
    gate.open();
    await until(() => PATHS.every((name) => refused.has(name)));
    expect([...refused.values()].filter((code) => !NOTICED.includes(code))).toEqual([]);
    const before = await ticks(observer);
    network.restore();
    const fresh = await observer.start(hello);
    await until(async () => {
      gate.open(); // another attempt may have started
      return (await observer.store.getSnapshot(run.id))?.status === "COMPLETED";
    });
    await until(async () => (await observer.store.getSnapshot(fresh.id))?.status === "COMPLETED");
    await until(async () => (await ticks(observer)) > before);
    const events = await observer.store.fetchEvents(run.id);
    expect(events.filter(({ eventType }) => eventType === "StepCompleted")).toHaveLength(1);
  });
});

/** The calls of a worker, a projector and a scheduler that must not hang. */
const PATHS = ["appendEvents", "queue.claimRuns", "leases.heartbeat", "feed.attend", "schedules.claimDue"];
const NOTICED = ["STORE_UNAVAILABLE", "OUTCOME_UNKNOWN"];
