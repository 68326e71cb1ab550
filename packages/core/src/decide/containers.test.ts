// @module-tag E-11
/** Containers: branches, items, passes, and containers inside containers. */
import type { DefinitionStep } from "../index.js";
import { describe, expect, test } from "vitest";
import { broke, done, planOf, ran, reset, running, started, timeOf, work } from "@runledger/test-support/decide";
import { step } from "@runledger/test-support/given";

const failed = (culprit: string) =>
  `{"error":{"code":"STEP_FAILED","message":"Step ${culprit} failed.","retryable":false},"culprit":"${culprit}"}`;

describe("when", () => {
  const branches = planOf([
    {
      id: "big",
      kind: "when",
      bodies: [
        { steps: [work("yes")], output: "big/yes" },
        { steps: [work("no"), work("end", { after: ["big/no"] })] },
      ],
    },
    work("next", { needs: { big: "big" } }),
  ]);

  test("D1: its closure is called, and its result is followed", { tags: ["E-12"] }, () => {
    running(branches).decides("open big#1");
    running(branches, started("big", { branch: 0 })).decides("run big/0/yes#1");
    running(branches, started("big", { branch: 1 })).decides("run big/1/no#1");
    running(branches, started("big", { branch: 1 }), ran("big/1/no")).decides("run big/1/end#1");
  });

  test("D8: it completes with the output of the branch that was taken", () => {
    running(branches, started("big", { branch: 0 }), ran("big/0/yes")).decides(
      'append StepCompleted big#1 {"outputFrom":"big/0/yes"}',
    );
    running(branches, started("big", { branch: 1 }), ran("big/1/no"), ran("big/1/end")).decides(
      'append StepCompleted big#1 {"output":null}',
    );
  });

  test("D8: without another branch it completes with null and skips no step outside", () => {
    const only = planOf([
      { id: "only", kind: "when", bodies: [{ steps: [work("yes")] }] },
      work("next", { needs: { only: "only" } }),
    ]);
    const untaken = running(only, started("only", { branch: 1 }));
    untaken.decides('append StepCompleted only#1 {"output":null}').settled().decides("run next#1");
  });

  test("it fails because of the step that failed in it, and the run names that step", () => {
    const broken = running(branches, started("big", { branch: 0 }), broke("big/0/yes"));
    broken.decides(`append StepFailed big#1 ${failed("big/0/yes")}`);
    const end = broken.settled();
    expect(end.state).toMatchObject({ status: "FAILED", details: { culprit: "big/0/yes", error: { code: "BROKEN" } } });
    expect(end.state.steps.get("next")).toMatchObject({ status: "SKIPPED", culprit: "big" });
  });

  test("a step in it waits for one outside, and fails with it", () => {
    const plan = planOf([
      work("outer"),
      { id: "big", kind: "when", bodies: [{ steps: [work("in", { needs: { outer: "outer" } })] }] },
    ]);
    const open = running(plan, started("big", { branch: 0 }));
    open.decides("run outer#1");
    open.and(ran("outer")).decides("run big/0/in#1");
    const end = open.and(broke("outer")).settled();
    expect(end.state.steps.get("big/0/in")).toMatchObject({ status: "SKIPPED", culprit: "outer" });
    expect(end.state.steps.get("big")).toMatchObject({ status: "FAILED", culprit: "outer" });
    expect(end.state.details.culprit).toBe("outer");
  });
});

describe("forEach", () => {
  const each = (more: Partial<DefinitionStep> = {}, inner: Partial<DefinitionStep> = {}) =>
    planOf([
      {
        id: "each",
        kind: "forEach",
        bodies: [{ steps: [work("one", inner), work("two", { needs: { one: "each/one" } })], output: "each/two" }],
        ...more,
      },
    ]);

  test("D1: its closure returns the number of items; all start at once", { tags: ["E-12"] }, () => {
    running(each()).decides("open each#1");
    running(each(), started("each", { count: 2 })).decides("run each/0/one#1", "run each/1/one#1");
  });

  test("a step of an item reads the steps of the same item", { tags: ["E-12"] }, () => {
    running(each(), started("each", { count: 2 }), ran("each/1/one")).decides("run each/0/one#1", "run each/1/two#1");
  });

  test("without items it is complete", () => {
    running(each(), started("each", { count: 0 })).decides("append StepCompleted each#1 {}");
    running(each({ concurrency: 2 }), started("each", { count: 0 })).decides("append StepCompleted each#1 {}");
  });

  test("concurrency: the next item starts when one is done, not before", () => {
    const two = running(each({ concurrency: 2 }), started("each", { count: 4 }));
    two.decides("run each/0/one#1", "run each/1/one#1");
    two.and(ran("each/0/one")).decides("run each/0/two#1", "run each/1/one#1");
    two.and(ran("each/0/one"), ran("each/0/two")).decides("run each/1/one#1", "run each/2/one#1");
    two
      .and(broke("each/1/one"))
      .decides(
        "run each/0/one#1",
        'append StepSkipped each/1/two#1 {"reason":"UPSTREAM_FAILED","culprit":"each/1/one"}',
      );
  });

  test("D8: all items come to their end, then it fails because of the first of those that failed", () => {
    const items = running(each(), started("each", { count: 3 }), broke("each/2/one"), broke("each/1/one"));
    const open = items.and(
      step("each/1/two", "Skipped", "1", { culprit: "each/1/one" }),
      step("each/2/two", "Skipped", "1", { culprit: "each/2/one" }),
    );
    open.decides("run each/0/one#1");
    open
      .and(ran("each/0/one"), ran("each/0/two"))
      .decides(`append StepFailed each#1 ${failed("each/1/one")}`)
      .settled()
      .decides();
  });

  test("D8: a step of an item with continueOnFailure does not fail its item", () => {
    const soft = running(each({}, { continueOnFailure: true }), started("each", { count: 1 }), broke("each/0/one"));
    soft.decides("run each/0/two#1").and(ran("each/0/two")).decides("append StepCompleted each#1 {}");
  });

  test("an item whose step is to be tried again is open, and keeps its place", { tags: ["E-10"] }, () => {
    const retried = running(each({ concurrency: 1 }), started("each", { count: 2 }));
    retried
      .and(broke("each/0/one", { retryAt: "2026-11-14T01:00:00.000Z" }))
      .decides("run each/0/one#2 at 2026-11-14T01:00:00.000Z");
  });
});

describe("repeat", () => {
  const poll = (more: Partial<DefinitionStep> = {}) =>
    planOf([
      { id: "poll", kind: "repeat", max: 3, bodies: [{ steps: [work("check")], output: "poll/check" }], ...more },
    ]);
  const pass = (index: number, again: boolean) => [
    started(`poll/${index}`),
    ...ran(`poll/${index}/check`),
    done(`poll/${index}`, { again }),
  ];

  test("D1: each pass is a separate step, and its closure is called when it ends", { tags: ["E-12"] }, () => {
    const begun = running(poll(), started("poll"));
    running(poll()).decides("append StepStarted poll#1");
    begun.decides("append StepStarted poll/0#1");
    begun.and(started("poll/0")).decides("run poll/0/check#1");
    begun.and(started("poll/0"), ran("poll/0/check")).decides("askAgain poll/0#1");
  });

  test(
    "the closure's answer is followed: another pass after the delay, or the end with the pass's output",
    { tags: ["E-12"] },
    () => {
      running(poll({ delay: "30s" }), started("poll"), pass(0, true)).decides(
        `append StepStarted poll/1#1 at ${timeOf(6, 30_000)}`,
      );
      running(poll(), started("poll"), pass(0, true)).decides(`append StepStarted poll/1#1 at ${timeOf(6)}`);
      running(poll(), started("poll"), pass(0, true), pass(1, false)).decides(
        'append StepCompleted poll#1 {"outputFrom":"poll/1/check"}',
      );
    },
  );

  test("it fails when its passes are used up; an operator's retry grants as many again", () => {
    const exhausted = running(poll(), started("poll"), pass(0, true), pass(1, true), pass(2, true));
    const error =
      '{"error":{"code":"REPEAT_EXHAUSTED","message":"The repeat was not done after 3 passes. Raise \\"max\\".","retryable":false}}';
    exhausted.decides(`append StepFailed poll#1 ${error}`);
    const retried = exhausted.and(broke("poll"), reset("poll"));
    expect(retried.state.steps.get("poll")).toMatchObject({ status: "PENDING", logicalAttemptId: "2" });
    const again = retried.and(started("poll", undefined, 2));
    expect(again.commands).toMatchObject([{ event: { eventType: "StepStarted", stepId: "poll/3", attempt: 1 } }]);
  });

  test("a pass fails because of the step that failed in it, then the repeat", () => {
    const broken = running(poll(), started("poll"), started("poll/0"), broke("poll/0/check"));
    broken.decides(`append StepFailed poll/0#1 ${failed("poll/0/check")}`);
    broken.and(broke("poll/0", { culprit: "poll/0/check" })).decides(`append StepFailed poll#1 ${failed("poll/0")}`);
    const end = broken.settled();
    expect(end.state).toMatchObject({ status: "FAILED", details: { culprit: "poll/0/check" } });
    expect(end.state.steps.rows().map(({ status }) => status)).toEqual(["FAILED", "FAILED", "FAILED"]);
  });

  test("D8: while the run is paused no pass starts", () => {
    running(poll(), started("poll"), { eventType: "RunPaused" }).decides();
  });

  test("K4: a reset pass continues with its next attempt", { tags: ["E-16"] }, () => {
    const again = running(poll(), started("poll"), started("poll/0"), broke("poll/0/check"), broke("poll/0")).and(
      reset("poll/0", "poll/0/check"),
    );
    again.decides("append StepStarted poll/0#2");
    again
      .and(started("poll/0", undefined, 2))
      .decides("run poll/0/check#2")
      .and(done("poll/0/check", {}, 2))
      .decides("askAgain poll/0#2");
  });
});

describe("containers in containers", () => {
  const nested = planOf([
    {
      id: "outer",
      kind: "forEach",
      bodies: [
        {
          steps: [
            work("first"),
            {
              id: "inner",
              kind: "forEach",
              needs: { first: "outer/first" },
              bodies: [{ steps: [work("leaf", { after: ["outer/first"] })], output: "outer/inner/leaf" }],
            },
          ],
          output: "outer/inner",
        },
      ],
    },
  ]);

  test(
    "a container of an item is opened for that item, and its steps see the item's other steps",
    { tags: ["E-12"] },
    () => {
      const open = running(nested, started("outer", { count: 2 }), ran("outer/1/first"));
      open.decides("run outer/0/first#1", "open outer/1/inner#1");
      open
        .and(started("outer/1/inner", { count: 2 }))
        .decides("run outer/0/first#1", "run outer/1/inner/0/leaf#1", "run outer/1/inner/1/leaf#1");
    },
  );

  test("they end from the inside out", () => {
    const inner = running(nested, started("outer", { count: 1 }), ran("outer/0/first"));
    inner
      .and(started("outer/0/inner", { count: 1 }), ran("outer/0/inner/0/leaf"))
      .decides("append StepCompleted outer/0/inner#1 {}")
      .and(done("outer/0/inner"))
      .decides("append StepCompleted outer#1 {}");
  });

  test("a container whose upstream failed is skipped; nothing in it is ever named", () => {
    const end = running(nested, started("outer", { count: 1 }), broke("outer/0/first")).settled();
    expect(end.state.steps.rows().map(({ stepId, status }) => `${stepId} ${status}`)).toEqual([
      "outer FAILED",
      "outer/0/first FAILED",
      "outer/0/inner SKIPPED",
    ]);
  });
});
