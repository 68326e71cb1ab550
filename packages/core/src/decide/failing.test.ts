// @module-tag R-41
/** A failing run: compensation, the failure handler, settled steps, and the action COMPENSATE (D8). */
import { describe, expect, test } from "vitest";
import { action, broke, done, planOf, reset, running, started, timeOf, work } from "@runledger/test-support/decide";
import { run } from "@runledger/test-support/given";
import { compilePlan } from "../plan/compile-plan.js";
import type { DefinitionStep } from "../plan/definition.js";
import { pendingFailure } from "./decide.js";
import { judgeAction } from "./judge-action.js";

const undoable = { compensate: true };
const saga = [
  work("flight", undoable),
  work("hotel", { ...undoable, after: ["flight"] }),
  work("car", { after: ["hotel"] }),
];
const fails = (step: string) =>
  `append RunFailed#1 {"error":{"code":"BROKEN","message":"no","retryable":true},"culprit":"${step}"} at the head`;
const [cancel, pause] = [action("CANCEL", "c"), action("PAUSE", "p")];
const failed = [done("flight"), done("hotel"), broke("car")];
const verdict = (state: Parameters<typeof judgeAction>[0], name: "COMPENSATE" | "PAUSE" | "RETRY_RUN" | "CANCEL") =>
  judgeAction(state, { name, signalId: "x" });

describe("compensateOn", () => {
  test("by default a failed run keeps what succeeded, and a cancelled one does not", () => {
    running(planOf(saga), ...failed).decides(fails("car"));
    running(planOf(saga), done("flight"), done("hotel"), cancel).decides("run compensate/hotel#1");
  });

  test("failure: completed steps are compensated in reverse order, then the run fails", () => {
    const failing = running(planOf(saga, { compensateOn: ["failure"] }), ...failed);
    failing.decides("run compensate/hotel#1");
    const one = failing.and(started("compensate/hotel"), done("compensate/hotel"));
    one.decides("run compensate/flight#1");
    one.and(started("compensate/flight"), broke("compensate/flight")).decides(fails("car"));
  });

  test("a plan that names only failure is cancelled without compensation, but not if it runs out of time", () => {
    const plan = planOf(saga, { compensateOn: ["failure"] });
    running(plan, done("flight"), cancel).decides("append RunCancelled#1 by c at the head");
    running(plan, done("flight"), action("DEADLINE", "d")).decides("run compensate/flight#1");
  });

  test("a run that is being compensated accepts only a CANCEL, and answers earlier actions without effect", () => {
    const undoing = running(planOf(saga, { compensateOn: ["failure"] }), ...failed, started("compensate/hotel"));
    for (const name of ["PAUSE", "RETRY_RUN", "COMPENSATE"] as const)
      expect(verdict(undoing.state, name)).toEqual({ accepted: false, reason: "the run is being compensated" });
    expect(verdict(undoing.state, "CANCEL")).toMatchObject({ accepted: true });
    undoing.and(action("RETRY_RUN", "r")).decides('append StepsReset#1 {"steps":[]} by r');
    undoing.and(action("SKIP_STEP", "s", "car")).decides('append StepsReset#1 {"steps":[]} by s');
  });

  test("an unknown value is refused", () => {
    const define = () => compilePlan({ id: "p", version: "1", compensateOn: ["crash" as never], body: { steps: [] } });
    expect(define).toThrow("compensateOn has the unknown value crash. Use cancel and failure.");
  });
});

describe("onFailure", () => {
  const handler: DefinitionStep = { id: "onFailure", kind: "function", retry: { attempts: 2 } };
  const plan = planOf(saga, { onFailure: handler });

  test("runs once before the run fails, with the error and its step", () => {
    const failing = running(plan, ...failed);
    failing.decides("run onFailure#1");
    expect(pendingFailure(plan, failing.state)).toMatchObject({ error: { code: "BROKEN" }, culprit: "car" });
    failing.and(started("onFailure")).decides("run onFailure#1");
    failing.and(started("onFailure"), done("onFailure")).decides(fails("car"));
  });

  test("is retried, and its failure does not replace the run's error", () => {
    const failing = running(plan, ...failed, started("onFailure"));
    failing.and(broke("onFailure", { retryAt: timeOf(9) })).decides(`run onFailure#2 at ${timeOf(9)}`);
    failing.and(broke("onFailure")).decides(fails("car"));
  });

  test("runs after the compensation, runs when the deadline expires, and stops when the run is cancelled", () => {
    const both = planOf(saga, { compensateOn: ["failure"], onFailure: handler });
    const undone = [started("compensate/hotel"), done("compensate/hotel"), started("compensate/flight")];
    running(both, ...failed, ...undone, done("compensate/flight")).decides("run onFailure#1");
    const late = running(plan, action("DEADLINE", "d"));
    late.decides("run onFailure#1");
    late.and(started("onFailure")).decides("run onFailure#1");
    expect(pendingFailure(plan, late.state)).toMatchObject({ error: { code: "DEADLINE_EXCEEDED" } });
    running(planOf([work("car")], { onFailure: handler }), broke("car"), started("onFailure"), cancel).decides(
      "abort onFailure#1",
    );
  });

  test("runs again if a retried run fails again, and not while the run is paused", () => {
    const again = running(plan, ...failed, started("onFailure"), done("onFailure"), action("RETRY_RUN", "r"));
    again.decides('append StepsReset#1 {"steps":["car","onFailure"]} by r');
    again.and({ ...reset("car", "onFailure"), causedBySignalId: "r" }, broke("car", {}, 2)).decides("run onFailure#2");
    running(plan, ...failed, pause, run("Paused", {}, { causedBySignalId: "p" })).decides();
  });

  test("its id is reserved outside containers", () => {
    const inner: DefinitionStep = { id: "each", kind: "forEach", bodies: [{ steps: [work("onFailure")] }] };
    expect(() => planOf([inner])).not.toThrow();
    expect(() => planOf([work("onFailure")])).toThrow("is reserved for the step that runs before a run fails");
  });
});

describe("settle", () => {
  test("dependents run after a failure, and the run completes", () => {
    const plan = planOf([work("try", { settle: true }), work("then", { needs: { tried: "try" } })]);
    running(plan, broke("try")).decides("run then#1");
    running(plan, broke("try"), done("then")).decides('append RunCompleted#1 {"output":null} at the head');
  });

  test("it contradicts continueOnFailure, and cannot be the output of a body", () => {
    const both = () => planOf([work("a", { settle: true, continueOnFailure: true })]);
    expect(both).toThrow("settle and continueOnFailure contradict each other");
    const output = () =>
      compilePlan({ id: "p", version: "1", body: { steps: [work("a", { settle: true })], output: "a" } });
    expect(output).toThrow('returns a, which has "settle", as its output');
  });
});

describe("COMPENSATE", () => {
  const plan = planOf(saga);
  const ended = running(
    plan,
    ...failed,
    run("Failed", { error: { code: "BROKEN", message: "broken", retryable: false }, culprit: "car" }),
  );

  test("undoes a failed run, which fails again with its first error; a retry then runs what was undone", () => {
    expect(verdict(ended.state, "COMPENSATE")).toMatchObject({
      accepted: true,
      drafts: [{ eventType: "RunReopened", causedBySignalId: "x", data: { steps: [], compensate: true } }],
    });
    const reopened = ended.and(run("Reopened", { steps: [], compensate: true }, { causedBySignalId: "x" }));
    reopened.decides("run compensate/hotel#1");
    const undone = reopened.and(done("compensate/hotel"), done("compensate/flight")).settled();
    expect(undone.state).toMatchObject({ status: "FAILED", details: { error: { code: "BROKEN" }, culprit: "car" } });
    expect(undone.state.details.actions).toBeUndefined();
    expect(verdict(undone.state, "RETRY_RUN")).toMatchObject({
      drafts: [{ data: { steps: ["car", "compensate/flight", "compensate/hotel", "flight", "hotel"] } }],
    });
  });

  test("only a failed run can be undone", () => {
    expect(verdict(running(plan).state, "COMPENSATE")).toMatchObject({
      reason: "the run is RUNNING, not FAILED; a CANCEL compensates it",
    });
    expect(verdict(running(plan, run("Completed")).state, "COMPENSATE")).toMatchObject({
      reason: "the run is COMPLETED, not FAILED",
    });
  });
});
