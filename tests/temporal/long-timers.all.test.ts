// @module-tag T-21
/**
 * Long waits on a Temporal server, with time skipping. The ledger keeps the timers of a run that waits, so a test skips the
 * ledger's clock.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
import { temporalEngine } from "@runledger/engine-temporal";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";
import { describeWith } from "@runledger/test-support/requirements";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { until } from "@runledger/test-support/until";
import { replayAll } from "./replay-all.js";
import { skippedLedger, type SkippedLedger } from "./skipped-clock.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const sleeps = workflow("sleeps", { version: "1" }, (w) => {
  const nap = w.sleep("nap", { for: "3d" });
  return w.step("awake", { after: [nap] }, () => "awake");
});

const expects = workflow("expects", { version: "1" }, (w) => {
  const paid = w.waitForSignal("paid", { timeout: "3d", onTimeout: "continue" });
  return w.step("close", { needs: { paid } }, ({ needs }) => (needs.paid === null ? "reminded" : "paid"));
});

const retries = workflow("retries", { version: "1" }, (w) =>
  w.step("flaky", { retry: { attempts: 3, delay: "1d", maxDelay: "1d" } }, ({ attempt }) => {
    if (attempt < 3) throw new Error("not today");
    return attempt;
  }),
);

/** Its deadline passes while a step runs: the workflow itself waits for both. */
const overdue = workflow("overdue", { version: "1", deadline: "3d" }, (w) =>
  w.step("forever", async ({ signal }) => {
    await sleep(20 * DAY, undefined, { signal });
  }),
);

describeWith("long timers on a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  }, 1_800_000);
  afterAll(() => server?.stop());

  async function started(taskQueue: string, ...workflows: readonly AnyWorkflow[]): Promise<SkippedLedger> {
    const skipped = skippedLedger();
    onTestFinished(() => skipped.ledger.close());
    const engine = temporalEngine({ address: server.address, taskQueue, heartbeatTimeoutMs: 2000 });
    await skipped.ledger.worker({ workflows, engine });
    return skipped;
  }

  const has = async ({ store }: Ledger, runId: string, eventType: string): Promise<boolean> =>
    (await store.fetchEvents(runId, {})).some((event) => event.eventType === eventType);
  const happened = (ledger: Ledger, runId: string, eventType: string): Promise<void> =>
    until(() => has(ledger, runId, eventType));

  test("a sleep of three days ends after three days, and not before", async () => {
    const { ledger, skip } = await started("sleeps", sleeps);
    const run = await ledger.start(sleeps);
    await happened(ledger, run.id, "StepStarted");
    skip(3 * DAY - HOUR);
    const other = await ledger.start(sleeps); // the worker has seen the new time when this one sleeps
    await happened(ledger, other.id, "StepStarted");
    expect(await has(ledger, run.id, "StepCompleted")).toBe(false);
    skip(HOUR);
    expect(await run.result()).toBe("awake");
    expect(await has(ledger, other.id, "StepCompleted")).toBe(false);
    skip(3 * DAY);
    expect(await other.result()).toBe("awake");
  });

  test("a wait for a signal times out after three days, unless the signal arrives on the second", async () => {
    const { ledger, skip } = await started("expects", expects);
    const [late, prompt] = [await ledger.start(expects), await ledger.start(expects)];
    for (const { id } of [late, prompt]) await happened(ledger, id, "StepStarted");
    skip(2 * DAY);
    await ledger.signal(prompt.id, "paid", {});
    expect(await prompt.result()).toBe("paid");
    expect(await has(ledger, late.id, "StepCompleted")).toBe(false);
    skip(DAY);
    expect(await late.result()).toBe("reminded");
  });

  test("retries wait for a day each", async () => {
    const { ledger, skip } = await started("retries", retries);
    const run = await ledger.start(retries);
    const failures = async (): Promise<number> =>
      (await ledger.store.fetchEvents(run.id, {})).filter(({ eventType }) => eventType === "StepFailed").length;
    for (const count of [1, 2]) {
      await until(async () => (await failures()) === count);
      skip(DAY + HOUR); // jitter may lengthen a delay
    }
    expect(await run.result()).toBe(3);
  });

  test("a deadline of three days stops a step that still runs", async () => {
    const { ledger, skip } = await started("overdue", overdue);
    const run = await ledger.start(overdue);
    await happened(ledger, run.id, "StepStarted");
    skip(3 * DAY);
    await ledger.signal(run.id, "look", {}); // the cluster's own timer of this execution cannot be skipped
    await expect(run.result()).rejects.toThrow(/deadline/i);
  });

  test("every history of this server replays against the current workflow", async () => {
    expect(await replayAll(server.address)).toBeGreaterThanOrEqual(6);
  });
});
