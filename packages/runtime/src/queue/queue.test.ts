// @module-tag O-21
/** Admission and wait reasons as users see them, on the memory store and on PostgreSQL. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { connect, workflow, type Ledger } from "../index.js";
import { reasonText } from "./reason-text.js";
import { until } from "@runledger/test-support/until";

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

const stores: readonly [string, () => Promise<Ledger>][] = [
  ["memory", () => connect("memory:")],
  ["postgres", () => database.empty().then(() => connect(database.url))],
];

/** A step that runs until the test releases it, at the latest at its end. */
class Gate implements Disposable {
  running = 0;
  open: () => void = () => {};
  readonly #opened = new Promise<void>((resolve) => (this.open = resolve));
  readonly flow = workflow("gated", { version: "1" }, (w) =>
    w.step("work", async () => {
      this.running++;
      await this.#opened;
      return this.running;
    }),
  );

  [Symbol.dispose](): void {
    this.open();
  }
}

const texts = async (ledger: Ledger, runId: string): Promise<string[]> => {
  const answer = await ledger.queue.why(runId);
  return answer.where === "ended" ? [answer.status] : answer.reasons.map(reasonText);
};

const overall = { scope: "overall", subject: "" } as const;
const tenant = (subject: string) => ({ scope: "tenant", subject }) as const;

describe.each(stores)("on %s", (_, open) => {
  test("admission answers QUEUE while no live worker can run the workflow", { tags: ["R-43"] }, async () => {
    await using ledger = await open();
    const flow = workflow("unserved", { version: "1" }, (w) => w.step("only", () => 1));
    const reasons = [{ kind: "worker", message: "no worker for unserved 1" }];
    expect((await ledger.start(flow)).admission).toMatchObject({ answer: "QUEUE", position: 1, reasons });
    expect((await ledger.start(flow)).admission).toMatchObject({ answer: "QUEUE", position: 2, reasons });
    await ledger.worker({ workflows: [flow], pollMs: 10 });
    const run = await ledger.start(flow);
    expect(run.admission).toEqual({ answer: "ACCEPT" });
    expect(await run.result()).toBe(1);
  });

  test("starts that come together and have no worker share one look at the queue", { tags: ["R-21"] }, async () => {
    await using ledger = await open();
    const { queue } = ledger.store;
    const inspectRun = queue.inspectRun.bind(queue);
    let looks = 0;
    queue.inspectRun = (runId) => (looks++, inspectRun(runId));
    const flow = workflow("unserved", { version: "1" }, (w) => w.step("only", () => 1));
    const runs = await Promise.all(Array.from({ length: 30 }, () => ledger.start(flow, { tenantId: "noisy" })));
    expect(new Set(runs.map(({ admission }) => admission?.answer))).toEqual(new Set(["QUEUE"]));
    expect(looks).toBeLessThanOrEqual(5); // a slow machine looks once per second
  });

  test("admission answers ACCEPT, QUEUE, DELAY or REJECT from limits that are data", async () => {
    await using ledger = await open();
    using gate = new Gate();
    const { flow } = gate;
    await ledger.worker({ workflows: [flow], pollMs: 10 });
    expect((await ledger.start(flow, { tenantId: "free" })).admission).toEqual({ answer: "ACCEPT" });
    await ledger.limits.set({ ...tenant("acme"), maxRunning: 1, maxQueued: 2 });
    await ledger.limits.set({ ...tenant("slow"), rate: { starts: 1, perMs: 60_000 } });
    await ledger.start(flow, { tenantId: "acme" });
    await ledger.start(flow, { tenantId: "slow" });
    await until(async () => gate.running === 3);

    const queued = await ledger.start(flow, { tenantId: "acme", requestId: "second" });
    expect(queued.admission).toMatchObject({ answer: "QUEUE", position: 1 });
    expect((await ledger.start(flow, { tenantId: "acme" })).admission).toMatchObject({ position: 2 });
    await expect(ledger.start(flow, { tenantId: "acme" })).rejects.toMatchObject({
      code: "QUEUE_FULL",
      family: "retry",
      target: tenant("acme"),
    });
    expect((await ledger.start(flow, { tenantId: "acme", requestId: "second" })).id).toBe(queued.id);

    const rated = await ledger.start(flow, { tenantId: "slow" });
    expect(rated.admission).toMatchObject({ answer: "DELAY", startAt: expect.stringMatching(/^20/) as string });
    expect((await texts(ledger, rated.id))[0]).toMatch(
      /^limit of tenant slow: 1 started recently; the next may start at 20/,
    );
    const startAt = new Date(Date.now() + 3_600_000);
    const delayed = await ledger.start(flow, { tenantId: "free", startAt });
    expect(delayed.admission).toMatchObject({ answer: "DELAY", startAt: startAt.toISOString() });

    await ledger.limits.set({ ...tenant("acme"), maxRunning: 3 });
    await until(async () => gate.running === 5);
    gate.open();
    await queued.result();
  });

  test("Retry-After is derived from how fast the queue drains", async () => {
    const flow = workflow("quick", { version: "1" }, (w) => w.step("work", () => 1));
    await using ledger = await open();
    await ledger.limits.set({ ...tenant("acme"), maxQueued: 5 });
    const worker = await ledger.worker({ workflows: [flow], pollMs: 10 });
    const runs = await Promise.all(Array.from({ length: 5 }, () => ledger.start(flow, { tenantId: "acme" })));
    for (const run of runs) await run.result();
    await worker.stop();
    await Promise.all(Array.from({ length: 5 }, () => ledger.start(flow, { tenantId: "acme" })));
    const full = await ledger.start(flow, { tenantId: "acme" }).catch((error: unknown) => error);
    const { startsPerSecond, retryAfterMs } = full as { startsPerSecond: number; retryAfterMs: number };
    expect(startsPerSecond).toBeGreaterThan(0);
    expect(retryAfterMs).toBe(Math.max(1, Math.ceil(1 / startsPerSecond)) * 1000);
    await ledger.limits.set({ ...tenant("other"), maxQueued: 0 });
    await expect(ledger.start(flow, { tenantId: "other" })).rejects.toMatchObject({ retryAfterMs: 60_000 });
  });

  test(
    "explains why a run is queued: limit, value, holders, position and expected start",
    { tags: ["O-23"] },
    async () => {
      await using ledger = await open();
      using gate = new Gate();
      const { flow } = gate;
      await ledger.limits.set({ ...tenant("*"), maxRunning: 1 });
      await ledger.worker({ workflows: [flow], pollMs: 10 });
      const holder = await ledger.start(flow, { tenantId: "acme" });
      await until(async () => gate.running === 1);
      const second = await ledger.start(flow, { tenantId: "acme" });
      const third = await ledger.start(flow, { tenantId: "acme" });
      expect(await ledger.queue.why(third.id)).toMatchObject({
        where: "queued",
        reasons: [
          { kind: "limit", target: tenant("acme"), what: "running", value: 1, holders: [holder.id] },
          { kind: "turn", ahead: 1 },
        ],
        position: 2,
        expectedAt: expect.stringMatching(/^20/) as string,
      });
      expect(await texts(ledger, second.id)).toEqual([`limit of tenant acme: 1 of 1 running (${holder.id})`]);
      expect(await ledger.queue.why(holder.id)).toMatchObject({ where: "running", reasons: [] });
      expect(await ledger.queue.counts()).toEqual([{ tenantId: "acme", queued: 2, running: 1, waiting: 0 }]);
      expect((await ledger.queue.list({ tenantId: "acme", limit: 2 })).length).toBe(2);
      await expect(ledger.queue.why(holder.id, { tenantId: "other" })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      gate.open();
      for (const run of [holder, second, third]) await run.result();
      expect(await ledger.queue.why(holder.id)).toMatchObject({ where: "ended", status: "COMPLETED" });
    },
  );

  test(
    "explains paused, delayed and waiting runs, missing workers and concurrency keys",
    { tags: ["O-23"] },
    async () => {
      const waits = workflow("waits", { version: "1" }, (w) => {
        const release = w.waitForSignal("release", { timeout: "1h" });
        const nap = w.sleep("nap", { for: "1h" });
        return w.step("done", { after: [release, nap] }, () => 1);
      });
      await using ledger = await open();
      const run = await ledger.start(waits, { concurrencyKey: "k" });
      expect(await texts(ledger, run.id)).toEqual(["no worker for waits 1"]);
      await ledger.worker({ workflows: [waits], pollMs: 10 });
      await until(async () => (await ledger.queue.why(run.id)).where === "waiting");
      const waiting = await texts(ledger, run.id);
      expect(waiting[0]).toMatch(/^waiting for signal release until 20/);
      expect(waiting[1]).toMatch(/^nap waits until 20/);
      await ledger.act(run.id, "PAUSE");
      await until(async () => (await texts(ledger, run.id))[0] === "paused");

      const same = await ledger.start(waits, { concurrencyKey: "k" });
      expect(await texts(ledger, same.id)).toEqual([`limit of concurrency key default/k: 1 of 1 taken (${run.id})`]);
      const later = await ledger.start(waits, { startAt: "2999-01-01T00:00:00Z" });
      expect(await texts(ledger, later.id)).toEqual(["delayed until 2999-01-01T00:00:00.000Z"]);
      const approved = workflow("approved", { version: "1", approval: true }, (w) => w.step("go", () => 1));
      await ledger.worker({ workflows: [approved], pollMs: 10 });
      const asks = await ledger.start(approved);
      await until(async () => (await texts(ledger, asks.id))[0] === "waiting for approval");
      for (const id of [run.id, same.id, later.id, asks.id]) await ledger.act(id, "CANCEL");
      for (const id of [run.id, same.id, later.id, asks.id])
        await until(async () => (await ledger.queue.why(id)).where === "ended");
    },
  );

  test(
    "Q2: a queued run can be cancelled under exhausted limits, and its steps wait for a slot",
    { tags: ["O-24"] },
    async () => {
      const asks = workflow("asks", { version: "1", approval: true }, (w) => w.step("go", () => 1));
      await using ledger = await open();
      using gate = new Gate();
      const { flow } = gate;
      await ledger.limits.set({ ...overall, maxRunning: 1 });
      await ledger.worker({ workflows: [flow, asks], pollMs: 10, concurrency: 1 });
      const holder = await ledger.start(flow);
      await until(async () => gate.running === 1);
      const cancelled = await ledger.start(flow);
      const approved = await ledger.start(asks);
      await ledger.act(cancelled.id, "CANCEL");
      await ledger.act(approved.id, "APPROVE");
      await until(async () => (await ledger.queue.why(cancelled.id)).where === "ended");
      const types = async () => (await ledger.store.fetchEvents(approved.id)).map(({ eventType }) => eventType);
      await until(async () => (await types()).length === 3);
      expect(await types()).toEqual(["RunQueued", "SignalAccepted", "RunApproved"]);
      await until(async () => (await ledger.queue.why(approved.id)).where === "queued");
      expect(gate.running).toBe(1);
      gate.open();
      await holder.result();
      await approved.result();
      expect(gate.running).toBe(1);
    },
  );

  test("Q2: waiting and paused runs hold no slot and re-enter ahead of the queue", { tags: ["O-24"] }, async () => {
    const waits = workflow("waits", { version: "1" }, (w) => {
      const release = w.waitForSignal("release");
      return w.step("done", { after: [release] }, () => 1);
    });
    await using ledger = await open();
    using gate = new Gate();
    const { flow } = gate;
    await ledger.limits.set({ ...overall, maxRunning: 1 });
    await ledger.worker({ workflows: [flow, waits], pollMs: 10 });
    const waiting = await Promise.all([ledger.start(waits), ledger.start(waits), ledger.start(waits)]);
    for (const run of waiting) await until(async () => (await ledger.queue.why(run.id)).where === "waiting");
    const runs = await ledger.start(flow);
    await until(async () => gate.running === 1);
    const behind = await ledger.start(flow, { priority: 1000 });
    for (const run of waiting) await ledger.signal(run.id, "release", {});
    const [first] = waiting;
    expect(await ledger.queue.why(first.id)).toMatchObject({ where: "waiting", reasons: [{ kind: "limit" }] });
    const { position } = (await ledger.queue.why(behind.id)) as { position: number };
    expect(position).toBe(4);
    gate.open();
    for (const run of [runs, ...waiting, behind]) await run.result();
    const order = await Promise.all(
      [...waiting, behind].map(async (run) => (await ledger.store.fetchHeads([run.id]))[0]!.persistedAt),
    );
    expect(order.slice(0, 3).every((time) => time <= order[3]!)).toBe(true);
  });
});
