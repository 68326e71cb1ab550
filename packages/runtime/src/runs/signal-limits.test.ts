// @module-tag R-02
/** Limits of signals and actions, and names that a run does not have (G1, P9). */
import { expect, test } from "vitest";
import { z } from "zod";
import type { CanonicalEngineEvent, StateStore } from "@runledger/contracts";
import { testLedger } from "../testing/test-ledger.js";
import { connect, workflow } from "../index.js";
import { until } from "@runledger/test-support/until";

type Ledger = Awaited<ReturnType<typeof connect>>;

const waiting = workflow("waiting", { version: "1" }, (w) => w.waitForSignal("go"));

async function accepted(store: StateStore, runId: string): Promise<CanonicalEngineEvent[]> {
  return (await store.fetchEvents(runId)).filter(({ eventType }) => eventType === "SignalAccepted");
}

async function outcomes(sends: readonly Promise<void>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.allSettled(sends)) {
    const name = outcome.status === "fulfilled" ? "accepted" : (outcome.reason as { code: string }).code;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const send = (ledger: Ledger, runId: string, count: number): Promise<void>[] =>
  Array.from({ length: count }, (_, index) => ledger.signal(runId, "other", index));

test("200 concurrent signals accept exactly 60; actions still get through", { tags: ["R-11"] }, async () => {
  await using ledger = await connect("memory:");
  const { id } = await ledger.start(waiting);
  expect(await outcomes(send(ledger, id, 200))).toEqual({ accepted: 60, SIGNAL_LIMIT: 140 });
  expect(await accepted(ledger.store, id)).toHaveLength(60);
  await ledger.act(id, "CANCEL");
  expect((await accepted(ledger.store, id)).at(-1)!.eventData).toMatchObject({ name: "CANCEL" });
});

test("the store's clock counts the minute, not the sender's", async () => {
  await using t = await testLedger({ workflows: [waiting] });
  const run = await t.start(waiting);
  for (let index = 0; index < 60; index++) await t.signal(run, "other", index);
  await t.advance("59s");
  await expect(t.signal(run, "other", 60)).rejects.toMatchObject({ code: "SIGNAL_LIMIT", family: "retry" });
  await t.advance("1s");
  await t.signal(run, "other", 61);
  expect(await accepted(t.store, run.id)).toHaveLength(61);
});

test("actions have their own limit, and CANCEL is accepted above it", async () => {
  await using ledger = await connect("memory:");
  const { id } = await ledger.start(waiting);
  const resumes = Array.from({ length: 70 }, () => ledger.act(id, "RESUME"));
  expect(await outcomes(resumes)).toEqual({ SIGNAL_REJECTED: 60, SIGNAL_LIMIT: 10 });
  await ledger.signal(id, "go", 1);
  await ledger.act(id, "CANCEL");
  await expect(ledger.act(id, "CANCEL")).rejects.toMatchObject({ code: "SIGNAL_LIMIT" });
});

test("a flood of signals to a finished run does not fill its log", async () => {
  await using ledger = await connect("memory:");
  const { id } = await ledger.start(waiting);
  await ledger.act(id, "CANCEL");
  await ledger.worker({ workflows: [waiting] });
  await until(async () => (await ledger.store.projectSnapshot(id)).status === "CANCELLED");
  expect(await outcomes(send(ledger, id, 70))).toEqual({ SIGNAL_REJECTED: 60, SIGNAL_LIMIT: 10 });
});

/** Fills the run with 500 signals that no step takes, over nine minutes. */
async function fill(t: Awaited<ReturnType<typeof testLedger>>, run: { readonly id: string }): Promise<void> {
  for (let index = 0; index < 500; index++) {
    if (index % 60 === 0) await t.advance("61s");
    await t.signal(run, "other", index);
  }
  await t.advance("61s");
}

test("500 untaken signals keep neither the awaited signal nor an action from the run", async () => {
  const twice = workflow("twice", { version: "1" }, (w) => {
    const first = w.waitForSignal("go", { id: "first" });
    return w.waitForSignal("stop", { id: "second", after: [first] });
  });
  await using t = await testLedger({ workflows: [twice] });
  const run = await t.start(twice);
  await fill(t, run);
  await expect(t.signal(run, "other", 500)).rejects.toThrow("500 signals that no step has taken");
  await expect(t.signal(run, "stop", 1)).rejects.toMatchObject({ code: "SIGNAL_LIMIT" });
  await t.signal(run, "go", 1);
  expect((await run.snapshot()).steps).toMatchObject([{ stepId: "first", status: "SUCCESS" }, { stepId: "second" }]);
  await run.act("PAUSE");
  expect((await run.snapshot()).status).toBe("PAUSED");
  await run.act("CANCEL");
  expect((await run.snapshot()).status).toBe("CANCELLED");
  expect((await run.events()).at(-1)!.eventData).toEqual({ untakenSignals: 500 });
});

test("a parent's CANCEL reaches a child with 500 untaken signals", async () => {
  const parent = workflow("parent", { version: "1" }, (w) => w.child("kid", waiting));
  await using t = await testLedger({ workflows: [parent, waiting] });
  const run = await t.start(parent);
  const [child] = (await t.store.listHeads()).filter(({ runId }) => runId !== run.id);
  await fill(t, { id: child!.runId });
  await run.act("CANCEL");
  expect((await t.store.projectSnapshot(child!.runId)).status).toBe("CANCELLED");
  expect((await run.snapshot()).status).toBe("CANCELLED");
});

test("an undeclared signal is refused with the nearest name, and nothing is recorded", async () => {
  await using ledger = await connect("memory:");
  const header = { version: "1", signals: { approve: z.object({ by: z.string() }) } };
  const declares = workflow("declares", header, (w) => {
    w.waitForSignal("approve");
    w.waitForSignal("extra", { id: "own" });
  });
  const { id } = await ledger.start(declares);
  const refusal = ledger.signal(id, "aprove", { by: "me" });
  await expect(refusal).rejects.toMatchObject({ code: "SIGNAL_UNKNOWN", family: "fix-input" });
  await expect(refusal).rejects.toThrow("Did you mean approve? It declares approve, extra.");
  await expect(ledger.signal(id, "unrelated", 1)).rejects.toThrow("does not declare. It declares");
  expect(await ledger.store.fetchEvents(id)).toHaveLength(1);
  await ledger.signal(id, "approve", { by: "me" });
  await ledger.signal(id, "extra", 1);
  expect(await accepted(ledger.store, id)).toHaveLength(2);
});

test("actions on steps that a run does not have are refused, and nothing is recorded", async () => {
  await using ledger = await connect("memory:");
  const steps = workflow("steps", { version: "1" }, (w) => {
    const load = w.step("load", () => 1);
    w.forEach("tables", { after: [load], items: () => [1, 2] }, (inner) => inner.step("copy", () => 1));
    w.waitForSignal("go", { after: [load] });
  });
  await ledger.worker({ workflows: [steps] });
  const run = await ledger.start(steps);
  await until(async () => (await run.snapshot()).steps.some(({ stepId }) => stepId === "go"));
  await until(async () =>
    (await run.snapshot()).steps.some((row) => row.stepId === "tables" && row.status === "SUCCESS"),
  );
  const { length } = await ledger.store.fetchEvents(run.id);
  for (const unknown of ["nosuch", "tables/2/copy", "tables/x/copy", "copy"])
    for (const action of [run.skip(unknown), run.retry({ step: unknown })])
      await expect(action, unknown).rejects.toMatchObject({ code: "STEP_NOT_FOUND", family: "fix-input" });
  await expect(run.skip("loadd")).rejects.toThrow("Did you mean load?");
  expect(await ledger.store.fetchEvents(run.id)).toHaveLength(length);
  await run.skip("go");
  await run.result();
});

test("signals that no step has taken are reported when the run finishes", async () => {
  await using ledger = await connect("memory:");
  const alerts: string[] = [];
  await ledger.worker({ workflows: [waiting], onAlert: ({ code, message }) => alerts.push(`${code} ${message}`) });
  const run = await ledger.start(waiting);
  await Promise.all([1, 2, 3].map((payload) => run.signal("late" as never, payload as never)));
  await ledger.signal(run.id, "go", 0);
  await run.result();
  const events = await ledger.store.fetchEvents(run.id);
  expect(events.at(-1)).toMatchObject({ eventType: "RunCompleted", eventData: { untakenSignals: 3 } });
  expect((await run.snapshot()).signals).toHaveLength(3);
  await until(() => alerts.length > 0);
  expect(alerts).toEqual([
    `SIGNALS_UNTAKEN Run ${run.id} finished before its steps took all accepted signals. Untaken: 3 (late).`,
  ]);
});
