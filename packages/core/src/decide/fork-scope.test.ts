// @module-tag E-17
import { forkScope, lostSteps, type DefinitionStep, type ForkScope } from "@runledger/core";
import { expect, test } from "vitest";
import {
  after,
  broke,
  done,
  planOf,
  ran,
  reset,
  running,
  started,
  work,
  type Situation,
} from "@runledger/test-support/decide";
import { step } from "@runledger/test-support/given";

const needs = (...paths: readonly string[]) => ({ needs: Object.fromEntries(paths.map((path) => [path, path])) });

function scope({ plan, state }: Situation, from: string): Omit<ForkScope, "whole"> {
  const { opened, kept, anew } = forkScope(plan, state, from)!;
  return { opened, kept, anew };
}

const chain = [work("extract"), work("load", needs("extract")), work("tell", { after: ["load"] }), work("beside")];

test("the step and its dependents run again; other steps that succeeded are kept", () => {
  const all = running(planOf(chain), ran("extract"), ran("load"), ran("tell"), ran("beside"));
  expect(scope(all, "load")).toEqual({ opened: [], kept: ["extract", "beside"], anew: ["load", "tell"] });
  expect(scope(all, "extract")).toEqual({ opened: [], kept: ["beside"], anew: ["extract", "load", "tell"] });
  expect(scope(all, "beside").anew).toEqual(["beside"]);
});

test("failed, running and unstarted steps and their dependents are not kept", () => {
  const failed = running(planOf(chain), ran("extract"), broke("load"), started("beside"));
  expect(scope(failed, "tell")).toEqual({ opened: [], kept: ["extract"], anew: ["load", "tell", "beside"] });
  const again = failed.and(reset("extract"));
  expect(scope(again, "tell").kept).toEqual([]);
});

test("a step skipped by an operator stays skipped; one skipped because of a failure does not", () => {
  const skipped = step("extract", "Skipped", "1", { reason: "OPERATOR" });
  const held = step("load", "Skipped", "1", { reason: "UPSTREAM_FAILED", culprit: "x" });
  const run = running(planOf(chain), skipped, held, ran("beside"));
  expect(scope(run, "tell")).toEqual({ opened: [], kept: ["extract", "beside"], anew: ["load", "tell"] });
});

test("D8: what was undone, or is being undone, is not kept; a failed undo has left its effect", () => {
  const undoable = planOf(["a", "b", "c", "d"].map((id) => work(id, { compensate: true })));
  const run = running(
    undoable,
    ["a", "b", "c", "d"].flatMap((id) => ran(id)),
    ran("compensate/a"),
    started("compensate/b"),
    broke("compensate/c"),
  );
  expect(scope(run, "d").kept).toEqual(["c"]);
  expect(scope(run.and(broke("compensate/b", { retryAt: "2026-11-14T00:01:00.000Z" })), "d").kept).toEqual(["c"]);
});

const forEach = (...steps: readonly DefinitionStep[]): DefinitionStep => ({
  id: "each",
  kind: "forEach",
  after: ["extract"],
  bodies: [{ steps }],
});
const items = planOf([
  work("extract"),
  forEach(work("a"), work("b", needs("each/a"))),
  work("end", { after: ["each"] }),
]);
const opened = { count: 2, items: { inline: [1, 2] } };
const item = (index: number) => [...ran(`each/${index}/a`), ...ran(`each/${index}/b`)];

test("D1: a forEach whose input is kept continues with its items and keeps completed ones", () => {
  const all = running(items, ran("extract"), started("each", opened), item(0), item(1), done("each"), ran("end"));
  expect(scope(all, "end")).toEqual({
    opened: ["each"],
    kept: ["extract", "each/0/a", "each/0/b", "each/1/a", "each/1/b"],
    anew: ["end"],
  });
  expect(scope(all, "each/1/b")).toEqual({
    opened: ["each"],
    kept: ["extract", "each/0/a", "each/0/b", "each/1/a"],
    anew: ["each/1/b", "end"],
  });
  expect(forkScope(items, all.state, "end")!.whole).toEqual(new Map([["each", {}]]));
  expect(forkScope(items, all.state, "each/1/b")!.whole.size).toBe(0);
  expect(scope(all, "each")).toEqual({ opened: [], kept: ["extract"], anew: ["each", "end"] });
  expect(scope(all, "extract")).toEqual({ opened: [], kept: [], anew: ["extract", "each", "end"] });
  const failed = running(items, ran("extract"), started("each", opened), item(0), broke("each/1/a"), broke("each"));
  expect(scope(failed, "end").anew).toEqual(["each/1/a", "each/1/b", "end"]);
  const unopened = running(items, ran("extract"), started("each"), broke("each"));
  expect(scope(unopened, "end")).toEqual({ opened: [], kept: ["extract"], anew: ["each", "end"] });
});

test("D1: a when continues in the branch it took", () => {
  const when = (id: string): DefinitionStep => ({
    id,
    kind: "when",
    bodies: [{ steps: [work("yes")], output: `${id}/yes` }],
  });
  const plan = planOf([when("one"), when("two"), work("end", { after: ["one", "two"] })]);
  const run = running(
    plan,
    started("one", { branch: 0 }),
    ran("one/0/yes"),
    done("one"),
    started("two", { branch: 1 }),
    done("two"),
  );
  expect(scope(run, "end")).toEqual({ opened: ["one", "two"], kept: ["one/0/yes"], anew: ["end"] });
  const ends = { one: { outputFrom: "one/0/yes" }, two: { output: null } };
  expect(Object.fromEntries(forkScope(plan, run.state, "end")!.whole)).toEqual(ends);
  expect(scope(run, "one/0/yes")).toEqual({ opened: ["one", "two"], kept: [], anew: ["one/0/yes", "end"] });
});

const polling = planOf([
  { id: "poll", kind: "repeat", max: 5, bodies: [{ steps: [work("check")] }] },
  work("end", { after: ["poll"] }),
]);
const pass = (index: number, again: boolean) => [
  started(`poll/${index}`),
  ...ran(`poll/${index}/check`),
  done(`poll/${index}`, { again }),
];

test("D1: a repeat keeps its passes up to the first that is not as it was", () => {
  const all = running(polling, started("poll"), pass(0, true), pass(1, false), done("poll"), ran("end"));
  const both = ["poll/0/check", "poll/0", "poll/1/check", "poll/1"];
  expect(scope(all, "end")).toEqual({ opened: ["poll", "poll/0", "poll/1"], kept: both, anew: ["end"] });
  expect(forkScope(polling, all.state, "end")!.whole).toEqual(new Map([["poll", { output: null }]]));
  expect(scope(all, "poll/0/check")).toEqual({ opened: ["poll", "poll/0"], kept: [], anew: ["poll/0/check", "end"] });
  expect(scope(all, "poll")).toEqual({ opened: [], kept: [], anew: ["poll", "end"] });
  const open = running(polling, started("poll"), pass(0, true));
  expect(scope(open, "end")).toEqual({ opened: ["poll", "poll/0"], kept: ["poll/0/check", "poll/0"], anew: ["end"] });
  const again = open.and(reset("poll/0", "poll/0/check"));
  expect(scope(again, "end")).toEqual({ opened: ["poll"], kept: [], anew: ["end"] });
  expect(scope(running(polling, started("poll")), "end").anew).toEqual(["poll", "end"]);
});

test("a step that the run does not have is not there", () => {
  const run = after(items, ran("extract"));
  for (const from of ["nope", "each/0/a", "compensate/extract", "each/a"])
    expect(forkScope(items, run.state, from)).toBe(null);
});

test("steps that a version lacks or has as another kind are reported", () => {
  const run = running(planOf(chain), ran("extract"), ran("load"), ran("tell"), ran("beside"));
  const lost = (steps: readonly DefinitionStep[], from: string) =>
    lostSteps({ before: run.plan, after: planOf(steps, { version: "2" }) }, run.state, from);
  expect(lost(chain, "tell")).toEqual([]);
  expect(lost([work("load")], "tell")).toEqual(["extract", "beside"]);
  expect(lost([work("load"), work("beside")], "extract")).toEqual([]);
  expect(lost([...chain.slice(1, 3), work("extract", { kind: "http" }), work("beside")], "load")).toEqual(["extract"]);
  expect(lost([...chain, work("new")], "new")).toEqual([]);
});

test("a step that is new in the version runs, and so does what waits for it there", () => {
  const run = running(planOf(chain), ran("extract"), ran("load"), ran("tell"), ran("beside"));
  const next = planOf(
    [...chain.slice(0, 1), work("check", needs("extract")), work("load", needs("check")), ...chain.slice(2)],
    {
      version: "2",
    },
  );
  expect(scope(Object.assign(run, { plan: next }), "check")).toEqual({
    opened: [],
    kept: ["extract", "beside"],
    anew: ["check", "load", "tell"],
  });
});
