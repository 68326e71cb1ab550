// @module-tag O-10
import { expect, onTestFinished, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { workflow } from "../workflow/workflow.js";
import { connect } from "./connect.js";

const broken = workflow("broken", { version: "1.0.0" }, (w) => {
  w.step("load", () => {
    throw new Error("the warehouse is closed");
  });
});
const fine = workflow("fine", { version: "2.0.0" }, (w) => w.step("greet", () => "hello"));

test("ledger.list finds runs immediately, even without a projector", async () => {
  await using ledger = await connect("memory:");
  await ledger.worker({ workflows: [broken, fine] });
  const bad = await ledger.start(broken, { labels: { team: "core" } });
  const good = await ledger.start(fine, { projectId: "shop" });
  await Promise.allSettled([bad.result(), good.result()]);
  const found = async (...[options]: Parameters<typeof ledger.list>) => {
    const ids: string[] = [];
    for await (const { runId } of ledger.list(options)) ids.push(runId);
    return ids;
  };
  expect(new Set(await found())).toEqual(new Set([bad.id, good.id]));
  expect(await found({ status: "FAILED" })).toEqual([bad.id]);
  expect(await found({ workflow: "fine", version: "2.0.0" })).toEqual([good.id]);
  expect(await found({ labels: { team: "core" } })).toEqual([bad.id]);
  expect(await found({ error: "WAREHOUSE is" })).toEqual([bad.id]);
  expect(await found({ projectId: "shop", status: ["RUNNING", "COMPLETED"] })).toEqual([good.id]);
  expect(await found({ since: new Date(Date.now() + 60_000) })).toEqual([]);
  expect(await found({ tenantId: "another" })).toEqual([]);
  const { runs } = await ledger.list({ status: "FAILED" }).page();
  expect(runs).toMatchObject([{ planId: "broken", culprit: "load", status: "FAILED" }]);
});

test("iteration covers all pages, and a page returns the next cursor", async () => {
  await using ledger = await connect("memory:");
  const events = Array.from({ length: 120 }, (_, n) =>
    newEvent({ runId: `r${String(n).padStart(3, "0")}`, eventType: "RunStarted", planVersion: "1", planId: "p" }),
  );
  await ledger.store.appendEvents(events);
  const ids: string[] = [];
  for await (const { runId } of ledger.list()) ids.push(runId);
  expect(new Set(ids).size).toBe(120);
  const first = await ledger.list().page({ limit: 100 });
  const second = await ledger.list().page({ limit: 100, cursor: first.cursor! });
  expect([...first.runs, ...second.runs].map(({ runId }) => runId)).toEqual(ids);
  expect(second.cursor).toBeNull();
});

for (const url of ["memory:", "postgres:"])
  test(`a list without a projector leaves no follower behind (${url})`, { tags: ["R-07"] }, async () => {
    const database = url === "memory:" ? null : await freshDatabase();
    onTestFinished(() => database?.drop());
    await using ledger = await connect(database?.url ?? url);
    await ledger.worker({ workflows: [fine] });
    await (await ledger.start(fine)).result();
    expect((await ledger.list().page()).runs).toHaveLength(1);
    const later = await ledger.start(fine);
    await later.result();
    expect(await ledger.store.feed.findFollower("projector/0")).toMatchObject({ version: 0 });
    await expect
      .poll(() => ledger.store.archive.archiveRun(later.id)) // once its worker has released it
      .toMatchObject({ archived: true });
    expect(await ledger.store.feed.pruneChanges()).toBeGreaterThan(0);
    expect((await ledger.list().page()).runs.map(({ runId }) => runId)).toContain(later.id);
  });

test("a list is up to date after the projector of its process was stopped", { tags: ["R-07"] }, async () => {
  await using ledger = await connect("memory:");
  const event = (runId: string) => newEvent({ runId, eventType: "RunStarted", planVersion: "1", planId: "p" });
  const projector = ledger.projector({ pollMs: 5 });
  await ledger.store.appendEvent(event("a"));
  await expect.poll(async () => (await ledger.list().page()).runs.length).toBe(1);
  await projector.stop();
  await ledger.store.appendEvent(event("b"));
  expect((await ledger.list().page()).runs.map(({ runId }) => runId).sort()).toEqual(["a", "b"]);
});
