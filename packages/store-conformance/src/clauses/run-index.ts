import assert from "node:assert/strict";
import {
  omitUndefined,
  type RunFilter,
  type RunHeader,
  type RunIndex,
  type RunSummary,
  type StateStore,
} from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, stepOf } from "../support/events.js";
import { addRun, goOn, project, queuedOf } from "../support/projecting.js";
import { refused } from "../support/refused.js";

const TENANT = "default";
const minute = (n: number): string => new Date(Date.UTC(2026, 10, 14, 8, n)).toISOString();

async function ids(
  index: RunIndex,
  filter: Omit<RunFilter, "tenantId"> & { tenantId?: string } = {},
): Promise<string[]> {
  return (await allRuns(index, { tenantId: TENANT, ...filter })).map(({ runId }) => runId);
}

async function allRuns(index: RunIndex, filter: RunFilter, limit = 100): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await index.listRuns({ ...filter, limit, ...omitUndefined({ cursor }) });
    assert.ok(page.runs.length <= limit);
    assert.notEqual(page.cursor, cursor ?? "", "A page must end after the one before it."); // otherwise this never ends
    assert.ok(runs.length < 1000, "Pages repeat runs.");
    runs.push(...page.runs);
    cursor = page.cursor;
  }
  return runs;
}

/** Adds runs r0, r1, … a minute apart. */
async function addRuns(store: StateStore, count: number, first = 0): Promise<void> {
  const runIds = Array.from({ length: count }, (_, n) => `r${first + n}`);
  await store.appendEvents(runIds.map((runId, n) => queuedOf(runId, { createdAt: minute(first + n) })));
  await project(store, ...runIds);
}

const error = { code: "TIMEOUT", message: "Warehouse WH_1 did not answer: 100% of 3\\4 tries", retryable: true };

/** The run index returns what the projections contain, for one tenant, newest first. */
export const runIndex = clause("run-index", ["index"], {
  "a run is found when it is projected, and shows what its header says": async ({ store }) => {
    const place = { projectId: "shop", environmentId: "prod", runRequestId: "req-1", priority: 7 };
    const origin = {
      labels: { team: "core" },
      parent: { runId: "p", stepId: "child" },
      schedule: { scheduleId: "nightly", tick: minute(0) },
    };
    const said = { planId: "orders", ...place, ...origin, by: "ann" };
    await store.appendEvent(queuedOf("r", { createdAt: minute(0), ...said }));
    assert.deepEqual(await ids(store.index), []);
    await project(store, "r");
    const { runs, cursor } = await store.index.listRuns({ tenantId: TENANT });
    const plan = { planId: "orders", planVersion: "1.0.0" };
    const head = { runId: "r", tenantId: TENANT, status: "PENDING", createdAt: minute(0), lastEventSeq: 1 };
    assert.deepEqual([runs, cursor], [[{ ...head, ...plan, ...place, ...origin, startedBy: "ann" }], null]);
  },

  "a run shows what its steps wait for, unless it is paused": async ({ store }) => {
    const waiting = (stepId: string, waitsFor: string) =>
      eventOf("r", "StepStarted", { stepId, eventData: { waitsFor } });
    const shown = async () => (await store.index.listRuns({ tenantId: TENANT })).runs[0]?.waitsFor;
    await addRun(store, "r", { createdAt: minute(0) });
    await store.appendEvents([eventOf("r", "RunStarted"), waiting("nap", "timer"), waiting("go", "signal go")]);
    await project(store, "r");
    assert.equal(await shown(), "signal go, timer");
    await goOn(store, "r", "RunPaused");
    assert.equal(await shown(), undefined);
  },

  "a run shows its current status, and reports if the log is ahead of it": async ({ store }) => {
    await addRun(store, "r", { createdAt: minute(0) });
    const ended = { emittedAt: minute(3), eventData: { error, culprit: "load" } };
    await store.appendEvents([eventOf("r", "RunStarted", { emittedAt: minute(1) }), eventOf("r", "RunFailed", ended)]);
    const [before] = (await store.index.listRuns({ tenantId: TENANT })).runs;
    assert.deepEqual([before?.status, before?.lastEventSeq, before?.stale], ["PENDING", 1, true]);
    await project(store, "r");
    const [after] = (await store.index.listRuns({ tenantId: TENANT })).runs;
    const { status, lastEventSeq, stale, startedAt, completedAt, totalDurationMs, culprit } = after!;
    assert.deepEqual([status, lastEventSeq, stale, culprit, after!.error], ["FAILED", 3, undefined, "load", error]);
    assert.deepEqual([startedAt, completedAt, totalDurationMs], [minute(1), minute(3), 120_000]);
  },

  "found by what it is": async ({ store, store: { index } }) => {
    await addRun(store, "a", { planId: "orders", planVersion: "1.0.0", projectId: "shop", environmentId: "prod" });
    await addRun(store, "b", { planId: "orders", planVersion: "2.0.0", projectId: "shop", environmentId: "dev" });
    await addRun(store, "c", { planId: "stock", planVersion: "1.0.0", parent: { runId: "a", stepId: "s" } });
    await addRun(store, "d", { planId: "stock", schedule: { scheduleId: "nightly", tick: minute(1) } });
    const found = (filter: Partial<RunFilter>) => ids(index, filter).then((runs) => runs.toSorted().join(""));
    assert.deepEqual(
      await Promise.all([
        found({ planId: "orders" }),
        found({ planId: "stock" }),
        found({ planId: "orders", planVersion: "2.0.0" }),
        found({ planVersion: "1.0.0" }),
        found({ projectId: "shop" }),
        found({ environmentId: "dev" }),
        found({ projectId: "shop", environmentId: "prod", planId: "orders" }),
        found({ parentRunId: "a" }),
        found({ scheduleId: "nightly" }),
        found({ planId: "order" }),
        found({ parentRunId: "a", planId: "orders" }),
      ]),
      ["ab", "cd", "b", "acd", "ab", "b", "a", "c", "d", "", ""],
    );
  },

  "found by any of some statuses, as they are now": async ({ store, store: { index } }) => {
    await addRuns(store, 4);
    for (const runId of ["r1", "r2", "r3"]) await goOn(store, runId, "RunStarted");
    await goOn(store, "r2", "RunCompleted");
    await goOn(store, "r3", "RunFailed", { error });
    assert.deepEqual(await ids(index, { status: ["RUNNING"] }), ["r1"]);
    assert.deepEqual(await ids(index, { status: ["FAILED", "PENDING", "RUNNING"] }), ["r3", "r1", "r0"]);
    assert.deepEqual(await ids(index, { status: ["FAILED", "COMPLETED"], planId: "plan" }), ["r3", "r2"]);
    assert.deepEqual(await ids(index, { status: ["COMPLETED"], planId: "plan", createdTo: minute(2) }), []);
    assert.deepEqual(await ids(index, { status: [] }), []);
  },

  "found by labels, all of them": async ({ store, store: { index } }) => {
    await addRun(store, "a", { createdAt: minute(1), labels: { team: "core", day: "1" } });
    await addRun(store, "b", { createdAt: minute(2), labels: { team: "core", day: "2" } });
    await addRun(store, "c", { createdAt: minute(3), labels: { "team=core": "", note: `"quoted", {braces} \\ |` } });
    assert.deepEqual(await ids(index, { labels: { team: "core" } }), ["b", "a"]);
    assert.deepEqual(await ids(index, { labels: { day: "1", team: "core" } }), ["a"]);
    assert.deepEqual(await ids(index, { labels: { team: "other" } }), []);
    assert.deepEqual(await ids(index, { labels: { note: `"quoted", {braces} \\ |` } }), ["c"]);
    assert.deepEqual(await ids(index, { labels: { team: "core" }, createdTo: minute(2) }), ["a"]);
  },

  "found by text in the error, case-insensitive and literal": async ({ store, store: { index } }) => {
    await addRuns(store, 3);
    await goOn(store, "r1", "RunFailed", { error, culprit: "load" });
    await goOn(store, "r2", "RunFailed", { error: { ...error, code: "E_OTHER", message: "disk full" } });
    const found = (errorText: string, filter: Partial<RunFilter> = {}) => ids(index, { errorText, ...filter });
    assert.deepEqual(await found("warehouse wh_1"), ["r1"]);
    assert.deepEqual(await found("tImEoUt"), ["r1"]);
    assert.deepEqual(await found("load"), ["r1"]);
    assert.deepEqual(await found("100%"), ["r1"]);
    assert.deepEqual(await found("\\4"), ["r1"]);
    assert.deepEqual(await found("%"), ["r1"]);
    assert.deepEqual(await found("e"), ["r2", "r1"]);
    assert.deepEqual(await found("wh?1"), []);
    assert.deepEqual(await found("e", { status: ["FAILED"], planId: "plan", createdFrom: minute(2) }), ["r2"]);
    assert.deepEqual(await found("e", { status: ["COMPLETED"] }), []);
  },

  "found by time, from inclusive, to exclusive": async ({ store, store: { index } }) => {
    await addRuns(store, 5);
    assert.deepEqual(await ids(index, { createdFrom: minute(1), createdTo: minute(3) }), ["r2", "r1"]);
    assert.deepEqual(await ids(index, { createdFrom: minute(4) }), ["r4"]);
    assert.deepEqual(await ids(index, { createdTo: minute(1) }), ["r0"]);
    assert.deepEqual(await ids(index, { createdTo: "2026-11-14T10:01:00+02:00" }), ["r0"]);
  },

  "pages of any size hold every run once, newest first, and by id within one time": async ({ store }) => {
    await addRuns(store, 7);
    for (const runId of ["x1", "x2", "x3"]) await addRun(store, runId, { createdAt: minute(3) });
    const all = ["r6", "r5", "r4", "x3", "x2", "x1", "r3", "r2", "r1", "r0"];
    for (const limit of [1, 2, 3, 10, 11]) {
      const runs = await allRuns(store.index, { tenantId: TENANT }, limit);
      assert.deepEqual(
        runs.map(({ runId }) => runId),
        all,
      );
    }
  },

  "runs that come in between move no page, and none is shown twice": async ({ store, store: { index } }) => {
    await addRuns(store, 6);
    const first = await index.listRuns({ tenantId: TENANT, limit: 3 });
    await addRuns(store, 5, 20);
    await goOn(store, "r2", "RunStarted");
    const second = await index.listRuns({ tenantId: TENANT, limit: 3, cursor: first.cursor! });
    const shown = [...first.runs, ...second.runs].map(({ runId }) => runId);
    assert.deepEqual([shown, second.cursor], [["r5", "r4", "r3", "r2", "r1", "r0"], null]);
  },

  "a tenant finds and counts its own runs, regardless of their events": async ({ store }) => {
    await addRun(store, "mine", { tenantId: "acme", createdAt: minute(1), labels: { team: "core" } });
    await store.forTenant("mallory").appendEvent(queuedOf("theirs", { tenantId: "acme", labels: { team: "core" } }));
    await store.forTenant("mallory").appendEvent(stepOf("foreign", "s1"));
    await project(store, "theirs", "foreign");
    const { index } = store;
    assert.deepEqual(await ids(index, { tenantId: "acme" }), ["mine"]);
    assert.deepEqual(await ids(index, { tenantId: "acme", labels: { team: "core" } }), ["mine"]);
    assert.deepEqual((await ids(index, { tenantId: "mallory" })).toSorted(), ["foreign", "theirs"]);
    const counts = await Promise.all(["acme", "mallory", "nobody"].map((tenantId) => index.countRuns({ tenantId })));
    assert.deepEqual(
      counts.map(({ PENDING }) => PENDING),
      [1, 2, 0],
    );
    const range = { from: minute(0), to: minute(60), bucket: "hour" } as const;
    assert.deepEqual(await index.histogram({ tenantId: "nobody", ...range }), []);
  },

  "counts per status, of all runs or of one workflow, project, environment": async ({ store }) => {
    await addRuns(store, 3);
    await addRun(store, "other", { planId: "stock", projectId: "shop", environmentId: "prod" });
    await goOn(store, "r0", "RunStarted");
    await goOn(store, "r1", "RunStarted");
    await goOn(store, "r1", "RunCompleted");
    const none = { PENDING: 0, APPROVED: 0, RUNNING: 0, PAUSED: 0, COMPLETED: 0, FAILED: 0, CANCELLED: 0 };
    const count = (filter: Partial<RunFilter>) => store.index.countRuns({ tenantId: TENANT, ...filter });
    assert.deepEqual(await count({}), { ...none, PENDING: 2, RUNNING: 1, COMPLETED: 1 });
    assert.deepEqual(await count({ planId: "plan" }), { ...none, PENDING: 1, RUNNING: 1, COMPLETED: 1 });
    assert.deepEqual(await count({ projectId: "shop", environmentId: "prod" }), { ...none, PENDING: 1 });
    assert.deepEqual(await count({ planId: "plan", projectId: "shop" }), none);
  },

  "a histogram of when runs were created, by the status they have now": async ({ store }) => {
    await addRuns(store, 3);
    await addRun(store, "late", { createdAt: minute(61) });
    await addRun(store, "later", { createdAt: minute(24 * 60 + 5), planId: "stock" });
    await goOn(store, "r1", "RunStarted");
    const bars = async (bucket: "minute" | "hour" | "day", from: number, to: number, planId?: string) => {
      const filter = { tenantId: TENANT, ...omitUndefined({ planId }) };
      const found = await store.index.histogram({ ...filter, from: minute(from), to: minute(to), bucket });
      return found.map(({ at, counts }) => [at, counts.PENDING, counts.RUNNING]);
    };
    const day = "2026-11-14T00:00:00.000Z";
    assert.deepEqual(await bars("minute", 1, 3), [
      [minute(1), 0, 1],
      [minute(2), 1, 0],
    ]);
    assert.deepEqual(await bars("hour", 30, 70), [
      [minute(0), 2, 1],
      [minute(60), 1, 0],
    ]);
    assert.deepEqual(await bars("day", 0, 1), [[day, 3, 1]]);
    assert.deepEqual(await bars("day", 0, 24 * 60), [
      [day, 3, 1],
      ["2026-11-15T00:00:00.000Z", 1, 0],
    ]);
    assert.deepEqual(await bars("hour", 0, 48 * 60, "stock"), [[minute(24 * 60), 1, 0]]);
  },

  "F7: a projection that is thrown away is not found and not counted, and comes back": async ({ store }) => {
    await addRun(store, "r", { createdAt: minute(0), labels: { team: "core" } });
    await goOn(store, "r", "RunStarted");
    const { index } = store;
    const look = async () => [
      await ids(index),
      await ids(index, { labels: { team: "core" } }),
      (await index.countRuns({ tenantId: TENANT })).RUNNING,
      (await index.histogram({ tenantId: TENANT, from: minute(0), to: minute(1), bucket: "minute" })).length,
    ];
    const before = await look();
    await store.snapshots.deleteProjection("r");
    assert.deepEqual(
      [before, await look()],
      [
        [["r"], ["r"], 1, 1],
        [[], [], 0, 0],
      ],
    );
    await project(store, "r");
    assert.deepEqual(await look(), before);
  },

  "F7: of many changes in one call each is judged for itself": async ({ store }) => {
    await addRuns(store, 2);
    await store.appendEvents(["r0", "r1", "r2"].map((runId) => eventOf(runId, "RunStarted")));
    const headerOf = async (runId: string): Promise<RunHeader> => {
      const { header } = (await store.snapshots.readProjection({ runId, stepIds: [] }))!;
      return { ...header, status: "RUNNING", lastEventSeq: 2 } as RunHeader;
    };
    const [r0, r1] = await Promise.all(["r0", "r1"].map(headerOf));
    const saved = await store.snapshots.saveProjections([
      { readSeq: 1, header: r0!, steps: [] },
      { readSeq: 9, header: r1!, steps: [] },
      { readSeq: 0, header: { ...r1!, runId: "r2" }, steps: [] },
    ]);
    assert.deepEqual(saved, [true, false, true]);
    assert.deepEqual(await ids(store.index, { status: ["RUNNING"] }), ["r2", "r0"]);
    assert.deepEqual(await store.snapshots.saveProjections([]), []);
  },

  "counts are exact after projectors have raced for the same runs": async ({ store, another }) => {
    const handles = [store, await another()];
    const runIds = Array.from({ length: 20 }, (_, n) => `r${n}`);
    await store.appendEvents(runIds.map((runId) => queuedOf(runId)));
    for (const eventType of ["RunStarted", "RunPaused", "RunResumed", "RunCompleted"]) {
      const projecting = handles.map((handle) => project(handle, ...runIds));
      await Promise.all([...projecting, store.appendEvents(runIds.map((runId) => eventOf(runId, eventType)))]);
    }
    await project(store, ...runIds);
    const counts = await store.index.countRuns({ tenantId: TENANT });
    assert.deepEqual([counts.COMPLETED, Object.values(counts).reduce((sum, n) => sum + n)], [20, 20]);
  },

  "texts of any length and kind are found by, and stop no projection": async ({ store, store: { index } }) => {
    const long = `${"ä".repeat(500)} ' " \\ {a,b} 𝄞`;
    await addRun(store, "r", {
      planId: "p".repeat(255),
      planVersion: "v".repeat(255),
      projectId: long,
      environmentId: `${long}!`,
      labels: { [long]: long },
      parent: { runId: long, stepId: "s" },
      schedule: { scheduleId: long, tick: "" },
    });
    for (const filter of [
      { projectId: long },
      { labels: { [long]: long } },
      { parentRunId: long },
      { scheduleId: long },
    ])
      assert.deepEqual(await ids(index, filter), ["r"]);
    assert.deepEqual(await ids(index, { environmentId: long }), []);
    await goOn(store, "r", "RunFailed", { error: { code: "X", message: `${"𝄞".repeat(2000)}end`, retryable: false } });
    assert.deepEqual(await ids(index, { errorText: "𝄞𝄞" }), ["r"]);
    assert.equal((await index.countRuns({ tenantId: TENANT, projectId: long })).FAILED, 1);
  },

  "K3: invalid queries are refused": async ({ store: { index } }) => {
    const list = (params: object) => index.listRuns({ tenantId: TENANT, ...params });
    const bad = [{ limit: 0 }, { limit: 1001 }, { cursor: "x" }, { cursor: "999999999999999~r" }, { cursor: "" }];
    const texts = [{ planId: "" }, { planId: 1 }, { errorText: "a\u0000b" }, { labels: { team: "\ud800" } }];
    const rest = [{ status: ["DONE"] }, { createdFrom: "yesterday" }, { createdTo: 5 }];
    for (const params of [...bad, ...texts, ...rest]) await refused(list(params), "OPTION_INVALID");
    await refused(list({ tenantId: undefined }), "IDENTIFIER_INVALID");
    await refused(index.countRuns({ tenantId: "" }), "IDENTIFIER_INVALID");
    const bars = { tenantId: TENANT, from: minute(0), to: minute(1) };
    await refused(index.histogram({ ...bars, bucket: "year" as "day" }), "OPTION_INVALID");
    await refused(index.histogram({ ...bars, bucket: "minute", from: "2025-01-01T00:00:00Z" }), "OPTION_INVALID");
  },
});
