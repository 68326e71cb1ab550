// @module-tag O-31
// @module-tag O-30
/** Tests schedule management on the memory store and on PostgreSQL. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { ErrorCode } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { connect } from "../ledger/connect.js";
import type { Ledger } from "../ledger/ledger.js";
import { workflow } from "../workflow/workflow.js";
import type { TimingOptions } from "./read-timing.js";
import { until } from "@runledger/test-support/until";

const HOUR = 3_600_000;
const orders = workflow("orders", { version: "1" }, (w) => w.step("load", () => 1));
const typed = workflow("typed", { version: "1", input: z.object({ day: z.string() }) }, (w) => w.step("load", () => 1));

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

const stores = {
  memory: () => connect("memory:"),
  PostgreSQL: () => database.empty().then(() => connect(database.url)),
};

describe.each(Object.entries(stores))("on %s", (_, open) => {
  const testOn = (title: string, run: (ledger: Ledger) => Promise<void>): void => {
    test(title, async () => {
      await using ledger = await open();
      await run(ledger);
    });
  };

  testOn("previewed next times equal those of the saved schedule", async (ledger) => {
    const timing = { cron: "30 2 * * *", timeZone: "Europe/Berlin" };
    expect(await ledger.schedules.next(timing, { from: "2026-03-28T12:00:00+01:00", count: 3 })).toEqual([
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
      "2026-03-31T00:30:00.000Z",
    ]);
    const [first, ...more] = await ledger.schedules.next(timing);
    expect(more).toHaveLength(4);
    expect(await ledger.schedules.list()).toEqual([]);
    expect(await ledger.schedules.put({ id: "nightly", workflow: orders, ...timing })).toMatchObject({
      nextTick: first,
    });
    expect(await ledger.schedules.next("nightly")).toEqual([first, ...more]);
  });

  testOn("a schedule that never fires is refused with the reason, and nothing is saved", async (ledger) => {
    const never: [TimingOptions, RegExp][] = [
      [{ cron: "0 0 30 2 *" }, /^cron: never fires: no date matches\.$/],
      [{ cron: "0 0 31 2,4,6,9,11 *" }, /no date matches/],
      [{ cron: "0 0 0 29 2 * 2027" }, /no date matches/],
      [{ cron: "0 0 0 1 1 * 2020" }, /^cron: never fires: all of its times have passed \(for example 2020-01-01T00/],
      [{ at: "2020-01-01T00:00:00Z" }, /^at: never fires: all of its times have passed/],
    ];
    for (const [timing, message] of never) {
      const refusal = {
        code: "SCHEDULE_NEVER_FIRES",
        family: "fix-input",
        message: expect.stringMatching(message) as string,
      };
      await expect(ledger.schedules.next(timing)).rejects.toMatchObject(refusal);
      await expect(ledger.schedules.put({ id: "never", workflow: orders, ...timing })).rejects.toMatchObject(refusal);
    }
    expect(await ledger.schedules.get("never")).toBeNull();
  });

  testOn("a leap-day schedule is accepted and fires every four years", async (ledger) => {
    const next = await ledger.schedules.next({ cron: "0 0 29 2 *" }, { from: "2026-01-01T00:00:00Z", count: 2 });
    expect(next).toEqual(["2028-02-29T00:00:00.000Z", "2032-02-29T00:00:00.000Z"]);
  });

  testOn("invalid options are named, and nothing is saved", async (ledger) => {
    const cron = "0 2 * * *";
    const wrong: [object, string, ErrorCode?][] = [
      [{ cron: "61 * * * *" }, "cron"],
      [{ cron: "* * * *" }, "cron"],
      [{ cron: "" }, "cron"],
      [{ cron: "2026-01-01T00:00:00" }, "cron"],
      [{ cron: "@reboot" }, "cron"],
      [{ cron: 5 }, "cron"],
      [{ cron, timeZone: "Mars/Olympus" }, "timeZone"],
      [{ cron, timeZone: "+02:00" }, "timeZone"],
      [{ every: "1 hour" }, "every"],
      [{ every: "10ms" }, "every"],
      [{ every: "1h", timeZone: "UTC" }, "timeZone"],
      [{ cron, from: "2026-01-01T00:00:00Z" }, "from"],
      [{ at: "2999-01-01T00:00:00" }, "at"],
      [{ at: "tomorrow" }, "at"],
      [{}, "timing"],
      [{ cron, every: "1h" }, "timing"],
      [{ cron, catchUp: "some" }, "catchUp"],
      [{ cron, catchUpLimit: 0 }, "catchUpLimit"],
      [{ cron, overlap: "wait" }, "overlap"],
      [{ cron, jitter: "soon" }, "jitter"],
      [{ cron, id: "x".repeat(201) }, "id"],
      [{ cron, id: "a|b" }, "id", "IDENTIFIER_INVALID"],
      [{ cron, concurrencyKey: "" }, "concurrencyKey", "IDENTIFIER_INVALID"],
    ];
    for (const [options, field, code = "SCHEDULE_INVALID"] of wrong) {
      const put = ledger.schedules.put({ id: "wrong", workflow: orders, ...(options as TimingOptions) });
      await expect(put, JSON.stringify(options)).rejects.toMatchObject({ code, field });
    }
    const input = { day: 1 } as unknown as { day: string };
    await expect(ledger.schedules.put({ id: "wrong", workflow: typed, cron, input })).rejects.toMatchObject({
      code: "SCHEMA_MISMATCH",
      field: "input.day",
    });
    await expect(ledger.schedules.next({ cron }, { count: 0 })).rejects.toMatchObject({ field: "count" });
    expect(await ledger.schedules.list()).toEqual([]);
  });

  testOn("a backfill previews its runs, starts them, and starts nothing twice", async (ledger) => {
    await ledger.schedules.put({ id: "hourly", workflow: typed, every: "1h", input: { day: "x" }, labels: { a: "b" } });
    await ledger.schedules.pause("hourly");
    const to = new Date(Math.floor(Date.now() / HOUR) * HOUR);
    const from = new Date(to.getTime() - 4 * HOUR);
    const preview = await ledger.schedules.backfill("hourly", { from, to, dryRun: true });
    expect(preview.map(({ tick }) => Date.parse(tick) - from.getTime())).toEqual([0, HOUR, 2 * HOUR, 3 * HOUR]);
    expect(preview.every(({ runId, started }) => runId === null && !started)).toBe(true);
    expect(await ledger.store.listHeads()).toEqual([]);
    const later = new Date(from.getTime() + 2 * HOUR);
    const half = await ledger.schedules.backfill("hourly", { from: later, to });
    const both = await Promise.all([1, 2].map(() => ledger.schedules.backfill("hourly", { from, to })));
    expect(half.map(({ started }) => started)).toEqual([true, true]);
    expect(both.flat().filter(({ started }) => started)).toHaveLength(2);
    expect(both[0]!.map(({ runId }) => runId)).toEqual(both[1]!.map(({ runId }) => runId));
    expect(both[0]!.slice(2).map(({ runId }) => runId)).toEqual(half.map(({ runId }) => runId));
    expect(await ledger.store.listHeads()).toHaveLength(4);
    const { runId, tick } = both[0]![0]!;
    expect(await ledger.store.projectSnapshot(runId!)).toMatchObject({
      schedule: { scheduleId: "hourly", tick },
      labels: { a: "b" },
      runRequestId: `hourly@${tick}`,
    });
    expect((await ledger.store.fetchEvents(runId!))[0]!.eventData).toMatchObject({ input: { day: "x" } });
  });

  testOn("a backfill is refused if it is too large, in the future, or for an unknown schedule", async (ledger) => {
    await ledger.schedules.put({ id: "often", workflow: orders, every: "1s" });
    const backfill = (from: number, to: number) =>
      ledger.schedules.backfill("often", { from: new Date(from), to: new Date(to) });
    const now = Date.now();
    await expect(backfill(now - HOUR, now - 1000)).rejects.toMatchObject({ code: "OPTION_INVALID", field: "to" });
    await expect(backfill(now, now + HOUR)).rejects.toMatchObject({ code: "OPTION_INVALID", field: "to" });
    await expect(ledger.schedules.backfill("other", { from: new Date(0) })).rejects.toMatchObject({
      code: "SCHEDULE_NOT_FOUND",
    });
    expect(await ledger.store.listHeads()).toEqual([]);
  });

  testOn("schedules belong to their tenant", async (ledger) => {
    const options = { id: "s", workflow: orders, every: "1h" } as const;
    await ledger.schedules.put({ ...options, tenantId: "acme" });
    expect(await ledger.schedules.get("s")).toBeNull();
    expect(await ledger.schedules.list()).toEqual([]);
    for (const call of ["pause", "resume", "remove", "next"] as const)
      await expect(ledger.schedules[call]("s")).rejects.toMatchObject({ code: "SCHEDULE_NOT_FOUND" });
    expect((await ledger.schedules.list({ tenantId: "acme" })).map(({ scheduleId }) => scheduleId)).toEqual(["s"]);
    const from = new Date(Date.now() - HOUR);
    const [run] = await ledger.schedules.backfill("s", { from, tenantId: "acme" });
    expect(await ledger.store.forTenant("acme").fetchEvents(run!.runId!)).toHaveLength(1);
    expect(await ledger.store.forTenant("default").fetchEvents(run!.runId!)).toEqual([]);
  });

  testOn("putting an unchanged schedule writes nothing", async (ledger) => {
    const options = { id: "s", workflow: typed, cron: "0  2 * * *", input: { day: "x" } } as const;
    const first = await ledger.schedules.put(options);
    expect(await ledger.schedules.put({ ...options, cron: "0 2 * * *" })).toEqual(first);
    expect(await ledger.schedules.put({ ...options, jitter: "10m" })).not.toEqual(first);
  });

  testOn("a scheduler and a worker run due ticks, and the step sees its tick", async (ledger) => {
    const seen: unknown[] = [];
    const flow = workflow("flow", { version: "1" }, (w) => w.step("look", ({ schedule }) => void seen.push(schedule)));
    await ledger.worker({ workflows: [flow] });
    ledger.scheduler({ pollMs: 50 });
    await ledger.schedules.put({ id: "often", workflow: flow, every: "1s", overlap: "queue" });
    await until(async () => seen.length >= 2);
    await ledger.schedules.remove("often");
    const ticks = (seen as { scheduleId: string; tick: string }[]).map(({ tick }) => Date.parse(tick));
    expect(ticks[1]! - ticks[0]!).toBe(1000);
    expect(seen[0]).toEqual({ scheduleId: "often", tick: new Date(ticks[0]!).toISOString() });
    const run = await ledger.start(flow);
    await run.result();
    expect(seen.at(-1)).toBeUndefined();
  });
});
