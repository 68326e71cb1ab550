// @module-tag D-02
/** Policies delete the content of artifacts by kind, and only of archived runs that no other run needs (A8). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FullStateStore, StoredArtifact } from "@runledger/contracts";
import { withExpiry } from "@runledger/runtime/artifacts/artifact-expiry";
import { artifactPort } from "@runledger/runtime/artifacts/artifact-port";
import { override } from "@runledger/runtime/encryption/override";
import { forkRun } from "@runledger/runtime/runs/fork-run";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { connect, workflow, type Ledger } from "runledger";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const ISO = /^\d{4}-\d\d-\d\dT/;
const flow = workflow("flow", { version: "1", signals: { go: z.null() } }, (w) => {
  const brief = w.step("brief", ({ artifact }) => artifact.write("brief", "short-lived"));
  const table = w.step("table", ({ artifact, log }) => (log("a line"), artifact.write("table", "a,b\n")));
  const go = w.waitForSignal("go", { after: [brief, table] });
  return w.step("read", { needs: { brief }, after: [go] }, ({ needs, artifact }) => artifact.read(needs.brief).text());
});
const part = workflow("part", { version: "1" }, (w) =>
  w.step("write", ({ artifact }) => artifact.write("brief", "of the child")),
);
const parent = workflow("parent", { version: "1" }, (w) => {
  const ref = w.child("part", part);
  return w.step("read", { needs: { ref } }, ({ needs, artifact }) => artifact.read(needs.ref).text());
});

interface Here {
  readonly ledger: Ledger;
  readonly store: FullStateStore;
}

async function opened(store: string, place: string): Promise<Here> {
  const folder = mkdtempSync(join(tmpdir(), "runledger-artifacts-"));
  const database = store === "memory" ? null : await freshDatabase();
  const artifacts = place === "store:" ? place : pathToFileURL(folder).href;
  const ledger = await connect(database?.url ?? "memory:", { artifacts });
  onTestFinished(async () => {
    await ledger.close();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  ledger.projector();
  await ledger.worker({ workflows: [flow, part, parent] });
  return { ledger, store: ledger.store };
}

const brief = { kind: "artifacts", artifactKind: "brief", deleteAfter: "0s" } as const;

async function started({ ledger }: Here) {
  const run = await ledger.start(flow);
  await until(async () => (await listed({ ledger, store: ledger.store }, run.id)).length === 3);
  return run;
}

async function finished(here: Here) {
  const run = await started(here);
  await run.signal("go", null);
  expect(await run.result()).toBe("short-lived");
  return run;
}

async function archived(here: Here) {
  const run = await finished(here);
  await archive(here, run.id);
  return run;
}

async function archive({ store }: Here, runId: string): Promise<void> {
  await until(
    async () => (await store.snapshots.readProjection({ runId, stepIds: [] }))?.header.status === "COMPLETED",
  );
  await until(async () => (await store.archive.archiveRun(runId)).archived);
}

async function listed({ store }: Here, runId: string): Promise<readonly StoredArtifact[]> {
  const found = await artifactPort(() => store.forTenant("default").artifacts!).list({ runId });
  return withExpiry(store.retention, "default", found);
}

async function read({ store }: Here, runId: string, kind: string): Promise<string> {
  const artifact = (await listed({ store } as Here, runId)).find((each) => each.kind === kind)!;
  const chunks: Uint8Array[] = [];
  for await (const chunk of artifactPort(() => store.artifacts).read({ uri: artifact.uri })) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const EXPIRED = { code: "ARTIFACT_EXPIRED" };

const places = [
  ["memory", "file:"],
  ["postgres", "store:"],
] as const;

describe.each(places)("on %s with artifacts in %s", (store, place) => {
  test("each kind of artifact expires by its own policy, and its description stays", async () => {
    const here = await opened(store, place);
    const { retention } = here.ledger;
    const run = await archived(here);
    await retention.set({ kind: "artifacts", deleteAfter: "30d" });
    await retention.set({ kind: "artifacts", artifactKind: "log" });
    expect(await retention.run()).toMatchObject({ artifacts: 0 });
    await retention.set(brief);
    expect(await retention.run()).toMatchObject({ artifacts: 1 });
    expect(await retention.run()).toMatchObject({ artifacts: 0 });
    await expect(read(here, run.id, "brief")).rejects.toMatchObject(EXPIRED);
    expect(await read(here, run.id, "table")).toBe("a,b\n");
    expect(await read(here, run.id, "log")).toContain("a line");
    const byKind = new Map((await listed(here, run.id)).map((artifact) => [artifact.kind, artifact]));
    expect(byKind.get("brief")).toMatchObject({
      stepId: "brief",
      sizeBytes: 11,
      expiredAt: expect.stringMatching(ISO) as unknown,
    });
    const { createdAt, expiresAt } = byKind.get("table")!;
    expect(Date.parse(expiresAt!) - Date.parse(createdAt)).toBe(30 * 86_400_000);
    expect(byKind.get("table")).not.toHaveProperty("expiredAt");
    expect(byKind.get("log")).not.toHaveProperty("expiresAt");
  });

  test("an open run and a finished run in the log keep their artifacts", async () => {
    const here = await opened(store, place);
    await here.ledger.retention.set(brief);
    const [open, inLog] = [await started(here), await finished(here)];
    expect(await here.ledger.retention.run()).toMatchObject({ artifacts: 0, left: {} });
    for (const { id } of [open, inLog]) expect(await read(here, id, "brief")).toBe("short-lived");
    await open.signal("go", null);
    expect(await open.result()).toBe("short-lived");
  });

  test("a run keeps its artifacts for a fork, and the fork reads them", async () => {
    const here = await opened(store, place);
    await here.ledger.retention.set(brief);
    const origin = await archived(here);
    const fork = await here.ledger.fork(origin, { from: "go" });
    expect(await here.ledger.retention.run()).toMatchObject({ artifacts: 0, left: { "artifacts-forked": 1 } });
    await (await here.ledger.get(flow, fork.id)).signal("go", null);
    expect(await fork.result()).toBe("short-lived");
  });

  test("a fork that starts after the expiry is refused only if it keeps a reference", async () => {
    const here = await opened(store, place);
    await here.ledger.retention.set(brief);
    const origin = await archived(here);
    const { queue } = here.store;
    const late = override(here.store, {
      queue: override(queue, {
        startRun: async (start) => {
          expect(await here.ledger.retention.run()).toMatchObject({ artifacts: 1 });
          return queue.startRun(start);
        },
      }),
    });
    await expect(forkRun(late, origin.id, { from: "go" })).rejects.toMatchObject(EXPIRED);
    expect(await here.store.listHeads()).toHaveLength(0);
    const whole = await here.ledger.fork(origin, { from: "brief" });
    await until(async () => (await listed(here, whole.id)).some(({ kind }) => kind === "brief"));
  });

  test("a child keeps its artifacts until its parent is archived", async () => {
    const here = await opened(store, place);
    await here.ledger.retention.set(brief);
    const run = await here.ledger.start(parent);
    expect(await run.result()).toBe("of the child");
    const [child] = (await here.store.listHeads()).filter(({ runId }) => runId !== run.id);
    await archive(here, child!.runId);
    expect(await here.ledger.retention.run()).toMatchObject({ artifacts: 0, left: { "artifacts-child": 1 } });
    expect(await read(here, child!.runId, "brief")).toBe("of the child");
    await archive(here, run.id);
    await here.ledger.retention.set({ ...brief, tenantId: "default" }); // other rules: every run is checked again
    expect(await here.ledger.retention.run()).toMatchObject({ artifacts: 1 });
    await expect(read(here, child!.runId, "brief")).rejects.toMatchObject(EXPIRED);
  });

  test("a run with expired artifacts can be deleted", async () => {
    const here = await opened(store, place);
    const run = await archived(here);
    await here.ledger.retention.set(brief);
    expect(await here.ledger.retention.run()).toMatchObject({ artifacts: 1 });
    expect(await here.store.retention.deleteRun(run.id)).toMatchObject({ deleted: true });
    while (await here.store.retention.sweepDeleted());
    expect(await here.store.expiry!.listExpired({ runId: run.id })).toEqual([]);
  });
});
