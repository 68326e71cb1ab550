// @module-tag D-01
import { connect, workflow } from "runledger";
import { runWorkflow } from "@runledger/test-support/run-workflow";
import { expect, test } from "vitest";
import { folderLocation } from "./conformance/folder-location.js";
import { artifactConformance } from "./conformance/index.js";

artifactConformance("the store", { url: () => "store:" }, { objects: false });
artifactConformance("a folder", folderLocation(), { objects: true });

test("artifacts are in the store unless a location is configured", async () => {
  await using ledger = await connect("memory:");
  const flow = workflow("write", {}, (w) =>
    w.step("write", async ({ artifact }) => (await artifact.write("rows", "1,2")).uri),
  );
  const { data } = await runWorkflow(ledger, flow);
  expect(data("StepCompleted", "write")["output"]).toMatch(/^store:\/\/art_/);
});
