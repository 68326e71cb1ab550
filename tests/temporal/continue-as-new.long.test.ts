// @module-tag T-15
/** The same limits with 10,000 items, which take minutes. */
import { expect, onTestFinished, test } from "vitest";
import { describeWith } from "@runledger/test-support/requirements";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { completeWide } from "./wide-run.js";

describeWith("10,000 items on a Temporal server", [requireTemporal], () => {
  test("every execution stays within the limits of the cluster, and carries less than 64 KB", async () => {
    const server = await TemporalServer.start();
    onTestFinished(() => server.stop());
    const { executions } = await completeWide(server, 10_000, { taskQueue: "many" });
    expect(executions.length).toBeGreaterThanOrEqual(10_000 / 50);
    for (const { steps } of executions) expect(steps).toBeLessThanOrEqual(50);
  });
});
