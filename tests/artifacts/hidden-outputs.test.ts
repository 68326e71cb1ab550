// @module-tag D-02
/** Large outputs that are erased or encrypted are hidden like the others. */
import { readRun } from "@runledger/runtime/runs/read-run";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { connect, workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";

const ROWS = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `zebra ${id}` }));
const flow = workflow("flow", { version: "1" }, (w) => {
  const rows = w.step("rows", () => ROWS);
  return w.step("copy", { needs: { rows } }, ({ needs }) => needs.rows);
});

test("erasing a run erases its large outputs, and its readers see the marker", async () => {
  await using ledger = await connect("memory:");
  ledger.projector();
  await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  expect(await run.result()).toEqual(ROWS);
  await ledger.erasure.run(run.id, { reason: "request 17" });
  const [head] = await ledger.store.fetchHeads([run.id]);
  const { output } = await readRun(ledger.store, head!);
  expect(output).toMatchObject({ $erased: { reason: "request 17" } });
  expect(await run.result()).toEqual(output);
  expect(await ledger.store.artifacts.listArtifacts({ runId: run.id })).toEqual([]);
});

test("an encrypted store has no text of a large output, and shows readers without payloads none", async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const keys = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
  await using ledger = await connect(url, { encryption: { keys } });
  ledger.projector();
  await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  expect(await run.result()).toEqual(ROWS);
  const found = await query(
    url,
    "SELECT 1 FROM runledger.artifact_chunks WHERE position('zebra'::bytea in bytes) > 0 UNION ALL " +
      "SELECT 1 FROM runledger.run_events WHERE event_data::text LIKE '%zebra%'",
  );
  expect(found).toEqual([]);
  const { concealed } = ledger.store;
  await until(async () => {
    const [head] = await concealed!.fetchHeads([run.id]);
    const { output } = await readRun(concealed!, head!);
    expect(JSON.stringify(output ?? null)).not.toContain("zebra");
    return output !== undefined;
  });
});
