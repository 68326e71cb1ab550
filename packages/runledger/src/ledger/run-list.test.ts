import { expect, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { workflow } from "../workflow/workflow.js";
import { connect } from "./connect.js";

const broken = workflow("broken", { version: "1.0.0" }, (w) => {
  w.step("load", () => {
    throw new Error("the warehouse is closed");
  });
});
const fine = workflow("fine", { version: "2.0.0" }, (w) => w.step("greet", () => "hello"));

test("[O-10] ledger.list finds runs by what they are, at once, also where no projector runs", async () => {
  await using ledger = await connect("memory:");
  await ledger.worker({ workflows: [broken, fine] });
  const bad = await ledger.start(broken, undefined, { labels: { team: "core" } });
  const good = await ledger.start(fine, undefined, { projectId: "shop" });
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

test("[O-10] an iteration goes over all pages; a page gives the cursor of the next", async () => {
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
