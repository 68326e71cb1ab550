// @module-tag E-16
/** Steps that run again when an operator retries, and steps that are kept (K4). */
import { describe, expect, test } from "vitest";
import {
  action,
  broke,
  done,
  planOf,
  ran,
  running,
  started,
  work,
  type Situation,
} from "@runledger/test-support/decide";
import { run, step } from "@runledger/test-support/given";
import { stepsToRetry, StepTable } from "../index.js";
import { stepsHeldUpBy } from "./retry-scope.js";

const again = (situation: Situation, only?: string) => stepsToRetry(situation.state, only);

describe("items of a forEach", () => {
  const plan = planOf([
    {
      id: "each",
      kind: "forEach",
      bodies: [{ steps: [work("one"), work("two", { needs: { one: "each/one" } })] }],
    },
    work("next", { needs: { each: "each" } }),
  ]);
  const failed = running(
    plan,
    started("each", { count: 3 }),
    broke("each/0/one"),
    ran("each/1/one"),
    broke("each/1/two"),
    broke("each/2/one"),
  ).settled();

  test("K4: a retry of the run resets what failed, what waited for it and the containers; nothing that succeeded", () => {
    expect(failed.state.status).toBe("FAILED");
    expect(again(failed).sort()).toEqual(
      ["each", "each/0/one", "each/0/two", "each/1/two", "each/2/one", "each/2/two", "next"].sort(),
    );
  });

  test("K4: a retry of one item's step leaves the other items alone", () => {
    expect(again(failed, "each/0/one").sort()).toEqual(["each", "each/0/one", "each/0/two", "next"].sort());
  });

  test("K4: a retry of the container is one of everything that failed in it", () => {
    expect(again(failed, "each").sort()).toEqual(again(failed).sort());
  });

  test("K4, C1: steps have the same order, regardless of their order in the state", () => {
    const { state } = failed;
    const turned = { ...state, steps: StepTable.of(state.steps.rows().toReversed()) };
    expect(stepsToRetry(turned)).toEqual(again(failed));
    expect(again(failed)).toEqual(again(failed).sort());
  });

  test("the item runs, and the container fails again because of the others", () => {
    const reopened = failed.and(run("Reopened", { steps: again(failed, "each/0/one") }), run("Started"));
    reopened.decides('append StepStarted each#2 {"opened":{"count":3}}');
    const open = reopened.and(started("each", { count: 3 }, 2));
    open.decides("run each/0/one#2");
    const end = open.and(done("each/0/one", {}, 2), done("each/0/two", {}, 2)).settled();
    expect(end.state).toMatchObject({ status: "FAILED", details: { culprit: "each/1/two" } });
  });
});

test("K4: in a repeat, the failed pass continues, and no earlier one is repeated", () => {
  const plan = planOf([{ id: "poll", kind: "repeat", max: 5, bodies: [{ steps: [work("check")] }] }]);
  const failed = running(
    plan,
    started("poll"),
    started("poll/0"),
    ran("poll/0/check"),
    done("poll/0", { again: true }),
    started("poll/1"),
    broke("poll/1/check"),
  ).settled();
  expect(again(failed, "poll/1/check")).toEqual(["poll", "poll/1", "poll/1/check"]);
  const reopened = failed.and(run("Reopened", { steps: again(failed) }), run("Started"));
  reopened
    .decides("append StepStarted poll#2")
    .and(started("poll", undefined, 2))
    .and(started("poll/1", undefined, 2))
    .decides("run poll/1/check#2");
});

test("K4: a pass of a repeat is not repeated once a later one has started", () => {
  const box = { id: "box", kind: "when" as const, bodies: [{ steps: [work("in")] }] };
  const plan = planOf([
    { id: "poll", kind: "repeat", max: 5, bodies: [{ steps: [box, work("last", { after: ["poll/box"] })] }] },
  ]);
  const skipped = running(
    plan,
    started("poll"),
    started("poll/0"),
    started("poll/0/box", { branch: 0 }),
    broke("poll/0/box/0/in"),
    step("poll/0/box", "Skipped", "1", { reason: "OPERATOR" }),
    ran("poll/0/last"),
    done("poll/0", { again: true }),
  );
  expect(again(skipped, "poll/0/box/0/in")).toEqual(["poll/0", "poll/0/box", "poll/0/box/0/in"]);
  const next = skipped.and(started("poll/1"));
  for (const only of ["poll/0/box/0/in", "poll/0/box", "poll", undefined]) expect(again(next, only)).toEqual([]);
  expect(stepsHeldUpBy(next.state, "poll/0/box/0/in")).toEqual([]);
});

test("K4: a step that waits for several keeps waiting for the one that was not retried", () => {
  const plan = planOf([work("a"), work("b"), work("join", { needs: { a: "a", b: "b" } })]);
  const failed = running(plan, broke("a"), broke("b"), step("join", "Skipped", "1", { culprit: "a" }));
  expect(again(failed, "b")).toEqual(["b"]);
  expect(again(failed, "a")).toEqual(["a", "join"]);
});

test("K4: a container that failed because of a step outside is retried with it", () => {
  const plan = planOf([
    work("outer"),
    { id: "big", kind: "when", bodies: [{ steps: [work("in", { needs: { outer: "outer" } })] }] },
    work("next", { after: ["big"] }),
  ]);
  const failed = running(plan, started("big", { branch: 0 }), broke("outer")).settled();
  expect(again(failed, "outer").sort()).toEqual(["big", "big/0/in", "next", "outer"]);
});

test("a step skipped by an operator is kept, unless the operator names it", () => {
  const plan = planOf([work("a"), work("b")]);
  const skipped = running(plan, step("a", "Skipped", "1", { reason: "OPERATOR" }), broke("b"));
  expect(again(skipped)).toEqual(["b"]);
  expect(again(skipped, "a")).toEqual(["a"]);
});

describe("a run that was undone", () => {
  const plan = planOf([
    { id: "each", kind: "forEach", bodies: [{ steps: [work("ship", { compensate: true })] }] },
    work("charge", { compensate: true }),
    work("mail", { after: ["charge"] }),
  ]);
  const undone = running(
    plan,
    started("each", { count: 1 }),
    ran("each/0/ship"),
    done("each"),
    ran("charge"),
    broke("mail"),
    action("CANCEL", "c"),
    broke("compensate/charge"),
    ran("compensate/each/0/ship"),
  ).settled();

  test("D8: what was undone runs again, in its container; a failed undo left its effect, and may be tried again", () => {
    expect(undone.state.status).toBe("CANCELLED");
    expect(again(undone).sort()).toEqual(
      ["compensate/charge", "compensate/each/0/ship", "each", "each/0/ship", "mail"].sort(),
    );
    expect(again(undone, "mail").sort()).toEqual(again(undone).sort());
  });

  test("and its dependents run after it", () => {
    const reopened = undone.and(run("Reopened", { steps: again(undone) }), run("Started"));
    reopened.decides('append StepStarted each#2 {"opened":{"count":1}}', "run mail#2");
    reopened.and(started("each", { count: 1 }, 2)).decides("run each/0/ship#2", "run mail#2");
  });
});
