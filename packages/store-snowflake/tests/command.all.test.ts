// @module-tag S-07
/** Runs the command line against Snowflake's emulator, with real processes and kill -9. */
import { setTimeout as sleep } from "node:timers/promises";
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { SnowflakeStore } from "@runledger/store-snowflake";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { freshFolder, startRunledger } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { startEmulator, type Emulator } from "@runledger/test-support/snowflake-emulator.mjs";

const RUNS = 12;
/** More than one batch, so that an export has several writes. */
const EVENTS_EACH = 210;

describeWith("runledger store … snowflake://", [requireTool("python3")], () => {
  let emulator: Emulator;
  let database: FreshDatabase;
  let snowflake: SnowflakeStore;
  const url = (): string => emulator.url("COMMAND");

  beforeAll(async () => {
    [emulator, database] = await Promise.all([startEmulator(), freshDatabase()]);
    snowflake = await SnowflakeStore.open({ url: url(), gatheringWindowMs: 0 });
    await using source = await PostgresStore.open({ url: database.url });
    for (let run = 0; run < RUNS; run++) await source.appendEvents(eventsOf(`run-${String(run).padStart(2, "0")}`));
  }, 600_000);
  afterAll(async () => {
    await snowflake.close();
    await database.drop();
    await emulator.stop();
  });

  const copied = async (): Promise<number> => (await snowflake.listHeads({ archived: true })).length;

  test("an export to Snowflake resumes after kill -9", { timeout: 300_000 }, async () => {
    const cwd = freshFolder();
    const args = ["store", "export", "--store", database.url, "--to", url()] as const;
    const killed = startRunledger({ cwd }, ...args);
    while ((await copied()) === 0) await sleep(20);
    killed.kill("SIGKILL");
    await killed.ended;
    expect(await copied()).toBeLessThan(RUNS);
    const again = startRunledger({ cwd }, ...args);
    expect(await again.ended, again.output).toMatchObject({ code: 0 });
    expect(again.output).toContain("verified by count and checksum");
    const heads = await snowflake.listHeads();
    expect(heads.map(({ headSeq }) => headSeq)).toEqual(heads.map(() => EVENTS_EACH));
    expect(heads.length).toBe(RUNS);
  });

  test(
    "a projector maintains the snapshots of runs that another engine records",
    { tags: ["R-10"], timeout: 300_000 },
    async () => {
      const [first, ...rest] = eventsOf("foreign");
      await snowflake.appendEvents([first!]);
      const args = ["serve", "--roles", "projector", "--poll", "200ms", "--store", url()] as const;
      const projector = startRunledger({ cwd: freshFolder() }, ...args);
      const isProjected = async (seq: number): Promise<boolean> => {
        const snapshot = await snowflake.getSnapshot("foreign");
        return snapshot !== null && snapshot.lastEventSeq === seq && snapshot.stale !== true;
      };
      await until(() => isProjected(1));
      await snowflake.appendEvents(rest);
      await until(() => isProjected(EVENTS_EACH));
      expect(await snowflake.getSnapshot("foreign")).toEqual(await snowflake.projectSnapshot("foreign"));
      projector.kill("SIGTERM");
      expect(await projector.ended, projector.output).toMatchObject({ code: 0 });
    },
  );

  test(
    "store verify finds a wrong snapshot in Snowflake, and store rebuild corrects it",
    { tags: ["R-10"], timeout: 300_000 },
    async () => {
      const run = async (...args: readonly string[]) => {
        const started = startRunledger({ cwd: freshFolder() }, "store", ...args, "--store", url());
        return { ...(await started.ended), output: started.output };
      };
      const { header } = (await snowflake.snapshots.readProjection({ runId: "foreign", stepIds: [] }))!;
      const wrong = { readSeq: header.lastEventSeq, header: { ...header, failedSteps: 7 }, steps: [] };
      expect(await snowflake.snapshots.saveProjection(wrong)).toBe(true);
      const found = await run("verify", "--run", "foreign");
      expect(found, found.output).toMatchObject({ code: 1 });
      expect(found.output).toContain("header: failedSteps differs from the log");
      expect(await run("rebuild", "--run", "foreign")).toMatchObject({ code: 0 });
      const corrected = await run("verify");
      expect(corrected, corrected.output).toMatchObject({ code: 0 });
      expect(corrected.output).toContain(`${RUNS + 1} runs verified, no differences.`);
    },
  );

  test(
    "old runs are archived in Snowflake, stay readable, and their heads become tombstones",
    { tags: ["S-04"], timeout: 300_000 },
    async () => {
      const before = await snowflake.fetchEvents("run-00");
      await sleep(1100);
      const args = ["store", "archive", "--older-than", "1s", "--store", url(), "--json"] as const;
      const archiving = startRunledger({ cwd: freshFolder() }, ...args);
      expect(await archiving.ended, archiving.output).toMatchObject({ code: 0 });
      expect(archiving.output).toContain(`"archived":${RUNS + 1}`);
      expect(await snowflake.listHeads()).toEqual([]);
      expect(await snowflake.fetchEvents("run-00")).toEqual(before);
    },
  );
});

function eventsOf(runId: string) {
  const steps = Array.from({ length: EVENTS_EACH - 2 }, (_, index) =>
    newEvent({ runId, stepId: `s${index}`, eventType: "StepStarted", planVersion: "1" }),
  );
  const [started, completed] = ["RunStarted", "RunCompleted"].map((eventType) =>
    newEvent({ runId, eventType, planVersion: "1" }),
  );
  return [started!, ...steps, completed!];
}
