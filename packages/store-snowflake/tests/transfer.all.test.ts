// @module-tag S-07
/** Copies runs to Snowflake and back, and checks the views for analysts. */
import { newEvent, type CanonicalEngineEvent, type StateStore } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { SnowflakeStore } from "@runledger/store-snowflake";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../src/client.js";
import { parseSnowflakeUrl } from "../src/connection-url.js";
import { copyRuns } from "@runledger/runtime/transfer/copy-runs";
import { checksumOf } from "@runledger/runtime/transfer/event-line";
import { storeTarget } from "@runledger/runtime/transfer/store-target";
import { histories } from "@runledger/test-support/histories";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { startEmulator, type Emulator } from "@runledger/test-support/snowflake-emulator.mjs";

const FIVE_MINUTES = 300_000;

describeWith("copies in Snowflake", [requireTool("python3")], () => {
  let emulator: Emulator;
  let source: MemoryStore;
  let snowflake: SnowflakeStore;

  beforeAll(async () => {
    emulator = await startEmulator();
    snowflake = await SnowflakeStore.open({ url: emulator.url("COPIES"), gatheringWindowMs: 0 });
    source = new MemoryStore();
    for (const { events } of histories) await record(source, events);
  }, 600_000);
  afterAll(async () => {
    await snowflake.close();
    await emulator.stop();
  });

  const ask = async (text: string): Promise<Record<string, unknown>[]> => {
    const db = await connect(parseSnowflakeUrl(emulator.url("COPIES")), 1);
    const rows = await db.read({ text: `SELECT TO_JSON(OBJECT_CONSTRUCT(*)) FROM (${text})` });
    await db.close();
    return rows.map(([row]) => JSON.parse(row as string) as Record<string, unknown>);
  };

  test("an interrupted export to Snowflake resumes, and every run is complete", { timeout: FIVE_MINUTES }, async () => {
    const target = storeTarget(snowflake);
    let writes = 0;
    const cut = {
      ...target,
      write: async (...args: Parameters<typeof target.write>) => {
        if (++writes === 2) throw new Error("cut");
        await target.write(...args);
      },
    };
    await expect(drain(copyRuns(source, cut))).rejects.toThrow("cut");
    await drain(copyRuns(source, storeTarget(snowflake)));
    expect(await checksums(snowflake)).toEqual(await checksums(source));
    expect(await drain(copyRuns(source, storeTarget(snowflake)))).toBe(0);
  });

  test("an import from Snowflake restores the exported ledger", { timeout: FIVE_MINUTES }, async () => {
    const restored = new MemoryStore();
    await drain(copyRuns(snowflake, storeTarget(restored)));
    expect(await checksums(restored)).toEqual(await checksums(source));
  });

  test(
    "RUN_SNAPSHOTS has the specified shape and the snapshot of the fold",
    { tags: ["S-05"], timeout: FIVE_MINUTES },
    async () => {
      const rows = await ask("SELECT * FROM RUN_SNAPSHOTS");
      const heads = await source.listHeads({ archived: true });
      expect(rows.length).toBe(heads.length);
      for (const row of rows) {
        const snapshot = await source.projectSnapshot(row["RUN_ID"] as string);
        expect(Object.keys(row)).toEqual(
          expect.arrayContaining(["STATUS", "LAST_EVENT_SEQ", "SNAPSHOT_DATA", "VERSION"]),
        );
        const { steps, ...header } = row["SNAPSHOT_DATA"] as { steps: object[] };
        expect(header).toMatchObject({ status: snapshot.status, lastEventSeq: snapshot.lastEventSeq });
        expect(steps.length).toBe(snapshot.steps.length);
        expect(steps).toMatchObject(JSON.parse(JSON.stringify(snapshot.steps)) as object[]);
      }
    },
  );

  test("RUNS, STEP_ATTEMPTS and FAILURES match the logs", { tags: ["S-05"], timeout: FIVE_MINUTES }, async () => {
    const runs = await ask("SELECT * FROM RUNS");
    const logs = await Promise.all(
      runs.map(async ({ RUN_ID }) => source.fetchEvents(RUN_ID as string, { limit: 10_000 })),
    );
    expect(runs.map(({ EVENTS }) => EVENTS)).toEqual(logs.map((log) => log.length));
    const all = logs.flat();
    const started = all.filter(({ eventType }) => eventType === "StepStarted");
    const attempts = await ask("SELECT * FROM STEP_ATTEMPTS WHERE STARTED_AT IS NOT NULL");
    const names = (events: readonly CanonicalEngineEvent[]): string[] =>
      [...new Set(events.map((event) => `${event.runId} ${event.stepId} ${event.logicalAttemptId}`))].sort();
    expect(attempts.map((row) => [row["RUN_ID"], row["STEP_ID"], row["ATTEMPT"]].join(" ")).sort()).toEqual(
      names(started),
    );
    for (const row of attempts) {
      const own = all.filter((event) => event.runId === row["RUN_ID"] && event.stepId === row["STEP_ID"]);
      const [begun, ended] = timesOf(own.filter((event) => event.logicalAttemptId === row["ATTEMPT"]));
      expect(row["DURATION_SECONDS"]).toBe(ended === undefined ? undefined : (ended - begun!) / 1000);
      expect(row["WAITED_SECONDS"]).toBeTypeOf("number");
    }
    const failed = all.filter(({ eventType }) => eventType === "StepFailed" || eventType === "RunFailed");
    const failures = await ask("SELECT * FROM FAILURES");
    expect(failed.length).toBeGreaterThan(0);
    expect(failures.length).toBe(failed.length);
    expect(failures.every(({ ERROR_CODE }) => typeof ERROR_CODE === "string")).toBe(true);
  });
});

/** Start and finish of an attempt, from its events. */
function timesOf(events: readonly CanonicalEngineEvent[]): [begun: number | undefined, ended: number | undefined] {
  const first = (ofType: (type: string) => boolean): number | undefined =>
    events
      .filter(({ eventType }) => ofType(eventType))
      .map(({ emittedAt }) => Date.parse(emittedAt))
      .sort((a, b) => a - b)[0];
  const isEnd = (type: string): boolean => ["StepCompleted", "StepFailed", "StepSkipped"].includes(type);
  return [first((type) => type === "StepStarted"), first(isEnd)];
}

/** Events of the history, numbered and dated by this store. */
async function record(store: MemoryStore, events: readonly CanonicalEngineEvent[]): Promise<void> {
  const fresh = events.map(({ runSeq: _, persistedAt: __, ...event }) =>
    newEvent(event as Parameters<typeof newEvent>[0]),
  );
  await store.appendEvents(fresh);
}

async function drain(copied: AsyncIterable<{ readonly events: number }>): Promise<number> {
  let events = 0;
  for await (const run of copied) events += run.events;
  return events;
}

async function checksums(store: StateStore): Promise<object> {
  const heads = await store.listHeads({ archived: true });
  const each = heads.map(async ({ runId }) => [runId, checksumOf(await store.fetchEvents(runId, { limit: 100_000 }))]);
  return Object.fromEntries(await Promise.all(each)) as object;
}
