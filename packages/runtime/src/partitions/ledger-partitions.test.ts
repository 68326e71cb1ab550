// @module-tag D-32
/** Lists and backfills partitions on the memory store and on PostgreSQL. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { connect } from "../ledger/connect.js";
import type { Ledger } from "../ledger/ledger.js";
import { workflow } from "../workflow/workflow.js";
import { until } from "@runledger/test-support/until";

let broken = new Set<string>();
const seen: unknown[] = [];
const daily = workflow(
  "daily",
  {
    version: "1",
    input: z.object({ full: z.boolean() }).optional(),
    partitions: { by: "day", start: "2026-01-01", end: "2026-01-05" },
  },
  (w) =>
    w.step("load", ({ partition }) => {
      seen.push(partition);
      if (broken.has(partition!.key)) throw new Error("broken");
      return partition!.key;
    }),
);
const plain = workflow("plain", { version: "1" }, (w) => w.step("load", ({ partition }) => partition === undefined));
const DAYS = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05"];

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

const stores = {
  memory: () => connect("memory:"),
  PostgreSQL: () => database.empty().then(() => connect(database.url)),
};

const statesOf = async (ledger: Ledger): Promise<string> =>
  (await ledger.partitions.list(daily)).items.map(({ state }) => state).join(" ");
const finished = async (ledger: Ledger): Promise<void> => {
  const worker = await ledger.worker({ workflows: [daily, plain] });
  await until(async () => !/queued|running/.test(await statesOf(ledger)));
  await worker.stop();
};

describe.each(Object.entries(stores))("on %s", (_, open) => {
  const testOn = (title: string, run: (ledger: Ledger) => Promise<void>): void => {
    test(title, async () => {
      broken = new Set();
      await using ledger = await open();
      await run(ledger);
    });
  };

  testOn("a backfill starts what is missing, then what failed, and nothing else", async (ledger) => {
    expect(await ledger.partitions.list(daily)).toMatchObject({ first: DAYS[0], last: DAYS[4] });
    expect(await statesOf(ledger)).toBe("missing missing missing missing missing");
    broken.add("2026-01-02");
    const first = await ledger.partitions.backfill(daily, { to: "2026-01-03" });
    expect(first).toMatchObject({ remaining: 0, dryRun: false, queueFull: false, concurrencyKey: "partitions:daily" });
    expect(first.items.map(({ key, state, started }) => [key, state, started])).toEqual(
      DAYS.slice(0, 3).map((key) => [key, "missing", true]),
    );
    expect(await statesOf(ledger)).toBe("queued queued queued missing missing");
    expect((await ledger.partitions.backfill(daily, { to: "2026-01-03" })).items).toEqual([]);
    await finished(ledger);
    expect(await statesOf(ledger)).toBe("succeeded failed succeeded missing missing");
    expect(seen.at(-1)).toEqual({
      key: "2026-01-03",
      start: "2026-01-03T00:00:00.000Z",
      end: "2026-01-04T00:00:00.000Z",
    });

    broken.clear();
    const planned = await ledger.partitions.backfill(daily, { dryRun: true });
    expect(planned.items.map(({ key, runId }) => [key, runId])).toEqual(
      ["2026-01-02", "2026-01-04", "2026-01-05"].map((key) => [key, null]),
    );
    const failed = await ledger.partitions.backfill(daily, { only: "failed" });
    expect(failed.items).toMatchObject([{ key: "2026-01-02", state: "failed", started: true }]);
    await finished(ledger);
    expect(await statesOf(ledger)).toBe("succeeded succeeded succeeded missing missing");
    const { items } = await ledger.partitions.list(daily, { keys: ["2026-01-02"] });
    expect(items[0]!.runId).toBe(failed.items[0]!.runId);
  });

  testOn("a call starts at most its limit, and reports what it left out", async (ledger) => {
    const some = await ledger.partitions.backfill(daily, { limit: 2 });
    expect([some.items.map(({ key }) => key), some.remaining]).toEqual([DAYS.slice(0, 2), 3]);
    const rest = await ledger.partitions.backfill(daily, { keys: ["2026-01-05", "2026-01-03"], only: "missing" });
    expect([rest.items.map(({ key }) => key), rest.remaining]).toEqual([["2026-01-03", "2026-01-05"], 0]);
  });

  testOn("two backfills at the same time start each partition once", async (ledger) => {
    const both = await Promise.all([1, 2].map(() => ledger.partitions.backfill(daily)));
    const items = both.flatMap((one) => one.items);
    expect(
      items
        .filter(({ started }) => started)
        .map(({ key }) => key)
        .sort(),
    ).toEqual(DAYS);
    expect(new Set(items.map(({ runId }) => runId)).size).toBe(5);
    expect(await ledger.store.listHeads()).toHaveLength(5);
  });

  testOn("a succeeded partition runs again only by force", async (ledger) => {
    await ledger.partitions.backfill(daily, { keys: ["2026-01-01"], input: { full: true } });
    await finished(ledger);
    expect((await ledger.partitions.backfill(daily, { keys: ["2026-01-01"] })).items).toEqual([]);
    const forced = await ledger.partitions.backfill(daily, {
      keys: ["2026-01-01"],
      force: true,
      input: { full: false },
    });
    expect(forced.items).toMatchObject([{ state: "succeeded", started: true }]);
    expect(await ledger.store.listHeads()).toHaveLength(2);
  });

  testOn("concurrency limits the open runs of backfills, and keeps the rest of the limit", async (ledger) => {
    const target = { scope: "concurrencyKey", subject: "default|partitions:daily" } as const;
    await ledger.limits.set({ ...target, maxQueued: 3 });
    const first = await ledger.partitions.backfill(daily, { concurrency: 2 });
    expect([first.items.length, first.remaining, first.queueFull]).toEqual([3, 2, true]);
    expect(await ledger.limits.list()).toMatchObject([{ ...target, maxQueued: 3, maxRunning: 2 }]);
    await finished(ledger);
    expect((await ledger.partitions.backfill(daily)).items).toHaveLength(2);
    expect(await ledger.limits.list()).toMatchObject([{ maxRunning: 2 }]);
  });

  testOn("a schedule starts the last complete partition, and finds the run of a backfill", async (ledger) => {
    await ledger.partitions.backfill(daily, { keys: ["2026-01-02"] });
    await ledger.schedules.put({ id: "nightly", workflow: daily, cron: "0 6 * * *" });
    const range = { from: "2026-01-02T00:00:00Z", to: "2026-01-05T00:00:00Z" };
    const ticks = await ledger.schedules.backfill("nightly", range);
    expect(ticks.map(({ started }) => started)).toEqual([true, false, true]);
    expect(await statesOf(ledger)).toBe("queued queued queued missing missing");
    const [head] = await ledger.store.fetchHeads([ticks[0]!.runId!]);
    const { labels, schedule } = await ledger.store.projectSnapshot(head!.runId);
    expect([labels, schedule?.scheduleId]).toEqual([{ partition: "2026-01-01" }, "nightly"]);
  });

  testOn("the fork of a failed run counts as the newest run of its partition", async (ledger) => {
    broken.add("2026-01-01");
    const { items } = await ledger.partitions.backfill(daily, { keys: ["2026-01-01"] });
    await finished(ledger);
    broken.clear();
    const fork = await ledger.fork(items[0]!.runId!, { from: "load" });
    await finished(ledger);
    const list = await ledger.partitions.list(daily, { keys: ["2026-01-01"] });
    expect(list.items).toMatchObject([{ state: "succeeded", runId: fork.id }]);
    expect((await ledger.partitions.backfill(daily, { keys: ["2026-01-01"] })).items).toEqual([]);
  });

  testOn("a partition whose run retention has deleted starts again only by force", async (ledger) => {
    const keys = ["2026-01-01"];
    const { items } = await ledger.partitions.backfill(daily, { keys });
    const { runId } = items[0]!;
    await finished(ledger);
    await ledger.store.archive.archiveRun(runId!);
    expect(await ledger.store.retention.deleteRun(runId!)).toMatchObject({ runId });
    expect(await ledger.store.fetchHeads([runId!])).toEqual([]);
    expect((await ledger.partitions.backfill(daily, { keys })).items).toMatchObject([{ runId, started: false }]);
    const forced = await ledger.partitions.backfill(daily, { keys, force: true });
    expect(forced.items).toMatchObject([{ state: "missing", started: true }]);
    expect(forced.items[0]!.runId).not.toBe(runId);
  });

  testOn("wrong options are named, and nothing starts", async (ledger) => {
    const wrong: [object, string][] = [
      [{ from: "January" }, 'from: "January" is not a day such as 2026-01-31.'],
      [
        { keys: ["2026-01-06"] },
        "keys: 2026-01-06 is before the first partition, after the last one, or not complete yet.",
      ],
      [{ keys: ["2026-01-01"], from: "2026-01-01" }, "keys: cannot be combined with from and to."],
      [{ limit: 0 }, "limit: must be a whole number from 1 to 1000."],
      [{ concurrency: 1.5 }, "concurrency: must be a whole number from 1 to 1000."],
      [{ only: "all" }, "only: must be one of missing, failed, both."],
    ];
    for (const [options, message] of wrong)
      await expect(ledger.partitions.backfill(daily, options)).rejects.toMatchObject({
        code: "OPTION_INVALID",
        message,
      });
    const input = { full: "yes" };
    await expect(ledger.partitions.backfill(daily, { input })).rejects.toMatchObject({ code: "SCHEMA_MISMATCH" });
    await expect(ledger.partitions.list(plain)).rejects.toThrow("plain is not partitioned");
    await expect(ledger.partitions.list("none")).rejects.toMatchObject({ code: "WORKFLOW_NOT_FOUND" });
    const label = { labels: { partition: "2026-02-30" } };
    await expect(ledger.start(daily, label)).rejects.toThrow(
      "labels.partition: 2026-02-30 is not a partition of daily.",
    );
    expect(await ledger.store.listHeads()).toEqual([]);
  });
});
