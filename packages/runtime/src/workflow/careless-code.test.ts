// @module-tag R-43
/** Mistakes that TypeScript cannot report, or that a JavaScript user makes: each gets a clear error. */
import { expect, test } from "vitest";
import { testLedger } from "../testing/test-ledger.js";
import { connect } from "../index.js";
import type { BodyBuilder } from "./body-builder.js";
import { workflow } from "./workflow.js";

/** Calls the builder as JavaScript would, without types. */
function inJavaScript(build: (w: BodyBuilder) => unknown, header: object = {}): unknown {
  return workflow("careless", { version: "1", ...header }, build as never);
}

async function errorOf(thrown: unknown): Promise<unknown> {
  const flow = workflow("throws", { version: "1" }, (w) =>
    w.step("throw", () => {
      throw thrown;
    }),
  );
  await using t = await testLedger({ workflows: [flow] });
  const run = await t.start(flow);
  await run.ended().catch(() => {});
  return (await run.snapshot()).error;
}

test.each([
  [{ code: 42 }, { code: "42", message: "{ code: 42 }" }],
  [
    { code: "NO_ROOM", message: "full" },
    { code: "NO_ROOM", message: "full" },
  ],
  [
    { status: 503, body: { why: "busy" } },
    { code: "STEP_ERROR", message: "{ status: 503, body: { why: 'busy' } }" },
  ],
  ["text", { code: "STEP_ERROR", message: "text" }],
  [undefined, { code: "STEP_ERROR", message: "undefined" }],
  [null, { code: "STEP_ERROR", message: "null" }],
  [Object.assign(new Error("numbered"), { code: 7 }), { code: "7", message: "numbered" }],
])("the record of a thrown %o shows what was thrown", async (thrown, recorded) => {
  expect(await errorOf(thrown)).toMatchObject(recorded);
});

test("a step that is added inside a step or after the build is refused", async () => {
  const added: unknown[] = [];
  const flow = workflow("late", { version: "1" }, (w) =>
    w.step("outer", () => {
      try {
        w.step("inner", () => 1);
      } catch (error) {
        added.push(error);
      }
    }),
  );
  await using t = await testLedger({ workflows: [flow] });
  await t.start(flow);
  expect(added).toMatchObject([{ code: "PLAN_NEVER_RUNS", problems: [{ step: "inner" }] }]);

  let body: BodyBuilder | undefined;
  inJavaScript((w) => {
    w.forEach("each", { items: () => [] }, (inner) => {
      body = inner;
      inner.step("a", () => 1);
    });
    expect(() => body!.step("b", () => 1)).toThrow(/each\/b: The workflow is already built/);
  });
});

test.each<[string, (w: BodyBuilder) => unknown, string]>([
  ["step", (w) => w.step("a", { retries: 3 } as object, () => 1), `"retries" is not an option here`],
  ["step", (w) => w.step("a", { compensate: () => {} } as object, () => 1), `"compensate" is not an option here`],
  ["command", (w) => w.command("a", { run: ["ls"], dir: "/" } as never), `"dir" is not an option here`],
  ["waitForSignal", (w) => w.waitForSignal("a", { timeuot: "1m" } as object), `"timeuot" is not an option here`],
  ["task", (w) => w.task("a", { kind: "mail", options: {} } as never), `"options" is not an option here`],
])("an unknown option of %s is refused with the known ones", (_, build, message) => {
  expect(() => inJavaScript(build)).toThrow(message);
  expect(() => inJavaScript(build)).toThrow(/the options are needs, after, timeout/);
});

test("an unknown option of a workflow is refused", () => {
  const build = (w: BodyBuilder): unknown => w.step("a", () => 1);
  expect(() => inJavaScript(build, { verison: "2" })).toThrow(`"verison" is not an option here`);
});

test("a handle of a run that does not exist is refused", async () => {
  await using ledger = await connect("memory:");
  const flow = workflow("known", { version: "1" }, (w) => w.step("a", () => 1));
  await expect(ledger.get(flow, "run_x")).rejects.toMatchObject({ code: "RUN_NOT_FOUND", runId: "run_x" });
  const run = await ledger.start(flow);
  expect((await ledger.get(flow, run.id)).id).toBe(run.id);
});
