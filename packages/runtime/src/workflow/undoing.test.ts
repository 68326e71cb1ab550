// @module-tag R-41
/** Failed runs that are compensated, handled and retried, executed by a worker on PostgreSQL. */
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, loadWorkflow, workflow, type Ledger, type Workflow } from "../index.js";

let database: FreshDatabase;
let ledger: Ledger;
beforeAll(async () => {
  database = await freshDatabase();
  ledger = await connect(database.url);
});
afterAll(async () => {
  await ledger.close();
  await database.drop();
});

/** The effects of the steps that this file defines. */
const effects: string[] = [];
const effect = (name: string) => () => void effects.push(name);
const breaks = (name: string) => () => {
  effects.push(name);
  throw Object.assign(new Error(`${name} broke`), { code: "NO_CAR" });
};
const undo = (name: string) => ({ compensate: effect(`undo ${name}`) });

async function failed<O>(made: Workflow<undefined, O, unknown>) {
  effects.length = 0;
  await ledger.worker({ workflows: [made], pollMs: 5 });
  const run = await ledger.start(made);
  await expect(run.result()).rejects.toThrow(/is FAILED because of car/);
  return run;
}

test("a saga compensates on failure, last one first, then reports the error and its step", async () => {
  const saga = workflow("saga", { version: "1", compensateOn: ["cancel", "failure"] }, (w) => {
    const flight = w.step("flight", {}, effect("flight"), undo("flight"));
    const hotel = w.step("hotel", { after: [flight] }, effect("hotel"), undo("hotel"));
    w.step("car", { after: [hotel] }, breaks("car"));
    w.onFailure(({ error, culprit, stepId }) => void effects.push(`${stepId}: ${culprit} ${error.code}`));
  });
  const run = await failed(saga);
  expect(effects).toEqual(["flight", "hotel", "car", "undo hotel", "undo flight", "onFailure: car NO_CAR"]);
  const { steps, error } = await run.snapshot();
  expect(error).toMatchObject({ code: "NO_CAR", message: "car broke" });
  expect(steps.map(({ stepId }) => stepId).slice(3)).toEqual(["compensate/hotel", "compensate/flight", "onFailure"]);
  effects.length = 0;
  await run.retry();
  await expect.poll(() => effects.length).toBe(6);
  expect(effects).toEqual(["flight", "hotel", "car", "undo hotel", "undo flight", "onFailure: car NO_CAR"]);
});

test("a failed run keeps its effects until an operator compensates it, and a retry then runs them again", async () => {
  let isFixed = false;
  const kept = workflow("kept", { version: "1" }, (w) => {
    const flight = w.step("flight", {}, effect("flight"), undo("flight"));
    return w.step("car", { after: [flight] }, () => (isFixed ? "car" : breaks("car")()));
  });
  const run = await failed(kept);
  expect(effects).toEqual(["flight", "car"]);
  await run.compensate();
  await expect(run.result()).rejects.toThrow(/is FAILED because of car: NO_CAR/);
  expect(effects).toEqual(["flight", "car", "undo flight"]);
  isFixed = true;
  await run.retry();
  await expect.poll(async () => (await run.snapshot()).status).toBe("COMPLETED");
  expect(effects).toEqual(["flight", "car", "undo flight", "flight"]);
  await expect(run.compensate()).rejects.toMatchObject({ code: "SIGNAL_REJECTED" });
});

test("a dependent reads the output or the error of a step with settle, also of containers", async () => {
  const made = workflow("settled", { version: "1" }, (w) => {
    const good = w.step("good", { settle: true }, () => 7);
    const bad = w.step("bad", { settle: true }, breaks("bad"));
    const each = w.forEach("each", { items: () => [1, 2], settle: true }, (w) =>
      w.step("item", ({ item }) => (item === 2 ? breaks("item")() : item)),
    );
    return w.step("sum", { needs: { good, bad, each } }, ({ needs }) => ({
      good: needs.good.ok ? needs.good.value + 1 : 0,
      bad: needs.bad.ok ? "" : needs.bad.error.message,
      each: needs.each.ok ? needs.each.value.count : needs.each.error,
    }));
  });
  await ledger.worker({ workflows: [made], pollMs: 5 });
  expect(await (await ledger.start(made)).result()).toEqual({
    good: 8,
    bad: "bad broke",
    each: { code: "NO_CAR", message: "item broke" },
  });
});

test("a file declares compensateOn, compensate and settle", async () => {
  const undone: unknown[] = [];
  const runners = {
    book: async () => ({ id: 17 }),
    drop: async ({ options }: { options: object }) => undone.push(options),
  };
  const made = await loadWorkflow(
    `workflow: trip
version: "1"
compensateOn: [failure]
steps:
  - id: try
    settle: true
    sql: select 1/0
  - id: flight
    needs: [try]
    kind: book
    compensate:
      kind: drop
      with: { flight: { cel: output.id }, tried: { cel: needs.try.ok } }
  - id: car
    after: [flight]
    sql: select 1/0
`,
    { kinds: ["book", "drop"] },
  );
  await ledger.worker({ workflows: [made], pollMs: 5, connections: { default: database.url }, runners });
  const run = await ledger.start(made);
  await expect(run.result()).rejects.toThrow(/because of car/);
  expect(undone).toEqual([{ flight: 17, tried: false }]);
});
