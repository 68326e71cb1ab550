// @module-tag D-02
/** Policies on artifacts and their effects, through the API and the command line (A8). */
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer } from "@runledger/test-support/test-server";
import { until } from "@runledger/test-support/until";
import { workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";

const ISO = /^\d{4}-\d\d-\d\dT/;
const report = workflow("report", { version: "1" }, (w) =>
  w.step("write", async ({ artifact, log }) => {
    log("a line");
    await artifact.write("brief", "gone soon");
    await artifact.write("table", "a,b\n");
  }),
);

test("the API and the command line set policies, show when artifacts expire, and refuse expired ones", async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const { ledger, call, client } = await testServer([report], { store: url });
  ledger.projector();
  await ledger.worker({ workflows: [report] });
  const run = await ledger.start(report);
  await run.result();
  await until(async () => (await ledger.store.archive.archiveRun(run.id)).archived);
  const policy = { kind: "artifacts", tenantId: "*", workflowId: "table", deleteAfterMs: 86_400_000 };
  expect((await call("PUT", "/retention", policy)).status).toBe(200);
  const cli = { cwd: process.cwd(), env: { RUNLEDGER_STORE: url } };
  const brief = ["--kind", "artifacts", "--artifact-kind", "brief", "--delete-after", "0s"];
  expect((await runledger(cli, "store", "retention", "set", ...brief)).code).toBe(0);
  await until(async () => (await ledger.retention.run()).artifacts === 1); // the projector may be behind
  await ledger.retention.set({ kind: "artifacts", artifactKind: "log", deleteAfter: "0s" });
  expect(await ledger.retention.run()).toMatchObject({ artifacts: 1 });
  const { items } = await client.listArtifacts(run.id);
  const [gone, table] = ["brief", "table"].map((kind) => items.find((artifact) => artifact.kind === kind)!);
  expect(gone).toMatchObject({ expiredAt: expect.stringMatching(ISO) as unknown, sizeBytes: 9, stepId: "write" });
  expect(Date.parse(table!.expiresAt!) - Date.parse(table!.createdAt)).toBe(86_400_000);
  for (const path of ["", "/preview"]) {
    const refused = await call("GET", `/runs/${run.id}/artifacts/${gone!.artifactId}${path}`);
    expect(refused.status).toBe(410);
    expect(await refused.json()).toMatchObject({ code: "ARTIFACT_EXPIRED" });
    expect((await call("GET", `/runs/${run.id}/artifacts/${table!.artifactId}${path}`)).status).toBe(200);
  }
  const logs = (await (await call("GET", `/runs/${run.id}/logs`)).json()) as { items: { text: string }[] };
  expect(logs.items.map(({ text }) => text)).toEqual([expect.stringContaining("expired")]);
  expect((await call("GET", `/runs/${run.id}`)).status).toBe(200);
  const listed = await runledger(cli, "artifacts", "list", run.id);
  expect(listed.stdout).toMatch(/brief .*expired \d{4}-/);
  const download = await runledger(cli, "artifacts", "download", run.id, "brief");
  expect([download.code, download.stderr]).toEqual([expect.any(Number), expect.stringContaining("ARTIFACT_EXPIRED")]);
  expect(download.code).not.toBe(0);
});
