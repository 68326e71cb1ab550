// @module-tag D-30
/** Every event that a receiver of lineage gets is valid for the client of OpenLineage. */
import { requireOpenLineage, validateOpenLineage } from "@runledger/test-support/openlineage";
import { describeWith } from "@runledger/test-support/requirements";
import { until } from "@runledger/test-support/until";
import { expect, test } from "vitest";
import { report } from "./lineage-workflows.js";
import { LineageWorld } from "./lineage-world.js";

describeWith("openlineage-python", requireOpenLineage, () => {
  test("accepts every event of runs with every outcome, and reads what was sent", async () => {
    const world = await LineageWorld.open();
    const { ledger, receiver } = world;
    world.deliver();
    await world.play();
    await scheduledRun(world);
    await ledger.subscriptions.test("lineage");
    await world.delivered();
    const facets = receiver.events.flatMap(({ run, job, inputs, outputs }) => [
      ...[run, job, ...inputs, ...outputs].flatMap((each) => Object.keys(each.facets)),
      ...outputs.flatMap(({ outputFacets = {} }) => Object.keys(outputFacets)),
    ]);
    const runFacets = ["parent", "nominalTime", "processing_engine", "errorMessage"];
    expect(new Set(facets)).toEqual(new Set([...runFacets, "jobType", "schema", "columnLineage", "outputStatistics"]));
    const types = new Set(receiver.events.map(({ eventType }) => eventType));
    expect(types).toEqual(new Set(["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER"]));
    expect(await validateOpenLineage(receiver.bodies)).toEqual([`${receiver.bodies.length} events`]);
  });

  test("finds unknown fields, wrong types and wrong versions", async () => {
    const world = await LineageWorld.open();
    world.deliver();
    await world.play();
    await world.delivered();
    const body = world.receiver.bodies.find((each) => each.includes("outputStatistics"))!;
    const wrong = [
      body.replace('"COMPLETE"', '"DONE"'),
      body.replace('"rowCount"', '"rows"'),
      body.replace(/"rowCount":(\d+)/, '"rowCount":"$1"'),
      body.replace(/facets\/[\d-]+\/SchemaDatasetFacet/, "facets/1-0-0/SchemaDatasetFacet"),
      body.replace(/"runId":"[^"]+"/, '"runId":"1"'),
    ];
    const faults = await validateOpenLineage([body, ...wrong]);
    expect(faults.map((line) => line.slice(0, 7))).toEqual([2, 3, 4, 5, 6].map((n) => `event ${n}`).concat("6 event"));
  });
});

/** A run with the time of its tick. */
async function scheduledRun({ ledger, receiver }: LineageWorld): Promise<void> {
  const worker = await ledger.worker({ workflows: [report] });
  const scheduler = ledger.scheduler();
  await ledger.schedules.put({ id: "often", workflow: report, every: "1s" });
  await until(() => receiver.bodies.some((body) => body.includes("nominalTime")));
  await scheduler.stop();
  await worker.stop();
}
