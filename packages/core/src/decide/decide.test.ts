// @module-tag E-11
/** The run as a whole: start, end, deadline and pause. */
import { describe, expect, test } from "vitest";
import { action, after, broke, done, planOf, ran, running, started, work } from "@runledger/test-support/decide";
import { run } from "@runledger/test-support/given";
import { decide } from "../index.js";

const two = planOf([work("extract"), work("load", { needs: { extract: "extract" } })]);

describe("a run starts", () => {
  test("a queued run is started at the head that was folded", () => {
    after(two, run("Queued")).decides("append RunStarted#1 at the head");
  });

  test("a plan that requires approval waits for it, and is approved by the action", { tags: ["E-16"] }, () => {
    const plan = planOf([work("extract")], { approval: true });
    after(plan, run("Queued")).decides();
    after(plan, run("Queued"), action("PAUSE", "p")).decides();
    after(plan, run("Queued"), action("PAUSE", "p"), action("APPROVE", "a")).decides(
      "append RunApproved#1 by a at the head",
    );
    after(plan, run("Queued"), action("APPROVE", "a"), run("Approved")).decides("append RunStarted#1 at the head");
  });

  test("a reopened run has had its approval", { tags: ["E-16"] }, () => {
    const plan = planOf([work("extract")], { approval: true });
    const failed = after(plan, run("Queued"), run("Approved"), run("Started"), broke("extract"), run("Failed"));
    failed.decides();
    failed
      .and(run("Reopened", { steps: ["extract"] }))
      .decides("append RunStarted#2 at the head")
      .and(run("Started", {}, { attempt: "2" }))
      .decides("run extract#2");
  });

  test("an approval that was not required does not stay pending", { tags: ["E-16"] }, () => {
    const { state } = after(two, run("Queued"), action("APPROVE", "a"), run("Started"));
    expect(state.details.actions).toBeUndefined();
  });
});

describe("a run ends", () => {
  test("a plan without steps is complete at once, and has no output", () => {
    running(planOf([])).decides('append RunCompleted#1 {"output":null} at the head');
  });

  test("the output is that of the step which the plan names", () => {
    const plan = planOf([work("extract")], { body: { steps: [work("extract")], output: "extract" } });
    running(plan, ran("extract")).decides('append RunCompleted#1 {"outputFrom":"extract"} at the head');
  });

  test("D8: independent branches finish before the run fails, with its root cause", () => {
    const plan = planOf([work("extract"), work("other")]);
    const error = '{"error":{"code":"BROKEN","message":"no","retryable":true},"culprit":"extract"}';
    running(plan, started("extract"), started("other"), broke("extract"))
      .decides("run other#1")
      .and(done("other"))
      .decides(`append RunFailed#1 ${error} at the head`);
  });

  test("the second failure of a reopened run is its second RunFailed (K2)", () => {
    const failed = running(planOf([work("extract")]), broke("extract"), run("Failed"));
    const again = failed.and(run("Reopened", { steps: ["extract"] }), run("Started"), broke("extract", {}, 2));
    expect(again.commands).toMatchObject([{ event: { eventType: "RunFailed", attempt: 2 } }]);
  });

  test("a finished run needs nothing more", () => {
    for (const end of ["Completed", "Failed", "Cancelled"]) running(two, run(end)).decides();
  });
});

describe("the run's deadline", () => {
  const dead = { deadlineAt: "2026-11-15T00:00:00.000Z" };

  test(
    "D3: it is an action of the system's own, due at the recorded time, also while the run is paused",
    { tags: ["E-10"] },
    () => {
      const due =
        'append SignalAccepted#deadline-2026-11-15T00:00:00.000Z {"namespace":"action","name":"DEADLINE"} at 2026-11-15T00:00:00.000Z';
      after(two, run("Started", dead)).decides(due, "run extract#1");
      after(two, run("Started", dead), run("Paused")).decides(due);
    },
  );

  test("D8: once it has passed, what runs is aborted, and the run fails", { tags: ["E-10"] }, () => {
    const late = after(two, run("Started", dead), started("extract"), action("DEADLINE", "d"));
    const data =
      '{"error":{"code":"DEADLINE_EXCEEDED","message":"The run exceeded its deadline of 2026-11-15T00:00:00.000Z. Raise \\"deadline\\" or make the run shorter.","retryable":false}}';
    late.decides("abort extract#1").and(broke("extract")).decides(`append RunFailed#1 ${data} by d at the head`);
  });
});

describe("a paused run", () => {
  const paused = (...more: Parameters<typeof running>[1][]) => running(two, ...more, run("Paused"));

  test("D8: PAUSE is answered before anything else, and no new step starts", () => {
    running(two, action("PAUSE", "p")).decides("append RunPaused#1 by p at the head");
    paused().decides();
  });

  test("D8: running steps continue, and their completion starts nothing", () => {
    paused(started("extract")).decides("run extract#1").and(done("extract")).decides();
  });

  test("D8: a retry that is due waits, a skip is recorded, and the run does not end", () => {
    paused(broke("extract", { retryAt: "2026-11-14T00:00:00.000Z" })).decides();
    const skip = 'append StepSkipped load#1 {"reason":"UPSTREAM_FAILED","culprit":"extract"}';
    paused(broke("extract")).decides(skip).settled().decides();
  });

  test("RESUME continues where the run was paused", () => {
    paused(ran("extract"))
      .and(action("RESUME", "r"))
      .decides("append RunResumed#1 by r at the head")
      .and({ ...run("Resumed"), causedBySignalId: "r" })
      .decides("run load#1");
  });

  test("PAUSE before the start takes effect right after it", () => {
    after(two, run("Queued"), action("PAUSE", "p"))
      .decides("append RunStarted#1 at the head")
      .and(run("Started"))
      .decides("append RunPaused#1 by p at the head");
  });
});

test("D1: decide says the same of the same state, and changes nothing", { tags: ["E-12"] }, () => {
  const situation = running(two, started("extract"));
  const before = JSON.stringify(situation.state.steps.rows());
  expect(decide(two, situation.state)).toEqual(decide(two, situation.state));
  expect(JSON.stringify(situation.state.steps.rows())).toBe(before);
});
