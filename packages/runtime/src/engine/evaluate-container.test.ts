// @module-tag R-12
import { runWorkflow } from "@runledger/test-support/run-workflow";
import { expect, onTestFinished, test } from "vitest";
import { connect, workflow } from "../index.js";

test.each(["tomorrow", "+012345-01-01T00:00:00Z"])("a sleep until %s fails, because it is not a time", async (text) => {
  const ledger = await connect("memory:");
  onTestFinished(() => ledger.close());
  const { data } = await runWorkflow(
    ledger,
    workflow("napping", {}, (w) => w.sleep("nap", { until: () => text })),
  );
  expect(data("StepFailed", "nap")["error"]).toMatchObject({ code: "TIME_INVALID", retryable: false });
});
