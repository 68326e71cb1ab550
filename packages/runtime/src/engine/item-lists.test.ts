// @module-tag E-04
import type { FullStateStore, Json, Opened } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { connect, workflow } from "../index.js";
import { expect, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runWorkflow } from "@runledger/test-support/run-workflow";
import { Ledger } from "../ledger/ledger.js";

const openedOf = (data: object): Opened => (data as { opened: Opened }).opened;

/** A forEach over the result of `items`, and the sum of its steps' outputs. */
function summing(items: () => Json[], each: (item: Json, index: number) => number) {
  return workflow("summing", { version: "1" }, (w) => {
    const all = w.forEach("all", { items: items as () => string[], concurrency: 50 }, (b) =>
      b.step("one", ({ item, index }) => each(item, index)),
    );
    return w.step("sum", { needs: { all } }, async ({ needs }) => {
      let sum = 0;
      for await (const value of needs.all) sum += value;
      return sum;
    });
  });
}

test.each(["memory", "postgres"])(
  "D1: a large list of items is an artifact in the %s store; the event stays small",
  async (kind) => {
    const database = kind === "memory" ? null : await freshDatabase();
    const ledger = await connect(database?.url ?? "memory:");
    const list = Array.from({ length: 700 }, (_, i) => ({ value: i, text: `ünï ${i} \n` }));
    const seen = new Set<number>();
    const flow = summing(
      () => list,
      (item, index) => {
        const { value, text } = item as { value: number; text: string };
        if (value !== index || text !== `ünï ${index} \n`) throw new Error(`item ${index} is ${JSON.stringify(item)}`);
        seen.add(index);
        return value;
      },
    );
    const { data, runId, events } = await runWorkflow(ledger, flow);
    const started = data("StepStarted", "all");
    expect(openedOf(started)).toEqual({
      count: 700,
      items: { artifact: expect.stringMatching(/^store:\/\//) as string, pageSize: expect.any(Number) as number },
    });
    expect(JSON.stringify(started).length).toBeLessThan(300);
    expect(Math.max(...events.map((event) => JSON.stringify(event).length))).toBeLessThan(2000);
    expect(data("StepCompleted", "sum")["output"]).toBe((699 * 700) / 2);
    expect(seen.size).toBe(700);
    expect(await ledger.store.artifacts.listArtifacts({ runId })).toMatchObject([{ kind: "items", stepId: "all" }]);
    await ledger.close();
    await database?.drop();
  },
);

test("D1: a small list is in the event itself", async () => {
  const ledger = await connect("memory:");
  const { data, runId } = await runWorkflow(
    ledger,
    summing(() => [1, 2, 3], Number),
  );
  expect(openedOf(data("StepStarted", "all"))).toEqual({ count: 3, items: { inline: [1, 2, 3] } });
  expect(await ledger.store.artifacts.listArtifacts({ runId })).toEqual([]);
  await ledger.close();
});

test(
  "D1: what the closure returned is what counts: a changed one does not change a run in flight",
  { tags: ["E-12"] },
  async () => {
    const store = new MemoryStore();
    const large = (letter: string): Json[] =>
      Array.from({ length: 2000 }, (_, i) => `${letter} ${i} ${"x".repeat(20)}`);
    let stop: () => void = () => {};
    const reached = new Promise<void>((resolve) => (stop = resolve));
    const before = summing(
      () => large("old"),
      (_, index) => {
        if (index === 40) stop();
        return index < 40 ? 1 : (new Promise<never>(() => {}) as never);
      },
    );
    const first = new Ledger(store, async () => {});
    const worker = await first.worker({ workflows: [before] });
    const run = await first.start(before);
    await reached;
    void worker.stop();
    await worker.stop(); // hands over at once

    const asked: string[] = [];
    const after = summing(
      () => (asked.push("again"), large("new")),
      (item) => ((item as string).startsWith("old ") ? 1 : 1000),
    );
    const second = new Ledger(store, async () => {});
    await second.worker({ workflows: [after] });
    expect(await (await second.get(after, run.id)).result()).toBe(2000);
    expect(asked).toEqual([]);
    await second.close();
  },
);

test("D1: pages are read once for many items, and few of them are kept", async () => {
  const store = new MemoryStore();
  const reads: number[] = [];
  const ledger = new Ledger(counting(store, reads), async () => {});
  const list = Array.from({ length: 3000 }, (_, i) => `item ${i}`.padEnd(100));
  const { data } = await runWorkflow(
    ledger,
    summing(
      () => list,
      (item) => Number((item as string).slice(5)),
    ),
  );
  const { pageSize } = openedOf(data("StepStarted", "all")).items as { pageSize: number };
  expect(data("StepCompleted", "sum")["output"]).toBe((2999 * 3000) / 2);
  expect(reads.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: Math.ceil(3000 / pageSize) }, (_, page) => page),
  );
  await ledger.close();
});

/** The store, and which chunks were read from it. */
function counting(store: MemoryStore, reads: number[]): FullStateStore {
  const original = store.forTenant.bind(store);
  const forTenant = (tenantId: string) => {
    const scoped = original(tenantId);
    const read = scoped.artifacts!.readChunks;
    const readChunks: FullStateStore["artifacts"]["readChunks"] = (params) => {
      reads.push(params.afterChunk ?? 0);
      return read(params);
    };
    return Object.assign(scoped, { artifacts: { ...scoped.artifacts!, readChunks } });
  };
  return Object.assign(store, { forTenant });
}

test("D1: an item that JSON cannot hold fails the step, by name", async () => {
  const ledger = await connect("memory:");
  const { data } = await runWorkflow(
    ledger,
    summing(() => [1, new Date() as never], Number),
  );
  const { error } = data("StepFailed", "all") as { error: { message: string } };
  expect(error).toMatchObject({ code: "PAYLOAD_NOT_JSON", retryable: false });
  expect(error.message).toContain("items[1]");
  await ledger.close();
});
