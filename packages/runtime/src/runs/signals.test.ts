// @module-tag E-16
/** G1: early, duplicate, unauthorized and excess signals, and signals to finished runs. Both verdicts are recorded. */
import { expect, test } from "vitest";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { connect, workflow } from "../index.js";
import { until } from "@runledger/test-support/until";

type Ledger = Awaited<ReturnType<typeof connect>>;

async function types(ledger: Ledger, runId: string): Promise<string[]> {
  return (await ledger.store.fetchEvents(runId)).map(({ eventType }: CanonicalEngineEvent) => eventType);
}

const waiting = workflow("waiting", { version: "1" }, (w) => w.waitForSignal("go"));

test("an early signal is kept, and signals of one name are delivered first in, first out", async () => {
  await using ledger = await connect("memory:");
  const twice = workflow("twice", { version: "1" }, (w) => {
    const first = w.waitForSignal("go", { id: "first" });
    const second = w.waitForSignal("go", { id: "second", after: [first] });
    return w.step("both", { needs: { first, second } }, ({ needs }) => [needs.first, needs.second]);
  });
  const run = await ledger.start(twice);
  await ledger.signal(run.id, "go", "one");
  await ledger.signal(run.id, "go", "two");
  await ledger.worker({ workflows: [twice] });
  expect(await run.result()).toEqual(["one", "two"]);
});

test("a signal id has one verdict: the second send changes nothing", async () => {
  await using ledger = await connect("memory:");
  const run = await ledger.start(waiting);
  await ledger.signal(run.id, "go", 1, { signalId: "s" });
  await ledger.signal(run.id, "go", 2, { signalId: "s" });
  expect(await types(ledger, run.id)).toEqual(["RunQueued", "SignalAccepted"]);
  await expect(ledger.act(run.id, "RESUME", { signalId: "r" })).rejects.toMatchObject({
    code: "SIGNAL_REJECTED",
    signalId: "r",
  });
  await expect(ledger.act(run.id, "RESUME", { signalId: "r" })).rejects.toMatchObject({ code: "SIGNAL_REJECTED" });
  expect(await types(ledger, run.id)).toEqual(["RunQueued", "SignalAccepted", "SignalRejected"]);
});

test("a rejected signal stays rejected, even if it would be accepted now", { tags: ["R-12"] }, async () => {
  await using ledger = await connect("memory:");
  const run = await ledger.start(waiting);
  const pause = () => ledger.act(run.id, "PAUSE", { signalId: "p" });
  await expect(pause()).rejects.toMatchObject({ code: "SIGNAL_REJECTED", signalId: "p" });
  await ledger.worker({ workflows: [waiting] });
  await until(async () => (await types(ledger, run.id)).includes("RunStarted"));
  await expect(pause()).rejects.toMatchObject({ code: "SIGNAL_REJECTED", signalId: "p" });
  expect((await types(ledger, run.id)).filter((type) => type.startsWith("Signal"))).toEqual(["SignalRejected"]);
});

test("the authorization port decides, and a denial is recorded with reason and sender", async () => {
  const authorization = {
    authorize: async ({ by, name }: { by?: string; name: string }) =>
      by === "ops" ? ({ allowed: true } as const) : ({ allowed: false, reason: `${by} may not ${name}` } as const),
  };
  await using ledger = await connect("memory:", { authorization });
  const run = await ledger.start(waiting);
  await expect(ledger.act(run.id, "CANCEL", { by: "eve" })).rejects.toThrow("eve may not CANCEL");
  await ledger.act(run.id, "CANCEL", { by: "ops" });
  const [, rejected, accepted] = await ledger.store.fetchEvents(run.id);
  expect(rejected).toMatchObject({ eventType: "SignalRejected", eventData: { by: "eve", name: "CANCEL" } });
  expect(accepted).toMatchObject({ eventType: "SignalAccepted", eventData: { by: "ops", name: "CANCEL" } });
});

test("P9: the 61st signal within a minute is refused, and nothing is written", async () => {
  await using ledger = await connect("memory:");
  const run = await ledger.start(waiting);
  for (let i = 0; i < 60; i++) await ledger.signal(run.id, "other", i);
  await expect(ledger.signal(run.id, "other", 60)).rejects.toMatchObject({ code: "SIGNAL_LIMIT", family: "retry" });
  expect(await types(ledger, run.id)).toHaveLength(61);
});

test("an unknown run or action is an error and writes nothing", async () => {
  await using ledger = await connect("memory:");
  await expect(ledger.signal("run_nope", "go", 1)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  const run = await ledger.start(waiting);
  await expect(ledger.act(run.id, "STOP" as never)).rejects.toMatchObject({ code: "ACTION_UNKNOWN" });
  expect(await ledger.store.fetchHeads(["run_nope"])).toEqual([]);
});

test("on a finished run a signal is rejected, and RETRY_RUN runs only failed steps and their dependents", async () => {
  await using ledger = await connect("memory:");
  const ran: string[] = [];
  let broken = true;
  const flow = workflow("flow", { version: "1" }, (w) => {
    const good = w.step("good", () => void ran.push("good"));
    const bad = w.step("bad", () => {
      ran.push("bad");
      if (broken) throw new Error("not yet");
      return "mended";
    });
    return w.step("end", { needs: { bad }, after: [good] }, ({ needs }) => (ran.push("end"), needs.bad));
  });
  await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  await expect(run.result()).rejects.toMatchObject({ code: "RUN_FAILED", snapshot: { culprit: "bad" } });
  await expect(ledger.signal(run.id, "go", 1)).rejects.toMatchObject({ code: "SIGNAL_REJECTED" });
  broken = false;
  await run.act("RETRY_RUN", { by: "ops" });
  await until(async () => (await run.snapshot()).status === "COMPLETED");
  expect(await run.result()).toBe("mended");
  expect(ran).toEqual(["good", "bad", "bad", "end"]);
  expect((await run.snapshot()).steps.find(({ stepId }) => stepId === "bad")).toMatchObject({ logicalAttemptId: "2" });
  await expect(run.act("RETRY_RUN")).rejects.toMatchObject({ code: "SIGNAL_REJECTED" });
});

test("a plan may require APPROVE, which writes RunApproved", async () => {
  await using ledger = await connect("memory:");
  const guarded = workflow("guarded", { version: "1", approval: true }, (w) => w.step("work", () => 7));
  await ledger.worker({ workflows: [guarded] });
  const run = await ledger.start(guarded);
  await run.act("APPROVE", { by: "boss" });
  expect(await run.result()).toBe(7);
  expect(await types(ledger, run.id)).toEqual([
    "RunQueued",
    "SignalAccepted",
    "RunApproved",
    "RunStarted",
    "StepStarted",
    "StepCompleted",
    "RunCompleted",
  ]);
});

test("PAUSE stops new steps, RESUME continues, CANCEL compensates in reverse order", { tags: ["E-11"] }, async () => {
  await using ledger = await connect("memory:");
  const undone: string[] = [];
  const flow = workflow("undoable", { version: "1" }, (w) => {
    const one = w.step("one", {}, () => 1, { compensate: () => void undone.push("one") });
    const two = w.step("two", { after: [one] }, () => 2, { compensate: () => void undone.push("two") });
    w.waitForSignal("go", { after: [two] });
  });
  await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  await until(async () => (await run.snapshot()).steps.some(({ stepId }) => stepId === "go"));
  await run.act("PAUSE");
  await until(async () => (await run.snapshot()).status === "PAUSED");
  await run.act("RESUME");
  await until(async () => (await run.snapshot()).status === "RUNNING");
  await run.act("CANCEL");
  await until(async () => (await run.snapshot()).status === "CANCELLED");
  expect(undone).toEqual(["two", "one"]);
  await expect(run.result()).rejects.toMatchObject({ snapshot: { status: "CANCELLED" } });
});
