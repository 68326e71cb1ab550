/** Appends as DynamoDB sees them: the limits of a call, the number of transactions, and a writer that stalls. */
import { newEvent, type NewEvent } from "@runledger/contracts";
import { DynamoStore } from "@runledger/store-dynamodb";
import { dynamoVariables, requireDynamoDb } from "@runledger/test-support/dynamodb-local";
import { describeWith } from "@runledger/test-support/requirements";
import { serviceAddress } from "@runledger/test-support/service-address";
import { beforeAll, expect, test } from "vitest";
import { startFaultyProxy } from "./faulty-proxy.js";

let endpoint = "";
let tables = 0;
const PATIENT = { answerTimeoutMs: 30_000, retries: { giveUpMs: 90_000 } };
const open = (address = endpoint, table = `appends-${process.pid}-${++tables}`): Promise<DynamoStore> =>
  DynamoStore.open({ endpoint: address, table, ...PATIENT });

const step = (runId: string, stepId: string, size = 0): NewEvent => {
  const plan = { planId: "p", planVersion: "1" };
  return newEvent({ runId, stepId, eventType: "StepStarted", ...plan, eventData: { x: "x".repeat(size) } });
};
const steps = (count: number, size = 0): NewEvent[] =>
  Array.from({ length: count }, (_, n) => step("run-1", `s${n}`, size));

describeWith("appends to DynamoDB", requireDynamoDb, () => {
  beforeAll(async () => {
    Object.assign(process.env, dynamoVariables);
    endpoint = await serviceAddress("dynamodb");
  });

  test(
    "40 events and 3.5 MB fit into one call, and more is refused with nothing written",
    { tags: ["H-02"] },
    async () => {
      await using store = await open();
      await expect(store.appendEvents(steps(41))).rejects.toMatchObject({ code: "APPEND_TOO_LARGE", field: "events" });
      await expect(store.appendEvents(steps(15, 250_000))).rejects.toMatchObject({ code: "APPEND_TOO_LARGE" });
      expect(await store.fetchHeads(["run-1"])).toEqual([]);
      expect(await store.appendEvents(steps(13, 250_000))).toHaveLength(13);
      const most = Array.from({ length: 40 }, (_, n) => step("run-2", `s${n}`));
      expect((await store.appendEvents(most)).at(-1)).toMatchObject({ runSeq: 40, persisted: true });
    },
  );

  test(
    "an append is one transaction, and a duplicate is answered from its cancellation",
    { tags: ["H-02"] },
    async () => {
      const sent: string[] = [];
      const proxy = await startFaultyProxy(endpoint, (operation) => {
        sent.push(operation);
        return null;
      });
      const store = await open(proxy.endpoint);
      await store.appendEvents(steps(3));
      const sentBy = async (call: () => Promise<unknown>): Promise<string[]> => {
        const before = sent.length;
        await call();
        return sent.slice(before).filter((operation) => operation === "TransactWriteItems");
      };
      expect(await sentBy(() => store.appendEvent(step("run-1", "next")))).toHaveLength(1);
      const again = await store.appendEvents([...steps(3), step("run-1", "new")]);
      expect(again.map(({ runSeq, idempotent }) => [runSeq, idempotent])).toEqual([
        [1, true],
        [2, true],
        [3, true],
        [5, false],
      ]);
      const calls = Array.from({ length: 64 }, (_, n) => step("run-1", `call-${n}`));
      const hot = await sentBy(() => Promise.all(calls.map((event) => store.appendEvent(event))));
      expect(hot.length).toBeLessThan(calls.length / 4);
      await store.close();
      await proxy.close();
    },
  );

  test("throttling and conflicts are repeated only within a bound", { tags: ["H-02"] }, async () => {
    for (const [fault, code] of [
      ["throttle", "STORE_BUSY"],
      ["conflict", "STORE_BUSY"],
      ["lose", "OUTCOME_UNKNOWN"],
    ] as const) {
      const table = `appends-${process.pid}-${++tables}`;
      await (await open(endpoint, table)).close();
      const isWrite = (operation: string): boolean => operation === "TransactWriteItems";
      let isRefusing = true;
      const proxy = await startFaultyProxy(endpoint, (operation) => (isRefusing && isWrite(operation) ? fault : null));
      const options = { endpoint: proxy.endpoint, table, migrate: false, retries: { giveUpMs: 300 } };
      const store = await DynamoStore.open(options);
      await expect(store.appendEvent(step("run-1", "s1"))).rejects.toMatchObject({ code, family: "retry" });
      expect(proxy.happened[fault]).toBeGreaterThan(1);
      isRefusing = false;
      expect(await store.appendEvent(step("run-1", "s1"))).toMatchObject({ runSeq: 1, idempotent: fault === "lose" });
      await store.close();
      await proxy.close();
    }
  });

  test("a change whose writer stalls is not passed over by a follower", { tags: ["H-03"] }, async () => {
    let letGo = (): void => {};
    const stalled = new Promise<void>((resolve) => (letGo = resolve));
    let isStalling = false;
    let isHeld = (): void => {};
    const held = new Promise<void>((resolve) => (isHeld = resolve));
    const proxy = await startFaultyProxy(endpoint, (operation) => {
      if (!isStalling || operation !== "TransactWriteItems") return null;
      isHeld();
      return stalled;
    });
    const table = `appends-${process.pid}-${++tables}`;
    const [slow, fast] = [await open(proxy.endpoint, table), await open(endpoint, table)];
    const cursor = await fast.feed.openFollower("follower");
    isStalling = true;
    const late = slow.appendEvent(step("late", "s1"));
    await held;
    for (let n = 0; n < 100; n++) await fast.appendEvent(step(`run-${n}`, "s1"));
    const first = await readAll(fast, cursor);
    expect(first.runs).not.toContain("late");
    expect(first.runs.size).toBe(100);
    isStalling = false;
    letGo();
    await late;
    const saved = await fast.feed.saveCursor(first.cursor);
    expect([...(await readAll(fast, saved!)).runs]).toEqual(["late"]);
    await slow.close();
    await fast.close();
    await proxy.close();
  });
});

async function readAll(store: DynamoStore, from: Parameters<DynamoStore["feed"]["readChanges"]>[0]) {
  const runs = new Set<string>();
  for (let cursor = from; ;) {
    const page = await store.feed.readChanges(cursor);
    for (const { runId } of page.changes) runs.add(runId);
    ({ cursor } = page);
    if (page.caughtUp) return { runs, cursor };
  }
}
