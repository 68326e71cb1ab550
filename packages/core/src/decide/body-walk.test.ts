// @module-tag E-11
/** Which steps start, are skipped or are retried. */
import { describe, test } from "vitest";
import { broke, done, planOf, ran, running, started, work } from "@runledger/test-support/decide";
import { step } from "@runledger/test-support/given";

const later = { retryAt: "2026-11-14T01:00:00.000Z" };

describe("steps start", () => {
  test("when everything they read and everything they come after is done", () => {
    const plan = planOf([work("a"), work("b"), work("c", { needs: { a: "a" }, after: ["b"] })]);
    running(plan).decides("run a#1", "run b#1");
    running(plan, ran("a")).decides("run b#1");
    running(plan, ran("a"), started("b")).decides("run b#1");
    running(plan, ran("a"), ran("b")).decides("run c#1");
  });

  test("a running step is requested again: the engine knows that it is already running", () => {
    running(planOf([work("a")]), started("a")).decides("run a#1");
  });
});

describe("a step that failed", () => {
  const chain = planOf([
    work("a"),
    work("b", { needs: { a: "a" } }),
    work("c", { after: ["b"] }),
    work("d", { needs: { a: "a", c: "c" } }),
  ]);

  test("D8: its dependents are skipped, one after the other, all with the culprit's id", () => {
    const skip = (id: string) => `append StepSkipped ${id}#1 {"reason":"UPSTREAM_FAILED","culprit":"a"}`;
    running(chain, broke("a"))
      .decides(skip("b"), skip("d"))
      .and(step("b", "Skipped", "1", { culprit: "a" }), step("d", "Skipped", "1", { culprit: "a" }))
      .decides(skip("c"));
  });

  test("D8: a dependent is skipped as soon as one culprit is known, even if other inputs are unfinished", () => {
    const plan = planOf([work("slow"), work("bad"), work("join", { needs: { slow: "slow", bad: "bad" } })]);
    const skip = 'append StepSkipped join#1 {"reason":"UPSTREAM_FAILED","culprit":"bad"}';
    running(plan, started("slow"), broke("bad")).decides("run slow#1", skip);
  });

  test(
    "D5: is tried again as the next attempt, not before its retryAt; dependents wait meanwhile",
    { tags: ["E-10"] },
    () => {
      running(chain, broke("a", later))
        .decides("run a#2 at 2026-11-14T01:00:00.000Z")
        .and(started("a", undefined, 2))
        .decides("run a#2")
        .and(done("a", {}, 2))
        .decides("run b#1");
    },
  );
});

describe("continueOnFailure", () => {
  const plan = planOf([
    work("bad"),
    work("soft", { needs: { bad: "bad" }, continueOnFailure: true }),
    work("next", { needs: { soft: "soft" } }),
  ]);

  test("D8: dependents run, and the run does not fail because of it", () => {
    const soft = planOf([work("soft", { continueOnFailure: true }), work("next", { after: ["soft"] })]);
    running(soft, broke("soft"))
      .decides("run next#1")
      .and(ran("next"))
      .decides('append RunCompleted#1 {"output":null} at the head');
  });

  test("D8: it is skipped like others if its input failed; its dependents run anyway", () => {
    running(plan, broke("bad"))
      .decides('append StepSkipped soft#1 {"reason":"UPSTREAM_FAILED","culprit":"bad"}')
      .and(step("soft", "Skipped", "1", { culprit: "bad" }))
      .decides("run next#1");
  });

  test("D5: while it is to be tried again its dependents wait", { tags: ["E-10"] }, () => {
    const soft = planOf([work("soft", { continueOnFailure: true }), work("next", { after: ["soft"] })]);
    running(soft, broke("soft", later)).decides("run soft#2 at 2026-11-14T01:00:00.000Z");
  });
});

test("a step skipped by an operator blocks no other step", () => {
  const plan = planOf([work("a"), work("b", { needs: { a: "a" } })]);
  running(plan, step("a", "Skipped", "1", { reason: "OPERATOR" })).decides("run b#1");
});
