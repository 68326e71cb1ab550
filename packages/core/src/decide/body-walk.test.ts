/** Who may start, who is skipped, and who is tried again. */
import { describe, test } from "vitest";
import { broke, done, planOf, ran, running, started, work } from "../../../../tests/support/decide.js";
import { step } from "../../../../tests/support/given.js";

const later = { retryAt: "2026-11-14T01:00:00.000Z" };

describe("steps start", () => {
  test("[E-11] when everything they read and everything they come after is done", () => {
    const plan = planOf([work("a"), work("b"), work("c", { needs: { a: "a" }, after: ["b"] })]);
    running(plan).decides("run a#1", "run b#1");
    running(plan, ran("a")).decides("run b#1");
    running(plan, ran("a"), started("b")).decides("run b#1");
    running(plan, ran("a"), ran("b")).decides("run c#1");
  });

  test("a step that runs is asked for again: whoever carries it out knows whether it is under way", () => {
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

  test("[E-11] D8: its dependents are skipped, one after the other, all with the culprit's id", () => {
    const skip = (id: string) => `append StepSkipped ${id}#1 {"reason":"UPSTREAM_FAILED","culprit":"a"}`;
    running(chain, broke("a"))
      .decides(skip("b"), skip("d"))
      .and(step("b", "Skipped", "1", { culprit: "a" }), step("d", "Skipped", "1", { culprit: "a" }))
      .decides(skip("c"));
  });

  test("[E-11] D8: a dependent is skipped as soon as one culprit is known, whatever else is still open", () => {
    const plan = planOf([work("slow"), work("bad"), work("join", { needs: { slow: "slow", bad: "bad" } })]);
    const skip = 'append StepSkipped join#1 {"reason":"UPSTREAM_FAILED","culprit":"bad"}';
    running(plan, started("slow"), broke("bad")).decides("run slow#1", skip);
  });

  test("[E-10] D5: is tried again as the next attempt, not before its retryAt; dependents wait meanwhile", () => {
    running(chain, broke("a", later))
      .decides("run a#2 at 2026-11-14T01:00:00.000Z")
      .and(started("a", undefined, 2))
      .decides("run a#2")
      .and(done("a", {}, 2))
      .decides("run b#1");
  });
});

describe("continueOnFailure", () => {
  const plan = planOf([
    work("bad"),
    work("soft", { needs: { bad: "bad" }, continueOnFailure: true }),
    work("next", { needs: { soft: "soft" } }),
  ]);

  test("[E-11] D8: dependents run, and the run does not fail because of it", () => {
    const soft = planOf([work("soft", { continueOnFailure: true }), work("next", { after: ["soft"] })]);
    running(soft, broke("soft"))
      .decides("run next#1")
      .and(ran("next"))
      .decides('append RunCompleted#1 {"output":null} at the head');
  });

  test("[E-11] D8: it is skipped as others are when what it reads failed; its dependents run all the same", () => {
    running(plan, broke("bad"))
      .decides('append StepSkipped soft#1 {"reason":"UPSTREAM_FAILED","culprit":"bad"}')
      .and(step("soft", "Skipped", "1", { culprit: "bad" }))
      .decides("run next#1");
  });

  test("[E-10] D5: while it is to be tried again its dependents wait", () => {
    const soft = planOf([work("soft", { continueOnFailure: true }), work("next", { after: ["soft"] })]);
    running(soft, broke("soft", later)).decides("run soft#2 at 2026-11-14T01:00:00.000Z");
  });
});

test("[E-11] a step that an operator skipped holds nobody up", () => {
  const plan = planOf([work("a"), work("b", { needs: { a: "a" } })]);
  running(plan, step("a", "Skipped", "1", { reason: "OPERATOR" })).decides("run b#1");
});
