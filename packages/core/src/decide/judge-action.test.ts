// @module-tag E-16
/** Which actions a run accepts in its current state (G1). */
import { omitUndefined } from "@runledger/contracts";
import { describe, expect, test } from "vitest";
import {
  action,
  after,
  broke,
  planOf,
  ran,
  running,
  started,
  work,
  type Situation,
} from "@runledger/test-support/decide";
import { run } from "@runledger/test-support/given";
import { judgeAction, type Action } from "../index.js";

const plan = planOf([work("a"), work("b", { needs: { a: "a" } })]);
const judge = (situation: Situation, name: Action, stepId?: string) =>
  judgeAction(situation.state, { name, signalId: "s", ...omitUndefined({ stepId }) });
const reason = (situation: Situation, name: Action, stepId?: string) => {
  const verdict = judge(situation, name, stepId);
  return verdict.accepted ? "accepted" : verdict.reason;
};

const queued = after(plan, run("Queued"));
const busy = running(plan, started("a"));
const paused = busy.and(run("Paused"));
const broken = running(plan, broke("a"));
const ended = broken.settled();

describe("an unfinished run", () => {
  test.each<[string, Situation, Action, string]>([
    ["queued", queued, "APPROVE", "accepted"],
    ["running", busy, "APPROVE", "the run is not waiting for approval"],
    ["running", busy, "PAUSE", "accepted"],
    ["paused", paused, "PAUSE", "the run is PAUSED, not RUNNING"],
    ["paused", paused, "RESUME", "accepted"],
    ["running", busy, "RESUME", "the run is RUNNING, not PAUSED"],
    ["about to be paused", busy.and(action("PAUSE", "p")), "RESUME", "accepted"],
    ["about to be paused", busy.and(action("PAUSE", "p")), "PAUSE", "the run is PAUSED, not RUNNING"],
    ["about to resume", paused.and(action("RESUME", "r")), "PAUSE", "accepted"],
    ["about to skip a step", busy.and(action("SKIP_STEP", "s")), "RESUME", "the run is RUNNING, not PAUSED"],
    ["running", busy, "CANCEL", "accepted"],
    ["running", busy, "RETRY_RUN", "there is nothing to retry"],
    ["failing", broken, "RETRY_RUN", "accepted"],
  ])("%s: %s", (_, situation, name, verdict) => {
    expect(reason(situation, name)).toBe(verdict);
  });

  test("RETRY_STEP and SKIP_STEP speak of a step, and of one for which they make sense", () => {
    expect(reason(broken, "RETRY_STEP", "a")).toBe("accepted");
    expect(reason(broken, "RETRY_STEP", "b")).toBe("there is nothing to retry");
    expect(reason(broken, "RETRY_STEP")).toBe("the action names no step");
    expect(reason(busy, "SKIP_STEP", "a")).toBe("accepted");
    expect(reason(busy, "SKIP_STEP")).toBe("the action names no step");
    expect(reason(running(plan, ran("a")), "SKIP_STEP", "a")).toBe("step a has completed");
  });

  test("D8: while it is being stopped it takes nothing more", () => {
    const stopping = busy.and(action("CANCEL", "c"));
    for (const name of ["PAUSE", "CANCEL", "RETRY_RUN"] as const) {
      expect(reason(stopping, name)).toBe("the run is being stopped (CANCEL)");
    }
  });
});

describe("a finished run", () => {
  test("K4: is reopened by a retry, with the steps that run again", () => {
    const data = { steps: ["a", "b"] };
    const event = { eventType: "RunReopened", attempt: 1, data, causedBySignalId: "s" };
    expect(judge(ended, "RETRY_RUN")).toEqual({ accepted: true, drafts: [event] });
    expect(judge(ended, "RETRY_STEP", "a")).toEqual({ accepted: true, drafts: [event] });
  });

  test("A6: is not reopened if its payloads are erased", () => {
    const erased = { at: "2026-11-17T08:00:00.000Z", by: "anna", reason: "request 17" };
    const { state } = ended;
    const verdict = judgeAction(
      { ...state, details: { ...state.details, erased } },
      { name: "RETRY_RUN", signalId: "s" },
    );
    expect(verdict).toEqual({ accepted: false, reason: "the payloads of the run are erased" });
  });

  test("takes nothing else", () => {
    expect(reason(ended, "PAUSE")).toBe("the run is FAILED");
    expect(reason(running(plan, ran("a"), ran("b")).settled(), "RETRY_RUN")).toBe("there is nothing to retry");
  });
});
