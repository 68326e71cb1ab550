/** A runner records steps that only it knows (D11). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { runWorkflow } from "@runledger/test-support/run-workflow";
import { until } from "@runledger/test-support/until";
import { connect, StepError, workflow, type Ledger, type Runner } from "../index.js";

let ledger: Ledger;
beforeEach(async () => {
  ledger = await connect("memory:");
});
afterEach(() => ledger.close());

const tree = workflow("tree", { version: "1" }, (w) =>
  w.task("build", { kind: "tree", retry: { attempts: 2, delay: "10ms" } }),
);

test("D11: inner steps are recorded while the step runs, with kind, dependencies and result", async () => {
  let seen = 0;
  const runner: Runner = async ({ inner, context }) => {
    inner!.start("model.a", { kind: "model", after: [], checksum: "c1" });
    await until(async () =>
      (await ledger.store.fetchEvents(context.runId)).some(({ stepId }) => stepId === "build/model.a"),
    );
    seen++;
    const [sql] = await inner!.write("model.a", "sql", "SELECT 1");
    inner!.complete("model.a", { rows: 1 }, [sql!]);
    inner!.start("test.a", { kind: "test", after: ["model.a"] });
    inner!.complete("test.a", {});
    return { nodes: 2 };
  };
  const { data, runId } = await runWorkflow(ledger, tree, { runners: { tree: runner } });
  expect(seen).toBe(1);
  expect(data("StepStarted", "build/model.a")).toEqual({
    opened: { inner: { kind: "model", after: [], checksum: "c1" } },
  });
  expect(data("StepStarted", "build/test.a")).toMatchObject({ opened: { inner: { after: ["build/model.a"] } } });
  expect(data("StepCompleted", "build/model.a")).toMatchObject({ output: { rows: 1 }, artifacts: [{ kind: "sql" }] });
  expect(data("StepCompleted", "build")).toEqual({ output: { nodes: 2 } });
  const artifacts = await ledger.store.artifacts.listArtifacts({ runId, stepId: "build/model.a" });
  expect(artifacts).toHaveLength(1);
});

test("D11: the next attempt reads what is done, and continues failed inner steps with their next attempt", async () => {
  const read: unknown[] = [];
  const runner: Runner = async ({ inner, context: { attempt } }) => {
    const { status, logicalAttemptId } = inner!.recorded("b") ?? {};
    read.push([inner!.recordedCount, inner!.recorded("a")?.status, status, logicalAttemptId]);
    if (attempt === 1) inner!.start("a", { kind: "model", after: [] });
    if (attempt === 1) inner!.complete("a", null);
    inner!.start("b", { kind: "model", after: [] });
    if (attempt === 2) return inner!.complete("b", null);
    inner!.fail("b", { code: "LOST", message: "later", retryable: true });
    inner!.blame("b");
    throw new StepError("LOST", "1 failed");
  };
  const { events, data } = await runWorkflow(ledger, tree, { runners: { tree: runner } });
  expect(read).toEqual([
    [0, undefined, undefined, undefined],
    [2, "SUCCESS", "FAILED", "1"],
  ]);
  expect(data("StepFailed", "build")).toMatchObject({ culprit: "build/b", error: { code: "LOST" } });
  const ends = events.filter(({ stepId, eventType }) => stepId === "build/b" && eventType !== "StepStarted");
  expect(ends.map(({ eventType, logicalAttemptId }) => [eventType, logicalAttemptId])).toEqual([
    ["StepFailed", "1"],
    ["StepCompleted", "2"],
  ]);
});

test("D11: an inner step that is open at the end of its step ends with it", async () => {
  const runner: Runner = async ({ inner }) => {
    inner!.start("a", { kind: "model", after: [] });
    throw new StepError("BROKEN", "no", { retryable: false });
  };
  const { data } = await runWorkflow(ledger, tree, { runners: { tree: runner } });
  const error = { code: "BROKEN", message: "The step did not finish. no", retryable: true };
  expect(data("StepFailed", "build/a")).toEqual({ error });
});

test("D11: a runner that stops on abort is awaited, and its inner steps are cancelled with it", async () => {
  const order: string[] = [];
  const runner: Runner = Object.assign(
    async ({ inner, context: { signal } }: Parameters<Runner>[0]) => {
      inner!.start("a", { kind: "model", after: [] });
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      inner!.start("late", { kind: "model", after: [] });
      inner!.complete("late", null);
      order.push("stopped");
      signal.throwIfAborted();
    },
    { stopsOnAbort: true },
  );
  await ledger.worker({ workflows: [tree], runners: { tree: runner } });
  const run = await ledger.start(tree);
  for await (const { eventType, stepId } of run.events()) {
    if (eventType === "StepStarted" && stepId === "build/a") await run.cancel();
    if (eventType === "RunCancelled") order.push("cancelled");
  }
  expect(order).toEqual(["stopped", "cancelled"]);
  const { steps } = await run.snapshot();
  const codes = Object.fromEntries(steps.map(({ stepId, status, error }) => [stepId, error?.code ?? status]));
  expect(codes).toEqual({ build: "CANCELLED", "build/a": "CANCELLED", "build/late": "SUCCESS" });
});

test("K3: a name that cannot be part of an id, or is too long, becomes a prefix and a hash", async () => {
  const ids: string[] = [];
  const runner: Runner = async ({ inner }) => {
    for (const name of ["a/b", "a|b", "m".repeat(300), "plain.name"]) {
      ids.push(inner!.idOf(name));
      inner!.start(name, { kind: "model", after: [] });
      inner!.complete(name, null);
    }
  };
  const { data } = await runWorkflow(ledger, tree, { runners: { tree: runner } });
  expect(data("RunCompleted")).toBeDefined();
  expect(new Set(ids).size).toBe(4);
  expect(ids[3]).toBe("build/plain.name");
  expect(ids[2]).toHaveLength(255);
  expect(ids.every((id) => /^build\/[\w.:-]+$/.test(id))).toBe(true);
});
