import assert from "node:assert/strict";
import { connect, workflow } from "runledger";

const report = workflow("report", { version: "1" }, (w) => w.step("write", ({ schedule }) => schedule?.tick ?? "now"));

await using ledger = await connect("memory:");
const { schedules } = ledger;
await schedules.put({
  id: "nightly",
  workflow: report,
  cron: "0 2 * * *",
  timeZone: "Europe/Berlin",
  catchUp: "latest",
  catchUpLimit: 10,
  overlap: "skip",
  jitter: "5m",
  priority: 1,
  concurrencyKey: "reports",
  tenantId: "default",
  projectId: "web",
  environmentId: "production",
  labels: { team: "core" },
});
await schedules.put({ id: "often", workflow: report, every: "15m", from: "2026-01-01T00:05:00Z" });
await schedules.put({ id: "once", workflow: report, at: new Date(Date.now() + 3_600_000) });
assert.deepEqual(
  (await schedules.list()).map(({ scheduleId }) => scheduleId),
  ["nightly", "often", "once"],
);
assert.equal((await schedules.next("nightly", { count: 3 })).length, 3);

await schedules.pause("nightly");
assert.notEqual((await schedules.get("nightly"))?.pausedAt, null);
await schedules.resume("nightly");
const range = { from: "2026-01-01T00:00:00Z", to: "2026-01-01T01:00:00Z" };
const ticks = await schedules.backfill("often", { ...range, by: "ada" });
assert.equal(ticks.length, 4);
await schedules.remove("once");

const scheduler = ledger.scheduler();
await ledger.worker({ workflows: [report] });
assert.equal(await (await ledger.get(report, ticks[0]!.runId!)).result(), "2026-01-01T00:05:00.000Z");
await scheduler.stop();
