/** The command line against Snowflake's emulator: real processes, kill -9 in the midst. */
import { setTimeout as sleep } from "node:timers/promises";
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { SnowflakeStore } from "@runledger/store-snowflake";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "../support/fresh-database.js";
import { describeWith, requireTool } from "../support/requirements.js";
import { freshFolder, startRunledger } from "../support/runledger-command.js";
import { startEmulator, type Emulator } from "./emulator/start.mjs";

const RUNS = 12;
/** More than what travels together, so that an export has several writes. */
const EVENTS_EACH = 210;

describeWith("[S-07] runledger store … snowflake://", [requireTool("python3")], () => {
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

  test("[S-07] an export to Snowflake that is killed with -9 goes on", { timeout: 300_000 }, async () => {
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
    "[S-04] what is old is archived there, stays readable, and its head is a tombstone",
    { timeout: 300_000 },
    async () => {
      const before = await snowflake.fetchEvents("run-00");
      await sleep(1100);
      const args = ["store", "archive", "--older-than", "1s", "--store", url(), "--json"] as const;
      const archiving = startRunledger({ cwd: freshFolder() }, ...args);
      expect(await archiving.ended, archiving.output).toMatchObject({ code: 0 });
      expect(archiving.output).toContain(`"archived":${RUNS}`);
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
