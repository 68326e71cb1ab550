// @module-tag T-15
/** Histories stay small: an execution continues as new, and carries only what the next one cannot read from the ledger (T2). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "@runledger/test-support/requirements";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { completeWide } from "./wide-run.js";

describeWith("continue-as-new on a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  }, 1_800_000);
  afterAll(() => server?.stop());

  test("an execution continues as new after 50 steps, and carries no state, outputs or payloads", async () => {
    const { runId, executions } = await completeWide(server, 120, { taskQueue: "steps" });
    expect(executions.length).toBeGreaterThan(2);
    for (const { input, steps } of executions) {
      expect(steps).toBeLessThanOrEqual(50);
      expect(Object.keys(input).filter((name) => name !== "grant")).toEqual(["runId", "settings"]);
      expect(input).toMatchObject({ runId, settings: { continueAfterSteps: 50, continueAfterBytes: 1024 * 1024 } });
    }
    const { grant } = executions[0]!.input as { readonly grant: object };
    expect(Object.keys(grant).sort()).toEqual(["epoch", "slot", "takenFrom", "wakes"]);
  });

  test("an execution continues as new once its history has reached the configured size", async () => {
    const limits = { continueAfterSteps: 1000, continueAfterBytes: 20_000, maxActivities: 5 };
    const { executions } = await completeWide(server, 40, { taskQueue: "bytes", ...limits });
    expect(executions.length).toBeGreaterThan(2);
  });
});
