/** Triggers on writes of datasets. */
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { connect, workflow } from "../../index.js";

const load = workflow("load", { version: "1" }, (w) => w.step("a", { datasets: { writes: ["a"] } }, () => 1));
const report = workflow("report", { version: "1", input: z.object({ runId: z.string() }) }, (w) =>
  w.step("b", () => 1),
);

async function world() {
  const ledger = await connect("memory:");
  onTestFinished(() => ledger.close());
  await ledger.worker({ workflows: [load, report], pollMs: 5 });
  ledger.projector({ pollMs: 5 });
  ledger.consumers({ pollMs: 5 });
  return ledger;
}

test("a trigger starts a run for each write from now on, until it is paused", async () => {
  const ledger = await world();
  await (await ledger.start(load)).result();
  await until(async () => (await ledger.datasets.list()).length === 1);
  await new Promise((resolve) => setTimeout(resolve, 5)); // so that the trigger starts later than the write
  const source = { type: "dataset", name: "a" };
  await ledger.triggers.put({ id: "t", source, workflow: "report" });
  const second = await ledger.start(load);
  await second.result();
  const runs = async () => (await ledger.list({ workflow: "report" }).page({ limit: 100 })).runs;
  await until(async () => (await runs()).length === 1);
  const [first] = await ledger.store.fetchEvents((await runs())[0]!.runId);
  expect(first!.eventData).toMatchObject({ trigger: { triggerId: "t", eventId: `${second.id}/a/1` } });
  await until(async () => (await ledger.triggers.get("t"))?.started === 1);
});

test("a trigger starts no run for an earlier write that is recorded later", async () => {
  const ledger = await connect("memory:");
  onTestFinished(() => ledger.close());
  await ledger.worker({ workflows: [load, report], pollMs: 5 });
  await (await ledger.start(load)).result();
  await new Promise((resolve) => setTimeout(resolve, 5)); // so that the trigger starts later than the write
  await ledger.triggers.put({ id: "t", source: { type: "dataset", name: "a" }, workflow: "report" });
  ledger.projector({ pollMs: 5 });
  await until(async () => (await ledger.datasets.list()).length === 1);
  ledger.consumers({ pollMs: 5 });
  const second = await ledger.start(load);
  await until(async () => (await ledger.triggers.get("t"))?.started === 1);
  const { runs } = await ledger.list({ workflow: "report" }).page();
  const [first] = await ledger.store.fetchEvents(runs[0]!.runId);
  expect([runs.length, first!.eventData]).toMatchObject([1, { trigger: { eventId: `${second.id}/a/1` } }]);
});

test.each([
  [{ type: "dataset" }, "source.name"],
  [{ type: "dataset", name: "" }, "source.name"],
  [{ type: "dataset", name: "a", topic: "b" }, "source.topic"],
])("the settings %j are refused", async (source, field) => {
  const ledger = await connect("memory:");
  onTestFinished(() => ledger.close());
  await expect(ledger.triggers.put({ id: "t", source, workflow: "report" })).rejects.toMatchObject({
    code: "TRIGGER_INVALID",
    field,
  });
});
