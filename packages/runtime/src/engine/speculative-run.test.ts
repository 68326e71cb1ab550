// @module-tag N-23
import { expect, test } from "vitest";
import { newEvent, type StateStore } from "@runledger/contracts";
import type { EventDraft } from "@runledger/core";
import { workflow } from "../index.js";
import { compiledOf } from "../workflow/compiled-workflow.js";
import { newDecider, type RunDecider } from "./decider.js";
import { SpeculativeRun } from "./speculative-run.js";

const chain = workflow("chain", { version: "1" }, (wf) => {
  const first = wf.step("first", () => 1);
  return wf.step("second", { needs: { first } }, () => 2);
});

/** A run of `chain` that was queued, and the record of what its decider saw. */
function queued(hasSlot = true): { readonly run: SpeculativeRun; readonly seen: string[] } {
  const compiled = compiledOf(chain);
  const { plan } = compiled;
  const seen: string[] = [];
  const real = newDecider(plan);
  const decider: RunDecider = {
    restart: (state) => {
      seen.push("restart");
      return real.restart(state);
    },
    apply: (state, events) => {
      seen.push(...events.map(({ eventType, stepId, runSeq }) => [runSeq, eventType, stepId ?? ""].join(" ").trim()));
      return real.apply(state, events);
    },
  };
  const context = { runId: "r", store: {} as StateStore, workflow: compiled, epoch: 1, now: () => 0 };
  const run = new SpeculativeRun(context, decider, hasSlot);
  const event = newEvent({ runId: "r", planId: plan.planId, planVersion: plan.planVersion, eventType: "RunQueued" });
  run.fold({ ...event, runSeq: 1 });
  return { run, seen };
}

const completed = (stepId: string): EventDraft => ({ eventType: "StepCompleted", stepId, attempt: 1, data: {} });
const typesOf = (drafts: readonly EventDraft[]): string[] => drafts.map(({ eventType }) => eventType);

test("a step's end and the start of the step it unlocks are one append", () => {
  const { run } = queued();
  const start = run.planTurn([], 0);
  expect(typesOf(start.drafts)).toEqual(["RunStarted", "StepStarted"]);
  run.commit(start.drafts);
  const next = run.planTurn([completed("first")], 0);
  expect(typesOf(next.drafts)).toEqual(["StepCompleted", "StepStarted"]);
  expect(run.state.lastEventSeq).toBe(3);
});

test("the decider sees each event once, at the place it has in the log", () => {
  const { run, seen } = queued();
  run.commit(run.planTurn([], 0).drafts);
  run.commit(run.planTurn([completed("first")], 0).drafts);
  run.planTurn([completed("second")], 0);
  expect(seen).toEqual([
    "restart",
    "2 RunStarted",
    "3 StepStarted first",
    "4 StepCompleted first",
    "5 StepStarted second",
    "6 StepCompleted second",
    "7 RunCompleted",
  ]);
});

test("the decider restarts after a speculation that was not stored", () => {
  const { run, seen } = queued();
  run.commit(run.planTurn([], 0).drafts);
  run.planTurn([completed("first")], 0);
  seen.length = 0;
  const again = run.planTurn([], 0);
  expect(seen).toEqual(["restart"]);
  expect(again.drafts).toEqual([]);
  expect(again.commands).toMatchObject([{ type: "run", stepId: "first" }]);
});

test("a run without a slot starts nothing, and reports that it needs one", () => {
  const { run } = queued(false);
  expect(run.planTurn([], 0)).toMatchObject({ drafts: [], commands: [], needsSlot: true });
});

test("a stopping worker records what ended and starts nothing", () => {
  const { run } = queued();
  run.commit(run.planTurn([], 0).drafts);
  const last = run.planLastTurn([completed("first")]);
  expect(typesOf(last.drafts)).toEqual(["StepCompleted"]);
  expect(last.commands).toEqual([]);
});

test("a worker that is stopping records what ended, and opens no container", { tags: ["R-12"] }, () => {
  const { run } = queued();
  run.commit(run.planTurn([], 0).drafts);
  const opened: EventDraft = { eventType: "StepStarted", stepId: "second", attempt: 1, data: {} };
  const { drafts, dropped } = run.planLastTurn([opened, completed("first")]);
  expect(dropped).toEqual([opened]);
  expect(drafts).toEqual([completed("first")]);
});
