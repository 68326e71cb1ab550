/** The first event of a run names its starter. The starter does not affect idempotency (Q1). */
import { expect, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";
import { connect, workflow, type Ledger } from "@runledger/runtime";
import { createApiKey } from "../auth/api-keys.js";

const small = workflow("small", { version: "1" }, (w) => w.step("only", () => 1));

async function startedBy({ store }: Ledger, runId: string): Promise<string | undefined> {
  return (await store.projectSnapshot(runId)).startedBy;
}

test("a run keeps its first starter when another caller repeats the start (N4)", async () => {
  await using ledger = await connect("memory:");
  const first = await ledger.start(small, { requestId: "r", by: "ann" });
  const again = await ledger.start(small, { requestId: "r", by: "bob" });
  expect(again.id).toBe(first.id);
  const [queued] = await ledger.store.fetchEvents(first.id);
  expect(queued).toMatchObject({ eventType: "RunQueued", eventData: { by: "ann" } });
  expect((await ledger.list().page()).runs).toMatchObject([{ runId: first.id, startedBy: "ann" }]);
  expect(await startedBy(ledger, (await ledger.start(small)).id)).toBeUndefined();
});

test("over HTTP the starter is the caller of a start, many starts, a fork or a backfill", async () => {
  const { ledger, call, client } = await testServer([small]);
  await ledger.worker({ workflows: [small] });
  const grant = { name: "ci", role: "operator", tenantId: "default", ttlMs: null, createdBy: "test" } as const;
  const { text } = await createApiKey(ledger.store.access, grant);
  const asKey = { authorization: `Bearer ${text}` };
  const answer = await call("POST", "/runs", { workflow: "small", requestId: "one" }, asKey);
  const { runId } = (await answer.json()) as { readonly runId: string };
  expect(await client.getRun(runId)).toMatchObject({ startedBy: "ci" });
  const { outcomes } = await client.startRuns({
    starts: [{ workflow: "small" }, { workflow: "small", requestId: "one" }],
  });
  expect(await client.getRun(outcomes[0]!.run!.runId)).toMatchObject({ startedBy: "local" });
  expect(outcomes[1]).toMatchObject({ run: { runId, created: false } });
  await (await ledger.get(small, runId)).result();
  const fork = await client.forkRun(runId, { from: "only" });
  expect(await client.getRun(fork.runId!)).toMatchObject({ startedBy: "local" });
  await client.putSchedule("hourly", { workflow: "small", cron: "0 * * * *" });
  const range = { from: "2026-11-14T00:00:00Z", to: "2026-11-14T01:00:00Z" };
  const filled = await (await call("POST", "/schedules/hourly/backfill", range, asKey)).json();
  const [{ runId: tick }] = (filled as { items: [{ readonly runId: string }] }).items;
  expect(await client.getRun(tick)).toMatchObject({ startedBy: "ci", schedule: { scheduleId: "hourly" } });
});

test("a scheduled run names its schedule as starter, and a child its parent", async () => {
  await using ledger = await connect("memory:");
  const parent = workflow("parent", { version: "1" }, (w) => w.child("kid", small));
  await ledger.worker({ workflows: [parent, small], pollMs: 20 });
  const run = await ledger.start(parent, { by: "ann" });
  await run.result();
  const [kid] = (await ledger.list({ parent: run.id }).page()).runs;
  expect(kid).toMatchObject({ startedBy: `run ${run.id}` });
  await ledger.schedules.put({ id: "nightly", workflow: small, cron: "0 0 * * *" });
  const range = { from: "2026-11-14T00:00:00Z", to: "2026-11-14T01:00:00Z" };
  const [tick] = await ledger.schedules.backfill("nightly", range);
  expect(await startedBy(ledger, tick!.runId!)).toBe("schedule nightly");
});
