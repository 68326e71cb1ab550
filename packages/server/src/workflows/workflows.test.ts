// @module-tag U-10
import { workflow } from "@runledger/runtime";
import { expect, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";
import { percentile } from "./history.js";

const flow = (version: string) =>
  workflow("flow", { version }, (w) => {
    const extract = w.step("extract", () => [1, 2]);
    const each = w.forEach("tables", { needs: { extract }, items: ({ needs }) => needs.extract }, (v) =>
      v.step("analyze", ({ item }) => item),
    );
    if (version === "2") w.step("publish", { after: [each] }, () => 1);
  });
const broken = workflow("broken", { version: "1" }, (w) => {
  const good = w.step("good", () => 1);
  return w.step("bad", { after: [good] }, () => {
    throw new Error("no");
  });
});

test("workflows are listed with counts of their runs, and read with their last runs by step", async () => {
  const [one, two] = [flow("1"), flow("2")];
  const { client, ledger, call } = await testServer([one, two, broken]);
  ledger.projector();
  await ledger.worker({ workflows: [one, two, broken] });
  await (await ledger.start(one)).result();
  await (await ledger.start(two)).result();
  await expect((await ledger.start(broken)).result()).rejects.toThrow("no");
  await expect.poll(async () => (await client.countRuns()).COMPLETED).toBe(2);

  const first = await client.listWorkflows({ limit: 1 });
  expect(first).toMatchObject({ items: [{ workflowId: "broken", versionCount: 1 }], next: "broken" });
  await expect.poll(async () => (await client.listWorkflows()).items[0]!.counts.FAILED).toBe(1);
  const rest = await client.listWorkflows({ after: "broken" });
  expect(rest).toMatchObject({ items: [{ workflowId: "flow", versionCount: 2 }], next: null });
  expect(rest.items[0]).toMatchObject({ counts: { COMPLETED: 2 }, lastRun: { status: "COMPLETED", planVersion: "2" } });

  const { history, ...shown } = await client.getWorkflow("flow");
  expect(shown).toMatchObject({ workflowId: "flow", versionCount: 2, counts: { COMPLETED: 2 } });
  expect(history.steps).toEqual(["extract", "tables", "publish"]);
  expect(history.runs.map(({ version, stepStatuses }) => [version, stepStatuses])).toEqual([
    ["2", ["SUCCESS", "SUCCESS", "SUCCESS"]],
    ["1", ["SUCCESS", "SUCCESS", null]],
  ]);
  expect(history.runs[1]!.stepDurationsMs).toEqual([expect.any(Number), expect.any(Number), null]);
  expect(history.p95Ms).toBeGreaterThanOrEqual(history.p50Ms!);
  const { etag } = Object.fromEntries((await call("GET", "/workflows/flow")).headers);
  expect((await call("GET", "/workflows/flow", undefined, { "if-none-match": etag! })).status).toBe(304);
  expect((await call("GET", "/workflows/nothing")).status).toBe(404);

  const versions = await client.listVersions("flow", { limit: 1 });
  const others = await client.listVersions("flow", { limit: 1, after: versions.next! });
  expect([...versions.items, ...others.items].map(({ version }) => version).toSorted()).toEqual(["1", "2"]);
  expect(others.next).toBeNull();
  expect(versions.items[0]!.plan.body["steps"]).toBeInstanceOf(Array);
});

test("the median is at least as large as half of the values", () => {
  expect([percentile([], 0.5), percentile([7], 0.95), percentile([4, 1, 3, 2], 0.5), percentile([1, 2], 0.95)]).toEqual(
    [null, 7, 2, 2],
  );
});
