/** Steps declare and report the datasets that they read and write. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { runWorkflow } from "@runledger/test-support/run-workflow";
import { connect, loadWorkflow, workflow, type Ledger, type Runner } from "../index.js";

let ledger: Ledger;
beforeEach(async () => {
  ledger = await connect("memory:");
});
afterEach(() => ledger.close());

test("a completed step records what it declares and what its handler reports", async () => {
  const shop = workflow("shop", { version: "1" }, (w) =>
    w.step(
      "load",
      { datasets: { reads: ["shop.orders"], writes: [{ name: "shop.totals", freshFor: "1h" }] } },
      ({ datasets }) => {
        datasets.read({ name: "rates", namespace: "s3://bank" });
        datasets.wrote({ name: "shop.totals", namespace: "runledger", rows: 12 });
        datasets.wrote("shop.audit");
      },
    ),
  );
  const { data } = await runWorkflow(ledger, shop);
  expect(data("StepCompleted", "load")["datasets"]).toEqual({
    reads: [{ name: "shop.orders" }, { name: "rates", namespace: "s3://bank" }],
    writes: [{ name: "shop.totals", namespace: "runledger", freshForMs: 3_600_000, rows: 12 }, { name: "shop.audit" }],
  });
});

test("a runner returns datasets with its output, and reports those of inner steps", async () => {
  const runner: Runner = async ({ inner }) => {
    inner!.start("model.a", { kind: "model", after: [] });
    inner!.complete("model.a", null, [], { writes: [{ name: "a", rows: 3 }] });
    return { status: "SUCCESS", output: 1, artifactRefs: [], datasets: { reads: [{ name: "b" }] } };
  };
  const flow = workflow("custom", { version: "1" }, (w) => w.task("build", { kind: "custom" }));
  const { data } = await runWorkflow(ledger, flow, { runners: { custom: runner } });
  expect(data("StepCompleted", "build")).toEqual({ output: 1, datasets: { reads: [{ name: "b" }] } });
  expect(data("StepCompleted", "build/model.a")["datasets"]).toEqual({ writes: [{ name: "a", rows: 3 }] });
});

test("an attempt without datasets records none, and a failed one loses its reports", async () => {
  const flow = workflow("twice", { version: "1" }, (w) =>
    w.step("load", { retry: { attempts: 2, delay: "10ms" } }, ({ attempt, datasets }) => {
      if (attempt > 1) return;
      datasets.wrote("shop.totals");
      throw new Error("lost");
    }),
  );
  const { data } = await runWorkflow(ledger, flow);
  expect(data("StepCompleted", "load")).toEqual({ output: null });
});

test("an invalid report fails the step without a retry", async () => {
  const flow = workflow("invalid", { version: "1" }, (w) =>
    w.step("load", { retry: { attempts: 3 } }, ({ datasets }) => datasets.wrote({ name: "a", rows: -1 })),
  );
  const { data } = await runWorkflow(ledger, flow);
  expect(data("StepFailed", "load")["error"]).toMatchObject({
    code: "DATASETS_INVALID",
    message: "The reported datasets.writes has the invalid dataset 0: rows must be a whole number from 0.",
    retryable: false,
  });
});

test("a workflow file declares datasets", async () => {
  const flow = await loadWorkflow(
    `
workflow: file
version: "1"
steps:
  - id: load
    kind: custom
    datasets:
      reads: [shop.orders]
      writes: [{ name: shop.totals, freshFor: 1h }]
`,
    { kinds: ["custom"] },
  );
  const { data } = await runWorkflow(ledger, flow, { runners: { custom: async () => null } });
  expect(data("StepCompleted", "load")["datasets"]).toEqual({
    reads: [{ name: "shop.orders" }],
    writes: [{ name: "shop.totals", freshForMs: 3_600_000 }],
  });
});

test("a step of another kind refuses datasets", async () => {
  const file = `workflow: file\nsteps: [{ id: nap, sleep: 1s, datasets: { reads: [a] } }]\n`;
  await expect(loadWorkflow(file)).rejects.toThrow(/datasets/);
  const build = () =>
    workflow("nap", {}, (w) => void w.sleep("nap", { for: "1s", datasets: { reads: ["a"] } } as never));
  expect(build).toThrow('"datasets" is not an option here.');
});
