// @module-tag B-01
/** Outbox processes that are killed at every point, suspended, and take over from each other. */
import { setTimeout as sleep } from "node:timers/promises";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { crashPoints } from "@runledger/runtime/outbox/crash-points";
import { checkHistory, recordHistory } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { startProgram, type Running } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isStopped } from "../projector/projector-process.js";
import { Receiver } from "./receiver.js";

const KEY = "whsec_c2VjcmV0LXNlY3JldA==";
const runIds = Array.from({ length: 12 }, (_, n) => `run-${n}`);

let database: FreshDatabase;
let store: PostgresStore;
let receiver: Receiver;

beforeEach(async () => {
  database = await freshDatabase();
  store = await PostgresStore.open({ url: database.url });
  receiver = await new Receiver(KEY).start();
  const bus = { type: "webhook", url: receiver.url, secrets: ["key"], batchSize: 5 };
  const definition = { bus, filter: {}, maxAttempts: 20 };
  await store.outbox.createSubscription({ tenantId: "default", subscriptionId: "s", definition, startsAt: null });
});
afterEach(async () => {
  await receiver.stop();
  await store.close();
  await database.drop();
});

const start = (...args: readonly string[]): Running =>
  startProgram({ cwd: process.cwd() }, "tests/outbox/outbox-program.mjs", database.url, ...args);

const stepOf = (runId: string, stepId: string): NewEvent =>
  newEvent({ runId, eventType: "StepStarted", stepId, planVersion: "1", eventData: { text: `é ${stepId}` } });

type Recorded = ReturnType<typeof recordHistory>;

async function write({ store: recorded }: Recorded, round: string): Promise<void> {
  const append = (runId: string) => recorded.appendEvents([0, 1, 2].map((n) => stepOf(runId, `${round}-${n}`)));
  await Promise.all(runIds.map(append));
}

async function isDelivered(): Promise<boolean> {
  const heads = await store.listHeads();
  const received = new Map<string, number>();
  for (const { runId, seq } of receiver.published) received.set(runId, Math.max(seq, received.get(runId) ?? 0));
  return heads.every(({ runId, headSeq }) => received.get(runId) === headSeq);
}

async function judged(recorded: Recorded): Promise<void> {
  const history = { ...(await recorded.finish()), published: receiver.published };
  expect(checkHistory(history).violations).toEqual([]);
  expect(receiver.unsigned).toBe(0);
}

test("after kill -9 at every crash point, the next process continues", async () => {
  const recorded = recordHistory(store);
  for (const [round, point] of crashPoints.entries()) {
    const outbox = start(point, String(round % 3));
    for (let more = 0; ; more++) {
      await write(recorded, `${round}-${more}`);
      if ((await Promise.race([outbox.ended, sleep(200)])) !== undefined) break;
    }
    expect(await outbox.ended).toMatchObject({ signal: "SIGKILL" });
  }
  await write(recorded, "while no process runs");
  expect(await isDelivered()).toBe(false);
  start();
  await until(isDelivered);
  await judged(recorded);
});

test("several processes share runs and take over from each other, also from a suspended one", async () => {
  const recorded = recordHistory(store);
  const suspended = start("claimed", "1", "SIGSTOP");
  for (let round = 0; !isStopped(suspended); round++) {
    await write(recorded, `suspend-${round}`);
    await sleep(100);
  }
  const [one, two] = [start(), start()];
  await write(recorded, "shared");
  await until(isDelivered);
  one.kill("SIGKILL");
  await write(recorded, "taken over");
  await until(isDelivered);
  suspended.kill("SIGCONT");
  two.kill("SIGTERM");
  await two.ended;
  await write(recorded, "by the late one");
  await until(isDelivered);
  await judged(recorded);
});
