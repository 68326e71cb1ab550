// @module-tag E-16
/** Actions of operators, and the events that answer them (G1). */
import { describe, expect, test } from "vitest";
import { action, broke, done, planOf, ran, reset, running, started, work } from "@runledger/test-support/decide";
import { run, step } from "@runledger/test-support/given";

const chain = planOf([
  work("extract"),
  work("load", { needs: { extract: "extract" } }),
  work("publish", { needs: { load: "load" } }),
  work("other"),
]);
const skippedBy = (id: string, culprit: string) => step(id, "Skipped", "1", { culprit });
/** `extract` failed, its dependents are skipped, `other` is still running. */
const broken = running(
  chain,
  started("other"),
  broke("extract"),
  skippedBy("load", "extract"),
  skippedBy("publish", "extract"),
);

describe("actions", () => {
  test("are answered one by one, oldest first", () => {
    running(chain, action("PAUSE", "p"), action("RESUME", "r"))
      .decides("append RunPaused#1 by p at the head")
      .and({ ...run("Paused"), causedBySignalId: "p" })
      .decides("append RunResumed#1 by r at the head");
  });

  test("unknown or unanswerable actions block nothing", () => {
    running(chain, action("FLY", "f"), action("APPROVE", "a"), started("extract"), started("other")).decides(
      "run extract#1",
      "run other#1",
    );
  });

  test("actions that are unanswered when the run ends have no effect when it is reopened", () => {
    const ended = broken.and(action("PAUSE", "p"), run("Cancelled"));
    expect(ended.state.details.actions).toBeUndefined();
    ended.and(run("Reopened", { steps: [] }), run("Started")).decides("run other#1");
  });
});

describe("RETRY_STEP and RETRY_RUN on a live run", () => {
  test("K4: what failed and what waited for it are reset, in compact form, and nothing else", () => {
    const answer = 'append StepsReset#1 {"steps":["extract","load","publish"]} by r';
    broken.and(action("RETRY_STEP", "r", "extract")).decides(answer);
    broken.and(action("RETRY_RUN", "r")).decides(answer);
    broken
      .and(reset("extract", "load", "publish"))
      .decides("run extract#2", "run other#1")
      .and(done("extract", {}, 2))
      .decides("run load#2", "run other#1");
  });

  test("K4: many items are one range", () => {
    const each = planOf([{ id: "each", kind: "forEach", bodies: [{ steps: [work("one")] }] }]);
    const items = Array.from({ length: 4 }, (_, index) => broke(`each/${index}/one`));
    const failed = running(each, started("each", { count: 4 }), items, broke("each"));
    failed
      .and(action("RETRY_STEP", "r", "each"))
      .decides('append StepsReset#1 {"steps":["each",{"container":"each","from":0,"to":3,"step":"one"}]} by r');
  });

  test("a retry of what did not fail, or of nothing, is answered and changes nothing", () => {
    for (const stepId of ["other", "nowhere", undefined]) {
      broken.and(action("RETRY_STEP", "r", stepId)).decides('append StepsReset#1 {"steps":[]} by r');
    }
  });

  test("a step that waits for its next try is tried at once", () => {
    const waiting = running(chain, broke("extract", { retryAt: "2026-11-15T00:00:00.000Z" }), ran("other"));
    waiting
      .and(action("RETRY_STEP", "r", "extract"))
      .decides('append StepsReset#1 {"steps":["extract"]} by r')
      .and({ ...reset("extract"), causedBySignalId: "r" })
      .decides("run extract#2");
  });

  test("the answer is numbered as the run's second reset", () => {
    const second = broken.and(reset("extract"), broke("extract", {}, 2), action("RETRY_STEP", "r", "extract"));
    expect(second.commands).toMatchObject([{ event: { eventType: "StepsReset", attempt: 2 } }]);
  });
});

describe("SKIP_STEP", () => {
  test("a step that has not started: its dependents run without it", () => {
    running(chain, action("SKIP_STEP", "k", "extract")).decides(
      'append StepSkipped extract#1 {"reason":"OPERATOR"} by k',
    );
    running(chain, step("extract", "Skipped", "1", { reason: "OPERATOR" })).decides("run load#1", "run other#1");
  });

  test("a failed step: the skip gets the next attempt (F2), and blocked steps continue", () => {
    const skipped = broken.and(action("SKIP_STEP", "k", "extract"));
    skipped
      .decides(
        'append StepSkipped extract#2 {"reason":"OPERATOR"} by k',
        'append StepsReset#1 {"steps":["load","publish"]}',
      )
      .and(
        { ...step("extract", "Skipped", "2", { reason: "OPERATOR" }), causedBySignalId: "k" },
        reset("load", "publish"),
      )
      .decides("run load#2", "run other#1");
  });

  test("a step that was skipped because of another", () => {
    broken.and(action("SKIP_STEP", "k", "load")).decides('append StepSkipped load#2 {"reason":"OPERATOR"} by k');
  });

  test("a running step: it is aborted, and skipped after it has stopped", () => {
    const busy = running(chain, started("extract"), started("other"), action("SKIP_STEP", "k", "extract"));
    busy.decides("abort extract#1", "run other#1");
    busy.and(broke("extract")).decides('append StepSkipped extract#2 {"reason":"OPERATOR"} by k');
  });

  test("a running container: steps inside it are stopped first", () => {
    const each = planOf([
      { id: "each", kind: "forEach", bodies: [{ steps: [work("one")] }] },
      work("next", { after: ["each"] }),
    ]);
    const busy = running(each, started("each", { count: 2 }), started("each/0/one"), action("SKIP_STEP", "k", "each"));
    busy.decides("abort each/0/one#1");
    busy
      .and(broke("each/0/one"))
      .decides('append StepSkipped each#1 {"reason":"OPERATOR"} by k')
      .and({ ...step("each", "Skipped", "1", { reason: "OPERATOR" }), causedBySignalId: "k" })
      .decides("run next#1");
  });

  test("a step that completed in the meantime or does not exist: answered without a change", () => {
    const nothing = 'append StepsReset#1 {"steps":[]} by k';
    running(chain, ran("extract"), action("SKIP_STEP", "k", "extract")).decides(nothing);
    for (const stepId of ["nowhere", undefined]) running(chain, action("SKIP_STEP", "k", stepId)).decides(nothing);
  });

  test("the second wish for one step has nothing to add", () => {
    running(chain, started("extract"), action("SKIP_STEP", "k1", "extract"), action("SKIP_STEP", "k2", "extract"))
      .decides("abort extract#1", "run other#1")
      .and(broke("extract"))
      .decides('append StepSkipped extract#2 {"reason":"OPERATOR"} by k1');
  });
});

describe("which steps there are to skip", () => {
  const plan = planOf([
    { id: "each", kind: "forEach", bodies: [{ steps: [work("one")] }] },
    { id: "big", kind: "when", bodies: [{ steps: [work("yes")] }] },
    { id: "poll", kind: "repeat", max: 2, bodies: [{ steps: [work("check")] }] },
  ]);
  const open = running(
    plan,
    started("each", { count: 2 }),
    started("big", { branch: 0 }),
    started("poll"),
    started("poll/0"),
  );

  test.each([
    ["each/1/one", true],
    ["each/2/one", false],
    ["big/0/yes", true],
    ["big/1/yes", false],
    ["poll/0/check", true],
    ["poll/1/check", false],
    ["poll/0", false],
    ["compensate/each", false],
  ])("%s: %s", (stepId, exists) => {
    const [command] = open.and(action("SKIP_STEP", "k", stepId)).commands;
    expect(command).toMatchObject({ event: { eventType: exists ? "StepSkipped" : "StepsReset" } });
  });
});
