/** Inner steps: recorded by the runner of a step, and unknown to the plan (D11). */
import { expect, test } from "vitest";
import { action, broke, done, planOf, ran, running, started, work } from "@runledger/test-support/decide";
import { compact, fromCheckpoint, indexPlan, isInner, stepsToRetry, toCheckpoint } from "../index.js";

const plan = planOf([work("build"), work("publish", { after: ["build"] })]);
const inner = (stepId: string) => started(stepId, { inner: { kind: "model", after: [] } });

test("D11: a runner's step is requested until it ends, regardless of its inner steps", () => {
  const busy = running(plan, started("build"), inner("build/model.a"));
  busy.decides("run build#1");
  busy.and(broke("build/model.a")).decides("run build#1");
  busy.and(done("build/model.a"), done("build")).decides("run publish#1");
});

test("D11: a cancelled run stops the runner's step, not its inner steps", () => {
  const busy = running(plan, started("build"), inner("build/model.a"), action("CANCEL", "c"));
  busy.decides("abort build#1");
  busy.and(broke("build/model.a"), broke("build")).decides("append RunCancelled#1 by c at the head");
});

test("D11: an operator who skips a running step stops its runner", () => {
  const busy = running(plan, started("build"), inner("build/model.a"), action("SKIP_STEP", "s", "build"));
  busy.decides("abort build#1");
});

test("D11: inner steps are not compensated with their step", () => {
  const undoable = planOf([work("build", { compensate: true })]);
  const over = running(undoable, started("build"), inner("build/model.a"), done("build/model.a"), done("build"));
  over.and(action("CANCEL", "c")).decides("run compensate/build#1");
  over.and(action("CANCEL", "c"), ran("compensate/build")).decides("append RunCancelled#1 by c at the head");
});

test("D11: a retry resets failed inner steps, what they blocked, and the step around them", () => {
  const blocked = {
    eventType: "StepSkipped",
    stepId: "build/test.b",
    data: { reason: "UPSTREAM_FAILED", culprit: "build/model.b" },
  };
  const { state } = running(
    plan,
    started("build"),
    inner("build/model.a"),
    done("build/model.a"),
    inner("build/model.b"),
    broke("build/model.b"),
    blocked,
    broke("build", { culprit: "build/model.b" }),
  );
  expect(stepsToRetry(state)).toEqual(["build", "build/model.b", "build/test.b"]);
  expect(stepsToRetry(state, "build/model.b")).toEqual(["build", "build/model.b", "build/test.b"]);
  expect(stepsToRetry(state, "build/model.a")).toEqual([]);
});

test("D11: the run fails with the error of the inner step", () => {
  const failed = running(planOf([work("build")]), started("build"), inner("build/model.b"));
  failed
    .and(broke("build/model.b"), broke("build", { culprit: "build/model.b" }))
    .decides(
      'append RunFailed#1 {"error":{"code":"BROKEN","message":"no","retryable":true},"culprit":"build/model.b"} at the head',
    );
});

test("D11: a checkpoint keeps inner steps with their attempts", () => {
  const { state } = running(plan, started("build"), inner("build/model.a"), done("build/model.a"));
  const restored = fromCheckpoint(toCheckpoint(compact(plan, state)))!;
  expect(restored.steps.get("build/model.a")).toEqual(state.steps.get("build/model.a"));
});

test("only an id of the form container/name inside a runner's step is an inner step", () => {
  const repeat = { id: "poll", kind: "repeat", max: 2, bodies: [{ steps: [work("look")] }] };
  const stepAt = indexPlan(planOf([work("build"), repeat]));
  const ids = ["build", "build/model.a", "poll/0", "poll/0/look", "poll/0/look/model.a", "compensate/build", "other/a"];
  expect(ids.filter((id) => isInner(stepAt, id))).toEqual(["build/model.a", "poll/0/look/model.a"]);
});
